/* Coordinates of maps (feature_place.h). */
#include "drawing/json/feature/feature_place.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A map of one place is smaller than this, degrees: 50 km. Numbers from 0 to 12 are metres of somebody's own, not
 * degrees. */
static const double DEGREES_LIMIT = 0.5;

void feature_extent_add(struct feature_extent *extent, double x, double y)
{
    struct drawing_point low = extent->any ? extent->low : (struct drawing_point){x, y};
    struct drawing_point high = extent->any ? extent->high : (struct drawing_point){x, y};
    extent->low = (struct drawing_point){fmin(low.x, x), fmin(low.y, y)};
    extent->high = (struct drawing_point){fmax(high.x, x), fmax(high.y, y)};
    extent->any = true;
}

/* The name of the reference system: "EPSG:25832", "urn:ogc:def:crs:OGC:1.3:CRS84"; "" where the member is null, NULL
 * where there is none. */
static pw_status crs_name(const struct json_source *source, const char **name, pw_error *error)
{
    *name = json_object_get(source->root, "crs") != NULL ? "" : NULL;
    const json_t *crs = NULL, *properties = NULL;
    TRY(json_object_of(source, source->root, "crs", &crs, error));
    TRY(json_object_of(source, crs, "properties", &properties, error));
    return json_text_of(source, properties, "name", name, error);
}

/* The number at the end of an EPSG name, else 0. */
static long epsg_code(const char *name)
{
    size_t digits = strlen(name);
    while (digits > 0 && isdigit((unsigned char)name[digits - 1])) {
        digits--;
    }
    return strstr(name, "EPSG") != NULL ? strtol(name + digits, NULL, 10) : 0;
}

static void unit_set(struct drawing *drawing, const char *from)
{
    drawing->unit = 1;
    snprintf(drawing->unit_from, sizeof drawing->unit_from, "%s", from);
}

/* EPSG keeps 4001 to 4999 for systems of longitude and latitude. */
static bool crs_is_degrees(const char *name)
{
    long code = epsg_code(name);
    return strstr(name, "CRS84") != NULL || (code > 4000 && code < 5000);
}

static bool crs_is_web_mercator(const char *name)
{
    long code = epsg_code(name);
    return code == 3857 || code == 900913 || code == 3785;
}

static bool extent_is_degrees(const struct feature_extent *extent)
{
    return extent->any && extent->low.x >= -180 && extent->high.x <= 180 && extent->low.y >= -90 &&
           extent->high.y <= 90;
}

pw_status feature_place_decide(const struct json_source *source, const struct feature_extent *extent,
                               struct drawing *drawing, struct feature_place *place, pw_error *error)
{
    const char *name = NULL;
    TRY(crs_name(source, &name, error));
    *place = (struct feature_place){.kind = PLACE_PLAIN, .metres = true};
    struct drawing_point middle = {(extent->low.x + extent->high.x) / 2, (extent->low.y + extent->high.y) / 2};
    char from[96];
    snprintf(from, sizeof from, "the coordinates' reference system, \"%.40s\"", name == NULL ? "" : name);
    if (name != NULL && crs_is_web_mercator(name)) {
        middle = web_mercator_degrees(middle.x, middle.y);
        *place = (struct feature_place){PLACE_WEB_MERCATOR, true, tangent_plane_at(middle.x, middle.y)};
        unit_set(drawing, from);
    } else if (name != NULL && !crs_is_degrees(name)) {
        unit_set(drawing, name[0] == '\0' ? "coordinates without a reference system, taken as metres" : from);
    } else if (!extent_is_degrees(extent)) {
        unit_set(drawing, "coordinates too large for degrees, taken as metres");
    } else if (name == NULL &&
               (extent->high.x - extent->low.x > DEGREES_LIMIT || extent->high.y - extent->low.y > DEGREES_LIMIT)) {
        place->metres = false; /* and the unit is for the user to say */
    } else {
        *place = (struct feature_place){PLACE_DEGREES, true, tangent_plane_at(middle.x, middle.y)};
        unit_set(drawing, "longitude and latitude");
    }
    return PW_OK;
}

struct drawing_point feature_place_point(const struct feature_place *place, double x, double y)
{
    struct drawing_point point = {x, y};
    if (place->kind == PLACE_WEB_MERCATOR) {
        point = web_mercator_degrees(x, y);
    }
    return place->kind == PLACE_PLAIN ? point : tangent_plane_point(&place->plane, point.x, point.y);
}
