/* The hinge between deciding and computing: an immutable, fully validated description in plain arrays. Everything
 * before it decides; everything after it only computes. A solver sees this and nothing else: no file, no unit, no name.
 *
 * The formulation names the equations and the components that are stepped. In tm2d (Ez, Hx, Hy; physics.md section 1)
 * h is eliminated without changing the solution: with the increment v[n] = Ez[n] - Ez[n-1] and L the difference applied
 * twice in x and in y,
 *     v[n+1]  = ca v[n] + cb (L Ez[n]) + (source current increment)
 *     Ez[n+1] = Ez[n] + v[n+1]
 *     ca = (1-a)/(1+a),   cb = K^2 laplacian(1) / (eps_r (1+a)),   a = sigma dt/(2 eps0 eps_r),   K = c dt/cell.
 * Two fields instead of three: a third less memory traffic and fewer operations, the same numbers up to rounding
 * (tested against the textbook form). L is normalised by its first tap, so that one multiplication less is needed.
 * Beside the absorber, where filters stand between the two differences, L is taken as two differences (cell.h).
 *
 * In maxwell3d (Ex, Ey, Ez, Hx, Hy, Hz on the Yee lattice; physics.md section 9) nothing is eliminated. With d the
 * first difference divided by its first tap a(0), and h = eta0 H/(K a(0)),
 *     h[n+1/2] = h[n-1/2] - curl_d E[n]
 *     E[n+1]   = ca E[n] + cb curl_d h[n+1/2] + (source current)
 *     cb = K^2 a(0)^2 / (eps_r (1+a)),   ca, a, K as above.
 * In the absorber every derivative of a curl passes its filter. Where nothing changes along z (horizontal polarisation
 * in two dimensions; physics.md section 11) that axis is uniform: there is one layer, and Ex, Ey and Hz alone are not
 * zero.
 *
 * Nodes (i, j, k) along (x, y, z), flat index (k ny + j) nx + i. Node 0 of an axis lies on a wall and node n, not
 * stored, on the opposite one. On a PEC wall tangential E is odd and tangential H even about both, and in tm2d the
 * first difference of Ez is even (image theory), for every scheme; about a PMC wall it is the other way round
 * (image.h). Ex stands at (i+1/2, j, k), Hx at (i, j+1/2, k+1/2), the others by cyclic exchange; every array has nx ny
 * nz values.
 *
 * A place is a component and a node as one number, component nx ny nz + node, counting Ex, Ey, Ez, Hx, Hy, Hz from 0.
 * Places are used in maxwell3d alone; in tm2d, where there is only Ez, the node says everything. */
#pragma once

#include "api/setup.h"
#include "problem/absorber.h"
#include "problem/coefficient.h"
#include "problem/poles/pole.h"
#include "problem/stencil.h"

enum formulation { FORMULATION_TM2D, FORMULATION_MAXWELL3D };

enum component { COMPONENT_EX, COMPONENT_EY, COMPONENT_EZ, COMPONENT_HX, COMPONENT_HY, COMPONENT_HZ };

/* One end of an axis: the absorber's kind and the places with filters; 0 cells leave the wall alone. In tm2d a wall may
 * have filters that change nothing (problem_set_absorber). */
struct boundary {
    enum absorber_kind kind;
    int cells;
    bool symmetric; /* the wall is a PMC: tangential E even, tangential H odd about it. Low ends only */
    int one_way;    /* 1 or 2: the outermost nodes obey Mur's condition of that order (mur.h). tm2d only. 0: the wall */
};

struct axis {
    int count;      /* cells; 1 on an axis that the formulation does not have */
    double spacing; /* m; 0 on such an axis */
    struct boundary low, high;
    struct absorber_filter *half, *node; /* (count), owned; NULL on such an axis */
    bool uniform; /* z of maxwell3d, of one cell: nothing changes along it, so every difference along it is zero */
};

/* Which of an axis's filters stands at place i: those of the low end first; -1: none. */
static inline int axis_filter_slot(const struct axis *axis, int i)
{
    int high = axis->count - axis->high.cells;
    return i < axis->low.cells ? i : i >= high ? axis->low.cells + i - high : -1;
}

