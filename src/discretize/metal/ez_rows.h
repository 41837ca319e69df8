/* Metal between the nodes of Ez: the rows beside metal of tm2d (problem.h; physics.md section 1, "Metal between
 * nodes"). A node beside metal has an added stiffness W and a share of volume M, both chosen so that the discrete
 * equation is exact, at two wave numbers, for the field that stands at that node (metal_solution.h). */
#pragma once

#include "base/status.h"

#include <stdint.h>

struct setup;
struct raster_grid;

/* Nodes that have a row, ascending, and their shares of volume, by which their permittivity is multiplied. */
struct ez_shares {
    int64_t *node; /* (count), owned */
    double *share; /* (count), owned */
    int64_t count;
};

/* Fills in grid->clear: where rows may stand. Needs the grid and the scenario. */
void ez_rows_clear(const struct setup *setup, struct raster_grid *grid);

/* Makes the rows, of problem and medium as they stand, and setup->shares. Coefficients and time step must be there. */
pw_status ez_rows_create(struct setup *setup, const struct raster_grid *grid, pw_error *error);

/* Share of a node's volume; 1 away from metal. What a current drives there it divides. */
double ez_share(const struct ez_shares *shares, int64_t node);
void ez_shares_free(struct ez_shares *shares);
