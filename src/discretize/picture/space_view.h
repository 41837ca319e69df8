/* A storey seen from above and from one side, without its ceiling: rays through its squares, shaded by the faces that
 * they meet, with lines where one face ends. Parallel projection: lengths along an axis stay in proportion. */
#pragma once

#include "discretize/picture/solid.h"

/* Where (x, y, z) is seen, m on the picture's plane: u to the right, v upwards. */
struct projection {
    double cos_turn, sin_turn, cos_rise, sin_rise;
};
struct projection projection_usual(void);
struct point project(const struct projection *projection, double x, double y, double z);

struct space_image {
    struct point corner; /* m, u and v of the lower left corner */
    double pixel;        /* m */
    int columns, rows;
    uint8_t *rgb; /* (rows, columns, 3), owned, row 0 at the bottom */
};

/* `colours` (256): 0xrrggbb of a solid's numbers; `glass` (256): those that are seen through. `image->pixel` is set,
 * the rest filled in. */
struct space_look {
    const uint32_t *colours;
    const bool *glass;
};
pw_status space_view_render(const struct solid *solid, const struct space_look *look, struct space_image *image,
                            pw_error *error);
