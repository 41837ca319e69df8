/* The box that `planwave bench` times and that forecasts are calibrated on. See bench_problem.h. */
#include "run/bench_problem.h"
#include "base/constants.h"
#include "base/numbers/splitmix.h"
#include "problem/layers/absorber_depth.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double CELL = 0.02, COURANT = 0.5;
static const double BAND_LOW = 2.1e9, BAND_HIGH = 2.7e9;

/* Row 0 is air, the others get slowly denser and lossier. */
static pw_status set_coefficients(struct problem *problem, double laplacian_tap, pw_error *error)
{
    struct coefficient_step step = problem_coefficient_step(problem, laplacian_tap);
    TRY(problem_allocate_coefficients(problem, BENCH_MATERIALS, error));
    for (int m = 0; m < BENCH_MATERIALS; m++) {
        struct plain_medium medium = {1.0 + 0.5 * m, 0.005 * m};
        coefficient_fill(&medium, &step, problem_coefficient(problem, m));
    }
    return PW_OK;
}

/* In three dimensions: a second layer that is slab all over, four cells thick every 64 levels. */
static pw_status set_slabs(struct problem *problem, pw_error *error)
{
    size_t nodes = (size_t)problem->axis[0].count * (size_t)problem->axis[1].count;
    for (size_t n = 0; n < nodes; n++) {
        problem->coefficient_index[nodes + n] = BENCH_MATERIALS - 1;
    }
    for (int c = 0; c < 3; c++) {
        problem->layer[c] = allocate((size_t)problem->axis[2].count, sizeof *problem->layer[c], "the layers", error);
        TRY_MADE(problem->layer[c]);
        for (int k = 0; k < problem->axis[2].count; k++) {
            problem->layer[c][k] = k % 64 < 4;
        }
    }
    return PW_OK;
}

static bool is_volume(const struct problem *problem)
{
    return problem->formulation == FORMULATION_MAXWELL3D;
}

/* Walls four cells thick every 128 cells, both ways. */
static pw_status set_material(struct problem *problem, pw_error *error)
{
    size_t nx = (size_t)problem->axis[0].count, ny = (size_t)problem->axis[1].count;
    problem->layer_count = is_volume(problem) ? 2 : 1;
    problem->coefficient_index =
        allocate((size_t)problem->layer_count * nx * ny, sizeof(uint16_t), "the material map", error);
    TRY_MADE(problem->coefficient_index);
#pragma omp parallel for schedule(static)
    for (size_t j = 0; j < ny; j++) {
        for (size_t i = 0; i < nx; i++) {
            bool wall = i % 128 < 4 || j % 128 < 4;
            problem->coefficient_index[j * nx + i] =
                wall ? (uint16_t)(1 + (i / 128 + j / 128) % (BENCH_MATERIALS - 1)) : 0;
        }
    }
    return is_volume(problem) ? set_slabs(problem, error) : PW_OK;
}

/* A weak sinusoid in one node near the middle, driving to the end, and four probes around it. */
static pw_status set_source_and_probes(struct problem *problem, pw_error *error)
{
    size_t steps = (size_t)problem->steps;
    int64_t plane = (int64_t)problem->axis[0].count * problem->axis[1].count;
    int64_t middle = problem->axis[2].count / 2 * plane + problem->axis[1].count / 2 * (int64_t)problem->axis[0].count +
                     problem->axis[0].count / 2;
    struct source *source = problem->sources = allocate(1, sizeof *source, "the source", error);
    problem->probes = allocate(BENCH_PROBES, sizeof *problem->probes, "the probes", error);
    TRY_MADE(source != NULL && problem->probes != NULL);
    problem->source_count = 1;
    problem->probe_count = BENCH_PROBES;
    for (int p = 0; p < BENCH_PROBES; p++) {
        problem->probes[p] = (struct probe){.component = COMPONENT_EZ, .node = middle + 2 + p};
    }
    source->component = COMPONENT_EZ;
    source->count = 1;
    source->node = allocate(1, sizeof(int64_t), "the source", error);
    source->weight = allocate(1, sizeof(double), "the source", error);
    source->drive = allocate(steps, sizeof(double), "the source's samples", error);
    source->current = allocate(steps, sizeof(double), "the source's samples", error);
    TRY_MADE(source->node != NULL && source->weight != NULL && source->drive != NULL && source->current != NULL);
    source->node[0] = is_volume(problem) ? COMPONENT_EZ * problem_nodes(problem) + middle : middle;
    source->weight[0] = 1e-3;
    double phase_step = 2.0 * acos(-1.0) * 0.5 * (BAND_LOW + BAND_HIGH) * problem->time_step;
    for (size_t n = 0; n < steps; n++) {
        source->current[n] = sin(phase_step * ((double)n + 0.5));
        source->drive[n] = source->current[n] - (n > 0 && !is_volume(problem) ? source->current[n - 1] : 0.0);
    }
    problem->source_end = problem->steps;
    return PW_OK;
}

