/* A solver is one way to step one kind of problem on one backend. Each backend lists its solvers; of those that are
 * applicable to a problem it takes the cheapest, or the one that was named (backend.h). A solver advances one or
 * several sources of a problem, each as its own run with its own fields, and hands back what was recorded. Everything
 * that happens per step happens inside advance(): fields, absorber, sources, probes, running spectra. All solvers give
 * the same bits in single precision (cell.h).
 *
 * For authors of a solver: what physics it can step is listed in `takes`, what else it cannot do is said in
 * `applicable`, and nowhere else, so that a plainer solver takes the problem; `state` is yours; reads may be called
 * between advances; values are handed out as double, exactly. */
#pragma once

#include "backend/patch.h"
#include "problem/problem.h"

PW_C_BEGIN

struct physics;
struct solver;
struct device_arena;

/* What a solver is asked to do. */
struct solver_request {
    const struct solver *solver;   /* the one that is asked; backend_choose fills it in */
    const struct problem *problem; /* borrowed for the life of the state */
    int first, count;              /* runs: the sources first .. first+count-1 */
    int threads;                   /* 0: all */
    const char *name;              /* as asked for, "NAME" or "NAME:DETAIL", for messages; NULL: the choice is free */
    const char *detail; /* what follows the solver's name and a colon, or NULL; its file says what it may be */
    bool steps_all;     /* also what is at rest, if the solver leaves that out otherwise */
    /* Borrowed; of the CUDA backend: memory that the solver shares with others, which step in turn (kernels/turns). */
    struct device_arena *arena;
};

/* The full state of one run in canonical arrays, exact in double; the same for every solver, so that one may resume
 * another. NULL leaves an array out; on load the run then keeps its own values. Filter states are those of the
 * absorber's cells: the x arrays hold the cells at the low end, then the cells at the high end, x_filters of them in
 * all (run_state_filters); the y arrays likewise. */
struct run_state {
    int64_t step;
    double *ez, *increment;  /* (ny, nx) */
    double *x_half, *x_node; /* (ny, x_filters); NULL without absorber cells */
    double *y_half, *y_node; /* (y_filters, nx); NULL likewise */
    /* maxwell3d instead of the above: Ex, Ey, Ez, Hx, Hy, Hz (as h, problem.h), (nz, ny, nx) each; and the filters of
     * the derivatives along axis a, shaped as the fields but with run_state_filters(a) planes along it: [0] and [1] of
     * E's next and next but one component in cyclic order, [2] and [3] of h's. Along z, a = 2: Ex, Ey, hx, hy. */
    double *field[6];
    double *filter[3][4];
    double *edges;   /* tm2d, (mur_memory): what the edges remember (mur.h); NULL without such edges */
    double *poles;   /* (pole_state_count): what dispersive nodes remember (problem.h); NULL without such nodes */
    double *spectra; /* (frequency_count, rows, columns, 2), of whole groups */
    double *samples; /* (group, rows, columns), the waiting samples first */
    double *probes;  /* (step, probe_count); none where the problem has probe_slots */
    double *series;  /* of the simulation where it has: (step, receiver). Solvers leave it alone */
};

/* Values from .. to-1 of one array of that state (enum state_array). */
struct state_rows {
    int array;
    int64_t from, to;
    double *values; /* (to - from) */
};

/* Filters along an axis: the absorber's cells at both of its ends. */
int run_state_filters(const struct problem *problem, int axis);

/* A field or filter of the state (enum state_array), and how many values it has along x, y and z. */
double **state_array(const struct problem *problem, struct run_state *state, int array);
void state_array_extent(const struct problem *problem, int array, int64_t extent[3]);

/* Allocates arrays for `problem`, with room for probes of `steps` steps; free with run_state_free. */
pw_status run_state_create(const struct problem *problem, int64_t steps, struct run_state *state, pw_error *error);
/* Only those of what a run records: spectra, samples, probes. */
pw_status run_state_records(const struct problem *problem, int64_t steps, struct run_state *state, pw_error *error);
void run_state_free(struct run_state *state);

struct solver {
    const char *name, *description;
    const void *parameters;       /* what tells it from other solvers that share its functions; NULL when none do */
    enum formulation formulation; /* whose problems it solves: of several solvers that decline, one of these says why */

    /* What it can step of that which not every problem has (problem/physics/), with NULL after the end; NULL: nothing.
     * A problem with anything else does not come to it. */
    const struct physics *const *takes;
    /* PW_OK when the solver can do what is asked on this machine; PW_USAGE when the problem does not suit it and
     * PW_NO_RESOURCE when the machine does not, with a clause in *error that says why: "it solves tm2d only". */
    pw_status (*applicable)(const struct solver_request *request, pw_error *error);

