/* Draws the elements of an SVG file (format_svg.c says what is read). */
#ifndef SVG_DRAW_H
#define SVG_DRAW_H

#include "drawing/vector/svg/svg_style.h"
#include "drawing/vector/svg/svg_text.h"

struct svg {
    struct svg_tree tree;
    struct svg_sheet sheet;
    struct pen pen;
    struct drawing *drawing; /* borrowed */
    double width, height;    /* of the root's coordinates, for percentages */
    double fill_work;        /* see pen_draw_nonzero */
    double letters;          /* of path data that may still be read */
    long visited;            /* elements drawn so far, those used again counted again */
    int page;
    bool by_colour; /* groups do not name classes, and what cairo calls a glyph is a letter */
};

/* What an element has from those around it. */
struct svg_place {
    struct svg_matrix matrix;
    struct svg_style style;
    const char *group; /* the name of its class; NULL: there is none */
    bool layer;        /* that name is a layer's */
    int depth;
};

/* Puts a basic shape or a path on the pen, which is empty; *known is false for elements of other kinds. */
pw_status svg_shape_add(struct svg *svg, int node, const struct svg_matrix *matrix, bool *known, pw_error *error);

/* Draws the whole tree on the page. */
pw_status svg_draw(struct svg *svg, pw_error *error);

/* Reads the file into the drawing, on this page. */
pw_status svg_read(const char *path, bool by_colour, int page, struct drawing *drawing, pw_error *error);

#endif
