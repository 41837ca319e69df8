/* Longitude and latitude to metres east and north of a point, in the plane that touches the WGS 84 ellipsoid there:
 * true to a millimetre over a kilometre. Leaves out heights and other datums. */
#pragma once

#include "drawing/drawing.h"

struct tangent_plane {
    double sine[2], cosine[2]; /* of the point's longitude and latitude */
    double point[3];           /* m, from the middle of the earth */
};

struct tangent_plane tangent_plane_at(double longitude, double latitude); /* degrees */
struct drawing_point tangent_plane_point(const struct tangent_plane *plane, double longitude, double latitude);

/* Longitude and latitude of a point of the map projection that web maps use (EPSG:3857). */
struct drawing_point web_mercator_degrees(double x, double y);
