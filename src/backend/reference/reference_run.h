/* One step of one run of the reference backend, to be read beside physics.md; included once per precision (REAL, FMA
 * and CELL are defined by the includer). Plain loops in the order of the equations:
 *
 *     images of Ez about the walls             mirror_x, mirror_y           section 1
 *     g = first differences of Ez, filtered    gradients                    section 3; in absorber regions alone
 *     L Ez                                     laplacian_row                sections 1 and 3
 *     v = ca v + cb L Ez                       update_increment             section 1
 *     v beside metal                           add_metal                    section 1
 *     v at edges with Mur's condition          add_edges                    section 3
 *     Ez = Ez + v                              update_field                 section 1
 *     sources                                  drive                        section 4
 *     what poles of dispersive nodes change    add_poles                    section 10
 *     probes, samples of the spectra           record                       section 5
 *
 * The fields carry ghost nodes, so that the walls need no cases in the loops. Loops go along a row, term by term of a
 * sum, which a compiler can turn into vectors by itself; nothing else is done for speed. Left out: what is recorded
 * (reference_records.h). */

#include "backend/energy_order.h"
#include "backend/reference/reference_records.h"

#include "backend/mur_nodes.h"
#include "backend/reference/pole_span.h"

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

struct CELL(run) {
    struct CELL(records) records;      /* first: reference_records.h */
    const struct problem *problem;     /* borrowed */
    const struct source *source;       /* borrowed */
    struct absorber_regions region[2]; /* along x, along y */
    ptrdiff_t ghosts, pitch;           /* ghost nodes around e, gx and gy; from row to row of these */
    REAL *e;                           /* (ny + 2 ghosts, nx + 2 ghosts): Ez */
    REAL *v;                           /* (ny, nx): increment of Ez over a step */
    /* Like e: filtered first differences at (i+1/2, j) and at (i, j+1/2), where an absorber region needs them. */
    REAL *gx, *gy;
    REAL *x_half, *x_node, *y_half, *y_node; /* (ny, nx): filter states */
    REAL *laplacian, *laplacian_y;           /* (nx): L Ez of the row at hand; its part along y, in absorber regions */
    REAL *coefficients;                      /* (coefficient_count, COEFFICIENT_WIDTH): the problem's, rounded */
    REAL *metal;                             /* (metal_term_count): weights of rows beside metal */
    struct mur_plan mur;                     /* of edges that obey Mur's condition */
    struct mur_rate *mur_rates;              /* (coefficient_count); NULL without such edges */
};

/* Node (i, j) of a field with ghosts. */
INLINE REAL *CELL(at)(const struct CELL(run) * run, REAL *padded, ptrdiff_t i, ptrdiff_t j)
{
    return padded + (j + run->ghosts) * run->pitch + i + run->ghosts;
}

static void CELL(run_destroy)(void *state)
{
    struct CELL(run) *run = state;
    FREE_ALL(run->e, run->v, run->gx, run->gy, run->x_half, run->x_node, run->y_half, run->y_node, run->laplacian,
             run->laplacian_y, run->coefficients, run->metal, run->mur_rates);
    CELL(records_destroy)(&run->records);
}

static pw_status CELL(allocate_arrays)(struct CELL(run) * run, pw_error *error)
{
    const struct problem *problem = run->problem;
    size_t nx = (size_t)problem->axis[0].count, ny = (size_t)problem->axis[1].count;
    size_t padded = (nx + 2 * (size_t)run->ghosts) * (ny + 2 * (size_t)run->ghosts);
    const struct CELL(part)
        parts[] = {{&run->e, padded},
                   {&run->v, nx * ny},
                   {&run->gx, padded},
                   {&run->gy, padded},
                   {&run->x_half, nx * ny},
                   {&run->x_node, nx * ny},
                   {&run->y_half, nx * ny},
                   {&run->y_node, nx * ny},
                   {&run->laplacian, nx},
                   {&run->laplacian_y, nx},
                   {&run->metal, (size_t)problem->metal_term_count},
                   {&run->coefficients, (size_t)problem->coefficient_count * (size_t)COEFFICIENT_WIDTH}};
    TRY(CELL(allocate_parts)(parts, sizeof parts / sizeof parts[0], error));
    return CELL(records_create)(&run->records, problem, error);
}

