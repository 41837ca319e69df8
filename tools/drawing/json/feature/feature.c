/* Features to lines and areas (feature.h). The features are gone through twice: first for their extent, which decides
 * what the coordinates are, and for their levels; then they are drawn. */
#include "drawing/json/feature/feature.h"

#include "drawing/json/feature/feature_class.h"
#include "drawing/json/feature/feature_doors.h"
#include "drawing/json/feature/feature_levels.h"
#include "drawing/json/feature/feature_place.h"

#include <math.h>
#include <string.h>

struct reader {
    const struct json_source *source;
    struct drawing *drawing;
    struct feature_extent extent;
    struct feature_place place;
    bool pages_made;                   /* by the caller */
    struct feature_levels levels, own; /* of the map; of the feature that is drawn */
    struct feature_doors doors;
    /* Of the feature that is drawn: */
    const json_t *properties;
    struct feature_facts facts;
    int class_index, page;
    bool has_class;
};

/* What is done with a geometry of the type named. */
typedef pw_status geometry_visitor(struct reader *reader, const json_t *geometry, const char *type, pw_error *error);

/* ---- going through ---- */

static const char *const GEOMETRIES[] = {"Point",           "MultiPoint", "LineString",
                                         "MultiLineString", "Polygon",    "MultiPolygon"};

static pw_status geometry_visit(struct reader *reader, const json_t *geometry, geometry_visitor *visit,
                                pw_error *error);

static pw_status collection_visit(struct reader *reader, const json_t *collection, geometry_visitor *visit,
                                  pw_error *error)
{
    const json_t *members = NULL;
    TRY(json_array_of(reader->source, collection, "geometries", &members, error));
    for (size_t n = 0; n < json_array_size(members); n++) {
        const json_t *member = NULL;
        TRY(json_object_at(reader->source, members, n, &member, error));
        TRY(geometry_visit(reader, member, visit, error));
    }
    return PW_OK;
}

static pw_status geometry_visit(struct reader *reader, const json_t *geometry, geometry_visitor *visit, pw_error *error)
{
    const char *type = "";
    TRY(json_text_of(reader->source, geometry, "type", &type, error));
    if (strcmp(type, "GeometryCollection") == 0) {
        return collection_visit(reader, geometry, visit, error);
    }
    for (size_t g = 0; g < sizeof GEOMETRIES / sizeof GEOMETRIES[0]; g++) {
        if (strcmp(type, GEOMETRIES[g]) == 0) {
            return visit(reader, geometry, type, error);
        }
    }
    return json_wrong(reader->source, geometry, "type", 0, "is none of the geometries of GeoJSON", error);
}

/* A feature, or with a bare geometry `properties` NULL. */
typedef pw_status feature_visitor(struct reader *reader, const json_t *geometry, const json_t *properties,
                                  pw_error *error);

static pw_status feature_visit(struct reader *reader, const json_t *feature, feature_visitor *visit, pw_error *error)
{
    const json_t *geometry = NULL, *properties = NULL;
    const char *type = "";
    TRY(json_text_of(reader->source, feature, "type", &type, error));
    if (strcmp(type, "Feature") != 0) {
        return json_wrong(reader->source, feature, "type", 0, "is not \"Feature\"", error);
    }
    TRY(json_object_of(reader->source, feature, "geometry", &geometry, error));
    TRY(json_object_of(reader->source, feature, "properties", &properties, error));
    return visit(reader, geometry, properties, error);
}

static pw_status features_visit(struct reader *reader, feature_visitor *visit, pw_error *error)
{
    const json_t *root = reader->source->root, *features = NULL;
    const char *type = "";
    TRY(json_text_of(reader->source, root, "type", &type, error));
    if (strcmp(type, "Feature") == 0) {
        return feature_visit(reader, root, visit, error);
    }
    if (strcmp(type, "FeatureCollection") != 0) {
        return visit(reader, root, NULL, error);
    }
    TRY(json_array_of(reader->source, root, "features", &features, error));
    for (size_t n = 0; n < json_array_size(features); n++) {
        const json_t *feature = NULL;
        TRY(json_object_at(reader->source, features, n, &feature, error));
        TRY(feature_visit(reader, feature, visit, error));
    }
    return PW_OK;
}

/* The numbers of a position, which is an element of `list` or, with `key`, a member of it. */
static pw_status position_read(const struct reader *reader, const json_t *list, const char *key, size_t index,
                               struct drawing_point *at, pw_error *error)
{
    const json_t *position = key != NULL ? json_object_get(list, key) : json_array_get(list, index);
    const json_t *x = json_array_get(position, 0), *y = json_array_get(position, 1);
    if (!json_is_number(x) || !json_is_number(y)) {
        return json_wrong(reader->source, list, key, index, "is not a list of two numbers", error);
    }
    *at = (struct drawing_point){json_number_value(x), json_number_value(y)};
    return PW_OK;
}

/* The list `index` of a list of lists. */
static pw_status list_at(const struct reader *reader, const json_t *lists, size_t index, const json_t **list,
                         pw_error *error)
{
    *list = json_array_get(lists, index);
    return json_is_array(*list) ? PW_OK : json_wrong(reader->source, lists, NULL, index, "is not a list", error);
}

