/* Grid and medium in three dimensions (volume.h). */
#include "discretize/volume/volume.h"
#include "base/constants.h"
#include "medium/metal/metal_mass.h"

#include <math.h>
#include <stdio.h>

/* Cells of air over and under the building, before the absorber begins: the averages of its outer faces reach so far,
 * and in the absorber nothing may change along z. */
enum { CLEARANCE = 4 };

double volume_height(double height)
{
    return isnan(height) ? USUAL_HEIGHT : height;
}

double volume_level(const struct setup *setup, double height)
{
    return setup_is_3d(setup) ? volume_height(height) : 0;
}

pw_status volume_building(struct setup *setup, bool strict, pw_error *error)
{
    setup->building = (struct building){.band_count = 1, .bands = &setup->plan};
    return setup_is_3d(setup) ? building_create(setup->scenario, strict, &setup->warnings, &setup->building, error)
                              : PW_OK;
}

/* Where an end is a wall, the building ends on it. */
static int clearance(const struct setup *setup, int axis, int end)
{
    return axis == 2 && setup_is_3d(setup) && setup_absorber_cells(setup, axis, end) > 0 ? CLEARANCE : 0;
}

/* Cells before the building along an axis: none where its low end is a plane of symmetry. */
static int cells_before(const struct setup *setup, int axis)
{
    const struct grid_choice *grid = &setup->scenario->grid;
    return grid->symmetric[axis] ? 0 : setup_absorber_cells(setup, axis, 0) + clearance(setup, axis, 0);
}

double volume_length(const struct setup *setup, int axis)
{
    return (const double[]){setup->plan.width, setup->plan.height, setup->building.high - setup->building.low}[axis];
}

/* Cells along an axis from one end of the building to the other. */
static double cells_inside(const struct setup *setup, int axis, double cell)
{
    const double slack = 1e-3; /* of a cell: a rest under it is rounding of the input */
    return ceil(volume_length(setup, axis) / cell - slack);
}

double volume_cells(const struct setup *setup, int axis, double cell)
{
    return cells_inside(setup, axis, cell) + cells_before(setup, axis) + setup_absorber_cells(setup, axis, 1) +
           clearance(setup, axis, 1);
}

double volume_wall_beyond(const struct setup *setup, int axis, double cell)
{
    const bool wall = axis < setup->scenario->dimensions && setup_absorber_cells(setup, axis, 1) == 0;
    return wall ? fmax(cells_inside(setup, axis, cell) * cell - volume_length(setup, axis), 0) : 0;
}

void volume_place_grid(struct setup *setup)
{
    const double cell = setup->scenario->grid.cell;
    for (int a = 0; a < 3; a++) {
        setup->problem.axis[a].low.symmetric = setup->scenario->grid.symmetric[a];
    }
    setup->origin = (struct point){-cells_before(setup, 0) * cell, -cells_before(setup, 1) * cell};
    setup->origin_z = setup->building.low - cells_before(setup, 2) * cell;
}

static double grid_cells(const struct setup *setup, double cell)
{
    return volume_cells(setup, 0, cell) * volume_cells(setup, 1, cell) * volume_cells(setup, 2, cell);
}

/* The absorber has as many cells whatever their size, and the points of the spectra go with the square. */
bool volume_say_what_fits(const struct setup *setup, double needed, double usable, char *advice, size_t size)
{
    if (!setup_is_3d(setup) || usable <= 0) {
        return false;
    }
    const struct spectra *spectra = &setup->problem.spectra;
    const double cell = setup->problem.axis[0].spacing, finest = 1.005, coarsest = 100; /* three digits are said */
    const double values = 2.0 * spectra->frequency_count + (spectra->frequency_count > 0 ? spectra_group(spectra) : 0);
    const double sums = fmin(values * spectra->rows * (double)problem_value_size(&setup->problem), needed);
    const double rest = (needed - sums) / grid_cells(setup, cell);
    double scale = finest;
    while (scale < coarsest && rest * grid_cells(setup, scale * cell) + sums / (scale * scale) > usable) {
        scale *= finest;
    }
    snprintf(advice, size, "cells of %.3g cm would fit, or a band around %.3g MHz with as many cells a wavelength",
             100 * scale * finest * cell, 1e-6 * setup->scenario->band_centre / (scale * finest));
    return scale < coarsest;
}

