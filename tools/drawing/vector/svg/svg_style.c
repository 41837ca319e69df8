/* The cascade of styles of an SVG file (svg_style.h). */
#include "drawing/vector/svg/svg_style.h"

#include "drawing/vector/svg/svg_text.h"

#include <stdlib.h>
#include <string.h>

enum { RULE_LIMIT = 10000 };

struct svg_style svg_style_initial(void)
{
    return (struct svg_style){
        .fill = {SVG_PLAIN, {0, 0, 0}}, .stroke_width = 1, .fill_opacity = 1, .stroke_opacity = 1};
}

void svg_sheet_free(struct svg_sheet *sheet)
{
    free(sheet->rules);
    *sheet = (struct svg_sheet){0};
}

/* ---- properties ---- */

static void paint_set(const char *value, const struct svg_paint *parent, struct svg_paint *paint)
{
    if (strncmp(value, "none", 4) == 0 || strncmp(value, "transparent", 11) == 0) {
        paint->kind = SVG_UNPAINTED;
    } else if (strncmp(value, "currentColor", 12) == 0 || strncmp(value, "currentcolor", 12) == 0) {
        paint->kind = SVG_CURRENT;
    } else if (strncmp(value, "inherit", 7) == 0) {
        *paint = *parent;
    } else if (strncmp(value, "url(", 4) == 0) {
        const char *behind = strchr(value, ')');
        *paint = (struct svg_paint){SVG_PATTERN, {128, 128, 128}};
        if (behind != NULL) {
            (void)svg_colour(behind + 1, paint->colour);
        }
    } else {
        uint8_t colour[3];
        if (svg_colour(value, colour)) { /* what is no colour changes nothing */
            paint->kind = SVG_PLAIN;
            memcpy(paint->colour, colour, sizeof colour);
        }
    }
}

static void share_set(const char *value, double *share)
{
    double number = 0;
    if (svg_number(&value, &number)) {
        *share = *value == '%' ? number / 100 : number;
    }
}

static bool property_is(const char *name, size_t length, const char *property)
{
    return strlen(property) == length && strncmp(name, property, length) == 0;
}

/* Sets one property; those that are not known change nothing. */
static void property_set(struct svg_style *style, const struct svg_style *parent, const char *name, size_t length,
                         const char *value)
{
    value += strspn(value, " \t\r\n");
    if (property_is(name, length, "fill")) {
        paint_set(value, &parent->fill, &style->fill);
    } else if (property_is(name, length, "stroke")) {
        paint_set(value, &parent->stroke, &style->stroke);
    } else if (property_is(name, length, "stroke-width")) {
        style->stroke_width = svg_length(value, 0, style->stroke_width);
    } else if (property_is(name, length, "fill-rule")) {
        style->evenodd = strncmp(value, "evenodd", 7) == 0;
    } else if (property_is(name, length, "visibility")) {
        style->hidden = strncmp(value, "hidden", 6) == 0 || strncmp(value, "collapse", 8) == 0;
    } else if (property_is(name, length, "display")) {
        style->gone = style->gone || strncmp(value, "none", 4) == 0;
    } else if (property_is(name, length, "color")) {
        (void)svg_colour(value, style->colour);
    } else if (property_is(name, length, "fill-opacity")) {
        share_set(value, &style->fill_opacity);
    } else if (property_is(name, length, "stroke-opacity")) {
        share_set(value, &style->stroke_opacity);
    } else if (property_is(name, length, "opacity")) {
        double opacity = 1;
        share_set(value, &opacity);
        style->gone = style->gone || opacity <= 0;
    } else if (property_is(name, length, "vector-effect")) {
        style->constant_width = strncmp(value, "non-scaling-stroke", 18) == 0;
    } else if (property_is(name, length, "clip-path") || property_is(name, length, "mask")) {
        style->clipped = strncmp(value, "none", 4) != 0;
    }
}

