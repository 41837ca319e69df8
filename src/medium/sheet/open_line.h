/* A line of nodes across a wall, open at both ends: what the grid makes of a plane wave that meets the wall at an
 * angle, solved once without the law's nodes, so that changing those takes a system of four (sheet_law.c). */
#ifndef OPEN_LINE_H
#define OPEN_LINE_H

#include "medium/sheet/sheet_law.h"

#include <complex.h>

enum { LINE_ANGLES = 6 };
extern const double LINE_ANGLE[LINE_ANGLES]; /* rad */

struct open_line {
    double turn; /* rad: phase of the grid's wave in air from node to node across */
    /* For a wave from the left, and one from the right: the field at the law's nodes; what leaves to the right, and to
     * the left. */
    double complex field[2][LAW_NODES], right[2], left[2];
    /* Of a unit source at a law's node the same. */
    double complex source_field[LAW_NODES][LAW_NODES], source_right[LAW_NODES], source_left[LAW_NODES];
};

/* Referred to node 0 of the question. */
struct line_waves {
    double complex through, back, behind;
};

/* PW_BAD_INPUT when the wave does not run on this grid. */
pw_status open_line_create(const struct sheet_question *question, double angle, struct open_line *line,
                           pw_error *error);

/* With `added` [(k cell)^2 times a change of the complex permittivity] at the law's nodes. */
struct line_waves open_line_waves(const struct open_line *line, const double complex *added);

#endif
