/* The layers of a building's medium: each level of z, for each component of E, sees the building's bands with weights
 * of its own, and levels with the same weights share a layer. An extruded building has few. */
#pragma once

#include "medium/averaging_weight.h"
#include "medium/raster.h"

struct volume_layer {
    int component; /* 0..2: Ex, Ey, Ez */
    int levels;    /* how many share it */
    /* (band_count) each: the parts of the bands in the averages of permittivity and of conductivity along z */
    const double *weighted, *box;
    const uint8_t *metal; /* (band_count): whether metal of the band holds the component (volume_metal.h) */
    int cut;    /* the layer of metal_volume.h that says how metal cuts the component's edges; 0: it does not */
    bool apart; /* of one level, whatever others see */
};

struct volume_layers {
    int count, band_count;
    struct volume_layer *list; /* (count), owned: by component, then from below */
    int *layer[3];             /* (nz), owned until the medium takes them: the layer of each level */
    double *weights;           /* (capacity, 2, band_count), owned */
    uint8_t *metal;            /* (capacity, band_count), owned */
};

/* `weight` NULL: the band at the place itself. `apart` (nz): levels that share their layer with no other; NULL: none.
 * After a failure too, volume_layers_free. */
pw_status volume_layers_create(const struct building *building, const struct raster_volume *volume,
                               const struct averaging_weight *weight, const uint8_t *apart,
                               struct volume_layers *layers, pw_error *error);
void volume_layers_free(struct volume_layers *layers);
