/* What of a picture lies outside of the building: a window has the outside on one side. What has rooms on both sides is
 * a passage, and what has the outside on both is a railing. */
#pragma once

#include "drawing/picture/plane.h"
#include "drawing/picture/walls/plane_gaps.h"

struct outside {
    int width, height;
    uint8_t *reached; /* (height, width), owned: 1 where one comes from outside without going through a wall or a gap */
};

/* `stops` (height, width) are in the way besides walls and gaps; NULL: nothing is. Free with outside_free. */
pw_status outside_find(const struct plane *walls, const struct plane_gap *gaps, size_t count, const uint8_t *stops,
                       struct outside *outside, pw_error *error);
void outside_free(struct outside *outside);

/* On how many sides of a gap the outside is, 0 to 2, up to `reach` pixels from it, and not behind a wall. */
int outside_sides(const struct outside *outside, const struct plane *walls, const struct plane_gap *gap, double reach);