struct raster_volume volume_grid(const struct setup *setup, const struct raster_grid *plane)
{
    return (struct raster_volume){
        .plane = *plane,
        .nz = setup->problem.axis[2].count,
        .origin_z = setup->origin_z,
        .wall = {cells_before(setup, 2) == 0, setup_absorber_cells(setup, 2, 1) + clearance(setup, 2, 1) == 0}};
}

/* The places that metal may cut: so far from the absorber that no difference of theirs has a filter; of a layer, where
 * faces borrow from others, of a neighbour neither. */
static void find_clear(const struct setup *setup, int axes, int *first, int *end)
{
    for (int a = 0; a < axes; a++) {
        const int clear = setup->problem.reach + (axes < 3 ? 3 : 0);
        const int low = setup_absorber_cells(setup, a, 0), high = setup_absorber_cells(setup, a, 1);
        first[a] = low > 0 ? low + clear : 0;
        end[a] = setup->problem.axis[a].count - (high > 0 ? high + clear : 0);
    }
}

/* In three dimensions. */
static pw_status find_cuts(struct setup *setup, const struct raster_grid *plane, struct raster_volume *volume,
                           pw_error *error)
{
    bool metal = false;
    for (int b = 0; b < setup->building.band_count; b++) {
        metal = metal || floorplan_has_metal(&setup->building.bands[b]);
    }
    if (!metal || setup->scenario->grid.averaging == AVERAGING_POINT) {
        return PW_OK;
    }
    find_clear(setup, 3, setup->cuts.first, setup->cuts.end);
    volume->cuts = &setup->cuts;
    TRY(metal_volume_create(&setup->building, volume, &setup->cuts, error));
    return metal_mass_settle(&setup->cuts, &setup->building, plane, error);
}

/* Horizontal polarisation. `grid.averaging: point` leaves metal on the nodes. */
static pw_status find_cut_cells(struct setup *setup, const struct raster_grid *plane, pw_error *error)
{
    const struct floorplan *plan = &setup->plan;
    if (setup->scenario->grid.averaging == AVERAGING_POINT) {
        return PW_OK;
    }
    find_clear(setup, 2, setup->metal.first, setup->metal.end);
    setup->metal.limit =
        1 / (setup->stencil.courant_limit * setup->stencil.courant_limit * setup->stencil.second_moment);
    TRY(floorplan_has_metal(plan) ? metal_cells_create(plan, plane, &setup->metal, error) : PW_OK);
    return sheet_cells_place(plan, plane, &setup->metal, error);
}

pw_status volume_raster(struct setup *setup, const struct raster_grid *plane, pw_error *error)
{
    struct raster_volume volume = volume_grid(setup, plane);
    struct medium *medium = &setup->medium;
    TRY(setup->scenario->horizontal ? find_cut_cells(setup, plane, error) : find_cuts(setup, plane, &volume, error));
    volume.metal = setup->metal.edge[0] != NULL ? &setup->metal : NULL;
    TRY(raster_building(&setup->building, &volume, setup->scenario->grid.averaging, medium, error));
    setup->problem.layer_count = medium->layer_count; /* shared: the medium owns them */
    for (int c = 0; c < 3; c++) {
        setup->problem.layer[c] = medium->layer[c];
    }
    return PW_OK;
}

