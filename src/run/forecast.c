/* What a run will take: the memory by the solver's own account, the time by timing a small box with the same scheme,
 * precision, absorber and spectra. The time is a guess: caches, other users of the machine and a stop by decay are not
 * in it. */
#include "backend/compute.h"
#include "backend/parts/parted.h"
#include "backend/parts/rest_share.h"
#include "base/memory.h"
#include "discretize/setup_bytes.h"
#include "discretize/volume/volume.h"
#include "problem/physics/part.h"
#include "run/bench_problem.h"
#include "run/ranks/rank_forecast.h"
#include "run/turn_forecast.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Cells of two boxes: on the first, still made in a moment, walls and what is done once a pass take up to a half of the
 * time that a large grid takes (validation/performance.md); the second is about as fast as any larger one. */
static const double BOX_CELLS[] = {4096.0 * 4096, 12288.0 * 12288},
                    VOLUME_CELLS[] = {232.0 * 232 * 232, 448.0 * 448 * 448};
/* The second only if its least trial takes no longer, as large as this share of the free device holds, and for a run
 * that will take so long. */
static const double BOX_SECONDS = 0.25, BOX_SHARE = 0.5, WORTH_SECONDS = 2;
/* Samples of a box in three dimensions come after fewer steps, since a step takes longer. */
enum { BOX_STEPS = 20000, VOLUME_EVERY = 8, TRIAL_SAMPLES = 4 };
/* The first box tells how large the second may be, and the speed of runs that are too short for a second one. */
static const double FIRST_SECONDS = 0.03, CALIBRATION_SECONDS = 0.15;
/* Cells along which a thin box is as long as it need be. */
enum { SIDE = 65536, VOLUME_SIDE = 4096 };

static void advise(const pw_setup *setup, double needed, double usable, char *advice, size_t size)
{
    if (!volume_say_what_fits(setup, needed, usable, advice, size)) {
        snprintf(advice, size, "use larger cells, fewer frequencies, a wider spectra.spacing or a spectra.region");
    }
}

static pw_status check_memory(const pw_setup *setup, const pw_forecast *forecast, pw_error *error)
{
    const double gigabyte = 1e9;
    const double device_usable = MEMORY_MARGIN * (double)forecast->device_available;
    char advice[256];
    advise(setup, (double)forecast->host_bytes, MEMORY_MARGIN * (double)forecast->host_available, advice,
           sizeof advice);
    const double more = fmax(0.0, (double)forecast->host_bytes - (double)memory_resident());
    TRY(memory_check(more, "this run", advice, error));
    if (forecast->turns == 0 && forecast->device_available > 0 && (double)forecast->device_bytes > device_usable) {
        advise(setup, (double)forecast->device_bytes, device_usable, advice, sizeof advice);
        return fail(error, PW_NO_RESOURCE,
                    "not enough memory: this run needs %.2f GB on %s, %.2f GB are free there; "
                    "%s, or --backend cpu",
                    (double)forecast->device_bytes / gigabyte, forecast->device,
                    (double)forecast->device_available / gigabyte, advice);
    }
    return PW_OK;
}

