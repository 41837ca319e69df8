/* Pixels that hold two materials: the smooth edges that drawing programs make between two colours. Each is divided in
 * two by a straight line along an axis, so that either material has its share of the area on the side where its
 * neighbours are. The array of pixels itself holds the material with the larger share. */
#pragma once

#include "base/status.h"

enum mixed_side { MIXED_LEFT, MIXED_RIGHT, MIXED_BELOW, MIXED_ABOVE };
/* Shares are multiples of 1 / MIXED_PARTS, so that a row of pixels has few heights at which something changes. */
enum { MIXED_PARTS = 16 };

struct mixed_pixel {
    int column;
    uint16_t other; /* the material with the smaller share */
    uint8_t parts;  /* of MIXED_PARTS, 1 .. MIXED_PARTS / 2 */
    uint8_t side;   /* enum mixed_side: where in the pixel `other` lies */
};

struct mixed_pixels {
    struct mixed_pixel *list; /* (count), owned: by row, row 0 at the bottom, then by column */
    size_t count, capacity;
    size_t *start; /* (rows + 1), owned: row r has entries start[r] .. start[r + 1] - 1; NULL when there are none */
};

pw_status mixed_pixels_add(struct mixed_pixels *mixed, const struct mixed_pixel *pixel, pw_error *error);
void mixed_pixels_free(struct mixed_pixels *mixed);

/* Whether the row has mixed pixels. */
bool mixed_pixels_in_row(const struct mixed_pixels *mixed, int row);

/* The entry of a pixel; NULL when it is not mixed. */
const struct mixed_pixel *mixed_pixel_find(const struct mixed_pixels *mixed, int row, int column);

/* Whether a point, in parts of the pixel from its lower left corner, lies in the other material. */
bool mixed_pixel_is_other(const struct mixed_pixel *pixel, double x, double y);
