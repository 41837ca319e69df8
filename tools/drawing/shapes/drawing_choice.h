/* The key `drawing` of a plan or of a storey: a file of another program, and in words what of it stands for what. From
 * the two come shapes, which are the plan's from there on. Leaves out guessing: what a class stands for has to be said
 * (`planwave import` writes it). The plan gets them through api/plan/drawing.h. */
#pragma once

#include "drawing/drawing_format.h"

/* What one class, or all whose names a pattern fits, stands for. */
struct class_choice {
    const char *pattern; /* of the tree: the name, or with *, ? and [ ] a pattern, upper and lower case alike */
    enum class_use use;
    int substance, air;       /* of the plan's drawing: the class's own, and air of its heights for openings */
    double thickness;         /* m, of walls; 0: as wide as they are drawn */
    double nearest, farthest; /* m: faces of walls are so far apart */
    int panes;                /* of windows; each of `thickness` */
    double gap;               /* m, between them */
    bool thin;                /* ignored, but where lines of it fill gaps of walls these are windows and doors */
    const pw_node *node;      /* for messages */
};

struct drawing_choice {
    char *file;  /* path, owned */
    char *page;  /* owned; NULL: the only one */
    double unit; /* m; 0: the file says it */
    double turn; /* rad, counterclockwise, about the drawing's origin */
    bool has_region;
    double region[4]; /* x0, y0, x1, y1 after the turn, drawing units: what becomes the plan */
    double margin;    /* m of air around what is drawn, where no region is given */
    struct picture_options picture;
    struct class_choice *classes; /* (class_count), owned; the first that fits decides */
    int class_count;
    const pw_node *node;
};

/* Reads `map`, and tells `drawing` what the classes are of. Free with drawing_choice_free, also after a failure; it
 * must not outlive the document. */
pw_status drawing_choice_read(const pw_node *map, const char *folder, pw_drawing *drawing,
                              struct drawing_choice *choice, pw_error *error);
void drawing_choice_free(struct drawing_choice *choice);

/* The part `picture` of such a map; NULL: nothing is said. */
pw_status picture_options_read(const pw_node *map, struct picture_options *picture, pw_error *error);

/* Whether a class is called so, or what a pattern says, upper and lower case alike. */
bool class_pattern_fits(const char *pattern, const char *name);

/* The entry for a class of this name; NULL when there is none. */
const struct class_choice *class_choice_of(const struct drawing_choice *choice, const char *name);

/* How drawing units become metres of the plan. */
struct drawing_place {
    double unit, cosine, sine; /* m */
    double low[2], high[2];    /* the region: after the turn, drawing units */
};
struct drawing_point drawing_placed(const struct drawing_place *place, struct drawing_point point);

/* Turns every element of a class that is not ignored into polygons of `shapes`, walls first, openings over them; sets
 * `place`, and the size of `shapes`. It may change the drawing: faces become walls. PW_BAD_INPUT where a class is not
 * said, a length is missing, or nothing is left. */
pw_status drawing_to_shapes(const struct drawing_choice *choice, struct drawing *drawing, pw_drawing *shapes,
                            struct drawing_place *place, pw_error *error);

/* The page that the choice names: its index. PW_BAD_INPUT with the list of pages. */
pw_status drawing_page_find(const struct drawing_choice *choice, const struct drawing *drawing, int *page,
                            pw_error *error);