/* Fields at rest. */
static pw_status CELL(run_create)(void *state, const struct problem *problem, const struct source *source,
                                  pw_error *error)
{
    struct CELL(run) *run = state;
    ptrdiff_t ghosts = 2 * problem->reach;
    *run = (struct CELL(run)){.problem = problem,
                              .source = source,
                              .ghosts = ghosts,
                              .pitch = problem->axis[0].count + 2 * ghosts,
                              .mur = mur_plan(problem)};
    for (int a = 0; a < 2; a++) {
        run->region[a] = absorber_regions(&problem->axis[a], problem->reach);
    }
    TRY(CELL(allocate_arrays)(run, error));
    if (problem_has_mur(problem)) {
        run->mur_rates = allocate((size_t)problem->coefficient_count, sizeof *run->mur_rates, "the edges", error);
        TRY_MADE(run->mur_rates);
        mur_rates(problem, run->mur_rates);
    }
    for (int k = 0; k < problem->coefficient_count * COEFFICIENT_WIDTH; k++) {
        run->coefficients[k] = (REAL)problem->coefficients[k];
    }
    for (int64_t t = 0; t < problem->metal_term_count; t++) {
        run->metal[t] = (REAL)problem->metal_terms[t].weight;
    }
    return PW_OK;
}

INLINE size_t CELL(node)(const struct problem *problem, int i, int j)
{
    return (size_t)j * (size_t)problem->axis[0].count + (size_t)i;
}

/* ---- images about the walls -------------------------------------------------------------------------------------- */

/* Fills the ghosts of a padded field along one line of the axis, values `stride` apart from line[0] on: at nodes, or at
 * half nodes (half = 1). */
static void CELL(mirror_line)(REAL *line, ptrdiff_t stride, const struct axis *axis, ptrdiff_t ghosts, int half)
{
    for (ptrdiff_t g = 0; g < 2 * ghosts; g++) {
        ptrdiff_t i = g < ghosts ? -1 - g : axis->count + g - ghosts;
        struct image image = image_of((int)i, axis->count, half, axis->low.symmetric);
        REAL value = line[image.place * stride];
        line[i * stride] = image.sign == 0 ? (REAL)0 : image.sign < 0 ? -value : value;
    }
}

static void CELL(mirror_x)(struct CELL(run) * run, REAL *padded, int half)
{
    for (ptrdiff_t j = 0; j < run->problem->axis[1].count; j++) {
        CELL(mirror_line)(CELL(at)(run, padded, 0, j), 1, &run->problem->axis[0], run->ghosts, half);
    }
}

static void CELL(mirror_y)(struct CELL(run) * run, REAL *padded, int half)
{
    for (ptrdiff_t i = 0; i < run->problem->axis[0].count; i++) {
        CELL(mirror_line)(CELL(at)(run, padded, i, 0), run->pitch, &run->problem->axis[1], run->ghosts, half);
    }
}

/* ---- rows: differences and filters ------------------------------------------------------------------------------- */

/* Differences between the values above and below `count` points of a row: those at low[i - l stride] and high[i + l
 * stride] stand l + 1/2 from point i. */
INLINE void CELL(row_difference)(const struct problem *problem, const REAL *low, const REAL *high, ptrdiff_t stride,
                                 int count, REAL *out)
{
    REAL first = (REAL)problem->difference[0];
    for (int i = 0; i < count; i++) {
        out[i] = CELL(cell_difference)(first, low[i], high[i]);
    }
    for (ptrdiff_t l = 1; l < problem->reach; l++) {
        REAL a = (REAL)problem->difference[l];
        for (int i = 0; i < count; i++) {
            out[i] = CELL(cell_difference_add)(out[i], a, low[i - l * stride], high[i + l * stride]);
        }
    }
}

/* L of `count` nodes along both axes at once, outside the absorber regions. */
INLINE void CELL(row_cross)(const struct problem *problem, const REAL *e, ptrdiff_t pitch, int count, REAL *laplacian)
{
    REAL centre2 = (REAL)(2 * problem->centre);
    for (int i = 0; i < count; i++) {
        laplacian[i] = CELL(cell_cross)(centre2, e[i], e[i - 1], e[i + 1], e[i - pitch], e[i + pitch]);
    }
    for (ptrdiff_t m = 2; m <= problem->laplacian_taps; m++) {
        REAL tap = (REAL)problem->laplacian[m - 1];
        for (int i = 0; i < count; i++) {
            laplacian[i] =
                CELL(cell_cross_add)(laplacian[i], tap, e[i - m], e[i + m], e[i - m * pitch], e[i + m * pitch]);
        }
    }
}

