/* Metal between the nodes in three dimensions: the mirrors of its planes of held edges, moved back to where it is. */
#ifndef METAL_MIRROR_H
#define METAL_MIRROR_H

#include "medium/metal/metal_layers.h"

/* Entries of the palette that are left for places before metal. */
enum { METAL_ENTRIES = 2048 };

/* Holds the components of E along metal, next to held ones, that stand nearer to it than the mirror of a held plane
 * comes without help: `place` - slack (mirror_law.h). Posts and wires stay as they are. */
pw_status metal_mirror_hold(struct metal_layers *layers, const struct building *building,
                            const struct raster_volume *volume, pw_error *error);

/* Raises the permittivity of the free components of E along metal, next to held ones, by the law of mirror_law.h;
 * never lowers it. The palette gets entries for them while it has room; places for which there is none are counted in
 * the medium. Nothing is done for bands that are wider than their centre. */
pw_status metal_mirror(struct metal_layers *layers, const struct building *building, const struct raster_volume *volume,
                       pw_error *error);

#endif
