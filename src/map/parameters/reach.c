/* How far shadowing reaches (parameters.h): products of pairs of places, by blocks, and the exponential through them.
 */
#include "map/parameters/parameters.h"

#include <math.h>
#include <stdlib.h>

enum { PLACES_MOST = 4000 };

void reach_gather(const pw_link_sample *samples, const double *shadow, const int *block, int count, double far,
                  struct reach_sums *sums)
{
    const int step = (count - 1) / PLACES_MOST + 1;
    for (int a = 0; a < count; a += step) {
        struct reach_sums *own = &sums[block[a]];
        own->square += shadow[a] * shadow[a];
        own->places++;
        for (int b = a + step; b < count; b += step) {
            const double apart = hypot(samples[a].x - samples[b].x, samples[a].y - samples[b].y);
            if (samples[a].transmitter == samples[b].transmitter && apart < far) {
                const int bin = (int)(REACH_BINS * apart / far);
                own->product[bin] += shadow[a] * shadow[b];
                own->distance[bin] += apart;
                own->pairs[bin]++;
            }
        }
    }
}

/* Weighted squares between the correlation of each bin and the exponential. */
static double misfit(const struct reach_sums *whole, double reach)
{
    double sum = 0;
    for (int b = 0; b < REACH_BINS; b++) {
        if (whole->pairs[b] > 0) {
            const double found = whole->product[b] / whole->pairs[b] / (whole->square / whole->places),
                         apart = whole->distance[b] / whole->pairs[b];
            sum += whole->pairs[b] / (1 + apart) * pow(found - exp(-apart / reach), 2);
        }
    }
    return sum;
}

double reach_fit(const struct reach_sums *sums, const double *weight, int blocks, double far)
{
    const double golden = 0.6180339887498949;
    struct reach_sums whole = {0};
    for (int n = 0; n < blocks; n++) {
        const double w = weight != NULL ? weight[n] : 1;
        whole.square += w * sums[n].square;
        whole.places += w * sums[n].places;
        for (int b = 0; b < REACH_BINS; b++) {
            whole.product[b] += w * sums[n].product[b];
            whole.distance[b] += w * sums[n].distance[b];
            whole.pairs[b] += w * sums[n].pairs[b];
        }
    }
    if (!(whole.square > 0)) {
        return NAN;
    }
    double low = log(far / REACH_BINS / 8), high = log(4 * far);
    while (high - low > 1e-4) {
        const double left = high - golden * (high - low), right = low + golden * (high - low);
        if (misfit(&whole, exp(left)) < misfit(&whole, exp(right))) {
            high = right;
        } else {
            low = left;
        }
    }
    return exp(0.5 * (low + high));
}

/* ---- blocks ---- */

struct cell {
    int transmitter, column, row, place;
};

static int compare_cells(const void *a, const void *b)
{
    const struct cell *left = a, *right = b;
    const int by[3] = {left->transmitter - right->transmitter, left->column - right->column, left->row - right->row};
    return by[0] != 0 ? by[0] : by[1] != 0 ? by[1] : by[2];
}

int blocks_find(const pw_link_sample *samples, int count, double side, int *block)
{
    struct cell *cells = malloc((size_t)count * sizeof *cells);
    int blocks = 0;
    if (cells == NULL) {
        return 0;
    }
    for (int n = 0; n < count; n++) {
        cells[n] =
            (struct cell){samples[n].transmitter, (int)floor(samples[n].x / side), (int)floor(samples[n].y / side), n};
    }
    qsort(cells, (size_t)count, sizeof *cells, compare_cells);
    for (int n = 0; n < count; n++) {
        blocks += n == 0 || compare_cells(&cells[n], &cells[n - 1]) != 0;
        block[cells[n].place] = blocks - 1;
    }
    free(cells);
    return blocks;
}
