/* The table of dispersion models (dispersion.h). */
#include "problem/dispersion.h"

static const struct dispersion_model *const MODELS[] = {&dispersion_plain};
enum { MODEL_COUNT = sizeof MODELS / sizeof MODELS[0] };

const struct dispersion_model *dispersion_listed(size_t index)
{
    return index < MODEL_COUNT ? MODELS[index] : NULL;
}

const struct dispersion_model *dispersion_model(enum dispersion_kind kind)
{
    size_t m = 0;
    while (m + 1 < MODEL_COUNT && MODELS[m]->kind != kind) {
        m++;
    }
    return MODELS[m];
}
