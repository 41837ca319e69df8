/* The table of absorbers, and their profiles along an axis (absorber.h). */
#include "problem/absorber.h"

#include <math.h>

const struct absorber_model absorber_pec = {
    .name = "pec", .description = "a perfectly conducting box", .usual = {.kind = ABSORBER_PEC}};

static const struct absorber_model *const MODELS[] = {&absorber_upml, &absorber_cpml, &absorber_berenger, &absorber_mur,
                                                      &absorber_pec};
enum { MODEL_COUNT = sizeof MODELS / sizeof MODELS[0] };

const struct absorber_model *absorber_listed(size_t index)
{
    return index < MODEL_COUNT ? MODELS[index] : NULL;
}

const struct absorber_model *absorber_model(enum absorber_kind kind)
{
    size_t m = 0;
    while (m + 1 < MODEL_COUNT && MODELS[m]->usual.kind != kind) {
        m++;
    }
    return MODELS[m];
}

enum absorber_kind absorber_kind_at(const struct absorber *absorber, int axis, int end)
{
    return absorber->by_side ? absorber->side[axis][end] : absorber->kind;
}

bool absorber_has(const struct absorber *absorber, enum absorber_kind kind, int dimensions)
{
    bool found = false;
    for (int side = 0; side < 2 * dimensions; side++) {
        found = found || absorber_kind_at(absorber, side / 2, side % 2) == kind;
    }
    return found;
}

int absorber_cells_at(const struct absorber *absorber, int axis, int end)
{
    return absorber_model(absorber_kind_at(absorber, axis, end))->layered ? absorber->cells : 0;
}

/* The filter at `place` (in cells from the low wall): that of the end in whose layer it lies deeper. */
static struct absorber_filter filter_at(const struct absorber *absorber, double place, const struct absorber_axis *axis)
{
    int low = absorber_cells_at(absorber, axis->number, 0), high = absorber_cells_at(absorber, axis->number, 1);
    /* The layers begin at nodes `low` and count - `high` and end on the walls at nodes 0 and count. */
    double low_depth = low > 0 ? low - place : 0, high_depth = high > 0 ? place - (axis->count - high) : 0;
    double depth = fmax(low_depth, high_depth);
    const struct absorber_model *model =
        absorber_model(absorber_kind_at(absorber, axis->number, high_depth > low_depth));
    return depth > 0 && model->filter != NULL ? model->filter(absorber, depth, axis)
                                              : (struct absorber_filter){1, 1, 0};
}

void absorber_profile(const struct absorber *absorber, const struct absorber_axis *axis, struct absorber_filter *half,
                      struct absorber_filter *node)
{
    for (int i = 0; i < axis->count; i++) {
        half[i] = filter_at(absorber, i + 0.5, axis);
        node[i] = filter_at(absorber, i, axis);
    }
}
