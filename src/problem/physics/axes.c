/* The axes of a grid with the filters of their absorbers, and their symmetry planes. */
#include "problem/physics/physics.h"

/* By what makes them: the scenario's own text is in every fingerprint. */
static void visit(struct array_walk *walk)
{
    for (struct axis *axis = walk->problem->axis; axis < walk->problem->axis + 3; axis++) {
        OWN(walk, axis->half, axis->count, NULL);
        OWN(walk, axis->node, axis->count, NULL);
    }
}

/* Filters that change nothing, as at a wall without an absorber. */
static void open_margin(struct axis *axis, int first, int count)
{
    for (int i = first; i < first + count; i++) {
        axis->half[i] = axis->node[i] = (struct absorber_filter){1, 1, 0};
    }
}

static pw_status create_axis(const struct axis *whole, const struct part_box *box, int a, int margin, struct axis *axis,
                             pw_error *error)
{
    const int first = box->first[a], count = box->end[a] - first;
    const struct boundary cut = {.kind = whole->high.kind, .cells = margin};
    *axis = *whole;
    axis->count = count;
    axis->half = axis->node = NULL;
    axis->low = first > 0 ? cut : whole->low;
    axis->high = first + count < whole->count ? cut : whole->high;
    if (whole->half == NULL) {
        return PW_OK;
    }
    TRY(part_copy(&axis->half, whole->half + first, count, sizeof *axis->half, error));
    TRY(part_copy(&axis->node, whole->node + first, count, sizeof *axis->node, error));
    open_margin(axis, 0, first > 0 ? margin : 0);
    open_margin(axis, first + count < whole->count ? count - margin : count, first + count < whole->count ? margin : 0);
    return PW_OK;
}

static pw_status cut_axes(const struct part_cut *cut, struct problem *part, pw_error *error)
{
    for (int a = 0; a < 3; a++) {
        TRY(create_axis(&cut->whole->axis[a], cut->box, a, cut->margin, &part->axis[a], error));
    }
    return PW_OK;
}

static void spread_axes(const struct problem *problem, struct spread *spread)
{
    for (int a = 0; a < 3; a++) {
        spread->end[a][0] = problem->axis[a].low.cells;
        spread->end[a][1] = problem->axis[a].high.cells;
    }
}

const struct physics physics_axes = {.arrays = visit, .cut = cut_axes, .spread = spread_axes};

/* ---- symmetry planes --------------------------------------------------------------------------------------------- */

static bool has_planes(const struct problem *problem)
{
    return problem->axis[0].low.symmetric || problem->axis[1].low.symmetric || problem->axis[2].low.symmetric;
}

const struct physics physics_planes = {.present = has_planes, .declined = "it takes no symmetry planes"};
