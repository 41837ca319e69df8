/* The names of the classes of an SVG file (svg_draw.h). */
#include "drawing/vector/svg/svg_draw.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { GROUP_ROOM = DRAWING_NAME_SIZE - 42 }; /* so that the words of a paint have room behind it */

/* Whether a program counted this word up, as "g1234", "path12-3", "cls-2" or "st0": one of these, then digits. Names
 * that people give and number, as "wall1", have other letters. */
static bool word_is_counted(const char *word, size_t length)
{
    static const char *const words[] = {"g",     "path",   "rect",  "use",   "svg",  "layer", "surface", "source",
                                        "cls",   "st",     "fil",   "str",   "id",   "clip",  "group",   "symbol",
                                        "xmlid", "object", "SVGID", "glyph", "mask", "line",  "polygon", "text"};
    size_t letters = strcspn(word, "0123456789-_. \t\r\n");
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        if (strlen(words[w]) == letters && strncasecmp(word, words[w], letters) == 0) {
            return letters + strspn(word + letters, "0123456789-_.") == length;
        }
    }
    return false;
}

static const char *layer_label(const struct svg_tree *tree, int node)
{
    const char *mode = svg_attribute(tree, node, "inkscape:groupmode");
    return mode != NULL && strcmp(mode, "layer") == 0 ? svg_attribute(tree, node, "inkscape:label") : NULL;
}

/* The name that a group gives to what is in it by its label, id or class, or an element to itself by its label or
 * class; NULL where it has none. Counted words before others are passed over. */
static const char *own_name(const struct svg_tree *tree, int node, bool group)
{
    const char *id = group ? svg_attribute(tree, node, "id") : NULL, *words = svg_attribute(tree, node, "class");
    const char *layer = group ? layer_label(tree, node) : NULL, *label = svg_attribute(tree, node, "inkscape:label");
    if (layer != NULL && layer[0] != '\0') {
        return layer;
    }
    if (label != NULL && label[0] != '\0' && !word_is_counted(label, strlen(label))) {
        return label; /* programs number ids; labels are given by people */
    }
    if (id != NULL && id[0] != '\0' && !word_is_counted(id, strlen(id))) {
        return id;
    }
    while (words != NULL) {
        words += strspn(words, " \t\r\n");
        size_t length = strcspn(words, " \t\r\n");
        if (length == 0 || !word_is_counted(words, length)) {
            return length > 0 ? words : NULL;
        }
        words += length;
    }
    return NULL;
}

/* What is in a group of a group keeps the names of both. */
static void name_enter(struct svg_place *place, const char *name, enum svg_name_source source)
{
    if (place->source != SVG_NAME_NONE) {
        char longer[2 * DRAWING_NAME_SIZE], group[DRAWING_NAME_SIZE];
        drawing_text_copy(group, sizeof group, place->group);
        snprintf(longer, sizeof longer, "%s%s%s", place->around, place->around[0] != '\0' ? "/" : "", group);
        const char *fits = longer;
        while (strlen(fits) >= sizeof place->around) { /* the outermost are forgotten */
            const char *slash = strchr(fits, '/');
            fits = slash != NULL ? slash + 1 : "";
        }
        snprintf(place->around, sizeof place->around, "%s", fits);
    }
    place->group = name;
    place->source = source;
}

void svg_place_name(const struct svg *svg, int node, bool group, struct svg_place *place)
{
    const char *label = group && svg->layered ? layer_label(&svg->tree, node) : NULL;
    const char *own = place->source == SVG_NAME_LAYER ? NULL : own_name(&svg->tree, node, group);
    if (label != NULL && label[0] != '\0') {
        name_enter(place, label, SVG_NAME_LAYER);
    } else if (own != NULL) {
        name_enter(place, own, group ? SVG_NAME_GROUP : SVG_NAME_OWN);
    }
}

bool svg_is_layered(const struct svg_tree *tree)
{
    const char *first = NULL;
    for (size_t n = 0; n < tree->node_count; n++) {
        const char *label = layer_label(tree, (int)n);
        if (label != NULL && first != NULL && strcmp(label, first) != 0) {
            return true;
        }
        first = label != NULL ? label : first;
    }
    return false;
}

