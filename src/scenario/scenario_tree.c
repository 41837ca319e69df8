/* YAML text to a tree of nodes, through libyaml's events, with limits that bound memory and time for hostile files, and
 * overrides by dotted paths. Leaves out what scenarios do not need: aliases, tags, several documents, typed scalars. */
#include "scenario/scenario_tree.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { DEPTH_LIMIT = 16, NODE_LIMIT = 1000000, KEY_LIMIT = 1024, BLOCK_SIZE = 1 << 16 };

/* ---- memory: blocks that are freed together ------------------------------------------------------------------- */

struct tree_block {
    struct tree_block *next;
    size_t used, size;
    max_align_t data[];
};

static void *tree_take(struct tree *tree, size_t size, pw_error *error)
{
    size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    struct tree_block *block = tree->blocks;
    if (block == NULL || block->size - block->used < size) {
        size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        block = allocate(1, sizeof *block + room, "the scenario", error);
        if (block == NULL) {
            return NULL;
        }
        block->size = room;
        block->next = tree->blocks;
        tree->blocks = block;
    }
    void *memory = (char *)block->data + block->used;
    block->used += size;
    return memory;
}

static const char *tree_copy(struct tree *tree, const char *text, size_t length, pw_error *error)
{
    char *copy = tree_take(tree, length + 1, error);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

void tree_free(struct tree *tree)
{
    while (tree->blocks != NULL) {
        struct tree_block *next = tree->blocks->next;
        free(tree->blocks);
        tree->blocks = next;
    }
    *tree = (struct tree){0};
}

/* ---- messages --------------------------------------------------------------------------------------------------- */

/* "file:12: " or "--set a.b=c: " */
static void place_write(const char *source, int line, char *text, size_t size)
{
    if (line > 0) {
        snprintf(text, size, "%.200s:%d: ", source, line);
    } else {
        snprintf(text, size, "--set %.200s: ", source);
    }
}

/* "transmitters[0].power" */
static size_t path_write(const struct node *node, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    if (node->parent == NULL) {
        return 0;
    }
    used = path_write(node->parent, text, size);
    int length;
    if (node->key != NULL) {
        length = snprintf(text + used, size - used, "%s%.40s", used > 0 ? "." : "", node->key);
    } else {
        length = snprintf(text + used, size - used, "[%d]", node->index);
    }
    used += length > 0 ? (size_t)length : 0;
    return used < size ? used : size - 1;
}

/* Control characters would spoil a terminal. */
static void make_printable(char *text)
{
    for (; *text != '\0'; text++) {
        if (iscntrl((unsigned char)*text)) {
            *text = ' ';
        }
    }
}

static pw_status fail_at(const struct node *node, bool with_value, const char *sentence, pw_error *error)
{
    char place[260], path[240], value[80] = "";
    place_write(node->source, node->line, place, sizeof place);
    path_write(node, path, sizeof path);
    if (node->kind == PW_NODE_SCALAR && with_value) {
        bool longer = strlen(node->text) > 60;
        snprintf(value, sizeof value, " = '%.60s%s'", node->text, longer ? "..." : "");
    }
    char head[600];
    snprintf(head, sizeof head, "%s%s%s%s", place, path, value, path[0] != '\0' ? ": " : "");
    make_printable(head);
    return fail(error, PW_BAD_INPUT, "%s%s", head, sentence);
}

pw_status(node_fail)(const struct node *node, pw_error *error, const char *format, ...)
{
    char sentence[700];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return fail_at(node, true, sentence, error);
}

pw_status node_fail_quoting(const struct node *node, const pw_error *reason, pw_error *error)
{
    return fail_at(node, false, reason->message, error);
}

bool node_is_empty(const struct node *node)
{
    return node->kind == PW_NODE_SCALAR && !node->quoted &&
           (node->text[0] == '\0' || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

const struct node *node_find(const struct node *map, const char *key)
{
    for (const struct node *child = map->first; child != NULL; child = child->next) {
        if (child->key != NULL && strcmp(child->key, key) == 0) {
            return child;
        }
    }
    return NULL;
}

/* ---- composing -------------------------------------------------------------------------------------------------- */

struct composer {
    struct tree *tree;
    const char *source; /* in the tree's memory */
    bool overriding;
    struct node *root, *current; /* current: the open list or map */
    const char *key;             /* waits for its value, in a map */
    int depth, documents;
};

static int event_line(const struct composer *composer, const yaml_event_t *event)
{
    return composer->overriding ? 0 : (int)event->start_mark.line + 1;
}

static pw_status compose_fail(const struct composer *composer, int line, pw_error *error, const char *sentence)
{
    char place[260];
    place_write(composer->source, line, place, sizeof place);
    make_printable(place);
    return fail(error, PW_BAD_INPUT, "%s%s", place, sentence);
}

static void node_append(struct node *parent, struct node *child)
{
    child->parent = parent;
    child->index = parent->count++;
    if (parent->last != NULL) {
        parent->last->next = child;
    } else {
        parent->first = child;
    }
    parent->last = child;
}

/* A new node, hung into the open list or map. */
static pw_status node_add(struct composer *composer, pw_node_kind kind, int line, struct node **added, pw_error *error)
{
    struct tree *tree = composer->tree;
    if (++tree->node_count > NODE_LIMIT) {
        return compose_fail(composer, line, error, "more than a million values; a scenario this large is refused");
    }
    if (composer->current != NULL && composer->current->kind == PW_NODE_MAP && composer->key == NULL) {
        return compose_fail(composer, line, error, "a key must be a word, not a list or a map");
    }
    struct node *node = tree_take(tree, sizeof *node, error);
    TRY_MADE(node);
    *node = (struct node){.kind = kind, .text = "", .source = composer->source, .line = line, .key = composer->key};
    composer->key = NULL;
    if (composer->current != NULL) {
        node_append(composer->current, node);
    } else {
        composer->root = node;
    }
    *added = node;
    return PW_OK;
}

static pw_status key_take(struct composer *composer, const char *text, size_t length, int line, pw_error *error)
{
    struct node *map = composer->current;
    composer->key = tree_copy(composer->tree, text, length, error);
    TRY_MADE(composer->key);
    const struct node *twin = node_find(map, composer->key);
    if (twin == NULL && map->count < KEY_LIMIT) {
        return PW_OK;
    }
    char sentence[160];
    if (twin == NULL) {
        snprintf(sentence, sizeof sentence, "more than %d keys in one map", KEY_LIMIT);
    } else if (twin->line > 0) {
        snprintf(sentence, sizeof sentence, "the key '%.60s' was already given in line %d", composer->key, twin->line);
    } else {
        snprintf(sentence, sizeof sentence, "the key '%.60s' is given twice", composer->key);
    }
    make_printable(sentence);
    return compose_fail(composer, line, error, sentence);
}

static pw_status scalar_take(struct composer *composer, const yaml_event_t *event, pw_error *error)
{
    int line = event_line(composer, event);
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (event->data.scalar.tag != NULL) {
        return compose_fail(composer, line, error, "YAML tags ('!...') are not used in scenarios");
    }
    if (memchr(text, '\0', length) != NULL) {
        return compose_fail(composer, line, error, "a text with a zero character in it");
    }
    if (composer->current != NULL && composer->current->kind == PW_NODE_MAP && composer->key == NULL) {
        return key_take(composer, text, length, line, error);
    }
    struct node *node;
    TRY(node_add(composer, PW_NODE_SCALAR, line, &node, error));
    node->text = tree_copy(composer->tree, text, length, error);
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    return node->text != NULL ? PW_OK : PW_NO_RESOURCE;
}

static pw_status collection_open(struct composer *composer, const yaml_event_t *event, pw_node_kind kind,
                                 pw_error *error)
{
    int line = event_line(composer, event);
    const yaml_char_t *tag = kind == PW_NODE_MAP ? event->data.mapping_start.tag : event->data.sequence_start.tag;
    if (tag != NULL) {
        return compose_fail(composer, line, error, "YAML tags ('!...') are not used in scenarios");
    }
    if (++composer->depth > DEPTH_LIMIT) {
        return compose_fail(composer, line, error, "nested deeper than 16 levels");
    }
    struct node *node;
    TRY(node_add(composer, kind, line, &node, error));
    composer->current = node;
    return PW_OK;
}

static pw_status event_take(struct composer *composer, const yaml_event_t *event, pw_error *error)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return scalar_take(composer, event, error);
    case YAML_SEQUENCE_START_EVENT:
        return collection_open(composer, event, PW_NODE_LIST, error);
    case YAML_MAPPING_START_EVENT:
        return collection_open(composer, event, PW_NODE_MAP, error);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        composer->depth--;
        assert(composer->current != NULL); /* libyaml closes only what it opened */
        composer->current = composer->current->parent;
        return PW_OK;
    case YAML_ALIAS_EVENT:
        return compose_fail(composer, event_line(composer, event), error,
                            "YAML aliases ('*name') are not used in scenarios; write the value out");
    case YAML_DOCUMENT_START_EVENT:
        if (++composer->documents > 1) {
            return compose_fail(composer, event_line(composer, event), error,
                                "a second YAML document ('---'); a scenario is one document");
        }
        return PW_OK;
    default:
        return PW_OK;
    }
}

/* Whether a tab indents the line, counted from 0: YAML takes blanks alone, and libyaml does not always say so. */
static bool tab_indents(const char *text, size_t length, size_t line)
{
    const char *at = text, *end = text + length;
    for (; line > 0 && at < end; at++) {
        line -= *at == '\n';
    }
    for (; at < end && *at == ' '; at++) {
    }
    return at < end && *at == '\t';
}

static pw_status parser_fail(const struct composer *composer, const yaml_parser_t *parser, const char *text,
                             size_t length, pw_error *error)
{
    FAIL_IF(parser->error == YAML_MEMORY_ERROR, error, PW_NO_RESOURCE, "%.200s: not enough memory to read YAML",
            composer->source);
    char sentence[300];
    snprintf(sentence, sizeof sentence, "not valid YAML: %s%s%s",
             parser->problem != NULL ? parser->problem : "cannot be read", parser->context != NULL ? ", " : "",
             parser->context != NULL ? parser->context : "");
    /* Reader errors (bad UTF-8) know an offset only; the scanner has stood close by. */
    size_t line = parser->error == YAML_READER_ERROR ? parser->mark.line : parser->problem_mark.line;
    if (tab_indents(text, length, line)) {
        snprintf(sentence, sizeof sentence, "not valid YAML: a tab indents this line; YAML takes blanks");
    }
    return compose_fail(composer, composer->overriding ? 0 : (int)line + 1, error, sentence);
}

static pw_status compose(struct composer *composer, const char *text, size_t length, pw_error *error)
{
    yaml_parser_t parser;
    FAIL_IF(!yaml_parser_initialize(&parser), error, PW_NO_RESOURCE, "%.200s: not enough memory to read YAML",
            composer->source);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    pw_status status = PW_OK;
    for (bool done = false; !done && status == PW_OK;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            status = parser_fail(composer, &parser, text, length, error);
            break;
        }
        done = event.type == YAML_STREAM_END_EVENT;
        status = event_take(composer, &event, error);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return status;
}

pw_status tree_parse(struct tree *tree, const char *name, const char *text, size_t length, pw_error *error)
{
    *tree = (struct tree){0};
    struct composer composer = {.tree = tree, .source = tree_copy(tree, name, strlen(name), error)};
    TRY_MADE(composer.source);
    TRY(compose(&composer, text, length, error));
    if (composer.root == NULL || composer.root->kind != PW_NODE_MAP) {
        return compose_fail(&composer, 1, error,
                            composer.root == NULL
                                ? "nothing is written here; keys are expected, as in 'title: My house'"
                                : "keys are expected, as in 'title: My house'");
    }
    tree->root = composer.root;
    return PW_OK;
}

/* ---- overrides -------------------------------------------------------------------------------------------------- */

static bool segment_matches(const char *path, const char *name)
{
    size_t length = strlen(name);
    return length > 0 && strncmp(path, name, length) == 0 && strchr(".[", path[length]) != NULL; /* or the end */
}

/* The item of a list that the path begins with: by `name` (which may hold dots), by index, or by index in brackets, as
 * messages write it; *used is the length of its segment. */
static struct node *list_item(const struct node *list, const char *path, size_t *used)
{
    bool bracket = path[0] == '[';
    for (struct node *item = bracket ? NULL : list->first; item != NULL; item = item->next) {
        const struct node *name = item->kind == PW_NODE_MAP ? node_find(item, "name") : NULL;
        if (name != NULL && segment_matches(path, name->text)) {
            *used = strlen(name->text);
            return item;
        }
    }
    char index[16];
    for (struct node *item = list->first; item != NULL; item = item->next) {
        *used = (size_t)snprintf(index, sizeof index, bracket ? "[%d]" : "%d", item->index);
        if (bracket ? strncmp(path, index, *used) == 0 : segment_matches(path, index)) {
            return item;
        }
    }
    return NULL;
}

/* Length of the first part of a path: a key up to the next dot or bracket, or an index in brackets. */
static size_t segment_length(const char *path)
{
    if (path[0] != '[') {
        return strcspn(path, ".[");
    }
    size_t inside = strcspn(path, "]");
    return inside + (path[inside] == ']');
}

static pw_status item_missing(const char *assignment, const struct node *list, const char *path, pw_error *error)
{
    char names[300] = "";
    for (const struct node *item = list->first; item != NULL; item = item->next) {
        const struct node *name = item->kind == PW_NODE_MAP ? node_find(item, "name") : NULL;
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%.64s", used > 0 ? ", " : "", name != NULL ? name->text : "");
    }
    return fail(error, PW_BAD_INPUT, "--set %.200s: '%s' has no item '%.*s'; it has %d, counted from 0%s%s", assignment,
                list->key != NULL ? list->key : "the list", (int)segment_length(path), path, list->count,
                names[0] != '\0' ? ", by name: " : "", names);
}

static void replace_value(struct node *target, const struct node *value)
{
    target->kind = value->kind;
    target->text = value->text;
    target->quoted = value->quoted;
    target->source = value->source;
    target->line = 0;
    target->count = value->count;
    target->first = value->first;
    target->last = value->last;
    for (struct node *child = target->first; child != NULL; child = child->next) {
        child->parent = target;
    }
}

/* The child of `node` that the path begins with; a missing key of a map is added, as an empty map. */
static pw_status override_step(struct composer *composer, struct node *node, const char *path, struct node **child,
                               size_t *used, pw_error *error)
{
    const char *assignment = composer->source;
    if (node->kind == PW_NODE_LIST) {
        *child = list_item(node, path, used);
        return *child != NULL ? PW_OK : item_missing(assignment, node, path, error);
    }
    FAIL_IF(node->kind == PW_NODE_SCALAR && !node_is_empty(node), error, PW_BAD_INPUT,
            "--set %.200s: '%.60s' is a single value, it has no '%.*s'", assignment,
            node->key != NULL ? node->key : "it", (int)segment_length(path), path);
    FAIL_IF(path[0] == '[', error, PW_BAD_INPUT, "--set %.200s: '%.60s' is not a list, it has no item %.*s", assignment,
            node->key != NULL ? node->key : "the scenario", (int)segment_length(path), path);
    node->kind = PW_NODE_MAP; /* an empty value becomes a map */
    *used = segment_length(path);
    for (struct node *at = node->first; at != NULL; at = at->next) {
        if (strlen(at->key) == *used && strncmp(at->key, path, *used) == 0) {
            *child = at;
            return PW_OK;
        }
    }
    composer->current = node;
    composer->key = tree_copy(composer->tree, path, *used, error);
    TRY_MADE(composer->key);
    return node_add(composer, PW_NODE_MAP, 0, child, error);
}

pw_status tree_override(struct tree *tree, const char *assignment, pw_error *error)
{
    const char *equals = strchr(assignment, '=');
    FAIL_IF(equals == NULL || equals == assignment, error, PW_BAD_INPUT,
            "--set %.200s: write a path, '=' and a value, as in --set grid.cell='1 cm'", assignment);
    struct composer composer = {.tree = tree, .overriding = true};
    composer.source = tree_copy(tree, assignment, strlen(assignment), error);
    const char *path = tree_copy(tree, assignment, (size_t)(equals - assignment), error);
    TRY_MADE(composer.source != NULL && path != NULL);
    TRY(compose(&composer, equals + 1, strlen(equals + 1), error));
    const struct node *value = composer.root;
    FAIL_IF(value == NULL || node_is_empty(value), error, PW_BAD_INPUT, "--set %.200s: there is no value after '='",
            assignment);
    struct node *node = tree->root;
    for (int depth = 1;; depth++) {
        size_t used = 0;
        FAIL_IF(*path == '\0' || *path == '.' || depth > DEPTH_LIMIT, error, PW_BAD_INPUT,
                "--set %.200s: the path has an empty part, or too many", assignment);
        TRY(override_step(&composer, node, path, &node, &used, error));
        path += used;
        if (*path == '\0') {
            break;
        }
        FAIL_IF(*path != '.' && *path != '[', error, PW_BAD_INPUT,
                "--set %.200s: after an item in brackets comes a dot, as in plan.walls[3].thickness", assignment);
        path += *path == '.';
    }
    replace_value(node, value);
    return PW_OK;
}

/* ---- names of the interface ---- */

#undef pw_node_fail
INTERFACE_NAME(pw_node_fail, node_fail);
INTERFACE_NAME(pw_node_fail_quoting, node_fail_quoting);
INTERFACE_NAME(pw_node_find, node_find);
INTERFACE_NAME(pw_node_is_empty, node_is_empty);
