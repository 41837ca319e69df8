/* Rows of a plane: which rows they read, images about the walls included, and what happens in them beside the curls:
 * tensor nodes, sources, poles of dispersive places, taps. Included once per precision by volume_march.c. */

#include "backend/cpu/poles/pole_lanes.h"

/* Column 0 of a component in record (j, k). */
INLINE SCALAR *CELL(row_at)(const struct volume_grid *grid, const struct volume_run *run, int component, int j, int k)
{
    return (SCALAR *)run->fields + k * grid->plane + j * grid->pitch + component * grid->stride;
}

/* ---- images -------------------------------------------------------------------------------------------------------
 */

/* The rows of E (read = Ex) or h at place `i` of axis a, which may lie outside; the other place of the record is that
 * of `rows` (plane) or j. Negative images are written to images[number]. */
static const SCALAR *CELL(rows_or_image)(const struct volume_grid *grid, const struct volume_run *run,
                                         const struct volume_rows *rows, int read, int a, int i, int j, int number)
{
    const struct axis *axis = &grid->problem->axis[a];
    struct image image = {i, 1};
    if (axis->uniform) {
        image.place = 0;
    } else if (i < 0 || i >= axis->count) {
        image = image_of(i, axis->count, read == COMPONENT_HX, axis->low.symmetric);
    }
    if (image.sign == 0) {
        return grid->zeros;
    }
    const SCALAR *found =
        a == 1 ? CELL(row_at)(grid, run, read, image.place, rows->k) : CELL(row_at)(grid, run, read, j, image.place);
    if (image.sign > 0) {
        return found;
    }
    SCALAR *negative = (SCALAR *)rows->images + number * FIELD_ROWS * grid->stride;
    for (ptrdiff_t n = 0; n < FIELD_ROWS * grid->stride; n++) {
        negative[n] = -found[n];
    }
    return negative;
}

/* The images of a row about the walls of x, as far as the other field reads them: h reads E at `reach` columns beyond
 * the high wall and one fewer beyond the low one, E reads h the other way round. */
INLINE void CELL(mirror_row)(const struct volume_grid *grid, SCALAR *row, bool half)
{
    const struct volume_images *images = &grid->x_images[half];
    int low = half ? grid->reach : grid->reach - 1, high = half ? grid->reach - 1 : grid->reach;
    for (int g = 0; g < low; g++) {
        row[-1 - g] = (SCALAR)images->low[g].sign * row[images->low[g].place];
    }
    for (int g = 0; g < high; g++) {
        row[grid->nx + g] = (SCALAR)images->high[g].sign * row[images->high[g].place];
    }
}

INLINE void CELL(mirror_record)(const struct volume_grid *grid, const struct volume_run *run, int first, int j, int k)
{
    CELL(mirror_row)(grid, CELL(row_at)(grid, run, first + 1, j, k), first >= COMPONENT_HX);
    CELL(mirror_row)(grid, CELL(row_at)(grid, run, first + 2, j, k), first >= COMPONENT_HX);
}

static void CELL(mirror)(const struct volume_grid *grid, const struct volume_run *run, const struct volume_rows *rows)
{
    for (int j = rows->j_first; j < rows->j_last; j++) {
        CELL(mirror_record)(grid, run, COMPONENT_EX, j, rows->k);
        CELL(mirror_record)(grid, run, COMPONENT_HX, j, rows->k);
    }
}

/* ---- what a row reads ---------------------------------------------------------------------------------------------
 */

/* Rows of one field on their way through a plane. */
struct CELL(sweep) {
    const struct volume_rows *rows;
    bool electric;
    int along_z;                   /* OPEN_Z, ... */
    int inside_first, inside_last; /* rows whose stencil lies inside along y and z */
    int open_first, open_last;     /* rows without filters along y */
    int place;                     /* of `row`; -1: not set */
    struct CELL(row) row;
};

