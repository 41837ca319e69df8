/* The table of absorbers, and their profiles along an axis (absorber.h). */
#include "problem/absorber.h"

#include <math.h>

const struct absorber_model absorber_pec = {
    .name = "pec", .description = "a perfectly conducting box", .usual = {.kind = ABSORBER_PEC}};

static const struct absorber_model *const MODELS[] = {&absorber_upml, &absorber_pec};
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

static struct absorber_filter filter_at(const struct absorber *absorber, double depth, const struct absorber_axis *axis)
{
    const struct absorber_model *model = absorber_model(absorber->kind);
    return model->layered && depth > 0 ? model->filter(absorber, depth, axis) : (struct absorber_filter){1, 1, 0};
}

void absorber_profile(const struct absorber *absorber, const struct absorber_axis *axis, struct absorber_filter *half,
                      struct absorber_filter *node)
{
    int cells = absorber->cells, n = axis->count;
    for (int i = 0; i < n; i++) {
        /* Depth in cells; the layer begins at nodes `cells` and n - cells and ends on the PEC walls at nodes 0 and n.
         */
        double node_depth = fmax(cells - i, i - (n - cells));
        double half_depth = fmax(cells - (i + 0.5), (i + 0.5) - (n - cells));
        half[i] = filter_at(absorber, cells > 0 ? half_depth : 0, axis);
        node[i] = filter_at(absorber, cells > 0 ? node_depth : 0, axis);
    }
}
