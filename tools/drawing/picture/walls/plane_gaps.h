/* Gaps of the walls of a picture, along its rows and columns. */
#pragma once

#include "drawing/picture/plane.h"

/* An opening between two ends of walls, along a row or a column: the pixels from low to before high. */
struct plane_gap {
    bool along_row;
    int low_x, high_x, low_y, high_y;
};

/* Lists the gaps up to `length`, which is 3 m or so: openings are no shorter than a sixth of it, and walls between a
 * sixtieth and a fifth of it thick. `both`: a wall ends at either
 * end of a gap, and passes by at none. The caller frees the list. */
pw_status gaps_find(const struct plane *walls, double length, bool both, struct plane_gap **gaps, size_t *count,
                    pw_error *error);
