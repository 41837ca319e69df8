/* What is received of scattered waves at a place (diffuse.h). */
#include "channel/diffuse/diffuse.h"

#include <math.h>
#include <stdlib.h>

void diffuse_free(struct diffuse *diffuse)
{
    if (diffuse != NULL) {
        FREE_ALL(diffuse->floor.loss, diffuse->floor.right, diffuse->floor.above, diffuse->air, diffuse->density,
                 diffuse);
    }
}

/* The mean of the blocks of air around a place; in a wall that of its block. */
double diffuse_at(const struct diffuse *diffuse, const double place[2])
{
    const struct diffuse_floor *floor = &diffuse->floor;
    const int column = (int)fmin(fmax(round((place[0] - diffuse->first[0]) / floor->step), 0.0), floor->columns - 1),
              row = (int)fmin(fmax(round((place[1] - diffuse->first[1]) / floor->step), 0.0), floor->rows - 1);
    double density = 0.0;
    int blocks = 0;
    for (int j = row > 0 ? row - 1 : 0; j <= row + 1 && j < floor->rows; j++) {
        for (int i = column > 0 ? column - 1 : 0; i <= column + 1 && i < floor->columns; i++) {
            const int n = j * floor->columns + i;
            if (diffuse->air[n] == diffuse->air[row * floor->columns + column]) {
                density += diffuse->density[n];
                blocks++;
            }
        }
    }
    return 0.5 * density / blocks;
}
