/* What is received of scattered waves at a place, and when (diffuse.h). */
#include "channel/diffuse/diffuse.h"

#include "base/constants.h"

#include <math.h>
#include <stdlib.h>

void diffuse_free(struct diffuse *diffuse)
{
    if (diffuse != NULL) {
        diffuse_squares_free(&diffuse->squares);
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

/* m: the mean way to a place, between the middles of the squares around it that anything comes to; 0: none. */
static double travel_at(const struct diffuse *diffuse, const double place[2])
{
    const struct diffuse_squares *squares = &diffuse->squares;
    const double half = 0.5 * (squares->step - diffuse->floor.step), /* from a square's first block to its middle */
        x = fmin(fmax((place[0] - diffuse->first[0] - half) / squares->step, 0.0), squares->columns - 1),
                 y = fmin(fmax((place[1] - diffuse->first[1] - half) / squares->step, 0.0), squares->rows - 1);
    double sum = 0.0, weights = 0.0;
    for (int n = 0; n < 4; n++) {
        const int column = (int)x + n % 2, row = (int)y + n / 2;
        const double weight = (1.0 - fabs(x - column)) * (1.0 - fabs(y - row));
        if (weight > 0.0 && squares->value[DIFFUSE_TRAVEL][row * squares->columns + column] > 0.0) {
            sum += weight * squares->value[DIFFUSE_TRAVEL][row * squares->columns + column];
            weights += weight;
        }
    }
    return weights > 0.0 ? sum / weights : 0.0;
}

struct diffuse_late diffuse_late(const struct diffuse *diffuse, const double place[2], double distance)
{
    const double onset = hypot(distance, diffuse->height), excess = fmax(0.0, travel_at(diffuse, place) - onset);
    return (struct diffuse_late){diffuse_at(diffuse, place), onset / SPEED_OF_LIGHT, excess / SPEED_OF_LIGHT};
}

void diffuse_profile(const struct diffuse_late *late, const struct pulse *pulse, const struct diffuse_bins *bins,
                     double sum, double *profile)
{
    /* `kept` from bin to bin, so that the mean of the bins is exact. */
    const double period = bins->count * bins->bin, kept = late->excess / (late->excess + bins->bin);
    const double start = remainder(bins->first - late->onset, period);
    double pulses = 0.0, left = 0.0;
    for (int n = 0; n < bins->count; n++) {
        const double away = start + n * bins->bin;
        profile[n] = pulse_power(pulse, away > 0.5 * period ? away - period : away);
        pulses += profile[n];
        left = kept * left + profile[n];
    }
    left *= kept / (1.0 - pow(kept, bins->count)); /* at the first bin: of all periods before */
    for (int n = 0; n < bins->count; n++) {
        left += profile[n];
        profile[n] = left * (1.0 - kept) * sum / pulses;
        left *= kept;
    }
}
