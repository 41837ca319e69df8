/* The time loop: stretches of steps on a backend, with the stop rule, the numerical watch and progress in between. What
 * happens within a step is the solver's work; what becomes of the fields afterwards is for the rooms result and
 * channel.
 */
#include "run/simulation.h"

#include "backend/parts/parted.h"
#include "base/clock.h"
#include "base/memory.h"
#include "discretize/antenna/drives.h"
#include "problem/spectra/spectra_waiting.h"
#include "run/receiver_series.h"

#include <omp.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cut into parts: for all ranks, or for several devices of this machine, or such as take turns on one. */
static pw_status create_parts(struct simulation *simulation, const struct turn_plan *plan, pw_error *error)
{
    const struct compute *compute = &simulation->compute;
    struct parted_options parted = {.cut = {.count = compute->count}};
    struct part_options part = {.first = simulation->first, .runs = simulation->count};
    compute_fill(compute, &part);
    if (compute->ranks != NULL) {
        parted = (struct parted_options){.cut = compute->cut, .channel = &compute->ranks->channel};
    }
    parted.cut.gpus = compute->backend->devices != NULL;
    parted.cut.steps = (double)pw_setup_facts(simulation->setup).expected_steps;
    if (plan != NULL) {
        TRY(memory_check((double)plan->host, "the state of the whole grid, whose parts take turns on the device",
                         "use larger cells, fewer frequencies, a wider spectra.spacing or a spectra.region", error));
        parted.cut = (struct cut_request){.count = plan->parts[0] * plan->parts[1] * plan->parts[2],
                                          .parts = {plan->parts[0], plan->parts[1], plan->parts[2]},
                                          .depth = plan->depth};
        part.turn_memory = plan->device;
        simulation->turn_steps = plan->depth;
    }
    return parted_create(&simulation->setup->problem, &parted, &part, &simulation->stepper, error);
}

/* The whole grid in this process, on one device, or in parts. */
static pw_status create_stepper(struct simulation *simulation, pw_error *error)
{
    const struct compute *compute = &simulation->compute;
    const struct problem *problem = &simulation->setup->problem;
    const struct backend_options alone = {.threads = compute->threads, .device = compute_device(compute)};
    struct turn_plan plan;
    bool turns = false;
    if (compute->ranks == NULL) {
        TRY(compute_plan_turns(compute, problem, simulation->count, &turns, &plan, error));
    }
    return turns || compute->ranks != NULL || compute->count > 1
               ? create_parts(simulation, turns ? &plan : NULL, error)
               : stepper_create(compute->backend, problem, simulation->first, simulation->count, &alone,
                                &simulation->stepper, error);
}

/* "4 ranks of 8 threads, AVX2+FMA"; "2 parts on NVIDIA H100" */
static void name_device(struct simulation *simulation)
{
    const struct compute *compute = &simulation->compute;
    const struct ranks *ranks = compute->ranks;
    const int parts = compute->count;
    int used = 0;
    if (ranks != NULL) {
        used = snprintf(simulation->device, sizeof simulation->device, "%d ranks of ", ranks->channel.count);
    } else if (parts > 1) {
        used = snprintf(simulation->device, sizeof simulation->device, "%d parts on ", parts);
    }
    compute->backend->probe(simulation->device + used, sizeof simulation->device - (size_t)used, NULL);
}

pw_status simulation_create(const struct setup *setup, const struct compute *compute, int first, int count,
                            struct simulation **simulation, pw_error *error)
{
    TRY(compute_select(compute, error));
    OWNED_AS(pw_simulation) *created = allocate(1, sizeof *created, "a simulation", error);
    TRY_MADE(created);
    *created = (struct simulation){.setup = setup, .compute = *compute, .first = first, .count = count};
    name_device(created);
    created->peak_energy = allocate((size_t)count, sizeof(double), "a simulation", error);
    created->history = allocate((size_t)count, sizeof *created->history, "a simulation", error);
    TRY_MADE(created->peak_energy != NULL && created->history != NULL);
    TRY(create_stepper(created, error));
    TRY(receiver_series_create(created, &created->series, error));
    *simulation = created;
    created = NULL;
    return PW_OK;
}

