/* The table of absorbers, and their profiles along an axis. */
#include "problem/absorber.h"

#include <math.h>
#include <string.h>

#include "problem/absorber_upml.h"

static const struct absorber_model MODELS[ABSORBER_KIND_COUNT] = {
    [ABSORBER_PEC] = {"pec", "a perfectly conducting box", false, NULL},
    [ABSORBER_UPML] = {"upml", "Gedney's uniaxial perfectly matched layer, backed by a conductor", true, upml_filter},
};

const struct absorber_model *absorber_model(enum absorber_kind kind)
{
    return &MODELS[kind];
}

bool absorber_kind_from_name(const char *name, enum absorber_kind *kind)
{
    for (int k = 0; k < ABSORBER_KIND_COUNT; k++) {
        if (strcmp(name, MODELS[k].name) == 0) {
            *kind = (enum absorber_kind)k;
            return true;
        }
    }
    return false;
}

static struct absorber_filter filter_at(const struct absorber *absorber, double depth, double cell, double time_step)
{
    const struct absorber_model *model = &MODELS[absorber->kind];
    return model->layered && depth > 0 ? model->filter(absorber, depth, cell, time_step)
                                       : (struct absorber_filter){1, 1};
}

void absorber_profile(const struct absorber *absorber, int n, double cell, double time_step,
                      struct absorber_filter *half, struct absorber_filter *node)
{
    int cells = absorber->cells;
    for (int i = 0; i < n; i++) {
        /* Depth in cells; the layer begins at nodes `cells` and n - cells and ends on the PEC walls at nodes 0 and n.
         */
        double node_depth = fmax(cells - i, i - (n - cells));
        double half_depth = fmax(cells - (i + 0.5), (i + 0.5) - (n - cells));
        half[i] = filter_at(absorber, cells > 0 ? half_depth : 0, cell, time_step);
        node[i] = filter_at(absorber, cells > 0 ? node_depth : 0, cell, time_step);
    }
}
