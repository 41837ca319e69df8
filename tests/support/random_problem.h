/* Problems for tests of the solver, built without a scenario: random media and lattices of a given size, scheme and
 * precision. */
#ifndef RANDOM_PROBLEM_H
#define RANDOM_PROBLEM_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"

struct random_problem_options {
    enum scheme scheme;
    pw_precision precision;
    int nx, ny, layer;
    int palette; /* entries; 1: vacuum alone */
    int64_t steps;
    int sources; /* transmitters, each with a few driven nodes */
    bool hard;
    int probes;
    int frequencies, every, spacing;
    unsigned seed;
};

static unsigned random_next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static double random_unit(unsigned *seed)
{
    return random_next(seed) / 16777216.0;
}

static void random_medium(struct problem *problem, int palette, unsigned *seed)
{
    const double c = 299792458.0, eps0 = 8.8541878128e-12;
    double k = c * problem->time_step / problem->cell;
    problem->palette_count = palette;
    problem->retention = calloc((size_t)palette, sizeof(double));
    problem->coupling = calloc((size_t)palette, sizeof(double));
    problem->material = calloc((size_t)problem->nx * (size_t)problem->ny, sizeof(uint16_t));
    for (int p = 0; p < palette; p++) {
        double permittivity = p == 0 ? 1 : 1 + 6 * random_unit(seed);
        double conductivity = p == 0 ? 0 : 0.05 * random_unit(seed);
        double a = conductivity * problem->time_step / (2 * eps0 * permittivity);
        bool conductor = p == 3; /* one perfect conductor */
        problem->retention[p] = conductor ? 0 : (1 - a) / (1 + a);
        problem->coupling[p] = conductor ? 0 : k * k / (permittivity * (1 + a)); /* times ring(1): random_problem */
    }
    for (size_t n = 0; n < (size_t)problem->nx * (size_t)problem->ny; n++) {
        /* Half of the nodes air, the rest anything: no runs to rely on. */
        problem->material[n] = random_next(seed) % 2 ? 0 : (uint16_t)(random_next(seed) % (unsigned)palette);
    }
}

static void random_source(struct source *source, const struct problem *problem, bool hard, unsigned *seed)
{
    int64_t nodes = (int64_t)problem->nx * problem->ny;
    source->hard = hard;
    source->count = nodes < 5 ? 1 : 3;
    source->node = calloc((size_t)source->count, sizeof(int64_t));
    source->weight = calloc((size_t)source->count, sizeof(double));
    source->drive = calloc((size_t)problem->steps, sizeof(double));
    source->current = calloc((size_t)problem->steps, sizeof(double));
    for (int64_t s = 0; s < source->count; s++) {
        int64_t i = problem->nx / 2 + (problem->nx > 4 ? s - 1 : 0), j = problem->ny / 2;
        i = i < 0 ? 0 : i >= problem->nx ? problem->nx - 1 : i;
        source->node[s] = j * problem->nx + i;
        source->weight[s] = 1 + random_unit(seed);
        if (s > 0 && source->node[s] == source->node[s - 1]) {
            source->count = s;
            break;
        }
    }
    for (int64_t n = 0; n < problem->steps; n++) {
        double t = ((double)n - 20) / 6;
        source->current[n] = exp(-t * t);
        source->drive[n] = hard ? source->current[n] : source->current[n] - (n > 0 ? source->current[n - 1] : 0);
    }
}

static void random_lattice(struct problem *problem, const struct random_problem_options *options, unsigned *seed)
{
    struct spectra *spectra = &problem->spectra;
    problem->probe_count = options->probes;
    problem->probe_node = calloc((size_t)options->probes + 1, sizeof(int64_t));
    for (int p = 0; p < options->probes; p++) {
        problem->probe_node[p] = (int64_t)(random_next(seed) % (unsigned)(problem->nx * problem->ny));
    }
    spectra->every = options->every > 0 ? options->every : 1;
    spectra->frequency_count = options->frequencies;
    if (options->frequencies > 0) {
        spectra->spacing = options->spacing > 0 ? options->spacing : 1;
        spectra->x0 = problem->nx > 8 ? 2 : 0;
        spectra->y0 = problem->ny > 8 ? 3 : 0;
        spectra->columns = (problem->nx - 1 - spectra->x0) / spectra->spacing + 1;
        spectra->rows = (problem->ny - 1 - spectra->y0) / spectra->spacing + 1;
        spectra->frequency = calloc((size_t)options->frequencies, sizeof(double));
        spectra->omega = calloc((size_t)options->frequencies, sizeof(double));
        for (int f = 0; f < options->frequencies; f++) {
            spectra->frequency[f] = (0.02 + 0.1 * f / options->frequencies) / problem->time_step / options->every;
            spectra->omega[f] = 2 * 3.14159265358979 * spectra->frequency[f];
        }
    }
    problem->watch_every = spectra->every * 16;
}

static struct problem random_problem(struct random_problem_options options)
{
    unsigned seed = options.seed * 7919u + 17u;
    struct stencil stencil = stencil_get(options.scheme);
    struct problem problem = {.nx = options.nx,
                              .ny = options.ny,
                              .cell = 0.02,
                              .steps = options.steps,
                              .precision = options.precision,
                              .layer = options.layer};
    problem.time_step = 0.6 * fmin(1, stencil.courant_limit) * problem.cell / (299792458.0 * sqrt(2.0));
    problem_set_stencil(&problem, &stencil);
    random_medium(&problem, options.palette, &seed);
    for (int p = 0; p < options.palette; p++) {
        problem.coupling[p] *= stencil.ring[0];
    }
    size_t nx = (size_t)options.nx, ny = (size_t)options.ny;
    problem.x_half = calloc(nx, sizeof *problem.x_half);
    problem.x_node = calloc(nx, sizeof *problem.x_node);
    problem.y_half = calloc(ny, sizeof *problem.y_half);
    problem.y_node = calloc(ny, sizeof *problem.y_node);
    absorber_profile(options.nx, options.layer, 4, 1.125e-7, problem.cell, problem.time_step, problem.x_half,
                     problem.x_node);
    absorber_profile(options.ny, options.layer, 4, 1.125e-7, problem.cell, problem.time_step, problem.y_half,
                     problem.y_node);
    problem.source_count = options.sources;
    problem.sources = calloc((size_t)options.sources + 1, sizeof *problem.sources);
    for (int s = 0; s < options.sources; s++) {
        random_source(&problem.sources[s], &problem, options.hard, &seed);
    }
    problem.source_end = options.steps;
    random_lattice(&problem, &options, &seed);
    return problem;
}

/* Random fields and filter states, to start two backends from the same full state. */
static inline void random_snapshot(const struct problem *problem, struct snapshot *snapshot, unsigned seed)
{
    size_t nx = (size_t)problem->nx, ny = (size_t)problem->ny;
    for (size_t j = 0; j < ny; j++) {
        for (size_t i = 0; i < nx; i++) {
            bool wall = i == 0 || j == 0;
            snapshot->ez[j * nx + i] = wall ? 0 : (float)(random_unit(&seed) - 0.5);
            snapshot->increment[j * nx + i] = wall ? 0 : (float)(0.1 * (random_unit(&seed) - 0.5));
        }
    }
    snapshot->step = 0;
}

#endif