struct source {
    enum component component;
    bool hard;      /* soft: v and E gain weight*drive[n] after step n; hard: E becomes weight*drive[n], v zero */
    int64_t count;  /* driven nodes, each node once, ascending */
    int64_t *node;  /* (count), owned; in maxwell3d places of Ex, Ey and Ez */
    double *weight; /* (count), owned: soft V/m per A */
    /* (steps), owned: soft: I[n] - I[n-1] [A], in maxwell3d I[n] [A]; hard: E at the end of step n [V/m] */
    double *drive;
    /* (steps), owned: I[n] [A] at (n+1/2) dt, or (n+1) dt when sampled_at_step_end; for the spectrum only */
    double *current;
    bool sampled_at_step_end;
    /* Nodes whose currents differ in phase: after the first drive v and E gain those of `further` more, one after the
     * other, each with weights of its own; in maxwell3d E alone. Soft sources. */
    int further;
    double *further_weight; /* (further, count), owned */
    double *further_drive;  /* (further, steps), owned */
};

/* What is recorded after every step: a component at a node, or in maxwell3d the sum of weight*component over several
 * places, so that a receiver between nodes is one number a step. H is that of half a step earlier. */
struct probe {
    enum component component;
    int64_t node;
    int count;            /* maxwell3d: places; 0: the node alone */
    const int64_t *place; /* (count), ascending; in problem.probe_places */
    const double *weight; /* (count); in problem.probe_weights */
};

/* maxwell3d: points of the spectra that lie on a plane: point (c, r) is place first + c column_stride + r row_stride.
 */
struct spectra_sheet {
    int64_t first;
    int64_t column_stride, row_stride;
    int columns, rows;
};

/* Running spectra on a lattice of nodes: node (x0 + c spacing, y0 + r spacing), sampled after steps every, 2 every, ...
 */
struct spectra {
    enum component component;
    int frequency_count; /* 0: off */
    double *frequency;   /* (frequency_count) [Hz], owned: as reported */
    double *omega;       /* (frequency_count) [rad/s], owned: as evaluated, warped or not */
    int x0, y0, spacing, columns, rows;
    int every; /* steps between samples */
    /* maxwell3d: the points of all sheets, one sheet after the other, each with x (or its column) fastest. Then there
     * is one column, and rows counts all points. */
    struct spectra_sheet *sheets; /* (sheet_count), owned */
    int sheet_count;
    /* tm2d: points of the lattice that somebody reads, (rows, columns), owned; NULL: all. What is read of the others is
     * without meaning: solvers may leave them out. */
    bool *wanted;
};

/* maxwell3d: where a face lies along no axis, Ex and Ey (or two others) answer each other's curl as well. At a node,
 * with s the mean of the curl's component `to` over the two places of that component beside the node, and likewise
 * `from`, both components gain: E_to at either side of the node coefficient/2 s_from, E_from at either side
 * coefficient/2 s_to (Werner and Cary 2007: symmetric, so that it is stable). Nodes near an end of the grid or in the
 * absorber have none. */
struct tensor_node {
    int64_t node;
    enum component from, to; /* of Ex, Ey, Ez */
    double coefficient;      /* K^2 a(0)^2 eta_(from,to) */
};

/* Metal between the nodes (physics.md sections 1, 9 and 11): a place beside metal is updated by a sum of its own.
 *
 * tm2d: places are nodes of Ez. After v of the node has been advanced, and before Ez gains it, v gains the sum over the
 * row's terms, in their order (cell_term), of weight times Ez there. Ez is that of the level which v was advanced from.
 * A term stands at most `laplacian_taps` nodes away along x and at most as many along y, so a row reaches no farther
 * than the stencil's box. Along an axis in whose absorber region a node
 * stands, its row has no terms. No term stands outside of the grid.
 *
 * maxwell3d: a place of h whose face metal cuts, or one of E whose wide difference would cross metal, has another
 * derivative than elsewhere: once its field has been advanced, and before anything reads it, it gains the sum over its
 * terms, in their order, of weight times the value there. Terms of h are places of E, those of E places of h; along y
 * and z they are no farther than problem_depth() lets them. No such place has a filter of the absorber. */
struct metal_row {
    int64_t place, first; /* terms first .. first + count - 1 */
    int count;
};
struct metal_term {
    int64_t place;
    double weight;
};

/* Neighbouring nodes of a row that have the same dispersive medium: from node (in maxwell3d place) `place` on, `count`
 * of them. What they remember stands in the states from `state` on, one number of all nodes after the other: (number of
 * pole_medium_states, count), each pole's polarisation followed by its current if it has one. */
struct pole_span {
    int64_t place, state;
    int count, medium;
};