static pw_status set_spectra(struct problem *problem, const struct bench_box *box, pw_error *error)
{
    struct spectra *spectra = &problem->spectra;
    spectra->every = 1;
    spectra->spacing = 1;
    if (box->frequencies == 0) {
        return PW_OK;
    }
    size_t count = (size_t)box->frequencies;
    spectra->frequency_count = box->frequencies;
    spectra->every = box->every;
    spectra->spacing = box->spacing;
    spectra->x0 = spectra->y0 = box->layer;
    spectra->columns = (problem->axis[0].count - 2 * box->layer + box->spacing - 1) / box->spacing;
    spectra->rows = (problem->axis[1].count - 2 * box->layer + box->spacing - 1) / box->spacing;
    spectra->frequency = allocate(count, sizeof(double), "the frequencies", error);
    spectra->omega = allocate(count, sizeof(double), "the frequencies", error);
    TRY_MADE(spectra->frequency != NULL && spectra->omega != NULL);
    for (size_t f = 0; f < count; f++) {
        double part = count > 1 ? (double)f / (double)(count - 1) : 0.5;
        spectra->frequency[f] = BAND_LOW + part * (BAND_HIGH - BAND_LOW);
        spectra->omega[f] = 2.0 * acos(-1.0) * spectra->frequency[f];
    }
    return PW_OK;
}

/* In three dimensions: the lattice of points on the level in the middle. */
static pw_status set_sheet(struct problem *problem, pw_error *error)
{
    struct spectra *spectra = &problem->spectra;
    int64_t nx = problem->axis[0].count, ny = problem->axis[1].count;
    TRY_MADE(spectra->sheets = allocate(1, sizeof *spectra->sheets, "the sheet of the spectra", error));
    spectra->sheet_count = 1;
    spectra->sheets[0] =
        (struct spectra_sheet){.first = COMPONENT_EZ * problem_nodes(problem) +
                                        (problem->axis[2].count / 2 * ny + spectra->y0) * nx + spectra->x0,
                               .column_stride = spectra->spacing,
                               .row_stride = spectra->spacing * nx,
                               .columns = spectra->columns,
                               .rows = spectra->rows};
    spectra->rows *= spectra->columns;
    spectra->columns = 1;
    return PW_OK;
}

/* ---- dispersive walls ---- */

enum { THICK = 10, NOTHING = -1 };

/* In cells: from one wall to the next, so that walls along all axes together take `part` of the box. */
static int wall_period(const struct problem *problem, double part)
{
    double axes = problem->formulation == FORMULATION_MAXWELL3D ? 3 : 2;
    return (int)lround(THICK / (1 - pow(1 - part, 1 / axes)));
}

/* Number of the medium at node (i, j, k) of component c: its layer of the wall, for every row of the table of
 * coefficients. */
static int medium_at(const struct problem *problem, int period, int c, const int node[3])
{
    const struct axis *axis = problem->axis;
    for (int a = 0; a < 3; a++) {
        int depth = node[a] % period;
        if (axis[a].count > 1 && depth < THICK) {
            int row = problem->formulation == FORMULATION_MAXWELL3D
                          ? problem_coefficient_at(problem, c, node[0], node[1], node[2])
                          : problem->coefficient_index[(ptrdiff_t)node[1] * axis[0].count + node[0]];
            return row * THICK + depth;
        }
    }
    return NOTHING;
}

