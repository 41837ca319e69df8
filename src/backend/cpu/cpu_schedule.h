/* How the CPU solvers share a run between threads. */
#pragma once

#include "backend/cpu/cpu_tile.h"
#include "base/status.h"

/* The most bands into which `rows` rows may be cut when parts have `levels` levels; at least 1. */
int cpu_schedule_bands(const struct cpu_grid *grid, int rows, int levels);

/* Advances the run by the steps of the job. */
pw_status cpu_schedule_advance(const struct cpu_job *job, const struct cpu_tiling *tiling, pw_error *error);
