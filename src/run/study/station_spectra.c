/* See station_spectra.h. */
#include "run/study/station_spectra.h"

#include "base/memory.h"
#include "run/simulation.h"
#include "run/study/node_changes.h"

#include <complex.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- receivers that send ---- */

/* Weights that are 0 but for rounding go, as where a receiver stands on a line of nodes. Returns how many stay. */
static int64_t drop_rounding(struct weighted_place *places, int64_t count)
{
    double most = 0;
    int64_t kept = 0;
    for (int64_t k = 0; k < count; k++) {
        most = fmax(most, fabs(places[k].weight));
    }
    for (int64_t k = 0; k < count; k++) {
        if (fabs(places[k].weight) > 1e-12 * most) {
            places[kept++] = places[k];
        }
    }
    return kept;
}

/* The places of E from which a receiver takes its field, ascending, with their weights; the caller frees *places. */
static pw_status receiver_places(const struct setup *setup, int index, struct weighted_place **places, int64_t *count,
                                 pw_error *error)
{
    const struct receiver *receiver = &setup->receivers[index];
    const struct direction *along = &setup->scenario->receivers[index].polarisation;
    const double weight[3] = {along->x, along->y, along->z};
    const struct problem *problem = &setup->problem;
    const int64_t nodes = problem_nodes(problem);
    int64_t most = receiver->placement.count;
    for (int c = 0; c < 3 && receiver->placement.count == 0; c++) {
        most += 1 + problem->probes[receiver->probe[c]].count;
    }
    *count = 0;
    *places = allocate((size_t)most, sizeof **places, "a receiver's places", error);
    TRY_MADE(*places);
    for (int k = 0; k < receiver->placement.count; k++) {
        (*places)[(*count)++] = (struct weighted_place){receiver->placement.node[k], receiver->placement.weight[k]};
    }
    for (int c = 0; c < 3 && receiver->placement.count == 0; c++) {
        const struct probe *probe = &problem->probes[receiver->probe[c]];
        if (weight[c] != 0 && probe->count == 0) {
            (*places)[(*count)++] = (struct weighted_place){(int)probe->component * nodes + probe->node, weight[c]};
        }
        for (int k = 0; weight[c] != 0 && k < probe->count; k++) {
            (*places)[(*count)++] = (struct weighted_place){probe->place[k], weight[c] * probe->weight[k]};
        }
    }
    *count = drop_rounding(*places, weighted_places_merge(*places, *count));
    return PW_OK;
}

/* A soft source gains weight drive/cb of a place's equation (problem.h), which is to be the weight with which the
 * receiver takes the place. */
