/* Averages over a band of node rows (raster_band.h). In each slab of the plan the weight's integral at every face gives
 * a row of averages along x, and the weight's integral over the slab adds that row to the nodes in reach along y. Faces
 * along the axes are thus exact, wherever they lie. */
#include "medium/raster_band.h"

#include <math.h>
#include <string.h>

/* ---- the task ---- */

void raster_task_free(struct raster_task *task)
{
    weight_free(&task->weighted.weight);
    FREE_ALL(task->weighted.properties, task->box.properties, task->borders, task->touched);
}

static pw_status task_properties(const struct floorplan *plan, struct raster_task *task, pw_error *error)
{
    const size_t count = (size_t)plan->material_count, quantities = task->weighted.quantities,
                 box = task->box.quantities;
    task->weighted.properties = allocate(count * quantities, sizeof(double), "the materials", error);
    task->box.properties = allocate(count * box, sizeof(double), "the materials", error);
    TRY_MADE(task->weighted.properties != NULL && task->box.properties != NULL);
    task->all_zero = true;
    for (size_t m = 0; m < count; m++) {
        const struct material *material = &plan->materials[m];
        bool conductor = material->perfect_conductor;
        double e = conductor ? 0 : material->relative_permittivity - 1, sigma = conductor ? 0 : material->conductivity;
        double weighted[QUANTITY_LIMIT] = {e, e * e};
        if (task->metal) {
            weighted[quantities - 1] = conductor;
        }
        memcpy(task->weighted.properties + m * quantities, weighted, quantities * sizeof(double));
        const double boxed[QUANTITY_LIMIT] = {[SHARE] = conductor, [CONDUCTIVITY] = sigma, [BOX_QUANTITIES] = e};
        memcpy(task->box.properties + m * box, boxed, box * sizeof(double));
        task->all_zero = task->all_zero && !conductor && sigma == 0;
    }
    return PW_OK;
}

/* What the lobes of a weight leave of air beside one face of the plan's densest material, but no less than
 * LEAST_PERMITTIVITY. */
static double least_permittivity(const struct floorplan *plan, const struct averaging_weight *weight)
{
    static const double rounding = 1e-6; /* of what stands beside a face alone nothing is raised */
    double densest = 1;
    for (int m = 0; m < plan->material_count; m++) {
        const struct material *material = &plan->materials[m];
        densest = fmax(densest, material->perfect_conductor ? 1 : material->relative_permittivity);
    }
    /* At the end of a wall its other face adds a lobe of its own. */
    const double face = weight->lobe * (1 - weight->lobe);
    return fmax(LEAST_PERMITTIVITY, 1 + face * (densest - 1) - rounding);
}

pw_status raster_task_create(const struct floorplan *plan, const struct raster_grid *grid, enum averaging averaging,
                             struct raster_task *task, pw_error *error)
{
    *task = (struct raster_task){.plan = plan, .grid = *grid};
    task->weighted = (struct averaging_pass){.weight = weight_box(), .quantities = 1};
    task->box = (struct averaging_pass){.weight = weight_box(), .quantities = BOX_QUANTITIES};
    if (averaging == AVERAGING_MOMENT) {
        TRY(weight_moment(&task->weighted.weight, error));
    } else if (averaging == AVERAGING_BANDLIMITED) {
        TRY(weight_sinc(&task->weighted.weight, error));
        task->squares = true;
    }
    task->metal = grid->clear[0].end > 0 && floorplan_has_metal(plan);
    task->weighted.quantities = 1 + (size_t)task->squares + (size_t)task->metal;
    task->box.quantities += (size_t)task->metal;
    /* Band-limited averaging lives by its lobes: in corners too they are what makes it right. */
    task->least =
        averaging == AVERAGING_BANDLIMITED ? LEAST_PERMITTIVITY : least_permittivity(plan, &task->weighted.weight);
    TRY(task_properties(plan, task, error));
    const struct slab_rows rows = {grid->origin.y, grid->cell, -REACH_ROWS, grid->ny + REACH_ROWS, SLABS_PER_CELL};
    return scanline_slabs(plan, &rows, &task->borders, &task->border_count, error);
}

