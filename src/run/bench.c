/* `planwave bench`: cell updates per second of a backend, medians over timed batches after a warm-up, set against the
 * bandwidth of a copy measured in the same process. What is timed is advance() alone, with everything it does; see
 * bench_problem.h for the box, and bench_plan.h for the office with metal. */
#include "api/bench.h"
#include "base/memory.h"
#include "run/bench_plan.h"
#include "run/bench_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_LIMIT = 131072, BATCHES = 5, BATCH_LIMIT = 101, LAYER = 16, EVERY = 6, STEP_LIMIT = 4000000 };
/* What differs between a square and a cube. */
struct bench_shape {
    int dimensions;
    int size, device_size; /* cells a side, unless the user says otherwise; on a device with memory of its own */
    /* Traffic of one step at a time in the textbook form: three or six fields read and written, one byte of material
     * (performance.md). */
    double bytes_per_update;
    /* Host memory a cell for the material, and for the random fields while they are loaded. */
    double material_bytes, random_bytes;
    /* Of the office with metal: cells a side, and m. It is set up as every plan is, which takes longer than a square:
     * 16384 cells a side were not ready in eight minutes. */
    int office_size;
    double office_cell;
};

static const struct bench_shape SQUARE = {2, 3072, 16384, 25, 2, 16, 4096, 0.015},
                                CUBE = {3, 256, 512, 49, 0, 48, 256, 0.03};
static const double BATCH_SECONDS = 0.4;
static const double OFFICE_LEAST = 2, OFFICE_CUPBOARD = 10; /* m, its sides; m2 of floor for each cupboard of metal */

struct bench_row {
    const struct bench_shape *shape;
    const char *scheme;
    int size, batches;       /* cells a side that were asked for */
    int count[3];            /* cells along x, y and z */
    int64_t steps;           /* per batch */
    double seconds;          /* per batch, median */
    double fastest, slowest; /* s */
    double cells_per_second, bytes_per_cell;
    const pw_monitor *monitor;
    double done, share; /* of all work: before this row, and of it */
};

static double cells_of(const struct bench_row *row)
{
    return (double)row->count[0] * row->count[1] * row->count[2];
}

/* Steps per batch so that it lasts BATCH_SECONDS, found while warming up; a multiple of a whole number of samples. */
static pw_status warm_up(struct stepper *stepper, int64_t given, int64_t limit, int64_t *steps, pw_error *error)
{
    int64_t grain = 4 * EVERY, trial = grain, done = 0;
    if (given > 0) {
        *steps = given;
        return stepper_advance(stepper, given, error);
    }
    for (;;) {
        double start = clock_seconds();
        TRY(stepper_advance(stepper, trial, error));
        double seconds = clock_seconds() - start;
        done += trial;
        double wanted = (double)trial * BATCH_SECONDS / fmax(seconds, 1e-6);
        if (seconds > BATCH_SECONDS / 4 || 8 * trial + done > limit) {
            *steps = (int64_t)(fmin(wanted, (double)limit) / (double)grain) * grain;
            *steps = *steps > grain ? *steps : grain;
            return PW_OK;
        }
        trial = (int64_t)fmin(4.0 * (double)trial, wanted / (double)grain * (double)grain);
        trial = trial > grain ? trial : grain;
    }
}

static pw_status time_batches(struct stepper *stepper, struct bench_row *row, pw_error *error)
{
    double seconds[BATCH_LIMIT];
    for (int b = 0; b < row->batches; b++) {
        double start = clock_seconds();
        TRY(stepper_advance(stepper, row->steps, error));
        seconds[b] = clock_seconds() - start;
        TRY(monitor_tell(row->monitor, row->done + row->share * (b + 1) / row->batches, error));
    }
    qsort(seconds, (size_t)row->batches, sizeof *seconds, pw_number_order);
    row->fastest = seconds[0];
    row->slowest = seconds[row->batches - 1];
    row->seconds = 0.5 * (seconds[(row->batches - 1) / 2] + seconds[row->batches / 2]);
    row->cells_per_second = cells_of(row) * (double)row->steps / row->seconds;
    return PW_OK;
}

