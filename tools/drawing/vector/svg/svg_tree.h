/* The elements of an SVG file in memory, with their attributes; of texts those of style sheets alone. Names are those
 * of SVG without a prefix "svg:"; elements of other vocabularies, which have a prefix, are not kept. */
#pragma once

#include "drawing/drawing.h"

struct svg_attribute {
    size_t name, value; /* offsets in the text */
};

enum { SVG_NONE = -1 };

struct svg_node {
    size_t name;
    size_t first_attribute, attributes;
    int parent, child, next; /* nodes, or SVG_NONE */
};

/* An element that has an id. */
struct svg_id {
    const char *id;
    int node;
};

struct svg_tree {
    const char *path;
    struct svg_node *nodes; /* the first is the root */
    struct svg_attribute *attributes;
    char *text, *sheet; /* all names and values, each closed by zero; the style sheets, closed by zero, or NULL */
    struct svg_id *ids; /* sorted */
    size_t node_count, attribute_count, text_size, sheet_size, id_count;
    size_t node_room, attribute_room, text_room, sheet_room, id_room;
};

/* Reads the file; to be freed also after a failure. */
pw_status svg_tree_read(const char *path, struct svg_tree *tree, pw_error *error);
void svg_tree_free(struct svg_tree *tree);

const char *svg_name(const struct svg_tree *tree, int node);
/* The value of an attribute; NULL where there is none. */
const char *svg_attribute(const struct svg_tree *tree, int node, const char *name);
/* The first element with this id, or SVG_NONE. */
int svg_by_id(const struct svg_tree *tree, const char *id);
