/* Floor plans of scenarios (floorplan.h): their clutter is placed, and they are cut at their height. */
#include "plan/clutter/clutter.h"
#include "plan/plan_cut.h"

static pw_status filled_create(const struct plan_source *source, struct floorplan *plan, pw_error *error)
{
    double z;
    struct plan_parts parts;
    TRY(floorplan_cut_height(source->scenario, &z, error));
    TRY(plan_parts_create(source, z, &parts, error));
    pw_status status = floorplan_at(&parts, z, plan, error);
    if (status == PW_OK) {
        plan->inexact = parts.base.inexact;
        parts.base.inexact = (struct colour_tally){0};
    }
    plan_parts_free(&parts);
    return status;
}

static pw_status plan_create(const struct plan_source *source, struct floorplan *plan, pw_error *error)
{
    struct cluttered with;
    *plan = (struct floorplan){0};
    TRY(cluttered_create(source, &with, error));
    struct plan_source filled = *source;
    filled.scenario = &with.scenario;
    pw_status status = filled_create(&filled, plan, error);
    cluttered_free(&with);
    return status;
}

pw_status floorplan_create(const struct scenario *scenario, bool strict, pw_notes *warnings, struct floorplan *plan,
                           pw_error *error)
{
    return plan_create(&(struct plan_source){scenario, NULL, strict, warnings}, plan, error);
}

pw_status floorplan_create_from_arrays(const struct scenario *scenario, const pw_plan *arrays, bool strict,
                                       pw_notes *warnings, struct floorplan *plan, pw_error *error)
{
    return plan_create(&(struct plan_source){scenario, arrays, strict, warnings}, plan, error);
}
