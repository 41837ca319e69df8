/* Averages about faces that lie along neither axis (volume_tilted.h). */
#include "medium/volume/volume_tilted.h"

#include "medium/volume/volume_side.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cells: the reach of the gradient, which is taken by the same weight under every averaging. */
static const double GRADIENT_REACH = 3;

/* Nodes with less are left out: a hundredth of what is otherwise wrong beside a wall. */
static const double LEAST_OFF_DIAGONAL = 1e-4;

/* ---- lines ---- */

static double *line_of(const struct volume_side *side, double *lines, int quantity)
{
    return lines + (size_t)quantity * ((size_t)side->tasks->grid.nx + 1);
}

/* Row j of the sums, -1 <= j <= rows for nodes. */
static double *sum_row(const struct volume_side *side, const struct side_work *work, int l, int quantity, int j)
{
    const size_t nx = (size_t)side->tasks->grid.nx;
    size_t row = ((size_t)l * TILTED_QUANTITIES + (size_t)quantity) * (BAND_ROWS + 2) + (size_t)(j + 1);
    return work->tilted.sum + row * nx;
}

/* Inverse of what the bands hold beside each other at one place, added up with the weights of the layer. */
static struct inverse stack_inverse(const struct volume_side *side, const struct volume_layer *layer,
                                    const struct side_work *work, double *excess)
{
    double conductivity = 0;
    *excess = 0;
    for (int b = 0; b < side->plan_count; b++) {
        uint16_t m = work->bands[b].merged.runs[work->tilted.next[b] - 1].material;
        const struct raster_task *task = &side->tasks[b];
        *excess += layer->weighted[b] * task->weighted.properties[m];
        conductivity += layer->box[b] * task->box.properties[(size_t)m * BOX_QUANTITIES + CONDUCTIVITY];
    }
    return inverse_of(side, *excess, conductivity);
}

/* The faces of all bands of the open slab in one list, from left to right; *first is what lies before them. */
static int stack_faces(const struct volume_side *side, const struct volume_layer *layer, struct side_work *work,
                       struct inverse *first, double *first_excess)
{
    struct tilted_work *tilted = &work->tilted;
    const struct raster_grid *grid = &side->tasks->grid;
    for (int b = 0; b < side->plan_count; b++) {
        tilted->next[b] = 1;
    }
    double excess;
    struct inverse last = *first = stack_inverse(side, layer, work, &excess);
    *first_excess = excess;
    for (int count = 0;; count++) {
        const struct run *nearest = NULL;
        int band = 0;
        for (int b = 0; b < side->plan_count; b++) {
            const struct run_list *list = &work->bands[b].merged;
            const struct run *run = &list->runs[tilted->next[b]];
            bool seen = layer->weighted[b] != 0 || layer->box[b] != 0;
            if (seen && tilted->next[b] < list->count && (nearest == NULL || run->start < nearest->start)) {
                nearest = run;
                band = b;
            }
        }
        if (nearest == NULL) {
            return count;
        }
        tilted->next[band]++;
        double before = excess;
        struct inverse inverse = stack_inverse(side, layer, work, &excess);
        tilted->faces[count] = (struct tilted_face){
            scanline_snap((nearest->start - grid->origin.x) / grid->cell), nearest->ramp / grid->cell, excess - before,
            inverse.real_less_one - last.real_less_one, inverse.imaginary - last.imaginary};
        last = inverse;
    }
}

/* Adds a face to a line; the columns wholly beyond it get its jump as a step. */
static void face_add(const struct volume_side *side, const struct side_work *work,
                     const struct averaging_weight *weight, const struct tilted_face *face, double jump, int quantity)
{
    const struct span columns = work->tilted.columns;
    double *line = line_of(side, work->tilted.line, quantity), *step = line_of(side, work->tilted.step, quantity);
    double reach = weight->reach + face->ramp;
    int low = (int)fmin(fmax(ceil(face->at - reach), columns.first), columns.end);
    int high = (int)fmin(fmax(floor(face->at + reach) + 1, columns.first), columns.end);
    for (int i = low; i < high; i++) {
        line[i] += jump * (1 - weight_integral_mean(weight, face->at - i, face->ramp));
    }
    step[high] += jump;
}

