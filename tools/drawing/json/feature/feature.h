/* Features of a map, as GeoJSON has them (RFC 7946), to the lines and areas of a drawing. Maps in other notations
 * (OpenStreetMap's XML, IMDF) are put into this form first. */
#pragma once

#include "drawing/drawing.h"
#include "drawing/json/json_source.h"

/* Draws a FeatureCollection, a Feature or a geometry. Where the drawing has pages already, the property "level" is the
 * name of one; else the pages are made from it (feature_levels.h). */
pw_status features_draw(const struct json_source *source, struct drawing *drawing, pw_error *error);
