/* A patch is a box of nodes of a run and some of its arrays: what subdomains of one grid exchange. Values are in the
 * precision of the problem, in an order that depends on the box alone, so that whoever has the same nodes can take
 * them, whatever its solver and the rest of its grid.
 *
 * Order: in two dimensions array by array, ascending (enum state_array); in three row of nodes by row, of each row
 * array by array, and the poles last. Of a field the nodes of the box, x fastest; of a filter of the absorber those
 * nodes that have one; of Mur's edges the nodes on each edge that remember something; of the poles, in each row of each
 * component, span by span, each state of its nodes in turn. */
#pragma once

#include "problem/problem.h"

PW_C_BEGIN

/* The arrays of struct run_state, of tm2d and of maxwell3d. */
enum state_array {
    STATE_EZ,
    STATE_INCREMENT,
    STATE_X_HALF,
    STATE_X_NODE,
    STATE_Y_HALF,
    STATE_Y_NODE,
    STATE_EDGES,
    STATE_FIELD = 0,  /* maxwell3d: + component */
    STATE_FILTER = 6, /* maxwell3d: + 4 axis + number, as run_state.filter */
    STATE_POLES = 18, /* both */
};
#define STATE_ALL         ((1u << (STATE_POLES + 1)) - 1)
#define STATE_POLES_ALONE (1u << STATE_POLES)

/* Fields and filters of a problem: arrays 0 .. count-1. What else there is, is remembered (run_memory.h). */
static inline int state_array_count(const struct problem *problem)
{
    return problem->formulation == FORMULATION_MAXWELL3D ? STATE_POLES : STATE_EDGES;
}

/* The axis along which such an array has the nodes with a filter alone (axis_filter_slot); -1: it has all nodes. */
static inline int state_array_axis(const struct problem *problem, int array)
{
    const bool volume = problem->formulation == FORMULATION_MAXWELL3D;
    const int first = volume ? STATE_FILTER : STATE_X_HALF;
    return array < first ? -1 : (array - first) / (volume ? 4 : 2);
}

/* E: tm2d Ez, maxwell3d Ex, Ey, Ez. */
static inline uint32_t state_electric(const struct problem *problem)
{
    return problem->formulation == FORMULATION_MAXWELL3D ? 7u : 1u;
}

struct patch {
    int first[3], count[3]; /* nodes, within the problem's grid */
    uint32_t arrays;        /* bit a: array a */
};

/* All nodes of the problem's grid. */
static inline struct patch patch_of_grid(const struct problem *problem)
{
    struct patch patch = {{0, 0, 0}, {problem->axis[0].count, problem->axis[1].count, problem->axis[2].count}, 0};
    return patch;
}

/* Values of one array that lie one after the other along x. */
struct patch_row {
    int array;
    int i, j, k, count;           /* node of the first value; of the edges i is its place in run_state.edges */
    int component;                /* of poles: which component of E */
    const struct pole_span *span; /* of poles: theirs, and */
    int state;                    /* which of the numbers that each node remembers */
};

/* Where a solver has the values of a row. It may lower row->count to what lies there one after the other. */
typedef void *patch_locate(void *run, struct patch_row *row);

/* Visits the rows of a patch in order. */
typedef void patch_visit(void *context, const struct patch_row *row);
void patch_walk(const struct problem *problem, const struct patch *patch, patch_visit *visit, void *context);

/* Values of a patch. */
int64_t patch_values(const struct problem *problem, const struct patch *patch);

/* For a solver's `patch`: copies the values between a run and `values`, out of the run when `store`. */
struct patch_copy {
    const struct problem *problem;
    patch_locate *locate;
    void *run;
    bool store;
};
void patch_copy(const struct patch_copy *copy, const struct patch *patch, void *values);

PW_C_END
