/* How metal cuts the cells of a grid in three dimensions (physics.md section 9): the part of each edge and of each face
 * that lies outside of metal, and the share of volume that each edge then has. Levels of z that look alike share a
 * layer, as those of the medium do. */
#pragma once

#include "medium/raster.h"

/* Layer 0 of edges and of faces is that of a level without metal: all parts are 1. Its arrays are NULL. */
struct metal_volume {
    int nx, ny, nz;
    int first[3], end[3]; /* the places that metal may cut, before `end`; elsewhere edges are held or free */
    int edge_layers, face_layers;
    float **edge;       /* (edge_layers) of (ny, nx), owned: the part of an edge; METAL_STAIRCASE: held or free */
    float **mass;       /* the same: what the permittivity at the edge is multiplied by */
    float **face;       /* (face_layers) of (ny, nx), owned: the part of a face */
    float **face_mass;  /* the same: by how much more than usual h at the face drives the edges around it */
    int *edge_layer[3]; /* (nz) each, owned: of Ex, Ey, Ez */
    int *face_layer[3]; /* (nz) each, owned: of hx, hy, hz */
    int *band;          /* (nz), owned: the band of the building that has all of the space over a level; -1: several */
};

/* Fills in all but `first` and `end`, from the building as `volume` sees it; all masses are 1 until metal_mass.h
 * settles them. After a failure too, metal_volume_free. */
pw_status metal_volume_create(const struct building *building, const struct raster_volume *volume,
                              struct metal_volume *cuts, pw_error *error);
void metal_volume_free(struct metal_volume *cuts);

/* Whether the levels from k + first to k + last have the same layers as those around level `other`. */
bool metal_levels_alike(const struct metal_volume *cuts, int k, int other, int first, int last);
/* Whether level k and the one over it have no metal. */
bool metal_level_plain(const struct metal_volume *cuts, int k);

/* A value of a layer at (i, j); `plain` where there is none. */
static inline float metal_layer_at(const struct metal_volume *cuts, float *const *layers, int layer, int i, int j,
                                   float plain)
{
    return layer == 0 || i < 0 || j < 0 || i >= cuts->nx || j >= cuts->ny
               ? plain
               : layers[layer][(size_t)j * (size_t)cuts->nx + (size_t)i];
}

/* The part of the edge of component c (0..2) at (i, j, k), and its mass; beyond the grid 1. */
static inline float metal_edge_at(const struct metal_volume *cuts, int c, int i, int j, int k)
{
    return k < 0 || k >= cuts->nz ? 1 : metal_layer_at(cuts, cuts->edge, cuts->edge_layer[c][k], i, j, 1);
}
static inline float metal_mass_at(const struct metal_volume *cuts, int c, int i, int j, int k)
{
    return k < 0 || k >= cuts->nz ? 1 : metal_layer_at(cuts, cuts->mass, cuts->edge_layer[c][k], i, j, 1);
}

/* The part of the face across axis d at (i, j, k), and its mass. */
static inline float metal_face_at(const struct metal_volume *cuts, int d, int i, int j, int k)
{
    return k < 0 || k >= cuts->nz ? 1 : metal_layer_at(cuts, cuts->face, cuts->face_layer[d][k], i, j, 1);
}
static inline float metal_face_mass_at(const struct metal_volume *cuts, int d, int i, int j, int k)
{
    return k < 0 || k >= cuts->nz ? 1 : metal_layer_at(cuts, cuts->face_mass, cuts->face_layer[d][k], i, j, 1);
}
