/* Backends: where a problem can be solved, by name. A backend is a list of solvers (solver.h) on one kind of machine;
 * it takes the cheapest that is applicable, or the one that was named. */
#pragma once

#include "api/backend.h"
#include "backend/solver.h"

PW_C_BEGIN

/* Devices with memory of their own. What a thread does is on the device that it has selected, the first unless it says
 * otherwise. */
struct device_functions {
    int (*count)(void);
    pw_status (*select)(int device, pw_error *error);
    /* Lets these devices reach each other's memory, as far as they can; `copy` works in any case. */
    void (*connect)(const int *devices, int count);
    /* Memory of the selected device; and of the host, such as is copied fast. NULL is released, too. */
    pw_status (*allocate)(size_t bytes, void **memory, pw_error *error);
    void (*release)(void *memory);
    pw_status (*allocate_host)(size_t bytes, void **memory, pw_error *error);
    void (*release_host)(void *memory);
    /* From anywhere to anywhere; done when it returns. */
    pw_status (*copy)(void *to, const void *from, size_t bytes, pw_error *error);
    /* Whether what is done on one device may write into memory of another, now that they are connected. */
    bool (*reaches)(int device, int other);
    /* Queues of solvers (`defer`). A copy, after what the queue of the selected device holds. */
    pw_status (*copy_later)(void *to, const void *from, size_t bytes, void *queue, pw_error *error);
    /* A mark says where the queue of the selected device is now; another queue goes on when it has come there. Seconds
     * from one mark to the next of a queue, when it has come to both. */
    pw_status (*mark)(void *queue, void **mark, pw_error *error);
    pw_status (*follow)(void *queue, void *mark, pw_error *error);
    double (*between)(void *from, void *to);
    void (*forget)(void *mark); /* NULL is allowed */
};

struct cut;
struct part_options;

/* What is asked about a grid whose parts are to take turns on a device. */
struct turn_request {
    int runs;
    uint64_t memory; /* bytes of the device */
};
struct turn_plan {
    int parts[3], depth;           /* steps of a turn */
    uint64_t host, device;         /* bytes */
    double cells_per_second, link; /* expected; bytes/s each way, measured */
    double in_bytes, out_bytes;    /* of a node that comes, and of one that goes */
    double once;                   /* s: a turn, beside all that */
    int shares;                    /* of the device's memory: so many parts are there at once */
};

/* Parts of one grid that take turns on a device which has not room for all of them. Their exchange is the backend's. */
struct turn_functions {
    /* How a grid is cut for that; PW_NO_RESOURCE when it cannot be. */
    pw_status (*plan)(const struct problem *whole, const struct turn_request *request, struct turn_plan *plan,
                      pw_error *error);
    /* None of what is given is copied but the cut and the options. */
    pw_status (*create)(const struct problem *whole, const struct cut *cut, const struct part_options *options,
                        void **turns, pw_error *error);
    /* Parts come in order. The stepper answers reads, `load` and `patch`; it does not advance by itself. */
    pw_status (*add)(void *turns, int number, const struct problem *part, struct stepper **stepper, pw_error *error);
    pw_status (*advance)(void *turns, int64_t steps, pw_error *error);
    /* Sum of squares of E over a part's own nodes, as the last advance has left them; false: not known. */
    bool (*energy)(void *turns, int number, int run, double *sum);
    void (*destroy)(void *turns);
};

struct backend {
    const char *name, *description;

    /* PW_OK and the device's name, or PW_NO_RESOURCE and in *error why not and what to do. */
    pw_status (*probe)(char *device, size_t size, pw_error *error);

    const struct solver *const *solvers; /* NULL terminated */

    /* How many runs one stepper best advances together, given what fits: at least 1. */
    int (*ensemble)(const struct problem *problem);

