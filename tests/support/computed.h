/* One scenario solved on different things, one after another and all at the same time, each in a thread of its own:
 * what comes out must not depend on it. For the tests of the host (test_compute.c) and of devices (test_gpu_compute.c).
 */
#ifndef COMPUTED_H
#define COMPUTED_H

#include "run/simulation.h"
#include "tests/support/check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define assert_ok(status) assert_int_equal(status, PW_OK)

static const char COMPUTED_SCENARIO[] =
    "plan:\n"
    "  size: [1.2 m, 1 m]\n"
    "  walls: [{from: [31 cm, 80 cm], to: [90 cm, 91 cm], thickness: 5 cm, material: concrete}]\n"
    "grid: {scheme: yee, cell: 1 cm, absorber: {cells: 8}}\n"
    "band: {centre: 2 GHz, width: 800 MHz}\n"
    "transmitters: [{name: a, at: [0.3 m, 0.4 m]}, {name: b, at: [0.9 m, 0.6 m]}]\n"
    "receivers: [{name: r, at: [0.7 m, 0.3 m]}, {name: s, at: [0.2 m, 0.8 m]}]\n"
    "spectra: {count: 3, spacing: 2 cells}\n"
    "stop: {steps: 400}\n";

struct computed {
    struct compute compute;
    const struct setup *setup;
    struct simulation *simulation;
    pw_status status;
    pw_error error;
    size_t count;
    double *values; /* (count), owned: receivers, field and spectra of every run */
};

static void computed_begin(struct computed *own)
{
    own->status = simulation_create(own->setup, &own->compute, 0, own->setup->problem.source_count, &own->simulation,
                                    &own->error);
}

/* Into `values`, when it has been stepped to its end. */
static void computed_end(struct computed *own)
{
    const struct problem *problem = &own->setup->problem;
    const size_t steps = (size_t)problem->steps, receivers = (size_t)own->setup->scenario->receiver_count,
                 nodes = (size_t)problem_nodes(problem), rows = (size_t)problem->spectra.rows,
                 points = rows * (size_t)problem->spectra.columns * (size_t)problem->spectra.frequency_count,
                 each = receivers * steps + nodes + 2 * points;
    own->count = each * (size_t)problem->source_count;
    own->values = calloc(own->count, sizeof *own->values);
    for (int run = 0; own->status == PW_OK && run < problem->source_count; run++) {
        double *to = own->values + (size_t)run * each;
        own->status = pw_simulation_receivers(own->simulation, run, to, &own->error);
        own->status = own->status != PW_OK
                          ? own->status
                          : pw_simulation_field(own->simulation, run, to + receivers * steps, &own->error);
        own->status = own->status != PW_OK ? own->status
                                           : pw_simulation_spectra(own->simulation, run, 0, (int)rows,
                                                                   to + receivers * steps + nodes, &own->error);
    }
    pw_simulation_free(own->simulation);
    own->simulation = NULL;
}

static void *computed_solve(void *user)
{
    struct computed *own = user;
    computed_begin(own);
    own->status = own->status != PW_OK ? own->status : pw_simulation_run(own->simulation, NULL, NULL, &own->error);
    computed_end(own);
    return NULL;
}

/* Against those of the first. */
static void computed_check(struct computed *all, int count)
{
    for (int n = 0; n < count; n++) {
        if (all[n].status != PW_OK) {
            fail_msg("simulation %d: %s", n, all[n].error.message);
        }
        assert_int_equal(all[n].count, all[0].count);
        if (memcmp(all[n].values, all[0].values, all[0].count * sizeof(double)) != 0) {
            fail_msg("simulation %d has other bits than the first", n);
        }
    }
}

static void computed_free(struct computed *all, int count)
{
    for (int n = 0; n < count; n++) {
        free(all[n].values);
    }
}

/* Each of the `count` things alone, all at the same time, and by one thread that steps them in turn. */
static void computed_compare(const struct setup *setup, const struct compute *things, int count)
{
    enum { MOST = 8, WAYS = 3, STRETCH = 40 };
    struct computed all[WAYS * MOST] = {0};
    pthread_t threads[MOST];
    assert_true(count <= MOST);
    for (int n = 0; n < WAYS * count; n++) {
        all[n].setup = setup;
        all[n].compute = things[n % count];
    }
    for (int n = 0; n < count; n++) {
        computed_solve(&all[n]);
    }
    for (int n = 0; n < count; n++) {
        assert_int_equal(pthread_create(&threads[n], NULL, computed_solve, &all[count + n]), 0);
    }
    for (int n = 0; n < count; n++) {
        assert_int_equal(pthread_join(threads[n], NULL), 0);
    }
    struct computed *turns = all + 2 * (size_t)count;
    for (int n = 0; n < count; n++) {
        computed_begin(&turns[n]);
    }
    for (int64_t step = 0; step < setup->problem.steps; step += STRETCH) {
        for (int n = 0; n < count; n++) {
            turns[n].status = turns[n].status != PW_OK
                                  ? turns[n].status
                                  : pw_simulation_advance(turns[n].simulation, STRETCH, &turns[n].error);
        }
    }
    for (int n = 0; n < count; n++) {
        computed_end(&turns[n]);
    }
    computed_check(all, WAYS * count);
    computed_free(all, WAYS * count);
}

#endif
