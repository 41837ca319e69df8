/* Shares of dispersive materials at the places of Ex, Ey and Ez (medium/shares.h), in layers that levels of z share. */
#include "medium/shares.h"
#include "medium/volume/volume_layers.h"

#include <stdlib.h>

/* Component c of one material: each band's plane goes into the layers that see the band. */
static pw_status add_component(const struct building *building, const struct raster_volume *volume, bool sampled,
                               const struct volume_layers *layers, int c, int d, const struct medium_shares *shares,
                               double *plane, pw_error *error)
{
    struct raster_grid grid = volume->plane;
    grid.origin.x += c == 0 ? 0.5 * grid.cell : 0;
    grid.origin.y += c == 1 ? 0.5 * grid.cell : 0;
    for (int b = 0; b < building->band_count; b++) {
        TRY(shares_of_plane(&building->bands[b], &grid, shares->material[d], sampled, plane, error));
        for (int l = 0; l < layers->count; l++) {
            if (layers->list[l].component == c && layers->list[l].box[b] != 0) {
                shares_add(shares, d, l, plane, layers->list[l].box[b]);
            }
        }
    }
    return PW_OK;
}

static pw_status add_components(const struct building *building, const struct raster_volume *volume, bool sampled,
                                struct volume_layers *layers, struct medium_shares *shares, pw_error *error)
{
    const struct averaging_weight box = weight_box();
    TRY(volume_layers_create(building, volume, sampled ? NULL : &box, NULL, layers, error));
    shares->layer_count = layers->count;
    TRY(shares_allocate(shares, error));
    double *plane = allocate((size_t)shares->nx * (size_t)shares->ny, sizeof *plane, "dispersive materials", error);
    pw_status status = plane != NULL ? PW_OK : PW_NO_RESOURCE;
    for (int n = 0; n < 3 * shares->count && status == PW_OK; n++) {
        status = add_component(building, volume, sampled, layers, n % 3, n / 3, shares, plane, error);
    }
    free(plane);
    shares_snap(shares);
    for (int c = 0; c < 3 && status == PW_OK; c++) {
        shares->layer[c] = layers->layer[c];
        layers->layer[c] = NULL;
    }
    return status;
}

pw_status volume_shares_create(const struct building *building, const struct raster_volume *volume, bool sampled,
                               struct medium_shares *shares, pw_error *error)
{
    OWNED_BY(volume_layers_free) struct volume_layers layers = {0};
    *shares = (struct medium_shares){.nx = volume->plane.nx, .ny = volume->plane.ny, .nz = volume->nz};
    TRY(shares_list_materials(&building->bands[0], shares, error));
    if (shares->count == 0) {
        return PW_OK;
    }
    return add_components(building, volume, sampled, &layers, shares, error);
}
