/* The plan as pictures, one over the other: in two dimensions one, in three one for every band of heights of the storey
 * that rays go through. So boxes, table tops, sills and beams are met at their heights. */
#pragma once

#include "discretize/forecast/ray.h"
#include "plan/building.h"

struct levels {
    struct picture *picture; /* (count), owned, from below */
    double *top;             /* (count), owned [m]: where each ends; the last one has no end */
    int count;
};

/* PW_NO_RESOURCE: no memory. After a failure too, levels_free. */
pw_status levels_create(const struct building *building, const struct slabs *slabs, bool parallel,
                        struct levels *levels, pw_error *error);
void levels_free(struct levels *levels);

/* The number of the picture that holds height z. */
int levels_at(const struct levels *levels, double z);

/* Metres from height z on, upwards or downwards, through which (x, y) is of `material`. */
double levels_thickness(const struct levels *levels, const struct ray *ray, int level, uint16_t material);
