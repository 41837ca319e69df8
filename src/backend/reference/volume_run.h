/* One step of one run of the reference backend in three dimensions, to be read beside physics.md section 9; included
 * once per precision (REAL, FMA and CELL are defined by the includer). Plain loops in the order of the equations:
 *
 *     images of E about the walls, h = h - curl E         mirror_all, update_h
 *     what hz gains beside metal                          add_metal
 *     rounding of h to what is kept, if in 16 bits        keep
 *     images of h, E = ca E + cb curl h                   mirror_all, update_e
 *     what tensor nodes add to E, from the same curl h    add_tensors
 *     what Ex and Ey gain beside metal, from the same h   add_metal
 *     sources                                             drive
 *     what poles of dispersive places change              add_poles
 *     rounding of E likewise                              keep
 *     probes and samples of the spectra                   record
 *
 * Each derivative of a curl passes the absorber's filter where there is one. The fields carry ghost places, so that the
 * walls need no cases in the loops. Left out: what is recorded (reference_records.h). */

#include "backend/energy_order.h"
#include "backend/reference/reference_records.h"

#include "backend/reference/pole_span.h"

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

struct CELL(run) {
    struct CELL(records) records;  /* first: reference_records.h */
    const struct problem *problem; /* borrowed */
    const struct source *source;   /* borrowed */
    ptrdiff_t ghosts[3];  /* places before and after the fields along each axis: the reach, 0 along a uniform one */
    ptrdiff_t stride[3];  /* of the fields, from place to place along x, y and z */
    REAL *field[6];       /* (nz, ny, nx) and ghosts on every side: Ex, Ey, Ez, hx, hy, hz */
    REAL *filter[3][4];   /* filter states, as in struct run_state */
    REAL *first, *second; /* (nx): the two derivatives of a curl along the row at hand */
    REAL *coefficients;   /* (coefficient_count, COEFFICIENT_WIDTH): the problem's, rounded */
};

/* A component at node (i, j, k). */
INLINE REAL *CELL(at)(const struct CELL(run) * run, int component, ptrdiff_t i, ptrdiff_t j, ptrdiff_t k)
{
    const ptrdiff_t *ghosts = run->ghosts;
    return run->field[component] + (k + ghosts[2]) * run->stride[2] + (j + ghosts[1]) * run->stride[1] + i + ghosts[0];
}

/* A place (problem.h). */
static REAL *CELL(at_place)(const struct CELL(run) * run, int64_t place)
{
    int64_t nx = run->problem->axis[0].count, ny = run->problem->axis[1].count, nodes = problem_nodes(run->problem);
    int64_t node = place % nodes;
    return CELL(at)(run, (int)(place / nodes), node % nx, node / nx % ny, node / nx / ny);
}

static void CELL(run_destroy)(void *state)
{
    struct CELL(run) *run = state;
    for (int c = 0; c < 6; c++) {
        free(run->field[c]);
    }
    for (int a = 0; a < 3; a++) {
        for (int q = 0; q < 4; q++) {
            free(run->filter[a][q]);
        }
    }
    FREE_ALL(run->first, run->second, run->coefficients);
    CELL(records_destroy)(&run->records);
}

static pw_status CELL(allocate_arrays)(struct CELL(run) * run, pw_error *error)
{
    const struct problem *problem = run->problem;
    size_t nx = (size_t)problem->axis[0].count, nodes = (size_t)problem_nodes(problem);
    size_t padded = (size_t)run->stride[2] * ((size_t)problem->axis[2].count + 2 * (size_t)run->ghosts[2]);
    struct CELL(part)
        parts[22] = {{&run->first, nx},
                     {&run->second, nx},
                     {&run->coefficients, (size_t)problem->coefficient_count * (size_t)COEFFICIENT_WIDTH}};
    size_t count = 3;
    for (int c = 0; c < 6; c++) {
        parts[count++] = (struct CELL(part)){&run->field[c], padded};
    }
    for (int a = 0; a < 3; a++) {
        size_t filters = nodes / (size_t)problem->axis[a].count * (size_t)run_state_filters(problem, a);
        for (int q = 0; q < 4; q++) {
            parts[count++] = (struct CELL(part)){&run->filter[a][q], filters};
        }
    }
    TRY(CELL(allocate_parts)(parts, count, error));
    return CELL(records_create)(&run->records, problem, error);
}

