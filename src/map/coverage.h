/* Coverage: which part of the floor, and of named areas, meets which threshold of a quantity. Cells are counted, inside
 * the building where one can be told from its outside; walls belong to the floor. */
#pragma once

#include "map/map_grid.h"

/* What is counted: every threshold in every column. A column is a transmitter, or the last one, where there are several
 * and none was chosen, the strongest of them at each cell. */
struct coverage {
    struct map map; /* the cells; it has no values */
    int first;      /* transmitter of the first column */
    int columns;
    bool best;                /* the last column is the strongest transmitter */
    const double *thresholds; /* (threshold_count), borrowed */
    int threshold_count;
    int parts;        /* the floor, then the areas */
    uint8_t *counted; /* (rows, columns) of the map, while coverage_fill counts: which cells are floor */
    pw_floor floor;
};

/* Parts and columns of a map that is prepared, of any quantity. */
void coverage_columns(const struct result *result, const pw_coverage_options *options, struct coverage *coverage);

/* Index of the transmitter of a column; -1: the strongest. */
int coverage_transmitter(const struct coverage *coverage, int column);

/* Whether cell n of the map lies in the area, or where that is NULL belongs to the floor. */
bool coverage_holds(const struct coverage *coverage, const pw_area *area, size_t n);

/* PW_USAGE with the message that no cell lies in the area. */
pw_status coverage_area_empty(const pw_area *area, pw_error *error);

/* Checks the options and decides what is counted. */
pw_status coverage_prepare(const struct result *result, const pw_coverage_options *options, struct coverage *coverage,
                           pw_error *error);

/* pw_share entries that coverage_fill makes: (parts, thresholds, columns). */
size_t coverage_size(const struct coverage *coverage);

/* Counts. Sets coverage->map.mean_width and .centre, and coverage->floor. */
pw_status coverage_fill(const struct result *result, const pw_coverage_options *options, struct coverage *coverage,
                        pw_share *shares, pw_error *error);