pw_status pw_simulation_create(const pw_setup *setup, const pw_compute *compute, int transmitter_first,
                               int transmitter_count, pw_simulation **simulation, pw_error *error)
{
    int transmitters = setup->problem.source_count;
    struct compute own;
    FAIL_IF(transmitter_first < 0 || transmitter_count < 1 || transmitter_first > transmitters - transmitter_count,
            error, PW_USAGE, "pw_simulation_create: transmitters %d..%d of %d", transmitter_first,
            transmitter_first + transmitter_count - 1, transmitters);
    TRY(compute_read(compute, &setup->problem, &own, error));
    return simulation_create(setup, &own, transmitter_first, transmitter_count, simulation, error);
}

void pw_simulation_free(pw_simulation *simulation)
{
    if (simulation == NULL) {
        return;
    }
    stepper_destroy(simulation->stepper);
    for (int run = 0; simulation->history != NULL && run < simulation->count; run++) {
        energy_history_free(&simulation->history[run]);
    }
    FREE_ALL(simulation->history, simulation->peak_energy);
    receiver_series_free(simulation->series);
    free(simulation);
}

PW_RELEASES(pw_simulation, pw_simulation_free)

pw_status pw_simulation_advance(pw_simulation *simulation, int64_t steps, pw_error *error)
{
    FAIL_IF(steps < 0 || steps > simulation->setup->problem.steps - simulation->step, error, PW_USAGE,
            "pw_simulation_advance: %lld steps from step %lld: the scenario has %lld", (long long)steps,
            (long long)simulation->step, (long long)simulation->setup->problem.steps);
    double start = clock_seconds();
    while (steps > 0) {
        const int64_t room = receiver_series_room(simulation), some = room < steps ? room : steps;
        TRY(stepper_advance(simulation->stepper, some, error));
        simulation->step += some;
        steps -= some;
        if (some == room) {
            TRY(receiver_series_take(simulation, error));
        }
    }
    simulation->seconds += clock_seconds() - start;
    return PW_OK;
}

int64_t pw_simulation_step(const pw_simulation *simulation)
{
    return simulation->step;
}

/* ---- the watch ---- */

/* Reports where the first bad value is. The fields are searched only now, after the energy has shown that there is one.
 */
static pw_status report_bad_value(struct simulation *simulation, int run, pw_error *error)
{
    const struct problem *problem = &simulation->setup->problem;
    const bool volume = problem->formulation == FORMULATION_MAXWELL3D;
    const size_t nx = (size_t)problem->axis[0].count, ny = (size_t)problem->axis[1].count;
    const size_t nodes = (size_t)problem_nodes(problem), values = volume ? 3 * nodes : nodes;
    double *e = allocate(values, sizeof(double), "a copy of the field", error);
    TRY_MADE(e);
    size_t bad = values;
    if (stepper_read_field(simulation->stepper, run, e, error) == PW_OK) {
        for (size_t n = 0; n < values && bad == values; n++) {
            bad = isfinite(e[n]) ? values : n;
        }
    }
    free(e);
    char place[96];
    if (volume) {
        snprintf(place, sizeof place, "(%zu, %zu, %zu) of %zu x %zu x %d", bad % nx, bad / nx % ny,
                 bad % nodes / nx / ny, nx, ny, problem->axis[2].count);
    } else {
        snprintf(place, sizeof place, "(%zu, %zu) of %zu x %zu", bad % nx, bad / nx, nx, ny);
    }
    return fail(error, PW_NUMERICAL,
                "%s is not finite by step %lld, first at cell %s: check sources and Courant number",
                volume ? "E" : "Ez", (long long)simulation->step, place);
}