/* ---- first time: extent and levels ---- */

static pw_status positions_measure(struct reader *reader, const json_t *list, int depth, pw_error *error)
{
    for (size_t n = 0; n < json_array_size(list); n++) {
        if (depth > 1) {
            const json_t *inner = NULL;
            TRY(list_at(reader, list, n, &inner, error));
            TRY(positions_measure(reader, inner, depth - 1, error));
        } else {
            struct drawing_point at = {0, 0};
            TRY(position_read(reader, list, NULL, n, &at, error));
            feature_extent_add(&reader->extent, at.x, at.y);
        }
    }
    return PW_OK;
}

static pw_status geometry_measure(struct reader *reader, const json_t *geometry, const char *type, pw_error *error)
{
    if (strcmp(type, "Point") == 0) {
        struct drawing_point at = {0, 0};
        TRY(position_read(reader, geometry, "coordinates", 0, &at, error));
        feature_extent_add(&reader->extent, at.x, at.y);
        return PW_OK;
    }
    const json_t *coordinates = NULL;
    TRY(json_array_of(reader->source, geometry, "coordinates", &coordinates, error));
    int depth = strcmp(type, "MultiPolygon") == 0                                      ? 3
                : strcmp(type, "Polygon") == 0 || strcmp(type, "MultiLineString") == 0 ? 2
                                                                                       : 1;
    return positions_measure(reader, coordinates, depth, error);
}

static pw_status feature_measure(struct reader *reader, const json_t *geometry, const json_t *properties,
                                 pw_error *error)
{
    if (!reader->pages_made) {
        TRY(feature_levels_add(&reader->levels, properties, error));
    }
    return geometry == NULL ? PW_OK : geometry_visit(reader, geometry, geometry_measure, error);
}

/* ---- second time: drawing ---- */

static pw_status chain_draw(struct reader *reader, const json_t *positions, pw_error *error)
{
    for (size_t n = 0; n < json_array_size(positions); n++) {
        struct drawing_point at = {0, 0};
        TRY(position_read(reader, positions, NULL, n, &at, error));
        at = feature_place_point(&reader->place, at.x, at.y);
        TRY(drawing_point_add(reader->drawing, at.x, at.y, error));
    }
    return PW_OK;
}

static pw_status class_need(struct reader *reader, pw_error *error)
{
    if (!reader->has_class) {
        TRY(feature_class_make(&reader->facts, reader->drawing, &reader->class_index, error));
        reader->has_class = true;
    }
    return PW_OK;
}

static pw_status element_begin(struct reader *reader, enum element_kind kind, pw_error *error)
{
    TRY(class_need(reader, error));
    bool thick = kind == ELEMENT_LINE && reader->place.metres && reader->facts.use != CLASS_OPENINGS;
    struct drawing_element like = {.kind = kind,
                                   .class_index = reader->class_index,
                                   .page = reader->page,
                                   .width = thick ? reader->facts.width : 0};
    return drawing_begin(reader->drawing, &like, error);
}

static pw_status line_draw(struct reader *reader, const json_t *positions, pw_error *error)
{
    TRY(element_begin(reader, ELEMENT_LINE, error));
    return chain_draw(reader, positions, error);
}

/* The mean thickness of a ring were it filled, twice its area over its length, m; 0 for none. */
static pw_status ring_thickness(const struct reader *reader, const json_t *ring, double *thickness, pw_error *error)
{
    double area = 0, length = 0;
    struct drawing_point before = {0, 0};
    for (size_t n = 0; n < json_array_size(ring); n++) {
        struct drawing_point at = {0, 0};
        TRY(position_read(reader, ring, NULL, n, &at, error));
        at = feature_place_point(&reader->place, at.x, at.y);
        if (n > 0) {
            area += (at.x - before.x) * (at.y + before.y) / 2;
            length += hypot(at.x - before.x, at.y - before.y);
        }
        before = at;
    }
    *thickness = length > 0 ? 2 * fabs(area) / length : 0;
    return PW_OK;
}

/* Programs that turn OpenStreetMap into GeoJSON make a closed wall an area, which would fill all that it surrounds. */
static pw_status polygon_is_ring(const struct reader *reader, const json_t *rings, bool *is_ring, pw_error *error)
{
    const double thickest = 1; /* m */
    double thickness = 0;
    *is_ring = false;
    if (reader->facts.may_be_ring && reader->place.metres) {
        TRY(ring_thickness(reader, json_array_get(rings, 0), &thickness, error));
        *is_ring = thickness > thickest;
    }
    return PW_OK;
}

static pw_status polygon_draw(struct reader *reader, const json_t *rings, pw_error *error)
{
    bool is_ring = false;
    TRY(polygon_is_ring(reader, rings, &is_ring, error));
    for (size_t r = 0; is_ring && r < json_array_size(rings); r++) {
        TRY(line_draw(reader, json_array_get(rings, r), error));
    }
    if (is_ring) {
        return PW_OK;
    }
    TRY(element_begin(reader, ELEMENT_AREA, error));
    for (size_t r = 0; r < json_array_size(rings); r++) {
        if (r > 0) {
            TRY(drawing_ring_begin(reader->drawing, error));
        }
        TRY(chain_draw(reader, json_array_get(rings, r), error));
    }
    return PW_OK;
}

