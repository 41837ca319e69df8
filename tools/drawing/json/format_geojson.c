/* GeoJSON (RFC 7946): FeatureCollection, Feature and bare geometries, of geographic programs, of indoor maps of
 * OpenStreetMap and of this program's own export. Classes are named after the properties that tell most; the property
 * "level" makes pages. Longitude and latitude become metres about the middle of the map; the member "crs" of GeoJSON
 * before 2016 is looked at. Left out: elevations of points, foreign members, lines that cross 180 degrees east. */
#include "drawing/drawing_format.h"
#include "drawing/json/feature/feature.h"
#include "drawing/json/json_source.h"

static bool geojson_recognises(const uint8_t *head, size_t count, const char *path)
{
    static const char *const WORDS[] = {"FeatureCollection", "features", "Feature", "geometry", "coordinates", NULL};
    return json_begins(head, count) && (path_ends(path, ".geojson") || json_has_key(head, count, WORDS));
}

static pw_status geojson_read(const char *path, const struct picture_options *picture, struct drawing *drawing,
                              pw_error *error)
{
    (void)picture;
    OWNED_BY(json_source_free) struct json_source source = {0};
    TRY(json_source_read(path, &source, error));
    return features_draw(&source, drawing, error);
}

const struct drawing_format drawing_format_geojson = {
    .name = "GeoJSON",
    .description = "maps in longitude and latitude or in metres, indoor maps of OpenStreetMap among them",
    .recognises = geojson_recognises,
    .read = geojson_read};
