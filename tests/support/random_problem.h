/* Problems for tests of the solver, built without a scenario: random media and lattices of a given size, scheme and
 * precision. */
#ifndef RANDOM_PROBLEM_H
#define RANDOM_PROBLEM_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"

struct random_problem_options {
    enum scheme scheme;
    pw_precision precision;
    int nx, ny, layer;
    bool symmetric[2];               /* x, y begin on a PMC wall */
    const struct absorber *absorber; /* NULL: upml of `layer` cells */
    int palette;                     /* entries; 1: vacuum alone */
    int64_t steps;
    int sources; /* transmitters, each with a few driven nodes */
    bool hard;
    int further; /* drives after the first */
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
    double k = c * problem->time_step / problem->axis[0].spacing;
    pw_error error;
    if (problem_allocate_coefficients(problem, palette, &error) != PW_OK) {
        abort();
    }
    problem->coefficient_index =
        calloc((size_t)problem->axis[0].count * (size_t)problem->axis[1].count, sizeof(uint16_t));
    for (int p = 0; p < palette; p++) {
        double permittivity = p == 0 ? 1 : 1 + 6 * random_unit(seed);
        double conductivity = p == 0 ? 0 : 0.05 * random_unit(seed);
        double a = conductivity * problem->time_step / (2 * eps0 * permittivity);
        bool conductor = p == 3; /* one perfect conductor */
        double *row = problem_coefficient(problem, p);
        row[COEFFICIENT_CA] = conductor ? 0 : (1 - a) / (1 + a);
        row[COEFFICIENT_CB] = conductor ? 0 : k * k / (permittivity * (1 + a)); /* times ring(1): random_problem */
    }
    for (size_t n = 0; n < (size_t)problem->axis[0].count * (size_t)problem->axis[1].count; n++) {
        /* Half of the nodes air, the rest anything: no runs to rely on. */
        problem->coefficient_index[n] = random_next(seed) % 2 ? 0 : (uint16_t)(random_next(seed) % (unsigned)palette);
    }
}

