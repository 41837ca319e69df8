/* From a floor plan to the medium at the nodes (raster.h). The plan is cut into slabs (scanline.h); in each, the
 * weight's integral at every face gives a row of averages along x, and the weight's integral over the slab adds that
 * row to the nodes in reach along y. Faces along the axes are thus exact, wherever they lie. Rows are taken in bands,
 * so the memory is that of the result. */
#include "medium/raster.h"

#include "medium/averaging_weight.h"
#include "medium/metal_surface.h"
#include "medium/palette.h"
#include "medium/scanline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BAND_ROWS = 64,
    SLABS_PER_CELL = 32, /* where a side is oblique */
    REACH_ROWS = 9,      /* rows beyond the grid that the widest weight sees */
};

/* What is averaged over the box of a cell: the share of perfect conductors and the conductivity (never by a weight with
 * negative lobes: where it is under zero a wave trapped beside a wall would grow). Conductors count as air. */
enum { SHARE, CONDUCTIVITY, BOX_QUANTITIES };

/* By the weight of the averaging itself: the relative permittivity less one, and for band-limited averaging its square.
 */
enum { PERMITTIVITY, PERMITTIVITY_SQUARED, QUANTITY_LIMIT };

/* Averages by one weight. */
struct averaging_pass {
    struct averaging_weight weight;
    size_t quantities;
    double *properties; /* (material_count, quantities), owned */
};

/* What does not change from band to band. */
struct raster_task {
    const struct floorplan *plan;
    struct raster_grid grid;
    struct averaging_pass weighted, box;
    bool all_zero;   /* nothing conducts: the box need not be looked at */
    double *borders; /* (border_count) of slabs, cells, owned */
    int border_count;
    uint8_t *touched; /* (ny, nx), owned: some metal in the node's box; NULL without metal */
};

/* Columns first <= i < end. */
struct span {
    int first, end;
};

/* What one thread needs for one band. */
struct raster_band {
    int first, rows;
    struct run_list runs, group; /* the slab at hand; the equal slabs before it */
    double *row, *step;          /* (QUANTITY_LIMIT, nx + 1), owned */
    struct span *spans;          /* (span_count), ascending and apart, owned: where the row is not air */
    int span_count;
    double *weighted, *box; /* (BAND_ROWS, quantities of the pass, nx), owned */
};

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

/* Averages along x of a line of runs: row (quantities, nx + 1), the last column unused. */
static void line_average(const struct raster_task *task, const struct averaging_pass *pass, const struct run_list *list,
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
    for (size_t q = 0; q < quantities; q++) {
        double *row = band->row + q * stride, *step = band->step + q * stride;
        double level = properties[(size_t)list->runs[0].material * quantities + q];
        for (int i = 0; i < nx; i++) {
            level += step[i];
            row[i] += level;
        }
    }
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

/* The group of equal slabs from bottom to top [cells]. */
static void group_add(const struct raster_task *task, double bottom, double top, struct raster_band *band)
{
    line_average(task, &task->weighted, &band->group, band);
    line_spread(task, &task->weighted, bottom, top, band, band->weighted);
    if (!task->all_zero) {
        line_average(task, &task->box, &band->group, band);
        line_spread(task, &task->box, bottom, top, band, band->box);
    }
}

/* Averages of all rows of the band: every slab in reach, equal neighbours taken together. */
static void band_average(const struct raster_task *task, struct raster_band *band)
{
    const double reach = task->weighted.weight.reach;
    const double low = band->first - reach, high = band->first + band->rows - 1 + reach;
    const size_t size = (size_t)band->rows * (size_t)task->grid.nx;
    memset(band->weighted, 0, task->weighted.quantities * size * sizeof(double));
    memset(band->box, 0, BOX_QUANTITIES * size * sizeof(double));
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
        if (open && !run_list_equal(&band->group, &band->runs)) {
            group_add(task, bottom, from, band);
            open = false;
        }
        if (!open) {
            struct run_list swap = band->group;
            band->group = band->runs;
            band->runs = swap;
            bottom = from;
            open = true;
        }
    }
    group_add(task, bottom, INFINITY, band);
}

/* ---- nodes ---- */