INLINE void CELL(sweep_begin)(const struct volume_grid *grid, const struct volume_rows *rows, bool electric,
                              struct CELL(sweep) * sweep)
{
    const struct axis *y = &grid->problem->axis[1];
    int below = electric ? grid->reach : grid->reach - 1, above = electric ? grid->reach - 1 : grid->reach;
    bool inside = grid->flat || (rows->k >= below && rows->k + above < grid->nz);
    sweep->rows = rows;
    sweep->electric = electric;
    sweep->along_z = grid->flat                                                ? FLAT_Z
                     : axis_filter_slot(&grid->problem->axis[2], rows->k) >= 0 ? FILTERED_Z
                                                                               : OPEN_Z;
    sweep->inside_first = below;
    sweep->inside_last = inside ? grid->ny - above : 0;
    sweep->open_first = y->low.cells;
    sweep->open_last = y->count - y->high.cells;
    sweep->place = -1;
}

/* The filters of an axis at this place of the grid, on the derivatives of E (electric: those of h). */
INLINE void CELL(set_filters)(const struct volume_grid *grid, int a, int place, bool electric, struct CELL(row) * row)
{
    const struct axis *axis = &grid->problem->axis[a];
    const struct absorber_filter *filter = (electric ? axis->node : axis->half) + place;
    row->gain[a - 1] = (SCALAR)filter->gain;
    row->pole[a - 1] = (SCALAR)filter->pole;
    row->feed[a - 1] = (SCALAR)filter->feed;
}

/* The fields that row j reads and writes. */
static void CELL(set_fields)(const struct volume_grid *grid, const struct volume_run *run,
                             const struct volume_rows *rows, int j, bool electric, struct CELL(row) * row)
{
    int read = electric ? COMPONENT_HX : COMPONENT_EX, number = 0;
    row->own = CELL(row_at)(grid, run, electric ? COMPONENT_EX : COMPONENT_HX, j, rows->k);
    row->mid = CELL(row_at)(grid, run, read, j, rows->k);
    for (int a = 1; a <= 2; a++) {
        int place = (a == 1 ? j : rows->k) - (electric ? 1 : 0);
        for (int l = 0; l < grid->reach; l++) {
            row->low[a - 1][l] = CELL(rows_or_image)(grid, run, rows, read, a, place - l, j, number++);
            row->high[a - 1][l] = CELL(rows_or_image)(grid, run, rows, read, a, place + 1 + l, j, number++);
        }
    }
}

/* The filters' states and the media of row j. */
static void CELL(set_states)(const struct volume_grid *grid, const struct volume_run *run,
                             const struct volume_rows *rows, int j, bool electric, struct CELL(row) * row)
{
    const struct problem *problem = grid->problem;
    const struct axis *y = &problem->axis[1], *z = &problem->axis[2];
    ptrdiff_t k = rows->k, q = electric ? 2 * COLUMN_BLOCK : 0;
    int slot_y = axis_filter_slot(y, j), slot_z = axis_filter_slot(z, rows->k);
    row->profile = grid->x_profile[electric];
    row->state[0] = (SCALAR *)run->filter_x + (k * grid->ny + j) * 4 * grid->x_width + q;
    row->state[1] = (SCALAR *)run->filter_y;
    row->state[2] = (SCALAR *)run->filter_z;
    if (slot_y >= 0) {
        CELL(set_filters)(grid, 1, j, electric, row);
        row->state[1] += (k * (y->low.cells + y->high.cells) + slot_y) * 4 * grid->padded + q;
    }
    if (slot_z >= 0) {
        CELL(set_filters)(grid, 2, rows->k, electric, row);
        row->state[2] += ((ptrdiff_t)slot_z * grid->ny + j) * 4 * grid->padded + q;
    }
    for (int c = 0; c < 3; c++) {
        row->blocks[c] =
            grid->blocks + ((ptrdiff_t)problem->layer[c][k] * grid->ny + j) * (grid->padded / COLUMN_BLOCK);
    }
}

