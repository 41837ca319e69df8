/* The nodes at a Mur edge, shared by the reference and the cpu backend; included once per precision (REAL, FMA and CELL
 * are defined by the includer). Given Ez before a step and the increments of that step at all other nodes, it makes the
 * increments at the nodes that mur_takes: first those near the edges, then the edges, then the corners. Leaves out the
 * step of Ez itself. */

#include "problem/image.h"
#include "problem/mur/cell_mur.h"
#include "problem/mur/mur.h"

struct CELL(mur_step) {
    const struct problem *problem;
    struct mur_plan plan;
    const REAL *e; /* node (0, 0), before the step */
    REAL *v;       /* before the step at the nodes that mur_takes, after it at the others */
    ptrdiff_t e_pitch, v_pitch;
    REAL *memory;
};

static REAL CELL(mur_field)(const struct CELL(mur_step) * step, int i, int j)
{
    if (i >= 0 && j >= 0 && i < step->plan.count[0] && j < step->plan.count[1]) { /* an edge is no wall */
        return step->e[j * step->e_pitch + i];
    }
    struct image x = image_of(i, step->plan.count[0], false, step->plan.symmetric[0]),
                 y = image_of(j, step->plan.count[1], false, step->plan.symmetric[1]);
    REAL e = step->e[y.place * step->e_pitch + x.place];
    return x.sign * y.sign == 0 ? (REAL)0 : x.sign * y.sign < 0 ? -e : e;
}

static int CELL(mur_medium)(const struct CELL(mur_step) * step, int i, int j)
{
    return step->problem->coefficient_index[(ptrdiff_t)j * step->plan.count[0] + i];
}

/* L Ez along one axis: the problem's own away from the edges of that axis, else yee's. */
static REAL CELL(mur_line)(const struct CELL(mur_step) * step, int axis, int i, int j)
{
    const struct mur_plan *plan = &step->plan;
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

static void CELL(mur_near)(const struct CELL(mur_step) * step, int i, int j)
{
    const double *medium = problem_coefficient(step->problem, CELL(mur_medium)(step, i, j));
    REAL *v = &step->v[j * step->v_pitch + i];
    REAL sum = CELL(mur_line)(step, 0, i, j) + CELL(mur_line)(step, 1, i, j);
    *v = CELL(cell_increment)(*v, sum, (REAL)medium[COEFFICIENT_CA], (REAL)medium[COEFFICIENT_CB]);
}

/* Node `at` along an end of an axis that is no corner. */
static void CELL(mur_edge)(const struct CELL(mur_step) * step, int axis, int end, int at)
{
    const struct mur_plan *plan = &step->plan;
    int edge = end == 0 ? 0 : plan->count[axis] - 1, next = end == 0 ? 1 : edge - 1;
    int i = axis == 0 ? edge : at, j = axis == 0 ? at : edge, i1 = axis == 0 ? next : at, j1 = axis == 0 ? at : next;
    int x = axis == 1, y = axis == 0; /* along the edge */
    struct mur_rate rate = mur_rate(step->problem, CELL(mur_medium)(step, i, j));
    REAL e0 = CELL(mur_field)(step, i, j), e1 = CELL(mur_field)(step, i1, j1), memory = 0;
    if (plan->order[axis][end] == 2) {
        REAL *own = &step->memory[plan->first[axis][end] + at];
        *own = CELL(cell_mur_memory)(*own, e0, CELL(mur_field)(step, i - x, j - y), CELL(mur_field)(step, i + x, j + y),
                                     e1, CELL(mur_field)(step, i1 - x, j1 - y), CELL(mur_field)(step, i1 + x, j1 + y),
                                     (REAL)rate.turn);
        memory = *own;
    }
    step->v[j * step->v_pitch + i] =
        CELL(cell_mur)(e0, e1, step->v[j1 * step->v_pitch + i1], (REAL)rate.fade, (REAL)rate.grow, memory);
}

static void CELL(mur_corner)(const struct CELL(mur_step) * step, int x_end, int y_end)
{
    int i = x_end == 0 ? 0 : step->plan.count[0] - 1, j = y_end == 0 ? 0 : step->plan.count[1] - 1;
    int i1 = x_end == 0 ? 1 : i - 1, j1 = y_end == 0 ? 1 : j - 1;
    struct mur_rate rate = mur_rate(step->problem, CELL(mur_medium)(step, i, j));
    step->v[j * step->v_pitch + i] =
        CELL(cell_mur)(CELL(mur_field)(step, i, j), CELL(mur_field)(step, i1, j1), step->v[j1 * step->v_pitch + i1],
                       (REAL)rate.diagonal_fade, (REAL)rate.diagonal_grow, 0);
}

/* The nodes along an end that are no corners; node 0 on a PEC wall stays zero. */
static void CELL(mur_along)(const struct CELL(mur_step) * step, int axis, int end)
{
    const struct mur_plan *plan = &step->plan;
    int other = 1 - axis, first = plan->symmetric[other] ? 0 : 1;
    int last = plan->order[other][1] > 0 ? plan->count[other] - 1 : plan->count[other];
    for (int at = first; at < last; at++) {
        CELL(mur_edge)(step, axis, end, at);
    }
}

static void CELL(mur_increments)(const struct CELL(mur_step) * step)
{
    const struct mur_plan *plan = &step->plan;
    for (int j = 0; j < plan->count[1]; j++) {
        bool row = mur_depth(plan, 1, j) < plan->depth;
        for (int i = 0; i < plan->count[0]; i++) {
            if (!row && mur_depth(plan, 0, i) == plan->depth) { /* on to the nodes near the other end of the row */
                int far = plan->count[0] - plan->depth;
                i = plan->order[0][1] == 0 ? plan->count[0] : i < far ? far : i;
            }
            if (i < plan->count[0] && mur_takes(plan, i, j) && mur_depth(plan, 0, i) > 0 && mur_depth(plan, 1, j) > 0) {
                CELL(mur_near)(step, i, j);
            }
        }
    }
    for (int axis = 0; axis < 2; axis++) {
        for (int end = 0; end < 2; end++) {
            if (plan->order[axis][end] > 0) {
                CELL(mur_along)(step, axis, end);
            }
        }
    }
    for (int corner = 0; corner < 4; corner++) {
        if (plan->order[0][corner % 2] > 0 && plan->order[1][corner / 2] > 0) {
            CELL(mur_corner)(step, corner % 2, corner / 2);
        }
    }
}