    /* About how many nanoseconds a step of all runs takes. Only compared, within one backend; also asked of problems
     * that the solver does not take, for which any number will do. */
    double (*cost)(const struct solver_request *request);

    /* Bytes that `runs` runs will hold together: host memory and, apart from it, device memory. */
    void (*memory)(const struct problem *problem, int runs, uint64_t *host, uint64_t *device);

    /* Fields at rest. */
    pw_status (*create)(const struct solver_request *request, void **state, pw_error *error);
    pw_status (*advance)(void *state, int64_t steps, pw_error *error);

    /* Electric energy, up to a factor: sum over all nodes of E^2, in double; NaN or Inf in any field shows in it. */
    pw_status (*energy)(void *state, int run, double *energy, pw_error *error);
    /* The same of the nodes of a box (patch.h; its arrays are not looked at). NULL: their rows come by `patch` and are
     * added by whoever wants to know. */
    pw_status (*energy_in)(void *state, int run, const struct patch *box, double *energy, pw_error *error);

    /* tm2d: Ez (ny, nx); maxwell3d: Ex, Ey, Ez (3, nz, ny, nx). */
    pw_status (*read_field)(void *state, int run, double *e, pw_error *error);
    pw_status (*read_probes)(void *state, int run, double *ez, pw_error *error); /* (steps done, probe_count) */
    /* Optional, for problems with probe_slots: of steps first .. first+count-1, which are among the last so many. Such
     * a solver keeps no older ones, and its read_probes is then not called. */
    pw_status (*take_probes)(void *state, int run, int64_t first, int64_t count, double *ez, pw_error *error);
    /* Sums of the whole groups of samples (spectra.h), (F, row_count, columns, 2); and the samples that wait for the
     * rest of their group, (spectra_waiting, row_count, columns). */
    pw_status (*read_spectra)(void *state, int run, int row_first, int row_count, double *out, pw_error *error);
    pw_status (*read_samples)(void *state, int run, int row_first, int row_count, double *out, pw_error *error);
    pw_status (*save)(void *state, int run, struct run_state *to, pw_error *error);
    pw_status (*load)(void *state, int run, const struct run_state *from, pw_error *error);
    /* Copies the values of a patch (patch.h) out of the run (`store`) or into it. NULL: the solver cannot step a part
     * of a grid that is divided among several. */
    pw_status (*patch)(void *state, int run, const struct patch *patch, void *values, bool store, pw_error *error);
    /* Copies values of one array out of the run (`store`) or into it, so that nobody needs room for a whole state.
     * NULL: out of it by `patch` where `rows_by_patch` says so, else by save and load alone. */
    pw_status (*rows)(void *state, int run, const struct state_rows *rows, bool store, pw_error *error);
    bool rows_by_patch;
    /* Optional, of devices. `on`: from now on `advance` and `patch` return before they are done, and nothing else is
     * asked. They are done in turn on a queue of the device, *queue (struct device_functions). Off: waits for all. */
    pw_status (*defer)(void *state, bool on, void **queue, pw_error *error);
    void (*destroy)(void *state);
};

/* PW_OK, or PW_USAGE and the clause that says which physics of the problem the solver does not take. */
pw_status solver_takes(const struct solver *solver, const struct problem *problem, pw_error *error);

/* For `applicable`: PW_OK, or PW_USAGE and the clause that says why not. tm2d with square cells; the same with an
 * absorber as thick on every side but symmetry planes; maxwell3d with cubes as cells. */
pw_status solver_takes_tm2d(const struct problem *problem, pw_error *error);
pw_status solver_takes_even_tm2d(const struct problem *problem, pw_error *error);
pw_status solver_takes_maxwell3d(const struct problem *problem, pw_error *error);
/* Where there are symmetry planes, room before the wall opposite; where there are one-way edges, no source, probe,
 * point of the spectra or pole at a node that does not step as the others do. */
pw_status solver_takes_far_planes(const struct problem *problem, pw_error *error);
pw_status solver_takes_clear_edges(const struct problem *problem, pw_error *error);

/* For `advance` and `load`: PW_OK, or PW_USAGE when the problem has no `steps` more steps after `done`, or no step at
 * which the state could have been saved. */
pw_status solver_check_advance(const struct problem *problem, int64_t done, int64_t steps, pw_error *error);
pw_status solver_check_load(const struct problem *problem, const struct run_state *from, pw_error *error);

struct device_functions;

/* A solver at work: the handle that everything after the choice uses. */
struct stepper {
    const struct solver *solver;
    void *state;                            /* of the solver, owned */
    const struct device_functions *devices; /* of the backend; NULL: the host is the only device */
    int device;                             /* that it is on */
};

PW_C_END
