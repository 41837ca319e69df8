/* Which of the colours of a picture are walls: the dark ones, or one in which more of what is as thick as walls is
 * drawn than in all dark ones together. */
#pragma once

#include "drawing/picture/palette.h"

/* The colours that are walls, at `walls` (PALETTE_LIMIT). `opening`: the length of the widest opening, 3 m or so, which
 * says how thick walls are; 0: that is not known, and dark ones are taken. *filled: whether it is another one. `plane`
 * is made, for work. */
pw_status wall_colours_find(const struct palette *palette, const struct cover_map *map, double opening,
                            struct plane *plane, bool *walls, bool *filled, pw_error *error);
