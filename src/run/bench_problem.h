/* A box to time: a square (or oblong) of air crossed by walls, with absorber, a source, probes and, on request, running
 * spectra at every cell; or such a box in three dimensions, with slabs, and spectra at one level. Fields filled with
 * random numbers, so that no solver profits from zeros. Built straight, without scenario or raster: it must be there at
 * once at any size. What comes out of it has no physical meaning. */
#pragma once

#include "backend/backend.h"
#include "base/clock.h"

enum { BENCH_MATERIALS = 8, BENCH_PROBES = 4 };

struct bench_box {
    enum scheme scheme;
    pw_precision precision;
    bool half;          /* fields in 16 bits, in three dimensions */
    int size;           /* cells a side, absorber included */
    int rows;           /* cells along y, 0: a square */
    int levels;         /* cells along z; 0: two dimensions */
    int layer;          /* absorber cells; 0: conducting box */
    int64_t steps;      /* at most */
    int frequencies;    /* running spectra, 0: none */
    int spacing, every; /* cells and steps between samples of the spectra */
    double dispersive;  /* part of the nodes that have a pole, 0 to 0.5 */
};

/* PW_USAGE when the box is too small for its absorber. */
pw_status bench_problem_create(const struct bench_box *box, struct problem *problem, pw_error *error);

/* A solver of `backend` at work on one run on `problem`, loaded with random fields. */
pw_status bench_stepper_create(const struct backend *backend, const struct problem *problem,
                               const struct backend_options *options, struct stepper **stepper, pw_error *error);

/* Bytes a second, read plus written, of a threaded copy in host memory; 0 without memory for it. */
double bench_host_copy(int threads);
