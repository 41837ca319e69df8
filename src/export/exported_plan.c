/* What exporters are given of a plan (exported_plan.h). */
#include "export/exported_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- storeys ---- */

static const double SAME_HEIGHT = 1e-9; /* m */

bool storey_part_of(const struct exported_plan *plan, const struct shape *shape, int storey, struct storey_part *part)
{
    const struct plan_choice *choice = &plan->scenario->plan;
    *part = (struct storey_part){.whole = true};
    if (choice->storey_count == 0) {
        return true;
    }
    double floor = storey_floor(choice, storey), height = choice->storeys[storey].height;
    struct height_range z = shape_heights(choice, shape);
    part->low = fmax(z.low - floor, 0);
    part->high = fmin(z.high - floor, height);
    part->whole = part->low < SAME_HEIGHT && part->high > height - SAME_HEIGHT;
    return part->high - part->low > SAME_HEIGHT && (shape->storey == EVERY_STOREY || shape->storey == storey);
}

int transmitter_storey(const struct exported_plan *plan, const struct transmitter_choice *transmitter, double *height)
{
    const struct plan_choice *choice = &plan->scenario->plan;
    *height = transmitter->height;
    if (choice->storey_count == 0) {
        return 0;
    }
    int storey = isfinite(transmitter->height) ? storey_at(choice, transmitter->height) : 0;
    *height -= storey_floor(choice, storey);
    return storey;
}

const char *storey_name(const struct exported_plan *plan, int storey)
{
    const struct plan_choice *choice = &plan->scenario->plan;
    if (choice->storey_count == 0) {
        return plan->scenario->title != NULL && plan->scenario->title[0] != '\0' ? plan->scenario->title : "plan";
    }
    return choice->storeys[storey].name;
}

static pw_status storeys_choose(struct exported_plan *plan, const char *storey, pw_error *error)
{
    const struct plan_choice *choice = &plan->scenario->plan;
    char names[400] = "";
    size_t used = 0;
    plan->first = 0;
    plan->last = choice->storey_count > 0 ? choice->storey_count - 1 : 0;
    if (storey == NULL) {
        return PW_OK;
    }
    for (int s = 0; s < choice->storey_count; s++) {
        if (strcmp(choice->storeys[s].name, storey) == 0) {
            plan->first = plan->last = s;
            return PW_OK;
        }
        if (used < sizeof names) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%s'%s'", s == 0 ? "" : ", ",
                                     choice->storeys[s].name);
        }
    }
    return fail(error, PW_BAD_INPUT, "%s: there is no storey '%s'; there %s%s", plan->scenario->file, storey,
                choice->storey_count == 0 ? "are none" : "are ", names);
}

/* ---- shapes ---- */

enum { CIRCLE_CORNERS = 64 };

struct point *outline_corners(const struct outline *outline, int *count, pw_error *error)
{
    *count = outline->point_count > 0 ? outline->point_count : CIRCLE_CORNERS;
    struct point *corners = allocate((size_t)*count, sizeof *corners, "corners of a shape", error);
    if (corners == NULL) {
        return NULL;
    }
    if (outline->point_count > 0) {
        memcpy(corners, outline->points, (size_t)*count * sizeof *corners);
        return corners;
    }
    /* A polygon of n corners at distance R has the area n/2 R^2 sin(2 pi/n). */
    double turn = 2 * M_PI / CIRCLE_CORNERS, radius = outline->radius * sqrt(turn / sin(turn));
    for (int c = 0; c < CIRCLE_CORNERS; c++) {
        corners[c] = (struct point){outline->centre.x + radius * cos((c + 0.5) * turn),
                                    outline->centre.y + radius * sin((c + 0.5) * turn)};
    }
    return corners;
}

static pw_status shapes_collect(struct exported_plan *plan, pw_error *error)
{
    const struct scenario *scenario = plan->scenario;
    pw_notes warnings = {0};
    plan->shapes = allocate((size_t)scenario->plan.shape_count, sizeof *plan->shapes, "shapes", error);
    pw_status status = plan->shapes == NULL ? PW_NO_RESOURCE : PW_OK;
    for (int s = 0; status == PW_OK && s < scenario->plan.shape_count; s++) {
        const struct shape *shape = &scenario->plan.shapes[s];
        struct exported_shape *made = &plan->shapes[s];
        made->shape = shape;
        status = material_resolve(&shape->material, scenario->band_centre, false, &warnings, &made->material, error);
        if (status == PW_OK) {
            made->opening = shape->kind == SHAPE_OPENING || material_is_air(&made->material);
            status = outline_create(scenario->file, shape, &made->outline, error);
        }
        plan->count += status == PW_OK;
    }
    warnings_free(&warnings); /* of the band, which a run will tell */
    return status;
}

void exported_plan_free(struct exported_plan *plan)
{
    for (size_t s = 0; s < plan->count; s++) {
        outline_free(&plan->shapes[s].outline);
    }
    free(plan->shapes);
}

pw_status exported_plan_make(const struct scenario *scenario, const char *storey, struct exported_plan *plan,
                             pw_error *error)
{
    *plan = (struct exported_plan){.scenario = scenario};
    TRY(storeys_choose(plan, storey, error));
    return shapes_collect(plan, error);
}