    /* Optional; NULL for backends that live in host memory. Free device memory [bytes, 0: not known], and the bandwidth
     * of a large device-to-device copy [bytes/s, read plus written, 0 on failure], which `planwave bench` sets its
     * figures against. */
    uint64_t (*device_free)(void);
    double (*copy_bandwidth)(void);
    const struct device_functions *devices;
    const struct turn_functions *turns;
};

extern const struct backend backend_reference, backend_cpu, backend_cuda;

/* By name; "auto" is cuda when it works here, else cpu. NULL with a message that lists the names when unknown or not
 * available. */
const struct backend *backend_find(const char *name, pw_error *error);
/* The same for a problem: where none of its solvers takes media with poles, "auto" is cpu. */
const struct backend *backend_find_for(const char *name, const struct problem *problem, pw_error *error);

struct backend_options {
    int threads;        /* 0: all */
    const char *solver; /* "NAME" or "NAME:DETAIL"; NULL: the cheapest that is applicable */
    int device;         /* of those that the backend has */
    bool steps_all;     /* also what is at rest, which solvers may leave out: for timing */
};

/* Chooses the solver for a request and puts it into request->solver: the one that request->name names, else the
 * cheapest that is applicable. PW_USAGE with the names that there are for an unknown name; with the reason for a solver
 * that is not applicable. */
pw_status backend_choose(const struct backend *backend, struct solver_request *request, pw_error *error);

/* How many transmitters are solved together. An ensemble stops as one: with a stop by decay each runs alone, or the
 * step at which it stops would depend on the backend. */
int backend_ensemble(const struct backend *backend, const struct problem *problem);

/* Bytes that the solver chosen for `runs` runs together will hold; both 0 when there is none. */
void backend_memory(const struct backend *backend, const struct problem *problem, int runs, uint64_t *host,
                    uint64_t *device);

/* Fields at rest. Runs are the sources first .. first+count-1. */
pw_status stepper_create(const struct backend *backend, const struct problem *problem, int first, int count,
                         const struct backend_options *options, struct stepper **stepper, pw_error *error);
/* NULL is allowed. */
void stepper_destroy(struct stepper *stepper);

/* The functions of the solver at work, as solver.h has them. */
pw_status stepper_advance(struct stepper *stepper, int64_t steps, pw_error *error);
pw_status stepper_energy(struct stepper *stepper, int run, double *energy, pw_error *error);
/* Where the solver has it. */
pw_status stepper_energy_in(struct stepper *stepper, int run, const struct patch *box, double *energy, pw_error *error);
pw_status stepper_read_field(struct stepper *stepper, int run, double *ez, pw_error *error);
pw_status stepper_read_probes(struct stepper *stepper, int run, double *ez, pw_error *error);
/* Whether stepper_take_probes is there, in place of the above where the problem has probe_slots. */
bool stepper_takes_probes(const struct stepper *stepper);
pw_status stepper_take_probes(struct stepper *stepper, int run, int64_t first, int64_t count, double *ez,
                              pw_error *error);
pw_status stepper_read_spectra(struct stepper *stepper, int run, int row_first, int row_count, double *out,
                               pw_error *error);
pw_status stepper_read_samples(struct stepper *stepper, int run, int row_first, int row_count, double *out,
                               pw_error *error);
pw_status stepper_save(struct stepper *stepper, int run, struct run_state *state, pw_error *error);
pw_status stepper_patch(struct stepper *stepper, int run, const struct patch *patch, void *values, bool store,
                        pw_error *error);
pw_status stepper_load(struct stepper *stepper, int run, const struct run_state *state, pw_error *error);
/* Where the solver has it. */
pw_status stepper_defer(struct stepper *stepper, bool on, void **queue, pw_error *error);
/* Whether the state goes out of a run (`store`) or into it in pieces, and such a piece (state_patch.c). */
bool stepper_has_rows(const struct stepper *stepper, bool store);
pw_status stepper_rows(struct stepper *stepper, const struct problem *problem, int run, const struct state_rows *rows,
                       bool store, pw_error *error);

PW_C_END