static pw_status node_refuse(const struct raster_task *task, int i, int j, double permittivity, pw_error *error)
{
    double x = task->grid.origin.x + i * task->grid.cell, y = task->grid.origin.y + j * task->grid.cell;
    return fail(
        error, PW_BAD_INPUT,
        "the averaged relative permittivity at (%.4g, %.4g) m is %.4g, but must be above 0: the contrast beside "
        "it is too strong for this averaging; use grid.averaging: area",
        x, y, permittivity);
}

/* Band-limited averaging, second part. The field has kinks at faces, which the grid cannot carry; what they scatter
 * back into the band is that of a medium with (k0 cell/pi)^2 times the variance of the permittivity under the low pass
 * added (validation/walls.md). `average` is node i of its row, nx apart. The share of the conductivity, under 1 % of
 * it, is left out. */
static double added_variance(const struct raster_task *task, const double *average)
{
    const size_t nx = (size_t)task->grid.nx;
    double e = average[PERMITTIVITY * nx], strength = task->grid.wave_number * task->grid.cell / M_PI;
    return strength * strength * (average[PERMITTIVITY_SQUARED * nx] - e * e);
}

/* Values of the band into the palette and their indices into `index` (ny, nx). */
static pw_status band_collect(const struct raster_task *task, const struct raster_band *band, struct palette *palette,
                              uint32_t *index, pw_error *error)
{
    const size_t nx = (size_t)task->grid.nx;
    const bool variance = task->weighted.quantities == QUANTITY_LIMIT && task->grid.wave_number > 0;
    for (int j = 0; j < band->rows; j++) {
        const double *row = band->weighted + (size_t)j * task->weighted.quantities * nx;
        const double *box = band->box + (size_t)j * BOX_QUANTITIES * nx;
        uint32_t *out = index + (size_t)(band->first + j) * nx;
        uint8_t *touched = task->touched != NULL ? task->touched + (size_t)(band->first + j) * nx : NULL;
        double last_permittivity = NAN, last_conductivity = NAN;
        for (size_t i = 0; i < nx; i++) {
            double permittivity = row[i], conductivity = box[CONDUCTIVITY * nx + i];
            if (variance && permittivity != 0) {
                permittivity += added_variance(task, row + i);
            }
            if (touched != NULL) {
                touched[i] = box[SHARE * nx + i] > 1e-9;
            }
            if (box[SHARE * nx + i] >= 0.5 - 1e-9) {
                out[i] = (uint32_t)palette->conductor;
                permittivity = NAN; /* the next node looks for itself */
            } else if (permittivity == last_permittivity && conductivity == last_conductivity) {
                out[i] = out[i - 1];
            } else if (!(1 + permittivity > 0)) {
                return node_refuse(task, (int)i, band->first + j, 1 + permittivity, error);
            } else {
                TRY(palette_find(palette, 1 + permittivity, conductivity, &out[i], error));
            }
            last_permittivity = permittivity;
            last_conductivity = conductivity;
        }
    }
    return PW_OK;
}

static void band_free(struct raster_band *band)
{
    run_list_free(&band->runs);
    run_list_free(&band->group);
    free(band->spans);
    free(band->row);
    free(band->step);
    free(band->weighted);
    free(band->box);
}

/* After a failure too, band_free. */
static pw_status band_create(const struct raster_task *task, struct raster_band *band, pw_error *error)
{
    const size_t columns = (size_t)task->grid.nx + 1, size = BAND_ROWS * (size_t)task->grid.nx;
    *band = (struct raster_band){0};
    TRY(run_list_create(task->plan, &band->runs, error));
    pw_status status = run_list_create(task->plan, &band->group, error);
    band->spans = allocate((size_t)band->runs.capacity + 2, sizeof *band->spans, "a row of the medium", error);
    band->row = allocate(QUANTITY_LIMIT * columns, sizeof(double), "a row of the medium", error);
    band->step = allocate(QUANTITY_LIMIT * columns, sizeof(double), "a row of the medium", error);
    band->weighted = allocate(task->weighted.quantities * size, sizeof(double), "a band of the medium", error);
    band->box = allocate(BOX_QUANTITIES * size, sizeof(double), "a band of the medium", error);
    return status != PW_OK || band->spans == NULL || band->row == NULL || band->step == NULL ||
                   band->weighted == NULL || band->box == NULL
               ? PW_NO_RESOURCE
               : PW_OK;
}

