/* Rows of a plane: which rows they read, images about the walls included, and what happens in them beside the curls:
 * tensor nodes, sources, poles of dispersive places, taps. Included once per precision by volume_march.c. */

#include "backend/pole_rows.h"

/* Column 0 of a component in record (j, k). */
INLINE SCALAR *CELL(row_at)(const struct volume_grid *grid, const struct volume_run *run, int component, int j, int k)
{
    return (SCALAR *)run->fields + k * grid->plane + j * grid->pitch + component * grid->stride;
}

/* ---- images -------------------------------------------------------------------------------------------------------
 */

/* The row of a component at place `i` of axis a, which may lie outside; the other place of the record is that of `rows`
 * (plane) or j. Negative images are written to images[number]. */
static const SCALAR *CELL(row_or_image)(const struct volume_grid *grid, const struct volume_run *run,
                                        const struct volume_rows *rows, int component, int a, int i, int j, int number)
{
    const struct axis *axis = &grid->problem->axis[a];
    struct image image = {i, 1};
    if (i < 0 || i >= axis->count) {
        image = image_of(i, axis->count, component >= COMPONENT_HX, axis->low.symmetric);
    }
    if (image.sign == 0) {
        return grid->zeros;
    }
    const SCALAR *row = a == 1 ? CELL(row_at)(grid, run, component, image.place, rows->k)
                               : CELL(row_at)(grid, run, component, j, image.place);
    if (image.sign > 0) {
        return row;
    }
    SCALAR *negative = (SCALAR *)rows->images + number * grid->stride;
    for (int column = 0; column < grid->padded; column++) {
        negative[column] = -row[column];
    }
    return negative;
}

