/* Averages of a building along one horizontal axis and the vertical (volume_side.h). A line across the plan is averaged
 * along x for every band, the bands are added up with the layer's weights, and the inverse of that is averaged along y:
 * arithmetic across the axis, harmonic along it, with every face at its place. For Ez the bands' averages over x and y
 * come first, and their inverses are averaged along z. */
#include "medium/volume/volume_side.h"

#include "base/constants.h"
#include "medium/volume/volume_metal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORK_BYTES = 4 << 20,      /* that a thread takes for its layers: they stay in its cache */
    NUMBERED_BYTES = 24 << 20, /* of layers that are numbered together; another number makes another palette */
    LINES_PER_CELL = 16,       /* where a side is oblique: good to 2e-3 */
    BLOCK = 16,                /* columns looked at together for air */
};

/* ---- inverse of the complex permittivity ---- */

/* Medium of an averaged inverse: the conductivity is never under zero, since Im 1/eps was averaged by a box. */
static void inverse_to_medium(const struct volume_side *side, struct side_work *work, int layer, int levels)
{
    double *real = side_value(side, work, layer, 0, 0), *imaginary = side_value(side, work, layer, 1, 0);
    const size_t nodes = (size_t)work->rows * (size_t)side->tasks->grid.nx;
    for (size_t n = 0; n < nodes; n++) {
        if (real[n] == 0 && imaginary[n] == 0) {
            real[n] = 1;
            continue;
        }
        bool raised = 1 + real[n] < side->least_inverse;
        double r = raised ? side->least_inverse : 1 + real[n], square = r * r + imaginary[n] * imaginary[n];
        double permittivity = r / square;
        if (permittivity <= side->least * (1 + 1e-12)) {
            permittivity = side->least;
            raised = true;
        }
        real[n] = permittivity;
        imaginary[n] = imaginary[n] / (square * side->loss);
        work->raised += raised ? levels : 0;
    }
}

/* ---- along the axis ---- */

/* Spans of the line that are not air, in blocks. */
static int line_spans(const struct side_work *work, const double *line, int nx)
{
    int count = 0;
    for (int first = 0; first < nx; first += BLOCK) {
        int end = first + BLOCK < nx ? first + BLOCK : nx;
        bool air = true;
        for (int i = first; i < end; i++) {
            air = air && line[i] == 0;
        }
        if (air) {
            continue;
        }
        if (count > 0 && work->spans[count - 1].end == first) {
            work->spans[count - 1].end = end;
        } else {
            work->spans[count++] = (struct span){first, end};
        }
    }
    return count;
}

/* Adds the line, which holds from y = bottom to top [cells], to the half nodes in reach. */
static void line_spread(const struct volume_side *side, const struct side_work *work, int layer, int part,
                        const struct averaging_weight *weight, double bottom, double top)
{
    const int nx = side->tasks->grid.nx;
    const double *line = work->line + (size_t)part * (size_t)nx;
    const int spans = line_spans(work, line, nx);
    for (int j = 0; j < work->rows && spans > 0; j++) {
        double y = work->first + j + 0.5;
        double share = weight_integral(weight, top - y) - weight_integral(weight, bottom - y);
        double *sum = side_value(side, work, layer, part, j);
        for (int s = 0; s < spans && share != 0; s++) {
#pragma omp simd
            for (int i = work->spans[s].first; i < work->spans[s].end; i++) {
                sum[i] += share * line[i];
            }
        }
    }
}

/* The line of the layer in the open slab: the bands with their weights, then the inverse. */
static void layer_line(const struct volume_side *side, const struct side_work *work, const struct volume_layer *layer)
{
    const size_t nx = (size_t)side->tasks->grid.nx;
    double *excess = work->line, *conductivity = work->line + nx;
    memset(work->line, 0, 2 * nx * sizeof *work->line);
    for (int b = 0; b < side->plan_count; b++) {
        const double *level = work->level + (size_t)b * 2 * nx;
        const double weighted = layer->weighted[b], box = layer->box[b];
        if (weighted == 0 && box == 0) {
            continue;
        }
#pragma omp simd
        for (size_t i = 0; i < nx; i++) {
            excess[i] += weighted * level[i];
            conductivity[i] += box * level[nx + i];
        }
    }
#pragma omp simd
    for (size_t i = 0; i < nx; i++) {
        struct inverse inverse = inverse_of(side, excess[i], conductivity[i]);
        excess[i] = inverse.real_less_one;
        conductivity[i] = inverse.imaginary;
    }
}

