/* What a run will take on the processors of this machine, or of all ranks: memory by the solvers' own account, time by
 * a model of what the part that takes longest steps, packs, sends and records, whose constants are measured here
 * (box_times.h). Model and measurements are compared in validation/scaling.md. */
#pragma once

#include "backend/compute.h"
#include "discretize/setup.h"

/* What a part of the cut amounts to. */
struct part_load {
    double nodes, points; /* stepped; of the spectra */
    uint64_t bytes;       /* exchanged, out and in */
};

/* How the set-up's grid is cut for all ranks. */
struct rank_plan {
    struct cut cut;
    struct part_load *loads; /* (cut_count), owned */
};

/* With ranks: fills in what cutting means, and the memory. PW_USAGE when the grid cannot be cut so. */
pw_status rank_plan_create(const struct setup *setup, const struct compute *compute, struct rank_plan *plan,
                           pw_forecast *forecast, pw_error *error);
/* A plan of zeros is allowed. */
void rank_plan_free(struct rank_plan *plan);

/* The time; `plan` NULL: alone. */
pw_status rank_forecast_time(const struct setup *setup, const struct compute *compute, const struct rank_plan *plan,
                             pw_forecast *forecast, pw_error *error);
