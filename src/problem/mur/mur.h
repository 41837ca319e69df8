/* Mur's absorbing boundary (Mur 1981; physics.md section 3), two dimensions: the outermost nodes of an end of an axis
 * obey a one-way wave equation in place of the wave equation, with x inward from the edge and y along it:
 *
 *     first order     (d_x - d_t/c) Ez = 0
 *     second order    (d_x - d_t/c) Ez + (c/2) int d_yy Ez dt = 0
 *
 * discretised half way between the outermost node and the next one, in the middle of the step. The second order is
 * Mur's integrated over time: his own form in Ez also holds for fields that grow with time for ever, this one does not.
 * In a corner the first order is taken along the diagonal.
 *
 * A stencil that reaches over the edge has no values there. Nodes nearer to the edge than it reaches take, along that
 * axis, the second difference of yee (mur_plan). A medium's speed at the edge is that of its own permittivity; a
 * perfect conductor stays one; a conductivity is left out. Leaves out the way through the nodes (backend/mur_nodes.h).
 */
#pragma once

#include "problem/problem.h"

#ifdef __CUDACC__
#define MUR_FUNCTION static __host__ __device__ inline
#else
#define MUR_FUNCTION static inline
#endif

/* A row of the coefficient table as the nodes near an edge have it: the row itself, and what an edge node needs
 * (cell_mur.h), along an axis and along the diagonal of a corner. A perfect conductor's rates are all zero. */
struct mur_rate {
    double ca, cb;
    double fade, grow, turn, diagonal_fade, diagonal_grow;
};

/* What a solver needs of a problem with such edges, by value. */
struct mur_plan {
    int count[2];
    int order[2][2];     /* of the low and the high end of x and y; 0: another kind of wall */
    bool symmetric[2];   /* the low wall is a PMC */
    int depth;           /* nodes nearer to such an edge than this do not step as the others do */
    int inner[2][2];     /* nodes inner[a][0] .. inner[a][1]-1 of axis a are not so near to its ends */
    int64_t first[2][2]; /* where the memory of an end begins: a number a node along the edge; second order alone */
    int64_t memory;      /* numbers in all */
    double near;         /* yee's second difference in units of the problem's own first tap */
    int taps;
    double centre, laplacian[LAPLACIAN_LIMIT]; /* the problem's own */
};

/* A rectangle of nodes: first[a] .. end[a]-1 of x and y. */
struct mur_area {
    int first[2], end[2];
};
enum { MUR_AREAS = 4 };

bool problem_has_mur(const struct problem *problem);
struct mur_plan mur_plan(const struct problem *problem);

/* Numbers that the edges remember (run_state.edges). */
int64_t mur_memory(const struct problem *problem);

/* The rates of all rows of the coefficient table, (coefficient_count). */
void mur_rates(const struct problem *problem, struct mur_rate *rates);

/* Nodes from node i of an axis to the nearest edge of this kind; a large number where there is none. */
MUR_FUNCTION int mur_depth(const struct mur_plan *plan, int axis, int i)
{
    int low = plan->order[axis][0] > 0 ? i : 1 << 30,
        high = plan->order[axis][1] > 0 ? plan->count[axis] - 1 - i : 1 << 30;
    return low < high ? low : high;
}

/* Whether the node does not step as the others do. */
MUR_FUNCTION bool mur_takes(const struct mur_plan *plan, int i, int j)
{
    return i < plan->inner[0][0] || i >= plan->inner[0][1] || j < plan->inner[1][0] || j >= plan->inner[1][1];
}

/* Nodes off an edge from which on a node may be driven, or be dispersive: such nodes do not step as the others do, and
 * an edge reads the increment of node 1 before a source or a pole adds to it. */
MUR_FUNCTION int mur_clearance(const struct mur_plan *plan)
{
    return plan->depth > 2 ? plan->depth : 2;
}

MUR_FUNCTION bool mur_is_clear(const struct mur_plan *plan, int i, int j)
{
    const int clearance = mur_clearance(plan);
    return mur_depth(plan, 0, i) >= clearance && mur_depth(plan, 1, j) >= clearance;
}

/* Part 0 to 3 of the nodes that mur_takes, each node in one of them: along low y, high y, low x, high x. */
MUR_FUNCTION struct mur_area mur_area(const struct mur_plan *plan, int part)
{
    int axis = part < 2 ? 1 : 0, other = 1 - axis, end = part % 2;
    struct mur_area area;
    area.first[other] = axis == 1 ? 0 : plan->inner[other][0];
    area.end[other] = axis == 1 ? plan->count[other] : plan->inner[other][1];
    area.first[axis] = end == 0 ? 0 : plan->inner[axis][1];
    area.end[axis] = end == 0 ? plan->inner[axis][0] : plan->count[axis];
    return area;
}