/* "fill: red; stroke: none". */
static void declarations_set(struct svg_style *style, const struct svg_style *parent, const char *text)
{
    while (*text != '\0') {
        text += strspn(text, " \t\r\n;");
        size_t length = strcspn(text, ":;");
        if (text[length] != ':') {
            text += length;
            continue;
        }
        size_t letters = strcspn(text, " \t\r\n:");
        if (property_is(text, letters, "transform") && strncmp(text + length + 1, "none", 4) != 0) {
            style->moved = true;
        }
        property_set(style, parent, text, letters, text + length + 1);
        text += strcspn(text, ";");
    }
}

/* ---- sheets ---- */

/* The words of the attribute `class`, and what else selectors look at. */
struct selected {
    struct svg_word element, id, classes[16];
    int count;
};

static struct svg_word word_of(const char *text)
{
    return (struct svg_word){.text = text, .length = text != NULL ? strlen(text) : 0};
}

/* Words beyond the sixteenth are not looked at. */
static struct selected selected_read(const struct svg_tree *tree, int node)
{
    struct selected own = {.element = word_of(svg_name(tree, node)), .id = word_of(svg_attribute(tree, node, "id"))};
    const char *list = svg_attribute(tree, node, "class");
    while (list != NULL && own.count < 16) {
        list += strspn(list, " \t\r\n");
        size_t length = strcspn(list, " \t\r\n");
        if (length == 0) {
            break;
        }
        own.classes[own.count++] = (struct svg_word){list, length};
        list += length;
    }
    return own;
}

/* Finds the parts of "rect.wall#south"; false for selectors of other kinds. */
static bool selector_read(const char *text, struct svg_rule *rule)
{
    static const char blanks[] = " \t\r\n";
    text += strspn(text, blanks);
    size_t length = strcspn(text, " \t\r\n>+~:[");
    *rule = (struct svg_rule){0};
    if (length == 0 || text[length + strspn(text + length, blanks)] != '\0') {
        return false;
    }
    int classes = 0;
    for (const char *at = text, *end = text + length; at < end;) {
        char kind = *at;
        struct svg_word word = {.text = kind == '.' || kind == '#' ? at + 1 : at};
        word.length = strcspn(word.text, " \t\r\n.#");
        if (word.length == 0 || (kind == '.' && classes == 2)) {
            return false;
        }
        if (kind == '.') {
            rule->classes[classes++] = word;
        } else if (kind == '#') {
            rule->id = word;
        } else if (*word.text != '*') {
            rule->element = word;
        }
        at = word.text + word.length;
    }
    rule->weight = (rule->id.text != NULL ? 100 : 0) + 10 * classes + (rule->element.text != NULL ? 1 : 0);
    return true;
}

static pw_status rule_add(struct svg_sheet *sheet, const struct svg_rule *rule, pw_error *error)
{
    FAIL_IF(sheet->count >= RULE_LIMIT, error, PW_BAD_INPUT, "the style sheet has more than %d rules", RULE_LIMIT);
    TRY(array_grow(&sheet->rules, &sheet->room, sheet->count, sizeof *sheet->rules, "rules of a style sheet", error));
    size_t place = sheet->count++; /* behind all that weigh no more */
    for (; place > 0 && sheet->rules[place - 1].weight > rule->weight; place--) {
        sheet->rules[place] = sheet->rules[place - 1];
    }
    sheet->rules[place] = *rule;
    return PW_OK;
}

static void comments_blank(char *text)
{
    for (char *at = strstr(text, "/*"); at != NULL; at = strstr(at, "/*")) {
        char *end = strstr(at + 2, "*/");
        size_t length = end != NULL ? (size_t)(end + 2 - at) : strlen(at);
        memset(at, ' ', length);
    }
}

/* Behind the closing brace that belongs to the one at `text`. */
static char *block_end(char *text)
{
    int depth = 0;
    for (; *text != '\0'; text++) {
        depth += *text == '{' ? 1 : *text == '}' ? -1 : 0;
        if (depth == 0) {
            return text + 1;
        }
    }
    return text;
}