/* Fields at rest. */
static pw_status CELL(run_create)(void *state, const struct problem *problem, const struct source *source,
                                  pw_error *error)
{
    struct CELL(run) *run = state;
    ptrdiff_t ghosts = problem->reach, pitch = problem->axis[0].count + 2 * ghosts;
    *run = (struct CELL(run)){.problem = problem,
                              .source = source,
                              .ghosts = {ghosts, ghosts, problem->axis[2].uniform ? 0 : ghosts},
                              .stride = {1, pitch, pitch * (problem->axis[1].count + 2 * ghosts)}};
    TRY(CELL(allocate_arrays)(run, error));
    for (int k = 0; k < problem->coefficient_count * COEFFICIENT_WIDTH; k++) {
        run->coefficients[k] = (REAL)problem->coefficients[k];
    }
    return PW_OK;
}

/* ---- images about the walls -------------------------------------------------------------------------------------- */

/* Fills the ghosts of a component along axis a, beside the places of the grid alone. */
static void CELL(mirror)(struct CELL(run) * run, int component, int a)
{
    const struct axis *axis = run->problem->axis, *along = &axis[a], *next = &axis[(a + 1) % 3],
                      *last = &axis[(a + 2) % 3];
    ptrdiff_t stride = run->stride[a], next_stride = run->stride[(a + 1) % 3], last_stride = run->stride[(a + 2) % 3];
    REAL *origin = CELL(at)(run, component, 0, 0, 0);
    const int ghosts = (int)run->ghosts[a];
    for (int g = 0; g < 2 * ghosts; g++) {
        int i = g < ghosts ? -1 - g : along->count + g - ghosts;
        struct image image = image_of(i, along->count, component >= COMPONENT_HX, along->low.symmetric);
        for (ptrdiff_t q = 0; q < last->count; q++) {
            REAL *line = origin + q * last_stride;
            for (ptrdiff_t p = 0; p < next->count; p++) {
                REAL value = line[p * next_stride + image.place * stride];
                line[p * next_stride + i * stride] = image.sign == 0 ? (REAL)0 : image.sign < 0 ? -value : value;
            }
        }
    }
}

/* E or h, beginning with component `first`, along the axes on which its components are differenced: not their own. */
static void CELL(mirror_all)(struct CELL(run) * run, int first)
{
    for (int a = 0; a < 3; a++) {
        CELL(mirror)(run, first + (a + 1) % 3, a);
        CELL(mirror)(run, first + (a + 2) % 3, a);
    }
}

/* ---- curls ------------------------------------------------------------------------------------------------------- */

/* Differences between the values above and below `count` points of a row: those at low[i - l stride] and high[i + l
 * stride] stand l + 1/2 from point i. */
INLINE void CELL(row_difference)(const struct problem *problem, const REAL *low, const REAL *high, ptrdiff_t stride,
                                 int count, REAL *out)
{
    for (int i = 0; i < count; i++) {
        out[i] = CELL(cell_curl)(low[i], high[i]);
    }
    for (ptrdiff_t l = 1; l < problem->reach; l++) {
        REAL tap = (REAL)problem->difference[l];
        for (int i = 0; i < count; i++) {
            out[i] = CELL(cell_curl_add)(out[i], tap, low[i - l * stride], high[i + l * stride]);
        }
    }
}

/* A component's derivative along x in row (j, k), through the filters of the first and the last places. */
INLINE void CELL(filter_along_x)(struct CELL(run) * run, int component, int j, int k, REAL *values)
{
    const struct axis *x = &run->problem->axis[0];
    const struct absorber_filter *filter = component < COMPONENT_HX ? x->half : x->node;
    ptrdiff_t row = (ptrdiff_t)k * run->problem->axis[1].count + j;
    REAL *state = run->filter[0][filter_number(0, component)] + row * run_state_filters(run->problem, 0);
    int high = x->count - x->high.cells;
    CELL(row_filter_x)(filter, x->low.cells, values, state);
    CELL(row_filter_x)(filter + high, x->high.cells, values + high, state + x->low.cells);
}

