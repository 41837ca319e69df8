/* The plan that `planwave bench --metal` times: an office with walls of brick and plasterboard and cupboards of metal,
 * some along the lattice and some turned. It goes the way of every scenario, so that it has the rows beside metal that
 * a user's plan has (physics.md sections 1, 9). */
#pragma once

#include "discretize/setup.h"

struct bench_plan {
    enum scheme scheme;
    pw_precision precision;
    bool space;           /* three dimensions: one storey with floor and ceiling */
    double width, height; /* m */
    double cell;          /* m */
    int layer;            /* absorber cells on each side */
    int cupboards;
    int64_t steps;
};

/* No spectra; one transmitter. The caller frees *setup. */
pw_status bench_plan_create(const struct bench_plan *plan, struct setup **setup, pw_error *error);