/* Closes the layer's open slab at `to`, if some of its bands change there. */
static void layer_close(const struct volume_side *side, struct side_work *work, const struct volume_layer *layer, int l,
                        double to)
{
    bool changed = false;
    for (int b = 0; b < side->plan_count; b++) {
        changed = changed || (work->changed[b] && (layer->weighted[b] != 0 || layer->box[b] != 0));
    }
    if (!changed) {
        return;
    }
    if (to > work->since[l]) {
        const struct averaging_weight box = weight_box();
        layer_line(side, work, layer);
        line_spread(side, work, l, 0, &side->tasks->weighted.weight, work->since[l], to);
        line_spread(side, work, l, 1, &box, work->since[l], to);
        if (side->tilted.any) {
            tilted_add(side, layer, l, work->since[l], to, work);
        }
    }
    work->since[l] = to;
}

/* The averages along x of the band's open slab. */
static void level_fill(const struct volume_side *side, struct side_work *work, int b)
{
    const struct raster_task *task = &side->tasks[b];
    struct raster_band *band = &work->bands[b];
    const size_t nx = (size_t)task->grid.nx;
    double *level = work->level + (size_t)b * 2 * nx;
    raster_line_average(task, &task->weighted, &band->merged, band);
    memcpy(level, band->row, nx * sizeof *level);
    memset(level + nx, 0, nx * sizeof *level);
    if (!task->all_zero) {
        raster_line_average(task, &task->box, &band->merged, band);
        memcpy(level + nx, band->row + CONDUCTIVITY * (nx + 1), nx * sizeof *level);
    }
}

static void average_along(const struct volume_side *side, const struct volume_layer *layers, int count,
                          struct side_work *work)
{
    const struct raster_grid *grid = &side->tasks->grid;
    /* Gradients at oblique sides are taken from the row before to the row after. */
    const double reach = side->tilted.any ? side->tilted.gradient.reach + 1.5 : side->tasks->weighted.weight.reach;
    const double low = work->first + 0.5 - reach, high = work->first + work->rows - 0.5 + reach;
    bool open = false;
    for (int slab = 0; slab <= side->border_count; slab++) {
        double from = slab > 0 ? side->borders[slab - 1] : -INFINITY;
        double to = slab < side->border_count ? side->borders[slab] : INFINITY;
        if (to <= low || from >= high) {
            continue;
        }
        for (int b = 0; b < side->plan_count; b++) {
            struct raster_band *band = &work->bands[b];
            work->changed[b] = false;
            if (!work->used[b]) {
                continue;
            }
            scanline_runs(&side->plans[b], grid->origin.y + from * grid->cell, grid->origin.y + to * grid->cell,
                          &band->runs);
            work->changed[b] = !open || !run_list_equal(&band->merged, &band->runs);
        }
        for (int l = 0; l < count; l++) {
            work->since[l] = open ? work->since[l] : from;
            layer_close(side, work, &layers[l], l, from);
        }
        for (int b = 0; b < side->plan_count; b++) {
            if (work->changed[b]) {
                struct run_list swap = work->bands[b].merged;
                work->bands[b].merged = work->bands[b].runs;
                work->bands[b].runs = swap;
                level_fill(side, work, b);
            }
        }
        open = true;
    }
    memcpy(work->changed, work->used, (size_t)side->plan_count * sizeof *work->changed);
    for (int l = 0; l < count; l++) {
        layer_close(side, work, &layers[l], l, INFINITY);
    }
}

/* ---- along z ---- */

static void average_upright(const struct volume_side *side, const struct volume_layer *layers, int count,
                            struct side_work *work)
{
    const size_t nx = (size_t)side->tasks->grid.nx;
    for (int b = 0; b < side->plan_count; b++) {
        struct raster_band *band = &work->bands[b];
        band->first = work->first;
        band->rows = work->rows;
        if (!work->used[b]) {
            continue;
        }
        band->weighted = work->sums;
        band->box = work->sums + side->tasks[b].weighted.quantities * BAND_ROWS * nx;
        raster_band_average(&side->tasks[b], band);
        for (int j = 0; j < work->rows; j++) {
            const double *excess = band->weighted + (size_t)j * nx;
            const double *conductivity = band->box + ((size_t)j * BOX_QUANTITIES + CONDUCTIVITY) * nx;
            for (int l = 0; l < count; l++) {
                double weighted = layers[l].weighted[b], box = layers[l].box[b];
                double *real = side_value(side, work, l, 0, j), *imaginary = side_value(side, work, l, 1, j);
                if (weighted == 0 && box == 0) {
                    continue;
                }
#pragma omp simd
                for (size_t i = 0; i < nx; i++) {
                    struct inverse inverse = inverse_of(side, excess[i], conductivity[i]);
                    real[i] += weighted * inverse.real_less_one;
                    imaginary[i] += box * inverse.imaginary;
                }
            }
        }
        band->weighted = band->box = NULL;
    }
}