static pw_status measure(const struct backend *backend, const struct problem *problem, const pw_bench_options *options,
                         struct bench_row *row, pw_error *error)
{
    struct backend_options solver_options = {.threads = options->threads};
    uint64_t host = 0, device = 0;
    struct stepper *stepper = NULL;
    /* The probes' record grows with the steps, not with the cells. */
    struct problem unrecorded = *problem;
    unrecorded.probe_count = 0;
    unrecorded.steps = 1;
    backend_memory(backend, &unrecorded, 1, &host, &device);
    row->bytes_per_cell = (double)(device > 0 ? device : host) / cells_of(row);
    backend_memory(backend, problem, 1, &host, &device);
    TRY(memory_check((double)host + row->shape->random_bytes * cells_of(row), "this benchmark",
                     "use a smaller --size or fewer --frequencies", error));
    TRY(bench_stepper_create(backend, problem, &solver_options, &stepper, error));
    int64_t room = problem->steps / (row->batches + 3);
    pw_status status = warm_up(stepper, options->steps, room, &row->steps, error);
    THEN(status, time_batches(stepper, row, error));
    double energy = 0.0;
    THEN(status, stepper_energy(stepper, 0, &energy, error));
    stepper_destroy(stepper);
    FAIL_IF(status == PW_OK && !isfinite(energy), error, PW_NUMERICAL,
            "the benchmark's fields are not finite after its run (%s, %s)", backend->name, row->scheme);
    return status;
}

/* Enough steps for the warm-up and all batches on a fast device, few enough that the source's tables stay small. */
static int64_t steps_needed(const pw_bench_options *options, const struct bench_row *row, int batches)
{
    if (options->steps > 0) {
        return options->steps * (batches + 3);
    }
    double fast = 3e13 / cells_of(row);
    return (int64_t)fmin(fmax(fast, 4000.0), (double)STEP_LIMIT);
}

static pw_status time_box(const struct backend *backend, const pw_bench_options *options, enum scheme scheme,
                          struct bench_row *row, pw_error *error)
{
    struct bench_box box = {.scheme = scheme,
                            .precision = options->precision,
                            .half = options->half,
                            .size = row->size,
                            .levels = row->shape->dimensions == 3 ? row->size : 0,
                            .layer = LAYER,
                            .steps = steps_needed(options, row, row->batches),
                            .frequencies = options->frequencies,
                            .spacing = 1,
                            .every = EVERY,
                            .dispersive = 0.01 * options->dispersive};
    OWNED_BY(problem_free) struct problem problem = {0};
    TRY(memory_check((row->shape->material_bytes + row->shape->random_bytes) * cells_of(row), "this benchmark",
                     "use a smaller --size", error));
    TRY(bench_problem_create(&box, &problem, error));
    return measure(backend, &problem, options, row, error);
}

static pw_status time_office(const struct backend *backend, const pw_bench_options *options, enum scheme scheme,
                             struct bench_row *row, pw_error *error)
{
    const bool space = row->shape->dimensions == 3;
    const double side = (row->size - 2 * LAYER) * row->shape->office_cell, area = side * side;
    const struct bench_plan plan = {.scheme = scheme,
                                    .precision = options->precision,
                                    .space = space,
                                    .width = side,
                                    .height = side,
                                    .cell = row->shape->office_cell,
                                    .layer = LAYER,
                                    .cupboards = (int)ceil(area / OFFICE_CUPBOARD),
                                    .steps = steps_needed(options, row, row->batches)};
    struct setup *setup = NULL;
    FAIL_IF(side < OFFICE_LEAST, error, PW_USAGE, "an office of %d cells a side: allowed are %d to %d", row->size,
            (int)(OFFICE_LEAST / row->shape->office_cell) + 2 * LAYER + 1, SIZE_LIMIT);
    TRY(bench_plan_create(&plan, &setup, error));
    for (int a = 0; a < 3; a++) {
        row->count[a] = setup->problem.axis[a].count;
    }
    struct problem problem = setup->problem;
    problem.half = options->half;
    problem.spectra.frequency_count = 0; /* a plain square and a plain cube have none either */
    pw_status status = measure(backend, &problem, options, row, error);
    pw_setup_free(setup);
    return status;
}

static pw_status bench_scheme(const struct backend *backend, const pw_bench_options *options, enum scheme scheme,
                              struct bench_row *row, pw_error *error)
{
    row->scheme = scheme_name(scheme);
    row->batches = options->batches > 0 ? options->batches : BATCHES;
    for (int a = 0; a < 3; a++) {
        row->count[a] = a < row->shape->dimensions ? row->size : 1;
    }
    return (options->metal ? time_office : time_box)(backend, options, scheme, row, error);
}

