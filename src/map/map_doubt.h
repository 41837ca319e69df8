/* What stands in the way of the delays of a map: how many points are masked and why, in words, for the picture, the
 * CSV, the summary and stderr. */
#pragma once

#include "base/picture/colormap.h"
#include "map/map_grid.h"

enum { DOUBT_TEXT = 512 };

struct map_doubt {
    double masked, run_short, spectra_few; /* shares of the points: over 10 % wrong; of these by cause */
    double small;                          /* share: RMS spread below the resolution */
    double resolution;                     /* s */
};

/* Shares of the points of a map of delays; zeros for other quantities. */
struct map_doubt map_doubt(const struct map *map);

/* Sentences, each empty when there is nothing to say: what is masked and what to set; what is below the resolution. */
void map_doubt_masked(const struct map_doubt *doubt, char text[DOUBT_TEXT]);
void map_doubt_small(const struct map_doubt *doubt, char text[DOUBT_TEXT]);

/* What stands under the picture, from the lowest line up; returns how many lines. `undefined`: why some points
 * have no value for other reasons; NULL: none has. */
int map_doubt_legend(const struct map_doubt *doubt, const char *undefined, char lines[2][DOUBT_TEXT]);
/* The colour of a place that would have `colour`: light stripes where it is masked, paler where the spread is below the
 * resolution. `pixels` of the picture, as laid out, to a metre. */
pw_colour map_doubt_colour(const struct map *map, double x, double y, double pixels, pw_colour colour);