/* The images of a row about the walls of x: `reach` columns on both sides. */
INLINE void CELL(mirror_row)(const struct volume_grid *grid, SCALAR *row, bool half)
{
    const struct volume_images *images = &grid->x_images[half];
    for (int g = 0; g < grid->reach; g++) {
        row[-1 - g] = (SCALAR)images->low[g].sign * row[images->low[g].place];
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

/* The filters of an axis at this place of the grid, on the derivatives of E (electric: those of h). */
INLINE void CELL(set_filters)(const struct volume_grid *grid, int a, int place, bool electric,
                              struct CELL(rows) * first)
{
    const struct axis *axis = &grid->problem->axis[a];
    const struct absorber_filter *filter = (electric ? axis->node : axis->half) + place;
    first->gain[a - 1] = (SCALAR)filter->gain;
    first->pole[a - 1] = (SCALAR)filter->pole;
}

/* All that row j reads and writes. */
INLINE void CELL(prepare)(const struct volume_grid *grid, const struct volume_run *run, const struct volume_rows *rows,
                          int j, bool electric, struct CELL(rows) * first)
{
    const struct problem *problem = grid->problem;
    int k = rows->k, read = electric ? COMPONENT_HX : COMPONENT_EX, number = 0, q = electric ? 2 : 0;
    int slot_y = volume_filter_slot(&problem->axis[1], j), slot_z = volume_filter_slot(&problem->axis[2], k);
    for (int c = 0; c < 3; c++) {
        first->own[c] = CELL(row_at)(grid, run, (electric ? COMPONENT_EX : COMPONENT_HX) + c, j, k);
        first->blocks[c] =
            grid->blocks + ((ptrdiff_t)problem->layer[c][k] * grid->ny + j) * (grid->padded / COLUMN_BLOCK);
    }
    for (int w = 0; w < 2; w++) {
        first->x[w] = CELL(row_at)(grid, run, read + 1 + w, j, k);
        first->state[0][w] = (SCALAR *)run->filter_x + (((ptrdiff_t)k * grid->ny + j) * 4 + q + w) * grid->x_width;
        first->state[1][w] =
            (SCALAR *)run->filter_y +
            (((ptrdiff_t)k * (problem->axis[1].low.cells + problem->axis[1].high.cells) + (slot_y < 0 ? 0 : slot_y)) *
                 4 +
             q + w) *
                grid->padded;
        first->state[2][w] =
            (SCALAR *)run->filter_z + ((slot_z < 0 ? 0 : (ptrdiff_t)slot_z * grid->ny + j) * 4 + q + w) * grid->padded;
        for (int a = 1; a <= 2; a++) {
            int place = (a == 1 ? j : k) - (electric ? 1 : 0), component = read + (a + 1 + w) % 3;
            for (int l = 0; l < grid->reach; l++) {
                first->low[a - 1][w][l] = CELL(row_or_image)(grid, run, rows, component, a, place - l, j, number++);
                first->high[a - 1][w][l] =
                    CELL(row_or_image)(grid, run, rows, component, a, place + 1 + l, j, number++);
            }
        }
    }
    first->x_gain = grid->x_gain[electric];
    first->x_pole = grid->x_pole[electric];
    if (slot_y >= 0) {
        CELL(set_filters)(grid, 1, j, electric, first);
    }
    if (slot_z >= 0) {
        CELL(set_filters)(grid, 2, k, electric, first);
    }
}

/* Whether all that the stencil reads along an axis lies inside. */
INLINE bool CELL(inside)(const struct volume_grid *grid, int a, int place, bool electric)
{
    int low = place - grid->reach + (electric ? 0 : 1);
    return low >= 0 && low + 2 * grid->reach <= grid->problem->axis[a].count;
}

/* The rows of h or of E, as many at a time as read alike. */
INLINE void CELL(march_half)(const struct volume_grid *grid, const struct volume_run *run,
                             const struct volume_rows *rows, bool electric)
{
    const struct axis *y = &grid->problem->axis[1];
    int which = grid->reach < 5 ? grid->reach - 1 : 4;
    bool filtered_z = volume_filter_slot(&grid->problem->axis[2], rows->k) >= 0;
    bool alike = CELL(inside)(grid, 2, rows->k, electric);
    for (int j = rows->j_first; j < rows->j_last;) {
        bool filtered_y = volume_filter_slot(y, j) >= 0;
        int next = j + 1;
        struct CELL(rows) first;
        while (alike && !filtered_y && next < rows->j_last && CELL(inside)(grid, 1, j, electric) &&
               CELL(inside)(grid, 1, next, electric) && volume_filter_slot(y, next) < 0) {
            next++;
        }
        CELL(prepare)(grid, run, rows, j, electric, &first);
        CELL(KERNELS_OF)[which][electric][filtered_y][filtered_z](grid, &first, next - j);
        j = next;
    }
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

static void CELL(drive)(const struct volume_grid *grid, const struct volume_run *run, int64_t step, int j, int k)
{
    const struct source *source = run->source;
    for (int c = 0; c < 3; c++) {
        int64_t place = CELL(first_place)(grid, c, j, k), end = place + grid->nx;
        for (int64_t s = lower_bound(source->node, source->count, place); s < source->count && source->node[s] < end;
             s++) {
            NODE(cell_dipole)
            ((SCALAR)source->weight[s], (SCALAR)source->drive[step], source->hard,
             CELL(row_at)(grid, run, c, j, k) + (source->node[s] - place));
        }
    }
}

static void CELL(add_poles)(const struct volume_grid *grid, const struct volume_run *run, int j, int k)
{
    const struct problem *problem = grid->problem;
    for (int c = 0; c < 3; c++) {
        int64_t place = CELL(first_place)(grid, c, j, k), end = place + grid->nx;
        for (int64_t s = grid->pole_first[place / grid->nx];
             s < problem->pole_span_count && problem->pole_spans[s].place < end; s++) {
            const struct pole_span *span = &problem->pole_spans[s];
            NODE(advance_poles)
            (problem, span, 0, span->count, CELL(row_at)(grid, run, c, j, k) + (span->place - place), NULL, run->poles);
        }
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

/* ---- the functions of the table -----------------------------------------------------------------------------------
 */

static void CELL(march_h)(const struct volume_grid *grid, const struct volume_run *run, const struct volume_rows *rows)
{
    CELL(march_half)(grid, run, rows, false);
    for (int j = rows->j_first; j < rows->j_last; j++) {
        CELL(mirror_record)(grid, run, COMPONENT_HX, j, rows->k);
        CELL(record)(grid, run, rows, COMPONENT_HX, j);
    }
}

static void CELL(finish_e)(const struct volume_grid *grid, const struct volume_run *run, const struct volume_rows *rows)
{
    for (int j = rows->j_first; j < rows->j_last; j++) {
        int events = grid->events[(ptrdiff_t)rows->k * grid->ny + j];
        if (events & EVENT_TENSOR) {
            CELL(add_tensors)(grid, run, j, rows->k);
        }
        if (events & EVENT_SOURCE) {
            CELL(drive)(grid, run, rows->step, j, rows->k);
        }
        if (events & EVENT_POLE) {
            CELL(add_poles)(grid, run, j, rows->k);
        }
        CELL(mirror_record)(grid, run, COMPONENT_EX, j, rows->k);
        CELL(record)(grid, run, rows, COMPONENT_EX, j);
    }
}

static void CELL(march_e)(const struct volume_grid *grid, const struct volume_run *run, const struct volume_rows *rows)
{
    CELL(march_half)(grid, run, rows, true);
    if (grid->tensor_count == 0) {
        CELL(finish_e)(grid, run, rows);
    }
}