/* The spans of one row; without `spans` they are counted alone. */
static int64_t row_spans(const struct problem *problem, int period, int64_t row, struct pole_span *spans)
{
    const struct axis *axis = problem->axis;
    int nx = axis[0].count, ny = axis[1].count, nz = axis[2].count, last = NOTHING;
    int64_t count = 0;
    for (int i = 0; i < nx; i++) {
        const int node[3] = {i, (int)(row % ny), (int)(row / ny % nz)};
        int medium = medium_at(problem, period, (int)(row / ny / nz), node);
        if (medium != NOTHING && medium != last) {
            if (spans != NULL) {
                spans[count] = (struct pole_span){.place = row * nx + i, .medium = medium};
            }
            count++;
        }
        if (medium != NOTHING && spans != NULL) {
            spans[count - 1].count++;
        }
        last = medium;
    }
    return count;
}

/* Half of the wall's permittivity depends on frequency, least at its faces. */
static void fill_media(struct problem *problem)
{
    for (int m = 0; m < problem->pole_medium_count; m++) {
        const double *row = problem_coefficient(problem, m / THICK);
        struct pole pole = {.kind = POLE_DEBYE, .strength = 0.2 * (1 + m % THICK), .relaxation = 50e-12};
        double loss = (1 - row[COEFFICIENT_CA]) / (1 + row[COEFFICIENT_CA]), permittivity = 1 + 0.5 * (m / THICK);
        struct pole_balance own = {permittivity * (1 + loss), permittivity * (1 - loss)};
        problem->pole_steps[m] = pole_step_of(&pole, 1, problem->time_step);
        problem->pole_media[m] = (struct pole_medium){.first = m, .relaxations = 1};
        pole_medium_close(&problem->pole_media[m], &problem->pole_steps[m], own, own);
    }
}

/* Gives this part of the nodes, 0 to 0.5, a Debye pole: walls ten cells thick along every axis of the formulation, each
 * of whose layers is a medium of its own, as averaging makes of a wall of four cells. The coefficients and where they
 * stand are there. PW_NO_RESOURCE without memory. */
static pw_status set_poles(struct problem *problem, double part, pw_error *error)
{
    int64_t rows = problem_rows(problem), count = 0;
    if (part <= 0) {
        return PW_OK;
    }
    int period = wall_period(problem, part);
    for (int64_t row = 0; row < rows; row++) {
        count += row_spans(problem, period, row, NULL);
    }
    size_t media = (size_t)problem->coefficient_count * THICK;
    problem->pole_media = allocate(media, sizeof *problem->pole_media, "dispersive media", error);
    problem->pole_steps = allocate(media, sizeof *problem->pole_steps, "dispersive media", error);
    problem->pole_spans = allocate((size_t)count, sizeof *problem->pole_spans, "dispersive nodes", error);
    TRY_MADE(problem->pole_media != NULL && problem->pole_steps != NULL && problem->pole_spans != NULL);
    problem->pole_medium_count = problem->pole_step_count = (int)media;
    fill_media(problem);
    for (int64_t row = 0; row < rows; row++) {
        problem->pole_span_count += row_spans(problem, period, row, problem->pole_spans + problem->pole_span_count);
    }
    for (int64_t s = 0; s < problem->pole_span_count; s++) {
        struct pole_span *span = &problem->pole_spans[s];
        span->state = problem->pole_state_count;
        problem->pole_state_count += (int64_t)span->count * pole_medium_states(&problem->pole_media[span->medium]);
    }
    return PW_OK;
}

/* ---- the box ---- */

static pw_status fill_problem(const struct bench_box *box, struct problem *problem, pw_error *error)
{
    struct stencil stencil = stencil_get(box->scheme, &STENCIL_USUAL_BAND);
    problem_set_stencil(problem, &stencil);
    double first_tap = stencil.difference[0];
    TRY(set_coefficients(problem, is_volume(problem) ? first_tap * first_tap : stencil.laplacian[0], error));
    TRY(set_material(problem, error));
    TRY(set_poles(problem, box->dispersive, error));
    struct absorber absorber = absorber_usual(&absorber_upml, box->layer);
    TRY(problem_set_absorber(problem, &absorber, error));
    TRY(set_source_and_probes(problem, error));
    TRY(set_spectra(problem, box, error));
    return is_volume(problem) && box->frequencies > 0 ? set_sheet(problem, error) : PW_OK;
}

