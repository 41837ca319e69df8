/* Numbers of faces along flat metal, horizontal polarisation (physics.md section 11). */
#pragma once

#include "discretize/setup.h"
#include "discretize/volume/metal_lines.h"
#include "medium/metal/metal_edges.h"

/* Changes areas and edges of `setup->metal`, of which none is METAL_STAIRCASE. `turn`: k times a cell in air, as the
 * time stepping has it; `limit` as in metal_faces.h. */
pw_status metal_flat_settle(struct setup *setup, const struct metal_list *list, const struct metal_edges *edges,
                            double turn, double limit, pw_error *error);
