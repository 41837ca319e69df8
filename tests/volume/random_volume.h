/* Three-dimensional problems for tests of the solvers, built without a scenario: random media in random layers, sources
 * and probes over several places, sheets of spectra, tensor nodes, rows beside metal; the twin of random_problem.h. */
#ifndef RANDOM_VOLUME_H
#define RANDOM_VOLUME_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "base/constants.h"
#include "problem/layers/absorber_depth.h"
#include "tests/support/random_problem.h"

struct random_volume_options {
    enum scheme scheme;
    pw_precision precision;
    int n[3];
    int absorber[3];   /* cells at both ends of each axis */
    bool stretched;    /* the absorber is a cpml */
    bool symmetric[3]; /* PMC at the low end, which then has no absorber */
    bool flat;         /* nothing changes along z: n[2] is 1, and Ex, Ey and hz alone are driven */
    int palette;       /* media; 1: air alone */
    int layers;        /* of the coefficient index; at least 1 */
    bool lossless;
    bool extruded; /* runs of equal media along x, which run on into the absorber; else anything anywhere */
    int64_t steps;
    int sources, places; /* transmitters, and driven places of each */
    bool hard;
    int probes;
    int frequencies, every;
    int tensors;
    int metal; /* rows of places beside metal */
    bool half; /* fields are kept in 16 bits */
    unsigned seed;
};

/* Between low and high, both included. */
static inline int random_between(unsigned *seed, int low, int high)
{
    return high <= low ? low : low + (int)(random_next(seed) % (unsigned)(high - low + 1));
}

static inline int64_t volume_place(const struct problem *problem, int component, int i, int j, int k)
{
    int64_t nx = problem->axis[0].count, ny = problem->axis[1].count;
    return component * problem_nodes(problem) + ((int64_t)k * ny + j) * nx + i;
}

/* A place of a component that no wall holds at zero. */
static inline int64_t random_place(const struct problem *problem, int component, unsigned *seed)
{
    int at[3];
    for (int a = 0; a < 3; a++) {
        int n = problem->axis[a].count;
        at[a] = random_between(seed, a == component % 3 || n == 1 ? 0 : 1, n - 1);
    }
    return volume_place(problem, component, at[0], at[1], at[2]);
}

/* Into the absorber media run on as they are at its edge. */
static inline int outside_absorber(const struct axis *axis, int i)
{
    int high = axis->count - axis->high.cells - 1;
    return i < axis->low.cells ? axis->low.cells : i > high ? high : i;
}

static inline void run_on_into_absorber(struct problem *problem)
{
    const struct axis *x = &problem->axis[0], *y = &problem->axis[1], *z = &problem->axis[2];
    size_t nodes = (size_t)x->count * (size_t)y->count;
    for (int layer = 0; layer < problem->layer_count; layer++) {
        uint16_t *index = problem->coefficient_index + (size_t)layer * nodes;
        for (int j = 0; j < y->count; j++) {
            for (int i = 0; i < x->count; i++) {
                index[j * x->count + i] = index[outside_absorber(y, j) * x->count + outside_absorber(x, i)];
            }
        }
    }
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < z->count; k++) { /* and all components see the same */
            problem->layer[c][k] = problem->layer[0][outside_absorber(z, k)];
        }
    }
}