static void slope_add(const struct volume_side *side, const struct side_work *work, const struct tilted_face *face)
{
    const struct averaging_weight *weight = &side->tilted.gradient;
    const struct span columns = work->tilted.columns;
    double *line = line_of(side, work->tilted.line, TILTED_STEEPNESS), reach = weight->reach + face->ramp;
    int low = (int)fmin(fmax(ceil(face->at - reach), columns.first), columns.end);
    int high = (int)fmin(fmax(floor(face->at + reach) + 1, columns.first), columns.end);
    for (int i = low; i < high; i++) {
        line[i] += face->excess * weight_mean(weight, face->at - i, face->ramp);
    }
}

/* Adds up the steps of a line, from the value at its left end, and adds them to it. */
static void line_add_steps(const struct volume_side *side, const struct side_work *work, double level, int quantity)
{
    const struct span columns = work->tilted.columns;
    double *line = line_of(side, work->tilted.line, quantity), *step = line_of(side, work->tilted.step, quantity);
    for (int i = columns.first; i < columns.end; i++) {
        level += step[i];
        line[i] += level;
    }
}

/* The lines of the layer in the open slab, at the columns that matter. */
static void layer_lines(const struct volume_side *side, const struct volume_layer *layer, struct side_work *work)
{
    const struct averaging_weight box = weight_box(), *weight = &side->tasks->weighted.weight;
    const struct span columns = work->tilted.columns;
    const size_t nx = (size_t)side->tasks->grid.nx;
    for (int q = 0; q < TILTED_LINES; q++) {
        memset(line_of(side, work->tilted.line, q) + columns.first, 0,
               (size_t)(columns.end - columns.first + 1) * sizeof(double));
        memset(line_of(side, work->tilted.step, q) + columns.first, 0,
               (size_t)(columns.end - columns.first + 1) * sizeof(double));
    }
    double first_excess;
    struct inverse first;
    const int faces = stack_faces(side, layer, work, &first, &first_excess);
    for (int f = 0; f < faces; f++) {
        const struct tilted_face *face = &work->tilted.faces[f];
        face_add(side, work, weight, face, face->real, TILTED_REAL);
        face_add(side, work, &box, face, face->imaginary, TILTED_IMAGINARY);
        face_add(side, work, &side->tilted.gradient, face, face->excess, TILTED_SMOOTH);
        slope_add(side, work, face);
    }
    line_add_steps(side, work, first.real_less_one, TILTED_REAL);
    line_add_steps(side, work, first.imaginary, TILTED_IMAGINARY);
    line_add_steps(side, work, first_excess, TILTED_SMOOTH);
    double *excess = line_of(side, work->tilted.line, TILTED_EXCESS);
    double *conductivity = line_of(side, work->tilted.line, TILTED_CONDUCTIVITY);
    for (int b = 0; b < side->plan_count; b++) {
        const double *level = work->level + (size_t)b * 2 * nx;
        for (int i = columns.first; i < columns.end && (layer->weighted[b] != 0 || layer->box[b] != 0); i++) {
            excess[i] += layer->weighted[b] * level[i];
            conductivity[i] += layer->box[b] * level[nx + (size_t)i];
        }
    }
}

/* ---- sums ---- */

struct spread {
    int line, sum, row; /* row of the sums */
    double share;
};

static void spread_add(const struct volume_side *side, const struct side_work *work, int l, const struct spread *spread)
{
    const double *line = line_of(side, work->tilted.line, spread->line);
    double *sum = sum_row(side, work, l, spread->sum, spread->row);
    const struct span columns = work->tilted.row_columns[spread->row + 1];
    if (spread->share != 0) {
#pragma omp simd
        for (int i = columns.first; i < columns.end; i++) {
            sum[i] += spread->share * line[i];
        }
    }
}

