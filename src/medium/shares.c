/* Shares of dispersive materials (shares.h): a material's share is the average of a plan in which it has a relative
 * permittivity of 2 and everything else has 1, less one. */
#include "medium/shares.h"

#include "medium/raster_band.h"

#include <stdlib.h>
#include <string.h>

/* Shares that differ from none or all by rounding. */
static const float ROUNDING = 1e-5F;

void medium_shares_free(struct medium_shares *shares)
{
    FREE_ALL(shares->material, shares->share, shares->any);
    for (int c = 0; c < 3; c++) {
        free(shares->layer[c]);
    }
    *shares = (struct medium_shares){0};
}

pw_status shares_list_materials(const struct floorplan *plan, struct medium_shares *shares, pw_error *error)
{
    shares->material = allocate((size_t)plan->material_count, sizeof *shares->material, "dispersive materials", error);
    TRY_MADE(shares->material);
    for (int m = 0; m < plan->material_count; m++) {
        if (plan->materials[m].dispersion.pole_count > 0) {
            shares->material[shares->count++] = (uint16_t)m;
        }
    }
    return PW_OK;
}

pw_status shares_allocate(struct medium_shares *shares, pw_error *error)
{
    size_t nodes = (size_t)shares->nx * (size_t)shares->ny;
    shares->share = allocate((size_t)shares->count * (size_t)shares->layer_count * nodes, sizeof *shares->share,
                             "the shares of dispersive materials", error);
    shares->any = allocate((size_t)shares->count * (size_t)shares->layer_count * (size_t)shares->ny,
                           sizeof *shares->any, "the shares of dispersive materials", error);
    return shares->share != NULL && shares->any != NULL ? PW_OK : PW_NO_RESOURCE;
}

/* ---- one plane --------------------------------------------------------------------------------------------------- */

static float snapped(float share)
{
    return share < ROUNDING ? 0 : share > 1 - ROUNDING ? 1 : share;
}

/* Where what is found in a plane goes: to values, or where that is NULL to the shares of material d in two dimensions.
 */
struct plane_out {
    double *values; /* (ny, nx) */
    const struct medium_shares *shares;
    int d, nx;
};

/* Zeros are there already: what nobody writes to takes no memory, and most of a large plan is air. */
static void row_put(const struct plane_out *out, int j, const double *row)
{
    if (out->values != NULL) {
        memcpy(out->values + (size_t)j * (size_t)out->nx, row, (size_t)out->nx * sizeof *row);
        return;
    }
    float *share = (float *)share_row(out->shares, out->d, 0, j);
    for (int i = 0; i < out->nx; i++) {
        const float own = snapped((float)row[i]);
        if (own > 0) {
            share[i] = own;
            *share_any(out->shares, out->d, 0, j) = true;
        }
    }
}

static pw_status plane_sample(const struct floorplan *plan, const struct raster_grid *grid, uint16_t material,
                              const struct plane_out *out, pw_error *error)
{
    pw_status status = PW_OK;
#pragma omp parallel
    {
        pw_error own_error = {""};
        double *row = allocate((size_t)grid->nx, sizeof *row, "dispersive materials", &own_error);
#pragma omp for schedule(dynamic, 16)
        for (int j = 0; j < grid->ny; j++) {
            for (int i = 0; i < grid->nx && row != NULL; i++) {
                row[i] = floorplan_material_at(plan, grid->origin.x + i * grid->cell,
                                               grid->origin.y + j * grid->cell) == material;
            }
            if (row != NULL) {
                row_put(out, j, row);
            }
        }
#pragma omp critical
        if (row == NULL && status == PW_OK) {
            status = fail(error, PW_NO_RESOURCE, "%s", own_error.message);
        }
        free(row);
    }
    return status;
}

