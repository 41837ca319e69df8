/* Single values of a scenario, checked. What they mean together is for the files that read the
 * parts of a scenario. */
#include "scenario/scenario_read.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const double COORDINATE_LIMIT = 1e6; /* m */

pw_status pw_plain_numbers_begin(pw_plain_numbers *numbers, pw_error *error)
{
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    FAIL_IF(plain == (locale_t)0, error, PW_NO_RESOURCE, "not enough memory for a scenario");
    *numbers = (pw_plain_numbers){.plain = plain, .before = uselocale(plain)};
    return PW_OK;
}

void pw_plain_numbers_end(pw_plain_numbers *numbers)
{
    uselocale((locale_t)numbers->before);
    freelocale((locale_t)numbers->plain);
}

/* Edit distance of two short words, for "did you mean"; large when either is long. */
static int word_distance(const char *a, const char *b)
{
    enum { WORD = 32 };
    size_t n = strlen(a), m = strlen(b);
    if (n >= WORD || m >= WORD) {
        return WORD;
    }
    int row[WORD + 1];
    for (size_t j = 0; j <= m; j++) {
        row[j] = (int)j;
    }
    for (size_t i = 1; i <= n; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            int substituted = diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
            int inserted = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = substituted < inserted ? substituted : inserted;
        }
    }
    return row[m];
}

/* The word of the list that `word` probably means; NULL when none is near. */
const char *word_nearest(const char *word, const char *const *allowed)
{
    const char *nearest = NULL;
    int distance = strlen(word) > 3 ? 3 : 2;
    for (int i = 0; allowed[i] != NULL; i++) {
        int d = word_distance(word, allowed[i]);
        if (d < distance) {
            distance = d;
            nearest = allowed[i];
        }
    }
    return nearest;
}

/* "; did you mean 'grid'? allowed are a, b, c" */
static void suggest(const char *word, const char *const *allowed, char *text, size_t size)
{
    const char *nearest = word_nearest(word, allowed);
    char list[400] = "";
    for (int i = 0; allowed[i] != NULL; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", allowed[i]);
    }
    snprintf(text, size, "%s%s%s allowed: %s", nearest != NULL ? "did you mean '" : "", nearest != NULL ? nearest : "",
             nearest != NULL ? "'?" : "", list);
}

pw_status read_map(const struct node *map, const char *const *allowed, pw_error *error)
{
    char hint[500];
    if (map->kind != PW_NODE_MAP) {
        suggest("", allowed, hint, sizeof hint);
        return node_fail(map, error, "must be a map of keys;%s", hint);
    }
    for (const struct node *child = map->first; child != NULL; child = child->next) {
        int i = 0;
        while (allowed[i] != NULL && strcmp(allowed[i], child->key) != 0) {
            i++;
        }
        if (allowed[i] == NULL) {
            suggest(child->key, allowed, hint, sizeof hint);
            return node_fail(child, error, "unknown key;%s%s", hint[0] == ' ' ? "" : " ", hint);
        }
    }
    return PW_OK;
}

pw_status read_required(const struct node *map, const char *key, const char *why, const struct node **node,
                        pw_error *error)
{
    *node = node_find(map, key);
    NODE_FAIL_IF(*node == NULL, map, error, "the key '%s' is missing: %s", key, why);
    return node_is_empty(*node) ? node_fail(*node, error, "has no value: %s", why) : PW_OK;
}

pw_status node_scalar(const struct node *node, const char *what, pw_error *error)
{
    NODE_FAIL_IF(node->kind != PW_NODE_SCALAR, node, error, "is a %s, and must be %s",
                 node->kind == PW_NODE_LIST ? "list" : "map", what);
    return node_is_empty(node) ? node_fail(node, error, "has no value, and must be %s", what) : PW_OK;
}

bool node_is_bare(const struct node *node)
{
    size_t length = node->kind == PW_NODE_SCALAR ? strlen(node->text) : 0;
    while (length > 0 && isspace((unsigned char)node->text[length - 1])) {
        length--;
    }
    return length > 0 && (isdigit((unsigned char)node->text[length - 1]) || node->text[length - 1] == '.');
}

bool node_is_word(const struct node *node, const char *word)
{
    return node->kind == PW_NODE_SCALAR && strcasecmp(node->text, word) == 0;
}

