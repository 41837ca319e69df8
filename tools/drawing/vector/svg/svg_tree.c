/* Reads an SVG file with expat (svg_tree.h). Entities of the document itself are resolved, as Illustrator writes them;
 * expat ends documents whose entities blow up, and files outside are not looked for. */
#include "drawing/vector/svg/svg_tree.h"
#include "drawing/xml_file.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_MEGABYTES = 128, TEXT_MEGABYTES = 256, SHEET_MEGABYTES = 4, NODE_LIMIT = 2000000, DEPTH_LIMIT = 256 };

struct reading {
    struct svg_tree *tree;
    XML_Parser parser;
    int open[DEPTH_LIMIT]; /* the elements that are open, SVG_NONE for those that are not kept */
    int last[DEPTH_LIMIT]; /* and the last child of each */
    int depth;
    bool in_style;
    pw_status status;
    pw_error *error;
};

void svg_tree_free(struct svg_tree *tree)
{
    PW_FREE_ALL(tree->nodes, tree->attributes, tree->text, tree->sheet, tree->ids);
    *tree = (struct svg_tree){0};
}

const char *svg_name(const struct svg_tree *tree, int node)
{
    return tree->text + tree->nodes[node].name;
}

const char *svg_attribute(const struct svg_tree *tree, int node, const char *name)
{
    const struct svg_node *own = &tree->nodes[node];
    for (size_t a = own->first_attribute; a < own->first_attribute + own->attributes; a++) {
        if (strcmp(tree->text + tree->attributes[a].name, name) == 0) {
            return tree->text + tree->attributes[a].value;
        }
    }
    return NULL;
}

/* Room for `more` further ones in an array of `count` of at most `limit`. */
static pw_status room_make(struct svg_tree *tree, void **array, size_t *room, size_t needed, size_t size, size_t limit,
                           pw_error *error)
{
    FAIL_IF(needed > limit, error, PW_BAD_INPUT, "'%s' has more than %zu %s", tree->path, limit,
            size == 1 ? "bytes of names, values or style sheets" : "elements or attributes");
    if (needed <= *room) {
        return PW_OK;
    }
    size_t more = 2 * needed + 256;
    void *larger = realloc(*array, more * size);
    FAIL_IF(larger == NULL, error, PW_NO_RESOURCE, "not enough memory to read '%s'", tree->path);
    *array = larger;
    *room = more;
    return PW_OK;
}

static pw_status text_add(struct svg_tree *tree, const char *text, size_t *offset, pw_error *error)
{
    size_t size = strlen(text) + 1;
    TRY(room_make(tree, (void **)&tree->text, &tree->text_room, tree->text_size + size, 1, (size_t)TEXT_MEGABYTES << 20,
                  error));
    memcpy(tree->text + tree->text_size, text, size);
    *offset = tree->text_size;
    tree->text_size += size;
    return PW_OK;
}

static pw_status node_add(struct svg_tree *tree, const char *name, const char **attributes, int *index, pw_error *error)
{
    struct svg_node node = {.first_attribute = tree->attribute_count, .child = SVG_NONE, .next = SVG_NONE};
    TRY(room_make(tree, (void **)&tree->nodes, &tree->node_room, tree->node_count + 1, sizeof *tree->nodes, NODE_LIMIT,
                  error));
    TRY(text_add(tree, name, &node.name, error));
    for (; *attributes != NULL; attributes += 2) {
        struct svg_attribute attribute;
        TRY(room_make(tree, (void **)&tree->attributes, &tree->attribute_room, tree->attribute_count + 1,
                      sizeof *tree->attributes, 10 * NODE_LIMIT, error));
        TRY(text_add(tree, attributes[0], &attribute.name, error));
        TRY(text_add(tree, attributes[1], &attribute.value, error));
        tree->attributes[tree->attribute_count++] = attribute;
        node.attributes++;
    }
    *index = (int)tree->node_count;
    tree->nodes[tree->node_count++] = node;
    return PW_OK;
}

static void reading_stop(struct reading *reading, pw_status status)
{
    if (reading->status == PW_OK) {
        reading->status = status;
        XML_StopParser(reading->parser, XML_FALSE);
    }
}