pw_status bench_problem_create(const struct bench_box *box, struct problem *problem, pw_error *error)
{
    int least = 2 * box->layer + 4 * REACH_LIMIT + 16;
    int rows = box->rows > 0 ? box->rows : box->size;
    int levels = box->levels > 0 ? box->levels : least, most = box->levels > 0 ? 4096 : 131072;
    if (box->size < least || box->size > most || rows < least || rows > most || levels < least || levels > most) {
        char high[24] = "";
        if (box->levels > 0) {
            snprintf(high, sizeof high, " x %d", box->levels);
        }
        return fail(error, PW_USAGE, "a benchmark of %d x %d%s cells: allowed are %d to %d cells a side", box->size,
                    rows, high, least, most);
    }
    double dimensions = box->levels > 0 ? 3 : 2;
    *problem = (struct problem){.time_step = COURANT * CELL / (SPEED_OF_LIGHT * sqrt(dimensions)),
                                .steps = box->steps,
                                .precision = box->precision,
                                .half = box->half};
    if (box->levels > 0) {
        problem_set_volume(problem, box->size, rows, box->levels, CELL);
    } else {
        problem_set_grid(problem, box->size, rows, CELL);
    }
    pw_status status = fill_problem(box, problem, error);
    problem->watch_every = 100 * problem->spectra.every;
    if (status != PW_OK) {
        problem_free(problem);
    }
    return status;
}

/* Uniform in [-scale, scale], from the index alone, so that threads may share the work. */
static void fill_random(double *values, size_t count, double scale)
{
#pragma omp parallel for schedule(static)
    for (size_t n = 0; n < count; n++) {
        values[n] = scale * (2 * splitmix_unit(splitmix_at(n + 1)) - 1);
    }
}

/* tm2d: poles remember the increment one step before. */
static void fill_poles(const struct problem *problem, struct run_state *start)
{
    for (int64_t s = 0; s < problem->pole_span_count; s++) {
        const struct pole_span *span = &problem->pole_spans[s];
        memcpy(start->poles + span->state, start->increment + span->place, (size_t)span->count * sizeof *start->poles);
    }
}

/* Random fields into run 0 of a solver at work. */
static pw_status bench_stepper_fill(const struct problem *problem, struct stepper *stepper, pw_error *error)
{
    OWNED_BY(run_state_free) struct run_state start = {0};
    /* Without spectra and probes, which start at zero. */
    struct problem fields = *problem;
    fields.spectra.frequency_count = 0;
    fields.probe_count = 0;
    TRY(run_state_create(&fields, 0, &start, error));
    size_t cells = (size_t)problem_nodes(problem);
    if (is_volume(problem)) {
        fill_random(start.field[COMPONENT_EX], cells, 1.0);
        fill_random(start.field[COMPONENT_EY], cells, 1.0);
        fill_random(start.field[COMPONENT_EZ], cells, 1.0);
    } else {
        fill_random(start.ez, cells, 1.0);
        fill_random(start.increment, cells, 0.1);
        fill_poles(problem, &start);
    }
    return stepper_load(stepper, 0, &start, error);
}

pw_status bench_stepper_create(const struct backend *backend, const struct problem *problem,
                               const struct backend_options *options, struct stepper **stepper, pw_error *error)
{
    TRY(stepper_create(backend, problem, 0, 1, options, stepper, error));
    pw_status status = bench_stepper_fill(problem, *stepper, error);
    if (status != PW_OK) {
        stepper_destroy(*stepper);
        *stepper = NULL;
    }
    return status;
}

static void copy_threaded(char *to, const char *from, size_t size, int threads)
{
#pragma omp parallel num_threads(threads)
    {
        size_t share = size / (size_t)omp_get_num_threads(), first = share * (size_t)omp_get_thread_num();
        memcpy(to + first, from + first, share);
    }
}

double bench_host_copy(int threads)
{
    enum { TRIALS = 7 };
    const size_t size = (size_t)192 << 20; /* far beyond any cache */
    int used = threads > 0 ? threads : omp_get_max_threads();
    char *from = malloc(size), *to = malloc(size);
    double best = 0.0;
    if (from != NULL && to != NULL) {
        memset(from, 1, size);
        memset(to, 2, size);
        for (int trial = 0; trial < TRIALS; trial++) {
            double start = clock_seconds();
            copy_threaded(to, from, size, used);
            double rate = 2.0 * (double)size / (clock_seconds() - start);
            best = rate > best ? rate : best;
        }
    }
    FREE_ALL(from, to);
    return best;
}
