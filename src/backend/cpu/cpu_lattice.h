/* The lattice of the running spectra in patches (march/cpu_march.h): which of them are kept, and where. */
#pragma once

#include "backend/cpu/march/cpu_march.h"

static inline int cpu_round_up(int value)
{
    return (value + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS * BLOCK_COLUMNS;
}

/* Slots, shift and patches; the rest of the grid's geometry is not looked at. */
void cpu_lattice_shape(struct cpu_grid *grid);

/* How many patches are kept: those with a point that somebody reads. To `number` (patches of the lattice), if it is not
 * NULL, which of them each is, or -1. */
int64_t cpu_lattice_number(const struct cpu_grid *grid, int32_t *number);