pw_status node_quantity(const struct node *node, pw_dimension dimension, pw_range range, double *value, pw_error *error)
{
    TRY(node_scalar(node, "a quantity", error));
    pw_error reason;
    double number;
    if (quantity_parse(node->text, dimension, &number, &reason) != PW_OK) {
        return node_fail_quoting(node, &reason, error);
    }
    bool low = range.open_low ? number > range.low : number >= range.low;
    bool high = range.open_high ? number < range.high : number <= range.high;
    if (!low || !high) {
        char from[QUANTITY_SIZE], to[QUANTITY_SIZE];
        return node_fail(node, error, "out of range; allowed: %s %s to %s %s", range.open_low ? "above" : "from",
                         quantity_format(range.low, dimension, from), range.open_high ? "below" : "at most",
                         quantity_format(range.high, dimension, to));
    }
    *value = number == 0 ? 0 : number; /* no negative zero */
    return PW_OK;
}

pw_status read_quantity(const struct node *map, const char *key, pw_dimension dimension, pw_range range, double *value,
                        pw_error *error)
{
    const struct node *node = node_find(map, key);
    return node != NULL ? node_quantity(node, dimension, range, value, error) : PW_OK;
}

pw_status read_open_quantity(const struct node *map, const char *key, pw_dimension dimension, pw_range range,
                             double *value, pw_error *error)
{
    const struct node *node = node_find(map, key);
    return node == NULL || node_is_word(node, "auto") ? PW_OK : node_quantity(node, dimension, range, value, error);
}

pw_status read_open_integer(const struct node *map, const char *key, pw_dimension dimension, const int64_t range[2],
                            int64_t *value, pw_error *error)
{
    const struct node *node = node_find(map, key);
    return node == NULL || node_is_word(node, "auto")
               ? PW_OK
               : read_integer(map, key, dimension, range[0], range[1], value, error);
}

/* A bare number would be radians, which nobody means by 30. */
pw_status read_angle(const struct node *map, const char *key, double most, double *angle, pw_error *error)
{
    const struct node *node = node_find(map, key);
    pw_error ignored;
    double zero = 1;
    NODE_FAIL_IF(
        node != NULL && node_is_bare(node) &&
            (node_quantity(node, PW_DIMENSION_NUMBER, (pw_range){-1e9, 1e9, false, false}, &zero, &ignored) != PW_OK ||
             zero != 0),
        node, error, "an angle needs its unit, as in 30 deg");
    NODE_FAIL_IF(node != NULL && node_quantity(node, PW_DIMENSION_ANGLE, (pw_range){-most, most, false, false}, angle,
                                               &ignored) != PW_OK,
                 node, error, "must be an angle from -%g deg to %g deg, as in 30 deg", most * 180 / M_PI,
                 most * 180 / M_PI);
    return PW_OK;
}

pw_status read_integer(const struct node *map, const char *key, pw_dimension dimension, int64_t low, int64_t high,
                       int64_t *value, pw_error *error)
{
    const struct node *node = node_find(map, key);
    if (node == NULL) {
        return PW_OK;
    }
    double number = 0;
    TRY(node_quantity(node, dimension, (pw_range){(double)low, (double)high, false, false}, &number, error));
    NODE_FAIL_IF(number != floor(number), node, error, "must be a whole number from %lld to %lld", (long long)low,
                 (long long)high);
    *value = (int64_t)number;
    return PW_OK;
}

pw_status read_choice(const struct node *map, const char *key, const char *const *names, int *index, pw_error *error)
{
    const struct node *node = node_find(map, key);
    if (node == NULL) {
        return PW_OK;
    }
    TRY(node_scalar(node, "one word", error));
    for (int i = 0; names[i] != NULL; i++) {
        if (strcasecmp(node->text, names[i]) == 0) {
            *index = i;
            return PW_OK;
        }
    }
    char hint[500];
    suggest(node->text, names, hint, sizeof hint);
    return node_fail(node, error, "unknown value;%s%s", hint[0] == ' ' ? "" : " ", hint);
}

pw_status read_switch(const struct node *map, const char *key, bool *value, pw_error *error)
{
    static const char *const WORDS[] = {"on", "off", "true", "false", "yes", "no", NULL};
    int index = *value ? 0 : 1;
    TRY(read_choice(map, key, WORDS, &index, error));
    *value = index % 2 == 0;
    return PW_OK;
}

pw_status read_text(const struct node *map, const char *key, size_t limit, char **text, pw_error *error)
{
    const struct node *node = node_find(map, key);
    if (node == NULL) {
        return PW_OK;
    }
    TRY(node_scalar(node, "a text", error));
    NODE_FAIL_IF(strlen(node->text) > limit, node, error, "has %zu characters; at most %zu are allowed",
                 strlen(node->text), limit);
    char *copy = strdup(node->text);
    FAIL_IF(copy == NULL, error, PW_NO_RESOURCE, "not enough memory for '%s'", key);
    free(*text);
    *text = copy;
    return PW_OK;
}