/* A point on one page: an access point, a door, or nothing that a plan has. */
static pw_status point_take(struct reader *reader, struct drawing_point at, pw_error *error)
{
    at = feature_place_point(&reader->place, at.x, at.y);
    if (reader->facts.access_point) {
        struct drawing_radio radio = {.page = reader->page,
                                      .at = at,
                                      .height = reader->facts.high,
                                      .power = feature_number(reader->properties, "power_dbm"),
                                      .frequency = feature_number(reader->properties, "frequency_hz")};
        const char *name = json_string_value(json_object_get(reader->properties, "name"));
        snprintf(radio.name, sizeof radio.name, "%s", name == NULL ? "" : name);
        return drawing_radio_add(reader->drawing, &radio, error);
    }
    if (reader->facts.door && reader->place.metres) {
        TRY(class_need(reader, error));
        struct feature_door door = {at, reader->facts.width, reader->page, reader->class_index};
        return feature_doors_add(&reader->doors, &door, error);
    }
    return drawing_omit(reader->drawing, "points", error);
}

static pw_status geometry_draw(struct reader *reader, const json_t *geometry, const char *type, pw_error *error)
{
    struct drawing_point at = {0, 0};
    const json_t *coordinates = json_object_get(geometry, "coordinates");
    if (strcmp(type, "Point") == 0) {
        TRY(position_read(reader, geometry, "coordinates", 0, &at, error));
        return point_take(reader, at, error);
    }
    if (strcmp(type, "LineString") == 0) {
        return line_draw(reader, coordinates, error);
    }
    if (strcmp(type, "Polygon") == 0) {
        return polygon_draw(reader, coordinates, error);
    }
    for (size_t n = 0; n < json_array_size(coordinates); n++) {
        const json_t *part = json_array_get(coordinates, n);
        if (strcmp(type, "MultiPoint") == 0) {
            TRY(position_read(reader, coordinates, NULL, n, &at, error));
            TRY(point_take(reader, at, error));
        } else if (strcmp(type, "MultiLineString") == 0) {
            TRY(line_draw(reader, part, error));
        } else {
            TRY(polygon_draw(reader, part, error));
        }
    }
    return PW_OK;
}

static pw_status page_draw(struct reader *reader, const json_t *geometry, int page, pw_error *error)
{
    reader->page = page;
    if (reader->facts.level && !reader->pages_made && reader->facts.high > 0) {
        reader->drawing->pages[page].height = reader->facts.high;
    }
    return geometry_visit(reader, geometry, geometry_draw, error);
}

/* The feature on each page that it is on; a building that names no level is on all of them. */
static pw_status pages_draw(struct reader *reader, const json_t *geometry, pw_error *error)
{
    struct drawing *drawing = reader->drawing;
    struct feature_levels *own = &reader->own;
    if (reader->pages_made) {
        int page = 0;
        const char *level = json_string_value(json_object_get(reader->properties, "level"));
        TRY(drawing_page_of(drawing, level == NULL ? "" : level, &page, error));
        return page_draw(reader, geometry, page, error);
    }
    own->count = 0;
    TRY(feature_levels_add(own, reader->properties, error));
    if (own->count == 0 && reader->levels.count > 0 && !reader->facts.building) {
        return drawing_omit(drawing, "features that are on no level", error);
    }
    for (size_t p = 0; own->count == 0 && p < drawing->page_count; p++) {
        TRY(page_draw(reader, geometry, (int)p, error));
    }
    for (size_t n = 0; n < own->count; n++) {
        int page = 0;
        TRY(drawing_page_of(drawing, own->names[n], &page, error));
        TRY(page_draw(reader, geometry, page, error));
    }
    return PW_OK;
}

static pw_status feature_draw(struct reader *reader, const json_t *geometry, const json_t *properties, pw_error *error)
{
    if (geometry == NULL) {
        return drawing_omit(reader->drawing, "features without a place", error);
    }
    reader->properties = properties;
    reader->has_class = false;
    feature_facts_of(properties, &reader->facts);
    return pages_draw(reader, geometry, error);
}

static pw_status reader_run(struct reader *reader, pw_error *error)
{
    TRY(features_visit(reader, feature_measure, error));
    TRY(feature_place_decide(reader->source, &reader->extent, reader->drawing, &reader->place, error));
    if (!reader->pages_made) {
        TRY(feature_levels_make(&reader->levels, reader->drawing, error));
    }
    TRY(features_visit(reader, feature_draw, error));
    return feature_doors_draw(&reader->doors, reader->drawing, error);
}

pw_status features_draw(const struct json_source *source, struct drawing *drawing, pw_error *error)
{
    struct reader reader = {.source = source, .drawing = drawing, .pages_made = drawing->page_count > 0};
    pw_status status = reader_run(&reader, error);
    feature_levels_free(&reader.levels);
    feature_levels_free(&reader.own);
    feature_doors_free(&reader.doors);
    return status;
}
