/* Pictures of what the solver will see on a plane: the plan of a run in two dimensions; of a building a horizontal or a
 * vertical cut through the nodes of Ez. */
#pragma once

#include "discretize/picture/picture_parts.h"

struct plane {
    int normal, column_axis, row_axis; /* 0..2: x, y, z */
    int node;                          /* along the normal */
    double asked, position;            /* m along the normal: as wanted, and of the nodes */
};

/* The nodes nearest to `position` [m] along the axis `normal`; in two dimensions the plan itself. PW_BAD_INPUT: outside
 * the building. */
pw_status plane_find(const struct setup *setup, int normal, double position, struct plane *plane, pw_error *error);

/* `colours` and `amounts` (material_count): of materials that have an amount the key speaks. */
pw_status plane_picture_write(const struct setup *setup, const struct plane *plane, const uint32_t *colours,
                              const double *amounts, const char *path, pw_error *error);
