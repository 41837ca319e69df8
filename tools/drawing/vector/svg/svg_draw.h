/* Draws the elements of an SVG file (format_svg.c says what is read). */
#pragma once

#include "drawing/vector/svg/svg_style.h"
#include "drawing/vector/svg/svg_text.h"

/* A class that was made of one paint of a group, or of elements of one class of their own. */
struct svg_group_class {
    char group[DRAWING_NAME_SIZE]; /* with those around it: "walls/outer" */
    bool painted;                  /* the paint stands behind the name */
    enum element_kind kind;
    int class_index;
};

struct svg {
    struct svg_tree tree;
    struct svg_sheet sheet;
    struct pen pen;
    struct drawing *drawing; /* borrowed */
    double width, height;    /* of the root's coordinates, for percentages */
    double fill_work;        /* see pen_draw_nonzero */
    double letters;          /* of path data that may still be read */
    long visited;            /* elements drawn so far, those used again counted again */
    struct svg_group_class made[DRAWING_CLASS_LIMIT];
    size_t made_count;
    int page;
    bool layered;   /* by layers of several labels; a single one tells nothing apart, and is a group */
    bool by_colour; /* groups do not name classes, and what cairo calls a glyph is a letter */
};

/* What names a class. */
enum svg_name_source {
    SVG_NAME_NONE,  /* its paint alone */
    SVG_NAME_OWN,   /* the class of the element itself */
    SVG_NAME_GROUP, /* the id or class of a group around it */
    SVG_NAME_LAYER  /* the label of a layer */
};

/* What an element has from those around it. */
struct svg_place {
    struct svg_matrix matrix;
    struct svg_style style;
    const char *group;              /* the name of its class, from `source` */
    char around[DRAWING_NAME_SIZE]; /* names of the groups around that one, outermost first: "plan/walls" */
    enum svg_name_source source;
    int depth;
};

/* Puts a basic shape or a path on the pen, which is empty; *known is false for elements of other kinds. */
pw_status svg_shape_add(struct svg *svg, int node, const struct svg_matrix *matrix, bool *known, pw_error *error);

/* ---- svg_class.c ---- */
bool svg_is_layered(const struct svg_tree *tree);
/* Takes the name that an element gives to itself or, being a group, to what is in it. */
void svg_place_name(const struct svg *svg, int node, bool group, struct svg_place *place);
/* Makes the class of a fill or a stroke, by the kind and width of `element`; `both`: its element has both. */
pw_status svg_class_of(struct svg *svg, const struct svg_place *place, bool both, const uint8_t colour[3],
                       struct drawing_element *element, pw_error *error);
void svg_class_drop_empty(struct svg *svg, int index);
/* A group whose elements are all painted alike gives its classes their short names; and a class is called without the
 * groups around it where no other has its name. */
void svg_classes_name(struct svg *svg);

/* Reads the file into the drawing, on this page. */
pw_status svg_read(const char *path, bool by_colour, int page, struct drawing *drawing, pw_error *error);
