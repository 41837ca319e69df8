/* The layers of a building's medium (volume_layers.h). Leaves out what stands in them. */
#include "medium/volume/volume_layers.h"

#include "medium/metal/metal_volume.h"
#include "medium/scanline.h"

#include <stdlib.h>
#include <string.h>

/* One level: the weights of the bands about the place of a component. */
struct level {
    double place; /* cells from node 0 */
    double *weighted, *box;
    uint8_t *metal;
    int cut;
};

static void level_fill(const struct building *building, const struct raster_volume *volume,
                       const struct averaging_weight *weight, int component, struct level *level)
{
    const struct averaging_weight box = weight_box();
    for (int b = 0; b < building->band_count; b++) {
        double low = raster_border_at(building, volume, b), high = raster_border_at(building, volume, b + 1);
        bool holds = low <= level->place && level->place < high;
        level->weighted[b] = holds;
        level->box[b] = holds;
        if (weight != NULL) {
            level->weighted[b] =
                weight_integral(weight, high - level->place) - weight_integral(weight, low - level->place);
            level->box[b] = weight_integral(&box, high - level->place) - weight_integral(&box, low - level->place);
        }
        /* Every face of metal goes to the nearest level of nodes, from halfway to the lower one. */
        level->metal[b] = component == 2 ? holds : low <= level->place + 0.5 && high > level->place - 0.5;
    }
}

static bool level_is(const struct level *level, const struct volume_layer *layer, int band_count)
{
    if (level->cut != layer->cut || layer->apart) {
        return false;
    }
    for (int b = 0; b < band_count; b++) {
        if (scanline_snap(level->weighted[b]) != scanline_snap(layer->weighted[b]) ||
            scanline_snap(level->box[b]) != scanline_snap(layer->box[b]) || level->metal[b] != layer->metal[b]) {
            return false;
        }
    }
    return true;
}

/* The layer among those from `first` on that the level is, or layers->count. */
static int layer_find(const struct volume_layers *layers, int first, const struct level *level)
{
    int found = layers->count; /* the last ones are the likeliest */
    while (found > first) {
        found--;
        if (level_is(level, &layers->list[found], layers->band_count)) {
            return found;
        }
    }
    return layers->count;
}

pw_status volume_layers_create(const struct building *building, const struct raster_volume *volume,
                               const struct averaging_weight *weight, const uint8_t *apart,
                               struct volume_layers *layers, pw_error *error)
{
    const size_t bands = (size_t)building->band_count, most = 3 * (size_t)volume->nz;
    *layers = (struct volume_layers){.band_count = building->band_count};
    layers->list = allocate(most, sizeof *layers->list, "the layers of the medium", error);
    layers->weights = allocate(most * 2 * bands, sizeof(double), "the layers of the medium", error);
    layers->metal = allocate(most * bands, 1, "the layers of the medium", error);
    TRY_MADE(layers->list != NULL && layers->weights != NULL && layers->metal != NULL);
    for (int c = 0; c < 3; c++) {
        layers->layer[c] = allocate((size_t)volume->nz, sizeof(int), "the layers of the medium", error);
        TRY(layers->layer[c] != NULL ? PW_OK : PW_NO_RESOURCE);
        int first = layers->count;
        for (int k = 0; k < volume->nz; k++) {
            size_t next = (size_t)layers->count;
            double *weights = layers->weights + next * 2 * bands;
            struct level level = {k + (c == 2 ? 0.5 : 0), weights, weights + bands, layers->metal + next * bands,
                                  volume->cuts != NULL ? volume->cuts->edge_layer[c][k] : 0};
            level_fill(building, volume, weight, c, &level);
            const bool alone = apart != NULL && apart[k];
            int found = alone ? layers->count : layer_find(layers, first, &level);
            if (found == layers->count) {
                layers->list[layers->count++] =
                    (struct volume_layer){c, 0, level.weighted, level.box, level.metal, level.cut, alone};
            }
            layers->list[found].levels++;
            layers->layer[c][k] = found;
        }
    }
    return PW_OK;
}

void volume_layers_free(struct volume_layers *layers)
{
    for (int c = 0; c < 3; c++) {
        free(layers->layer[c]);
    }
    free(layers->list);
    free(layers->weights);
    free(layers->metal);
    *layers = (struct volume_layers){0};
}
