/* A line of nodes across a wall, open at both ends: what the grid makes of a plane wave that meets the wall at an
 * angle, solved once without the law's nodes, so that changing those takes a system of four (sheet_law.c). */
#pragma once

#include "medium/sheet/sheet_law.h"

#include <complex.h>

enum { LINE_ANGLES = 6, LINE_PLACES = 5 /* that the law may change, at most */ };
extern const double LINE_ANGLE[LINE_ANGLES]; /* rad */

/* What waves have along the sheet. */
enum line_fields {
    LINE_LEVEL,    /* E alone, on a grid that has no other field: vertical polarisation in two dimensions */
    LINE_ELECTRIC, /* E alone, on the staggered grid of E and H */
    LINE_MAGNETIC, /* H alone, and E across it; there */
};

struct open_line {
    double turn;  /* rad: phase of the grid's wave in air from node to node across */
    double along; /* square of what the grid makes of the wave number along the sheet, times the cell */
    int places;   /* of the law: four nodes; of the staggered grid three nodes, then the two places of H between them */
    /* For a wave from the left, and one from the right: the field at the law's places; what leaves to the right, and to
     * the left. */
    double complex field[2][LINE_PLACES], right[2], left[2];
    /* Of a unit source at a place of the law the same. */
    double complex source_field[LINE_PLACES][LINE_PLACES], source_right[LINE_PLACES], source_left[LINE_PLACES];
};

/* Referred to node 0 of the question. */
struct line_waves {
    double complex through, back, behind;
};

/* PW_BAD_INPUT when the wave does not run on this grid. */
pw_status open_line_create(const struct sheet_question *question, enum line_fields fields, double angle,
                           struct open_line *line, pw_error *error);

/* With `added` to what the equation of each of the law's places has before its own field (open_line.c). */
struct line_waves open_line_waves(const struct open_line *line, const double complex *added);
