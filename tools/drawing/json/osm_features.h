/* Nodes, ways and relations of OpenStreetMap, put together into features as GeoJSON has them: closed ways are areas or
 * lines by their tags, multipolygon relations areas of the rings that their ways make. */
#pragma once

#include "drawing/drawing.h"
#include "drawing/json/json_source.h"

enum osm_kind { OSM_OTHER, OSM_NODE, OSM_WAY, OSM_RELATION };

struct osm_features {
    struct drawing *drawing; /* borrowed: what is left out is counted there */
    json_t *collection;      /* owned: the FeatureCollection that is made */
    json_t *nodes, *ways;    /* owned: an id to a position; to a list of positions */
    size_t ring_points;      /* of relations, which is bounded: they may name a long way again and again */
};

/* One object while it is read. */
struct osm_object {
    enum osm_kind kind;
    char id[32];
    double x, y;  /* of a node, degrees east and north */
    json_t *tags; /* owned */
    json_t *list; /* owned: positions of a way; ways of a relation */
    bool broken;  /* something that it names is not in the file */
};

pw_status osm_features_make(struct osm_features *osm, struct drawing *drawing, pw_error *error);
void osm_features_free(struct osm_features *osm);

pw_status osm_object_begin(struct osm_object *object, enum osm_kind kind, const char *id, pw_error *error);
pw_status osm_object_tag(struct osm_object *object, const char *key, const char *value, pw_error *error);
/* A node of a way, a way of a relation. */
pw_status osm_object_node(struct osm_object *object, const struct osm_features *osm, const char *id, pw_error *error);
pw_status osm_object_way(struct osm_object *object, const struct osm_features *osm, const char *id, pw_error *error);
/* Keeps the object for those that name it, and makes the feature that it is, if any. */
pw_status osm_object_end(struct osm_object *object, struct osm_features *osm, pw_error *error);
void osm_object_free(struct osm_object *object);
