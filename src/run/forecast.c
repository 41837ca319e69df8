/* What a run will take: the memory by the solver's own account, the time by timing a small box with the same scheme,
 * precision, absorber and spectra. The time is a guess: caches, other users of the machine and a stop by decay are not
 * in it. */
#include "backend/devices/devices.h"
#include "backend/mpi/ranks.h"
#include "backend/parts/parted.h"
#include "backend/parts/problem/part_problem.h"
#include "base/memory.h"
#include "discretize/volume/volume.h"
#include "run/bench_problem.h"
#include "run/ranks/rank_forecast.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A box this large no longer fits a cache and is still made in a moment. */
enum { BOX_LIMIT_DEVICE = 4096, BOX_STEPS = 20000 };
/* A step of a box in three dimensions takes longer: fewer cells than the square has, and samples after fewer steps. */
static const double VOLUME_SHARE = 0.75;
enum { VOLUME_EVERY = 8 };
static const double CALIBRATION_SECONDS = 0.15;

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
    TRY(memory_check((double)forecast->host_bytes, "this run", advice, error));
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
    forecast->host_bytes = host + pw_setup_facts(setup).host_bytes;
    forecast->device_bytes = device;
    forecast->spectra_host_bytes = backend->device_free != NULL ? host : 0;
    forecast->host_available = memory_available();
    forecast->device_available = backend->device_free != NULL ? backend->device_free() : 0;
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

/* Bytes of the largest part of a cut for several devices, and what it exchanges; its problem is made for that. */
static pw_status measure_part(const struct backend *backend, const struct problem *problem, const struct cut *cut,
                              int number, pw_forecast *forecast, pw_error *error)
{
    struct problem part;
    struct part_records records;
    uint64_t host = 0, device = 0;
    const struct part_box box = cut_box(cut, number);
    pw_status status = part_problem_create(problem, &box, cut, &part, &records, error);
    if (status == PW_OK) {
        backend_memory(backend, &part, 1, &host, &device);
        forecast->exchanged_bytes = part_exchange_bytes(cut, &part, number, 1);
        forecast->device_bytes = device + forecast->exchanged_bytes;
        forecast->host_bytes += (uint64_t)cut_count(cut) * (uint64_t)part_box_nodes(&box) * sizeof(uint16_t);
    }
    part_records_free(&records);
    problem_free(&part);
    return status;
}

static pw_status count_devices(const struct backend *backend, const struct problem *problem, pw_forecast *forecast,
                               pw_error *error)
{
    const struct cut_request request = {.count = devices_chosen()->count};
    struct cut cut;
    int largest = 0;
    int64_t most = 0;
    TRY(cut_choose(problem, &request, &cut, error));
    for (int p = 0; p < cut_count(&cut); p++) {
        const struct part_box box = cut_box(&cut, p);
        if (part_box_nodes(&box) > most) {
            most = part_box_nodes(&box);
            largest = p;
        }
    }
    const struct part_box box = cut_box(&cut, largest);
    TRY(measure_part(backend, problem, &cut, largest, forecast, error));
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
    forecast->host_bytes = plan->host + pw_setup_facts(setup).host_bytes;
    forecast->device_bytes = plan->device;
    forecast->spectra_host_bytes = 0; /* they are in host_bytes, as all is */
    forecast->cells_per_second = plan->cells_per_second;
}

/* Of the box that is timed: on all devices that were chosen. */
static pw_status create_box(const struct backend *backend, const struct problem *problem, int threads,
                            struct stepper **stepper, pw_error *error)
{
    const struct devices *devices = devices_chosen();
    const struct backend_options options = {.threads = threads, .device = devices->count > 0 ? devices->number[0] : 0};
    const struct parted_options parted = {.cut = {.count = devices->count}};
    struct part_options part = {.threads = threads, .runs = 1};
    if (devices->count < 2) {
        return bench_stepper_create(backend, problem, &options, stepper, error);
    }
    devices_fill(&part);
    snprintf(part.backend, sizeof part.backend, "%s", backend->name);
    TRY(parted_create(problem, &parted, &part, stepper, error));
    pw_status status = bench_stepper_fill(problem, *stepper, error);
    if (status != PW_OK) {
        stepper_destroy(*stepper);
        *stepper = NULL;
    }
    return status;
}