static inline void random_volume_media(struct problem *problem, const struct random_volume_options *options,
                                       double first_tap, unsigned *seed)
{
    pw_error error;
    struct coefficient_step step = problem_coefficient_step(problem, first_tap * first_tap);
    size_t nodes = (size_t)problem->axis[0].count * (size_t)problem->axis[1].count;
    int palette = options->palette > 0 ? options->palette : 1;
    if (problem_allocate_coefficients(problem, palette, &error) != PW_OK) {
        abort();
    }
    for (int p = 0; p < palette; p++) {
        struct plain_medium medium = {p == 0 ? 1 : 1 + 6 * random_unit(seed),
                                      p == 0 || options->lossless ? 0 : 0.05 * random_unit(seed)};
        coefficient_fill(&medium, &step, problem_coefficient(problem, p));
        if (p == 3) { /* one perfect conductor */
            problem_coefficient(problem, p)[COEFFICIENT_CA] = problem_coefficient(problem, p)[COEFFICIENT_CB] = 0;
        }
    }
    problem->layer_count = options->layers > 0 ? options->layers : 1;
    problem->coefficient_index = calloc((size_t)problem->layer_count * nodes, sizeof(uint16_t));
    uint16_t medium = 0;
    for (size_t n = 0; n < (size_t)problem->layer_count * nodes; n++) {
        if (!options->extruded || random_next(seed) % 19 == 0) {
            medium = random_next(seed) % 2 ? 0 : (uint16_t)(random_next(seed) % (unsigned)palette);
        }
        problem->coefficient_index[n] = medium;
    }
    for (int c = 0; c < 3; c++) {
        int layer = 0;
        problem->layer[c] = calloc((size_t)problem->axis[2].count, sizeof(int));
        for (int k = 0; k < problem->axis[2].count; k++) {
            layer = random_next(seed) % 3 ? layer : random_between(seed, 0, problem->layer_count - 1);
            problem->layer[c][k] = layer;
        }
    }
}

