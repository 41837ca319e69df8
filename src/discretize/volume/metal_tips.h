/* Numbers of faces and edges around corners of metal and ends of sheets, horizontal polarisation (physics.md section
 * 11). */
#pragma once

#include "discretize/setup.h"
#include "discretize/volume/metal_lines.h"

/* Changes areas, edges and links of `setup->metal`, of which none is METAL_STAIRCASE. `limit` as in metal_faces.h. */
pw_status metal_tips_settle(struct setup *setup, const struct metal_list *list, double limit, pw_error *error);
