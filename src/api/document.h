/* Documents: YAML text as a tree of values that knows file, line and path of everything, so that messages name the
 * place. For applications that read YAML of their own, and for readers of drawings, which get a part of a scenario
 * (drawing.h).
 *
 *     double width = 1;
 *     TRY(pw_map_check(map, (const char *const[]){"name", "width", NULL}, error));
 *     TRY(pw_map_quantity(map, "width", PW_DIMENSION_LENGTH, (pw_range){0, 100, true, false}, &width, error));
 */
#ifndef PLANWAVE_DOCUMENT_H
#define PLANWAVE_DOCUMENT_H

#include "api/base.h"
#include "api/support.h"

PW_C_BEGIN

/* ---- what a value is ---- */

typedef enum pw_node_kind { PW_NODE_SCALAR, PW_NODE_LIST, PW_NODE_MAP } pw_node_kind;

/* A value, a list or a map. Everything that it points to lives as long as its document. */
typedef struct node {
    pw_node_kind kind;
    const char *text;   /* of a scalar; "" otherwise */
    bool quoted;        /* of a scalar: written in quotes */
    const char *source; /* name of the file, or the override as written */
    int line;           /* from 1 on; 0: from an override */
    const char *key;    /* in a map, else NULL */
    int index;          /* in its list or map, from 0 on */
    int count;          /* values of a list or a map */
    struct node *parent, *first, *last, *next;
} pw_node;

/* ---- documents ---- */

typedef struct pw_document pw_document;

/* Reads YAML; `name` stands for the file in messages. PW_BAD_INPUT, with file and line: what is not YAML, aliases,
 * tags, several documents, duplicate keys, nesting deeper than 16, more than a million values, no map at the top. */
pw_status pw_document_parse(const char *name, const char *text, size_t length, pw_document **document, pw_error *error);
/* The same of a file, at most 4 MiB; `what` it is, for messages: "sweep". */
pw_status pw_document_read(const char *path, const char *what, pw_document **document, pw_error *error);
/* The map that the document is. */
const pw_node *pw_document_root(const pw_document *document);
/* NULL is allowed. */
void pw_document_free(pw_document *document);
void pw_document_release(pw_document **owner); /* of PW_OWNED_AS */

/* The value of `key` in a map; NULL when absent. */
const pw_node *pw_node_find(const pw_node *map, const char *key);

/* An empty value: `key:`, `~` or `null`. */
bool pw_node_is_empty(const pw_node *node);

/* Fails unless the node is a single value; `what` says what it should be, as in "a number". */
pw_status pw_node_scalar(const pw_node *node, const char *what, pw_error *error);

/* True for a plain word, as in `spectra: off`. */
bool pw_node_is_word(const pw_node *node, const char *word);

/* Fails with PW_BAD_INPUT: "file:line: path = 'value': sentence". */
__attribute__((format(printf, 3, 4))) pw_status pw_node_fail(const pw_node *node, pw_error *error, const char *format,
                                                             ...);
#ifdef __clang_analyzer__
#define pw_node_fail(node, error, ...) ((pw_node_fail)(node, error, __VA_ARGS__), PW_BAD_INPUT)
#endif
/* Returns from the calling function with such a failure where `refused` holds. */
#define PW_NODE_FAIL_IF(refused, ...)                                                                                  \
    do {                                                                                                               \
        if (refused) {                                                                                                 \
            return pw_node_fail(__VA_ARGS__);                                                                          \
        }                                                                                                              \
    } while (0)
/* The same with a sentence that names the value already: "file:line: path: reason". */
pw_status pw_node_fail_quoting(const pw_node *node, const pw_error *reason, pw_error *error);

/* ---- reading values: an absent key leaves the value, the default, as it is ---- */

/* Allowed values of a quantity: low < or <= value < or <= high. */
typedef struct pw_range {
    double low, high;
    bool open_low, open_high; /* the end itself is not allowed */
} pw_range;

/* The quantity that a value is. */
pw_status pw_node_quantity(const pw_node *node, pw_dimension dimension, pw_range range, double *value, pw_error *error);

/* Fails unless it is a map whose keys are all among `allowed` (NULL terminated); names the nearest one ("did you
 * mean"). */
pw_status pw_map_check(const pw_node *map, const char *const *allowed, pw_error *error);
/* The value of a key that must be there; `why` says what it is for. */
pw_status pw_map_required(const pw_node *map, const char *key, const char *why, const pw_node **node, pw_error *error);
pw_status pw_map_quantity(const pw_node *map, const char *key, pw_dimension dimension, pw_range range, double *value,
                          pw_error *error);
pw_status pw_map_integer(const pw_node *map, const char *key, pw_dimension dimension, int64_t low, int64_t high,
                         int64_t *value, pw_error *error);
/* Position of the value among `names` (NULL terminated). */
pw_status pw_map_choice(const pw_node *map, const char *key, const char *const *names, int *index, pw_error *error);
/* on, off, true, false, yes, no */
pw_status pw_map_switch(const pw_node *map, const char *key, bool *value, pw_error *error);
/* A copy of fewer than `limit` bytes; the caller frees it. */
pw_status pw_map_text(const pw_node *map, const char *key, size_t limit, char **text, pw_error *error);

/* A name as transmitters have it: it can be that of a file. */
pw_status pw_map_name(const pw_node *map, const char *key, char name[PW_NAME_SIZE], pw_error *error);

enum { PW_PATH_LIMIT = 4096 }; /* characters of a path in a document */

/* Between the two, numbers of this thread have a decimal point whatever the locale of the program is. */
typedef struct pw_plain_numbers {
    void *plain, *before;
} pw_plain_numbers;
pw_status pw_plain_numbers_begin(pw_plain_numbers *numbers, pw_error *error);
void pw_plain_numbers_end(pw_plain_numbers *numbers);

/* `path` behind `folder`, unless it is absolute or there is none; replaces *path, which the caller owns. */
pw_status pw_path_resolve(const char *folder, char **path, pw_error *error);

PW_C_END

#endif