/* The same along y or z. */
INLINE void CELL(filter_along)(struct CELL(run) * run, int a, int component, int j, int k, REAL *values)
{
    const struct problem *problem = run->problem;
    const struct axis *axis = &problem->axis[a];
    int place = a == 1 ? j : k, slot = axis_filter_slot(axis, place);
    if (slot >= 0) {
        ptrdiff_t row =
            a == 1 ? (ptrdiff_t)k * run_state_filters(problem, 1) + slot : (ptrdiff_t)slot * problem->axis[1].count + j;
        CELL(row_filter)
        ((component < COMPONENT_HX ? axis->half : axis->node) + place, problem->axis[0].count, values,
         run->filter[a][filter_number(a, component)] + row * problem->axis[0].count);
    }
}

/* The filtered derivative of a component along axis a in row (j, k): of E at half places, of h at nodes. */
INLINE void CELL(derivative)(struct CELL(run) * run, int a, int component, int j, int k, REAL *out)
{
    if (run->problem->axis[a].uniform) {
        memset(out, 0, (size_t)run->problem->axis[0].count * sizeof *out);
        return;
    }
    const REAL *field = CELL(at)(run, component, 0, j, k),
               *low = component < COMPONENT_HX ? field : field - run->stride[a];
    CELL(row_difference)(run->problem, low, low + run->stride[a], run->stride[a], run->problem->axis[0].count, out);
    if (a == 0) {
        CELL(filter_along_x)(run, component, j, k, out);
    } else {
        CELL(filter_along)(run, a, component, j, k, out);
    }
}

/* Component c of the curl of E (set 0) or h (set 3) along row (j, k), as its two derivatives. */
INLINE void CELL(row_curl)(struct CELL(run) * run, int set, int c, int j, int k)
{
    int next = (c + 1) % 3, last = (c + 2) % 3;
    CELL(derivative)(run, next, set + last, j, k, run->first);
    CELL(derivative)(run, last, set + next, j, k, run->second);
}

/* Component c of the curl of h at one place outside the absorber. */
INLINE REAL CELL(point_curl)(const struct CELL(run) * run, int c, int i, int j, int k)
{
    int next = (c + 1) % 3, last = (c + 2) % 3;
    const struct axis *axis = run->problem->axis;
    REAL part[2] = {0, 0};
    for (int p = 0; p < 2; p++) {
        int along = p == 0 ? next : last, of = p == 0 ? last : next;
        const REAL *high = CELL(at)(run, COMPONENT_HX + of, i, j, k);
        if (!axis[along].uniform) {
            CELL(row_difference)(run->problem, high - run->stride[along], high, run->stride[along], 1, &part[p]);
        }
    }
    return part[0] - part[1];
}

/* ---- the step ---------------------------------------------------------------------------------------------------- */

INLINE void CELL(update_h)(struct CELL(run) * run, int c, int j, int k)
{
    REAL *h = CELL(at)(run, COMPONENT_HX + c, 0, j, k);
    CELL(row_curl)(run, COMPONENT_EX, c, j, k);
    for (int i = 0; i < run->problem->axis[0].count; i++) {
        h[i] = CELL(cell_magnetic)(h[i], run->first[i], run->second[i]);
    }
}

INLINE void CELL(update_e)(struct CELL(run) * run, int c, int j, int k)
{
    const struct problem *problem = run->problem;
    int nx = problem->axis[0].count, ny = problem->axis[1].count;
    const uint16_t *index = problem->coefficient_index + ((ptrdiff_t)problem->layer[c][k] * ny + j) * nx;
    REAL *e = CELL(at)(run, c, 0, j, k);
    CELL(row_curl)(run, COMPONENT_HX, c, j, k);
    for (int i = 0; i < nx; i++) {
        const REAL *medium = run->coefficients + index[i] * COEFFICIENT_WIDTH;
        e[i] =
            CELL(cell_increment)(e[i], run->first[i] - run->second[i], medium[COEFFICIENT_CA], medium[COEFFICIENT_CB]);
    }
}

