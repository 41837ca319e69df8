/* JSON documents within bounds (json_source.h). */
#include "drawing/json/json_source.h"
#include "tools/json.h"

#include <string.h>
#include <strings.h>

/* What jansson 2.14 takes for a value, an array, an object and a member of one on 64 bits, malloc's own part included.
 * A few bytes of text become a hundred times as many in memory, so that these are counted before. */
enum { VALUE_BYTES = 56, ARRAY_BYTES = 144, OBJECT_BYTES = 320, MEMBER_BYTES = 80 };

/* Geometry lies in collections of features in lists of lists: a dozen deep. */
enum { DEPTH = 64 };

/* Brackets within quotes count too, which does no harm. */
size_t json_parsed_bytes(const char *bytes, size_t size)
{
    size_t total = 0;
    for (size_t n = 0; n < size; n++) {
        switch (bytes[n]) {
        case ',':
            total += VALUE_BYTES;
            break;
        case '[':
            total += ARRAY_BYTES;
            break;
        case '{':
            total += OBJECT_BYTES;
            break;
        case ':':
            total += MEMBER_BYTES;
            break;
        default:
            break;
        }
    }
    return total + size;
}

pw_status json_source_parse(const char *name, const char *bytes, size_t size, struct json_source *source,
                            pw_error *error)
{
    snprintf(source->name, sizeof source->name, "%s", name);
    source->root = NULL;
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        bytes += 3;
        size -= 3;
    }
    FAIL_IF(size > JSON_BYTES_LIMIT || json_parsed_bytes(bytes, size) > JSON_PARSED_LIMIT, error, PW_BAD_INPUT,
            "%s is too large: JSON of at most %d MiB is read, with a few million values", name, JSON_BYTES_LIMIT >> 20);
    json_error_t wrong = {0};
    source->root = json_read_flat(bytes, size, DEPTH, JSON_DECODE_INT_AS_REAL, &wrong);
    FAIL_IF(source->root == NULL, error, PW_BAD_INPUT, "%s, line %d, column %d: %s", name, wrong.line, wrong.column,
            wrong.text);
    return PW_OK;
}

pw_status json_source_read(const char *path, struct json_source *source, pw_error *error)
{
    OWNED char *bytes = NULL;
    size_t size = 0;
    TRY(pw_file_read(path, JSON_BYTES_LIMIT, &bytes, &size, error));
    char name[sizeof source->name];
    snprintf(name, sizeof name, "'%s'", path);
    return json_source_parse(name, bytes, size, source, error);
}

void json_source_free(struct json_source *source)
{
    json_decref(source->root);
    source->root = NULL;
}

/* ---- paths ---- */

enum { PATH_SIZE = 200 };

/* Puts `.key` or `[index]` before a path; what is too long loses its end. */
static void path_before(char path[PATH_SIZE], const char *key, size_t index)
{
    char longer[PATH_SIZE];
    if (key != NULL) {
        const char *dot = path[0] == '\0' || path[0] == '[' ? "" : ".";
        snprintf(longer, sizeof longer, "%.60s%s%s", key, dot, path);
    } else {
        const char *dot = path[0] == '\0' || path[0] == '[' ? "" : ".";
        snprintf(longer, sizeof longer, "[%zu]%s%s", index, dot, path);
    }
    memcpy(path, longer, PATH_SIZE);
}

/* Looks for a container below `from` and puts the way to it before the path. The depth is what jansson allows. */
static bool path_find(const json_t *from, const json_t *wanted, char path[PATH_SIZE])
{
    if (from == wanted) {
        return true;
    }
    if (json_is_array(from)) {
        for (size_t n = 0; n < json_array_size(from); n++) {
            if (path_find(json_array_get(from, n), wanted, path)) {
                path_before(path, NULL, n);
                return true;
            }
        }
        return false;
    }
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach((json_t *)from, key, value)
    {
        if (path_find(value, wanted, path)) {
            path_before(path, key, 0);
            return true;
        }
    }
    return false;
}

pw_status(json_wrong)(const struct json_source *source, const json_t *parent, const char *key, size_t index,
                      const char *what, pw_error *error)
{
    char path[PATH_SIZE] = "";
    path_before(path, key, index);
    (void)path_find(source->root, parent, path); /* of what is not found the last part is told */
    return fail(error, PW_BAD_INPUT, "%s: %s %s", source->name, path, what);
}

/* ---- members ---- */

/* The member, NULL where there is none or it is null. Of JSON_REAL it may be an integer. */
static pw_status member_of(const struct json_source *source, const json_t *object, const char *key, json_type type,
                           const json_t **member, pw_error *error)
{
    const char *what = type == JSON_REAL     ? "is not a number"
                       : type == JSON_STRING ? "is not a text"
                       : type == JSON_ARRAY  ? "is not a list"
                                             : "is not an object";
    *member = json_object_get(object, key);
    if (*member == NULL || json_is_null(*member)) {
        *member = NULL;
        return PW_OK;
    }
    return json_typeof(*member) == type || (type == JSON_REAL && json_is_integer(*member))
               ? PW_OK
               : json_wrong(source, object, key, 0, what, error);
}

pw_status json_number_of(const struct json_source *source, const json_t *object, const char *key, double *value,
                         pw_error *error)
{
    const json_t *member;
    TRY(member_of(source, object, key, JSON_REAL, &member, error));
    *value = member != NULL ? json_number_value(member) : *value;
    return PW_OK;
}

pw_status json_text_of(const struct json_source *source, const json_t *object, const char *key, const char **text,
                       pw_error *error)
{
    const json_t *member;
    TRY(member_of(source, object, key, JSON_STRING, &member, error));
    *text = member != NULL ? json_string_value(member) : *text;
    return PW_OK;
}

pw_status json_array_of(const struct json_source *source, const json_t *object, const char *key, const json_t **array,
                        pw_error *error)
{
    const json_t *member;
    TRY(member_of(source, object, key, JSON_ARRAY, &member, error));
    *array = member != NULL ? member : *array;
    return PW_OK;
}

pw_status json_object_of(const struct json_source *source, const json_t *object, const char *key, const json_t **member,
                         pw_error *error)
{
    const json_t *found;
    TRY(member_of(source, object, key, JSON_OBJECT, &found, error));
    *member = found != NULL ? found : *member;
    return PW_OK;
}

pw_status json_object_at(const struct json_source *source, const json_t *array, size_t index, const json_t **element,
                         pw_error *error)
{
    *element = json_array_get(array, index);
    if (!json_is_object(*element)) {
        return json_wrong(source, array, NULL, index, "is not an object", error);
    }
    return PW_OK;
}

/* ---- what a file is ---- */

bool json_begins(const uint8_t *head, size_t count)
{
    size_t n = count >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (n < count && (head[n] == ' ' || head[n] == '\t' || head[n] == '\r' || head[n] == '\n')) {
        n++;
    }
    return n < count && head[n] == '{';
}

bool json_has_key(const uint8_t *head, size_t count, const char *const *keys)
{
    for (size_t k = 0; keys[k] != NULL; k++) {
        char quoted[64];
        int length = snprintf(quoted, sizeof quoted, "\"%s\"", keys[k]);
        if (memmem(head, count, quoted, (size_t)length) != NULL) {
            return true;
        }
    }
    return false;
}

bool path_ends(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}
