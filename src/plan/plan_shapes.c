/* Shapes of a scenario as the interface tells them (api/plan/plan.h): each with its outline and its material. */
#include "api/plan/plan.h"
#include "plan/material.h"
#include "plan/outline.h"

#include <math.h>
#include <stdlib.h>

enum { CIRCLE_CORNERS = 64 };

/* A polygon of n corners at distance R has the area n/2 R^2 sin(2 pi/n). */
static void circle_corners(const struct outline *outline, double *corners)
{
    double turn = 2 * M_PI / CIRCLE_CORNERS, radius = outline->radius * sqrt(turn / sin(turn));
    for (int c = 0; c < CIRCLE_CORNERS; c++) {
        corners[2 * c] = outline->centre.x + radius * cos((c + 0.5) * turn);
        corners[2 * c + 1] = outline->centre.y + radius * sin((c + 0.5) * turn);
    }
}

static pw_status corners_take(const struct outline *outline, pw_shape *shape, pw_error *error)
{
    int count = outline->point_count > 0 ? outline->point_count : CIRCLE_CORNERS;
    TRY_MADE(shape->corners = allocate(2 * (size_t)count, sizeof *shape->corners, "corners of a shape", error));
    shape->corner_count = count;
    for (int c = 0; c < outline->point_count; c++) {
        shape->corners[2 * c] = outline->points[c].x;
        shape->corners[2 * c + 1] = outline->points[c].y;
    }
    if (outline->point_count == 0) {
        circle_corners(outline, shape->corners);
    }
    return PW_OK;
}

static pw_status outline_take(const pw_scenario *scenario, const struct shape *from, pw_shape *shape, pw_error *error)
{
    OWNED_BY(outline_free) struct outline outline = {0};
    TRY(outline_create(scenario->file, from, &outline, error));
    return corners_take(&outline, shape, error);
}

/* What the table says of the band is a warning for those who solve. */
static pw_status material_take(const pw_scenario *scenario, const struct material_choice *choice, pw_shape *shape,
                               pw_error *error)
{
    pw_notes warnings = {0};
    struct material material;
    pw_status status = material_resolve(choice, scenario->band_centre, false, &warnings, &material, error);
    warnings_free(&warnings);
    TRY(status);
    shape->material = choice->name;
    shape->own_values = choice->own_values;
    shape->air = material_is_air(&material);
    shape->relative_permittivity = material.relative_permittivity;
    shape->conductivity = material.conductivity;
    shape->perfect_conductor = material.perfect_conductor;
    return PW_OK;
}

_Static_assert((int)PW_SHAPE_BOX == (int)SHAPE_BOX && (int)PW_SHAPE_WALL == (int)SHAPE_WALL, "kinds of shapes");

pw_status pw_scenario_describe_shape(const pw_scenario *scenario, int index, pw_shape *shape, pw_error *error)
{
    const struct shape *from = &scenario->plan.shapes[index];
    const struct height_range z = shape_heights(&scenario->plan, from);
    *shape = (pw_shape){.kind = (pw_shape_kind)from->kind, .storey = from->storey, .low = z.low, .high = z.high};
    if (from->kind == SHAPE_WALL) {
        shape->line[0] = from->points[0].x, shape->line[1] = from->points[0].y;
        shape->line[2] = from->points[1].x, shape->line[3] = from->points[1].y;
        shape->thickness = from->thickness;
    }
    TRY(material_take(scenario, &from->material, shape, error));
    return outline_take(scenario, from, shape, error);
}

void pw_shape_free(pw_shape *shape)
{
    free(shape->corners);
    *shape = (pw_shape){0};
}