/* What the places of E_to beside a tensor node gain from the curl at those of `from`. */
INLINE void CELL(add_tensor)(struct CELL(run) * run, const struct tensor_node *tensor, int from, int to)
{
    int nx = run->problem->axis[0].count, ny = run->problem->axis[1].count;
    int i = (int)(tensor->node % nx), j = (int)(tensor->node / nx % ny), k = (int)(tensor->node / nx / ny);
    REAL quarter = (REAL)(0.25 * tensor->coefficient);
    REAL low = CELL(point_curl)(run, from, i - (from == 0), j - (from == 1), k - (from == 2));
    REAL high = CELL(point_curl)(run, from, i, j, k);
    REAL *e = CELL(at)(run, to, i, j, k);
    *(e - run->stride[to]) = CELL(cell_tensor)(*(e - run->stride[to]), quarter, low, high);
    *e = CELL(cell_tensor)(*e, quarter, low, high);
}

INLINE void CELL(add_tensors)(struct CELL(run) * run)
{
    for (int64_t t = 0; t < run->problem->tensor_count; t++) {
        const struct tensor_node *tensor = &run->problem->tensor_nodes[t];
        CELL(add_tensor)(run, tensor, (int)tensor->from, (int)tensor->to);
        CELL(add_tensor)(run, tensor, (int)tensor->to, (int)tensor->from);
    }
}

/* What places beside metal gain: of hz, or of E. */
FAST_FMA static void CELL(add_metal)(struct CELL(run) * run, bool magnetic)
{
    const struct problem *problem = run->problem;
    const int64_t first = COMPONENT_HX * problem_nodes(problem);
    for (int64_t r = 0; r < problem->metal_row_count; r++) {
        const struct metal_row *row = &problem->metal_rows[r];
        if ((row->place >= first) == magnetic) {
            REAL *value = CELL(at_place)(run, row->place);
            for (const struct metal_term *term = problem->metal_terms + row->first,
                                         *end = problem->metal_terms + row->first + row->count;
                 term < end; term++) {
                *value = CELL(cell_term)(*value, (REAL)term->weight, *CELL(at_place)(run, term->place));
            }
        }
    }
}

/* The source's part of step number `step`. */
static void CELL(drive)(struct CELL(run) * run, int64_t step)
{
    const struct source *source = run->source;
    for (int64_t s = 0; s < source->count; s++) {
        CELL(cell_dipole)
        ((REAL)source->weight[s], (REAL)source->drive[step], source->hard, CELL(at_place)(run, source->node[s]));
        for (int64_t r = 0; r < source->further; r++) {
            CELL(cell_dipole)
            ((REAL)source->further_weight[r * source->count + s],
             (REAL)source->further_drive[r * run->problem->steps + step], false, CELL(at_place)(run, source->node[s]));
        }
    }
}

FAST_FMA static void CELL(add_poles)(struct CELL(run) * run)
{
    const struct problem *problem = run->problem;
    for (int64_t s = 0; s < problem->pole_span_count; s++) {
        const struct pole_span *span = &problem->pole_spans[s];
        CELL(span_advance)(problem, span, CELL(at_place)(run, span->place), NULL, run->records.memory[MEMORY_POLES]);
    }
}

/* E or h, beginning with component `first`, as it is kept in 16 bits: of single precision alone. */
static void CELL(keep)(struct CELL(run) * run, int first)
{
    const struct problem *problem = run->problem;
    for (int c = first; c < first + 3 && problem->half; c++) {
        for (int k = 0; k < problem->axis[2].count; k++) {
            for (int j = 0; j < problem->axis[1].count; j++) {
                half_round_row((float *)CELL(at)(run, c, 0, j, k), problem->axis[0].count);
            }
        }
    }
}

static REAL CELL(probe_value)(const struct CELL(run) * run, const struct probe *probe)
{
    if (probe->count == 0) {
        return *CELL(at_place)(run, (int64_t)probe->component * problem_nodes(run->problem) + probe->node);
    }
    REAL sum = 0;
    for (int p = 0; p < probe->count; p++) {
        sum = CELL(cell_probe_add)(sum, (REAL)probe->weight[p], *CELL(at_place)(run, probe->place[p]));
    }
    return sum;
}

