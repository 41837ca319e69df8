/* See receiver_series.h. */
#include "run/receiver_series.h"

#include "run/simulation.h"

#include <stdlib.h>

enum { TAKEN_VALUES = 1 << 16 }; /* at a time */

double receiver_component(const struct setup *setup, int receiver, int c, const double *probes)
{
    const struct receiver *taps = &setup->receivers[receiver];
    if (taps->placement.count == 0) {
        return probes[taps->probe[c]];
    }
    double sum = 0;
    for (int k = 0; c == 2 && k < taps->placement.count; k++) {
        sum += taps->placement.weight[k] * probes[taps->probe[k]];
    }
    return sum;
}

double receiver_value(const struct setup *setup, int receiver, const double *probes)
{
    if (setup->receivers[receiver].placement.count > 0) {
        return receiver_component(setup, receiver, 2, probes);
    }
    const struct direction *along = &setup->scenario->receivers[receiver].polarisation;
    return along->x * receiver_component(setup, receiver, 0, probes) +
           along->y * receiver_component(setup, receiver, 1, probes) +
           along->z * receiver_component(setup, receiver, 2, probes);
}

pw_status receiver_series_create(const struct simulation *simulation, struct receiver_series **series, pw_error *error)
{
    const struct setup *setup = simulation->setup;
    const size_t values = (size_t)setup->problem.steps * (size_t)setup->scenario->receiver_count;
    *series = NULL;
    if (setup->problem.probe_slots == 0) {
        return PW_OK;
    }
    struct receiver_series *made = allocate(1, sizeof *made, "the receivers' series", error);
    double **value = allocate((size_t)simulation->count, sizeof *value, "the receivers' series", error);
    if (made == NULL || value == NULL) {
        FREE_ALL(made, value);
        return PW_NO_RESOURCE;
    }
    *made = (struct receiver_series){.value = value, .runs = simulation->count};
    for (int run = 0; run < simulation->count; run++) {
        value[run] = allocate(values, sizeof(double), "the receivers' series", error);
        if (value[run] == NULL) {
            receiver_series_free(made);
            return PW_NO_RESOURCE;
        }
    }
    *series = made;
    return PW_OK;
}

void receiver_series_free(struct receiver_series *series)
{
    for (int run = 0; series != NULL && run < series->runs; run++) {
        free(series->value[run]);
    }
    if (series != NULL) {
        free(series->value);
    }
    free(series);
}

/* The nodes' values of steps first .. first+count-1, (step, probe), to the receivers'. */
static void add_up(const struct setup *setup, const double *nodes, int64_t first, int64_t count, double *series)
{
    const size_t probes = (size_t)setup->problem.probe_count, receivers = (size_t)setup->scenario->receiver_count;
    for (int64_t n = 0; n < count; n++) {
        double *row = series + (size_t)(first + n) * receivers;
        for (size_t r = 0; r < receivers; r++) {
            row[r] = receiver_value(setup, (int)r, nodes + (size_t)n * probes);
        }
    }
}

static pw_status run_take(const struct simulation *simulation, int run, double *nodes, int64_t some, pw_error *error)
{
    struct receiver_series *series = simulation->series;
    for (int64_t first = series->steps; first < simulation->step; first += some) {
        const int64_t count = simulation->step - first < some ? simulation->step - first : some;
        TRY(stepper_take_probes(simulation->stepper, run, first, count, nodes, error));
        add_up(simulation->setup, nodes, first, count, series->value[run]);
    }
    return PW_OK;
}

/* A solver that keeps all steps gives them all at once. */
static pw_status run_read(const struct simulation *simulation, int run, double *nodes, pw_error *error)
{
    struct receiver_series *series = simulation->series;
    const size_t from = (size_t)series->steps * (size_t)simulation->setup->problem.probe_count;
    TRY(stepper_read_probes(simulation->stepper, run, nodes, error));
    add_up(simulation->setup, nodes + from, series->steps, simulation->step - series->steps, series->value[run]);
    return PW_OK;
}

pw_status receiver_series_take(const struct simulation *simulation, pw_error *error)
{
    struct receiver_series *series = simulation->series;
    if (series == NULL || series->steps == simulation->step) {
        return PW_OK;
    }
    const bool takes = stepper_takes_probes(simulation->stepper);
    const int64_t probes = simulation->setup->problem.probe_count;
    const int64_t some = !takes ? simulation->step : TAKEN_VALUES > probes ? TAKEN_VALUES / probes : 1;
    OWNED double *nodes = allocate((size_t)(some * probes), sizeof *nodes, "the receivers' samples", error);
    TRY_MADE(nodes);
    for (int run = 0; run < series->runs; run++) {
        TRY(takes ? run_take(simulation, run, nodes, some, error) : run_read(simulation, run, nodes, error));
    }
    series->steps = simulation->step;
    return PW_OK;
}

int64_t receiver_series_room(const struct simulation *simulation)
{
    return simulation->series != NULL && stepper_takes_probes(simulation->stepper)
               ? simulation->series->steps + simulation->setup->problem.probe_slots - simulation->step
               : INT64_MAX;
}