struct problem {
    enum formulation formulation;
    struct axis axis[3]; /* x, y, z */
    double time_step;    /* s */
    int64_t steps;
    pw_precision precision;
    bool half; /* maxwell3d in single precision: fields are kept in 16 bits a value (half.h) */

    /* The stencil, normalised: difference[l] = a(l)/sqrt(laplacian(1)); centre and Laplacian taps divided by
     * laplacian(1), so laplacian[0] = 1. In maxwell3d difference[l] = a(l)/a(0), and there are no Laplacian taps. */
    int reach;          /* taps of the first difference, 1..7 */
    int laplacian_taps; /* taps of the second difference that are used, problem_set_stencil: 2 reach - 1, or in single
                           precision fewer */
    double difference[REACH_LIMIT];
    double centre; /* of one direction; the sum of both directions has twice this */
    double laplacian[LAPLACIAN_LIMIT];

    /* The media: each node's row in a table (coefficient.h). Row 0 is lossless air: ca = 1. */
    int coefficient_count;
    double *coefficients;        /* (coefficient_count, COEFFICIENT_WIDTH), owned */
    uint16_t *coefficient_index; /* (layer_count, ny, nx), owned */
    /* maxwell3d: floor plans are extruded, so that many levels of z share a layer of the index: component c of E at
     * level k has layer[c][k]. In tm2d there is one layer, and these are NULL. */
    int layer_count;
    int *layer[3];                    /* (nz) each, owned */
    struct tensor_node *tensor_nodes; /* (tensor_count), owned, ascending by node */
    int64_t tensor_count;

    struct metal_row *metal_rows;   /* (metal_row_count), owned: ascending by place, so those of E before those of h */
    struct metal_term *metal_terms; /* (metal_term_count), owned: of all rows */
    int64_t metal_row_count, metal_term_count;

    /* Dispersive nodes (pole.h): none is a perfect conductor or driven hard. */
    struct pole_medium *pole_media; /* (pole_medium_count), owned */
    struct pole_step *pole_steps;   /* (pole_step_count), owned: of all media */
    struct pole_span *pole_spans;   /* (pole_span_count), owned, ascending by place and by state */
    int pole_medium_count, pole_step_count;
    int64_t pole_span_count, pole_state_count;

    struct source *sources; /* (source_count), owned: one per transmitter, each its own run */
    int source_count;

    struct probe *probes; /* (probe_count), owned */
    int probe_count;
    int64_t probe_slots; /* whoever reads them takes them every so many steps, and the solver may forget older ones; 0:
                          * it keeps all */
    int64_t *probe_places; /* owned: of all probes */
    double *probe_weights; /* owned: of all probes */

    struct spectra spectra;

    int watch_every; /* steps between looks at the energy (stop rule, NaN watch); a multiple of spectra.every */
    double decay; /* stop when the energy is under this fraction of its peak, after the sources have ended; 0: never */
    int64_t source_end; /* first step after which no source drives any more */
    int64_t decay_from; /* before this step `decay` ends no run: the direct wave has not passed the whole plan */
};

/* A two-dimensional grid of nx by ny cells of side `cell` that is not part of a larger one: everything about the axes
 * but the absorber. */
void problem_set_grid(struct problem *problem, int nx, int ny, double cell);

/* A three-dimensional grid of nx by ny by nz cubes of side `cell`, formulation maxwell3d. */
void problem_set_volume(struct problem *problem, int nx, int ny, int nz, double cell);

/* One layer of nx by ny such cubes in which nothing changes along z. */
void problem_set_layer(struct problem *problem, int nx, int ny, double cell);

/* Bytes of a value of a field. */
static inline size_t problem_value_size(const struct problem *problem)
{
    return problem->precision == PW_SINGLE ? sizeof(float) : sizeof(double);
}

/* Nodes of the grid. */
static inline int64_t problem_nodes(const struct problem *problem)
{
    return (int64_t)problem->axis[0].count * problem->axis[1].count * problem->axis[2].count;
}

/* Components of E: in tm2d Ez alone. */
static inline int problem_components(const struct problem *problem)
{
    return problem->formulation == FORMULATION_MAXWELL3D ? 3 : 1;
}

/* Rows of nodes along x, of one component of E after the other. */
static inline int64_t problem_rows(const struct problem *problem)
{
    return (int64_t)problem_components(problem) * problem->axis[2].count * problem->axis[1].count;
}

