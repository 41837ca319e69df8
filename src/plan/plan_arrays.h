/* Floor plans given as arrays of permittivity, conductivity and perfect conductor instead of a picture: the distinct
 * media become materials, the arrays pixels of materials. */
#pragma once

#include "api/setup.h"
#include "plan/floorplan.h"

/* Sets the size of `plan`, allocates and fills its pixels, and appends the media to its materials, for which there is
 * room for PW_PLAN_MEDIA more. PW_BAD_INPUT: numbers that are not allowed, too many media, or another size than the
 * scenario's. */
pw_status plan_arrays_place(const struct scenario *scenario, const pw_plan *arrays, struct floorplan *plan,
                            pw_error *error);