/* From a row to the next, where both lie inside and both have filters along y or neither. */
INLINE void CELL(shift_row)(const struct volume_grid *grid, struct CELL(row) * row, bool electric)
{
    row->own += grid->pitch;
    row->mid += grid->pitch;
    for (int a = 0; a < 2; a++) {
        for (int l = 0; l < grid->reach; l++) {
            row->low[a][l] += grid->pitch;
            row->high[a][l] += grid->pitch;
        }
    }
    row->state[0] += 4 * (ptrdiff_t)grid->x_width;
    row->state[1] += 4 * (ptrdiff_t)grid->padded;
    row->state[2] += 4 * (ptrdiff_t)grid->padded;
    for (int c = 0; electric && c < 3; c++) {
        row->blocks[c] += grid->padded / COLUMN_BLOCK;
    }
}

/* Row j, which follows the one before. */
INLINE void CELL(sweep_row)(const struct volume_grid *grid, const struct volume_run *run, struct CELL(sweep) * sweep,
                            int j)
{
    bool filtered_y = j < sweep->open_first || j >= sweep->open_last;
    if (sweep->place >= sweep->inside_first && j < sweep->inside_last && j != sweep->open_first &&
        j != sweep->open_last) {
        CELL(shift_row)(grid, &sweep->row, sweep->electric);
        if (filtered_y) {
            CELL(set_filters)(grid, 1, j, sweep->electric, &sweep->row);
        }
    } else {
        CELL(set_fields)(grid, run, sweep->rows, j, sweep->electric, &sweep->row);
        CELL(set_states)(grid, run, sweep->rows, j, sweep->electric, &sweep->row);
    }
    sweep->place = j;
    CELL(KERNELS_OF)
    [grid->reach < 5 ? grid->reach - 1 : 4][sweep->electric][filtered_y][sweep->along_z](grid, &sweep->row);
}

/* ---- events -------------------------------------------------------------------------------------------------------
 */

/* Component c of the curl of h at a node away from walls and absorber. */
static SCALAR CELL(point_curl)(const struct volume_grid *grid, const struct volume_run *run, int c, ptrdiff_t at)
{
    const ptrdiff_t stride[3] = {1, grid->pitch, grid->plane};
    SCALAR part[2];
    for (int p = 0; p < 2; p++) {
        ptrdiff_t step = stride[(c + 1 + p) % 3];
        if (grid->flat && (c + 1 + p) % 3 == 2) {
            part[p] = 0;
            continue;
        }
        const SCALAR *high = (const SCALAR *)run->fields + at + (COMPONENT_HX + (c + 2 - p) % 3) * grid->stride;
        part[p] = NODE(cell_curl)(high[-step], high[0]);
        for (int l = 1; l < grid->reach; l++) {
            part[p] = NODE(cell_curl_add)(part[p], (SCALAR)grid->problem->difference[l], high[-(l + 1) * step],
                                          high[l * step]);
        }
    }
    return part[0] - part[1];
}

/* Where a place of the row (component, j, k) begins, and how many places before it. */
INLINE int64_t CELL(first_place)(const struct volume_grid *grid, int component, int j, int k)
{
    return (((int64_t)component * grid->nz + k) * grid->ny + j) * grid->nx;
}