/* ---- printing ---------------------------------------------------------------------------------------------- */

static void print_included(const pw_bench_options *options, FILE *stream)
{
    if (options->metal) {
        fprintf(stream, "UPML of %d cells, an office with a cupboard of metal for each %g m2, 1 source, no spectra",
                LAYER, OFFICE_CUPBOARD);
        return;
    }
    fprintf(stream, "UPML of %d cells, %d materials, 1 source, %d probes, ", LAYER, BENCH_MATERIALS, BENCH_PROBES);
    if (options->dispersive > 0) {
        fprintf(stream, "a Debye pole at %d %% of the nodes, ", options->dispersive);
    }
    if (options->frequencies > 0) {
        fprintf(stream, "spectra at every cell%s: %d frequencies, every %d steps",
                options->dimensions == 3 ? " of one level" : "", options->frequencies, EVERY);
    } else {
        fprintf(stream, "no spectra");
    }
}

static const struct bench_shape *shape_of(const pw_bench_options *options)
{
    return options->dimensions == 3 ? &CUBE : &SQUARE;
}

static void print_table_head(const struct backend *backend, const char *device, const pw_bench_options *options,
                             double copy, FILE *stream)
{
    fprintf(stream, "backend    %s on %s, %s precision%s\n", backend->name, device,
            options->precision == PW_DOUBLE ? "double" : "single", options->half ? ", fields in 16 bits" : "");
    fprintf(stream, "included   ");
    print_included(options, stream);
    fprintf(stream, "\ncopy       %.1f GB/s read plus written, measured now\n", copy / 1e9);
    fprintf(stream, "T_eff      %.0f bytes x cell updates per second\n\n", shape_of(options)->bytes_per_update);
    fprintf(stream, "%-7s %15s %12s %12s %10s %10s %8s %8s\n", "scheme", "cells", "Mcells/s", "us/step", "bytes/cell",
            "T_eff GB/s", "of copy", "spread");
}

static void print_row(const struct bench_row *row, double copy, FILE *stream)
{
    char cells[48];
    double effective = row->shape->bytes_per_update * row->cells_per_second;
    int used = snprintf(cells, sizeof cells, "%d x %d", row->count[0], row->count[1]);
    if (row->shape->dimensions == 3) {
        snprintf(cells + used, sizeof cells - (size_t)used, " x %d", row->count[2]);
    }
    fprintf(stream, "%-7s %15s %12.1f %12.2f %10.1f %10.1f %8.2f %7.1f%%\n", row->scheme, cells,
            row->cells_per_second / 1e6, 1e6 * row->seconds / (double)row->steps, row->bytes_per_cell, effective / 1e9,
            copy > 0 ? effective / copy : 0.0, 100.0 * (row->slowest - row->fastest) / row->seconds);
    fflush(stream);
}

/* Device names are the only text from outside: quotes and backslashes must not break the JSON. */
static void print_json_text(const char *text, FILE *stream)
{
    fputc('"', stream);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', stream);
        }
        fputc((unsigned char)*text < 0x20 ? ' ' : *text, stream);
    }
    fputc('"', stream);
}

static void print_json_head(const struct backend *backend, const char *device, const pw_bench_options *options,
                            double copy, FILE *stream)
{
    fprintf(stream, "{\"version\": \"%s\", \"commit\": \"%s\", \"backend\": \"%s\", \"device\": ", PW_VERSION,
            pw_commit(), backend->name);
    print_json_text(device, stream);
    fprintf(stream,
            ", \"precision\": \"%s\", \"storage\": \"%s\", \"threads\": %d, \"dimensions\": %d, \"included\": \"",
            options->precision == PW_DOUBLE ? "double" : "single", options->half ? "half" : "full", options->threads,
            shape_of(options)->dimensions);
    print_included(options, stream);
    fprintf(stream, "\", \"frequencies\": %d, \"copy_bytes_per_second\": %.6g, \"rows\": [", options->frequencies,
            copy);
}