/* The step of the next look at the energy after `step`. While the source drives there are about eight looks, so that
 * the peak is not missed, the last of them when it has just ended. The looks depend on the problem alone, not on where
 * else the run has paused, so that every backend stops at the same one. */
static int64_t next_look(const struct problem *problem, int64_t step)
{
    int64_t every = problem->spectra.every, driven = (problem->source_end / 8 + every) / every * every;
    int64_t driven_end = (problem->source_end + driven - 1) / driven * driven;
    int64_t interval = step < driven_end && driven < problem->watch_every ? driven : problem->watch_every;
    return (step / interval + 1) * interval;
}

/* Looks at the energy of every run; sets *done when the stop rule holds. */
static pw_status watch(struct simulation *simulation, bool *done, pw_error *error)
{
    const struct problem *problem = &simulation->setup->problem;
    double most = 0;
    for (int run = 0; run < simulation->count; run++) {
        double energy = 0;
        TRY(stepper_energy(simulation->stepper, run, &energy, error));
        if (!isfinite(energy)) {
            return report_bad_value(simulation, run, error);
        }
        double *peak = &simulation->peak_energy[run];
        /* Without a source nothing can grow. Ez and H exchange energy, which Ez alone shows as growth, but never so
         * much: this is an instability. */
        FAIL_IF(simulation->step > problem->source_end && *peak > 0 && energy > 100 * *peak, error, PW_NUMERICAL,
                "the energy grows without a source by step %lld (%.3g times its largest before): the scheme is "
                "unstable on this plan; "
                "lower grid.courant or use grid.averaging: area",
                (long long)simulation->step, energy / *peak);
        *peak = fmax(*peak, energy);
        TRY(energy_history_add(&simulation->history[run], simulation->step, energy, error));
        most = fmax(most, *peak > 0 ? energy / *peak : 0);
    }
    simulation->energy_db = most > 0 ? 10 * log10(most) : -HUGE_VAL;
    *done = problem->decay > 0 && simulation->step >= problem->source_end && simulation->step >= problem->decay_from &&
            most < problem->decay;
    return PW_OK;
}

static bool report_progress(const struct simulation *simulation, pw_progress_function progress, void *user, double rate)
{
    const struct problem *problem = &simulation->setup->problem;
    pw_progress report = {
        .transmitter = simulation->first,
        .transmitter_count = problem->source_count,
        .transmitters_together = simulation->count,
        .step = simulation->step,
        .steps = problem->steps,
        .simulated_time = (double)simulation->step * problem->time_step,
        .cells_per_second = rate * simulation->count * (double)problem_nodes(problem),
        .energy_db = simulation->energy_db,
        .seconds_left = rate > 0 ? (double)(problem->steps - simulation->step) / rate : NAN,
    };
    return progress == NULL || progress(&report, user);
}

/* Steps of the next stretch: about a quarter of a second at the speed so far, but not past a look of the watch. */
static int64_t next_stretch(const struct simulation *simulation, double seconds_per_step)
{
    const struct problem *problem = &simulation->setup->problem;
    int64_t to_watch = next_look(problem, simulation->step) - simulation->step;
    int64_t to_end = problem->steps - simulation->step;
    int64_t stretch = to_watch < to_end ? to_watch : to_end;
    if (simulation->pause_every > 0) {
        int64_t to_pause = simulation->pause_every - simulation->step % simulation->pause_every;
        stretch = to_pause < stretch ? to_pause : stretch;
    }
    double wanted = seconds_per_step > 0 ? 0.25 / seconds_per_step : problem->spectra.every;
    /* Whole sampling intervals, because solvers end their passes on samples; where parts take turns, rounds that lead
     * to the end of the stretch and are about equally deep. */
    const int64_t turn = simulation->turn_steps, rounds = turn > 0 ? (stretch + turn - 1) / turn : 1;
    const double grain = turn > 0 ? ceil((double)stretch / (double)rounds) : problem->spectra.every;
    double rounded = ceil(wanted / grain) * grain;
    return rounded < (double)stretch ? (int64_t)rounded : stretch;
}