/* ---- one line ---- */

/* Joins the columns to the spans that they touch. */
static void span_add(struct raster_band *band, int first, int end)
{
    if (first >= end) {
        return;
    }
    while (band->span_count > 0 && first <= band->spans[band->span_count - 1].end) {
        struct span *last = &band->spans[--band->span_count];
        first = last->first < first ? last->first : first;
        end = last->end > end ? last->end : end;
    }
    band->spans[band->span_count++] = (struct span){first, end};
}

static bool is_air(const double *property, size_t quantities)
{
    bool air = true;
    for (size_t q = 0; q < quantities; q++) {
        air = air && property[q] == 0;
    }
    return air;
}

/* Adds up the steps of the row, from the material at its left end, and adds them to it. */
static void row_add_levels(const struct raster_task *task, const struct averaging_pass *pass, uint16_t first,
                           struct raster_band *band)
{
    const int nx = task->grid.nx;
    const size_t stride = (size_t)nx + 1, quantities = pass->quantities;
    for (size_t q = 0; q < quantities; q++) {
        double *row = band->row + q * stride, *step = band->step + q * stride;
        double level = pass->properties[(size_t)first * quantities + q];
        for (int i = 0; i < nx; i++) {
            level += step[i];
            row[i] += level;
        }
    }
}

void raster_line_average(const struct raster_task *task, const struct averaging_pass *pass, const struct run_list *list,
                         struct raster_band *band)
{
    const struct averaging_weight *weight = &pass->weight;
    const double *properties = pass->properties;
    const int nx = task->grid.nx;
    const size_t stride = (size_t)nx + 1, quantities = pass->quantities;
    memset(band->row, 0, quantities * stride * sizeof *band->row);
    memset(band->step, 0, quantities * stride * sizeof *band->step);
    int reached = 0; /* columns dealt with */
    band->span_count = 0;
    for (int r = 1; r < list->count; r++) {
        const struct run *run = &list->runs[r];
        double face = scanline_snap((run->start - task->grid.origin.x) / task->grid.cell);
        double ramp = run->ramp / task->grid.cell, reach = weight->reach + ramp;
        int low = (int)fmin(fmax(ceil(face - reach), 0), nx), high = (int)fmin(fmax(floor(face + reach) + 1, 0), nx);
        const double *after = properties + (size_t)run->material * quantities;
        const double *before = properties + (size_t)list->runs[r - 1].material * quantities;
        double jump[QUANTITY_LIMIT];
        for (size_t q = 0; q < quantities; q++) {
            jump[q] = after[q] - before[q];
        }
        span_add(band, is_air(before, quantities) ? low : (reached < low ? reached : low), high);
        reached = high;
        for (int i = low; i < high; i++) { /* nodes that see the face: the part of their weight beyond it */
            double part = 1 - weight_integral_mean(weight, face - i, ramp);
            for (size_t q = 0; q < quantities; q++) {
                band->row[q * stride + (size_t)i] += jump[q] * part;
            }
        }
        for (size_t q = 0; q < quantities; q++) { /* nodes wholly beyond it */
            band->step[q * stride + (size_t)high] += jump[q];
        }
    }
    if (!is_air(properties + (size_t)list->runs[list->count - 1].material * quantities, quantities)) {
        span_add(band, reached, nx);
    }
    row_add_levels(task, pass, list->runs[0].material, band);
}