void tilted_add(const struct volume_side *side, const struct volume_layer *layer, int l, double bottom, double top,
                struct side_work *work)
{
    const struct averaging_weight box = weight_box(), *weight = &side->tasks->weighted.weight;
    const struct averaging_weight *gradient = &side->tilted.gradient;
    if (work->tilted.columns.first >= work->tilted.columns.end) {
        return;
    }
    layer_lines(side, layer, work);
    for (int j = -1; j <= work->rows; j++) {
        double low = bottom - work->first - j, high = top - work->first - j; /* from the node */
        const struct span columns = work->tilted.row_columns[j + 1];
        if (high < -GRADIENT_REACH || low > GRADIENT_REACH + 1 || columns.first >= columns.end) {
            continue;
        }
        double smooth = weight_integral(weight, high - 0.5) - weight_integral(weight, low - 0.5);
        double boxed = weight_integral(&box, high - 0.5) - weight_integral(&box, low - 0.5);
        double node_smooth = weight_integral(weight, high) - weight_integral(weight, low);
        double node_boxed = weight_integral(&box, high) - weight_integral(&box, low);
        double node_gradient = weight_integral(gradient, high) - weight_integral(gradient, low);
        double slope = weight_mean(gradient, low, 0) - weight_mean(gradient, high, 0);
        const struct spread spreads[] = {
            {TILTED_EXCESS, TILTED_EXCESS, j, smooth},
            {TILTED_CONDUCTIVITY, TILTED_CONDUCTIVITY, j, boxed},
            {TILTED_REAL, TILTED_REAL, j, smooth},
            {TILTED_IMAGINARY, TILTED_IMAGINARY, j, boxed},
            {TILTED_STEEPNESS, TILTED_SLOPE_X, j, node_gradient},
            {TILTED_SMOOTH, TILTED_SLOPE_Y, j, slope},
            {TILTED_EXCESS, TILTED_NODE_EXCESS, j, node_smooth},
            {TILTED_CONDUCTIVITY, TILTED_NODE_CONDUCTIVITY, j, node_boxed},
            {TILTED_REAL, TILTED_NODE_REAL, j, node_smooth},
        };
        for (int s = 0; s < (side->tilted.nodes_too ? 9 : 6); s++) {
            spread_add(side, work, l, &spreads[s]);
        }
    }
}

/* ---- the tensor ---- */

/* Sum of g g^T over the nodes around (i, j). */
struct orientation {
    double xx, xy, yy;
};

static struct orientation orientation_about(const struct volume_side *side, const struct side_work *work, int l, int i,
                                            const struct span *rows)
{
    struct orientation sum = {0};
    const int nx = side->tasks->grid.nx, first = i > 0 ? i - 1 : 0, last = i + 1 < nx ? i + 1 : nx - 1;
    for (int j = rows->first; j < rows->end; j++) {
        const double *x = sum_row(side, work, l, TILTED_SLOPE_X, j), *y = sum_row(side, work, l, TILTED_SLOPE_Y, j);
        for (int n = first; n <= last; n++) {
            sum.xx += x[n] * x[n];
            sum.xy += x[n] * y[n];
            sum.yy += y[n] * y[n];
        }
    }
    double trace = sum.xx + sum.yy;
    if (trace < 1e-12) { /* no face */
        return (struct orientation){0};
    }
    return (struct orientation){sum.xx / trace, sum.xy / trace, sum.yy / trace};
}

/* A face along an axis, or none, keeps its own formula. */
static bool is_oblique(const struct orientation *normal)
{
    return fabs(normal->xy) > 1e-9;
}

static void component_finish(const struct volume_side *side, struct side_work *work, int l, int i, int j)
{
    const struct span rows = {j, j + 2};
    struct orientation normal = orientation_about(side, work, l, i, &rows);
    if (is_oblique(&normal)) {
        struct inverse across = inverse_of(side, sum_row(side, work, l, TILTED_EXCESS, j)[i],
                                           sum_row(side, work, l, TILTED_CONDUCTIVITY, j)[i]);
        double *real = side_value(side, work, l, 0, j), *imaginary = side_value(side, work, l, 1, j);
        real[i] = normal.yy * sum_row(side, work, l, TILTED_REAL, j)[i] + (1 - normal.yy) * across.real_less_one;
        imaginary[i] = normal.yy * sum_row(side, work, l, TILTED_IMAGINARY, j)[i] + (1 - normal.yy) * across.imaginary;
    }
}

