/* Problems made of random numbers, built straight in C: any scheme, any size, materials, absorber, sources, probes,
 * spectra. For tests that compare backends with each other; nothing that comes out has a physical meaning. */
#ifndef RANDOM_ROOMS_H
#define RANDOM_ROOMS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "base/numbers/splitmix.h"
#include "problem/layers/absorber_depth.h"
#include "problem/mur/mur.h"

enum random_materials { MATERIALS_AIR, MATERIALS_ROOMS, MATERIALS_RANDOM };

struct random_options {
    enum scheme scheme;
    pw_precision precision;
    int nx, ny, layer;
    bool stretched;    /* the absorber is a cpml */
    bool symmetric[2]; /* x, y begin on a PMC wall, and some nodes of every source lie on it */
    int one_way[2][2]; /* order of Mur's condition at the ends of x, y; 0: none. The layer then
                          has filters that change nothing */
    int64_t steps;
    int runs;
    enum random_materials materials;
    int room; /* cells between walls, MATERIALS_ROOMS */
    int palette_count;
    int source_nodes; /* per run */
    int further;      /* drives of a source after the first */
    bool hard;
    int probes;
    int frequencies, spacing, every;
    bool whole; /* the spectra are of nearly all nodes, else of a part of the plan */
    int metal;  /* one in so many nodes has a row beside metal, in clusters; 0: none */
    uint64_t seed;
};

static inline double random_unit(uint64_t *seed)
{
    return splitmix_unit(splitmix_next(seed));
}

static inline int random_below(uint64_t *seed, int n)
{
    return (int)(splitmix_next(seed) % (uint64_t)n);
}

static inline void *random_array(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) {
        fprintf(stderr, "no memory for %zu values\n", count);
        abort();
    }
    return memory;
}

static inline void random_palette(struct problem *p, const struct random_options *o, double ring1, uint64_t *seed)
{
    double k = 299792458.0 * p->time_step / p->axis[0].spacing;
    p->coefficient_count = o->palette_count;
    p->coefficients = random_array((size_t)o->palette_count, COEFFICIENT_WIDTH * sizeof(double));
    for (int m = 0; m < o->palette_count; m++) {
        double permittivity = m == 0 ? 1 : 1 + 8 * random_unit(seed), a = m == 0 ? 0 : 0.05 * random_unit(seed);
        problem_coefficient(p, m)[COEFFICIENT_CA] = (1 - a) / (1 + a);
        problem_coefficient(p, m)[COEFFICIENT_CB] = k * k * ring1 / (permittivity * (1 + a));
    }
    if (o->palette_count > 2) { /* a perfect conductor */
        problem_coefficient(p, 2)[COEFFICIENT_CA] = problem_coefficient(p, 2)[COEFFICIENT_CB] = 0;
    }
    p->coefficient_index = random_array((size_t)p->axis[0].count * (size_t)p->axis[1].count, sizeof(uint16_t));
    for (int j = 0; j < p->axis[1].count; j++) {
        for (int i = 0; i < p->axis[0].count; i++) {
            bool wall = o->room > 0 && ((i + 60) % o->room < 4 || (j + 60) % o->room < 4);
            int m = o->materials == MATERIALS_RANDOM || (o->materials == MATERIALS_ROOMS && wall)
                        ? random_below(seed, o->palette_count)
                        : 0;
            p->coefficient_index[(size_t)j * (size_t)p->axis[0].count + (size_t)i] = (uint16_t)m;
        }
    }
}

