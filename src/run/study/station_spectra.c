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

/* tm2d: the running spectra become those of a box around the places; in it they alone are wanted. */
static pw_status set_lattice(struct problem *problem, const int64_t *place, int64_t places, pw_error *error)
{
    const int64_t nx = problem->axis[0].count;
    struct spectra *spectra = &problem->spectra;
    int64_t low = nx, high = 0;
    for (int64_t n = 0; n < places; n++) {
        low = place[n] % nx < low ? place[n] % nx : low;
        high = place[n] % nx > high ? place[n] % nx : high;
    }
    spectra->x0 = (int)low;
    spectra->y0 = (int)(place[0] / nx);
    spectra->spacing = 1;
    spectra->columns = (int)(high - low) + 1;
    spectra->rows = (int)(place[places - 1] / nx) - spectra->y0 + 1;
    const size_t points = (size_t)spectra->rows * (size_t)spectra->columns;
    free(spectra->wanted);
    TRY_MADE(spectra->wanted = allocate(points, sizeof *spectra->wanted, "places of the walls", error));
    for (int64_t n = 0; n < places; n++) {
        spectra->wanted[(place[n] / nx - spectra->y0) * spectra->columns + place[n] % nx - low] = true;
    }
    return PW_OK;
}

/* Where the run of neighbours along x ends that begins at place n of the list. */
static int64_t run_end(const struct problem *problem, const int64_t *place, int64_t places, int64_t n)
{
    const int64_t nx = problem->axis[0].count, first = n;
    do {
        n++;
    } while (n < places && place[n] == place[n - 1] + 1 && place[n] / nx == place[first] / nx);
    return n;
}

