/* What the classes of a drawing probably stand for, from their names and from what lies in them. Every guess comes with
 * its reason, which goes into the plan as a comment; nothing here is used without having been written down. */
#pragma once

#include "drawing/drawing.h"

struct class_guess {
    enum class_use use;    /* CLASS_OPEN: not understood */
    const char *material;  /* a name of the table of materials; NULL: none is needed */
    bool material_guessed; /* neither the name of the class nor the file says it */
    double thickness;      /* m, of walls whose lines have no width; 0: as drawn */
    bool thickness_guessed;
    int panes;        /* of windows; 0 or 1: one */
    double gap;       /* m, between panes */
    char reason[160]; /* a clause, as in "guessed from the name" */
};

/* `wall`: the material of walls of which nothing is known. `lines_have_width`: every line of the class has one that a
 * wall can have. */
void class_guess(const struct drawing_class *class, const char *wall, bool lines_have_width, struct class_guess *guess);

/* The material that a text speaks of, a name of the table; NULL when it speaks of none. */
const char *material_spoken_of(const char *text);
