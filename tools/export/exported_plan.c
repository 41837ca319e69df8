/* What exporters are given of a plan (exported_plan.h). */
#include "export/exported_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- storeys ---- */

static const double SAME_HEIGHT = 1e-9; /* m */

bool storey_part_of(const struct exported_plan *plan, const pw_shape *shape, int storey, struct storey_part *part)
{
    *part = (struct storey_part){.whole = true};
    if (plan->facts.storey_count == 0) {
        return true;
    }
    const pw_storey own = pw_scenario_describe_storey(plan->whole, storey);
    part->low = fmax(shape->low - own.floor, 0);
    part->high = fmin(shape->high - own.floor, own.height);
    part->whole = part->low < SAME_HEIGHT && part->high > own.height - SAME_HEIGHT;
    return part->high - part->low > SAME_HEIGHT && (shape->storey < 0 || shape->storey == storey);
}

int transmitter_storey(const struct exported_plan *plan, const pw_scenario_transmitter *transmitter, double *height)
{
    *height = transmitter->height;
    if (plan->facts.storey_count == 0) {
        return 0;
    }
    int storey = isfinite(transmitter->height) ? pw_scenario_storey_at(plan->whole, transmitter->height) : 0;
    *height -= pw_scenario_describe_storey(plan->whole, storey).floor;
    return storey;
}

const char *storey_name(const struct exported_plan *plan, int storey)
{
    if (plan->facts.storey_count == 0) {
        const char *title = plan->scenario.title;
        return title != NULL && title[0] != '\0' ? title : "plan";
    }
    return pw_scenario_describe_storey(plan->whole, storey).name;
}

static pw_status storeys_choose(struct exported_plan *plan, const char *storey, pw_error *error)
{
    const int count = plan->facts.storey_count;
    char names[400] = "";
    size_t used = 0;
    plan->first = 0;
    plan->last = count > 0 ? count - 1 : 0;
    if (storey == NULL) {
        return PW_OK;
    }
    for (int s = 0; s < count; s++) {
        const char *name = pw_scenario_describe_storey(plan->whole, s).name;
        if (strcmp(name, storey) == 0) {
            plan->first = plan->last = s;
            return PW_OK;
        }
        if (used < sizeof names) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%s'%s'", s == 0 ? "" : ", ", name);
        }
    }
    return fail(error, PW_BAD_INPUT, "%s: there is no storey '%s'; there %s%s", plan->scenario.file, storey,
                count == 0 ? "are none" : "are ", names);
}

/* ---- shapes ---- */

static void box_find(struct exported_shape *made)
{
    made->low = made->high = corner_of(&made->shape, 0);
    for (int n = 1; n < made->shape.corner_count; n++) {
        struct point at = corner_of(&made->shape, n);
        made->low = (struct point){fmin(made->low.x, at.x), fmin(made->low.y, at.y)};
        made->high = (struct point){fmax(made->high.x, at.x), fmax(made->high.y, at.y)};
    }
}

static pw_status shapes_collect(struct exported_plan *plan, pw_error *error)
{
    plan->shapes = allocate((size_t)plan->facts.shape_count, sizeof *plan->shapes, "shapes", error);
    TRY_MADE(plan->shapes);
    for (int s = 0; s < plan->facts.shape_count; s++) {
        struct exported_shape *made = &plan->shapes[plan->count];
        TRY(pw_scenario_describe_shape(plan->whole, s, &made->shape, error));
        made->opening = made->shape.kind == PW_SHAPE_OPENING || made->shape.air;
        box_find(made);
        plan->count++;
    }
    return PW_OK;
}

void exported_plan_free(struct exported_plan *plan)
{
    for (size_t s = 0; s < plan->count; s++) {
        pw_shape_free(&plan->shapes[s].shape);
    }
    free(plan->shapes);
}

pw_status exported_plan_make(const pw_scenario *scenario, const char *storey, struct exported_plan *plan,
                             pw_error *error)
{
    *plan = (struct exported_plan){
        .whole = scenario, .scenario = pw_scenario_describe(scenario), .facts = pw_scenario_describe_plan(scenario)};
    TRY(storeys_choose(plan, storey, error));
    return shapes_collect(plan, error);
}
