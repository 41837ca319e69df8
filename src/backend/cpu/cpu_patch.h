/* Patches of a run of tm2d (backend/patch.h): values between its padded arrays and other subdomains. */
#pragma once

#include "backend/cpu/march/cpu_march.h"
#include "backend/patch.h"

/* Between the state at level `step` and `values`, out of the state when `store`. Images about the walls are left as
 * they are. */
void cpu_run_patch(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step, const struct patch *patch,
                   void *values, bool store);