static pw_status node_finish(const struct volume_side *side, struct side_work *work, int l, int i, int j,
                             pw_error *error)
{
    struct tilted_work *tilted = &work->tilted;
    const struct span rows = {j - 1, j + 2};
    struct orientation normal = orientation_about(side, work, l, i, &rows);
    struct inverse across = inverse_of(side, sum_row(side, work, l, TILTED_NODE_EXCESS, j)[i],
                                       sum_row(side, work, l, TILTED_NODE_CONDUCTIVITY, j)[i]);
    double value = normal.xy * (sum_row(side, work, l, TILTED_NODE_REAL, j)[i] - across.real_less_one);
    if (fabs(value) < LEAST_OFF_DIAGONAL) {
        return PW_OK;
    }
    TRY(array_grow(&tilted->nodes, &tilted->node_room, (size_t)tilted->node_count, sizeof *tilted->nodes,
                   "nodes at oblique walls", error));
    tilted->nodes[tilted->node_count++] = (struct tilted_node){l, i, work->first + j, value};
    return PW_OK;
}

pw_status tilted_finish(const struct volume_side *side, int l, struct side_work *work, pw_error *error)
{
    const int nx = side->tasks->grid.nx;
    for (int j = 0; j < work->rows; j++) {
        const uint8_t *near = side->tilted.near + (size_t)(work->first + j) * (size_t)nx;
        const struct span columns = work->tilted.row_columns[j + 1];
        for (int i = columns.first; i < columns.end; i++) {
            if (near[i]) {
                component_finish(side, work, l, i, j);
                TRY(side->tilted.nodes_too ? node_finish(side, work, l, i, j, error) : PW_OK);
            }
        }
    }
    return PW_OK;
}

/* ---- where oblique sides are ---- */

/* Marks the nodes within reach of a point [cells]. */
static void near_mark(const struct raster_grid *grid, double x, double y, double reach, uint8_t *near)
{
    int left = (int)fmin(fmax(ceil(x - reach), 0), grid->nx),
        right = (int)fmin(fmax(floor(x + reach) + 1, 0), grid->nx);
    int low = (int)fmin(fmax(ceil(y - reach), 0), grid->ny), high = (int)fmin(fmax(floor(y + reach) + 1, 0), grid->ny);
    for (int j = low; j < high && left < right; j++) {
        memset(near + (size_t)j * (size_t)grid->nx + left, 1, (size_t)(right - left));
    }
}

/* The nodes near a straight side, or an arc of the circle, from a to b [m]. */
static void near_side(const struct raster_grid *grid, struct point a, struct point b, double reach, uint8_t *near)
{
    double ax = (a.x - grid->origin.x) / grid->cell, ay = (a.y - grid->origin.y) / grid->cell;
    double bx = (b.x - grid->origin.x) / grid->cell, by = (b.y - grid->origin.y) / grid->cell;
    int parts = 1 + (int)fmin(2 * hypot(bx - ax, by - ay), 1e7); /* half a cell each */
    for (int p = 0; p <= parts; p++) {
        double t = (double)p / parts;
        near_mark(grid, ax + t * (bx - ax), ay + t * (by - ay), reach + 0.25, near);
    }
}

static bool near_outline(const struct raster_grid *grid, const struct outline *outline, double reach, uint8_t *near)
{
    enum { CHORDS = 256 };
    if (!outline->oblique) {
        return false;
    }
    const int sides = outline->point_count > 0 ? outline->point_count : CHORDS;
    for (int p = 0; p < sides; p++) {
        struct point ends[2];
        for (int e = 0; e < 2; e++) {
            double angle = 2 * M_PI * (p + e) / CHORDS;
            ends[e] = outline->point_count > 0 ? outline->points[(p + e) % sides]
                                               : (struct point){outline->centre.x + outline->radius * cos(angle),
                                                                outline->centre.y + outline->radius * sin(angle)};
        }
        if (fabs(ends[0].x - ends[1].x) > 1e-9 && fabs(ends[0].y - ends[1].y) > 1e-9) {
            near_side(grid, ends[0], ends[1], reach, near);
        }
    }
    return true;
}

pw_status tilted_side_create(const struct volume_side *side, bool nodes_too, struct tilted_side *tilted,
                             pw_error *error)
{
    const struct raster_grid *grid = &side->tasks->grid;
    *tilted = (struct tilted_side){.nodes_too = nodes_too};
    tilted->near = allocate((size_t)grid->nx * (size_t)grid->ny, 1, "the oblique sides of the plan", error);
    TRY_MADE(tilted->near);
    const double reach = side->tasks->weighted.weight.reach + 0.5;
    for (int b = 0; b < side->plan_count; b++) {
        for (int s = 0; s < side->plans[b].shape_count; s++) {
            tilted->any = near_outline(grid, &side->plans[b].outlines[s], reach, tilted->near) || tilted->any;
        }
    }
    return weight_moment(&tilted->gradient, error);
}