/* ---- the whole ---- */

static void task_free(struct raster_task *task)
{
    weight_free(&task->weighted.weight);
    free(task->weighted.properties);
    free(task->box.properties);
    free(task->borders);
    free(task->touched);
}

static pw_status task_properties(const struct floorplan *plan, struct raster_task *task, pw_error *error)
{
    const size_t count = (size_t)plan->material_count, quantities = task->weighted.quantities;
    task->weighted.properties = allocate(count * quantities, sizeof(double), "the materials", error);
    task->box.properties = allocate(count * BOX_QUANTITIES, sizeof(double), "the materials", error);
    if (task->weighted.properties == NULL || task->box.properties == NULL) {
        return PW_NO_RESOURCE;
    }
    task->all_zero = true;
    for (size_t m = 0; m < count; m++) {
        const struct material *material = &plan->materials[m];
        bool conductor = material->perfect_conductor;
        double e = conductor ? 0 : material->relative_permittivity - 1, sigma = conductor ? 0 : material->conductivity;
        double weighted[QUANTITY_LIMIT] = {e, e * e};
        memcpy(task->weighted.properties + m * quantities, weighted, quantities * sizeof(double));
        task->box.properties[m * BOX_QUANTITIES + SHARE] = conductor;
        task->box.properties[m * BOX_QUANTITIES + CONDUCTIVITY] = sigma;
        task->all_zero = task->all_zero && !conductor && sigma == 0;
    }
    return PW_OK;
}

static pw_status task_create(const struct floorplan *plan, const struct raster_grid *grid, enum averaging averaging,
                             struct raster_task *task, pw_error *error)
{
    *task = (struct raster_task){.plan = plan, .grid = *grid};
    task->weighted = (struct averaging_pass){.weight = weight_box(), .quantities = 1};
    task->box = (struct averaging_pass){.weight = weight_box(), .quantities = BOX_QUANTITIES};
    if (averaging == AVERAGING_MOMENT) {
        TRY(weight_moment(&task->weighted.weight, error));
    } else if (averaging == AVERAGING_BANDLIMITED) {
        TRY(weight_sinc(&task->weighted.weight, error));
        task->weighted.quantities = QUANTITY_LIMIT;
    }
    TRY(task_properties(plan, task, error));
    for (int m = 0; m < plan->material_count && task->touched == NULL; m++) {
        if (plan->materials[m].perfect_conductor) {
            task->touched = allocate((size_t)grid->nx * (size_t)grid->ny, 1, "the nodes at metal", error);
            TRY(task->touched != NULL ? PW_OK : PW_NO_RESOURCE);
        }
    }
    const struct slab_rows rows = {grid->origin.y, grid->cell, -REACH_ROWS, grid->ny + REACH_ROWS, SLABS_PER_CELL};
    return scanline_slabs(plan, &rows, &task->borders, &task->border_count, error);
}

/* Bands in parallel, their values collected in order, so that the palette does not depend on the number of threads. */
static pw_status raster_average(const struct raster_task *task, struct palette *palette, uint32_t *index,
                                pw_error *error)
{
    const int ny = task->grid.ny, bands = (ny + BAND_ROWS - 1) / BAND_ROWS;
    pw_status status = PW_OK;
#pragma omp parallel
    {
        struct raster_band band;
        pw_error own_error = {""};
        pw_status own_status = band_create(task, &band, &own_error);
#pragma omp for ordered schedule(dynamic, 1)
        for (int b = 0; b < bands; b++) {
            band.first = b * BAND_ROWS;
            band.rows = ny - band.first < BAND_ROWS ? ny - band.first : BAND_ROWS;
            if (own_status == PW_OK) {
                band_average(task, &band);
            }
#pragma omp ordered
            {
                if (own_status == PW_OK && status == PW_OK) {
                    own_status = band_collect(task, &band, palette, index, &own_error);
                }
                if (own_status != PW_OK && status == PW_OK) {
                    status = fail(error, own_status, "%s", own_error.message);
                }
            }
        }
        band_free(&band);
    }
    return status;
}

