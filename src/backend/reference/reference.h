/* What the runs of the reference backend offer, for every formulation and precision alike: tm2d in reference_run.h,
 * maxwell3d in volume_run.h. */
#pragma once

#include "backend/patch.h"
#include "backend/run_memory.h"
#include "backend/solver.h"

/* One formulation in one precision. `run` is its own struct, run_size bytes. */
struct run_functions {
    size_t run_size;
    pw_status (*create)(void *run, const struct problem *problem, const struct source *source, pw_error *error);
    void (*destroy)(void *run); /* frees the arrays, not the run */
    void (*step)(void *run, int64_t step);
    void (*add_group)(void *run, const double *weights, const double *phases);
    double (*energy)(const void *run);
    void (*read_spectra)(const void *run, int row_first, int row_count, double *out);
    void (*read_samples)(const void *run, int64_t steps, int row_first, int row_count, double *out);
    /* What is recorded, between the run after state->step steps and the canonical arrays; out of the run if `store`. */
    void (*exchange_records)(void *run, struct run_state *state, bool store);
    void (*keep)(void *run); /* rounds fields that have come in to what is kept; NULL: they are kept as they are */
    patch_locate *locate;    /* all else */
};

/* One formulation: its runs in both precisions, and how many values a run holds beside what it records. */
struct reference_formulation {
    const struct run_functions *functions[2]; /* by pw_precision */
    uint64_t (*field_values)(const struct problem *problem);
};

extern const struct reference_formulation reference_volume;
