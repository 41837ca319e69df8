/* How far one solution of a plan is from a finer one, by depth of shadow. */
#ifndef PLAN_ERROR_H
#define PLAN_ERROR_H

#include <stdbool.h>

/* The field over the transmitter's current at points of the floor. */
struct plan_floor {
    int frequencies, rows, columns;
    double x0, y0, pitch;   /* m */
    double source[2];       /* m: the transmitter's place */
    double _Complex *value; /* (frequency, row, column), owned */
};

/* Depths: the strongest half of the floor, about 20 and about 40 dB under its median. */
enum { PLAN_DEPTHS = 3 };

struct plan_error {
    double field;                 /* root mean square of |difference| over the local root mean square of the field */
    double local_mean, point;     /* dB: of the mean power over a wavelength, of the power at a point */
    double by_depth[PLAN_DEPTHS]; /* dB, of local means */
    double field_by_depth[PLAN_DEPTHS]; /* as `field` */
    int points, at_depth[PLAN_DEPTHS];
};

/* Whether every point of `coarse` is one of `fine`, which may have more. */
bool plan_floors_match(const struct plan_floor *coarse, const struct plan_floor *fine);

/* They must match. `wavelength` [m] in air: points nearer than half of one to the transmitter do not count, for the
 * field at its own node is a matter of the cell. */
struct plan_error plan_error_find(const struct plan_floor *coarse, const struct plan_floor *fine, double wavelength);

void plan_floor_free(struct plan_floor *floor);

#endif