static pw_status receiver_source(const struct setup *setup, int index, struct source *source, pw_error *error)
{
    const struct problem *problem = &setup->problem;
    const struct source *model = &problem->sources[0];
    const size_t steps = (size_t)problem->steps;
    struct weighted_place *places = NULL;
    *source = (struct source){.component = COMPONENT_EZ, .sampled_at_step_end = model->sampled_at_step_end};
    TRY(receiver_places(setup, index, &places, &source->count, error));
    source->node = allocate((size_t)source->count, sizeof *source->node, "a receiver's places", error);
    source->weight = allocate((size_t)source->count, sizeof *source->weight, "a receiver's places", error);
    source->drive = allocate(steps, sizeof *source->drive, "a waveform", error);
    source->current = allocate(steps, sizeof *source->current, "a waveform", error);
    const bool there =
        source->node != NULL && source->weight != NULL && source->drive != NULL && source->current != NULL;
    for (int64_t k = 0; there && k < source->count; k++) {
        source->node[k] = places[k].place;
        source->weight[k] = places[k].weight * place_coefficients(problem, places[k].place)[COEFFICIENT_CB];
    }
    free(places);
    if (!there) {
        return PW_NO_RESOURCE; /* the problem owns what there is */
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
        allocate((size_t)transmitters + (size_t)receivers, sizeof *sources, "the receivers as sources", error);
    TRY_MADE(sources);
    memcpy(sources, problem->sources, (size_t)transmitters * sizeof *sources);
    free(problem->sources);
    problem->sources = sources;
    for (int r = 0; r < receivers; r++) {
        problem->source_count++;
        TRY(receiver_source(setup, r, &sources[transmitters + r], error));
    }
    return PW_OK;
}

/* Whether `other` is `source` times *factor. */
static bool same_source(const struct source *source, const struct source *other, int64_t steps, double *factor)
{
    if (source->count == 0 || source->count != other->count || source->further > 0 || other->further > 0 ||
        source->hard || other->hard ||
        memcmp(source->node, other->node, (size_t)source->count * sizeof *source->node) != 0 ||
        memcmp(source->drive, other->drive, (size_t)steps * sizeof *source->drive) != 0) {
        return false;
    }
    *factor = other->weight[0] / source->weight[0];
    bool same = isfinite(*factor);
    for (int64_t k = 0; same && k < source->count; k++) {
        same = fabs(other->weight[k] - *factor * source->weight[k]) <= 1e-12 * fabs(other->weight[k]);
    }
    return same;
}

/* Which runs there are: reciprocity makes one of a transmitter and a receiver at one place. */
static void find_runs(const struct setup *setup, struct station_spectra *spectra)
{
    const struct problem *problem = &setup->problem;
    const int transmitters = setup->scenario->transmitter_count;
    for (int s = 0; s < spectra->stations; s++) {
        struct station_run *of = &spectra->of[s];
        of->run = -1;
        for (int t = 0; s >= transmitters && s < problem->source_count && of->run < 0 && t < transmitters; t++) {
            if (same_source(&problem->sources[t], &problem->sources[s], problem->steps, &of->factor)) {
                of->run = spectra->of[t].run;
            }
        }
        if (of->run < 0) {
            *of = (struct station_run){.run = spectra->runs++, .factor = 1};
        }
    }
}

/* ---- runs ---- */

/* What of the grid has spectra: a box of nodes, of so many components. */
struct box {
    int low[3], count[3];
    int components;
};

static struct box box_around(const struct problem *problem, const int64_t *place, int64_t places)
{
    const int64_t nx = problem->axis[0].count, ny = problem->axis[1].count, nodes = problem_nodes(problem);
    int low[3] = {INT_MAX, INT_MAX, INT_MAX}, high[3] = {0};
    for (int64_t n = 0; n < places; n++) {
        const int64_t node = place[n] % nodes;
        const int at[3] = {(int)(node % nx), (int)(node / nx % ny), (int)(node / nx / ny)};
        for (int a = 0; a < 3; a++) {
            low[a] = at[a] < low[a] ? at[a] : low[a];
            high[a] = at[a] > high[a] ? at[a] : high[a];
        }
    }
    return (struct box){.low = {low[0], low[1], low[2]},
                        .count = {high[0] - low[0] + 1, high[1] - low[1] + 1, high[2] - low[2] + 1},
                        .components = (int)(place[places - 1] / nodes) + 1};
}

/* Where the row of places that begins at (low[0], j, k) stands in the spectra. In maxwell3d rows are points. */
static int box_row(const struct problem *problem, const struct box *box, int64_t component, int64_t j, int64_t k)
{
    const int64_t row = (component * box->count[2] + k - box->low[2]) * box->count[1] + j - box->low[1];
    return (int)(problem->formulation == FORMULATION_MAXWELL3D ? row * box->count[0] : row);
}

/* Running spectra sample so seldom that what aliases is some 1e-4 of the field, which a run in single precision does
 * not notice. In double precision they sample more often: a divisor of the interval, so that other intervals still fit.
 */
static void sample_finely(struct problem *problem)
{
    int *every = &problem->spectra.every, part = *every < 4 ? *every : 4;
    while (*every % part != 0) {
        part++;
    }
    *every /= problem->precision == PW_DOUBLE ? part : 1;
}

/* The running spectra become those of the box: in maxwell3d a sheet a component and level. */
static pw_status set_box(struct problem *problem, const struct box *box, pw_error *error)
{
    const int64_t nx = problem->axis[0].count, ny = problem->axis[1].count;
    struct spectra *spectra = &problem->spectra;
    if (problem->formulation != FORMULATION_MAXWELL3D) {
        spectra->x0 = box->low[0];
        spectra->y0 = box->low[1];
        spectra->spacing = 1;
        spectra->columns = box->count[0];
        spectra->rows = box->count[1];
        return PW_OK;
    }
    const int count = box->components * box->count[2];
    struct spectra_sheet *sheets = allocate((size_t)count, sizeof *sheets, "sheets of spectra", error);
    TRY_MADE(sheets);
    for (int s = 0; s < count; s++) {
        const int64_t k = box->low[2] + s % box->count[2];
        sheets[s] = (struct spectra_sheet){.first = s / box->count[2] * problem_nodes(problem) +
                                                    (k * ny + box->low[1]) * nx + box->low[0],
                                           .column_stride = 1,
                                           .row_stride = nx,
                                           .columns = box->count[0],
                                           .rows = box->count[1]};
    }
    free(spectra->sheets);
    spectra->sheets = sheets;
    spectra->sheet_count = count;
    spectra->columns = 1;
    spectra->rows = count * box->count[0] * box->count[1];
    return PW_OK;
}

/* Who is told of a run, and the steps that it is expected to have. */
struct told {
    pw_monitor monitor;
    double steps;
};

static bool station_progress(const pw_progress *progress, void *user)
{
    const struct told *told = user;
    return monitor_tell(&told->monitor, fmin(1, (double)progress->step / told->steps), NULL) == PW_OK;
}

/* The places of the list out of the box, row after row. */
static pw_status keep_places(const struct simulation *simulation, const struct box *box, int station,
                             const int64_t *place, struct station_spectra *spectra, pw_error *error)
{
    const struct problem *problem = &simulation->setup->problem;
    const int64_t nx = problem->axis[0].count, ny = problem->axis[1].count, nz = problem->axis[2].count;
    const size_t columns = (size_t)box->count[0], frequencies = (size_t)spectra->frequencies;
    const int rows = problem->formulation == FORMULATION_MAXWELL3D ? box->count[0] : 1;
    double *row = allocate(2 * columns * frequencies, sizeof *row, "a row of spectra", error);
    pw_status status = row == NULL ? PW_NO_RESOURCE : PW_OK;
    for (int64_t n = 0; status == PW_OK && n < spectra->places;) {
        const int64_t line = place[n] / nx;
        if (!scenario_is_wanted(simulation->setup->asked)) {
            status = fail(error, PW_INTERRUPTED, "interrupted");
            break;
        }
        const int at = box_row(problem, box, line / ny / nz, line % ny, line / ny % nz);
        status = pw_simulation_spectra(simulation, 0, at, rows, row, error);
        for (; status == PW_OK && n < spectra->places && place[n] / nx == line; n++) {
            const size_t column = (size_t)(place[n] % nx - box->low[0]);
            const size_t to =
                2 * ((size_t)spectra->of[station].run * (size_t)spectra->places + (size_t)n) * frequencies;
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

/* In tm2d the drive stands on the right as it is; in maxwell3d, where h was eliminated, with the factor 1 - 1/z. */
static void find_driven(const struct setup *setup, int source, double *driven)
{
    const struct problem *problem = &setup->problem;
    transform(setup, problem->sources[source].drive, problem->steps, 0, driven);
    for (int f = 0; problem->formulation == FORMULATION_MAXWELL3D && f < problem->spectra.frequency_count; f++) {
        const double complex value =
            (driven[2 * f] + I * driven[2 * f + 1]) * (1 - cexp(-I * setup->omega[f] * problem->time_step));
        driven[2 * f] = creal(value);
        driven[2 * f + 1] = cimag(value);
    }
}

static pw_status spectra_create(const struct setup *setup, int64_t places, struct station_spectra *spectra,
                                pw_error *error)
{
    const struct problem *problem = &setup->problem;
    const size_t transmitters = (size_t)setup->scenario->transmitter_count,
                 receivers = (size_t)setup->scenario->receiver_count, stations = transmitters + receivers,
                 values = 2 * (size_t)problem->spectra.frequency_count, size = problem_value_size(problem);
    *spectra = (struct station_spectra){.stations = (int)stations,
                                        .frequencies = problem->spectra.frequency_count,
                                        .places = places,
                                        .single = problem->precision == PW_SINGLE};
    spectra->of = allocate(stations, sizeof *spectra->of, "runs of stations", error);
    TRY_MADE(spectra->of);
    find_runs(setup, spectra);
    const size_t runs = (size_t)spectra->runs;
    TRY(memory_check((double)(runs * (size_t)places * values * size), "the spectra of the walls",
                     "use fewer frequencies (spectra.count), fewer receivers, or name the parameters that matter",
                     error));
    spectra->value = allocate(runs * (size_t)places * values, size, "the spectra of the walls", error);
    spectra->heard = allocate(transmitters * receivers * values, sizeof(double), "spectra of receivers", error);
    spectra->current = allocate(transmitters * values, sizeof(double), "spectra of currents", error);
    spectra->sent = allocate(transmitters * values, sizeof(double), "spectra of drives", error);
    spectra->driven = allocate(values, sizeof(double), "the spectrum of a drive", error);
    return spectra->value == NULL || spectra->heard == NULL || spectra->current == NULL || spectra->sent == NULL ||
                   spectra->driven == NULL
               ? PW_NO_RESOURCE
               : PW_OK;
}

/* Places NULL: what the receivers heard alone. */
static pw_status station_solve(const struct setup *setup, const struct compute *compute, int station,
                               const struct box *box, const int64_t *place, const pw_monitor *monitor,
                               struct station_spectra *spectra, pw_error *error)
{
    struct simulation *simulation = NULL;
    struct told told = {.monitor = monitor != NULL ? *monitor : (pw_monitor){0},
                        .steps = (double)pw_setup_facts(setup).expected_steps};
    TRY(simulation_create(setup, compute, station, 1, &simulation, error));
    pw_status status = pw_simulation_run(simulation, station_progress, &told, error);
    status = status == PW_OK && place != NULL ? keep_places(simulation, box, station, place, spectra, error) : status;
    if (status == PW_OK && station < setup->scenario->transmitter_count) {
        status = keep_heard(simulation, station, spectra, error);
    }
    pw_simulation_free(simulation);
    return status;
}

static pw_status solve_all(const struct setup *setup, const struct compute *compute, const struct box *box,
                           const int64_t *place, const pw_monitor *monitor, struct station_spectra *spectra,
                           pw_error *error)
{
    const int stations = place != NULL ? spectra->stations : setup->scenario->transmitter_count,
              runs = place != NULL ? spectra->runs : stations;
    for (int s = 0, run = 0; s < stations; s++) {
        pw_monitor_part part = {monitor, (double)run / runs, (run + 1.0) / runs};
        const pw_monitor own = monitor_of_part(&part);
        if (spectra->of[s].run == run) {
            TRY(station_solve(setup, compute, s, box, place, &own, spectra, error));
            run++;
        }
    }
    return PW_OK;
}

pw_status stations_solve(struct setup *setup, const struct compute *compute, const int64_t *place, int64_t places,
                         const pw_monitor *monitor, struct station_spectra *spectra, pw_error *error)
{
    struct box box = {{0}, {0}, 0};
    if (place != NULL) {
        box = box_around(&setup->problem, place, places);
        TRY(set_box(&setup->problem, &box, error));
        sample_finely(&setup->problem);
    }
    pw_status status = spectra_create(setup, places, spectra, error);
    if (status == PW_OK) {
        find_driven(setup, 0, spectra->driven);
        for (int t = 0; t < setup->scenario->transmitter_count; t++) {
            find_driven(setup, t, spectra->sent + 2 * (size_t)t * (size_t)spectra->frequencies);
        }
        status = solve_all(setup, compute, &box, place, monitor, spectra, error);
    }
    if (status != PW_OK) {
        station_spectra_free(spectra);
    }
    return status;
}

void station_spectra_free(struct station_spectra *spectra)
{
    FREE_ALL(spectra->of, spectra->value, spectra->heard, spectra->current, spectra->sent, spectra->driven);
    *spectra = (struct station_spectra){0};
}
