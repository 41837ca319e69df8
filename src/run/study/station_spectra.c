/* See station_spectra.h. */
#include "run/study/station_spectra.h"

#include "base/memory.h"
#include "run/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- receivers that send ---- */

/* A soft source gains weight drive/cb of a node's equation (problem.h), which is to be the weight with which the
 * receiver takes the node. */
static pw_status receiver_source(struct problem *problem, const struct receiver *receiver, struct source *source,
                                 pw_error *error)
{
    const struct source *model = &problem->sources[0];
    const size_t count = (size_t)receiver->placement.count, steps = (size_t)problem->steps;
    *source = (struct source){.component = COMPONENT_EZ,
                              .count = receiver->placement.count,
                              .sampled_at_step_end = model->sampled_at_step_end};
    source->node = allocate(count, sizeof *source->node, "a receiver's nodes", error);
    source->weight = allocate(count, sizeof *source->weight, "a receiver's nodes", error);
    source->drive = allocate(steps, sizeof *source->drive, "a waveform", error);
    source->current = allocate(steps, sizeof *source->current, "a waveform", error);
    if (source->node == NULL || source->weight == NULL || source->drive == NULL || source->current == NULL) {
        return PW_NO_RESOURCE; /* the problem owns what there is */
    }
    for (size_t k = 0; k < count; k++) {
        const int64_t node = receiver->placement.node[k];
        source->node[k] = node;
        source->weight[k] =
            receiver->placement.weight[k] *
            problem->coefficients[(size_t)problem->coefficient_index[node] * COEFFICIENT_WIDTH + COEFFICIENT_CB];
    }
    memcpy(source->drive, model->drive, steps * sizeof *source->drive);
    memcpy(source->current, model->current, steps * sizeof *source->current);
    return PW_OK;
}

pw_status stations_add_receivers(struct setup *setup, pw_error *error)
{
    struct problem *problem = &setup->problem;
    const int receivers = setup->scenario->receiver_count, transmitters = problem->source_count;
    struct source *sources =
        allocate((size_t)(transmitters + receivers), sizeof *sources, "the receivers as sources", error);
    if (sources == NULL) {
        return PW_NO_RESOURCE;
    }
    memcpy(sources, problem->sources, (size_t)transmitters * sizeof *sources);
    free(problem->sources);
    problem->sources = sources;
    for (int r = 0; r < receivers; r++) {
        problem->source_count++;
        TRY(receiver_source(problem, &setup->receivers[r], &sources[transmitters + r], error));
    }
    return PW_OK;
}

/* ---- runs ---- */

/* The box around the nodes, every node of it. */
static void set_box(struct problem *problem, const int64_t *node, int64_t nodes)
{
    const int nx = problem->axis[0].count;
    struct spectra *lattice = &problem->spectra;
    int low[2] = {nx, problem->axis[1].count}, high[2] = {-1, -1};
    for (int64_t n = 0; n < nodes; n++) {
        const int at[2] = {(int)(node[n] % nx), (int)(node[n] / nx)};
        for (int a = 0; a < 2; a++) {
            low[a] = at[a] < low[a] ? at[a] : low[a];
            high[a] = at[a] > high[a] ? at[a] : high[a];
        }
    }
    lattice->x0 = low[0];
    lattice->y0 = low[1];
    lattice->spacing = 1;
    lattice->columns = high[0] - low[0] + 1;
    lattice->rows = high[1] - low[1] + 1;
}

static bool station_progress(const pw_progress *progress, void *user)
{
    return monitor_tell(user, (double)progress->step / (double)progress->steps, NULL) == PW_OK;
}

/* The nodes of the list out of the box, row after row. */
static pw_status keep_nodes(const struct simulation *simulation, int station, const int64_t *node,
                            struct station_spectra *spectra, pw_error *error)
{
    const struct spectra *lattice = &simulation->setup->problem.spectra;
    const int64_t nx = simulation->setup->problem.axis[0].count;
    const size_t columns = (size_t)lattice->columns, frequencies = (size_t)spectra->frequencies;
    double *row = allocate(2 * columns * frequencies, sizeof *row, "a row of spectra", error);
    pw_status status = row == NULL ? PW_NO_RESOURCE : PW_OK;
    for (int64_t n = 0; status == PW_OK && n < spectra->nodes;) {
        const int64_t y = node[n] / nx;
        status = pw_simulation_spectra(simulation, 0, (int)(y - lattice->y0), 1, row, error);
        for (; status == PW_OK && n < spectra->nodes && node[n] / nx == y; n++) {
            const size_t column = (size_t)(node[n] % nx - lattice->x0);
            const size_t to = 2 * ((size_t)station * (size_t)spectra->nodes + (size_t)n) * frequencies;
            for (size_t f = 0; f < 2 * frequencies; f++) {
                const double value = row[2 * (f / 2 * columns + column) + f % 2];
                if (spectra->single) {
                    ((float *)spectra->value)[to + f] = (float)value;
                } else {
                    ((double *)spectra->value)[to + f] = value;
                }
            }
        }
    }
    free(row);
    return status;
}

