/* Averages of the medium over a band of node rows: the larger part of the work of raster.c. Leaves out what becomes of
 * the averages at a node. */
#pragma once

#include "medium/averaging_weight.h"
#include "medium/raster.h"
#include "medium/scanline.h"

enum {
    BAND_ROWS = 64,
    SLABS_PER_CELL = 32, /* where a side is oblique */
    REACH_ROWS = 9,      /* rows beyond the grid that the widest weight sees */
};

/* Quantities averaged over the box of a cell: the share of perfect conductors and the conductivity (never by a weight
 * with negative lobes: where it is under zero a wave trapped beside a wall would grow). Conductors count as air. */
enum { SHARE, CONDUCTIVITY, BOX_QUANTITIES };

/* By the weight of the averaging itself: the relative permittivity less one, and for band-limited averaging its square.
 */
enum { PERMITTIVITY, PERMITTIVITY_SQUARED };

/* Where metal stands between the nodes (raster_grid.clear) one quantity more is averaged in each of the two ways, the
 * last one: over the box the relative permittivity less one, and by the weight the share of perfect conductors. */
enum { QUANTITY_LIMIT = 3 };

/* Averages by one weight. */
struct averaging_pass {
    struct averaging_weight weight;
    size_t quantities;
    double *properties; /* (material_count, quantities), owned */
};

/* Everything that does not change from band to band. */
struct raster_task {
    const struct floorplan *plan;
    struct raster_grid grid;
    struct averaging_pass weighted, box;
    double least;    /* relative permittivity: nodes under it are raised to it (raster.h) */
    bool squares;    /* the square of the permittivity is averaged: band-limited averaging */
    bool metal;      /* metal stands between the nodes: the quantities that this takes are averaged */
    bool all_zero;   /* nothing conducts: the box need not be looked at */
    double *borders; /* (border_count) of slabs, cells, owned */
    int border_count;
    int64_t raised_nodes; /* so far, by raster.c */
    uint8_t *touched; /* (ny, nx), owned: how much of the node's box is metal (enum metal_touch); NULL without metal */
};

enum metal_touch { METAL_NONE, METAL_SOME, METAL_HALF, METAL_ALL };

/* All but `touched`; after a failure too, raster_task_free. */
pw_status raster_task_create(const struct floorplan *plan, const struct raster_grid *grid, enum averaging averaging,
                             struct raster_task *task, pw_error *error);
void raster_task_free(struct raster_task *task);

/* Columns first <= i < end. */
struct span {
    int first, end;
};

/* The work space of one thread for one band. */
struct raster_band {
    int first, rows;
    struct run_list runs, merged; /* the slab at hand; the equal slabs before it, taken as one */
    double *row, *step;           /* (QUANTITY_LIMIT, nx + 1), owned */
    struct span *spans;           /* (span_count), ascending and apart, owned: where the row is not air */
    int span_count;
    double *weighted, *box; /* (BAND_ROWS, quantities of the pass, nx), owned */
};

/* After a failure too, raster_band_free. Lines are a band without the room for averages. */
pw_status raster_lines_create(const struct raster_task *task, struct raster_band *band, pw_error *error);
pw_status raster_band_create(const struct raster_task *task, struct raster_band *band, pw_error *error);
void raster_band_free(struct raster_band *band);

/* Averages along x of a line of runs, into band->row (quantities of the pass, nx + 1; the last column is unused) and
 * band->spans. */
void raster_line_average(const struct raster_task *task, const struct averaging_pass *pass, const struct run_list *list,
                         struct raster_band *band);

/* Averages of all rows of the band, from band->first on: every slab in reach, equal neighbours taken together. */
void raster_band_average(const struct raster_task *task, struct raster_band *band);
