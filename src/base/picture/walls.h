/* Walls over a coloured picture, so that they are seen on any colour: dark lines with a light line of air around them.
 */
#pragma once

#include <stdint.h>

enum { SOLID_WALL = 100, SOLID_METAL = 255 };

/* Draws over `image` (height, width, 3). `solid` (height, width): 0 where there is air, up to SOLID_WALL the denser the
 * wall is, SOLID_METAL where it is metal. `line`: pixels of the lines. */
void walls_draw(uint8_t *image, const uint8_t *solid, int width, int height, int line);
