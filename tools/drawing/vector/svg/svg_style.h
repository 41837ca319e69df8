/* How elements of an SVG file are painted: presentation attributes, style sheets of simple selectors, and the attribute
 * `style`, in the order in which CSS lets them override each other. */
#pragma once

#include "drawing/vector/svg/svg_tree.h"

enum svg_paint_kind {
    SVG_UNPAINTED,
    SVG_PLAIN,   /* a colour */
    SVG_PATTERN, /* a gradient or a pattern: `colour` is what it falls back to, grey where there is none */
    SVG_CURRENT  /* the property `color` */
};

struct svg_paint {
    enum svg_paint_kind kind;
    uint8_t colour[3];
};

struct svg_style {
    struct svg_paint fill, stroke;
    uint8_t colour[3];
    double stroke_width, fill_opacity, stroke_opacity;
    bool evenodd, hidden; /* fill-rule; visibility */
    bool constant_width;  /* vector-effect: non-scaling-stroke; not inherited, nor are the next */
    bool gone;            /* display: none, or an opacity of 0 */
    bool clipped, moved;  /* a clip path or mask; a transform of CSS: neither is looked at */
};

/* A word within the text of the sheet. */
struct svg_word {
    const char *text; /* NULL: any will do */
    size_t length;
};

/* One selector and its declarations. */
struct svg_rule {
    struct svg_word element, id, classes[2];
    const char *declarations;
    size_t length; /* of the declarations */
    int weight;    /* specificity */
};

struct svg_sheet {
    struct svg_rule *rules; /* sorted by weight */
    size_t count, room;
    double work; /* comparisons that may still be made */
};

struct svg_style svg_style_initial(void);

/* Reads the style sheets of the tree, whose text is cut to pieces for it. Rules of other selectors and of media are
 * counted in the drawing as left out. To be freed also after a failure. */
pw_status svg_sheet_read(struct svg_tree *tree, struct svg_sheet *sheet, struct drawing *drawing, pw_error *error);
void svg_sheet_free(struct svg_sheet *sheet);

/* The style of an element in a parent of this style. */
pw_status svg_style_of(const struct svg_tree *tree, struct svg_sheet *sheet, int node, const struct svg_style *parent,
                       struct svg_style *style, pw_error *error);