static inline int ascending_nodes(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* The nodes of an axis on which something may be: `first` .. first + count - 1, clear of edges that obey Mur's
 * condition.
 */
struct random_range {
    int first, count;
};

static inline struct random_range random_range(const struct problem *p, int axis)
{
    const struct axis *a = &p->axis[axis];
    const struct mur_plan plan = mur_plan(p);
    int low = a->low.one_way > 0 ? mur_clearance(&plan) : 0, high = a->high.one_way > 0 ? mur_clearance(&plan) : 0;
    return (struct random_range){low, a->count - low - high};
}

static inline int64_t random_node(const struct problem *p, const bool *off_wall, uint64_t *seed)
{
    int at[2];
    for (int a = 1; a >= 0; a--) {
        struct random_range range = random_range(p, a);
        int off = range.first == 0 && off_wall[a];
        at[a] = range.first + off + random_below(seed, range.count - off);
    }
    return (int64_t)at[1] * p->axis[0].count + at[0];
}

/* Distinct nodes, not on the walls where there are others; the first few on symmetry planes where there are some. */
static inline int64_t random_nodes(const struct problem *p, int64_t wanted, int64_t *nodes, uint64_t *seed)
{
    bool off_wall[2], planes = p->axis[0].low.symmetric || p->axis[1].low.symmetric;
    for (int a = 0; a < 2; a++) {
        off_wall[a] = p->axis[a].count > 1 && !p->axis[a].low.symmetric;
    }
    for (int64_t k = 0; k < wanted; k++) {
        int64_t node = random_node(p, off_wall, seed), nx = p->axis[0].count;
        int on_x = planes && k < 3 && k != 1 && p->axis[0].low.symmetric,
            on_y = planes && k < 3 && k != 0 && p->axis[1].low.symmetric;
        nodes[k] = (on_y ? 0 : node / nx) * nx + (on_x ? 0 : node % nx);
    }
    qsort(nodes, (size_t)wanted, sizeof *nodes, ascending_nodes);
    int64_t distinct = 0;
    for (int64_t k = 0; k < wanted; k++) {
        if (distinct == 0 || nodes[k] != nodes[distinct - 1]) {
            nodes[distinct++] = nodes[k];
        }
    }
    return distinct;
}

/* More drives, each with a weight for every node. */
static inline void random_further(struct source *s, const struct random_options *o, uint64_t *seed)
{
    if (o->further == 0) {
        return;
    }
    const size_t further = (size_t)o->further, weights = further * (size_t)s->count,
                 samples = further * (size_t)o->steps;
    s->further = o->further;
    s->further_weight = random_array(weights, sizeof(double));
    s->further_drive = random_array(samples, sizeof(double));
    for (size_t k = 0; k < weights; k++) {
        s->further_weight[k] = random_unit(seed) - 0.5;
    }
    for (size_t n = 0; n < samples; n++) {
        s->further_drive[n] = random_unit(seed) - 0.5;
    }
}

static inline void random_events(struct problem *p, const struct random_options *o, uint64_t *seed)
{
    size_t steps = (size_t)o->steps;
    p->source_count = o->runs;
    p->sources = random_array((size_t)o->runs, sizeof *p->sources);
    for (int r = 0; r < o->runs; r++) {
        struct source *s = &p->sources[r];
        s->component = COMPONENT_EZ;
        s->hard = o->hard;
        s->node = random_array((size_t)o->source_nodes, sizeof(int64_t));
        s->weight = random_array((size_t)o->source_nodes, sizeof(double));
        s->drive = random_array(steps, sizeof(double));
        s->current = random_array(steps, sizeof(double));
        s->count = random_nodes(p, o->source_nodes, s->node, seed);
        for (int64_t k = 0; k < s->count; k++) {
            s->weight[k] = random_unit(seed) - 0.5;
        }
        for (size_t n = 0; n < steps; n++) {
            s->drive[n] = random_unit(seed) - 0.5;
        }
        random_further(s, o, seed);
    }
    p->probe_count = o->probes;
    p->probes = random_array((size_t)o->probes, sizeof *p->probes);
    for (int k = 0; k < o->probes; k++) { /* in any order, the walls and doubles included */
        p->probes[k].component = COMPONENT_EZ;
        p->probes[k].node = random_node(p, (const bool[2]){false, false}, seed);
    }
}

static inline void random_spectra(struct problem *p, const struct random_options *o, uint64_t *seed)
{
    struct spectra *s = &p->spectra;
    *s = (struct spectra){.every = 1, .spacing = 1};
    if (o->frequencies == 0) {
        return;
    }
    s->frequency_count = o->frequencies;
    s->every = o->every;
    s->spacing = o->spacing;
    const struct random_range x = random_range(p, 0), y = random_range(p, 1);
    s->x0 = x.first + (o->whole ? 3 : random_below(seed, x.count / 3 + 1));
    s->y0 = y.first + (o->whole ? 1 : random_below(seed, y.count / 3 + 1));
    s->columns = (x.first + x.count - s->x0 - 1) / o->spacing + 1;
    s->rows = (y.first + y.count - s->y0 - 1) / o->spacing + 1;
    s->frequency = random_array((size_t)o->frequencies, sizeof(double));
    s->omega = random_array((size_t)o->frequencies, sizeof(double));
    for (int f = 0; f < o->frequencies; f++) {
        s->frequency[f] = 2e9 + 1e7 * f;
        s->omega[f] = 2 * 3.14159265358979 * s->frequency[f];
    }
}

/* Rows beside metal of nodes in clusters, everywhere that terms find nodes, in the order of discretize/metal/ez_rows.c:
 * along x, along y, the node; weights so small that nothing grows. */
static inline void random_metal(const struct random_options *o, struct problem *p, uint64_t *seed)
{
    const int taps = p->laplacian_taps, most = 4 * taps + 1;
    const size_t nodes = (size_t)o->nx * (size_t)o->ny;
    p->metal_rows = random_array(nodes, sizeof *p->metal_rows);
    p->metal_terms = random_array(nodes * (size_t)most, sizeof *p->metal_terms);
    for (int j = taps; j < o->ny - taps; j++) {
        for (int i = taps; i < o->nx - taps; i++) {
            const bool cluster = (i / 7 * 31 + j / 5 * 17) % o->metal == 0;
            if (!cluster || random_below(seed, 3) == 0) {
                continue;
            }
            const int64_t place = (int64_t)j * o->nx + i;
            struct metal_row *row = &p->metal_rows[p->metal_row_count++];
            *row = (struct metal_row){place, p->metal_term_count, 0};
            for (int k = 0; k < most; k++) {
                const int64_t step = k < 2 * taps ? 1 : o->nx;
                const int far = k % (2 * taps) - taps, m = k == most - 1 ? 0 : far + (far >= 0);
                if (random_below(seed, 3) > 0) {
                    const int64_t there = place + m * step;
                    p->metal_terms[p->metal_term_count++] =
                        (struct metal_term){there, 0.02 * (random_unit(seed) - 0.5)};
                    row->count++;
                }
            }
        }
    }
}

static inline void random_problem(const struct random_options *o, struct problem *p)
{
    uint64_t seed = o->seed;
    struct stencil stencil = stencil_get(o->scheme, &STENCIL_USUAL_BAND);
    *p = (struct problem){.steps = o->steps, .precision = o->precision};
    problem_set_grid(p, o->nx, o->ny, 0.02);
    p->time_step = 0.9 * stencil.courant_limit * p->axis[0].spacing / (299792458.0 * sqrt(2.0));
    problem_set_stencil(p, &stencil);
    random_palette(p, o, stencil.laplacian[0], &seed);
    pw_error error;
    const bool edges = o->one_way[0][0] + o->one_way[0][1] + o->one_way[1][0] + o->one_way[1][1] > 0;
    struct absorber absorber =
        edges ? absorber_usual(&absorber_mur, o->layer)
        : o->stretched
            ? absorber_usual(&absorber_cpml, o->layer)
            : (struct absorber){.kind = ABSORBER_UPML, .cells = o->layer, .order = 4, .reflection = exp(-16.0)};
    for (int a = 0; a < 2; a++) {
        p->axis[a].low.symmetric = o->symmetric[a];
    }
    if (problem_set_absorber(p, &absorber, &error) != PW_OK) {
        fprintf(stderr, "%s\n", error.message);
        abort();
    }
    for (int a = 0; a < 2; a++) {
        p->axis[a].low.one_way = o->one_way[a][0];
        p->axis[a].high.one_way = o->one_way[a][1];
    }
    random_events(p, o, &seed);
    random_spectra(p, o, &seed);
    if (o->metal > 0) {
        random_metal(o, p, &seed);
    }
    p->watch_every = p->spectra.every;
    p->source_end = p->steps;
}

/* Node 0 of the axis lies on a perfect conductor. */
static inline bool random_wall(const struct axis *axis)
{
    return !axis->low.symmetric && axis->low.one_way == 0;
}

/* Random Ez and increments, zero on the walls, filters at rest: as floats, so that both precisions hold them exactly.
 */
static inline void random_fields(const struct problem *p, uint64_t seed, struct run_state *s)
{
    for (int j = 0; j < p->axis[1].count; j++) {
        for (int i = 0; i < p->axis[0].count; i++) {
            size_t n = (size_t)j * (size_t)p->axis[0].count + (size_t)i;
            bool wall = (i == 0 && random_wall(&p->axis[0])) || (j == 0 && random_wall(&p->axis[1]));
            s->ez[n] = wall ? 0 : (double)(float)(random_unit(&seed) - 0.5);
            s->increment[n] = wall ? 0 : (double)(float)(0.1 * (random_unit(&seed) - 0.5));
        }
    }
}

#endif
