/* Floor plans of scenarios (floorplan.h): their clutter is placed, and they are cut at their height. */
#include "plan/clutter/clutter.h"
#include "plan/plan_cut.h"

static pw_status filled_create(const struct plan_source *source, struct floorplan *plan, pw_error *error)
{
    double z;
    OWNED_BY(plan_parts_free) struct plan_parts parts = {0};
    TRY(floorplan_cut_height(source->scenario, &z, error));
    TRY(plan_parts_create(source, z, &parts, error));
    TRY(floorplan_at(&parts, z, plan, error));
    plan->inexact = parts.base.inexact;
    parts.base.inexact = (struct colour_tally){0};
    return PW_OK;
}

static pw_status plan_create(const struct plan_source *source, struct floorplan *plan, pw_error *error)
{
    OWNED_BY(cluttered_free) struct cluttered with = {0};
    *plan = (struct floorplan){0};
    TRY(cluttered_create(source, &with, error));
    struct plan_source filled = *source;
    filled.scenario = &with.scenario;
    return filled_create(&filled, plan, error);
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