static inline int ascending_places(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* Up to `count` different places of E, or of any component, ascending; returns how many. */
static inline int random_places(const struct problem *problem, int count, int components, int64_t *place,
                                unsigned *seed)
{
    int kept = 0;
    for (int p = 0; p < count; p++) {
        place[p] = random_place(problem, random_between(seed, 0, components - 1), seed);
    }
    qsort(place, (size_t)count, sizeof *place, ascending_places);
    for (int p = 0; p < count; p++) {
        if (kept == 0 || place[p] != place[kept - 1]) {
            place[kept++] = place[p];
        }
    }
    return kept;
}

static inline void random_volume_source(struct source *source, const struct problem *problem,
                                        const struct random_volume_options *options, unsigned *seed)
{
    int places = options->places > 0 ? options->places : 1;
    source->component = COMPONENT_EZ;
    source->hard = options->hard;
    source->node = calloc((size_t)places, sizeof(int64_t));
    source->weight = calloc((size_t)places, sizeof(double));
    source->drive = calloc((size_t)problem->steps + 1, sizeof(double));
    source->current = calloc((size_t)problem->steps + 1, sizeof(double));
    source->count = random_places(problem, places, problem->axis[2].uniform ? 2 : 3, source->node, seed);
    for (int64_t s = 0; s < source->count; s++) {
        source->weight[s] = 1 + random_unit(seed);
    }
    for (int64_t n = 0; n < problem->steps; n++) {
        double t = ((double)n - 12) / 4;
        source->drive[n] = source->current[n] = t * exp(-t * t);
    }
}

/* Probes: every other one a place alone, the rest sums over up to six places of any component. */
static inline void random_volume_probes(struct problem *problem, int count, unsigned *seed)
{
    enum { MOST = 6 };
    int64_t used = 0;
    problem->probe_count = count;
    problem->probes = calloc((size_t)count + 1, sizeof *problem->probes);
    problem->probe_places = calloc((size_t)count * MOST + 1, sizeof(int64_t));
    problem->probe_weights = calloc((size_t)count * MOST + 1, sizeof(double));
    for (int p = 0; p < count; p++) {
        struct probe *probe = &problem->probes[p];
        int64_t *place = problem->probe_places + used;
        double *weight = problem->probe_weights + used;
        if (p % 2 == 0) {
            probe->component = (enum component)random_between(seed, 0, 5);
            probe->node = random_place(problem, (int)probe->component, seed) % problem_nodes(problem);
            continue;
        }
        probe->count = random_places(problem, random_between(seed, 1, MOST), 6, place, seed);
        for (int s = 0; s < probe->count; s++) {
            weight[s] = random_unit(seed) - 0.3;
        }
        probe->place = place;
        probe->weight = weight;
        used += probe->count;
    }
}

/* A horizontal plane of Ez (flat: of hz), every second node; a vertical cut of Hx (Ey) along y and z; a few points of
 * Ex. */
static inline void random_volume_sheets(struct problem *problem, const struct random_volume_options *options,
                                        unsigned *seed)
{
    struct spectra *spectra = &problem->spectra;
    int64_t nx = problem->axis[0].count, ny = problem->axis[1].count, nz = problem->axis[2].count;
    spectra->every = options->every > 0 ? options->every : 1;
    spectra->spacing = 1;
    spectra->frequency_count = options->frequencies;
    if (options->frequencies == 0) {
        return;
    }
    spectra->sheet_count = 3;
    spectra->sheets = calloc(3, sizeof *spectra->sheets);
    spectra->sheets[0] =
        (struct spectra_sheet){volume_place(problem, COMPONENT_EZ, 0, 0, random_between(seed, 0, (int)nz - 1)), 2,
                               2 * nx, (int)(nx + 1) / 2, (int)(ny + 1) / 2};
    spectra->sheets[1] = (struct spectra_sheet){
        volume_place(problem, COMPONENT_HX, random_between(seed, 0, (int)nx - 1), 0, 0), nx, nx * ny, (int)ny, (int)nz};
    spectra->sheets[2] = (struct spectra_sheet){volume_place(problem, COMPONENT_EX, 0, (int)ny / 2, (int)nz / 2), 1, nx,
                                                nx > 3 ? 3 : (int)nx, 1};
    if (options->flat) { /* what is not zero */
        spectra->sheets[0].first = volume_place(problem, COMPONENT_HZ, 0, 0, 0);
        spectra->sheets[1].first = volume_place(problem, COMPONENT_EY, (int)nx / 2, 0, 0);
    }
    spectra->columns = 1;
    for (int s = 0; s < 3; s++) {
        spectra->rows += spectra->sheets[s].columns * spectra->sheets[s].rows;
    }
    spectra->frequency = calloc((size_t)options->frequencies, sizeof(double));
    spectra->omega = calloc((size_t)options->frequencies, sizeof(double));
    for (int f = 0; f < options->frequencies; f++) {
        spectra->frequency[f] = (0.02 + 0.1 * f / options->frequencies) / problem->time_step / spectra->every;
        spectra->omega[f] = 2 * 3.14159265358979 * spectra->frequency[f];
    }
}

/* In clumps, so that places beside several tensor nodes occur. */
static inline void random_volume_tensors(struct problem *problem, int count, unsigned *seed)
{
    int low[3], high[3];
    if (count == 0) {
        return;
    }
    for (int a = 0; a < 3; a++) {
        low[a] = problem->axis[a].low.cells + problem->reach + 1;
        high[a] = problem->axis[a].count - problem->axis[a].high.cells - problem->reach - 2;
        if (problem->axis[a].uniform) {
            low[a] = high[a] = 0;
        }
        if (high[a] < low[a]) {
            return;
        }
        high[a] = high[a] > low[a] + 5 ? low[a] + 5 : high[a];
    }
    double k = SPEED_OF_LIGHT * problem->time_step / problem->axis[0].spacing;
    problem->tensor_nodes = calloc((size_t)count + 1, sizeof *problem->tensor_nodes);
    int64_t *node = calloc((size_t)count + 1, sizeof(int64_t));
    for (int t = 0; t < count; t++) {
        node[t] = volume_place(problem, 0, random_between(seed, low[0], high[0]), random_between(seed, low[1], high[1]),
                               random_between(seed, low[2], high[2]));
    }
    qsort(node, (size_t)count, sizeof *node, ascending_places);
    for (int t = 0; t < count; t++) {
        int from = random_between(seed, 0, 2), to = (from + random_between(seed, 1, 2)) % 3;
        from = problem->axis[2].uniform ? 0 : from;
        to = problem->axis[2].uniform ? 1 : to;
        problem->tensor_nodes[t] = (struct tensor_node){node[t], (enum component)from, (enum component)to,
                                                        0.1 * k * k * (random_unit(seed) - 0.5)};
    }
    problem->tensor_count = count;
    free(node);
}

static inline int metal_row_order(const void *a, const void *b)
{
    const struct metal_row *m = a, *n = b;
    return (m->place > n->place) - (m->place < n->place);
}

/* A place of another component of the other field than that of the row, on the line along which the row's place takes
 * differences of it, as far away as rows may look (problem_depth); in one layer anywhere as near, and farther along x.
 */
static inline int64_t random_metal_term(const struct problem *problem, int component, const int at[3], unsigned *seed)
{
    const bool magnetic = component >= COMPONENT_HX, flat = problem->axis[2].uniform;
    const int depth = problem_depth(problem), set = magnetic ? COMPONENT_EX : COMPONENT_HX,
              other = flat ? (magnetic ? random_between(seed, 0, 1) : 2) : (component + random_between(seed, 1, 2)) % 3;
    int there[3];
    for (int a = 0; a < 3; a++) {
        const int far = flat && a == 0 ? 4 : depth, low = at[a] - far + (magnetic ? 1 : 0),
                  high = at[a] + far - (magnetic ? 0 : 1), last = problem->axis[a].count - 1;
        there[a] = flat || a == 3 - component % 3 - other
                       ? random_between(seed, low > 0 ? low : 0, high < last ? high : last)
                       : at[a];
    }
    return volume_place(problem, set + other, there[0], there[1], there[2]);
}

static inline int metal_term_order(const void *a, const void *b)
{
    const struct metal_term *m = a, *n = b;
    return (m->place > n->place) - (m->place < n->place);
}

/* Up to `most` terms of different places, ascending. */
static inline void random_metal_terms(struct problem *problem, struct metal_row *row, int most, unsigned *seed)
{
    const int64_t node = row->place % problem_nodes(problem), nx = problem->axis[0].count, ny = problem->axis[1].count;
    const int at[3] = {(int)(node % nx), (int)(node / nx % ny), (int)(node / nx / ny)};
    struct metal_term *const own = problem->metal_terms + problem->metal_term_count;
    row->first = problem->metal_term_count;
    for (int t = random_between(seed, 1, most); t > 0; t--) {
        own[t - 1] =
            (struct metal_term){random_metal_term(problem, (int)(row->place / problem_nodes(problem)), at, seed),
                                0.02 * (random_unit(seed) - 0.5)};
        row->count++;
    }
    qsort(own, (size_t)row->count, sizeof *own, metal_term_order);
    int kept = 0;
    for (int t = 0; t < row->count; t++) {
        if (kept == 0 || own[t].place != own[kept - 1].place) {
            own[kept++] = own[t];
        }
    }
    row->count = kept;
    problem->metal_term_count += kept;
}

/* Anywhere outside of the absorber, each with a few terms. */
static inline void random_volume_metal(struct problem *problem, int count, unsigned *seed)
{
    enum { MOST = 6 };
    const bool flat = problem->axis[2].uniform;
    int first[3], last[3];
    for (int a = 0; a < 3; a++) {
        const struct axis *axis = &problem->axis[a];
        first[a] = axis->uniform ? 0 : axis->low.cells + 1;
        last[a] = axis->uniform ? 0 : axis->count - axis->high.cells - 1;
        count = last[a] < first[a] ? 0 : count;
    }
    if (count == 0) {
        return;
    }
    problem->metal_rows = calloc((size_t)count, sizeof *problem->metal_rows);
    problem->metal_terms = calloc((size_t)count * MOST, sizeof *problem->metal_terms);
    for (int r = 0; r < count; r++) {
        const int component = flat ? (int[]){COMPONENT_EX, COMPONENT_EY, COMPONENT_HZ}[random_between(seed, 0, 2)]
                                   : random_between(seed, 0, 5);
        problem->metal_rows[r].place =
            volume_place(problem, component, random_between(seed, first[0], last[0]),
                         random_between(seed, first[1], last[1]), random_between(seed, first[2], last[2]));
    }
    qsort(problem->metal_rows, (size_t)count, sizeof *problem->metal_rows, metal_row_order);
    int64_t kept = 0;
    for (int r = 0; r < count; r++) {
        if (kept == 0 || problem->metal_rows[r].place != problem->metal_rows[kept - 1].place) {
            problem->metal_rows[kept++].place = problem->metal_rows[r].place;
        }
    }
    problem->metal_row_count = kept;
    for (int64_t r = 0; r < kept; r++) {
        random_metal_terms(problem, &problem->metal_rows[r], MOST, seed);
    }
}

static inline void random_volume_absorber(struct problem *problem, const struct random_volume_options *options)
{
    for (int a = 0; a < 3; a++) {
        struct axis *axis = &problem->axis[a];
        struct absorber absorber = {.kind = options->absorber[a] > 0 ? ABSORBER_UPML : ABSORBER_PEC,
                                    .cells = options->absorber[a],
                                    .order = 4,
                                    .reflection = 1.125e-7};
        if (options->stretched && options->absorber[a] > 0) {
            absorber = absorber_usual(&absorber_cpml, options->absorber[a]);
        }
        axis->half = calloc((size_t)axis->count, sizeof *axis->half);
        axis->node = calloc((size_t)axis->count, sizeof *axis->node);
        axis->low = axis->high = (struct boundary){.kind = absorber.kind, .cells = absorber.cells};
        const struct absorber_axis line = {a, axis->count, axis->spacing, problem->time_step, problem->precision};
        absorber_profile(&absorber, &line, axis->half, axis->node);
        if (options->symmetric[a]) {
            axis->low = (struct boundary){.symmetric = true};
            for (int i = 0; i < absorber.cells; i++) {
                axis->half[i] = axis->node[i] = (struct absorber_filter){1, 1, 0};
            }
        }
    }
}

static inline struct problem random_volume(struct random_volume_options options)
{
    unsigned seed = options.seed * 7919u + 17u;
    struct stencil stencil = stencil_get(options.scheme, &(struct stencil_band){12, 0, 3});
    struct problem problem = {.steps = options.steps, .precision = options.precision, .half = options.half};
    if (options.flat) {
        problem_set_layer(&problem, options.n[0], options.n[1], 0.02);
    } else {
        problem_set_volume(&problem, options.n[0], options.n[1], options.n[2], 0.02);
    }
    problem.time_step = 0.6 * fmin(1, stencil.courant_limit) * problem.axis[0].spacing / (SPEED_OF_LIGHT * sqrt(3.0));
    problem_set_stencil(&problem, &stencil);
    random_volume_media(&problem, &options, stencil.difference[0], &seed);
    random_volume_absorber(&problem, &options);
    if (options.extruded) {
        run_on_into_absorber(&problem);
    }
    problem.source_count = options.sources;
    problem.sources = calloc((size_t)options.sources + 1, sizeof *problem.sources);
    for (int s = 0; s < options.sources; s++) {
        random_volume_source(&problem.sources[s], &problem, &options, &seed);
    }
    problem.source_end = options.steps;
    random_volume_probes(&problem, options.probes, &seed);
    random_volume_sheets(&problem, &options, &seed);
    random_volume_tensors(&problem, options.tensors, &seed);
    random_volume_metal(&problem, options.metal, &seed);
    problem.watch_every = problem.spectra.every * 16;
    return problem;
}

/* Something everywhere at once: fields that no wall holds at zero. Values of the problem's precision. */
static inline void random_volume_start(const struct problem *problem, struct run_state *start, unsigned seed)
{
    const struct axis *axis = problem->axis;
    for (int c = 0; c < 6; c++) {
        double *value = start->field[c];
        for (int k = 0; k < axis[2].count; k++) {
            for (int j = 0; j < axis[1].count; j++) {
                for (int i = 0; i < axis[0].count; i++) {
                    const int at[3] = {i, j, k};
                    bool wall = false;
                    for (int a = 0; a < 3; a++) { /* nodes of E across the axis, and of H along it */
                        bool on_node = (a == c % 3) == (c >= COMPONENT_HX);
                        wall = wall || (on_node && at[a] == 0 && !axis[a].low.symmetric);
                    }
                    double random = random_unit(&seed) - 0.5;
                    wall = wall || (axis[2].uniform && (c == COMPONENT_EZ || c == COMPONENT_HX || c == COMPONENT_HY));
                    *value++ = wall ? 0 : problem->precision == PW_SINGLE ? (double)(float)random : random;
                }
            }
        }
    }
    start->step = 0;
}

#endif