static pw_status time_box(const struct backend *backend, const struct bench_box *box, int threads, double *rate,
                          pw_error *error)
{
    struct problem problem;
    struct stepper *stepper = NULL;
    TRY(bench_problem_create(box, &problem, error));
    const double nodes = (double)problem_nodes(&problem);
    pw_status status = create_box(backend, &problem, threads, &stepper, error);
    if (status == PW_OK) {
        int64_t trial = 4 * problem.spectra.every, done = 0;
        double seconds = 0.0;
        status = stepper_advance(stepper, trial, error); /* warm-up */
        done += trial;
        while (status == PW_OK && seconds < CALIBRATION_SECONDS && done + trial <= problem.steps) {
            double start = clock_seconds();
            status = stepper_advance(stepper, trial, error);
            seconds = clock_seconds() - start;
            *rate = nodes * (double)trial / seconds;
            done += trial;
            trial *= seconds < CALIBRATION_SECONDS / 8 ? 4 : 2;
        }
        stepper_destroy(stepper);
    }
    problem_free(&problem);
    return status;
}

/* A box with as many cells as the problem, but not more than can be made and timed in a moment. */
static struct bench_box box_like(const pw_setup *setup)
{
    const struct problem *problem = &setup->problem;
    const bool volume = problem->formulation == FORMULATION_MAXWELL3D;
    const double cells = (double)problem_nodes(problem), limit = BOX_LIMIT_DEVICE;
    const int side = (int)(volume ? fmin(cbrt(cells), cbrt(limit * limit * VOLUME_SHARE)) : fmin(sqrt(cells), limit));
    const int least = 2 * problem_layer(problem) + 4 * REACH_LIMIT + 16, size = side > least ? side : least;
    return (struct bench_box){.scheme = setup->scenario->grid.scheme,
                              .precision = problem->precision,
                              .size = size,
                              .levels = volume ? size : 0,
                              .layer = problem_layer(problem),
                              .steps = BOX_STEPS,
                              .frequencies = problem->spectra.frequency_count,
                              .spacing = problem->spectra.spacing,
                              .every = volume && problem->spectra.every > VOLUME_EVERY ? VOLUME_EVERY
                                                                                       : problem->spectra.every};
}

static pw_status time_device(const pw_setup *setup, const struct backend *backend, int threads, pw_forecast *forecast,
                             pw_error *error)
{
    const struct bench_box box = box_like(setup);
    if (forecast->turns == 0) {
        TRY(time_box(backend, &box, threads, &forecast->cells_per_second, error));
    }
    if (forecast->cells_per_second > 0.0) {
        forecast->seconds = (double)problem_nodes(&setup->problem) * (double)pw_setup_facts(setup).expected_steps *
                            (double)setup->problem.source_count / forecast->cells_per_second;
    }
    return PW_OK;
}

/* The grid on several devices, or in turns on one. */
static pw_status count_parts(const pw_setup *setup, const struct backend *backend, pw_forecast *forecast,
                             pw_error *error)
{
    struct turn_plan plan;
    bool turns = false;
    if (devices_chosen()->count > 1) {
        return count_devices(backend, &setup->problem, forecast, error);
    }
    TRY(devices_plan_turns(backend, &setup->problem, 1, &turns, &plan, error));
    if (turns) {
        count_turns(setup, &plan, forecast);
    }
    return PW_OK;
}

pw_status pw_forecast_run(const pw_setup *setup, const char *name, int threads, pw_forecast *forecast, pw_error *error)
{
    *forecast = (pw_forecast){0};
    const struct backend *backend = backend_find_for(name != NULL ? name : "auto", &setup->problem, error);
    if (backend == NULL) {
        return PW_NO_RESOURCE;
    }
    forecast->backend = backend->name;
    TRY(devices_check(backend, error));
    TRY(backend->probe(forecast->device, sizeof forecast->device, error));
    count_memory(setup, backend, forecast);
    forecast->ranks = 1;
    struct rank_plan plan = {0};
    const bool ranks = ranks_current() != NULL;
    if (!ranks) {
        TRY(count_parts(setup, backend, forecast, error));
    }
    pw_status status = ranks ? rank_plan_create(setup, backend, &plan, forecast, error) : PW_OK;
    if (status == PW_OK) {
        status = check_memory(setup, forecast, error);
    }
    if (status == PW_OK) {
        status = backend->copy_bandwidth != NULL && !ranks
                     ? time_device(setup, backend, threads, forecast, error)
                     : rank_forecast_time(setup, backend, ranks ? &plan : NULL, threads, forecast, error);
    }
    rank_plan_free(&plan);
    return status;
}
