/* Memory of the CPU solvers of maxwell3d: what a grid and its runs hold (volume_march.h), and how values go in and out
 * of the padded rows. */
#pragma once

#include "backend/backend.h"
#include "backend/cpu/volume/volume_march.h"

/* Rows of the taps of the probes: how many steps are marched at most before the probes are summed up. */
int volume_tap_slots(const struct problem *problem);

/* Geometry, media, taps. After a failure volume_grid_destroy frees what there is. */
pw_status volume_grid_create(const struct problem *problem, struct volume_grid *grid, pw_error *error);
void volume_grid_destroy(struct volume_grid *grid);
/* Fields at rest; *block is the memory, to be freed. */
pw_status volume_run_create(const struct volume_grid *grid, const struct source *source, int threads,
                            struct volume_run *run, void **block, pw_error *error);
/* Bytes of a grid and of a run. */
uint64_t volume_grid_size(const struct problem *problem);
uint64_t volume_run_size(const struct problem *problem);

/* Between a run and canonical arrays; `store` is true towards the canonical arrays. */
void volume_exchange(const struct volume_grid *grid, const struct volume_run *run, struct run_state *state, bool store);
/* Between a run and the values of a patch, out of the run when `store`; images about the walls are left as they are. */
void volume_patch(const struct volume_grid *grid, const struct volume_run *run, const struct patch *patch, void *values,
                  bool store);
/* Rounds what has come in to what is kept in 16 bits, where that is asked for (half.h). */
void volume_keep(const struct volume_grid *grid, const struct volume_run *run);
/* Sum of E^2; plane_sums (nz) is scratch. */
double volume_energy(const struct volume_grid *grid, const struct volume_run *run, int threads, double *plane_sums);
/* Values first.. of an array of the problem's precision, as double. */
void volume_widen(const struct problem *problem, const void *values, size_t first, size_t count, double *out);
/* The probes of the `steps` steps after `step`, from the values at their taps. */
void volume_sum_probes(const struct volume_grid *grid, const struct volume_run *run, int64_t step, int64_t steps);