static int64_t CELL(lower_tensor)(const struct volume_grid *grid, int64_t place)
{
    int64_t low = 0, high = grid->tensor_count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (grid->tensors[middle].place < place) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void CELL(add_tensors)(const struct volume_grid *grid, const struct volume_run *run, int j, int k)
{
    const ptrdiff_t stride[3] = {1, grid->pitch, grid->plane};
    for (int c = 0; c < 3; c++) {
        int64_t place = CELL(first_place)(grid, c, j, k), end = place + grid->nx;
        for (int64_t t = CELL(lower_tensor)(grid, place); t < grid->tensor_count && grid->tensors[t].place < end; t++) {
            const struct volume_tensor *tensor = &grid->tensors[t];
            int64_t nx = grid->nx, ny = grid->ny, node = tensor->node;
            ptrdiff_t at = node / nx / ny * grid->plane + node / nx % ny * grid->pitch + node % nx;
            SCALAR *e = CELL(row_at)(grid, run, c, j, k) + (tensor->place - place);
            *e = NODE(cell_tensor)(*e, (SCALAR)tensor->quarter,
                                   CELL(point_curl)(grid, run, tensor->from, at - stride[tensor->from]),
                                   CELL(point_curl)(grid, run, tensor->from, at));
        }
    }
}

static int64_t CELL(lower_metal)(const struct problem *problem, int64_t place)
{
    int64_t low = 0, high = problem->metal_row_count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (problem->metal_rows[middle].place < place) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* What component c gains beside metal in row j. */
static void CELL(add_metal)(const struct volume_grid *grid, const struct volume_run *run, int c, int j, int k)
{
    const struct problem *problem = grid->problem;
    const SCALAR *fields = run->fields;
    const int64_t place = CELL(first_place)(grid, c, j, k), end = place + grid->nx;
    for (int64_t r = CELL(lower_metal)(problem, place);
         r < problem->metal_row_count && problem->metal_rows[r].place < end; r++) {
        const struct metal_row *row = &problem->metal_rows[r];
        SCALAR *own = CELL(row_at)(grid, run, c, j, k) + (row->place - place), value = *own;
        for (int64_t t = row->first; t < row->first + row->count; t++) {
            value = NODE(cell_term)(value, (SCALAR)problem->metal_terms[t].weight, fields[grid->metal_from[t]]);
        }
        *own = value;
    }
}

static void CELL(drive)(const struct volume_grid *grid, const struct volume_run *run, int64_t step, int j, int k)
{
    const struct source *source = run->source;
    for (int c = 0; c < 3; c++) {
        int64_t place = CELL(first_place)(grid, c, j, k), end = place + grid->nx;
        for (int64_t s = lower_bound(source->node, source->count, place); s < source->count && source->node[s] < end;
             s++) {
            SCALAR *e = CELL(row_at)(grid, run, c, j, k) + (source->node[s] - place);
            NODE(cell_dipole)((SCALAR)source->weight[s], (SCALAR)source->drive[step], source->hard, e);
            for (int64_t r = 0; r < source->further; r++) {
                NODE(cell_dipole)
                ((SCALAR)source->further_weight[r * source->count + s],
                 (SCALAR)source->further_drive[r * grid->problem->steps + step], false, e);
            }
        }
    }
}

static void CELL(add_poles)(const struct volume_grid *grid, const struct volume_run *run, int j, int k)
{
    for (int c = 0; c < 3; c++) {
        int64_t row = CELL(first_place)(grid, c, j, k) / grid->nx;
        CELL(answer_groups)(&grid->poles, row, row + 1, CELL(row_at)(grid, run, c, j, k), NULL, run->poles);
    }
}

/* The values at the taps of the three components from `first` on. */
static void CELL(tap)(const struct volume_grid *grid, const struct volume_run *run, const struct volume_taps *taps,
                      const struct volume_rows *rows, int first, int j, SCALAR *out)
{
    for (int c = first; c < first + 3; c++) {
        int64_t place = CELL(first_place)(grid, c, j, rows->k), end = place + grid->nx;
        for (int64_t t = lower_bound(taps->place, taps->count, place); t < taps->count && taps->place[t] < end; t++) {
            out[taps->to[t]] = CELL(row_at)(grid, run, c, j, rows->k)[taps->place[t] - place];
        }
    }
}

/* Probes and samples of E (first = Ex) or h in row j. */
INLINE void CELL(record)(const struct volume_grid *grid, const struct volume_run *run, const struct volume_rows *rows,
                         int first, int j)
{
    int events = grid->events[(ptrdiff_t)rows->k * grid->ny + j];
    if (events & EVENT_PROBE) {
        CELL(tap)
        (grid, run, &grid->probes, rows, first, j, (SCALAR *)run->tapped + rows->tap_slot * grid->probes.count);
    }
    if ((events & EVENT_SAMPLE) && rows->sample_slot >= 0) {
        CELL(tap)
        (grid, run, &grid->samples, rows, first, j, (SCALAR *)run->samples + rows->sample_slot * grid->samples.count);
    }
}

/* Row j of E (first = Ex) or h as it is kept in 16 bits: of single precision alone. */
INLINE void CELL(keep_row)(const struct volume_grid *grid, const struct volume_run *run, int first, int j, int k)
{
    for (int c = first; c < first + 3 && grid->problem->half; c++) {
        half_round_row((float *)CELL(row_at)(grid, run, c, j, k), grid->nx);
    }
}

/* ---- the functions of the table -----------------------------------------------------------------------------------
 */

INLINE void CELL(finish_row)(const struct volume_grid *grid, const struct volume_run *run,
                             const struct volume_rows *rows, int j)
{
    int events = grid->events[(ptrdiff_t)rows->k * grid->ny + j];
    if (events & EVENT_TENSOR) {
        CELL(add_tensors)(grid, run, j, rows->k);
    }
    if (events & EVENT_METAL) {
        for (int c = COMPONENT_EX; c <= COMPONENT_EZ; c++) {
            CELL(add_metal)(grid, run, c, j, rows->k);
        }
    }
    if (events & EVENT_SOURCE) {
        CELL(drive)(grid, run, rows->step, j, rows->k);
    }
    if (events & EVENT_POLE) {
        CELL(add_poles)(grid, run, j, rows->k);
    }
    CELL(keep_row)(grid, run, COMPONENT_EX, j, rows->k);
    CELL(mirror_record)(grid, run, COMPONENT_EX, j, rows->k);
    CELL(record)(grid, run, rows, COMPONENT_EX, j);
}

static void CELL(finish_e)(const struct volume_grid *grid, const struct volume_run *run, const struct volume_rows *rows)
{
    for (int j = rows->j_first; j < rows->j_last; j++) {
        CELL(finish_row)(grid, run, rows, j);
    }
}

static void CELL(march)(const struct volume_grid *grid, const struct volume_run *run, const struct volume_rows *h,
                        const struct volume_rows *e)
{
    struct CELL(sweep) sweep_h, sweep_e;
    CELL(sweep_begin)(grid, h, false, &sweep_h);
    CELL(sweep_begin)(grid, e, true, &sweep_e);
    int behind = grid->depth - 1; /* rows that E lies behind h */
    int first = h->j_first, last = e->j_last + behind;
    if (h->j_first >= h->j_last || e->j_first + behind < first) {
        first = e->j_first + behind;
    }
    if (e->j_first >= e->j_last || h->j_last > last) {
        last = h->j_last;
    }
    if (e->j_first >= e->j_last) {
        first = h->j_first;
    }
    for (int j = first; j < last; j++) {
        if (j >= h->j_first && j < h->j_last) {
            CELL(sweep_row)(grid, run, &sweep_h, j);
            if (grid->events[(ptrdiff_t)h->k * grid->ny + j] & EVENT_METAL) {
                for (int c = COMPONENT_HX; c <= COMPONENT_HZ; c++) {
                    CELL(add_metal)(grid, run, c, j, h->k);
                }
            }
            CELL(keep_row)(grid, run, COMPONENT_HX, j, h->k);
            CELL(mirror_record)(grid, run, COMPONENT_HX, j, h->k);
            CELL(record)(grid, run, h, COMPONENT_HX, j);
        }
        int at = j - behind;
        if (at >= e->j_first && at < e->j_last) {
            CELL(sweep_row)(grid, run, &sweep_e, at);
            if (grid->tensor_count == 0) {
                CELL(finish_row)(grid, run, e, at);
            }
        }
    }
}
