/* A drawing of a floor as other programs keep it, in one form for all formats: lines and areas in the drawing's own
 * units, each of a class (a layer, a colour, a type of wall), on a page (a floor of a file that has several). A format
 * fills it (drawing_format.h); what a class stands for, and how long a unit is, is said by the user or guessed
 * (class_guess.h), and turned into shapes of a plan by the scenario. Leaves out materials. */
#pragma once

#include "ground.h"

enum {
    DRAWING_POINT_LIMIT = 4000000,
    DRAWING_ELEMENT_LIMIT = 1000000,
    DRAWING_CLASS_LIMIT = 2000,
    DRAWING_PAGE_LIMIT = 200,
    DRAWING_NAME_SIZE = 128
};

/* x to the right, y UPWARDS: a format whose y runs downwards turns its points. */
struct drawing_point {
    double x, y; /* in units of the drawing */
};

enum element_kind {
    ELEMENT_LINE, /* a chain of points, perhaps with a width; a closed one repeats its first point at the end */
    ELEMENT_AREA  /* rings without a repeated point, filled by the even-odd rule */
};

struct drawing_ring {
    size_t first, count; /* of the drawing's points */
};

struct drawing_element {
    enum element_kind kind;
    int class_index, page;
    double width;             /* of a line, drawing units; 0: it has none, or a mere pen's */
    size_t first_ring, rings; /* a line has one */
};

/* What a class may stand for in a plan. */
enum class_use {
    CLASS_OPEN,     /* not known: it has to be said */
    CLASS_IGNORED,  /* text, furniture, dimensions */
    CLASS_WALLS,    /* lines are centre lines of walls, or as wide as they are drawn; areas are solid */
    CLASS_FACES,    /* lines are the faces of walls: two that run beside each other have a wall between them */
    CLASS_OUTLINES, /* areas are rooms, with walls along their outlines */
    CLASS_OPENINGS, /* doors and windows: they replace the walls they lie in */
    CLASS_WINDOWS,  /* what is drawn for a window becomes panes in the middle of a gap in the wall (openings.h) */
    CLASS_DOORS,    /* the same of doors, with one leaf, or open; their arcs are understood */
    CLASS_USES
};

/* What the format itself says of a class. Numbers are 0 (heights NAN) where it says nothing. */
struct drawing_class {
    char name[DRAWING_NAME_SIZE]; /* as the user writes it in a plan; no two classes have the same */
    enum class_use use;
    char material[64];              /* the format's own word for what it is made of, as in "Brick"; "" */
    double thickness;               /* m */
    double loss, loss_at;           /* dB through it at this frequency [Hz; 0: not said], at right angles */
    double low, high;               /* m over the page's floor */
    uint8_t colour[3];              /* as it is drawn */
    bool painted;                   /* the colour is that of the paper, and no default of a screen */
    char around[DRAWING_NAME_SIZE]; /* names of the groups around it, outermost first, as "plan/walls"; "" */
    size_t lines, areas;            /* elements of it, counted as they are added */
};

struct drawing_page {
    char name[DRAWING_NAME_SIZE];
    double elevation, height; /* m: of its floor, and clear from floor to ceiling; NAN where the format has none */
};

/* An access point that the drawing shows. */
struct drawing_radio {
    char name[DRAWING_NAME_SIZE];
    int page;
    struct drawing_point at;
    double height, power, frequency; /* m over the page's floor, dBm, Hz; NAN where the format has none */
    double width;                    /* Hz: of its channel; 0: not known; negative: nor is its middle */
};

/* Kinds of things that were met and not taken over, as "text" or "spline of degree 5". */
struct drawing_omission {
    char what[64];
    size_t count;
};

/* All arrays are owned; `room`s are what is allocated. Starts as zeros. */
struct drawing {
    struct drawing_point *points;
    struct drawing_ring *rings;
    struct drawing_element *elements;
    struct drawing_class *classes;
    struct drawing_page *pages; /* a format without floors has one, without a name */
    struct drawing_radio *radios;
    struct drawing_omission *omissions;
    size_t point_count, ring_count, element_count, class_count, page_count, radio_count, omission_count;
    size_t point_room, ring_room, element_room, class_room, page_room, radio_room, omission_room;
    bool sheets;        /* pages are sheets of paper, and no floors over each other */
    double paper;       /* m on paper that a unit is long; 0: it is no sheet of paper */
    double unit;        /* m; 0: the format does not say */
    char unit_from[96]; /* where that is known from, as in "$INSUNITS of the file" */
    char note[256];     /* what was done to what the file says, as "turned by -1.50 degrees"; "" */
    size_t marks;       /* areas of a picture that were found to be arrows and letters */
    double thinnest;    /* pixels: from here on strokes of a picture were found to be walls; 0: none was looked for */
    pw_picture picture; /* a picture as its areas were found in it, made straight where that was asked for, (0, 0) at
                             its lower left; of other formats no pixels */
};

void drawing_free(struct drawing *drawing);

/* A text of a file as names and messages can hold it, in UTF-8: on one line, and where it is too long cut before a
 * letter, not within. Names are copied so here. */
void drawing_text_copy(char *to, size_t size, const char *text);

/* The class or page of this name, made where there is none yet; a new class has use CLASS_OPEN, no heights, the rest
 * zeros. The address is good until the next one is made. */
pw_status drawing_class_of(struct drawing *drawing, const char *name, int *index, pw_error *error);
pw_status drawing_page_of(struct drawing *drawing, const char *name, int *index, pw_error *error);

/* Whether a colour is a dark grey or black, as walls are. */
bool drawing_colour_is_dark(const uint8_t rgb[3]);

/* Begins an element with its first ring; points and further rings go to it until the next one begins. One that is left
 * without extent (a line of fewer than two points, a ring of fewer than three) is dropped by drawing_end. */
pw_status drawing_begin(struct drawing *drawing, const struct drawing_element *like, pw_error *error);
pw_status drawing_ring_begin(struct drawing *drawing, pw_error *error);
/* A point that is the one before again is left out. PW_BAD_INPUT for numbers that are not finite. */
pw_status drawing_point_add(struct drawing *drawing, double x, double y, pw_error *error);
void drawing_end(struct drawing *drawing);

pw_status drawing_radio_add(struct drawing *drawing, const struct drawing_radio *radio, pw_error *error);

/* Counts something that is not taken over. */
pw_status drawing_omit(struct drawing *drawing, const char *what, pw_error *error);

/* The box around an element. */
void drawing_element_box(const struct drawing *drawing, const struct drawing_element *element,
                         struct drawing_point *low, struct drawing_point *high);

/* Whether a point is within a ring. */
bool drawing_ring_holds(const struct drawing *drawing, const struct drawing_ring *ring, struct drawing_point at);
