/* The YAML of a scenario as a tree that remembers file, line and path of everything, for messages. Used by the
 * scenario room, and by rooms that read YAML of their own. */
#pragma once

#include "api/document.h"
#include "base/status.h"

struct tree {
    struct node *root;         /* a map */
    struct tree_block *blocks; /* memory of all nodes and strings, owned */
    int node_count;
};

/* Composes YAML text into a tree. Refused, with file and line: what is not YAML, aliases, tags, several documents,
 * duplicate keys, nesting deeper than 16, more than a million nodes. Call tree_free() also after a failure. */
pw_status tree_parse(struct tree *tree, const char *name, const char *text, size_t length, pw_error *error);

/* Applies "a.b=c": a dotted path (list items by index or by their `name`) and a YAML value. Maps on the way are made
 * when they are missing; whether a key means anything is for the reader of the tree. */
pw_status tree_override(struct tree *tree, const char *assignment, pw_error *error);

void tree_free(struct tree *tree);

/* The value of `key` in a map; NULL when absent. */
const struct node *node_find(const struct node *map, const char *key);

/* An empty value: `key:`, `~` or `null`. */
bool node_is_empty(const struct node *node);

/* Fails with PW_BAD_INPUT: "file:line: path = 'value': sentence", or "--set a.b=c: ..." for overrides. */
__attribute__((format(printf, 3, 4))) pw_status node_fail(const struct node *node, pw_error *error, const char *format,
                                                          ...);
/* Static analysis cannot see across files that node_fail() never returns PW_OK. */
#ifdef __clang_analyzer__
#define node_fail(node, error, ...) ((node_fail)(node, error, __VA_ARGS__), PW_BAD_INPUT)
#endif
/* Returns from the calling function with such a failure where `refused` holds. */
#define NODE_FAIL_IF(refused, ...) PW_NODE_FAIL_IF(refused, __VA_ARGS__)
/* The same with a sentence that names the value already: "file:line: path: reason". */
pw_status node_fail_quoting(const struct node *node, const pw_error *reason, pw_error *error);
