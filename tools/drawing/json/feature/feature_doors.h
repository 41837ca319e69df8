/* Doors that a map marks as points in its walls: each becomes a line of an opening's class along the wall it lies on.
 */
#pragma once

#include "drawing/drawing.h"

struct feature_door {
    struct drawing_point at;
    double width; /* m; 0: DOOR_WIDTH */
    int page, class_index;
};

static const double DOOR_WIDTH = 0.9; /* m, clear, where the map does not say */
static const double DOOR_REACH = 0.5; /* m: a door that is farther than this from every wall lies on none */

struct feature_doors {
    struct feature_door *doors; /* (count), owned */
    size_t count, room;
};

void feature_doors_free(struct feature_doors *doors);
pw_status feature_doors_add(struct feature_doors *doors, const struct feature_door *door, pw_error *error);

/* Draws the openings of a drawing in metres whose walls are all there; those that lie on no wall are counted as not
 * taken over. */
pw_status feature_doors_draw(const struct feature_doors *doors, struct drawing *drawing, pw_error *error);
