/* A line of a plan in cells: where metal stands along it. */
#pragma once

#include "medium/metal_pieces.h"
#include "medium/scanline.h"

/* What stands along a line of cells: parts outside of metal, where metal stands in each, and whether it begins and ends
 * inside. */
struct cell_line {
    float *part;     /* (count), owned */
    uint64_t *marks; /* (count), owned: metal_pieces.h */
    uint8_t *thin;   /* (count), owned */
    int count;
    int first, end;       /* cells before `first` and from `end` on have no metal */
    struct run_list runs; /* owned */
};

/* Of so many cells. After a failure too, cell_line_free. */
pw_status cell_line_create(const struct floorplan *plan, int count, struct cell_line *line, pw_error *error);
void cell_line_free(struct cell_line *line);

/* The line at y [m]; x = origin stands before its first cell. */
void cell_line_read(const struct floorplan *plan, double y, double origin, double cell, struct cell_line *line);
