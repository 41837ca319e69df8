/* The engine that every CPU solver works with: some runs on one grid, marched over tiles (cpu_tiling.h) with the
 * vectors of one instruction set (march/cpu_march.h). The functions are the ones that struct solver has, by its names.
 */
#pragma once

#include "backend/backend.h"
#include "backend/cpu/cpu_tile.h"

/* With `simple`, one step at a time over the whole grid on one thread; else with the tiling that request->detail says,
 * or the one that suits grid and machine. */
pw_status cpu_engine_create(const struct solver_request *request, const struct cpu_marcher *marcher, bool simple,
                            void **engine, pw_error *error);
void cpu_engine_memory(const struct problem *problem, int runs, uint64_t *host, uint64_t *device);
pw_status cpu_engine_advance(void *engine, int64_t steps, pw_error *error);
pw_status cpu_engine_energy(void *engine, int run, double *energy, pw_error *error);
pw_status cpu_engine_read_field(void *engine, int run, double *ez, pw_error *error);
pw_status cpu_engine_read_probes(void *engine, int run, double *ez, pw_error *error);
pw_status cpu_engine_take_probes(void *engine, int run, int64_t first, int64_t count, double *ez, pw_error *error);
pw_status cpu_engine_read_spectra(void *engine, int run, int row_first, int row_count, double *out, pw_error *error);
pw_status cpu_engine_read_samples(void *engine, int run, int row_first, int row_count, double *out, pw_error *error);
pw_status cpu_engine_save(void *engine, int run, struct run_state *to, pw_error *error);
pw_status cpu_engine_load(void *engine, int run, const struct run_state *from, pw_error *error);
pw_status cpu_engine_patch(void *engine, int run, const struct patch *patch, void *values, bool store, pw_error *error);
void cpu_engine_destroy(void *engine); /* NULL is allowed */