static void element_begin(void *user, const char *name, const char **attributes)
{
    struct reading *reading = user;
    struct svg_tree *tree = reading->tree;
    if (reading->status != PW_OK) {
        return;
    }
    if (reading->depth >= DEPTH_LIMIT) {
        reading_stop(reading,
                     fail(reading->error, PW_BAD_INPUT, "'%s', line %lu: elements are nested more than %d deep",
                          tree->path, (unsigned long)XML_GetCurrentLineNumber(reading->parser), DEPTH_LIMIT));
        return;
    }
    const char *own = strncmp(name, "svg:", 4) == 0 ? name + 4 : name;
    int parent = reading->depth > 0 ? reading->open[reading->depth - 1] : SVG_NONE, index = SVG_NONE;
    bool kept = strchr(own, ':') == NULL && (reading->depth == 0 || parent != SVG_NONE);
    if (kept) {
        pw_status status = node_add(tree, own, attributes, &index, reading->error);
        if (status != PW_OK) {
            reading_stop(reading, status);
            return;
        }
        tree->nodes[index].parent = parent;
        if (parent != SVG_NONE) {
            int last = reading->last[reading->depth - 1];
            *(last == SVG_NONE ? &tree->nodes[parent].child : &tree->nodes[last].next) = index;
            reading->last[reading->depth - 1] = index;
        }
        reading->in_style = strcmp(own, "style") == 0;
    }
    reading->open[reading->depth] = index;
    reading->last[reading->depth] = SVG_NONE;
    reading->depth++;
}

static void element_end(void *user, const char *name)
{
    (void)name;
    struct reading *reading = user;
    reading->depth -= reading->depth > 0 ? 1 : 0;
    reading->in_style = false;
}

static void text_take(void *user, const char *text, int length)
{
    struct reading *reading = user;
    struct svg_tree *tree = reading->tree;
    if (!reading->in_style || reading->status != PW_OK) {
        return;
    }
    size_t size = (size_t)length;
    pw_status status = room_make(tree, (void **)&tree->sheet, &tree->sheet_room, tree->sheet_size + size + 1, 1,
                                 (size_t)SHEET_MEGABYTES << 20, reading->error);
    if (status != PW_OK) {
        reading_stop(reading, status);
        return;
    }
    memcpy(tree->sheet + tree->sheet_size, text, size);
    tree->sheet_size += size;
    tree->sheet[tree->sheet_size] = '\0';
}

static int id_order(const void *a, const void *b)
{
    const struct svg_id *one = a, *two = b;
    int order = strcmp(one->id, two->id);
    return order != 0 ? order : (one->node > two->node) - (one->node < two->node);
}

static pw_status ids_sort(struct svg_tree *tree, pw_error *error)
{
    for (size_t n = 0; n < tree->node_count; n++) {
        const char *id = svg_attribute(tree, (int)n, "id");
        if (id != NULL) {
            TRY(room_make(tree, (void **)&tree->ids, &tree->id_room, tree->id_count + 1, sizeof *tree->ids, NODE_LIMIT,
                          error));
            tree->ids[tree->id_count++] = (struct svg_id){id, (int)n};
        }
    }
    if (tree->id_count > 0) {
        qsort(tree->ids, tree->id_count, sizeof *tree->ids, id_order);
    }
    return PW_OK;
}

int svg_by_id(const struct svg_tree *tree, const char *id)
{
    size_t low = 0, high = tree->id_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(tree->ids[middle].id, id) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < tree->id_count && strcmp(tree->ids[low].id, id) == 0 ? tree->ids[low].node : SVG_NONE;
}

pw_status svg_tree_read(const char *path, struct svg_tree *tree, pw_error *error)
{
    *tree = (struct svg_tree){.path = path};
    struct reading reading = {.tree = tree, .parser = XML_ParserCreate(NULL), .error = error};
    if (reading.parser != NULL) {
        XML_SetUserData(reading.parser, &reading);
        XML_SetElementHandler(reading.parser, element_begin, element_end);
        XML_SetCharacterDataHandler(reading.parser, text_take);
    }
    TRY(xml_file_parse(reading.parser, path, (size_t)FILE_MEGABYTES << 20, &reading.status, error));
    FAIL_IF(tree->node_count == 0 || strcmp(svg_name(tree, 0), "svg") != 0, error, PW_BAD_INPUT,
            "'%s' is XML, but its first element is not svg", path);
    return ids_sort(tree, error);
}