pw_status volume_side_average(const struct volume_side *side, const struct volume_layer *layers, int count,
                              struct side_work *work, pw_error *error)
{
    const size_t nx = (size_t)side->tasks->grid.nx;
    memset(work->value, 0, (size_t)count * 2 * BAND_ROWS * nx * sizeof *work->value);
    if (layers->component == 2) {
        average_upright(side, layers, count, work);
    } else if (!side->tilted.any) {
        average_along(side, layers, count, work);
    } else {
        tilted_begin(side, count, work);
        average_along(side, layers, count, work);
        for (int l = 0; l < count; l++) {
            TRY(tilted_finish(side, l, work, error));
        }
    }
    for (int l = 0; l < count; l++) {
        inverse_to_medium(side, work, l, layers[l].levels);
    }
    volume_metal_rows(side, layers->component == 2, work);
    return PW_OK;
}

void volume_side_sample(const struct volume_side *side, const struct volume_layer *layers, int count,
                        struct side_work *work)
{
    const struct raster_grid *grid = &side->tasks->grid;
    const double along = layers->component == 2 ? 0 : 0.5;
    for (int l = 0; l < count; l++) {
        int b = 0;
        while (layers[l].weighted[b] == 0) {
            b++;
        }
        for (int j = 0; j < work->rows; j++) {
            double *permittivity = side_value(side, work, l, 0, j), *conductivity = side_value(side, work, l, 1, j);
            double y = grid->origin.y + (work->first + j + along) * grid->cell;
            for (int i = 0; i < grid->nx; i++) {
                const struct material *material =
                    &side->plans[b]
                         .materials[floorplan_material_at(&side->plans[b], grid->origin.x + i * grid->cell, y)];
                permittivity[i] = material->perfect_conductor ? 1 : material->relative_permittivity;
                conductivity[i] = material->perfect_conductor ? 0 : material->conductivity;
            }
        }
    }
    volume_metal_rows(side, layers->component == 2, work);
}

/* ---- the side ---- */

/* Adds a band's borders to those so far. */
static pw_status borders_add(struct volume_side *side, const double *borders, int count, pw_error *error)
{
    size_t size = (size_t)side->border_count + (size_t)count;
    double *all = realloc(side->borders, size * sizeof *all);
    FAIL_IF(all == NULL, error, PW_NO_RESOURCE, "not enough memory for %zu lines of the building", size);
    memcpy(all + side->border_count, borders, (size_t)count * sizeof *all);
    side->borders = all;
    side->border_count = (int)size;
    return PW_OK;
}

/* The borders of all bands' slabs, each once. */
static pw_status borders_join(struct volume_side *side, pw_error *error)
{
    const struct raster_grid *grid = &side->tasks->grid;
    const struct slab_rows rows = {grid->origin.y, grid->cell, -REACH_ROWS, grid->ny + REACH_ROWS, LINES_PER_CELL};
    for (int b = 0; b < side->plan_count; b++) {
        double *borders = NULL;
        int count = 0;
        TRY(scanline_slabs(&side->plans[b], &rows, &borders, &count, error));
        pw_status status = borders_add(side, borders, count, error);
        free(borders);
        TRY(status);
    }
    qsort(side->borders, (size_t)side->border_count, sizeof *side->borders, pw_number_order);
    int kept = 1;
    for (int n = 1; n < side->border_count; n++) {
        if (side->borders[n] > side->borders[kept - 1]) {
            side->borders[kept++] = side->borders[n];
        }
    }
    side->border_count = kept;
    return PW_OK;
}