/* sum over n of series[n] exp(-j omega (n + offset) dt), times dt. */
static void transform(const struct setup *setup, const double *series, int64_t steps, int offset, double *out)
{
    const double dt = setup->problem.time_step;
    for (int f = 0; f < setup->problem.spectra.frequency_count; f++) {
        double real = 0, imaginary = 0;
        for (int64_t n = 0; n < steps; n++) {
            const double phase = fmod(setup->omega[f] * (double)(n + offset) * dt, 2 * M_PI);
            real += series[n] * cos(phase);
            imaginary -= series[n] * sin(phase);
        }
        out[2 * f] = real * dt;
        out[2 * f + 1] = imaginary * dt;
    }
}

/* What the receivers heard of a transmitter, and what it sent. */
static pw_status keep_heard(const struct simulation *simulation, int station, struct station_spectra *spectra,
                            pw_error *error)
{
    const struct setup *setup = simulation->setup;
    const int receivers = setup->scenario->receiver_count;
    const size_t values = 2 * (size_t)spectra->frequencies, steps = (size_t)simulation->step;
    double *series = allocate((size_t)receivers * steps, sizeof *series, "the receivers' series", error);
    pw_status status = series == NULL ? PW_NO_RESOURCE : pw_simulation_receivers(simulation, 0, series, error);
    for (int r = 0; status == PW_OK && r < receivers; r++) {
        transform(setup, series + (size_t)r * steps, simulation->step, 1,
                  spectra->heard + ((size_t)station * (size_t)receivers + (size_t)r) * values);
    }
    free(series);
    return status == PW_OK
               ? pw_simulation_source_spectrum(simulation, 0, spectra->current + (size_t)station * values, error)
               : status;
}

static pw_status spectra_create(const struct setup *setup, int64_t nodes, struct station_spectra *spectra,
                                pw_error *error)
{
    const struct problem *problem = &setup->problem;
    const size_t transmitters = (size_t)setup->scenario->transmitter_count,
                 receivers = (size_t)setup->scenario->receiver_count, stations = transmitters + receivers,
                 values = 2 * (size_t)problem->spectra.frequency_count, size = problem_value_size(problem);
    *spectra = (struct station_spectra){.stations = (int)stations,
                                        .frequencies = problem->spectra.frequency_count,
                                        .nodes = nodes,
                                        .single = problem->precision == PW_SINGLE};
    TRY(memory_check((double)(stations * (size_t)nodes * values * size), "the spectra of the walls",
                     "use fewer frequencies (spectra.count), fewer receivers, or name the parameters that matter",
                     error));
    spectra->value = allocate(stations * (size_t)nodes * values, size, "the spectra of the walls", error);
    spectra->heard = allocate(transmitters * receivers * values, sizeof(double), "spectra of receivers", error);
    spectra->current = allocate(transmitters * values, sizeof(double), "spectra of currents", error);
    spectra->driven = allocate(values, sizeof(double), "the spectrum of a drive", error);
    return spectra->value == NULL || spectra->heard == NULL || spectra->current == NULL || spectra->driven == NULL
               ? PW_NO_RESOURCE
               : PW_OK;
}

static pw_status station_solve(const struct setup *setup, const struct compute *compute, int station,
                               const int64_t *node, const pw_monitor *monitor, struct station_spectra *spectra,
                               pw_error *error)
{
    struct simulation *simulation = NULL;
    pw_monitor told = monitor != NULL ? *monitor : (pw_monitor){0};
    TRY(simulation_create(setup, compute, station, 1, &simulation, error));
    pw_status status = pw_simulation_run(simulation, station_progress, &told, error);
    status = status == PW_OK ? keep_nodes(simulation, station, node, spectra, error) : status;
    if (status == PW_OK && station < setup->scenario->transmitter_count) {
        status = keep_heard(simulation, station, spectra, error);
    }
    pw_simulation_free(simulation);
    return status;
}

pw_status stations_solve(struct setup *setup, const struct compute *compute, const int64_t *node, int64_t nodes,
                         const pw_monitor *monitor, struct station_spectra *spectra, pw_error *error)
{
    pw_status status = spectra_create(setup, nodes, spectra, error);
    if (status == PW_OK) {
        set_box(&setup->problem, node, nodes);
        transform(setup, setup->problem.sources[0].drive, setup->problem.steps, 0, spectra->driven);
    }
    for (int s = 0; status == PW_OK && s < spectra->stations; s++) {
        pw_monitor_part part = {monitor, (double)s / spectra->stations, (s + 1.0) / spectra->stations};
        const pw_monitor own = monitor_of_part(&part);
        status = station_solve(setup, compute, s, node, &own, spectra, error);
    }
    if (status != PW_OK) {
        station_spectra_free(spectra);
    }
    return status;
}

void station_spectra_free(struct station_spectra *spectra)
{
    free(spectra->value);
    free(spectra->heard);
    free(spectra->current);
    free(spectra->driven);
    *spectra = (struct station_spectra){0};
}
