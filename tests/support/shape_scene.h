/* A plan of shapes alone, rasterized: for tests of the medium at the nodes. */
#ifndef SHAPE_SCENE_H
#define SHAPE_SCENE_H

#include "tests/support/check.h"

#include "medium/raster.h"

#include <string.h>

enum { SCENE_SHAPES = 16 };

/* A scenario of shapes alone. */
struct scene {
    struct scenario scenario;
    struct shape shapes[SCENE_SHAPES];
    struct point points[SCENE_SHAPES][8];
    pw_notes warnings;
    struct floorplan plan;
    struct medium medium;
    pw_error error;
};

static inline void scene_start(struct scene *scene, double width, double height)
{
    memset(scene, 0, sizeof *scene);
    scene->scenario.file = (char *)(uintptr_t) "test.yaml";
    scene->scenario.band_centre = 2.4e9;
    scene->scenario.band_width = 0.6e9;
    scene->scenario.plan.width = width;
    scene->scenario.plan.height = height;
    scene->scenario.plan.shapes = scene->shapes;
}

static inline struct shape *scene_add(struct scene *scene, enum shape_kind kind, double permittivity,
                                      double conductivity)
{
    int s = scene->scenario.plan.shape_count++;
    struct shape *shape = &scene->shapes[s];
    shape->kind = kind;
    shape->points = scene->points[s];
    shape->point_count = kind == SHAPE_CIRCLE ? 1 : 2;
    shape->material.own_values = true;
    shape->material.relative_permittivity = permittivity;
    shape->material.conductivity = conductivity;
    strcpy(shape->material.name, "wall");
    return shape;
}

static inline struct shape *scene_rectangle(struct scene *scene, double x0, double y0, double x1, double y1,
                                            double permittivity, double conductivity)
{
    struct shape *shape = scene_add(scene, SHAPE_RECTANGLE, permittivity, conductivity);
    shape->points[0] = (struct point){x0, y0};
    shape->points[1] = (struct point){x1, y1};
    return shape;
}

static inline struct shape *scene_wall(struct scene *scene, double x0, double y0, double x1, double y1,
                                       double thickness, double permittivity)
{
    struct shape *shape = scene_add(scene, SHAPE_WALL, permittivity, 0.01);
    shape->points[0] = (struct point){x0, y0};
    shape->points[1] = (struct point){x1, y1};
    shape->thickness = thickness;
    return shape;
}

static inline struct raster_grid grid_of(int nx, int ny, double cell, double x, double y)
{
    return (struct raster_grid){.nx = nx, .ny = ny, .cell = cell, .origin = {x, y}};
}

static inline void scene_raster(struct scene *scene, struct raster_grid grid, enum averaging averaging)
{
    pw_status status = floorplan_create(&scene->scenario, false, &scene->warnings, &scene->plan, &scene->error);
    if (status == PW_OK) {
        status = raster_medium(&scene->plan, &grid, averaging, &scene->medium, &scene->error);
    }
    assert_string_equal(status == PW_OK ? "" : scene->error.message, "");
    assert_true(scene->medium.palette_count <= PALETTE_LIMIT);
    assert_true(scene->medium.palette[0].relative_permittivity == 1 && scene->medium.palette[0].conductivity == 0);
}

static inline void scene_end(struct scene *scene)
{
    medium_free(&scene->medium);
    floorplan_free(&scene->plan);
    warnings_free(&scene->warnings);
}

static inline struct medium_entry entry_at(const struct scene *scene, int i, int j)
{
    const struct medium *medium = &scene->medium;
    return medium->palette[medium->index[(size_t)j * (size_t)medium->nx + (size_t)i]];
}

static inline double permittivity_at(const struct scene *scene, int i, int j)
{
    return entry_at(scene, i, j).relative_permittivity;
}

#endif
