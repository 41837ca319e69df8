/* From a floor plan to the medium at the nodes (raster.h). The plan is cut into slabs (scanline.h), which are averaged
 * over bands of rows (raster_band.h), so that the memory is that of the result; here the averages become mixtures, and
 * the mixtures a palette. */
#include "medium/raster.h"

#include "medium/metal/metal_hold.h"
#include "medium/mixture.h"
#include "medium/raster_band.h"
#include "medium/scanline.h"
#include "medium/sheet/sheets.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- nodes ---- */

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

/* Less of a weight than this outside of metal says little of what stands there: then the box is asked. */
static const double LITTLE = 0.5;

/* What a node has outside of metal: permittivity less one and conductivity, of which the averages take metal as air. */
static void leave_metal_out(const struct raster_task *task, const double *average, const double *box,
                            double *permittivity, double *conductivity)
{
    const size_t nx = (size_t)task->grid.nx;
    const double weight = 1 - average[(task->weighted.quantities - 1) * nx], part = 1 - box[SHARE * nx];
    if (part < 1 && part > 1e-9) {
        *conductivity /= part;
    }
    if (weight >= LITTLE) {
        *permittivity /= weight;
    } else if (part > 1e-9) {
        *permittivity = box[BOX_QUANTITIES * nx] / part;
    }
}

static enum metal_touch touch_of(double share)
{
    return share >= 1 - 1e-9 ? METAL_ALL : share >= 0.5 - 1e-9 ? METAL_HALF : share > 1e-9 ? METAL_SOME : METAL_NONE;
}

/* Values of the band into the table of mixtures and their indices into `index` (ny, nx). Nodes that metal half fills
 * are conductors, and where it may stand between the nodes those alone that it fills. */
static pw_status band_collect(struct raster_task *task, const struct raster_band *band, struct mixture_table *table,
                              uint32_t *index, pw_error *error)
{
    const size_t nx = (size_t)task->grid.nx;
    const bool variance = task->squares && task->grid.wave_number > 0;
    for (int j = 0; j < band->rows; j++) {
        const double *row = band->weighted + (size_t)j * task->weighted.quantities * nx;
        const double *box = band->box + (size_t)j * task->box.quantities * nx;
        uint32_t *out = index + (size_t)(band->first + j) * nx;
        uint8_t *touched = task->touched != NULL ? task->touched + (size_t)(band->first + j) * nx : NULL;
        double last_permittivity = NAN, last_conductivity = NAN;
        for (size_t i = 0; i < nx; i++) {
            double permittivity = row[i], conductivity = box[CONDUCTIVITY * nx + i];
            const enum metal_touch touch = touch_of(box[SHARE * nx + i]);
            if (variance && permittivity != 0) {
                permittivity += added_variance(task, row + i);
            }
            if (task->metal && (permittivity != 0 || conductivity != 0)) {
                leave_metal_out(task, row + i, box + i, &permittivity, &conductivity);
            }
            if (1 + permittivity < task->least) {
                permittivity = task->least - 1;
                task->raised_nodes++;
            }
            if (touched != NULL) {
                touched[i] = (uint8_t)touch;
            }
            if (touch == METAL_ALL || (touch == METAL_HALF && !task->metal)) {
                out[i] = (uint32_t)table->conductor;
                permittivity = NAN; /* the next node looks for itself */
            } else if (permittivity == last_permittivity && conductivity == last_conductivity) {
                out[i] = out[i - 1];
            } else {
                TRY(mixture_find(table, 1 + permittivity, conductivity, &out[i], error));
            }
            last_permittivity = permittivity;
            last_conductivity = conductivity;
        }
    }
    return PW_OK;
}

/* ---- the whole ---- */

pw_status raster_still_wanted(const struct raster_grid *grid, pw_error *error)
{
    return omp_get_thread_num() > 0 || grid->asked_for == NULL || scenario_is_wanted(grid->asked_for)
               ? PW_OK
               : fail(error, PW_INTERRUPTED, "stopped while walls were averaged");
}

