/* The plane that touches the earth (tangent_plane.h): points on the ellipsoid in coordinates from the middle of the
 * earth, turned so that one axis points up; the other two are kept. */
#include "drawing/json/feature/tangent_plane.h"

#include <math.h>

/* WGS 84 (EPSG:7030). */
#define EQUATOR_RADIUS 6378137.0 /* m */
#define FLATTENING     (1.0 / 298.257223563)

static double radians(double degrees)
{
    return degrees * (M_PI / 180);
}

/* On the ellipsoid, m from the middle of the earth: z to the north pole, x to longitude 0. */
static void earth_point(const double sine[2], const double cosine[2], double point[3])
{
    double squared = FLATTENING * (2 - FLATTENING); /* eccentricity */
    double radius = EQUATOR_RADIUS / sqrt(1 - squared * sine[1] * sine[1]);
    point[0] = radius * cosine[1] * cosine[0];
    point[1] = radius * cosine[1] * sine[0];
    point[2] = radius * (1 - squared) * sine[1];
}

struct tangent_plane tangent_plane_at(double longitude, double latitude)
{
    struct tangent_plane plane = {.sine = {sin(radians(longitude)), sin(radians(latitude))},
                                  .cosine = {cos(radians(longitude)), cos(radians(latitude))}};
    earth_point(plane.sine, plane.cosine, plane.point);
    return plane;
}

struct drawing_point tangent_plane_point(const struct tangent_plane *plane, double longitude, double latitude)
{
    double point[3];
    earth_point((double[2]){sin(radians(longitude)), sin(radians(latitude))},
                (double[2]){cos(radians(longitude)), cos(radians(latitude))}, point);
    double x = point[0] - plane->point[0], y = point[1] - plane->point[1], z = point[2] - plane->point[2];
    double outwards = plane->cosine[0] * x + plane->sine[0] * y; /* along the point's meridian, from the axis */
    return (struct drawing_point){plane->cosine[0] * y - plane->sine[0] * x,
                                  plane->cosine[1] * z - plane->sine[1] * outwards};
}

struct drawing_point web_mercator_degrees(double x, double y)
{
    return (struct drawing_point){x / EQUATOR_RADIUS * (180 / M_PI), atan(sinh(y / EQUATOR_RADIUS)) * (180 / M_PI)};
}
