/* Mur's absorbing boundary (Mur 1981; physics.md section 3), two dimensions: the outermost nodes of an end of an axis
 * obey a one-way wave equation in place of the wave equation, first order    (d_x - d_t/c) Ez = 0 second order   (d_x -
 * d_t/c) Ez + (c/2) int d_yy Ez dt = 0, x inward from the edge, y along it, discretised half way between the outermost
 * node and the next one, in the middle of the step. The second order is Mur's integrated over time: his own form in Ez
 * also holds for fields that grow with time for ever, this one does not. In a corner the first order is taken along the
 * diagonal.
 *
 * A stencil that reaches over the edge has no values there. Nodes nearer to the edge than it reaches take, along that
 * axis, the second difference of yee (mur_plan). A medium's speed at the edge is that of its own permittivity; a
 * perfect conductor stays one; a conductivity is left out. Leaves out the way through the nodes (backend/mur_nodes.h).
 */
#ifndef MUR_H
#define MUR_H

#include "problem/problem.h"

#ifdef __CUDACC__
#define MUR_FUNCTION static __host__ __device__ inline
#else
#define MUR_FUNCTION static inline
#endif

/* What the edge nodes of a medium need (cell_mur.h), along an axis and along the diagonal of a corner. */
struct mur_rate {
    double fade, grow, turn, diagonal_fade, diagonal_grow;
};

/* What a solver needs of a problem with such edges, by value. */
struct mur_plan {
    int count[2];
    int order[2][2];     /* of the low and the high end of x and y; 0: another kind of wall */
    bool symmetric[2];   /* the low wall is a PMC */
    int depth;           /* nodes nearer to such an edge than this do not step as the others do */
    int64_t first[2][2]; /* where the memory of an end begins: a number a node along the edge; second order alone */
    int64_t memory;      /* numbers in all */
    double near;         /* yee's second difference in units of the problem's own first tap */
    int taps;
    double centre, laplacian[LAPLACIAN_LIMIT]; /* the problem's own */
};

bool problem_has_mur(const struct problem *problem);
struct mur_plan mur_plan(const struct problem *problem);

/* Numbers that the edges remember (run_state.edges). */
int64_t mur_memory(const struct problem *problem);

/* Row p of the coefficient table as the edges have it. A perfect conductor's rates are all zero. */
struct mur_rate mur_rate(const struct problem *problem, int p);

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
    return mur_depth(plan, 0, i) < plan->depth || mur_depth(plan, 1, j) < plan->depth;
}

#endif
