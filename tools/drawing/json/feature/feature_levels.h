/* The levels of a map's features, as OpenStreetMap writes them ("0", "0;1", "0-2", "-1", "0.5", and "repeat_on" beside
 * "level"), become pages, from below. */
#pragma once

#include "drawing/drawing.h"
#include "drawing/json/json_source.h"

enum { LEVEL_NAME_SIZE = 32 };

struct feature_levels {
    char (*names)[LEVEL_NAME_SIZE]; /* (count), owned */
    size_t count, room;
    size_t added; /* how often one was named, which is bounded */
};

void feature_levels_free(struct feature_levels *levels);

/* Adds the levels that the properties of a feature name, to those that are there. PW_BAD_INPUT over
 * DRAWING_PAGE_LIMIT, and when features name more of them than any map does. */
pw_status feature_levels_add(struct feature_levels *levels, const json_t *properties, pw_error *error);

/* Makes the pages, from below, names that are no numbers last; of a map without levels one without a name. */
pw_status feature_levels_make(struct feature_levels *levels, struct drawing *drawing, pw_error *error);
