/* What the properties of a map's feature say: its class, named after the property that tells most ("indoor=wall
 * material=brick"), and what else a drawing keeps of it. Uses are those of OpenStreetMap's Simple Indoor Tagging and of
 * IMDF, whose "unit", "opening" and "fixture" format_imdf.c writes as properties of those names. */
#pragma once

#include "drawing/drawing.h"
#include "drawing/json/json_source.h"

struct feature_facts {
    char name[DRAWING_NAME_SIZE]; /* of the class */
    enum class_use use;
    char material[64];
    double low, high;  /* m over the floor; NAN */
    double width;      /* m: how thick a wall is, how wide an opening; 0 */
    bool building;     /* reaches through all levels that do not name it */
    bool level;        /* is the outline of a whole level, whose height `high` is */
    bool door;         /* of a point: it stands in a wall and opens it */
    bool access_point; /* of a point */
    bool may_be_ring;  /* of an area: a wall that nobody says is filled, which may be one around something */
};

/* `properties` may be NULL. */
void feature_facts_of(const json_t *properties, struct feature_facts *facts);

/* The class of these facts. */
pw_status feature_class_make(const struct feature_facts *facts, struct drawing *drawing, int *index, pw_error *error);

/* A property that is a number, or a text of one; else NAN. */
double feature_number(const json_t *properties, const char *key);