/* The selectors of one rule, divided by commas. */
static pw_status selectors_add(char *selectors, const char *declarations, struct svg_sheet *sheet,
                               struct drawing *drawing, pw_error *error)
{
    for (char *one = selectors, *next = NULL; one != NULL; one = next) {
        next = strchr(one, ',');
        if (next != NULL) {
            *next++ = '\0';
        }
        struct svg_rule rule;
        if (selector_read(one, &rule)) {
            rule.declarations = declarations;
            rule.length = strlen(declarations);
            TRY(rule_add(sheet, &rule, error));
        } else {
            TRY(drawing_omit(drawing, "rule of a style sheet with other selectors", error));
        }
    }
    return PW_OK;
}

pw_status svg_sheet_read(struct svg_tree *tree, struct svg_sheet *sheet, struct drawing *drawing, pw_error *error)
{
    *sheet = (struct svg_sheet){.work = 1e8};
    if (tree->sheet == NULL) {
        return PW_OK;
    }
    comments_blank(tree->sheet);
    for (char *at = tree->sheet;;) {
        at += strspn(at, " \t\r\n;}");
        char *open = strchr(at, '{');
        if (open == NULL) {
            return PW_OK;
        }
        char *end = block_end(open);
        if (*at == '@') { /* "@import ...;" ends before the brace, "@media {...}" behind its block */
            char *semicolon = memchr(at, ';', (size_t)(open - at));
            at = semicolon != NULL ? semicolon + 1 : end;
            TRY(drawing_omit(drawing, "rule of a style sheet with @", error));
            continue;
        }
        *open = '\0';
        if (end[-1] == '}') {
            end[-1] = '\0';
        }
        TRY(selectors_add(at, open + 1, sheet, drawing, error));
        at = end;
    }
}

static bool word_is(const struct svg_word *wanted, const struct svg_word *own)
{
    return wanted->text == NULL ||
           (own->text != NULL && wanted->length == own->length && memcmp(wanted->text, own->text, own->length) == 0);
}

static bool class_is(const struct svg_word *wanted, const struct selected *own)
{
    for (int n = 0; n < own->count && wanted->text != NULL; n++) {
        if (word_is(wanted, &own->classes[n])) {
            return true;
        }
    }
    return wanted->text == NULL;
}

static bool rule_applies(const struct svg_rule *rule, const struct selected *own)
{
    return word_is(&rule->element, &own->element) && word_is(&rule->id, &own->id) && class_is(&rule->classes[0], own) &&
           class_is(&rule->classes[1], own);
}

pw_status svg_style_of(const struct svg_tree *tree, struct svg_sheet *sheet, int node, const struct svg_style *parent,
                       struct svg_style *style, pw_error *error)
{
    *style = *parent;
    style->constant_width = style->gone = style->clipped = style->moved = false;
    const struct svg_node *own = &tree->nodes[node];
    for (size_t a = own->first_attribute; a < own->first_attribute + own->attributes; a++) {
        const char *name = tree->text + tree->attributes[a].name;
        property_set(style, parent, name, strlen(name), tree->text + tree->attributes[a].value);
    }
    struct selected selected = selected_read(tree, node);
    sheet->work -= (double)sheet->count * (1 + selected.count);
    for (size_t r = 0; r < sheet->count && sheet->work > 0; r++) {
        if (rule_applies(&sheet->rules[r], &selected)) {
            declarations_set(style, parent, sheet->rules[r].declarations);
            sheet->work -= (double)sheet->rules[r].length;
        }
    }
    FAIL_IF(sheet->work <= 0, error, PW_BAD_INPUT,
            "the style sheet has too many rules for this number of elements; save the drawing as plain SVG");
    const char *text = svg_attribute(tree, node, "style");
    if (text != NULL) {
        declarations_set(style, parent, text);
    }
    return PW_OK;
}