/* L of `count` nodes along one axis, outside the absorber regions of that axis. */
INLINE void CELL(row_line)(const struct problem *problem, const REAL *e, ptrdiff_t stride, int count, REAL *laplacian)
{
    REAL centre = (REAL)problem->centre;
    for (int i = 0; i < count; i++) {
        laplacian[i] = CELL(cell_line)(centre, e[i], e[i - stride], e[i + stride]);
    }
    for (ptrdiff_t m = 2; m <= problem->laplacian_taps; m++) {
        REAL tap = (REAL)problem->laplacian[m - 1];
        for (int i = 0; i < count; i++) {
            laplacian[i] = CELL(cell_line_add)(laplacian[i], tap, e[i - m * stride], e[i + m * stride]);
        }
    }
}

/* ---- absorber: filtered first differences ------------------------------------------------------------------------ */

/* At the half nodes right of columns first..end-1 of row j. */
INLINE void CELL(gradient_x)(struct CELL(run) * run, int j, int first, int end)
{
    const struct problem *problem = run->problem;
    const REAL *e = CELL(at)(run, run->e, first, j);
    REAL *g = CELL(at)(run, run->gx, first, j);
    CELL(row_difference)(problem, e, e + 1, 1, end - first, g);
    CELL(row_filter_x)(&problem->axis[0].half[first], end - first, g, &run->x_half[CELL(node)(problem, first, j)]);
}

/* At the half nodes above row j. */
INLINE void CELL(gradient_y)(struct CELL(run) * run, int j)
{
    const struct problem *problem = run->problem;
    int nx = problem->axis[0].count;
    const REAL *e = CELL(at)(run, run->e, 0, j);
    REAL *g = CELL(at)(run, run->gy, 0, j);
    CELL(row_difference)(problem, e, e + run->pitch, run->pitch, nx, g);
    CELL(row_filter)(&problem->axis[1].half[j], nx, g, &run->y_half[CELL(node)(problem, 0, j)]);
}

/* g at every half node that a node of an absorber region reads: those within the reach of the regions. */
FAST_FMA static void CELL(gradients)(struct CELL(run) * run)
{
    const struct problem *problem = run->problem;
    int nx = problem->axis[0].count, ny = problem->axis[1].count;
    struct absorber_regions x = absorber_regions_widen(&run->region[0], problem->reach, nx);
    struct absorber_regions y = absorber_regions_widen(&run->region[1], problem->reach, ny);
    if (absorber_regions_empty(&x, nx) && absorber_regions_empty(&y, ny)) {
        return;
    }
    for (int j = 0; j < ny; j++) {
        CELL(gradient_x)(run, j, 0, x.low);
        CELL(gradient_x)(run, j, x.high, nx);
        if (j < y.low || j >= y.high) {
            CELL(gradient_y)(run, j);
        }
    }
    CELL(mirror_x)(run, run->gx, 1);
    CELL(mirror_y)(run, run->gy, 1);
}

/* ---- the Laplacian ----------------------------------------------------------------------------------------------- */

/* L Ez of columns first..end-1 of row j: along an axis in whose absorber region they lie, the difference of the
 * filtered differences, filtered once more. */
INLINE void CELL(laplacian_part)(struct CELL(run) * run, int j, int first, int end, bool x_region, bool y_region)
{
    const struct problem *problem = run->problem;
    int count = end - first;
    size_t n = CELL(node)(problem, first, j);
    const REAL *e = CELL(at)(run, run->e, first, j);
    REAL *laplacian = run->laplacian + first, *laplacian_y = run->laplacian_y + first;
    if (!x_region && !y_region) {
        CELL(row_cross)(problem, e, run->pitch, count, laplacian);
        return;
    }
    if (x_region) {
        const REAL *g = CELL(at)(run, run->gx, first, j);
        CELL(row_difference)(problem, g - 1, g, 1, count, laplacian);
        CELL(row_filter_x)(&problem->axis[0].node[first], count, laplacian, &run->x_node[n]);
    } else {
        CELL(row_line)(problem, e, 1, count, laplacian);
    }
    if (y_region) {
        const REAL *g = CELL(at)(run, run->gy, first, j);
        CELL(row_difference)(problem, g - run->pitch, g, run->pitch, count, laplacian_y);
        CELL(row_filter)(&problem->axis[1].node[j], count, laplacian_y, &run->y_node[n]);
    } else {
        CELL(row_line)(problem, e, run->pitch, count, laplacian_y);
    }
    for (int i = 0; i < count; i++) {
        laplacian[i] += laplacian_y[i];
    }
}