/* Whether all faces of a shape of the plan stand on nodes. */
static bool stands_on_nodes(const struct setup *setup, const struct outline *outline)
{
    const double slack = 0.01, cell = setup->problem.axis[0].spacing;
    bool on = !outline->oblique;
    for (int n = 0; on && n < outline->point_count; n++) {
        const double column = (outline->points[n].x - setup->origin.x) / cell,
                     row = (outline->points[n].y - setup->origin.y) / cell;
        on = fabs(column - round(column)) < slack && fabs(row - round(row)) < slack;
    }
    return on;
}

/* How many parts of the plan are of metal with faces off the nodes. Where metal stands in a picture is not told from
 * its pixels: the picture counts as one. */
static int staircases(const struct setup *setup)
{
    const struct floorplan *plan = &setup->plan;
    const int64_t pixels = plan->pixels != NULL ? (int64_t)plan->pixel_rows * plan->pixel_columns : 0;
    int count = 0;
    for (int64_t n = 0; n < pixels && count == 0; n++) {
        count = plan->materials[plan->pixels[n]].perfect_conductor ? 1 : 0;
    }
    for (int n = 0; n < plan->shape_count; n++) {
        const bool metal = plan->materials[plan->shape_material[n]].perfect_conductor;
        count += metal && !stands_on_nodes(setup, &plan->outlines[n]) ? 1 : 0;
    }
    return count;
}

void volume_warn_staircase(struct setup *setup)
{
    const bool cut = setup->metal.edge[0] != NULL;
    const int count = setup->scenario->horizontal && !cut ? staircases(setup) : 0;
    if (count > 0) {
        warn(&setup->warnings,
             "%d part%s of the plan %s metal that is not aligned with the grid, and with 'grid.averaging: point' and "
             "horizontal polarisation metal is a staircase of held edges: the field around a round post of metal is "
             "7 %% off at 20 cells a wavelength, which the forecast of the error does not know; other averagings put "
             "metal at its place",
             count, count == 1 ? "" : "s", count == 1 ? "is" : "are");
    }
}

/* Further than a stencil's reach from the absorber, which the problem does not have yet, and from the ends. */
static bool is_clear(const struct setup *setup, int axis, int64_t at)
{
    const struct axis *own = &setup->problem.axis[axis];
    int64_t reach = setup->problem.reach, low = setup_absorber_cells(setup, axis, 0),
            high = setup_absorber_cells(setup, axis, 1);
    return own->uniform || (at >= low + reach && at < own->count - high - reach);
}

pw_status volume_special_places(struct setup *setup, pw_error *error)
{
    struct problem *problem = &setup->problem;
    const struct medium *medium = &setup->medium;
    const struct axis *axis = problem->axis;
    TRY(volume_metal_rows_of(setup, error));
    TRY(volume_cut_rows(setup, error));
    if (medium->tensor_count == 0) {
        return PW_OK;
    }
    problem->tensor_nodes =
        allocate((size_t)medium->tensor_count, sizeof *problem->tensor_nodes, "tilted walls", error);
    TRY_MADE(problem->tensor_nodes);
    const struct coefficient_step step = setup_coefficient_step(setup);
    double k = SPEED_OF_LIGHT * step.time_step / step.cell;
    for (int64_t t = 0; t < medium->tensor_count; t++) {
        const struct medium_tensor *from = &medium->tensor[t];
        int64_t i = from->node % axis[0].count, j = from->node / axis[0].count % axis[1].count,
                level = from->node / axis[0].count / axis[1].count;
        if (is_clear(setup, 0, i) && is_clear(setup, 1, j) && is_clear(setup, 2, level) &&
            (setup->metal.beside == NULL || !setup->metal.beside[from->node])) {
            problem->tensor_nodes[problem->tensor_count++] =
                (struct tensor_node){.node = from->node,
                                     .from = (enum component)from->from,
                                     .to = (enum component)from->to,
                                     .coefficient = k * k * step.laplacian_tap * from->inverse_permittivity};
        }
    }
    return PW_OK;
}