pw_status read_name(const struct node *map, const char *key, char name[NAME_SIZE], pw_error *error)
{
    const struct node *node = node_find(map, key);
    if (node == NULL) {
        return PW_OK;
    }
    TRY(node_scalar(node, "a name", error));
    NODE_FAIL_IF(!name_is_good(node->text), node, error,
                 "is no name; allowed: " NAME_LETTERS ", up to %d bytes in UTF-8", NAME_SIZE - 1);
    snprintf(name, NAME_SIZE, "%s", node->text);
    return PW_OK;
}

pw_status read_station_name(const struct node *map, char name[NAME_SIZE], pw_error *error)
{
    TRY(read_name(map, "name", name, error));
    const struct node *node = node_find(map, "name");
    const char *reason = node != NULL ? name_reserved(name) : NULL;
    return reason == NULL ? PW_OK : node_fail(node, error, "is no name for a station: %s", reason);
}

pw_status node_point(const struct node *node, struct point *point, pw_error *error)
{
    NODE_FAIL_IF(node->kind != PW_NODE_LIST || node->count != 2, node, error,
                 "must be a point: two lengths [x, y], as in [1.2 m, 3 m]");
    pw_range range = {-COORDINATE_LIMIT, COORDINATE_LIMIT, false, false};
    TRY(node_quantity(node->first, PW_DIMENSION_LENGTH, range, &point->x, error));
    return node_quantity(node->last, PW_DIMENSION_LENGTH, range, &point->y, error);
}

pw_status read_point(const struct node *map, const char *key, struct point *point, pw_error *error)
{
    const struct node *node;
    TRY(read_required(map, key, "a point [x, y], as in [1.2 m, 3 m]", &node, error));
    return node_point(node, point, error);
}

pw_status read_place(const struct node *map, const char *key, struct point *point, double *height, pw_error *error)
{
    const struct node *node;
    TRY(read_required(map, key, "a place [x, y] or [x, y, z], as in [1.2 m, 3 m, 1.5 m]", &node, error));
    if (node->kind == PW_NODE_LIST && node->count == 2) {
        return node_point(node, point, error);
    }
    NODE_FAIL_IF(node->kind != PW_NODE_LIST || node->count != 3, node, error,
                 "must be a place: lengths [x, y] or [x, y, z], as in [1.2 m, 3 m, 1.5 m]");
    pw_range range = {-COORDINATE_LIMIT, COORDINATE_LIMIT, false, false};
    TRY(node_quantity(node->first, PW_DIMENSION_LENGTH, range, &point->x, error));
    TRY(node_quantity(node->first->next, PW_DIMENSION_LENGTH, range, &point->y, error));
    return node_quantity(node->last, PW_DIMENSION_LENGTH, range, height, error);
}

pw_status read_list(const struct node *map, const char *key, int limit, const struct node **list, pw_error *error)
{
    *list = node_find(map, key);
    if (*list == NULL || node_is_empty(*list)) {
        *list = NULL;
        return PW_OK;
    }
    NODE_FAIL_IF((*list)->kind != PW_NODE_LIST, *list, error, "must be a list: entries that begin with '-', or [...]");
    NODE_FAIL_IF((*list)->count > limit, *list, error, "has %d entries; at most %d are allowed", (*list)->count, limit);
    return PW_OK;
}

pw_status path_resolve(const char *folder, char **path, pw_error *error)
{
    if (folder == NULL || (*path)[0] == '/') {
        return PW_OK;
    }
    size_t size = strlen(folder) + strlen(*path) + 2;
    char *joined = allocate(size, 1, "a path", error);
    TRY_MADE(joined);
    snprintf(joined, size, "%s/%s", folder, *path);
    free(*path);
    *path = joined;
    return PW_OK;
}

/* ---- names of the interface ---- */

INTERFACE_NAME(pw_node_is_word, node_is_word);
INTERFACE_NAME(pw_node_quantity, node_quantity);
INTERFACE_NAME(pw_map_check, read_map);
INTERFACE_NAME(pw_map_required, read_required);
INTERFACE_NAME(pw_map_quantity, read_quantity);
INTERFACE_NAME(pw_map_integer, read_integer);
INTERFACE_NAME(pw_map_choice, read_choice);
INTERFACE_NAME(pw_map_switch, read_switch);
INTERFACE_NAME(pw_map_text, read_text);
INTERFACE_NAME(pw_path_resolve, path_resolve);
INTERFACE_NAME(pw_map_name, read_name);
INTERFACE_NAME(pw_node_scalar, node_scalar);
