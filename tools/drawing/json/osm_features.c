/* OpenStreetMap's objects to features (osm_features.h). Positions are shared: ends of ways are the same node when they
 * are the same value in memory. */
#include "drawing/json/osm_features.h"

#include <string.h>

enum { RING_WAYS_LIMIT = 2000 }; /* ways of a relation: rings are found by trying each with each */

static pw_status no_memory(pw_error *error)
{
    return fail(error, PW_NO_RESOURCE, "not enough memory for the objects of a map");
}

pw_status osm_features_make(struct osm_features *osm, struct drawing *drawing, pw_error *error)
{
    *osm = (struct osm_features){.drawing = drawing,
                                 .collection = json_pack("{s:s, s:[]}", "type", "FeatureCollection", "features"),
                                 .nodes = json_object(),
                                 .ways = json_object()};
    return osm->collection == NULL || osm->nodes == NULL || osm->ways == NULL ? no_memory(error) : PW_OK;
}

void osm_features_free(struct osm_features *osm)
{
    json_decref(osm->collection);
    json_decref(osm->nodes);
    json_decref(osm->ways);
}

void osm_object_free(struct osm_object *object)
{
    json_decref(object->tags);
    json_decref(object->list);
    object->tags = object->list = NULL;
}

pw_status osm_object_begin(struct osm_object *object, enum osm_kind kind, const char *id, pw_error *error)
{
    osm_object_free(object);
    *object = (struct osm_object){.kind = kind, .tags = json_object(), .list = json_array()};
    snprintf(object->id, sizeof object->id, "%s", id);
    return object->tags == NULL || object->list == NULL ? no_memory(error) : PW_OK;
}

pw_status osm_object_tag(struct osm_object *object, const char *key, const char *value, pw_error *error)
{
    return json_object_set_new(object->tags, key, json_string(value)) == 0 ? PW_OK : no_memory(error);
}

static pw_status list_add(struct osm_object *object, json_t *known, const char *id, pw_error *error)
{
    json_t *found = json_object_get(known, id);
    if (found == NULL) {
        object->broken = true;
        return PW_OK;
    }
    return json_array_append(object->list, found) == 0 ? PW_OK : no_memory(error);
}

pw_status osm_object_node(struct osm_object *object, const struct osm_features *osm, const char *id, pw_error *error)
{
    return object->kind == OSM_WAY ? list_add(object, osm->nodes, id, error) : PW_OK;
}

pw_status osm_object_way(struct osm_object *object, const struct osm_features *osm, const char *id, pw_error *error)
{
    return object->kind == OSM_RELATION ? list_add(object, osm->ways, id, error) : PW_OK;
}

/* ---- what tags say ---- */

static const char *tag_of(const struct osm_object *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object->tags, key));
    return value == NULL ? "" : value;
}

/* Whether the object is part of a building: streets and trees around it are not. */
static bool is_indoor(const struct osm_object *object)
{
    static const char *const KEYS[] = {"indoor", "building", "building:part", "barrier", "door", "window", "level"};
    for (size_t k = 0; k < sizeof KEYS / sizeof KEYS[0]; k++) {
        if (tag_of(object, KEYS[k])[0] != '\0') {
            return true;
        }
    }
    return false;
}

/* Whether a closed way is what it surrounds, and not a wall or a fence around it. */
static bool is_area(const struct osm_object *object)
{
    const char *indoor = tag_of(object, "indoor"), *area = tag_of(object, "area");
    if (strcmp(area, "yes") == 0 || strcmp(area, "no") == 0) {
        return area[0] == 'y';
    }
    bool line = strcmp(indoor, "wall") == 0 || strcmp(indoor, "door") == 0 || strcmp(indoor, "window") == 0;
    return !line && tag_of(object, "barrier")[0] == '\0';
}

/* ---- features ---- */

static pw_status feature_add(struct osm_features *osm, const struct osm_object *object, const char *type,
                             json_t *coordinates, pw_error *error)
{
    json_t *feature = json_pack("{s:s, s:O, s:{s:s, s:O}}", "type", "Feature", "properties", object->tags, "geometry",
                                "type", type, "coordinates", coordinates);
    json_t *features = json_object_get(osm->collection, "features");
    return json_array_append_new(features, feature) == 0 ? PW_OK : no_memory(error);
}

static bool is_closed(const json_t *chain)
{
    size_t count = json_array_size(chain);
    return count > 3 && json_array_get(chain, 0) == json_array_get(chain, count - 1);
}

static pw_status node_end(struct osm_object *object, struct osm_features *osm, pw_error *error)
{
    json_t *position = json_pack("[f, f]", object->x, object->y);
    if (json_object_set_new(osm->nodes, object->id, position) != 0) {
        return no_memory(error);
    }
    bool opening = tag_of(object, "door")[0] != '\0' || tag_of(object, "entrance")[0] != '\0' ||
                   tag_of(object, "window")[0] != '\0';
    if (opening) {
        return feature_add(osm, object, "Point", position, error);
    }
    return json_object_size(object->tags) == 0 ? PW_OK : drawing_omit(osm->drawing, "points", error);
}

