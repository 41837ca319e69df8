/* Maps: one quantity for every cell of a map (map_grid.h), its statistics, and the files that are made of it.
 * Definitions of the quantities: channel.h. */
#pragma once

#include "map/map_grid.h"

/* Computes a whole map with arrays of its own. Errors as those of map_prepare, and PW_BAD_INPUT for a transmitter
 * without a known current. */
pw_status map_compute(const struct result *result, const pw_map_options *options, struct map *map, pw_error *error);
void map_free(struct map *map);

/* Which cells count as floor, into `counted` (rows, columns), and why (pw_map_floor). */
pw_status map_count_floor(const struct result *result, const pw_map_options *options, const struct map *map,
                          uint8_t *counted, pw_floor *floor, pw_error *error);

/* Smallest, median, largest of the values that are defined; share of these that meet the threshold. */
struct map_summary {
    int64_t count; /* cells with a value */
    double minimum, median, maximum, share;
};
pw_status map_summarise(const double *values, int64_t count, double threshold, bool falls, struct map_summary *summary,
                        pw_error *error);

/* Value at a place by bilinear interpolation; beyond the outermost cells theirs. NAN when the nearest cell has none. */
double map_value_at(const struct map *map, double x, double y);

/* Colour range: what the options say, else from the data, rounded. */
void map_range(const struct map *map, const pw_map_options *options, double *low, double *high);

/* The values as a file of NumPy. */
pw_status map_write_npy(const struct map *map, const char *path, pw_error *error);

/* The picture: values in colours, walls over them, transmitters and receivers marked, a scale with its unit. */
pw_status map_write_plot(const struct map *map, const struct result *result, const pw_map_options *options,
                         const char *path, pw_error *error);
