/* YAML of one's own, read as scenarios are: a file becomes a tree whose nodes know file and line, and every message
 * names them: "study.yaml:3: grid.cell = '1 furlong': ...". For applications that have a file besides the scenario. */
#ifndef PLANWAVE_YAML_H
#define PLANWAVE_YAML_H

#include "api/support.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pw_node_kind { PW_NODE_SCALAR, PW_NODE_LIST, PW_NODE_MAP } pw_node_kind;

/* A value, a list or a map. Everything that a node points to lives as long as its tree. */
typedef struct node {
    pw_node_kind kind;
    const char *text;   /* scalars; "" otherwise */
    bool quoted;        /* scalars: written in quotes */
    const char *source; /* name of the file, or the override as written */
    int line;           /* 1-based; 0: from an override */
    const char *key;    /* in a map, else NULL */
    int index;          /* in its parent, 0-based */
    int count;          /* children */
    struct node *parent, *first, *last, *next;
} pw_node;

/* Allowed values of a quantity: low < or <= value < or <= high. */
typedef struct range {
    double low, high;
    bool open_low, open_high; /* the end itself is not allowed */
} pw_range;

/* Reads the file, at most 4 MiB, and hands the map at its root to `read`; the tree is gone afterwards. Meanwhile
 * numbers of this thread have a decimal point, whatever the locale. `what` the file is, for messages: "sweep".
 * PW_BAD_INPUT, with file and line: what is not YAML, aliases, tags, several documents, keys that are given twice,
 * more than 16 levels or a million nodes. */
pw_status pw_yaml_read(const char *path, const char *what,
                       pw_status (*read)(const pw_node *root, void *user, pw_error *error), void *user,
                       pw_error *error);

/* Fails with PW_BAD_INPUT: "file:line: path = 'value': sentence". */
__attribute__((format(printf, 3, 4))) pw_status pw_node_fail(const pw_node *node, pw_error *error, const char *format,
                                                             ...);
/* Static analysis cannot see across files that pw_node_fail() never returns PW_OK. */
#ifdef __clang_analyzer__
#define pw_node_fail(node, error, ...) ((pw_node_fail)(node, error, __VA_ARGS__), PW_BAD_INPUT)
#endif

/* The value of `key` in a map; NULL when absent. */
const pw_node *pw_node_find(const pw_node *map, const char *key);
/* An empty value: `key:`, `~` or `null`. */
bool pw_node_is_empty(const pw_node *node);

/* Fails unless `map` is a map whose keys are all among `allowed` (NULL terminated); names the one that was probably
 * meant. */
pw_status pw_node_check_keys(const pw_node *map, const char *const *allowed, pw_error *error);
/* Fails unless the node is a single value; `what` says what it should be, as in "a number". */
pw_status pw_node_check_scalar(const pw_node *node, const char *what, pw_error *error);

/* A quantity within its range. */
pw_status pw_node_quantity(const pw_node *node, pw_dimension dimension, pw_range range, double *value, pw_error *error);

/* The value of a key that must be there; `why` says what it is for. */
pw_status pw_node_require(const pw_node *map, const char *key, const char *why, const pw_node **node, pw_error *error);

/* Values of keys of a map; one that is absent leaves *value as it is. */
pw_status pw_node_read_integer(const pw_node *map, const char *key, pw_dimension dimension, int64_t low, int64_t high,
                               int64_t *value, pw_error *error);
/* Position of the value among `names` (NULL terminated). */
pw_status pw_node_read_choice(const pw_node *map, const char *key, const char *const *names, int *index,
                              pw_error *error);
/* A copy, at most `limit` bytes, that the caller frees; what *text was is freed. */
pw_status pw_node_read_text(const pw_node *map, const char *key, size_t limit, char **text, pw_error *error);
/* A name as transmitters have it: it can be that of a file. */
pw_status pw_node_read_name(const pw_node *map, const char *key, char name[PW_NAME_SIZE], pw_error *error);

#ifdef __cplusplus
}
#endif
#endif
