/* The energy as a sum of squares in one order, whatever the solver and however the grid is divided: blocks of 16
 * neighbours along x, counted from the low end; the blocks of a row; the rows of a plane along y, in maxwell3d those of
 * Ex, Ey and Ez in turns; the planes. A grid that is divided along x between blocks has the same bits. Included once
 * per precision (REAL and CELL are defined by the includer); it has no include guard. */

#ifndef ENERGY_BLOCK
#define ENERGY_BLOCK 16
#endif

/* Up to ENERGY_BLOCK values: two apiece into eight lanes, and these in pairs. */
static inline double CELL(energy_block)(const REAL *e, int count)
{
    double square[ENERGY_BLOCK] = {0};
    for (int i = 0; i < count; i++) {
        square[i] = (double)e[i] * (double)e[i];
    }
    for (int half = ENERGY_BLOCK / 2; half > 0; half /= 2) {
        for (int i = 0; i < half; i++) {
            square[i] += square[i + half];
        }
    }
    return square[0];
}

static inline double CELL(energy_row)(const REAL *e, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i += ENERGY_BLOCK) {
        sum +=
            count - i >= ENERGY_BLOCK ? CELL(energy_block)(e + i, ENERGY_BLOCK) : CELL(energy_block)(e + i, count - i);
    }
    return sum;
}