/* Bands in parallel, their values collected in order, so that the order of the mixtures does not depend on the number
 * of threads. */
static pw_status raster_average(struct raster_task *task, struct mixture_table *table, uint32_t *index, pw_error *error)
{
    const int ny = task->grid.ny, bands = (ny + BAND_ROWS - 1) / BAND_ROWS;
    pw_status status = PW_OK;
    atomic_bool ended = false;
#pragma omp parallel
    {
        struct raster_band band;
        pw_error own_error = {""};
        pw_status own_status = raster_band_create(task, &band, &own_error);
#pragma omp for ordered schedule(dynamic, 1)
        for (int b = 0; b < bands; b++) {
            band.first = b * BAND_ROWS;
            band.rows = ny - band.first < BAND_ROWS ? ny - band.first : BAND_ROWS;
            THEN(own_status, raster_still_wanted(&task->grid, &own_error));
            if (own_status == PW_OK && !atomic_load(&ended)) {
                raster_band_average(task, &band);
                /* Each thread has its pages laid out; the others would wait for one that does it while it collects. */
                memset(index + (size_t)band.first * (size_t)task->grid.nx, 0,
                       (size_t)band.rows * (size_t)task->grid.nx * sizeof *index);
            }
#pragma omp ordered
            {
                if (own_status == PW_OK && status == PW_OK) {
                    own_status = band_collect(task, &band, table, index, &own_error);
                }
                if (own_status != PW_OK && status == PW_OK) {
                    status = fail(error, own_status, "%s", own_error.message);
                    atomic_store(&ended, true);
                }
            }
        }
        raster_band_free(&band);
    }
    return status;
}

/* Point sampling: the material at the node itself. */
static pw_status raster_sample(const struct floorplan *plan, const struct raster_grid *grid,
                               struct mixture_table *table, uint32_t *index, pw_error *error)
{
    OWNED uint32_t *value = allocate((size_t)plan->material_count, sizeof *value, "the materials", error);
    TRY_MADE(value);
    for (int m = 0; m < plan->material_count; m++) {
        const struct material *material = &plan->materials[m];
        value[m] = (uint32_t)table->conductor;
        if (!material->perfect_conductor) {
            TRY(mixture_find(table, material->relative_permittivity, material->conductivity, &value[m], error));
        }
    }
#pragma omp parallel for schedule(dynamic, 16)
    for (int j = 0; j < grid->ny; j++) {
        double y = grid->origin.y + j * grid->cell;
        uint32_t *row = index + (size_t)j * (size_t)grid->nx;
        for (int i = 0; i < grid->nx; i++) {
            row[i] = value[floorplan_material_at(plan, grid->origin.x + i * grid->cell, y)];
        }
    }
    return PW_OK;
}

/* How many nodes each mixture has: along rows mostly many alike. */
static void count_nodes(const struct raster_grid *grid, const uint32_t *index, struct mixture_table *table)
{
#pragma omp parallel for schedule(static)
    for (int j = 0; j < grid->ny; j++) {
        const uint32_t *row = index + (size_t)j * (size_t)grid->nx;
        for (int i = 0, end = 0; i < grid->nx; i = end) {
            while (end < grid->nx && row[end] == row[i]) {
                end++;
            }
#pragma omp atomic
            table->values[row[i]].nodes += end - i;
        }
    }
}

