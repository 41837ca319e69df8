/* Levels (feature_levels.h). */
#include "drawing/json/feature/feature_levels.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS_LIMIT = 5000000 }; /* of all features together */

void feature_levels_free(struct feature_levels *levels)
{
    free(levels->names);
    *levels = (struct feature_levels){0};
}

static pw_status level_add(struct feature_levels *levels, const char *name, pw_error *error)
{
    FAIL_IF(++levels->added > LEVELS_LIMIT, error, PW_BAD_INPUT, "the features are on more than %d levels in all",
            LEVELS_LIMIT);
    for (size_t n = 0; n < levels->count; n++) {
        if (strcmp(levels->names[n], name) == 0) {
            return PW_OK;
        }
    }
    FAIL_IF(levels->count == DRAWING_PAGE_LIMIT, error, PW_BAD_INPUT, "the drawing has more than %d levels",
            DRAWING_PAGE_LIMIT);
    TRY(array_grow(&levels->names, &levels->room, levels->count, sizeof *levels->names, "levels of a drawing", error));
    snprintf(levels->names[levels->count++], LEVEL_NAME_SIZE, "%s", name);
    return PW_OK;
}

static pw_status level_add_number(struct feature_levels *levels, double level, pw_error *error)
{
    char name[LEVEL_NAME_SIZE];
    snprintf(name, sizeof name, "%.6g", level + 0.0); /* of minus zero the sign goes */
    return level_add(levels, name, error);
}

/* One part of a list, ends without blanks: a number, a range "0-2" or "-3--1" of whole numbers, or a name. */
static pw_status part_add(struct feature_levels *levels, const char *part, pw_error *error)
{
    char *end = NULL;
    double from = strtod(part, &end);
    if (end == part || !isfinite(from)) {
        return level_add(levels, part, error);
    }
    if (*end == '\0') {
        return level_add_number(levels, from, error);
    }
    char *last = NULL;
    double to = *end == '-' ? strtod(end + 1, &last) : NAN;
    if (last == NULL || last == end + 1 || *last != '\0' || !(to >= from && to - from <= DRAWING_PAGE_LIMIT)) {
        return level_add(levels, part, error);
    }
    for (int n = 0; n <= (int)(to - from); n++) {
        TRY(level_add_number(levels, from + n, error));
    }
    return PW_OK;
}

static pw_status text_add(struct feature_levels *levels, const char *text, pw_error *error)
{
    while (*text != '\0') {
        text += strspn(text, "; \t");
        size_t length = strcspn(text, ";"), kept = length;
        while (kept > 0 && isspace((unsigned char)text[kept - 1])) {
            kept--;
        }
        char part[LEVEL_NAME_SIZE];
        snprintf(part, sizeof part, "%.*s", (int)(kept < sizeof part ? kept : sizeof part - 1), text);
        if (part[0] != '\0') {
            TRY(part_add(levels, part, error));
        }
        text += length;
    }
    return PW_OK;
}

pw_status feature_levels_add(struct feature_levels *levels, const json_t *properties, pw_error *error)
{
    static const char *const KEYS[] = {"level", "repeat_on"};
    for (int k = 0; k < 2; k++) {
        const json_t *value = json_object_get(properties, KEYS[k]);
        if (json_is_number(value)) {
            TRY(level_add_number(levels, json_number_value(value), error));
        } else if (json_is_string(value)) {
            TRY(text_add(levels, json_string_value(value), error));
        }
    }
    return PW_OK;
}

/* Numbers from below, then names as they stand in the alphabet. */
static int level_compare(const void *a, const void *b)
{
    char *end_a = NULL, *end_b = NULL;
    double level_a = strtod(a, &end_a), level_b = strtod(b, &end_b);
    bool number_a = *end_a == '\0' && isfinite(level_a), number_b = *end_b == '\0' && isfinite(level_b);
    if (number_a != number_b) {
        return number_a ? -1 : 1;
    }
    if (!number_a || level_a == level_b) {
        return strcmp(a, b);
    }
    return level_a < level_b ? -1 : 1;
}

pw_status feature_levels_make(struct feature_levels *levels, struct drawing *drawing, pw_error *error)
{
    int page = 0;
    if (levels->count == 0) {
        return drawing_page_of(drawing, "", &page, error);
    }
    qsort(levels->names, levels->count, sizeof *levels->names, level_compare);
    for (size_t n = 0; n < levels->count; n++) {
        TRY(drawing_page_of(drawing, levels->names[n], &page, error));
    }
    return PW_OK;
}
