/* Values of a run in one precision, in and out (volume_state.c). Included once per precision. */

#include "backend/energy_order.h"

/* Copies `count` values between a run and a canonical array, unless that is left out. */
static void CELL(exchange_values)(void *values, size_t first, double *canonical, size_t count, bool store)
{
    REAL *own = (REAL *)values + first;
    for (size_t n = 0; canonical != NULL && n < count; n++) {
        if (store) {
            canonical[n] = (double)own[n];
        } else {
            own[n] = (REAL)canonical[n];
        }
    }
}

/* Fills a profile: gain, pole and feed of the filters along x, of none beyond nx, by blocks of columns. */
static void CELL(fill_profile)(const struct absorber_filter *filter, int nx, int padded, void *profile)
{
    for (int i = 0; i < padded; i++) {
        REAL *block = (REAL *)profile + (size_t)(i / COLUMN_BLOCK) * (3 * COLUMN_BLOCK) + i % COLUMN_BLOCK;
        block[0] = i < nx ? (REAL)filter[i].gain : (REAL)1;
        block[COLUMN_BLOCK] = i < nx ? (REAL)filter[i].pole : (REAL)1;
        block[2 * COLUMN_BLOCK] = i < nx ? (REAL)filter[i].feed : (REAL)0;
    }
}

static double CELL(row_energy)(const void *fields, ptrdiff_t first, int count)
{
    const REAL *e = (const REAL *)fields + first;
    return CELL(energy_row)(e, count);
}

/* One probe of one step, from the values at its taps. */
static void CELL(sum_probe)(const struct probe *probe, const void *tapped, int64_t first, void *probes, int64_t to)
{
    const REAL *value = (const REAL *)tapped + first;
    REAL sum = probe->count == 0 ? *value : 0;
    for (int p = 0; p < probe->count; p++) {
        sum = CELL(cell_probe_add)(sum, (REAL)probe->weight[p], value[p]);
    }
    ((REAL *)probes)[to] = sum;
}

static const struct value_functions CELL(VALUES) = {
    .size = sizeof(REAL),
    .exchange = CELL(exchange_values),
    .fill_profile = CELL(fill_profile),
    .row_energy = CELL(row_energy),
    .sum_probe = CELL(sum_probe),
};