pw_status pw_simulation_run(pw_simulation *simulation, pw_progress_function progress, void *user, pw_error *error)
{
    const struct problem *problem = &simulation->setup->problem;
    double started = clock_seconds(), reported = started;
    int64_t first_step = simulation->step;
    bool done = false;
    while (simulation->step < problem->steps && !done) {
        int64_t since = simulation->step - first_step, look = next_look(problem, simulation->step);
        TRY(pw_simulation_advance(
            simulation, next_stretch(simulation, since > 0 ? (clock_seconds() - started) / (double)since : 0), error));
        if (simulation->step == look || simulation->step == problem->steps) {
            double start = clock_seconds();
            TRY(watch(simulation, &done, error));
            simulation->seconds += clock_seconds() - start;
        }
        if (simulation->pause_every > 0 && simulation->step % simulation->pause_every == 0) {
            TRY(simulation->pause(simulation, simulation->pause_user, error));
        }
        if (clock_seconds() - reported > 0.2 || done || simulation->step == problem->steps) {
            reported = clock_seconds();
            /* The speed of all of the run: that of its last moments jumps with whatever else the machine does. */
            const double rate = (double)(simulation->step - first_step) / fmax(reported - started, 1e-9);
            bool go_on = report_progress(simulation, progress, user, rate);
            /* A run that is complete is not interrupted any more. */
            FAIL_IF(!go_on && !done && simulation->step < problem->steps, error, PW_INTERRUPTED,
                    "interrupted at step %lld of %lld", (long long)simulation->step, (long long)problem->steps);
        }
    }
    simulation->stop_reason = done ? "decay" : "duration";
    return PW_OK;
}

/* ---- what was recorded ---- */

static pw_status check_run(const struct simulation *simulation, int run, const char *function, pw_error *error)
{
    FAIL_IF(run < 0 || run >= simulation->count, error, PW_USAGE, "%s: run %d: allowed are 0 to %d", function, run,
            simulation->count - 1);
    return PW_OK;
}

pw_status pw_simulation_field(const pw_simulation *simulation, int run, double *ez, pw_error *error)
{
    TRY(check_run(simulation, run, __func__, error));
    return stepper_read_field(simulation->stepper, run, ez, error);
}

/* All probes of a run, (step, probe), into *all, which the caller frees. */
static pw_status probes_read(const struct simulation *simulation, int run, double **all, pw_error *error)
{
    size_t probes = (size_t)simulation->setup->problem.probe_count, steps = (size_t)simulation->step;
    TRY_MADE(*all = allocate(steps * probes, sizeof(double), "the receivers' samples", error));
    pw_status status = stepper_read_probes(simulation->stepper, run, *all, error);
    if (status != PW_OK) {
        free(*all);
    }
    return status;
}

/* The same from series of two dimensions. */
static pw_status series_read(const struct simulation *simulation, int run, int first, int count, double *field,
                             pw_error *error)
{
    const size_t receivers = (size_t)simulation->setup->scenario->receiver_count, steps = (size_t)simulation->step;
    TRY(receiver_series_take(simulation, error));
    for (size_t n = 0; n < steps; n++) {
        for (int r = 0; r < count; r++) {
            field[(size_t)r * steps + n] = simulation->series->value[run][n * receivers + (size_t)(first + r)];
        }
    }
    return PW_OK;
}

/* What a receiver took in at step n, from all probes: of one with a pattern its terms, each a probe. */
static double received_at(const struct simulation *simulation, int r, const double *all, size_t n)
{
    const struct setup *setup = simulation->setup;
    const struct receiver *receiver = &setup->receivers[r];
    const size_t probes = (size_t)setup->problem.probe_count;
    const struct drive_series terms = {all + receiver->probe[0], probes, simulation->step};
    return receiver->terms > 0 ? drive_received(setup, &terms, receiver->terms, (int64_t)n)
                               : receiver_value(setup, r, all + n * probes);
}