static pw_status way_end(struct osm_object *object, struct osm_features *osm, pw_error *error)
{
    if (json_object_set(osm->ways, object->id, object->list) != 0) {
        return no_memory(error);
    }
    if (!is_indoor(object)) {
        bool tagged = json_object_size(object->tags) > 0;
        return tagged ? drawing_omit(osm->drawing, "ways that are no part of a building", error) : PW_OK;
    }
    if (object->broken) {
        return drawing_omit(osm->drawing, "ways whose nodes are not in the file", error);
    }
    if (!is_closed(object->list) || !is_area(object)) {
        return feature_add(osm, object, "LineString", object->list, error);
    }
    json_t *rings = json_pack("[O]", object->list);
    pw_status status = rings == NULL ? no_memory(error) : feature_add(osm, object, "Polygon", rings, error);
    json_decref(rings);
    return status;
}

/* ---- rings of relations ---- */

/* Adds the points of a way that goes on from the end of a chain, the common one left out, in the direction that fits.
 * False when it does not begin or end there. */
static bool chain_extend(json_t *chain, const json_t *way)
{
    size_t count = json_array_size(way);
    const json_t *end = json_array_get(chain, json_array_size(chain) - 1);
    bool forwards = json_array_get(way, 0) == end, backwards = json_array_get(way, count - 1) == end;
    if (count < 2 || !(forwards || backwards)) {
        return false;
    }
    bool whole = true;
    for (size_t n = 1; n < count; n++) {
        whole = json_array_append(chain, json_array_get(way, forwards ? n : count - 1 - n)) == 0 && whole;
    }
    return whole;
}

/* Takes a ring that begins with the first of the ways that are left; those that are used are set to null. NULL when
 * the ways do not close. */
static json_t *ring_take(json_t *ways, size_t first)
{
    json_t *chain = json_copy(json_array_get(ways, first));
    bool found = chain != NULL;
    (void)json_array_set_new(ways, first, json_null());
    while (found && !is_closed(chain)) {
        found = false;
        for (size_t n = first + 1; !found && n < json_array_size(ways); n++) {
            const json_t *way = json_array_get(ways, n);
            found = json_is_array(way) && chain_extend(chain, way);
            if (found) {
                (void)json_array_set_new(ways, n, json_null());
            }
        }
    }
    if (!found) {
        json_decref(chain);
        return NULL;
    }
    return chain;
}

static pw_status rings_make(json_t *ways, json_t *rings, bool *whole, pw_error *error)
{
    for (size_t n = 0; *whole && n < json_array_size(ways); n++) {
        if (json_is_array(json_array_get(ways, n))) {
            json_t *ring = ring_take(ways, n);
            *whole = ring != NULL;
            if (*whole && json_array_append_new(rings, ring) != 0) {
                return no_memory(error);
            }
        }
    }
    return PW_OK;
}

/* Counts the points of a relation's ways; PW_BAD_INPUT when all relations together have too many. */
static pw_status ways_count(const struct osm_object *object, struct osm_features *osm, pw_error *error)
{
    for (size_t n = 0; n < json_array_size(object->list); n++) {
        osm->ring_points += json_array_size(json_array_get(object->list, n));
    }
    return osm->ring_points <= DRAWING_POINT_LIMIT
               ? PW_OK
               : fail(error, PW_BAD_INPUT, "the ways of relations have more than %d points", DRAWING_POINT_LIMIT);
}

/* All rings make one area, filled by the even-odd rule: inner ones are holes whatever their role says. */
static pw_status relation_end(struct osm_object *object, struct osm_features *osm, pw_error *error)
{
    if (strcmp(tag_of(object, "type"), "multipolygon") != 0 || !is_indoor(object)) {
        return PW_OK;
    }
    TRY(ways_count(object, osm, error));
    bool whole = !object->broken && json_array_size(object->list) <= RING_WAYS_LIMIT;
    json_t *rings = json_array();
    pw_status status = rings == NULL ? no_memory(error) : rings_make(object->list, rings, &whole, error);
    if (status == PW_OK && whole) {
        status = feature_add(osm, object, "Polygon", rings, error);
    } else if (status == PW_OK) {
        status = drawing_omit(osm->drawing, "multipolygons whose rings do not close", error);
    }
    json_decref(rings);
    return status;
}

pw_status osm_object_end(struct osm_object *object, struct osm_features *osm, pw_error *error)
{
    switch (object->kind) {
    case OSM_NODE:
        return node_end(object, osm, error);
    case OSM_WAY:
        return way_end(object, osm, error);
    case OSM_RELATION:
        return relation_end(object, osm, error);
    case OSM_OTHER:
        break;
    }
    return PW_OK;
}
