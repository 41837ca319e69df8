/* The surface of metal on a floor plan: its faces, its corners and ends, and posts that are thinner than a cell. All in
 * cells from node (0, 0) of a grid. Faces that lie inside of metal, where two pieces touch, are left out when they are
 * asked for; shapes that another one covers count as what covers them. */
#pragma once

#include "medium/raster.h"

/* A side of a shape, or of pixels, of metal. */
struct metal_edge {
    struct point a, b;
};

/* A corner of metal or the end of a sheet: free space opens over `opening` radians, counted counterclockwise from the
 * direction `face`. A sheet's end opens over 2 pi, the outer corner of a room's pillar over 3/2 pi. */
struct metal_corner {
    struct point at;
    double face, opening;
};

/* A round of metal, or a small piece of another form by the radius that keeps its field. */
struct metal_post {
    struct point at;
    double radius;
};

struct metal_edges {
    const struct floorplan *plan;   /* borrowed */
    const struct raster_grid *grid; /* borrowed */
    struct metal_edge *edges;       /* (edge_count), owned */
    struct metal_corner *corners;   /* (corner_count), owned */
    struct metal_post *posts;       /* (post_count), owned */
    int64_t edge_count, corner_count, post_count;
    size_t edge_capacity, corner_capacity, post_capacity;
};

/* After a failure too, metal_edges_free. */
pw_status metal_edges_create(const struct floorplan *plan, const struct raster_grid *grid, struct metal_edges *edges,
                             pw_error *error);
void metal_edges_free(struct metal_edges *edges);

/* Whether metal stands at a place. */
bool metal_edges_inside(const struct metal_edges *edges, struct point at);

/* The place of an edge that is nearest to `from`; whether metal stands there, on the other side than `from`, and none
 * on the side of `from`. */
bool metal_edge_foot(const struct metal_edges *edges, const struct metal_edge *edge, struct point from,
                     struct point *foot);
