/* Faces that lie along neither horizontal axis (physics.md section 9). With m the mean of the permittivity about a
 * place, q that of its inverse and N = n n^T, n the normal of the face, 1/eps there is the tensor
 *     eta = N q + (1 - N)/m
 * whose diagonal goes into the components themselves, and whose off-diagonal part belongs to the nodes. N is the mean
 * of g g^T over the nodes around, divided by its trace, g being the gradient of the averaged permittivity: for a single
 * face or a wall that is n n^T exactly, in the middle of a thin wall too, where g is zero, and at corners it is a mean.
 *
 * Only places in reach of a side that is oblique are looked at: walls along the axes, and their corners, keep the
 * formula of volume_side.h. */
#pragma once

#include "medium/raster_band.h"
#include "medium/volume/volume_layers.h"

struct volume_side;
struct side_work;

/* What of a side does not change from layer to layer. */
struct tilted_side {
    bool any;                         /* some side of the building is oblique */
    bool nodes_too;                   /* the off-diagonal part is wanted */
    uint8_t *near;                    /* (ny, nx), owned: an oblique side is in reach of the weight */
    struct averaging_weight gradient; /* owned */
};

/* Averages of one layer along a line. */
enum {
    TILTED_EXCESS, /* relative permittivity less one */
    TILTED_CONDUCTIVITY,
    TILTED_REAL, /* Re 1/eps less one */
    TILTED_IMAGINARY,
    TILTED_SMOOTH,    /* TILTED_EXCESS by the weight of gradients */
    TILTED_STEEPNESS, /* its slope along x */
    TILTED_LINES,
};

/* Averages of one layer over the plane: the first four of those at the places of the component, and at the nodes, from
 * the row under the first one to the row over the last one. */
enum {
    TILTED_SLOPE_X = TILTED_IMAGINARY + 1,
    TILTED_SLOPE_Y,
    TILTED_NODE_EXCESS,
    TILTED_NODE_CONDUCTIVITY,
    TILTED_NODE_REAL,
    TILTED_QUANTITIES,
};

/* The off-diagonal inverse permittivity of a node in a layer. */
struct tilted_node {
    int layer, i, j;
    double inverse_permittivity;
};

struct tilted_face {
    double at, ramp;                /* cells, as struct run */
    double excess, real, imaginary; /* jumps */
};

struct tilted_work {
    struct span columns;       /* that oblique sides are near, in the band of rows at hand */
    struct span *row_columns;  /* (BAND_ROWS + 2), owned: the same row by row, from the row under the first one */
    struct tilted_face *faces; /* (face_limit), owned */
    int *next;                 /* (plan_count), owned: the next run of each band */
    double *line, *step;       /* (TILTED_LINES, nx + 1), owned */
    double *sum;               /* (layer_limit, TILTED_QUANTITIES, BAND_ROWS + 2, nx), owned */
    struct tilted_node *nodes; /* (node_count), owned: of the part at hand */
    int64_t node_count;
    size_t node_room;
};

pw_status tilted_side_create(const struct volume_side *side, bool nodes_too, struct tilted_side *tilted,
                             pw_error *error);
void tilted_side_free(struct tilted_side *tilted);
/* Bytes that a layer takes in a thread. */
double tilted_layer_bytes(const struct volume_side *side);

pw_status tilted_work_create(const struct volume_side *side, int layer_limit, struct tilted_work *tilted,
                             pw_error *error);
void tilted_work_free(struct tilted_work *tilted);

/* For the band of rows at hand: to begin `count` layers; to add the layer's slab from y = bottom to top [cells], before
 * the next one is opened; and to write inverses of the permittivity over those of aligned faces, with the nodes. */
void tilted_begin(const struct volume_side *side, int count, struct side_work *work);
void tilted_add(const struct volume_side *side, const struct volume_layer *layer, int l, double bottom, double top,
                struct side_work *work);
pw_status tilted_finish(const struct volume_side *side, int l, struct side_work *work, pw_error *error);

/* The off-diagonal parts of every level, for a medium that has its palette and its index: nodes (node_count) is put in
 * order. No more is taken than leaves the tensor positive, with a margin: about sharp corners the places beside a node
 * may differ a lot. */
pw_status tilted_tensors(const struct volume_layers *layers, struct tilted_node *nodes, int64_t node_count,
                         struct medium *medium, pw_error *error);