static void print_json_row(const struct bench_row *row, double copy, bool first, FILE *stream)
{
    double effective = row->shape->bytes_per_update * row->cells_per_second;
    fprintf(
        stream,
        "%s\n  {\"scheme\": \"%s\", \"size\": %d, \"steps_per_batch\": %lld, \"batches\": %d, \"seconds_median\": "
        "%.6g, "
        "\"seconds_fastest\": %.6g, \"seconds_slowest\": %.6g, \"cells_per_second\": %.6g, \"seconds_per_step\": %.6g, "
        "\"bytes_per_cell\": %.4g, \"effective_bytes_per_second\": %.6g, \"fraction_of_copy\": %.4g}",
        first ? "" : ",", row->scheme, row->size, (long long)row->steps, row->batches, row->seconds, row->fastest,
        row->slowest, row->cells_per_second, row->seconds / (double)row->steps, row->bytes_per_cell, effective,
        copy > 0 ? effective / copy : 0.0);
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

static pw_status check_options(const pw_bench_options *options, enum scheme *first, enum scheme *last, pw_error *error)
{
    *first = 0;
    *last = SCHEME_COUNT - 1;
    const char *name = options->scheme != NULL ? options->scheme : scheme_name(SCHEME_YEE);
    if (strcmp(name, "all") != 0) {
        if (!scheme_from_name(name, first)) {
            char names[200];
            return fail(error, PW_USAGE, "unknown scheme '%s': allowed are %s and all", name,
                        scheme_names(names, sizeof names));
        }
        *last = *first;
    }
    FAIL_IF(options->half && (options->dimensions != 3 || options->precision != PW_SINGLE), error, PW_USAGE,
            "fields in 16 bits are for three dimensions and single precision");
    FAIL_IF(options->dimensions != 0 && options->dimensions != 2 && options->dimensions != 3, error, PW_USAGE,
            "%d dimensions: allowed are 2 and 3", options->dimensions);
    FAIL_IF(options->size < 0 || options->size > SIZE_LIMIT || options->threads < 0, error, PW_USAGE,
            "%d cells a side on %d threads: allowed are 1 to %d cells, 0 to choose; threads, 0: all", options->size,
            options->threads, SIZE_LIMIT);
    FAIL_IF(options->dispersive < 0 || options->dispersive > 50, error, PW_USAGE,
            "%d %% dispersive nodes: allowed are 0 to 50", options->dispersive);
    FAIL_IF(options->batches < 0 || options->batches > BATCH_LIMIT, error, PW_USAGE,
            "%d batches: allowed are 1 to %d, 0 for %d", options->batches, BATCH_LIMIT, BATCHES);
    FAIL_IF(options->steps < 0 || options->steps > STEP_LIMIT / (BATCHES + 3), error, PW_USAGE,
            "%lld steps a batch: allowed are 1 to %d, 0 to choose by time", (long long)options->steps,
            STEP_LIMIT / (BATCHES + 3));
    FAIL_IF(options->metal && (options->frequencies > 0 || options->dispersive > 0), error, PW_USAGE,
            "the office with metal has neither spectra nor dispersive nodes");
    FAIL_IF(options->frequencies < 0 || options->frequencies > 65536, error, PW_USAGE,
            "%d frequencies: allowed are 0 to 65536", options->frequencies);
    return PW_OK;
}

pw_status pw_bench(const pw_bench_options *options, FILE *stream, pw_error *error)
{
    enum scheme first, last;
    char device[128] = "";
    TRY(check_options(options, &first, &last, error));
    const struct backend *backend = backend_find(options->backend != NULL ? options->backend : "auto", error);
    TRY_MADE(backend);
    TRY(backend->probe(device, sizeof device, error));
    const struct bench_shape *shape = shape_of(options);
    int usual = options->metal                    ? shape->office_size
                : backend->copy_bandwidth != NULL ? shape->device_size
                                                  : shape->size;
    double copy = backend->copy_bandwidth != NULL ? backend->copy_bandwidth() : bench_host_copy(options->threads);
    TRY(monitor_tell(&options->monitor, 0.0, error));
    (options->json ? print_json_head : print_table_head)(backend, device, options, copy, stream);
    for (enum scheme scheme = first; scheme <= last; scheme++) {
        int rows = (int)(last - first) + 1;
        struct bench_row row = {.shape = shape,
                                .size = options->size > 0 ? options->size : usual,
                                .monitor = &options->monitor,
                                .done = (double)(scheme - first) / rows,
                                .share = 1.0 / rows};
        TRY(bench_scheme(backend, options, scheme, &row, error));
        if (options->json) {
            print_json_row(&row, copy, scheme == first, stream);
        } else {
            print_row(&row, copy, stream);
        }
    }
    if (options->json) {
        fprintf(stream, "\n]}\n");
    }
    return PW_OK;
}
