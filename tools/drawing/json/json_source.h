/* A JSON document that a drawing is read from, parsed by jansson within bounds of size and memory, and its members
 * looked up so that a message names the file and the path of what is wrong, as "features[3].geometry.type". Members
 * that are missing, or null, are left to the caller: files of other programs rarely have them all. */
#pragma once

#include "ground.h"

#include <jansson.h>
#include <stdbool.h>

enum { JSON_BYTES_LIMIT = 64 << 20, JSON_PARSED_LIMIT = 1 << 30 }; /* of one document, and in memory */

struct json_source {
    char name[512]; /* for messages, quotes included: "'plan.geojson'", "wallTypes.json in 'plan.esx'" */
    json_t *root;   /* owned */
};

/* Parses `size` bytes, a byte order mark before them passed over. PW_BAD_INPUT names line and column. */
pw_status json_source_parse(const char *name, const char *bytes, size_t size, struct json_source *source,
                            pw_error *error);
/* About the bytes that a text will take in memory. */
size_t json_parsed_bytes(const char *bytes, size_t size);
/* Reads a file. */
pw_status json_source_read(const char *path, struct json_source *source, pw_error *error);
void json_source_free(struct json_source *source);

/* Fails with the path of a member of an object, or with `key` NULL of the element `index` of an array: "'plan.geojson':
 * features[3].geometry.type is not a text". */
pw_status json_wrong(const struct json_source *source, const json_t *parent, const char *key, size_t index,
                     const char *what, pw_error *error);

/* Static analysis cannot see across files that this never returns PW_OK. */
#ifdef __clang_analyzer__
#define json_wrong(...) ((json_wrong)(__VA_ARGS__), PW_BAD_INPUT)
#endif

/* Members of an object by their kind; what is missing or null leaves the value as it is. PW_BAD_INPUT when the member
 * is something else. */
pw_status json_number_of(const struct json_source *source, const json_t *object, const char *key, double *value,
                         pw_error *error);
pw_status json_text_of(const struct json_source *source, const json_t *object, const char *key, const char **text,
                       pw_error *error);
pw_status json_array_of(const struct json_source *source, const json_t *object, const char *key, const json_t **array,
                        pw_error *error);
pw_status json_object_of(const struct json_source *source, const json_t *object, const char *key, const json_t **member,
                         pw_error *error);

/* The element of an array, which has to be an object. */
pw_status json_object_at(const struct json_source *source, const json_t *array, size_t index, const json_t **element,
                         pw_error *error);

/* Whether the first bytes of a file may be those of a JSON object; and whether one of these words stands among them in
 * quotes. The list ends with NULL. */
bool json_begins(const uint8_t *head, size_t count);
bool json_has_key(const uint8_t *head, size_t count, const char *const *keys);
/* Whether a path ends so, in large or small letters. */
bool path_ends(const char *path, const char *ending);
