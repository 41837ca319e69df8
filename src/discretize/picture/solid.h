/* A storey of a building as columns of small squares, for looking at it: which material each has in each band of
 * heights, and how far the nearest wall or furniture is. */
#pragma once

#include "plan/building.h"

struct solid {
    double low, floor,
        high;     /* m over the lowest floor: the slab's under side, its upper face, the cut under the ceiling */
    double pitch; /* m: side of a square */
    int columns, rows;
    int bands;         /* between low and high */
    double *borders;   /* (bands + 1), ascending, owned: low, ..., high */
    uint8_t *material; /* (bands, rows, columns), owned: 0 is air; over 255 materials, numbers repeat */
    uint8_t *distance; /* (rows, columns), owned: squares to the nearest that has something over the floor, 0..255 */
};

/* Number of a material in a solid. */
static inline uint8_t solid_number(int material)
{
    return (uint8_t)(material == 0 ? 0 : 1 + (material - 1) % 255);
}

/* Squares of about `pitch`, larger where there would be too many. */
pw_status solid_create(const struct building *building, double low, double floor, double high, double pitch,
                       struct solid *solid, pw_error *error);
void solid_free(struct solid *solid);

static inline uint8_t solid_at(const struct solid *solid, int band, int column, int row)
{
    return solid
        ->material[((size_t)band * (size_t)solid->rows + (size_t)row) * (size_t)solid->columns + (size_t)column];
}
