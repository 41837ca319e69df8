/* Draws walls over a picture (walls.h). */
#include "base/picture/walls.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

struct surface {
    const uint8_t *solid;
    int width, height, line;
};

/* What stands within `line` pixels of a pixel: *wall, *air. */
static void look_around(const struct surface *surface, int row, int column, bool *wall, bool *air)
{
    int reach = surface->line;
    *wall = *air = false;
    for (int j = -reach; j <= reach; j++) {
        for (int i = -reach; i <= reach; i++) {
            int y = row + j, x = column + i;
            if (i * i + j * j <= reach * reach && y >= 0 && y < surface->height && x >= 0 && x < surface->width) {
                bool solid = surface->solid[(size_t)y * (size_t)surface->width + (size_t)x] > 0;
                *wall = *wall || solid;
                *air = *air || !solid;
            }
        }
    }
}

void walls_draw(uint8_t *image, const uint8_t *solid, int width, int height, int line)
{
    const struct surface surface = {solid, width, height, line};
    const double face = 0.92, inner = 0.6, halo = 0.62;
    const int dark = 22, light = 255;
#pragma omp parallel for schedule(static)
    for (int row = 0; row < height; row++) {
        for (int column = 0; column < width; column++) {
            size_t at = (size_t)row * (size_t)width + (size_t)column;
            bool wall, air;
            look_around(&surface, row, column, &wall, &air);
            if (!wall) {
                continue;
            }
            double opacity = solid[at] == 0                    ? halo
                             : air || solid[at] == SOLID_METAL ? face
                                                               : inner * solid[at] / SOLID_WALL;
            for (int c = 0; c < 3; c++) {
                double under = image[3 * at + (size_t)c], over = solid[at] == 0 ? light : dark;
                image[3 * at + (size_t)c] = (uint8_t)lround((1.0 - opacity) * under + opacity * over);
            }
        }
    }
}