/* L Ez of row j into run->laplacian. */
INLINE void CELL(laplacian_row)(struct CELL(run) * run, int j)
{
    const struct absorber_regions *x = &run->region[0], *y = &run->region[1];
    bool y_region = j < y->low || j >= y->high;
    CELL(laplacian_part)(run, j, 0, x->low, true, y_region);
    CELL(laplacian_part)(run, j, x->low, x->high, false, y_region);
    CELL(laplacian_part)(run, j, x->high, run->problem->axis[0].count, true, y_region);
}

/* ---- the step ---------------------------------------------------------------------------------------------------- */

/* v = ca v + cb L Ez along row j, given L Ez of the row. */
INLINE void CELL(update_increment)(struct CELL(run) * run, int j)
{
    const struct problem *problem = run->problem;
    const uint16_t *index = problem->coefficient_index + CELL(node)(problem, 0, j);
    const REAL *table = run->coefficients, *laplacian = run->laplacian;
    REAL *v = run->v + CELL(node)(problem, 0, j);
    const struct mur_plan *mur = &run->mur; /* the nodes near such an edge keep theirs until add_edges */
    int width = COEFFICIENT_WIDTH, first = mur->inner[0][0], end = mur->inner[0][1];
    end = j >= mur->inner[1][0] && j < mur->inner[1][1] ? end : first;
    for (int i = first; i < end; i++) {
        const REAL *medium = table + index[i] * width;
        v[i] = CELL(cell_increment)(v[i], laplacian[i], medium[COEFFICIENT_CA], medium[COEFFICIENT_CB]);
    }
}

/* v at the nodes beside metal. */
static void CELL(add_metal)(struct CELL(run) * run)
{
    const struct problem *problem = run->problem;
    const int64_t nx = problem->axis[0].count;
    for (int64_t r = 0; r < problem->metal_row_count; r++) {
        const struct metal_row *row = &problem->metal_rows[r];
        REAL v = run->v[row->place];
        for (int64_t t = row->first; t < row->first + row->count; t++) {
            const int64_t there = problem->metal_terms[t].place;
            v = CELL(cell_term)(v, run->metal[t], *CELL(at)(run, run->e, there % nx, there / nx));
        }
        run->v[row->place] = v;
    }
}

/* v at the nodes near and on the edges that obey Mur's condition. */
static void CELL(add_edges)(struct CELL(run) * run)
{
    if (problem_has_mur(run->problem)) {
        struct CELL(mur_step) step = {.plan = &run->mur,
                                      .rates = run->mur_rates,
                                      .medium = run->problem->coefficient_index,
                                      .e = CELL(at)(run, run->e, 0, 0),
                                      .before = run->v,
                                      .v = run->v,
                                      .medium_pitch = run->problem->axis[0].count,
                                      .e_pitch = run->pitch,
                                      .v_pitch = run->problem->axis[0].count,
                                      .memory = run->records.memory[MEMORY_EDGES]};
        CELL(mur_increments)(&step);
    }
}

/* Ez = Ez + v along row j. */
INLINE void CELL(update_field)(struct CELL(run) * run, int j)
{
    const REAL *v = run->v + CELL(node)(run->problem, 0, j);
    REAL *e = CELL(at)(run, run->e, 0, j);
    for (int i = 0; i < run->problem->axis[0].count; i++) {
        e[i] += v[i];
    }
}

