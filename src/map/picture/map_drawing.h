/* What is drawn of a map, and what stands around it: title, axes, colour bar, legend, stations. Private to the picture.
 */
#pragma once

#include "base/picture/plot.h"
#include "map/floor/walls.h"
#include "map/map.h"

enum {
    LONG_SIDE = 1040,
    SHORT_SIDE_LEAST = 220, /* pixels of the map itself */
    LEFT = 96,
    RIGHT = 190,
    TOP = 152,
    BELOW = 82,
    WIDTH_LEAST = 760,
};

/* Everything is laid out on a picture whose map has LONG_SIDE pixels, and drawn `scale` times as large. */
struct canvas {
    int width, height;           /* of the map, as laid out */
    int full_width, full_height; /* of the picture, as laid out */
    double scale;
    int image_width, image_height; /* pixels of the map, as drawn */
    struct plan_floor floor;
};

struct drawing {
    const struct map *map;
    const struct result *result;
    const pw_map_options *options;
    struct plan_walls walls;
    double low, high;
    struct canvas canvas;
    bool line;             /* the map crosses the threshold, and the line is drawn */
    double line_x, line_y; /* m: where the threshold's line is told; NAN: there is no such place */
    uint8_t *solid;        /* (image_height, image_width): of each pixel, as walls_draw takes it */
};

/* Sends everything but the map itself to the plot. */
void map_annotate(struct plot *plot, const struct drawing *drawing);