/* The field at receivers first..first+count-1, (receiver, step), from one reading of the probes. */
static pw_status read_receivers(const struct simulation *simulation, int run, int first, int count, double *field,
                                pw_error *error)
{
    const size_t steps = (size_t)simulation->step;
    double *all;
    if (simulation->series != NULL) {
        return series_read(simulation, run, first, count, field, error);
    }
    TRY(probes_read(simulation, run, &all, error));
    for (size_t n = 0; n < steps; n++) {
        for (int r = 0; r < count; r++) {
            field[(size_t)r * steps + n] = received_at(simulation, first + r, all, n);
        }
    }
    free(all);
    return PW_OK;
}

pw_status pw_simulation_receiver(const pw_simulation *simulation, int run, int receiver, double *ez, pw_error *error)
{
    TRY(check_run(simulation, run, __func__, error));
    int receivers = simulation->setup->scenario->receiver_count;
    FAIL_IF(receiver < 0 || receiver >= receivers, error, PW_USAGE, "%s: receiver %d: allowed are 0 to %d", __func__,
            receiver, receivers - 1);
    return read_receivers(simulation, run, receiver, 1, ez, error);
}

pw_status pw_simulation_receivers(const pw_simulation *simulation, int run, double *ez, pw_error *error)
{
    TRY(check_run(simulation, run, __func__, error));
    return read_receivers(simulation, run, 0, simulation->setup->scenario->receiver_count, ez, error);
}

pw_status pw_simulation_receiver_components(const pw_simulation *simulation, int run, double *e, pw_error *error)
{
    TRY(check_run(simulation, run, __func__, error));
    const struct setup *setup = simulation->setup;
    size_t probes = (size_t)setup->problem.probe_count, steps = (size_t)simulation->step;
    double *all;
    for (int r = 0; simulation->series != NULL && r < setup->scenario->receiver_count; r++) { /* Ez alone */
        memset(e + (size_t)r * 3 * steps, 0, 2 * steps * sizeof *e);
        TRY(series_read(simulation, run, r, 1, e + ((size_t)r * 3 + 2) * steps, error));
    }
    if (simulation->series != NULL) {
        return PW_OK;
    }
    TRY(probes_read(simulation, run, &all, error));
    for (size_t n = 0; n < steps; n++) {
        for (int r = 0; r < setup->scenario->receiver_count; r++) {
            const struct direction *own = &setup->scenario->receivers[r].polarisation;
            const double along[3] = {own->x, own->y, own->z};
            const bool pattern = setup->receivers[r].terms > 0; /* what it takes in, along its polarisation */
            for (int c = 0; c < 3; c++) {
                e[((size_t)r * 3 + (size_t)c) * steps + n] = pattern
                                                                 ? along[c] * received_at(simulation, r, all, n)
                                                                 : receiver_component(setup, r, c, all + n * probes);
            }
        }
    }
    free(all);
    return PW_OK;
}

/* Points of lattice rows that are read: `point` (count) counts from the first of the rows, ascending; NULL: all. */
struct points {
    int row_first, row_count;
    size_t nodes; /* of the rows */
    const size_t *point;
    size_t count;
};

/* Of `lines` lines of `width` values a node the chosen nodes move together. */
static void pick(const struct points *points, size_t lines, size_t width, double *values)
{
    for (size_t to = 0; points->point != NULL && to < lines * points->count; to++) {
        const size_t from = to / points->count * points->nodes + points->point[to % points->count];
        memmove(values + to * width, values + from * width, width * sizeof *values);
    }
}

