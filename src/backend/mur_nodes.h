/* The nodes at a Mur edge, shared by all backends; included once per precision (REAL, FMA and CELL are defined by the
 * includer; with nvcc in a namespace of its own for each, after the headers below). Given Ez before a step and the
 * increments of that step at all other nodes, it makes the increments at the nodes that mur_takes: first those near the
 * edges (mur_near), then the edges and the corners, which read the increment of the node inward of them. Nodes of one
 * of the two kinds may be taken in any order. Leaves out the step of Ez itself. */

#include "problem/image.h"
#include "problem/mur/cell_mur.h"
#include "problem/mur/mur.h"

struct CELL(mur_step) {
    const struct mur_plan *plan;
    const struct mur_rate *rates; /* (coefficient_count) */
    const uint16_t *medium;       /* of node (0, 0), as are the next three: its row of the coefficient table */
    const REAL *e, *before;       /* Ez before the step; v before it, at the nodes that mur_takes */
    REAL *v;                      /* after it at the other nodes; may be `before` */
    ptrdiff_t medium_pitch, e_pitch, v_pitch;
    REAL *memory;
};

/* Ez of a node, or of its image along the axes on which it lies outside; an edge is no wall. */
MUR_FUNCTION REAL CELL(mur_field)(const struct CELL(mur_step) * step, int i, int j)
{
    const struct mur_plan *plan = step->plan;
    struct image x = {i, 1}, y = {j, 1};
    if (i < 0 || i >= plan->count[0]) {
        x = image_of(i, plan->count[0], false, plan->symmetric[0]);
    }
    if (j < 0 || j >= plan->count[1]) {
        y = image_of(j, plan->count[1], false, plan->symmetric[1]);
    }
    REAL e = step->e[y.place * step->e_pitch + x.place];
    return x.sign * y.sign == 0 ? (REAL)0 : x.sign * y.sign < 0 ? -e : e;
}

MUR_FUNCTION const struct mur_rate *CELL(mur_rate_at)(const struct CELL(mur_step) * step, int i, int j)
{
    return &step->rates[step->medium[j * step->medium_pitch + i]];
}

/* L Ez along one axis: the problem's own away from the edges of that axis, else yee's. */
MUR_FUNCTION REAL CELL(mur_line)(const struct CELL(mur_step) * step, int axis, int i, int j)
{
    const struct mur_plan *plan = step->plan;
    int x = axis == 0, y = axis == 1;
    REAL e = CELL(mur_field)(step, i, j);
    REAL low = CELL(mur_field)(step, i - x, j - y), high = CELL(mur_field)(step, i + x, j + y);
    if (mur_depth(plan, axis, axis == 0 ? i : j) < plan->depth) {
        return (REAL)plan->near * CELL(cell_line)((REAL)-2, e, low, high);
    }
    REAL sum = CELL(cell_line)((REAL)plan->centre, e, low, high);
    for (int m = 2; m <= plan->taps; m++) {
        sum = CELL(cell_line_add)(sum, (REAL)plan->laplacian[m - 1], CELL(mur_field)(step, i - m * x, j - m * y),
                                  CELL(mur_field)(step, i + m * x, j + m * y));
    }
    return sum;
}

/* A node that mur_takes; on an edge it does nothing. */
MUR_FUNCTION void CELL(mur_near)(const struct CELL(mur_step) * step, int i, int j)
{
    if (mur_depth(step->plan, 0, i) == 0 || mur_depth(step->plan, 1, j) == 0) {
        return;
    }
    const struct mur_rate *rate = CELL(mur_rate_at)(step, i, j);
    const ptrdiff_t n = j * step->v_pitch + i;
    REAL sum = CELL(mur_line)(step, 0, i, j) + CELL(mur_line)(step, 1, i, j);
    step->v[n] = CELL(cell_increment)(step->before[n], sum, (REAL)rate->ca, (REAL)rate->cb);
}

/* Node `at` along an end of an axis that is no corner. */
MUR_FUNCTION void CELL(mur_edge)(const struct CELL(mur_step) * step, int axis, int end, int at)
{
    const struct mur_plan *plan = step->plan;
    int edge = end == 0 ? 0 : plan->count[axis] - 1, next = end == 0 ? 1 : edge - 1;
    int i = axis == 0 ? edge : at, j = axis == 0 ? at : edge, i1 = axis == 0 ? next : at, j1 = axis == 0 ? at : next;
    int x = axis == 1, y = axis == 0; /* along the edge */
    const struct mur_rate *rate = CELL(mur_rate_at)(step, i, j);
    REAL e0 = CELL(mur_field)(step, i, j), e1 = CELL(mur_field)(step, i1, j1), memory = 0;
    if (plan->order[axis][end] == 2) {
        REAL *own = &step->memory[plan->first[axis][end] + at];
        *own = CELL(cell_mur_memory)(*own, e0, CELL(mur_field)(step, i - x, j - y), CELL(mur_field)(step, i + x, j + y),
                                     e1, CELL(mur_field)(step, i1 - x, j1 - y), CELL(mur_field)(step, i1 + x, j1 + y),
                                     (REAL)rate->turn);
        memory = *own;
    }
    step->v[j * step->v_pitch + i] =
        CELL(cell_mur)(e0, e1, step->v[j1 * step->v_pitch + i1], (REAL)rate->fade, (REAL)rate->grow, memory);
}

MUR_FUNCTION void CELL(mur_corner)(const struct CELL(mur_step) * step, int x_end, int y_end)
{
    int i = x_end == 0 ? 0 : step->plan->count[0] - 1, j = y_end == 0 ? 0 : step->plan->count[1] - 1;
    int i1 = x_end == 0 ? 1 : i - 1, j1 = y_end == 0 ? 1 : j - 1;
    const struct mur_rate *rate = CELL(mur_rate_at)(step, i, j);
    step->v[j * step->v_pitch + i] =
        CELL(cell_mur)(CELL(mur_field)(step, i, j), CELL(mur_field)(step, i1, j1), step->v[j1 * step->v_pitch + i1],
                       (REAL)rate->diagonal_fade, (REAL)rate->diagonal_grow, 0);
}

/* Node `at` along an end of an axis that obeys Mur's condition; false where nothing was to be made: node 0 on a PEC
 * wall stays zero, and a corner of two such ends belongs to the end of x. */
MUR_FUNCTION bool CELL(mur_outermost)(const struct CELL(mur_step) * step, int axis, int end, int at)
{
    const struct mur_plan *plan = step->plan;
    const bool corner = mur_depth(plan, 1 - axis, at) == 0;
    if (corner ? axis == 1 : at == 0 && !plan->symmetric[1 - axis]) {
        return false;
    }
    if (corner) {
        CELL(mur_corner)(step, end, at == 0 ? 0 : 1);
    } else {
        CELL(mur_edge)(step, axis, end, at);
    }
    return true;
}

#ifndef __CUDACC__
static void CELL(mur_increments)(const struct CELL(mur_step) * step)
{
    const struct mur_plan *plan = step->plan;
    for (int part = 0; part < MUR_AREAS; part++) {
        const struct mur_area area = mur_area(plan, part);
        for (int j = area.first[1]; j < area.end[1]; j++) {
            for (int i = area.first[0]; i < area.end[0]; i++) {
                CELL(mur_near)(step, i, j);
            }
        }
    }
    for (int axis = 0; axis < 2; axis++) {
        for (int end = 0; end < 2; end++) {
            for (int at = 0; plan->order[axis][end] > 0 && at < plan->count[1 - axis]; at++) {
                (void)CELL(mur_outermost)(step, axis, end, at);
            }
        }
    }
}
#endif
