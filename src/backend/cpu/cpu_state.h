/* Memory of the CPU solvers: what a grid and its runs hold, and how values go in and out of the padded arrays. */
#pragma once

#include "backend/backend.h"
#include "backend/cpu/march/cpu_march.h"

/* Values rounded to the precision of the problem. */
void cpu_round_values(const struct problem *problem, const double *from, size_t count, void *to);

/* Geometry, coefficients and dispersive nodes; *block is the memory, to be freed, and so is grid->poles. */
pw_status cpu_grid_create(const struct problem *problem, int threads, struct cpu_grid *grid, void **block,
                          pw_error *error);
/* Fields at rest; *block as above. */
pw_status cpu_run_create(const struct cpu_grid *grid, const struct source *source, int threads, struct cpu_run *run,
                         void **block, pw_error *error);
/* Bytes of a grid, its dispersive nodes included, and of a run. */
uint64_t cpu_grid_size(const struct problem *problem);
uint64_t cpu_run_size(const struct problem *problem);

/* Between the state at level `step` and canonical arrays; `store` is true towards the canonical arrays. */
void cpu_run_exchange(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step, struct run_state *state,
                      bool store);
/* Between the state at level `step` and the values of a patch, out of the state when `store`. Images about the walls
 * are left as they are. */
void cpu_run_patch(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step, const struct patch *patch,
                   void *values, bool store);
/* Ez at level `step`, (ny, nx). */
void cpu_run_field(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step, int threads, double *ez);
/* (count, probe_count) of steps first .. first+count-1 */
void cpu_run_probes(const struct cpu_grid *grid, const struct cpu_run *run, int64_t first, int64_t count, double *ez);
/* Sum of Ez^2 at level `step`; row_sums (ny) is scratch. */
double cpu_run_energy(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step, int threads,
                      double *row_sums);
/* Lattice rows first..first+count-1 to (frequency_count, count, columns, 2). */
void cpu_run_spectra(const struct cpu_grid *grid, const struct cpu_run *run, int row_first, int row_count, int threads,
                     double *out);
/* The samples that wait after `step` steps: (spectra_waiting, row_count, columns). */
void cpu_run_samples(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step, int row_first, int row_count,
                     int threads, double *out);
