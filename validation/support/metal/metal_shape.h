/* Shapes of metal, each with the field around it: closed forms, else the currents on it. In a shape's own frame its
 * corner, end or middle is at the origin; a place in metres. */
#ifndef METAL_SHAPE_H
#define METAL_SHAPE_H

#include "validation/support/case.h"
#include "validation/support/metal/contour.h"

enum { METAL_FREQUENCIES = 3 };
static const double METAL_FREQUENCY[METAL_FREQUENCIES] = {2.3e9, 2.4e9, 2.5e9}, METAL_CENTRE = 2.4e9; /* Hz */

enum metal_kind {
    METAL_NONE,
    METAL_HALF_PLANE,
    METAL_WEDGE,
    METAL_STRIP,
    METAL_SLIT,
    METAL_POST,
    METAL_BLOCK,
    METAL_BOX
};

struct metal_shape {
    const char *name, *title;
    enum metal_kind kind;
    double size, other; /* wavelengths: what the kind's are; of wedges `size` is a right angle times that */
    bool smooth;        /* no interference in its shadow: decibels by point, elsewhere of local means */
};

/* NULL: there is none with this name. */
const struct metal_shape *metal_shape_find(const char *name);
const struct metal_shape *metal_shape_at(int n);

/* Where its metal is, endless parts so long that they leave the plan. */
void metal_contour(const struct metal_shape *shape, struct contour *contour);

/* The metal as a scenario's shapes: turned, and moved to `origin`. `thickness` [m] of what has none. */
void metal_add(struct text *text, const struct metal_shape *shape, struct spot origin, double turn, double thickness);

/* The exact field for a source at `source`. One at a time: what is costly is kept for the next. */
struct metal_field;
struct metal_field *metal_field_create(const struct metal_shape *shape, bool horizontal, double density);
void metal_field_free(struct metal_field *field);
void metal_field_move(struct metal_field *field, struct spot source);
/* At frequency f, where that of the source alone is H0^(2)(k |r - r0|); NAN where it is not known. */
double complex metal_field_at(const struct metal_field *field, int f, struct spot at);
/* How far off it is itself, of the incident field at 144 places around: by one and a half times the density,
 * with order 2. 0: a closed form. */
double metal_field_doubt(const struct metal_field *field, double density);

#endif
