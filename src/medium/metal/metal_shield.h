/* Thin metal in three dimensions, held on as many planes of edges as the scheme needs. */
#ifndef METAL_SHIELD_H
#define METAL_SHIELD_H

#include "medium/metal/metal_layers.h"

/* Sheets of metal that hold the components of E on fewer than `planes` planes are made as thick. Sheets only: what goes
 * on to both sides across its edges, which posts and wires do not. `planes`: metal_planes() of the scheme
 * (mirror_law.h). */
pw_status metal_shield(struct metal_layers *layers, int planes, pw_error *error);

#endif
