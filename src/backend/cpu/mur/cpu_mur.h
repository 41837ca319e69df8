/* Edges that obey Mur's condition (problem/mur/mur.h) on the cpu backend. */
#pragma once

#include "backend/cpu/march/cpu_march.h"

/* The nodes near the edges, from level `step` to the next, after all others have been marched. */
void cpu_mur_step(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step);
