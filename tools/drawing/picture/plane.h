/* A plane says of each pixel of a picture how much of it is covered by one class, by its colour or as ink on paper;
 * what is done to it before outlines are drawn: specks and strokes of other widths dropped, walls of two lines filled,
 * gaps closed. Lengths are in pixels. */
#pragma once

#include "ground.h"

#include <stdbool.h>

enum {
    COVERED = 128,            /* from here on a pixel belongs to the class */
    RUN_LIMIT = 20 * 1000000, /* of a plane; more of them are noise */
    STROKE_LIMIT = 1000       /* pixels: widths and gaps that can be asked for */
};

struct plane {
    int width, height;
    uint8_t *cover; /* (height, width), owned, row 0 at the top: 255 times the covered share */
};

pw_status plane_make(struct plane *plane, int width, int height, pw_error *error);
void plane_free(struct plane *plane);

/* A stretch of a row that is covered, or is not. */
struct run {
    int32_t from, to; /* columns, `to` is the first that is no longer of it */
    uint32_t root;    /* the run that stands for its component: equal in all runs of a connected area */
};

struct plane_runs {
    struct run *runs;  /* (count), row by row, owned */
    size_t *row_first; /* (height + 1), owned */
    size_t count;
};

/* The runs of what is covered, pixels that touch at a corner being connected, or of what is not, where they are not.
 * Free with runs_free, also after a failure. */
pw_status runs_find(const struct plane *plane, bool covered, struct plane_runs *runs, pw_error *error);
void runs_free(struct plane_runs *runs);

/* Clears covered areas below the square of `speck` and fills holes below that of `hole`. Counts both in *dropped. */
pw_status plane_drop_specks(struct plane *plane, double speck, double hole, size_t *dropped, pw_error *error);

/* Clears strokes thinner than `thinnest` and thicker than `thickest`; 0 is no bound. The widths of strokes along rows
 * and columns are exact, those of others good to a pixel. Where strokes meet they are thicker: what is less than half
 * thicker than `thickest`, and no longer than that, stays. Clears thin strokes that hang on a wall, too. */
pw_status plane_keep_strokes(struct plane *plane, double thinnest, double thickest, pw_error *error);

/* Fills what lies between strokes at most `width` apart: walls that are drawn as two lines. */
pw_status plane_fill_hollow(struct plane *plane, double width, pw_error *error);

/* Adds what of `rim` is within the radius of what is covered: the outline around a fill. */
pw_status plane_take_rim(struct plane *plane, const struct plane *rim, double radius, pw_error *error);

/* Closes openings up to `length` along a row or a column between the ends of walls up to `thickest` thick; 0: twice the
 * mean thickness. Counts them in *closed. */
pw_status plane_close_gaps(struct plane *plane, double length, double thickest, size_t *closed, pw_error *error);
