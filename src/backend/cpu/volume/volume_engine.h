/* The engine that every CPU solver of maxwell3d works with: some runs on one grid, marched in tiles (volume_tile.h)
 * with the vectors of one instruction set (volume_march.h). The functions are the ones that struct solver has, by its
 * names.
 */
#pragma once

#include "backend/backend.h"
#include "backend/cpu/volume/volume_march.h"

/* With the tiling that request->detail says, or the one that suits grid and machine. */
pw_status volume_engine_create(const struct solver_request *request, const struct volume_marcher *marcher,
                               void **engine, pw_error *error);
void volume_engine_memory(const struct problem *problem, int runs, uint64_t *host, uint64_t *device);
pw_status volume_engine_advance(void *engine, int64_t steps, pw_error *error);
pw_status volume_engine_energy(void *engine, int run, double *energy, pw_error *error);
pw_status volume_engine_read_field(void *engine, int run, double *e, pw_error *error);
pw_status volume_engine_read_probes(void *engine, int run, double *values, pw_error *error);
pw_status volume_engine_read_spectra(void *engine, int run, int row_first, int row_count, double *out, pw_error *error);
pw_status volume_engine_read_samples(void *engine, int run, int row_first, int row_count, double *out, pw_error *error);
pw_status volume_engine_save(void *engine, int run, struct run_state *to, pw_error *error);
pw_status volume_engine_load(void *engine, int run, const struct run_state *from, pw_error *error);
pw_status volume_engine_patch(void *engine, int run, const struct patch *patch, void *values, bool store,
                              pw_error *error);
void volume_engine_destroy(void *engine); /* NULL is allowed */