pw_status volume_side_create(const struct building *building, const struct floorplan *plans,
                             const struct raster_grid *grid, enum averaging averaging, bool nodes_too,
                             struct volume_side *side, pw_error *error)
{
    const int plan_count = building->band_count;
    *side = (struct volume_side){
        .plans = plans, .plan_count = plan_count, .loss = FREE_SPACE_IMPEDANCE / grid->wave_number, .least_inverse = 1};
    side->tasks = allocate((size_t)plan_count, sizeof *side->tasks, "the bands of the building", error);
    TRY_MADE(side->tasks);
    for (int b = 0; b < plan_count; b++) {
        TRY(raster_task_create(&plans[b], grid, averaging, &side->tasks[b], error));
        side->least = b == 0 ? side->tasks[b].least : fmin(side->least, side->tasks[b].least);
    }
    for (int m = 0; m < plans->material_count; m++) {
        const struct material *material = &plans->materials[m];
        side->metal = side->metal || material->perfect_conductor;
        if (!material->perfect_conductor) {
            struct inverse inverse = inverse_of(side, material->relative_permittivity - 1, material->conductivity);
            side->least_inverse = fmin(side->least_inverse, 0.5 * (1 + inverse.real_less_one));
        }
    }
    TRY(borders_join(side, error));
    return averaging == AVERAGING_POINT ? PW_OK : tilted_side_create(side, nodes_too, &side->tilted, error);
}

void volume_side_free(struct volume_side *side)
{
    for (int b = 0; b < side->plan_count && side->tasks != NULL; b++) {
        raster_task_free(&side->tasks[b]);
    }
    free(side->tasks);
    free(side->borders);
    tilted_side_free(&side->tilted);
    *side = (struct volume_side){0};
}

/* ---- work space ---- */

static int layers_in(const struct volume_side *side, int layers, double bytes)
{
    const double layer_bytes = 2 * BAND_ROWS * (double)side->tasks->grid.nx * sizeof(double);
    return (int)fmax(1, fmin(layers, bytes / (layer_bytes + tilted_layer_bytes(side))));
}

int side_layer_limit(const struct volume_side *side, int layers)
{
    return layers_in(side, layers, WORK_BYTES);
}

int side_layers_numbered(const struct volume_side *side, int layers)
{
    return layers_in(side, layers, NUMBERED_BYTES);
}

pw_status side_work_create(const struct volume_side *side, int layers, struct side_work *work, pw_error *error)
{
    const size_t nx = (size_t)side->tasks->grid.nx, plans = (size_t)side->plan_count;
    const size_t layer_bytes = 2 * BAND_ROWS * nx * sizeof(double);
    *work = (struct side_work){.layer_limit = side_layer_limit(side, layers)};
    work->bands = allocate(plans, sizeof *work->bands, "rows of the medium", error);
    work->used = allocate(plans, sizeof *work->used, "rows of the medium", error);
    work->holds = allocate(plans, sizeof *work->holds, "rows of the medium", error);
    work->changed = allocate(plans, sizeof *work->changed, "rows of the medium", error);
    work->level = allocate(plans * 2 * nx, sizeof *work->level, "rows of the medium", error);
    work->line = allocate(2 * nx, sizeof *work->line, "rows of the medium", error);
    work->spans = allocate(nx, sizeof *work->spans, "rows of the medium", error);
    work->since = allocate((size_t)work->layer_limit, sizeof *work->since, "rows of the medium", error);
    work->metal = allocate(plans * BAND_ROWS * nx, 1, "rows of the medium", error);
    work->value = allocate((size_t)work->layer_limit * layer_bytes, 1, "rows of the medium", error);
    TRY_MADE(work->bands != NULL && work->used != NULL && work->holds != NULL && work->changed != NULL &&
             work->level != NULL && work->line != NULL && work->spans != NULL && work->since != NULL &&
             work->metal != NULL && work->value != NULL);
    size_t quantities = 0;
    for (int b = 0; b < side->plan_count; b++) {
        const size_t own = side->tasks[b].weighted.quantities + side->tasks[b].box.quantities;
        quantities = own > quantities ? own : quantities;
        TRY(raster_lines_create(&side->tasks[b], &work->bands[b], error));
    }
    work->sums = allocate(quantities * BAND_ROWS * nx, sizeof *work->sums, "rows of the medium", error);
    TRY_MADE(work->sums);
    return tilted_work_create(side, work->layer_limit, &work->tilted, error);
}

void side_work_free(const struct volume_side *side, struct side_work *work)
{
    for (int b = 0; b < side->plan_count && work->bands != NULL; b++) {
        raster_band_free(&work->bands[b]);
    }
    free(work->bands);
    free(work->used);
    free(work->holds);
    free(work->changed);
    free(work->level);
    free(work->line);
    free(work->spans);
    free(work->since);
    free(work->metal);
    free(work->value);
    free(work->sums);
    tilted_work_free(&work->tilted);
    *work = (struct side_work){0};
}
