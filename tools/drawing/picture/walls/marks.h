/* Marks: small dark areas that are no walls, though no thinner than these, as the heads of arrows, stars that point
 * north and what is left of letters; and the directions that walls have, by which they are told. */
#pragma once

#include "drawing/picture/outline.h"

enum { DIRECTIONS_LIMIT = 4 };

/* Of walls, which have a second face at right angles at their ends: above -pi/4 to pi/4 [rad], most of the length
 * first.
 */
struct directions {
    double angles[DIRECTIONS_LIMIT];
    int count;
};

/* Those of the edges of areas of walls, by class, longer than `longest` pixels; a direction has at
 * least `least` of length. */
struct directions outlines_directions(const struct outlines *outlines, const bool *is_wall, double longest,
                                      double least);

/* Drops areas of walls up to `longest` pixels long that are far smaller than a column can be, or neither boxes nor
 * discs nor made of edges along walls. Returns how many. */
size_t outlines_drop_marks(struct outlines *outlines, const bool *is_wall, double longest);