static void random_source(struct source *source, const struct problem *problem, bool hard, unsigned *seed)
{
    int64_t nodes = (int64_t)problem->axis[0].count * problem->axis[1].count;
    source->component = COMPONENT_EZ;
    source->hard = hard;
    source->count = nodes < 5 ? 1 : 3;
    source->node = calloc((size_t)source->count, sizeof(int64_t));
    source->weight = calloc((size_t)source->count, sizeof(double));
    source->drive = calloc((size_t)problem->steps, sizeof(double));
    source->current = calloc((size_t)problem->steps, sizeof(double));
    for (int64_t s = 0; s < source->count; s++) {
        int64_t i = problem->axis[0].count / 2 + (problem->axis[0].count > 4 ? s - 1 : 0),
                j = problem->axis[1].count / 2;
        i = i < 0 ? 0 : i >= problem->axis[0].count ? problem->axis[0].count - 1 : i;
        source->node[s] = j * problem->axis[0].count + i;
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

/* Further drives, as of an antenna's pattern: later and longer than the first. */
static void random_further(struct source *source, const struct problem *problem, int further, unsigned *seed)
{
    source->further = further;
    source->further_weight = calloc((size_t)further * (size_t)source->count + 1, sizeof(double));
    source->further_drive = calloc((size_t)further * (size_t)problem->steps + 1, sizeof(double));
    for (int64_t k = 0; k < further * source->count; k++) {
        source->further_weight[k] = random_unit(seed) - 0.5;
    }
    for (int64_t n = 0; n < further * problem->steps; n++) {
        double t = ((double)(n % problem->steps) - 25) / (double)(7 + n / problem->steps);
        source->further_drive[n] = t * exp(-t * t);
    }
}

static void random_lattice(struct problem *problem, const struct random_problem_options *options, unsigned *seed)
{
    struct spectra *spectra = &problem->spectra;
    problem->probe_count = options->probes;
    problem->probes = calloc((size_t)options->probes + 1, sizeof *problem->probes);
    for (int p = 0; p < options->probes; p++) {
        int64_t node = (int64_t)(random_next(seed) % (unsigned)(problem->axis[0].count * problem->axis[1].count));
        problem->probes[p] = (struct probe){.component = COMPONENT_EZ, .node = node};
    }
    spectra->every = options->every > 0 ? options->every : 1;
    spectra->frequency_count = options->frequencies;
    if (options->frequencies > 0) {
        spectra->spacing = options->spacing > 0 ? options->spacing : 1;
        spectra->x0 = problem->axis[0].count > 8 ? 2 : 0;
        spectra->y0 = problem->axis[1].count > 8 ? 3 : 0;
        spectra->columns = (problem->axis[0].count - 1 - spectra->x0) / spectra->spacing + 1;
        spectra->rows = (problem->axis[1].count - 1 - spectra->y0) / spectra->spacing + 1;
        spectra->frequency = calloc((size_t)options->frequencies, sizeof(double));
        spectra->omega = calloc((size_t)options->frequencies, sizeof(double));
        for (int f = 0; f < options->frequencies; f++) {
            spectra->frequency[f] = (0.02 + 0.1 * f / options->frequencies) / problem->time_step / options->every;
            spectra->omega[f] = 2 * 3.14159265358979 * spectra->frequency[f];
        }
    }
    problem->watch_every = spectra->every * 16;
}

/* One transmitter and a few of everything, on a grid of odd sides. */
static inline struct random_problem_options random_problem_usual(enum scheme scheme, pw_precision precision, int layer)
{
    return (struct random_problem_options){.scheme = scheme,
                                           .precision = precision,
                                           .nx = 123,
                                           .ny = 97,
                                           .layer = layer,
                                           .palette = 7,
                                           .steps = 83,
                                           .sources = 1,
                                           .probes = 9,
                                           .frequencies = 3,
                                           .every = 4,
                                           .spacing = 1,
                                           .seed = 11};
}

static inline struct problem random_problem(struct random_problem_options options)
{
    unsigned seed = options.seed * 7919u + 17u;
    struct stencil stencil = stencil_get(options.scheme, &STENCIL_USUAL_BAND);
    struct problem problem = {.steps = options.steps, .precision = options.precision};
    problem_set_grid(&problem, options.nx, options.ny, 0.02);
    problem.time_step = 0.6 * fmin(1, stencil.courant_limit) * problem.axis[0].spacing / (299792458.0 * sqrt(2.0));
    problem_set_stencil(&problem, &stencil);
    random_medium(&problem, options.palette, &seed);
    for (int p = 0; p < options.palette; p++) {
        problem_coefficient(&problem, p)[COEFFICIENT_CB] *= stencil.laplacian[0];
    }
    pw_error error;
    problem.axis[0].low.symmetric = options.symmetric[0];
    problem.axis[1].low.symmetric = options.symmetric[1];
    const struct absorber usual = {.kind = ABSORBER_UPML, .cells = options.layer, .order = 4, .reflection = 1.125e-7};
    if (problem_set_absorber(&problem, options.absorber != NULL ? options.absorber : &usual, &error) != PW_OK) {
        abort();
    }
    problem.source_count = options.sources;
    problem.sources = calloc((size_t)options.sources + 1, sizeof *problem.sources);
    for (int s = 0; s < options.sources; s++) {
        random_source(&problem.sources[s], &problem, options.hard, &seed);
        random_further(&problem.sources[s], &problem, options.further, &seed);
    }
    problem.source_end = options.steps;
    random_lattice(&problem, &options, &seed);
    return problem;
}

/* Random fields and filter states, to start two backends from the same full state. */
static inline void random_snapshot(const struct problem *problem, struct run_state *snapshot, unsigned seed)
{
    size_t nx = (size_t)problem->axis[0].count, ny = (size_t)problem->axis[1].count;
    for (size_t j = 0; j < ny; j++) {
        for (size_t i = 0; i < nx; i++) {
            bool wall = i == 0 || j == 0;
            snapshot->ez[j * nx + i] = wall ? 0 : (float)(random_unit(&seed) - 0.5);
            snapshot->increment[j * nx + i] = wall ? 0 : (float)(0.1 * (random_unit(&seed) - 0.5));
        }
    }
    snapshot->step = 0;
}

/* Whether this machine can run a solver of the cpu backend at all; says so where it lacks the instructions. Takes a
 * problem that would suit the solver, and frees it. */
static inline bool cpu_solver_works(struct problem problem, const char *solver)
{
    struct backend_options options = {.threads = 1, .solver = solver};
    struct stepper *stepper = NULL;
    pw_error error = {{0}};
    pw_status status = stepper_create(&backend_cpu, &problem, 0, 1, &options, &stepper, &error);
    if (status == PW_OK) {
        stepper_destroy(stepper);
    } else {
        printf("left out: %s\n", error.message);
    }
    problem_free(&problem);
    if (status != PW_OK && status != PW_NO_RESOURCE) {
        abort();
    }
    return status == PW_OK;
}

#endif
