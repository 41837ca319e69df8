/* How much of each node's cell a dispersive material takes: by boxes, as conductivity is averaged (physics.md section
 * 10), so that no share is negative. Leaves out what becomes of the shares at a node. */
#pragma once

#include "medium/raster.h"

struct medium_shares {
    int count;          /* dispersive materials of the plan; 0: nothing below is allocated */
    uint16_t *material; /* (count), owned: ascending */
    int nx, ny, nz, layer_count;
    int *layer[3]; /* (nz), owned: in three dimensions the layer of component c of E at level k; NULL in two */
    float *share;  /* (count, layer_count, ny, nx), owned: 0 to 1 */
    bool *any;     /* (count, layer_count, ny), owned: whether the row has a share over 0 */
};

/* In two dimensions; `sampled`: the material at the node itself. After a failure too, medium_shares_free. */
pw_status medium_shares_create(const struct floorplan *plan, const struct raster_grid *grid, bool sampled,
                               struct medium_shares *shares, pw_error *error);
/* At the places of Ex, Ey and Ez; in medium/volume. */
pw_status volume_shares_create(const struct building *building, const struct raster_volume *volume, bool sampled,
                               struct medium_shares *shares, pw_error *error);
void medium_shares_free(struct medium_shares *shares);

/* Parts of making them: which materials they are; room for them; one material's in one plane, (ny, nx); such a plane
 * into a layer; and no shares that are rounding alone. */
pw_status shares_list_materials(const struct floorplan *plan, struct medium_shares *shares, pw_error *error);
pw_status shares_allocate(struct medium_shares *shares, pw_error *error);
pw_status shares_of_plane(const struct floorplan *plan, const struct raster_grid *grid, uint16_t material, bool sampled,
                          double *out, pw_error *error);
/* The same of all materials that are marked, (material_count), by boxes. */
pw_status shares_of_marked(const struct floorplan *plan, const struct raster_grid *grid, const bool *marked,
                           double *out, pw_error *error);
void shares_add(const struct medium_shares *shares, int d, int layer, const double *plane, double weight);
void shares_snap(const struct medium_shares *shares);

/* Share of dispersive material d along row j of a layer, (nx). */
static inline const float *share_row(const struct medium_shares *shares, int d, int layer, int j)
{
    return shares->share +
           (((size_t)d * (size_t)shares->layer_count + (size_t)layer) * (size_t)shares->ny + (size_t)j) *
               (size_t)shares->nx;
}

static inline bool *share_any(const struct medium_shares *shares, int d, int layer, int j)
{
    return shares->any + ((size_t)d * (size_t)shares->layer_count + (size_t)layer) * (size_t)shares->ny + (size_t)j;
}