/* The source's part of step number `step`. */
static void CELL(drive)(struct CELL(run) * run, int64_t step)
{
    const struct source *source = run->source;
    for (int64_t s = 0; s < source->count; s++) {
        int64_t n = source->node[s];
        REAL *e = CELL(at)(run, run->e, n % run->problem->axis[0].count, n / run->problem->axis[0].count);
        CELL(cell_source)((REAL)source->weight[s], (REAL)source->drive[step], source->hard, &run->v[n], e);
        for (int64_t r = 0; r < source->further; r++) {
            CELL(cell_source)
            ((REAL)source->further_weight[r * source->count + s],
             (REAL)source->further_drive[r * run->problem->steps + step], false, &run->v[n], e);
        }
    }
}

FAST_FMA static void CELL(add_poles)(struct CELL(run) * run)
{
    const struct problem *problem = run->problem;
    int64_t nx = problem->axis[0].count;
    for (int64_t s = 0; s < problem->pole_span_count; s++) {
        const struct pole_span *span = &problem->pole_spans[s];
        REAL *e = CELL(at)(run, run->e, span->place % nx, span->place / nx);
        CELL(span_advance)(problem, span, run->v + span->place, e, run->records.memory[MEMORY_POLES]);
    }
}

/* Probes, and a sample for the spectra when one is due, after `steps` steps. */
static void CELL(record)(struct CELL(run) * run, int64_t steps)
{
    const struct problem *problem = run->problem;
    const struct spectra *spectra = &problem->spectra;
    for (int p = 0; p < problem->probe_count; p++) {
        int64_t n = problem->probes[p].node;
        run->records.probes[(steps - 1) * problem->probe_count + p] =
            *CELL(at)(run, run->e, n % problem->axis[0].count, n / problem->axis[0].count);
    }
    REAL *out = CELL(records_sample)(&run->records, steps);
    for (int r = 0; out != NULL && r < spectra->rows; r++) {
        for (int c = 0; c < spectra->columns; c++) {
            *out++ = *CELL(at)(run, run->e, spectra->x0 + c * spectra->spacing, spectra->y0 + r * spectra->spacing);
        }
    }
}

/* Step number `step`, from Ez at level `step` to the next. */
FAST_FMA static void CELL(run_step)(void *state, int64_t step)
{
    struct CELL(run) *run = state;
    int ny = run->problem->axis[1].count;
    CELL(mirror_x)(run, run->e, 0);
    CELL(mirror_y)(run, run->e, 0);
    CELL(gradients)(run);
    for (int j = 0; j < ny; j++) {
        CELL(laplacian_row)(run, j);
        CELL(update_increment)(run, j);
    }
    CELL(add_metal)(run);
    CELL(add_edges)(run);
    for (int j = 0; j < ny; j++) {
        CELL(update_field)(run, j);
    }
    CELL(drive)(run, step);
    CELL(add_poles)(run);
    CELL(record)(run, step + 1);
}

/* ---- in and out -------------------------------------------------------------------------------------------------- */

static double CELL(run_energy)(const void *state)
{
    const struct CELL(run) *run = state;
    double energy = 0;
    for (int j = 0; j < run->problem->axis[1].count; j++) {
        energy += CELL(energy_row)(CELL(at)(run, run->e, 0, j), run->problem->axis[0].count);
    }
    return energy;
}

/* Where the values of a row of a patch stand. */
static void *CELL(run_locate)(void *own, struct patch_row *row)
{
    struct CELL(run) *run = own;
    const size_t n = CELL(node)(run->problem, row->i, row->j);
    switch (row->array) {
    case STATE_EZ:
        return CELL(at)(run, run->e, row->i, row->j);
    case STATE_INCREMENT:
        return run->v + n;
    case STATE_X_HALF:
        return run->x_half + n;
    case STATE_X_NODE:
        return run->x_node + n;
    case STATE_Y_HALF:
        return run->y_half + n;
    case STATE_Y_NODE:
        return run->y_node + n;
    default:
        return CELL(records_locate)(&run->records, row);
    }
}

static const struct run_functions CELL(FUNCTIONS) = {
    .run_size = sizeof(struct CELL(run)),
    .create = CELL(run_create),
    .destroy = CELL(run_destroy),
    .step = CELL(run_step),
    .add_group = CELL(run_add_group),
    .energy = CELL(run_energy),
    .read_spectra = CELL(run_read_spectra),
    .read_samples = CELL(run_read_samples),
    .exchange_records = CELL(run_exchange_records),
    .locate = CELL(run_locate),
};
