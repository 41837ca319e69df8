/* See formulation.h. */
#include "discretize/formulation.h"

#include "discretize/edges.h"
#include "discretize/setup_common.h"
#include "discretize/volume/volume.h"
#include "medium/shares.h"

/* ---- grids ------------------------------------------------------------------------------------------------------- */

static void grid_of_ez(struct problem *problem, const int cells[3], double cell)
{
    problem_set_grid(problem, cells[0], cells[1], cell);
}

static void grid_of_layer(struct problem *problem, const int cells[3], double cell)
{
    problem_set_layer(problem, cells[0], cells[1], cell);
}

static void grid_of_volume(struct problem *problem, const int cells[3], double cell)
{
    problem_set_volume(problem, cells[0], cells[1], cells[2], cell);
}

/* ---- media ------------------------------------------------------------------------------------------------------- */

/* Another set-up may have had the same medium. */
static pw_status raster_ez(struct setup *setup, struct raster_grid *grid, struct setup_common *common, pw_error *error)
{
    ez_rows_clear(setup, grid);
    TRY(setup_medium_take(setup, grid, common)
            ? PW_OK
            : raster_medium(&setup->plan, grid, setup->scenario->grid.averaging, &setup->medium, error));
    return edges_check_planes(setup, grid, error);
}

static pw_status raster_layer(struct setup *setup, struct raster_grid *grid, struct setup_common *common,
                              pw_error *error)
{
    (void)common;
    TRY(volume_raster(setup, grid, error));
    return edges_check_planes(setup, grid, error);
}

static pw_status raster_volume(struct setup *setup, struct raster_grid *grid, struct setup_common *common,
                               pw_error *error)
{
    (void)common;
    return volume_raster(setup, grid, error);
}

static pw_status volume_find_shares(struct setup *setup, const struct raster_grid *plane, bool sampled, pw_error *error)
{
    const struct raster_volume volume = volume_grid(setup, plane);
    return volume_shares_create(&setup->building, &volume, sampled, &setup->dispersive.shares, error);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void no_planes(struct setup *setup)
{
    (void)setup;
}

static const struct setup_formulation EZ = {.components = 1,
                                            .electric = 1,
                                            .moved = 1,
                                            .set_grid = grid_of_ez,
                                            .raster = raster_ez,
                                            .find_shares = nodes_find_shares,
                                            .add_source = nodes_add_source,
                                            .add_receivers = nodes_add_receivers,
                                            .choose_planes = no_planes,
                                            .choose_points = nodes_choose_points,
                                            .lattice_receivers = nodes_lattice_receivers},
                                      LAYER = {.components = 3,
                                               .electric = 2,
                                               .moved = 1.5,
                                               .set_grid = grid_of_layer,
                                               .raster = raster_layer,
                                               .find_shares = volume_find_shares,
                                               .add_source = volume_add_source,
                                               .add_receivers = volume_add_receivers,
                                               .choose_planes = volume_choose_components,
                                               .choose_points = volume_choose_layer,
                                               .lattice_receivers = volume_lattice_receivers},
                                      VOLUME = {.components = 3,
                                                .electric = 3,
                                                .moment = true,
                                                .moved = 3,
                                                .set_grid = grid_of_volume,
                                                .raster = raster_volume,
                                                .find_shares = volume_find_shares,
                                                .add_source = volume_add_source,
                                                .add_receivers = volume_add_receivers,
                                                .choose_planes = volume_choose_heights,
                                                .choose_points = volume_choose_sheets,
                                                .lattice_receivers = volume_lattice_receivers};

const struct setup_formulation *setup_formulation_of(const struct scenario *scenario)
{
    return scenario->dimensions == 3 ? &VOLUME : scenario->horizontal ? &LAYER : &EZ;
}