/* `plan` has a permittivity of 2 where the material is. */
static pw_status plane_average(const struct floorplan *plan, const struct raster_grid *grid,
                               const struct plane_out *out, pw_error *error)
{
    const int bands = (grid->ny + BAND_ROWS - 1) / BAND_ROWS;
    struct raster_task task;
    pw_status status = raster_task_create(plan, grid, AVERAGING_AREA, &task, error);
#pragma omp parallel
    {
        struct raster_band band = {0};
        pw_error own_error = {""};
        pw_status own_status = status == PW_OK ? raster_band_create(&task, &band, &own_error) : PW_OK;
#pragma omp for schedule(dynamic, 1)
        for (int b = 0; b < bands; b++) {
            band.first = b * BAND_ROWS;
            band.rows = grid->ny - band.first < BAND_ROWS ? grid->ny - band.first : BAND_ROWS;
            if (status == PW_OK && own_status == PW_OK) {
                raster_band_average(&task, &band);
                for (int j = 0; j < band.rows; j++) {
                    row_put(out, band.first + j, band.weighted + (size_t)j * (size_t)grid->nx);
                }
            }
        }
#pragma omp critical
        if (own_status != PW_OK && status == PW_OK) {
            status = fail(error, own_status, "%s", own_error.message);
        }
        raster_band_free(&band);
    }
    raster_task_free(&task);
    return status;
}

static pw_status average_marked(const struct floorplan *plan, const struct raster_grid *grid, const bool *marked,
                                const struct plane_out *out, pw_error *error)
{
    struct floorplan changed = *plan;
    changed.materials = allocate((size_t)plan->material_count, sizeof *changed.materials, "shares of materials", error);
    TRY_MADE(changed.materials);
    for (int m = 0; m < plan->material_count; m++) {
        changed.materials[m].relative_permittivity = marked[m] ? 2 : 1;
    }
    pw_status status = plane_average(&changed, grid, out, error);
    free(changed.materials);
    return status;
}

static pw_status find_plane(const struct floorplan *plan, const struct raster_grid *grid, uint16_t material,
                            bool sampled, const struct plane_out *out, pw_error *error)
{
    if (sampled) {
        return plane_sample(plan, grid, material, out, error);
    }
    OWNED bool *marked = allocate((size_t)plan->material_count, sizeof *marked, "dispersive materials", error);
    TRY_MADE(marked);
    marked[material] = true;
    return average_marked(plan, grid, marked, out, error);
}

pw_status shares_of_marked(const struct floorplan *plan, const struct raster_grid *grid, const bool *marked,
                           double *out, pw_error *error)
{
    struct plane_out plane = {.nx = grid->nx};
    plane.values = out;
    return average_marked(plan, grid, marked, &plane, error);
}

pw_status shares_of_plane(const struct floorplan *plan, const struct raster_grid *grid, uint16_t material, bool sampled,
                          double *out, pw_error *error)
{
    struct plane_out plane = {.nx = grid->nx};
    plane.values = out;
    return find_plane(plan, grid, material, sampled, &plane, error);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

void shares_add(const struct medium_shares *shares, int d, int layer, const double *plane, double weight)
{
    float *share = (float *)share_row(shares, d, layer, 0);
#pragma omp parallel for schedule(static)
    for (size_t n = 0; n < (size_t)shares->nx * (size_t)shares->ny; n++) {
        share[n] += (float)(weight * plane[n]);
    }
}

void shares_snap(const struct medium_shares *shares)
{
    const size_t rows = (size_t)shares->count * (size_t)shares->layer_count * (size_t)shares->ny;
#pragma omp parallel for schedule(static)
    for (size_t r = 0; r < rows; r++) {
        float *share = shares->share + r * (size_t)shares->nx;
        for (int i = 0; i < shares->nx; i++) {
            share[i] = snapped(share[i]);
            shares->any[r] = shares->any[r] || share[i] > 0;
        }
    }
}

pw_status medium_shares_create(const struct floorplan *plan, const struct raster_grid *grid, bool sampled,
                               struct medium_shares *shares, pw_error *error)
{
    *shares = (struct medium_shares){.nx = grid->nx, .ny = grid->ny, .nz = 1, .layer_count = 1};
    TRY(shares_list_materials(plan, shares, error));
    if (shares->count == 0) {
        return PW_OK;
    }
    TRY(shares_allocate(shares, error));
    for (int d = 0; d < shares->count; d++) {
        const struct plane_out out = {.shares = shares, .d = d, .nx = grid->nx};
        TRY(find_plane(plan, grid, shares->material[d], sampled, &out, error));
    }
    return PW_OK;
}
