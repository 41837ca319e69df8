/* One transmitter's plane of a map: a quantity at every cell, computed in bands of rows so that memory stays bounded,
 * by all threads. */
#pragma once

#include "map/map_grid.h"

/* Side of the local mean [m] of a band with this centre [Hz]; 0: none. */
double map_mean_width(const pw_map_options *options, double centre);

/* Fills plane (rows, columns) for one transmitter: path gain or path loss in dB; for quantities made of several powers
 * the received power in dBm; others in the unit of the map. Sets map->centre and map->mean_width. PW_BAD_INPUT: the
 * transmitter has no known current. `monitor` may be NULL. */
pw_status map_plane(const struct result *result, const pw_map_options *options, struct map *map, int transmitter,
                    const pw_monitor *monitor, double *plane, pw_error *error);

/* Mean over a box of width_x by width_y cells (need not be whole numbers: cells at the rim count in part), in place;
 * NAN cells neither count nor change. */
pw_status map_box_mean(double *plane, int rows, int columns, double width_x, double width_y, pw_error *error);