static bool class_is_there(const struct drawing *drawing, const char *name)
{
    for (size_t c = drawing->class_count; c-- > 0;) {
        if (strcmp(drawing->classes[c].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void paint_name(const struct drawing_element *element, const uint8_t colour[3], char name[40])
{
    const char *what = element->kind == ELEMENT_LINE ? "stroke" : "fill";
    int used = snprintf(name, 40, "%s #%02x%02x%02x", what, colour[0], colour[1], colour[2]);
    if (element->kind == ELEMENT_LINE) {
        snprintf(name + used, 40 - (size_t)used, " width %.3g", element->width);
    }
}

/* The name of a group with those around it, as far as there is room. */
static void whole_name(const struct svg_place *place, char name[GROUP_ROOM])
{
    char group[GROUP_ROOM];
    const char *around = place->around;
    drawing_text_copy(group, sizeof group, place->group);
    while (around[0] != '\0' && strlen(around) + 1 + strlen(group) >= GROUP_ROOM) {
        const char *slash = strchr(around, '/');
        around = slash != NULL ? slash + 1 : "";
    }
    snprintf(name, GROUP_ROOM, "%s%s%s", around, around[0] != '\0' ? "/" : "", group);
}

/* Where groups have more names than there may be classes, paints name the rest, and at last "fill" and "stroke". */
pw_status svg_class_of(struct svg *svg, const struct svg_place *place, bool both, const uint8_t colour[3],
                       struct drawing_element *element, pw_error *error)
{
    const char *what = element->kind == ELEMENT_LINE ? "stroke" : "fill", *behind = "";
    char name[DRAWING_NAME_SIZE], group[GROUP_ROOM], paint[40];
    struct drawing *drawing = svg->drawing;
    enum svg_name_source source = svg->by_colour ? SVG_NAME_NONE : place->source;
    paint_name(element, colour, paint);
    if (source != SVG_NAME_NONE) {
        behind = source == SVG_NAME_GROUP ? paint : both ? what : "";
        whole_name(place, group);
        snprintf(name, sizeof name, "%s%s%s", group, behind[0] != '\0' ? " " : "", behind);
    }
    if (source == SVG_NAME_NONE ||
        (drawing->class_count >= DRAWING_CLASS_LIMIT / 2 && !class_is_there(drawing, name))) {
        source = SVG_NAME_NONE;
        snprintf(name, sizeof name, "%s", paint);
    }
    if (drawing->class_count >= DRAWING_CLASS_LIMIT - 4 && !class_is_there(drawing, name)) {
        snprintf(name, sizeof name, "%s", what);
    }
    size_t before = drawing->class_count;
    TRY(drawing_class_of(drawing, name, &element->class_index, error));
    if (drawing->class_count > before) {
        struct drawing_class *class = &drawing->classes[element->class_index];
        memcpy(class->colour, colour, 3);
        class->painted = true;
        if (source != SVG_NAME_NONE) {
            struct svg_group_class *made = &svg->made[svg->made_count++];
            snprintf(class->around, sizeof class->around, "%s", place->around);
            snprintf(made->group, sizeof made->group, "%s", group);
            made->painted = source == SVG_NAME_GROUP;
            made->kind = element->kind;
            made->class_index = element->class_index;
        }
    }
    return PW_OK;
}

void svg_class_drop_empty(struct svg *svg, int index)
{
    if (class_drop_empty(svg->drawing, index) && svg->made_count > 0 &&
        svg->made[svg->made_count - 1].class_index == index) {
        svg->made_count--;
    }
}

/* How many of the classes of a group are of a kind. */
static int kind_count(const struct svg *svg, const char *group, enum element_kind kind)
{
    int count = 0;
    for (size_t m = 0; m < svg->made_count; m++) {
        const struct svg_group_class *made = &svg->made[m];
        count += made->painted && made->kind == kind && strcmp(made->group, group) == 0 ? 1 : 0;
    }
    return count;
}

/* Calls a class so, where none is called so yet. */
static void class_call(struct drawing *drawing, int index, const char *name)
{
    if (!class_is_there(drawing, name)) {
        drawing_text_copy(drawing->classes[index].name, DRAWING_NAME_SIZE, name);
    }
}

/* The name without the groups around it; NULL where it has none. */
static const char *name_alone(const struct svg *svg, const struct svg_group_class *made)
{
    const struct drawing_class *class = &svg->drawing->classes[made->class_index];
    const char *slash = class->around[0] != '\0' ? strrchr(made->group, '/') : NULL;
    return slash != NULL ? class->name + (slash + 1 - made->group) : NULL;
}

/* Whether no other class has this name when those around it are left out. */
static bool name_is_alone(const struct svg *svg, size_t own, const char *name)
{
    for (size_t m = 0; m < svg->made_count; m++) {
        const char *other = m != own ? name_alone(svg, &svg->made[m]) : NULL;
        if (other != NULL && strcmp(other, name) == 0) {
            return false;
        }
    }
    return !class_is_there(svg->drawing, name);
}

void svg_classes_name(struct svg *svg)
{
    for (size_t m = 0; m < svg->made_count; m++) {
        const struct svg_group_class *made = &svg->made[m];
        int lines = kind_count(svg, made->group, ELEMENT_LINE), areas = kind_count(svg, made->group, ELEMENT_AREA);
        if (made->painted && lines <= 1 && areas <= 1) {
            char name[DRAWING_NAME_SIZE];
            const char *behind = lines + areas < 2 ? "" : made->kind == ELEMENT_LINE ? " stroke" : " fill";
            snprintf(name, sizeof name, "%.*s%s", (int)GROUP_ROOM, made->group, behind);
            class_call(svg->drawing, made->class_index, name);
        }
    }
    bool *alone = svg->made_count > 0 ? calloc(svg->made_count, sizeof *alone) : NULL;
    for (size_t m = 0; alone != NULL && m < svg->made_count; m++) {
        const char *name = name_alone(svg, &svg->made[m]);
        alone[m] = name != NULL && name_is_alone(svg, m, name);
    }
    for (size_t m = 0; alone != NULL && m < svg->made_count; m++) {
        if (alone[m]) {
            char name[DRAWING_NAME_SIZE];
            snprintf(name, sizeof name, "%s", name_alone(svg, &svg->made[m]));
            drawing_text_copy(svg->drawing->classes[svg->made[m].class_index].name, DRAWING_NAME_SIZE, name);
        }
    }
    free(alone);
}
