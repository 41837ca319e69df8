/* What the coordinates of a map are: longitude and latitude, which become metres in a tangent plane about the middle of
 * the map; metres, where the file says so or no degrees can be so large; or numbers of unknown unit, where they would
 * be degrees of a country. */
#pragma once

#include "drawing/drawing.h"
#include "drawing/json/feature/tangent_plane.h"
#include "drawing/json/json_source.h"

struct feature_extent {
    bool any;
    struct drawing_point low, high; /* of the coordinates as they stand */
};

void feature_extent_add(struct feature_extent *extent, double x, double y);

struct feature_place {
    enum { PLACE_PLAIN, PLACE_DEGREES, PLACE_WEB_MERCATOR } kind;
    bool metres; /* what comes out is metres */
    struct tangent_plane plane;
};

/* Decides from the member "crs" of the root, as GeoJSON had it until 2016, and the extent; sets the drawing's unit. */
pw_status feature_place_decide(const struct json_source *source, const struct feature_extent *extent,
                               struct drawing *drawing, struct feature_place *place, pw_error *error);

struct drawing_point feature_place_point(const struct feature_place *place, double x, double y);