/* maxwell3d: the row of the coefficient table for component c (0..2) of E at node (i, j, k). */
static inline uint16_t problem_coefficient_at(const struct problem *problem, int c, int i, int j, int k)
{
    size_t nx = (size_t)problem->axis[0].count, ny = (size_t)problem->axis[1].count;
    return problem->coefficient_index[((size_t)problem->layer[c][k] * ny + (size_t)j) * nx + (size_t)i];
}

/* The absorber at the ends of the axes that the formulation has, but for symmetry planes: boundaries and filters. An
 * axis has at least twice as many cells as a layer. problem->time_step and the grid must be set. PW_NO_RESOURCE without
 * memory. */
pw_status problem_set_absorber(struct problem *problem, const struct absorber *absorber, pw_error *error);

/* Room for `count` media, all zero: a perfect conductor has ca = cb = 0. */
pw_status problem_allocate_coefficients(struct problem *problem, int count, pw_error *error);

/* What of the problem enters the coefficients; `laplacian_tap` is what the problem's own stencil, applied twice, is
 * divided by: the scheme's laplacian(1), in maxwell3d a(0)^2. Grid and time step must be set. */
static inline struct coefficient_step problem_coefficient_step(const struct problem *problem, double laplacian_tap)
{
    return (struct coefficient_step){problem->time_step, problem->axis[0].spacing, laplacian_tap};
}

/* Row p: ca and cb. */
static inline double *problem_coefficient(const struct problem *problem, int p)
{
    return problem->coefficients + (size_t)p * (size_t)COEFFICIENT_WIDTH;
}

void problem_free(struct problem *problem);

/* Fills reach, difference, centre, laplacian and laplacian_taps for problem->precision. In single precision the
 * outermost taps of dd3 and dd4 weigh less than the rounding of one addition (dd4: 1.8e-8, 1e-10, ... against 3.5 in
 * the centre): taps whose weights add up to less than half a unit in the last place of the centre term are left out.
 * That leaves, of 2 reach - 1: yee 1, fd4 3, dd2 5, fd6 5, dd3 7 (of 9), fd8 7, dd4 9 (of 13). The others are rounded
 * so that sum and second moment stay exact: constants stay, long waves keep their speed. */
void problem_set_stencil(struct problem *problem, const struct stencil *stencil);

/* Absorber cells on every side of tm2d: no solver takes other thicknesses at different sides yet (solver.h). In
 * maxwell3d the thickest side's. */
static inline int problem_layer(const struct problem *problem)
{
    int layer = problem->axis[0].high.cells; /* the low end may be a plane of symmetry */
    for (int side = 0; problem->formulation == FORMULATION_MAXWELL3D && side < 6; side++) {
        const struct axis *axis = &problem->axis[side / 2];
        int cells = side % 2 == 0 ? axis->low.cells : axis->high.cells;
        layer = cells > layer ? cells : layer;
    }
    return layer;
}

/* Nodes i of an axis whose L is taken as two differences because a filter stands between: within layer + reach of an
 * end that has a layer. */
static inline bool problem_in_absorber_region(const struct problem *problem, const struct axis *axis, int i)
{
    int low = axis->low.cells, high = axis->high.cells;
    return (low > 0 && i < low + problem->reach) || (high > 0 && i >= axis->count - high - problem->reach);
}

/* How far along y and z a row of nodes looks, at least the reach: h of row j at E of rows j - depth + 1 .. j + depth, E
 * at h of rows j - depth .. j + depth - 1. In one layer a face that metal leaves little of shares the curl of its
 * neighbour. */
static inline int problem_depth(const struct problem *problem)
{
    return problem->metal_row_count > 0 && problem->reach < 2 ? 2 : problem->reach;
}

/* Number of samples of the running spectra after `steps` steps. */
static inline int64_t spectra_samples(const struct spectra *spectra, int64_t steps)
{
    return spectra->frequency_count > 0 ? steps / spectra->every : 0;
}

/* Samples come in groups, which are added whole (spectra.h): folded ones of 8, 16 or 32, as many as take no more memory
 * than the sums, but for few frequencies; transformed ones of 256 from as many frequencies on as make that cheaper. */
static inline int spectra_group(const struct spectra *spectra)
{
    int count = spectra->frequency_count;
    return count < 8 ? 8 : count < 16 ? 16 : count < 64 ? 32 : 256;
}

/* Samples after `steps` steps whose group is not whole yet. */
static inline int spectra_waiting(const struct spectra *spectra, int64_t steps)
{
    return (int)(spectra_samples(spectra, steps) % spectra_group(spectra));
}