/* Adds the line, which holds from y = bottom to top [cells], to the rows of the band in reach. */
static void line_spread(const struct raster_task *task, const struct averaging_pass *pass, double bottom, double top,
                        struct raster_band *band, double *average)
{
    const int nx = task->grid.nx;
    for (int j = 0; j < band->rows; j++) {
        double y = band->first + j;
        double part = weight_integral(&pass->weight, top - y) - weight_integral(&pass->weight, bottom - y);
        if (part == 0) {
            continue;
        }
        for (size_t q = 0; q < pass->quantities; q++) {
            const double *row = band->row + q * ((size_t)nx + 1);
            double *sum = average + ((size_t)j * pass->quantities + q) * (size_t)nx;
            for (int s = 0; s < band->span_count; s++) {
#pragma omp simd
                for (int i = band->spans[s].first; i < band->spans[s].end; i++) {
                    sum[i] += part * row[i];
                }
            }
        }
    }
}

/* The merged slabs from bottom to top [cells]. */
static void merged_add(const struct raster_task *task, double bottom, double top, struct raster_band *band)
{
    raster_line_average(task, &task->weighted, &band->merged, band);
    line_spread(task, &task->weighted, bottom, top, band, band->weighted);
    if (!task->all_zero) {
        raster_line_average(task, &task->box, &band->merged, band);
        line_spread(task, &task->box, bottom, top, band, band->box);
    }
}

void raster_band_average(const struct raster_task *task, struct raster_band *band)
{
    const double reach = task->weighted.weight.reach;
    const double low = band->first - reach, high = band->first + band->rows - 1 + reach;
    const size_t size = (size_t)band->rows * (size_t)task->grid.nx;
    memset(band->weighted, 0, task->weighted.quantities * size * sizeof(double));
    memset(band->box, 0, task->box.quantities * size * sizeof(double));
    bool open = false;
    double bottom = 0;
    for (int slab = 0; slab <= task->border_count; slab++) {
        double from = slab > 0 ? task->borders[slab - 1] : -INFINITY;
        double to = slab < task->border_count ? task->borders[slab] : INFINITY;
        if (to <= low || from >= high) {
            continue;
        }
        scanline_runs(task->plan, task->grid.origin.y + from * task->grid.cell,
                      task->grid.origin.y + to * task->grid.cell, &band->runs);
        if (open && !run_list_equal(&band->merged, &band->runs)) {
            merged_add(task, bottom, from, band);
            open = false;
        }
        if (!open) {
            struct run_list swap = band->merged;
            band->merged = band->runs;
            band->runs = swap;
            bottom = from;
            open = true;
        }
    }
    merged_add(task, bottom, INFINITY, band);
}

/* ---- work space ---- */

void raster_band_free(struct raster_band *band)
{
    run_list_free(&band->runs);
    run_list_free(&band->merged);
    FREE_ALL(band->spans, band->row, band->step, band->weighted, band->box);
}

pw_status raster_lines_create(const struct raster_task *task, struct raster_band *band, pw_error *error)
{
    const size_t columns = (size_t)task->grid.nx + 1;
    *band = (struct raster_band){0};
    TRY(run_list_create(task->plan, &band->runs, error));
    TRY(run_list_create(task->plan, &band->merged, error));
    band->spans = allocate((size_t)band->runs.capacity + 2, sizeof *band->spans, "a row of the medium", error);
    band->row = allocate(QUANTITY_LIMIT * columns, sizeof(double), "a row of the medium", error);
    band->step = allocate(QUANTITY_LIMIT * columns, sizeof(double), "a row of the medium", error);
    return band->spans != NULL && band->row != NULL && band->step != NULL ? PW_OK : PW_NO_RESOURCE;
}

pw_status raster_band_create(const struct raster_task *task, struct raster_band *band, pw_error *error)
{
    const size_t size = BAND_ROWS * (size_t)task->grid.nx;
    TRY(raster_lines_create(task, band, error));
    band->weighted = allocate(task->weighted.quantities * size, sizeof(double), "a band of the medium", error);
    band->box = allocate(task->box.quantities * size, sizeof(double), "a band of the medium", error);
    return band->weighted != NULL && band->box != NULL ? PW_OK : PW_NO_RESOURCE;
}
