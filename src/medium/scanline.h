/* Lines across a floor plan: the plan is cut into slabs of y in which nothing begins or ends, and in a slab it is a
 * list of runs along x. Sides along the axes are exact; an oblique side becomes a ramp between where it enters and
 * where it leaves the slab. */
#pragma once

#include "plan/floorplan.h"

/* One material from `start` on, until the start of the next run. */
struct run {
    double start; /* m; -INFINITY for the first */
    double ramp;  /* m, >= 0: the face moves from start - ramp to start + ramp within the slab (either way) */
    uint16_t material;
};

struct run_list {
    struct run *runs; /* (count), owned */
    int count;
    struct run *spare;     /* (capacity) as runs, owned: for painting */
    struct run *crossings; /* (capacity), owned: sides that cross the slab */
    int capacity;
};

pw_status run_list_create(const struct floorplan *plan, struct run_list *list, pw_error *error);
void run_list_free(struct run_list *list);
bool run_list_equal(const struct run_list *a, const struct run_list *b);

/* The runs of the slab (bottom, top) [m]; outside the plan, the runs at its edge. */
void scanline_runs(const struct floorplan *plan, double bottom, double top, struct run_list *list);

/* The node rows between which slabs are wanted. */
struct slab_rows {
    double origin_y, cell; /* m: node row 0, and the distance of rows */
    int first, last;       /* rows */
    int per_cell;          /* borders a cell where oblique sides are; more at shallow sides */
};

/* Borders of the slabs, ascending, in cells from node row 0: every y at which a side begins, ends or lies, and more
 * where sides are oblique. *borders (count) is the caller's to free; count >= 2. */
pw_status scanline_slabs(const struct floorplan *plan, const struct slab_rows *rows, double **borders, int *count,
                         pw_error *error);

/* Distances in cells are rounded to 2^-30, so that faces equally placed between nodes weigh in with equal bits. */
double scanline_snap(double cells);
