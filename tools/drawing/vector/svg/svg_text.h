/* Numbers, lengths, transforms, colours and path data, as SVG writes them in attributes. */
#pragma once

#include "drawing/vector/curves.h"

/* x' = a x + c y + e, y' = b x + d y + f. */
struct svg_matrix {
    double a, b, c, d, e, f;
};

struct svg_matrix svg_matrix_after(const struct svg_matrix *after, const struct svg_matrix *before);
struct drawing_point svg_point(const struct svg_matrix *matrix, double x, double y);
struct drawing_point svg_vector(const struct svg_matrix *matrix, double x, double y);
/* How many times longer lengths become, on the mean. */
double svg_scale(const struct svg_matrix *matrix);

/* The number at *text, which goes on behind it and the comma or blanks that follow. False: there is none. */
bool svg_number(const char **text, double *number);

/* A length in pixels of 1/96 inch, of units "mm", "pt", ...; of a percentage that part of `whole`. `otherwise` where
 * the text is NULL or no length. */
double svg_length(const char *text, double whole, double otherwise);

/* The list of an attribute `transform`. False where it is damaged: the matrix is then what stood before the damage. */
bool svg_transform(const char *text, struct svg_matrix *matrix);

/* The colour of a paint, as in "#07f", "rgb(0, 50%, 255)" or "teal". */
bool svg_colour(const char *text, uint8_t colour[3]);

/* Draws path data; up to where it is damaged, then *whole is false. */
pw_status svg_path_add(struct pen *pen, const char *data, const struct svg_matrix *matrix, bool *whole,
                       pw_error *error);
