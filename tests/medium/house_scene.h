/* A building of shapes alone, rasterized in three dimensions: for tests of the medium at the nodes of E. */
#ifndef HOUSE_SCENE_H
#define HOUSE_SCENE_H

#include "tests/support/shape_scene.h"

#include "base/constants.h"

#include <math.h>
#include <stdlib.h>

enum { HOUSE_BANDS = 5, EVERY_SHAPE = -1 };

/* Each band has some of the shapes of one scene, so that all have the same materials. */
struct house {
    struct scene scene;
    struct floorplan bands[HOUSE_BANDS];
    double borders[HOUSE_BANDS - 1];
    struct outline outlines[HOUSE_BANDS][SCENE_SHAPES];
    uint16_t materials[HOUSE_BANDS][SCENE_SHAPES];
    struct building building;
    struct medium medium;
};

static inline void house_start(struct house *house, double width, double height)
{
    memset(house, 0, sizeof *house);
    scene_start(&house->scene, width, height);
    house->building = (struct building){.borders = house->borders, .bands = house->bands};
}

/* When all shapes are there. */
static inline void house_plan(struct house *house)
{
    struct scene *scene = &house->scene;
    pw_status status = floorplan_create(&scene->scenario, false, &scene->warnings, &scene->plan, &scene->error);
    assert_string_equal(status == PW_OK ? "" : scene->error.message, "");
}

/* The next band, from `from` [m] on, with the shapes whose bits are set. */
static inline void house_band(struct house *house, double from, int shapes)
{
    int b = house->building.band_count++;
    struct floorplan *band = &house->bands[b];
    *band = house->scene.plan;
    band->outlines = house->outlines[b];
    band->shape_material = house->materials[b];
    band->shape_count = 0;
    for (int s = 0; s < house->scene.plan.shape_count; s++) {
        if (shapes >> s & 1) {
            band->outlines[band->shape_count] = house->scene.plan.outlines[s];
            band->shape_material[band->shape_count++] = house->scene.plan.shape_material[s];
        }
    }
    if (b > 0) {
        house->borders[b - 1] = from;
    }
}

static inline struct raster_volume volume_of(int nx, int ny, int nz, double cell, double x, double y, double z)
{
    struct raster_volume volume = {.plane = grid_of(nx, ny, cell, x, y), .nz = nz, .origin_z = z};
    volume.plane.wave_number = 2 * M_PI * 2.4e9 / SPEED_OF_LIGHT;
    return volume;
}

static inline void house_raster(struct house *house, struct raster_volume volume, enum averaging averaging)
{
    medium_free(&house->medium);
    pw_status status = raster_building(&house->building, &volume, averaging, &house->medium, &house->scene.error);
    assert_string_equal(status == PW_OK ? "" : house->scene.error.message, "");
    assert_true(house->medium.palette[0].relative_permittivity == 1 && house->medium.palette[0].conductivity == 0);
}

static inline void house_end(struct house *house)
{
    medium_free(&house->medium);
    scene_end(&house->scene);
}

static inline struct medium_entry component_at(const struct house *house, int c, int i, int j, int k)
{
    const struct medium *medium = &house->medium;
    size_t layer = (size_t)medium->layer[c][k], row = layer * (size_t)medium->ny + (size_t)j;
    return medium->palette[medium->index[row * (size_t)medium->nx + (size_t)i]];
}

static inline void assert_near(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance)) {
        fail_msg("%.12g where %.12g is wanted", value, wanted);
    }
}

#endif
