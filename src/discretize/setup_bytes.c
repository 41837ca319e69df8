/* See setup_bytes.h. */
#include "discretize/setup_bytes.h"

#include "problem/spectra/spectra.h"

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Of a lattice of so many points in a row. */
static uint64_t block_bytes(const struct setup *setup, uint64_t columns, uint64_t rows)
{
    const struct spectra *spectra = &setup->problem.spectra;
    const uint64_t row = 2 * (uint64_t)spectra->frequency_count * columns;
    uint64_t held = row > 0 ? larger(SPECTRA_BLOCK / row, 1) : 0;
    held = held < rows ? held : rows;
    return held * (row + (uint64_t)spectra_group(spectra) * columns) * sizeof(double);
}

uint64_t setup_writing_bytes(const struct setup *setup)
{
    const struct problem *problem = &setup->problem;
    const struct spectra *spectra = &problem->spectra;
    const uint64_t steps = (uint64_t)problem->steps, receivers = (uint64_t)setup->scenario->receiver_count;
    /* Of receivers whose nodes are not kept, the series that the run makes and those that are written. */
    const uint64_t nodes = problem->probe_slots > 0 ? receivers : (uint64_t)problem->probe_count;
    const uint64_t series = (receivers + nodes) * steps * sizeof(double);
    /* In three dimensions a row of the spectra may be a point of a sheet: then it is bounded by all points of a block.
     */
    const uint64_t block =
        spectra->frequency_count > 0 ? block_bytes(setup, (uint64_t)spectra->columns, (uint64_t)spectra->rows) : 0;
    return larger(block, series);
}