/* Adds the samples that wait for the rest of their group to the spectra of the points. */
static pw_status add_waiting(const struct simulation *simulation, int run, const struct points *points, double *spectra,
                             pw_error *error)
{
    const struct problem *problem = &simulation->setup->problem;
    const size_t group = (size_t)spectra_group(&problem->spectra),
                 waiting = (size_t)spectra_waiting(&problem->spectra, simulation->step);
    int threads = simulation->compute.threads > 0 ? simulation->compute.threads : omp_get_max_threads();
    if (points->nodes == 0 || waiting == 0) {
        return PW_OK;
    }
    OWNED double *samples = malloc(group * points->nodes * sizeof *samples); /* mostly more than is looked at */
    FAIL_IF(samples == NULL, error, PW_NO_RESOURCE, "not enough memory for samples of the spectra");
    TRY(stepper_read_samples(simulation->stepper, run, points->row_first, points->row_count, samples, error));
    pick(points, waiting, 1, samples);
    return spectra_add_waiting(problem, simulation->step, threads, points->count, samples, spectra, error);
}

pw_status simulation_spectra_at(const struct simulation *simulation, int run, int row_first, int row_count,
                                const size_t *point, size_t count, double *spectra, pw_error *error)
{
    const struct spectra *lattice = &simulation->setup->problem.spectra;
    const size_t nodes = (size_t)row_count * (size_t)lattice->columns;
    const struct points points = {row_first, row_count, nodes, point, point != NULL ? count : nodes};
    TRY(stepper_read_spectra(simulation->stepper, run, row_first, row_count, spectra, error));
    pick(&points, (size_t)lattice->frequency_count, 2, spectra);
    return add_waiting(simulation, run, &points, spectra, error);
}

pw_status pw_simulation_spectra(const pw_simulation *simulation, int run, int row_first, int row_count, double *spectra,
                                pw_error *error)
{
    const struct spectra *lattice = &simulation->setup->problem.spectra;
    TRY(check_run(simulation, run, __func__, error));
    FAIL_IF(row_first < 0 || row_count < 0 || row_first > lattice->rows - row_count, error, PW_USAGE,
            "%s: rows %d..%d: allowed are 0 to %d", __func__, row_first, row_first + row_count - 1, lattice->rows - 1);
    return simulation_spectra_at(simulation, run, row_first, row_count, NULL, 0, spectra, error);
}

/* I(f) = sum of I[n] exp(-jwt_n) dt over the steps done, at the times the current was taken (physics.md section 5). */
pw_status pw_simulation_source_spectrum(const pw_simulation *simulation, int run, double *spectrum, pw_error *error)
{
    const struct setup *setup = simulation->setup;
    TRY(check_run(simulation, run, __func__, error));
    const struct source *source = &setup->problem.sources[simulation->first + run];
    double time_step = setup->problem.time_step, offset = source->sampled_at_step_end ? 1 : 0.5;
    for (int f = 0; f < setup->frequency_count; f++) {
        double real = 0, imaginary = 0;
        for (int64_t n = 0; n < simulation->step; n++) { /* most of them come after the pulse */
            if (source->current[n] != 0) {
                const double phase = fmod(setup->omega[f] * ((double)n + offset) * time_step, 2 * M_PI);
                real += source->current[n] * cos(phase);
                imaginary -= source->current[n] * sin(phase);
            }
        }
        spectrum[2 * f] = real * time_step;
        spectrum[2 * f + 1] = imaginary * time_step;
    }
    return PW_OK;
}

/* ---- the history of the energy ---- */

pw_status energy_history_add(struct energy_history *history, int64_t step, double energy, pw_error *error)
{
    const size_t count = (size_t)history->count;
    size_t room = history->limit;
    TRY(array_grow(&history->step, &room, count, sizeof *history->step, "the history of the energy", error));
    TRY(array_grow(&history->energy, &history->limit, count, sizeof *history->energy, "the history of the energy",
                   error));
    history->step[count] = (double)step;
    history->energy[count] = energy;
    history->count++;
    return PW_OK;
}

void energy_history_free(struct energy_history *history)
{
    FREE_ALL(history->step, history->energy);
    *history = (struct energy_history){0};
}