/* Point sampling: the material at the node itself. */
static pw_status raster_sample(const struct floorplan *plan, const struct raster_grid *grid, struct palette *palette,
                               uint32_t *index, pw_error *error)
{
    uint32_t *value = allocate((size_t)plan->material_count, sizeof *value, "the materials", error);
    if (value == NULL) {
        return PW_NO_RESOURCE;
    }
    pw_status status = PW_OK;
    for (int m = 0; m < plan->material_count && status == PW_OK; m++) {
        const struct material *material = &plan->materials[m];
        value[m] = (uint32_t)palette->conductor;
        if (!material->perfect_conductor) {
            status = palette_find(palette, material->relative_permittivity, material->conductivity, &value[m], error);
        }
    }
    if (status == PW_OK) {
#pragma omp parallel for schedule(dynamic, 16)
        for (int j = 0; j < grid->ny; j++) {
            double y = grid->origin.y + j * grid->cell;
            uint32_t *row = index + (size_t)j * (size_t)grid->nx;
            for (int i = 0; i < grid->nx; i++) {
                row[i] = value[floorplan_material_at(plan, grid->origin.x + i * grid->cell, y)];
            }
        }
    }
    free(value);
    return status;
}

static double largest_permittivity(const struct raster_grid *grid, const struct palette *palette, const uint32_t *index)
{
    const size_t nodes = (size_t)grid->nx * (size_t)grid->ny;
    double largest = 1;
    for (size_t n = 0; n < nodes; n++) {
        largest = fmax(largest, palette->values[index[n]].permittivity);
    }
    return largest;
}

static pw_status medium_fill(const struct floorplan *plan, const struct raster_grid *grid, enum averaging averaging,
                             struct palette *palette, uint32_t *index, struct medium *medium, pw_error *error)
{
    if (averaging == AVERAGING_POINT) {
        TRY(raster_sample(plan, grid, palette, index, error));
    } else {
        struct raster_task task;
        pw_status status = task_create(plan, grid, averaging, &task, error);
        if (status == PW_OK) {
            status = raster_average(&task, palette, index, error);
        }
        if (status == PW_OK && task.touched != NULL) {
            medium->largest_permittivity = largest_permittivity(grid, palette, index);
            status = mirror_place(plan, grid, task.touched, palette, index, error);
        }
        task_free(&task);
        TRY(status);
    }
    const size_t nodes = (size_t)grid->nx * (size_t)grid->ny;
    for (size_t n = 0; n < nodes; n++) {
        palette->values[index[n]].nodes++;
    }
    uint16_t *map = NULL;
    double largest = 1;
    TRY(palette_reduce(palette, medium, &map, error));
    for (size_t n = 0; n < nodes; n++) {
        medium->index[n] = map[index[n]];
    }
    free(map);
    for (int p = 0; p < medium->palette_count && !(medium->largest_permittivity > 0); p++) {
        largest = fmax(largest, medium->palette[p].relative_permittivity);
    }
    medium->largest_permittivity = fmax(largest, medium->largest_permittivity);
    return PW_OK;
}

pw_status raster_medium(const struct floorplan *plan, const struct raster_grid *grid, enum averaging averaging,
                        struct medium *medium, pw_error *error)
{
    *medium = (struct medium){.nx = grid->nx, .ny = grid->ny};
    if (grid->nx < 1 || grid->ny < 1 || !(grid->cell > 0) || !isfinite(grid->cell) || !isfinite(grid->origin.x) ||
        !isfinite(grid->origin.y) || grid->ny > INT32_MAX / SLABS_PER_CELL / 16) {
        return fail(error, PW_BAD_INPUT, "raster_medium: %d x %d nodes of %g m: all must be above 0 and finite",
                    grid->nx, grid->ny, grid->cell);
    }
    struct palette palette = {0};
    TRY(palette_create(plan, &palette, error));
    const size_t nodes = (size_t)grid->nx * (size_t)grid->ny;
    uint32_t *index = allocate(nodes, sizeof *index, "the raster", error);
    medium->index = allocate(nodes, sizeof *medium->index, "the medium", error);
    pw_status status = PW_NO_RESOURCE;
    if (index != NULL && medium->index != NULL) {
        status = medium_fill(plan, grid, averaging, &palette, index, medium, error);
    }
    free(index);
    palette_free(&palette);
    if (status != PW_OK) {
        medium_free(medium);
    }
    return status;
}

void medium_free(struct medium *medium)
{
    free(medium->index);
    free(medium->palette);
    *medium = (struct medium){0};
}