/* Averages, metal at its place; thin lossy layers have their loss elsewhere (sheets.h). */
static pw_status nodes_fill(const struct floorplan *plan, const struct raster_grid *grid, enum averaging averaging,
                            struct mixture_table *table, uint32_t *index, struct medium *medium, pw_error *error)
{
    if (averaging == AVERAGING_POINT) {
        TRY(raster_sample(plan, grid, table, index, error));
    } else {
        struct raster_task task;
        pw_status status = raster_task_create(plan, grid, averaging, &task, error);
        if (status == PW_OK && task.metal) {
            task.touched = allocate((size_t)grid->nx * (size_t)grid->ny, 1, "the nodes at metal", error);
            status = task.touched != NULL ? PW_OK : PW_NO_RESOURCE;
        }
        if (status == PW_OK) {
            status = raster_average(&task, table, index, error);
            medium->raised_nodes = task.raised_nodes;
        }
        if (status == PW_OK && task.touched != NULL) {
            metal_hold(plan, grid, task.touched, (uint32_t)table->conductor, index);
        }
        raster_task_free(&task);
        TRY(status);
    }
    return PW_OK;
}

static pw_status medium_fill(const struct floorplan *plan, const struct raster_grid *grid, enum averaging averaging,
                             struct mixture_table *table, uint32_t *index, struct medium *medium, pw_error *error)
{
    struct sheet_list list;
    pw_status filled = sheets_find(plan, grid, false, &list, error);
    THEN(filled, nodes_fill(&list.lossless, grid, averaging, table, index, medium, error));
    THEN(filled, sheets_place(plan, grid, averaging, &list, table, index, &medium->sheet_miss, error));
    sheets_free(&list);
    TRY(filled);
    count_nodes(grid, index, table);
    const size_t nodes = (size_t)grid->nx * (size_t)grid->ny;
    uint16_t *map = NULL;
    TRY(mixture_table_reduce(table, PALETTE_LIMIT, medium, &map, error));
#pragma omp parallel for schedule(static)
    for (size_t n = 0; n < nodes; n++) {
        medium->index[n] = map[index[n]];
    }
    free(map);
    return PW_OK;
}

pw_status raster_medium(const struct floorplan *plan, const struct raster_grid *grid, enum averaging averaging,
                        struct medium *medium, pw_error *error)
{
    *medium = (struct medium){.nx = grid->nx, .ny = grid->ny};
    FAIL_IF(grid->nx < 1 || grid->ny < 1 || !(grid->cell > 0) || !isfinite(grid->cell) || !isfinite(grid->origin.x) ||
                !isfinite(grid->origin.y) || grid->ny > INT32_MAX / SLABS_PER_CELL / 16,
            error, PW_BAD_INPUT, "raster_medium: %d x %d nodes of %g m: all must be above 0 and finite", grid->nx,
            grid->ny, grid->cell);
    struct mixture_table table = {0};
    TRY(mixture_table_create(plan, &table, error));
    const size_t nodes = (size_t)grid->nx * (size_t)grid->ny;
    uint32_t *index = allocate(nodes, sizeof *index, "the raster", error);
    medium->index = allocate(nodes, sizeof *medium->index, "the medium", error);
    pw_status status = PW_NO_RESOURCE;
    if (index != NULL && medium->index != NULL) {
        status = medium_fill(plan, grid, averaging, &table, index, medium, error);
    }
    free(index);
    mixture_table_free(&table);
    if (status != PW_OK) {
        medium_free(medium);
    }
    return status;
}

void medium_free(struct medium *medium)
{
    FREE_ALL(medium->index, medium->sheet_edges);
    for (int c = 0; c < 3; c++) {
        free(medium->layer[c]);
    }
    FREE_ALL(medium->tensor, medium->palette);
    *medium = (struct medium){0};
}

double raster_border_at(const struct building *building, const struct raster_volume *volume, int b)
{
    if (b <= 0) {
        return -INFINITY;
    }
    if (b >= building->band_count) {
        return INFINITY;
    }
    const double border = scanline_snap((building->borders[b - 1] - volume->origin_z) / volume->plane.cell);
    if (volume->wall[0] && border <= 0) {
        return -INFINITY;
    }
    return volume->wall[1] && border > volume->nz - 2 ? INFINITY : border;
}