/* Probes, and a sample for the spectra when one is due, after `steps` steps. */
static void CELL(record)(struct CELL(run) * run, int64_t steps)
{
    const struct problem *problem = run->problem;
    for (int p = 0; p < problem->probe_count; p++) {
        run->records.probes[(steps - 1) * problem->probe_count + p] = CELL(probe_value)(run, &problem->probes[p]);
    }
    REAL *out = CELL(records_sample)(&run->records, steps);
    for (int s = 0; out != NULL && s < problem->spectra.sheet_count; s++) {
        const struct spectra_sheet *sheet = &problem->spectra.sheets[s];
        for (int r = 0; r < sheet->rows; r++) {
            for (int c = 0; c < sheet->columns; c++) {
                *out++ = *CELL(at_place)(run, sheet->first + c * sheet->column_stride + r * sheet->row_stride);
            }
        }
    }
}

/* Step number `step`, from E at level `step` to the next. */
FAST_FMA static void CELL(run_step)(void *state, int64_t step)
{
    struct CELL(run) *run = state;
    int ny = run->problem->axis[1].count, nz = run->problem->axis[2].count;
    CELL(mirror_all)(run, COMPONENT_EX);
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < nz; k++) {
            for (int j = 0; j < ny; j++) {
                CELL(update_h)(run, c, j, k);
            }
        }
    }
    CELL(add_metal)(run, true);
    CELL(keep)(run, COMPONENT_HX);
    CELL(mirror_all)(run, COMPONENT_HX);
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < nz; k++) {
            for (int j = 0; j < ny; j++) {
                CELL(update_e)(run, c, j, k);
            }
        }
    }
    CELL(add_tensors)(run);
    CELL(add_metal)(run, false);
    CELL(drive)(run, step);
    CELL(add_poles)(run);
    CELL(keep)(run, COMPONENT_EX);
    CELL(record)(run, step + 1);
}

/* ---- in and out -------------------------------------------------------------------------------------------------- */

static double CELL(run_energy)(const void *state)
{
    const struct CELL(run) *run = state;
    const struct axis *axis = run->problem->axis;
    double energy = 0;
    for (int k = 0; k < axis[2].count; k++) {
        double plane = 0;
        for (int row = 0; row < 3 * axis[1].count; row++) {
            plane += CELL(energy_row)(CELL(at)(run, row % 3, 0, row / 3, k), axis[0].count);
        }
        energy += plane;
    }
    return energy;
}

/* What has come in from outside, as it is kept. */
static void CELL(run_keep)(void *state)
{
    CELL(keep)(state, COMPONENT_EX);
    CELL(keep)(state, COMPONENT_HX);
}

/* Where the values of a row of a patch stand. */
static void *CELL(run_locate)(void *own, struct patch_row *row)
{
    struct CELL(run) *run = own;
    const struct axis *axis = run->problem->axis;
    REAL *memory = CELL(records_locate)(&run->records, row);
    if (memory != NULL) {
        return memory;
    }
    if (row->array < STATE_FILTER) {
        return CELL(at)(run, row->array - STATE_FIELD, row->i, row->j, row->k);
    }
    const int a = (row->array - STATE_FILTER) / 4;
    size_t at[3] = {(size_t)row->i, (size_t)row->j, (size_t)row->k};
    size_t extent[3] = {(size_t)axis[0].count, (size_t)axis[1].count, (size_t)axis[2].count};
    at[a] = (size_t)axis_filter_slot(&axis[a], (int)at[a]);
    extent[a] = (size_t)run_state_filters(run->problem, a);
    return run->filter[a][(row->array - STATE_FILTER) % 4] + (at[2] * extent[1] + at[1]) * extent[0] + at[0];
}

static const struct run_functions CELL(FUNCTIONS) = {
    .run_size = sizeof(struct CELL(run)),
    .create = CELL(run_create),
    .destroy = CELL(run_destroy),
    .step = CELL(run_step),
    .add_group = CELL(run_add_group),
    .energy = CELL(run_energy),
    .keep = CELL(run_keep),
    .read_spectra = CELL(run_read_spectra),
    .read_samples = CELL(run_read_samples),
    .exchange_records = CELL(run_exchange_records),
    .locate = CELL(run_locate),
};