void tilted_side_free(struct tilted_side *tilted)
{
    free(tilted->near);
    weight_free(&tilted->gradient);
    *tilted = (struct tilted_side){0};
}

/* ---- work space ---- */

double tilted_layer_bytes(const struct volume_side *side)
{
    return side->tilted.any
               ? (double)TILTED_QUANTITIES * (BAND_ROWS + 2) * (double)side->tasks->grid.nx * sizeof(double)
               : 0;
}

/* The columns of each row within a node of those near an oblique side. */
static void columns_find(const struct volume_side *side, struct side_work *work)
{
    const int nx = side->tasks->grid.nx, ny = side->tasks->grid.ny;
    work->tilted.columns = (struct span){nx, 0};
    for (int j = -1; j <= work->rows; j++) {
        struct span columns = {nx, 0};
        for (int row = work->first + j - 1; row <= work->first + j + 1; row++) {
            const uint8_t *near = side->tilted.near + (size_t)(row < 0 ? 0 : row) * (size_t)nx;
            for (int i = 0; i < nx && row >= 0 && row < ny; i++) {
                if (near[i]) {
                    columns.first = i - 1 < columns.first ? i - 1 : columns.first;
                    columns.end = i + 2 > columns.end ? i + 2 : columns.end;
                }
            }
        }
        columns.first = columns.first < 0 ? 0 : columns.first;
        columns.end = columns.end > nx ? nx : columns.end;
        work->tilted.row_columns[j + 1] = columns;
        if (columns.first < columns.end) {
            struct span *all = &work->tilted.columns;
            all->first = columns.first < all->first ? columns.first : all->first;
            all->end = columns.end > all->end ? columns.end : all->end;
        }
    }
}

void tilted_begin(const struct volume_side *side, int count, struct side_work *work)
{
    columns_find(side, work);
    work->tilted.node_count = 0;
    if (work->tilted.columns.first < work->tilted.columns.end) {
        memset(work->tilted.sum, 0, (size_t)((double)count * tilted_layer_bytes(side)));
    }
}

pw_status tilted_work_create(const struct volume_side *side, int layer_limit, struct tilted_work *tilted,
                             pw_error *error)
{
    const size_t columns = (size_t)side->tasks->grid.nx + 1;
    size_t faces = 0;
    for (int b = 0; b < side->plan_count; b++) {
        faces += 8 + 2 * (size_t)side->plans[b].pixel_columns;
        for (int s = 0; s < side->plans[b].shape_count; s++) {
            faces += 4 + (size_t)side->plans[b].outlines[s].point_count;
        }
    }
    *tilted = (struct tilted_work){0};
    tilted->row_columns = allocate(BAND_ROWS + 2, sizeof *tilted->row_columns, "rows of the medium", error);
    tilted->faces = allocate(faces, sizeof *tilted->faces, "rows of the medium", error);
    tilted->next = allocate((size_t)side->plan_count, sizeof *tilted->next, "rows of the medium", error);
    tilted->line = allocate(TILTED_LINES * columns, sizeof *tilted->line, "rows of the medium", error);
    tilted->step = allocate(TILTED_LINES * columns, sizeof *tilted->step, "rows of the medium", error);
    tilted->sum = allocate((size_t)((double)layer_limit * tilted_layer_bytes(side)), 1, "rows of the medium", error);
    return tilted->row_columns == NULL || tilted->faces == NULL || tilted->next == NULL || tilted->line == NULL ||
                   tilted->step == NULL || tilted->sum == NULL
               ? PW_NO_RESOURCE
               : PW_OK;
}

void tilted_work_free(struct tilted_work *tilted)
{
    free(tilted->row_columns);
    free(tilted->faces);
    free(tilted->next);
    free(tilted->line);
    free(tilted->step);
    free(tilted->sum);
    free(tilted->nodes);
    *tilted = (struct tilted_work){0};
}