/* maxwell3d: the running spectra become those of the places, in their order: a sheet for each run along x. */
static pw_status set_sheets(struct problem *problem, const int64_t *place, int64_t places, pw_error *error)
{
    struct spectra *spectra = &problem->spectra;
    FAIL_IF(places > INT_MAX, error, PW_NO_RESOURCE, "sensitivities of walls of %lld nodes are too many",
            (long long)places);
    free(spectra->sheets);
    spectra->sheet_count = 0;
    for (int64_t n = 0; n < places; n = run_end(problem, place, places, n)) {
        spectra->sheet_count++;
    }
    spectra->sheets = allocate((size_t)spectra->sheet_count, sizeof *spectra->sheets, "places of the walls", error);
    TRY_MADE(spectra->sheets);
    struct spectra_sheet *sheet = spectra->sheets;
    for (int64_t n = 0, end; n < places; n = end) {
        end = run_end(problem, place, places, n);
        *sheet++ = (struct spectra_sheet){
            .first = place[n], .column_stride = 1, .row_stride = 1, .columns = (int)(end - n), .rows = 1};
    }
    spectra->columns = 1;
    spectra->rows = (int)places;
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

enum { VALUES_AT_ONCE = 1 << 23 }; /* of spectra that are read together, but for a row at least */

static int rows_at_once(const struct spectra *spectra)
{
    const int rows = VALUES_AT_ONCE / 2 / spectra->columns / spectra->frequency_count;
    return rows < 1 ? 1 : rows < spectra->rows ? rows : spectra->rows;
}

/* Those places of the list from number n on that lie in the next rows of the spectra, into *values (frequency, places,
 * re/im); *end: the first that does not. */
static pw_status read_places(const struct simulation *simulation, const int64_t *place, int64_t places, int64_t n,
                             size_t *point, double *values, int64_t *end, pw_error *error)
{
    const struct problem *problem = &simulation->setup->problem;
    const struct spectra *spectra = &problem->spectra;
    const int rows = rows_at_once(spectra);
    const int64_t nx = problem->axis[0].count;
    if (problem->formulation == FORMULATION_MAXWELL3D) {
        *end = n + rows < places ? n + rows : places;
        return simulation_spectra_at(simulation, 0, (int)n, (int)(*end - n), NULL, 0, values, error);
    }
    const int64_t first = place[n] / nx;
    size_t count = 0;
    for (*end = n; *end < places && place[*end] / nx < first + rows; ++*end) {
        point[count++] = (size_t)((place[*end] / nx - first) * spectra->columns + place[*end] % nx - spectra->x0);
    }
    return simulation_spectra_at(simulation, 0, (int)first - spectra->y0, (int)(place[*end - 1] / nx - first) + 1,
                                 point, count, values, error);
}

/* Values (frequency, count, re/im) to their places from number `first` on, each with all its frequencies. */
static void store_places(struct station_spectra *spectra, size_t first, const double *values, size_t count)
{
    const size_t frequencies = (size_t)spectra->frequencies;
#pragma omp parallel for schedule(static)
    for (size_t n = 0; n < count; n++) {
        for (size_t k = 0, to = 2 * (first + n) * frequencies; k < 2 * frequencies; k++, to++) {
            const double value = values[2 * (k / 2 * count + n) + k % 2];
            if (spectra->single) {
                ((float *)spectra->value)[to] = (float)value;
            } else {
                ((double *)spectra->value)[to] = value;
            }
        }
    }
}

/* The spectra of the places of the list. */
static pw_status keep_places(const struct simulation *simulation, int station, const int64_t *place,
                             struct station_spectra *spectra, pw_error *error)
{
    const struct spectra *lattice = &simulation->setup->problem.spectra;
    const size_t frequencies = (size_t)spectra->frequencies,
                 points = (size_t)rows_at_once(lattice) * (size_t)lattice->columns,
                 first = (size_t)spectra->of[station].run * (size_t)spectra->places;
    OWNED double *values = allocate(2 * points * frequencies, sizeof *values, "rows of spectra", error);
    OWNED size_t *point = allocate(points, sizeof *point, "rows of spectra", error);
    TRY_MADE(values != NULL && point != NULL);
    for (int64_t n = 0, end; n < spectra->places; n = end) {
        FAIL_IF(!scenario_is_wanted(simulation->setup->asked), error, PW_INTERRUPTED, "interrupted");
        TRY(read_places(simulation, place, spectra->places, n, point, values, &end, error));
        store_places(spectra, first + (size_t)n, values, (size_t)(end - n));
    }
    return PW_OK;
}

/* sum over n of series[n] exp(-j omega (n + offset) dt), times dt, of `count` series (count, steps) to (count,
 * frequencies, re/im). */
static void transform(const struct setup *setup, const double *series, int count, int64_t steps, int offset,
                      double *out)
{
    const double dt = setup->problem.time_step;
    const int frequencies = setup->problem.spectra.frequency_count;
    int64_t end = steps; /* a drive is zero for most of a run */
    for (bool zero = true; end > 0 && zero; end -= zero) {
        for (int r = 0; r < count; r++) {
            zero = zero && series[r * steps + end - 1] == 0;
        }
    }
    memset(out, 0, 2 * (size_t)count * (size_t)frequencies * sizeof *out);
#pragma omp parallel for schedule(static)
    for (int f = 0; f < frequencies; f++) {
        for (int64_t n = 0; n < end; n++) {
            const double phase = fmod(setup->omega[f] * (double)(n + offset) * dt, 2 * M_PI), real = cos(phase) * dt,
                         imaginary = -sin(phase) * dt;
            for (int r = 0; r < count; r++) {
                double *sum = out + 2 * ((ptrdiff_t)r * frequencies + f);
                sum[0] += series[r * steps + n] * real;
                sum[1] += series[r * steps + n] * imaginary;
            }
        }
    }
}

/* What the receivers heard of a transmitter, and what it sent. */
static pw_status keep_heard(const struct simulation *simulation, int station, struct station_spectra *spectra,
                            pw_error *error)
{
    const struct setup *setup = simulation->setup;
    const int receivers = setup->scenario->receiver_count;
    const size_t values = 2 * (size_t)spectra->frequencies, steps = (size_t)simulation->step;
    OWNED double *series = allocate((size_t)receivers * steps, sizeof *series, "the receivers' series", error);
    TRY_MADE(series);
    TRY(pw_simulation_receivers(simulation, 0, series, error));
    transform(setup, series, receivers, simulation->step, 1,
              spectra->heard + (size_t)station * (size_t)receivers * values);
    return pw_simulation_source_spectrum(simulation, 0, spectra->current + (size_t)station * values, error);
}

/* In tm2d the drive stands on the right as it is; in maxwell3d, where h was eliminated, with the factor 1 - 1/z. */
static void find_driven(const struct setup *setup, int source, double *driven)
{
    const struct problem *problem = &setup->problem;
    transform(setup, problem->sources[source].drive, 1, problem->steps, 0, driven);
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
                               const int64_t *place, const pw_monitor *monitor, struct station_spectra *spectra,
                               pw_error *error)
{
    struct simulation *simulation = NULL;
    struct told told = {.monitor = monitor != NULL ? *monitor : (pw_monitor){0},
                        .steps = (double)pw_setup_facts(setup).expected_steps};
    TRY(simulation_create(setup, compute, station, 1, &simulation, error));
    pw_status status = pw_simulation_run(simulation, station_progress, &told, error);
    status = status == PW_OK && place != NULL ? keep_places(simulation, station, place, spectra, error) : status;
    if (status == PW_OK && station < setup->scenario->transmitter_count) {
        status = keep_heard(simulation, station, spectra, error);
    }
    pw_simulation_free(simulation);
    return status;
}

static pw_status solve_all(const struct setup *setup, const struct compute *compute, const int64_t *place,
                           const pw_monitor *monitor, struct station_spectra *spectra, pw_error *error)
{
    const int stations = place != NULL ? spectra->stations : setup->scenario->transmitter_count,
              runs = place != NULL ? spectra->runs : stations;
    for (int s = 0, run = 0; s < stations; s++) {
        pw_monitor_part part = {monitor, (double)run / runs, (run + 1.0) / runs};
        const pw_monitor own = monitor_of_part(&part);
        if (spectra->of[s].run == run) {
            TRY(station_solve(setup, compute, s, place, &own, spectra, error));
            run++;
        }
    }
    return PW_OK;
}

pw_status stations_solve(struct setup *setup, const struct compute *compute, const int64_t *place, int64_t places,
                         const pw_monitor *monitor, struct station_spectra *spectra, pw_error *error)
{
    if (place != NULL) {
        TRY(setup->problem.formulation == FORMULATION_MAXWELL3D ? set_sheets(&setup->problem, place, places, error)
                                                                : set_lattice(&setup->problem, place, places, error));
        sample_finely(&setup->problem);
    }
    pw_status status = spectra_create(setup, places, spectra, error);
    if (status == PW_OK) {
        find_driven(setup, 0, spectra->driven);
        for (int t = 0; t < setup->scenario->transmitter_count; t++) {
            find_driven(setup, t, spectra->sent + 2 * (size_t)t * (size_t)spectra->frequencies);
        }
        status = solve_all(setup, compute, place, monitor, spectra, error);
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