static void count_memory(const pw_setup *setup, const struct backend *backend, pw_forecast *forecast)
{
    uint64_t host = 0, device = 0;
    int runs = backend->ensemble(&setup->problem);
    runs = runs < setup->problem.source_count ? runs : setup->problem.source_count;
    backend_memory(backend, &setup->problem, runs > 0 ? runs : 1, &host, &device);
    forecast->host_bytes = host + memory_resident() + setup_writing_bytes(setup);
    forecast->device_bytes = device;
    forecast->spectra_host_bytes = backend->device_free != NULL ? host : 0;
    forecast->host_available = memory_available();
    forecast->device_available = backend->device_free != NULL ? backend->device_free() : 0;
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

/* Bytes of the largest part of a cut for several devices, and what it exchanges; its problem is made for that. */
static pw_status measure_part(const struct compute *compute, const struct problem *problem, const struct cut *cut,
                              int number, pw_forecast *forecast, pw_error *error)
{
    OWNED_BY(problem_free) struct problem part = {0};
    OWNED_BY(part_records_free) struct part_records records = {0};
    uint64_t host = 0, device = 0;
    const struct part_box box = cut_box(cut, number);
    TRY(part_problem_create(&(struct part_cut){problem, &box, cut->margin, &records}, &part, error));
    backend_memory(compute->backend, &part, 1, &host, &device);
    forecast->exchanged_bytes = part_exchange_bytes(cut, &part, number, 1);
    const uint64_t bytes = device + forecast->exchanged_bytes;
    forecast->device_bytes = forecast->together > 1 && forecast->device_bytes > bytes ? forecast->device_bytes : bytes;
    forecast->host_bytes += (uint64_t)cut_count(cut) * (uint64_t)part_box_nodes(&box) * sizeof(uint16_t);
    return PW_OK;
}

/* The cut for several devices, as a run will have it (simulation.c). */
static pw_status cut_for_devices(const pw_setup *setup, const struct compute *compute, struct cut *cut, pw_error *error)
{
    const struct cut_request request = {
        .count = compute->count, .gpus = true, .steps = (double)pw_setup_facts(setup).expected_steps};
    return cut_choose(&setup->problem, &request, cut, error);
}

static pw_status count_devices(const pw_setup *setup, const struct compute *compute, pw_forecast *forecast,
                               pw_error *error)
{
    const struct problem *problem = &setup->problem;
    struct cut cut;
    int largest = 0;
    int64_t most = 0;
    TRY(cut_for_devices(setup, compute, &cut, error));
    for (int p = 0; p < cut_count(&cut); p++) {
        const struct part_box box = cut_box(&cut, p);
        if (part_box_nodes(&box) > most) {
            most = part_box_nodes(&box);
            largest = p;
        }
    }
    const struct part_box box = cut_box(&cut, largest);
    TRY(measure_part(compute, problem, &cut, largest, forecast, error));
    forecast->devices = cut_count(&cut);
    memcpy(forecast->parts, cut.parts, sizeof forecast->parts);
    forecast->depth = cut.depth;
    forecast->overlap = (double)most / ((double)(box.own_end[0] - box.own[0]) * (box.own_end[1] - box.own[1]) *
                                        (box.own_end[2] - box.own[2])) -
                        1;
    return PW_OK;
}

/* What turns on the device mean. */
static void count_turns(const pw_setup *setup, const struct turn_plan *plan, pw_forecast *forecast)
{
    forecast->turns = plan->parts[0] * plan->parts[1] * plan->parts[2];
    memcpy(forecast->parts, plan->parts, sizeof forecast->parts);
    forecast->depth = plan->depth;
    forecast->link = plan->link;
    forecast->host_bytes = plan->host + memory_resident() + setup_writing_bytes(setup);
    forecast->device_bytes = plan->device;
    forecast->spectra_host_bytes = 0; /* they are in host_bytes, as all is */
}

/* Of the box that is timed: on all devices that were chosen. Its fields are at rest, which takes a device as long where
 * it steps all of them. */
static pw_status create_box(const struct compute *compute, const struct problem *problem, struct stepper **stepper,
                            pw_error *error)
{
    const struct backend_options options = {
        .threads = compute->threads, .device = compute_device(compute), .steps_all = true};
    const struct parted_options parted = {.cut = {.count = compute->count, .gpus = true}};
    struct part_options part = {.runs = 1, .steps_all = true};
    if (compute->count < 2) {
        return stepper_create(compute->backend, problem, 0, 1, &options, stepper, error);
    }
    compute_fill(compute, &part);
    return parted_create(problem, &parted, &part, stepper, error);
}

/* By a trial of so many seconds at least. */
static pw_status time_box(const struct compute *compute, const struct bench_box *box, double least, double *rate,
                          pw_error *error)
{
    struct problem problem;
    struct stepper *stepper = NULL;
    TRY(bench_problem_create(box, &problem, error));
    const double nodes = (double)problem_nodes(&problem);
    pw_status status = create_box(compute, &problem, &stepper, error);
    if (status == PW_OK) {
        int64_t trial = TRIAL_SAMPLES * problem.spectra.every, done = 0;
        double seconds = 0.0;
        status = stepper_advance(stepper, trial, error); /* warm-up */
        done += trial;
        while (status == PW_OK && seconds < least && done + trial <= problem.steps) {
            double start = clock_seconds();
            status = stepper_advance(stepper, trial, error);
            seconds = clock_seconds() - start;
            *rate = nodes * (double)trial / seconds;
            done += trial;
            trial *= (int64_t)fmin(ceil(1.1 * least / fmax(seconds, 1e-6)), 64);
        }
        stepper_destroy(stepper);
    }
    problem_free(&problem);
    return status;
}

/* A box with as many cells as the problem, but not more than `limit`; as thin as `part` (nodes along each axis) where
 * that is not the whole grid, since a solver steps few levels or rows slower than many. */
static struct bench_box box_like(const pw_setup *setup, const int part[3], double limit)
{
    const struct problem *problem = &setup->problem;
    const bool volume = problem->formulation == FORMULATION_MAXWELL3D;
    const double all = (double)part[0] * part[1] * part[2], cells = fmin(all, limit);
    const int least = 2 * problem_layer(problem) + 4 * REACH_LIMIT + 16,
              even = (int)(volume ? cbrt(cells) : sqrt(cells)), own = part[volume ? 2 : 1],
              thin = own < even ? own : even, thick = thin > least ? thin : least,
              side = (int)fmin(volume ? sqrt(cells / thick) : cells / thick, volume ? VOLUME_SIDE : SIDE),
              size = side > least ? side : least;
    return (struct bench_box){.scheme = setup->scenario->grid.scheme,
                              .precision = problem->precision,
                              .half = problem->half,
                              .size = size,
                              .rows = volume ? 0 : thick,
                              .levels = volume ? thick : 0,
                              .layer = problem_layer(problem),
                              .steps = BOX_STEPS,
                              .frequencies = problem->spectra.frequency_count,
                              .spacing = problem->spectra.spacing,
                              .every = volume && problem->spectra.every > VOLUME_EVERY ? VOLUME_EVERY
                                                                                       : problem->spectra.every};
}

/* Cells of a box that is stepped at this rate in a moment, and has room on the device. */
static double cells_in_a_moment(const pw_setup *setup, const struct backend *backend, double rate, int every)
{
    uint64_t host = 0, device = 0;
    backend_memory(backend, &setup->problem, 1, &host, &device);
    const double bytes = (double)(host + device) / (double)problem_nodes(&setup->problem),
                 room = BOX_SHARE * (double)backend->device_free() / fmax(bytes, 1);
    return fmin(room, rate * BOX_SECONDS / (2.0 * TRIAL_SAMPLES * every));
}

static double box_cells(const struct bench_box *box)
{
    return (double)box->size * (box->levels > 0 ? (double)box->size * box->levels : box->rows);
}

/* Cells a second of this machine's device, in two looks, with grids of so many nodes along each axis. */
static pw_status time_boxes(const pw_setup *setup, const struct compute *compute, const int part[3], double *rate,
                            pw_error *error)
{
    const double *cells = setup->problem.formulation == FORMULATION_MAXWELL3D ? VOLUME_CELLS : BOX_CELLS;
    const struct bench_box first = box_like(setup, part, cells[0]);
    TRY(time_box(compute, &first, FIRST_SECONDS, rate, error));
    const struct bench_box second =
        box_like(setup, part, fmin(cells[1], cells_in_a_moment(setup, compute->backend, *rate, first.every)));
    const double seconds = *rate > 0 ? (double)problem_nodes(&setup->problem) * (double)setup->problem.source_count *
                                           (double)pw_setup_facts(setup).expected_steps / *rate
                                     : 0;
    return box_cells(&second) > 1.1 * box_cells(&first) && seconds > WORTH_SECONDS
               ? time_box(compute, &second, CALIBRATION_SECONDS, rate, error)
               : PW_OK;
}

/* Seconds of one transmitter that steps everything. `turns` NULL: the whole grid is on the device, or on several. */
static pw_status time_run(const pw_setup *setup, const struct compute *compute, const struct turn_plan *turns,
                          double *seconds, pw_error *error)
{
    const struct problem *problem = &setup->problem;
    const double steps = (double)pw_setup_facts(setup).expected_steps;
    double rate = 0;
    int part[3] = {problem->axis[0].count, problem->axis[1].count, problem->axis[2].count};
    TRY(turns != NULL ? turn_part_size(problem, turns, part, error) : PW_OK);
    TRY(time_boxes(setup, compute, part, &rate, error));
    *seconds = rate > 0 ? (double)problem_nodes(problem) * steps / rate : 0;
    return turns != NULL && rate > 0 ? turn_forecast(problem, turns, rate, steps, seconds, error) : PW_OK;
}

static pw_status time_device(const pw_setup *setup, const struct compute *compute, const struct turn_plan *turns,
                             pw_forecast *forecast, pw_error *error)
{
    const struct problem *problem = &setup->problem;
    const double steps = (double)pw_setup_facts(setup).expected_steps;
    const int runs = problem->source_count, spread = forecast->together > 1 ? runs - runs % forecast->together : 0;
    double apart = 0, cut = 0, all = 0; /* seconds of a transmitter that has a device of its own; of another; of all */
    if (spread > 0) {
        const struct compute own = compute_at(compute, 0);
        TRY(time_run(setup, &own, NULL, &apart, error));
        apart /= compute_distinct(compute);
    }
    TRY(spread < runs ? time_run(setup, compute, turns, &cut, error) : PW_OK);
    const bool parted = compute->count > 1;
    struct cut parts = {.stepped = 1};
    TRY(parted && spread < runs ? cut_for_devices(setup, compute, &parts, error) : PW_OK);
    for (int s = 0; s < runs; s++) {
        const bool own = s < spread || !parted;
        const double seconds = s < spread ? apart : cut;
        all += seconds;
        forecast->seconds += seconds * (turns != NULL ? 1 : own ? 1 - rest_share(problem, s, steps) : parts.stepped);
    }
    forecast->rest_share = all > 0 ? 1 - forecast->seconds / all : 0;
    forecast->cells_per_second = all > 0 ? (double)problem_nodes(problem) * steps * runs / all : 0;
    return PW_OK;
}

/* A device for each of several transmitters; the grid on several devices; or in turns on one. */
static pw_status count_parts(const pw_setup *setup, const struct compute *compute, struct turn_plan *plan,
                             pw_forecast *forecast, pw_error *error)
{
    const struct problem *problem = &setup->problem;
    bool turns = false;
    TRY(compute_spread(compute, problem, &forecast->together, error));
    if (forecast->together > 1) {
        uint64_t host = 0;
        const struct backend *backend = compute->backend;
        const int liked = backend_ensemble(backend, problem), share = problem->source_count / forecast->together;
        backend_memory(backend, problem, liked < share ? liked : share, &host, &forecast->device_bytes);
        forecast->devices = forecast->together;
        forecast->host_bytes += (uint64_t)(forecast->together - 1) * forecast->spectra_host_bytes;
    }
    if (forecast->together > 1 && problem->source_count % forecast->together == 0) {
        return PW_OK;
    }
    if (compute->count > 1) {
        return count_devices(setup, compute, forecast, error);
    }
    TRY(compute_plan_turns(compute, problem, 1, &turns, plan, error));
    if (turns) {
        count_turns(setup, plan, forecast);
    }
    return PW_OK;
}

/* The plan's second cut is solved first, with the set-up of the first in memory. */
static void count_over(const pw_setup *setup, pw_forecast *forecast)
{
    if (scenario_has_over(setup->scenario)) {
        forecast->host_bytes += pw_setup_facts(setup).host_bytes - setup_writing_bytes(setup);
        forecast->seconds *= 2;
    }
}

pw_status pw_forecast_run(const pw_setup *setup, const pw_compute *asked, pw_forecast *forecast, pw_error *error)
{
    struct compute read;
    const struct compute *compute = &read;
    *forecast = (pw_forecast){0};
    TRY(compute_read(asked, &setup->problem, &read, error));
    const struct backend *backend = compute->backend;
    forecast->backend = backend->name;
    TRY(backend->probe(forecast->device, sizeof forecast->device, error));
    count_memory(setup, backend, forecast);
    forecast->ranks = 1;
    struct rank_plan plan = {0};
    struct turn_plan turns = {0};
    const bool ranks = compute->ranks != NULL;
    if (!ranks) {
        TRY(count_parts(setup, compute, &turns, forecast, error));
    }
    const uint64_t peak = memory_peak();
    pw_status status = ranks ? rank_plan_create(setup, compute, &plan, forecast, error) : PW_OK;
    THEN(status, check_memory(setup, forecast, error));
    if (status == PW_OK) {
        status = backend->copy_bandwidth != NULL && !ranks
                     ? time_device(setup, compute, forecast->turns > 0 ? &turns : NULL, forecast, error)
                     : rank_forecast_time(setup, compute, ranks ? &plan : NULL, forecast, error);
    }
    rank_plan_free(&plan);
    count_over(setup, forecast);
    /* What was tried out may have taken more than a small run will. */
    const uint64_t tried = memory_peak();
    forecast->host_bytes = tried > peak && tried > forecast->host_bytes ? tried : forecast->host_bytes;
    return status;
}
