/* All lengths on the floor made larger or smaller (api/plan/edit.h), for a plan whose scale was a guess. */
#include "api/plan/edit.h"
#include "base/status.h"
#include "scenario/scenario.h"

#include <math.h>

static void points_scale(struct point *points, int count, double factor)
{
    for (int n = 0; n < count; n++) {
        points[n].x *= factor;
        points[n].y *= factor;
    }
}

static void slab_scale(struct slab_choice *slab, double factor)
{
    points_scale(&slab->from, 1, factor);
    points_scale(&slab->to, 1, factor);
}

static void plan_scale(struct plan_choice *plan, double factor)
{
    plan->width *= factor;
    plan->height *= factor;
    plan->pixel *= factor;
    for (int n = 0; n < plan->shape_count; n++) {
        struct shape *shape = &plan->shapes[n];
        points_scale(shape->points, shape->point_count, factor);
        shape->radius *= factor;
        shape->thickness *= factor;
    }
    for (int s = 0; s < plan->storey_count; s++) {
        slab_scale(&plan->storeys[s].floor, factor);
        slab_scale(&plan->storeys[s].ceiling, factor);
    }
}

static void spectra_scale(struct spectra_choice *spectra, double factor)
{
    points_scale(&spectra->from, 1, factor);
    points_scale(&spectra->to, 1, factor);
    for (int n = 0; n < spectra->cut_count; n++) {
        points_scale(&spectra->cuts[n].from, 1, factor);
        points_scale(&spectra->cuts[n].to, 1, factor);
    }
}

pw_status pw_scenario_scale_plan(pw_scenario *scenario, double factor, pw_error *error)
{
    if (!(factor > 0 && factor < HUGE_VAL)) {
        return fail(error, PW_BAD_INPUT, "a plan is scaled by a factor above 0, and not by %g", factor);
    }
    for (int n = 0; n < scenario->receiver_entry_count; n++) {
        struct receiver_entry *entry = &scenario->receiver_entries[n];
        if (entry->kind == RECEIVER_FILE) {
            return fail(error, PW_BAD_INPUT, "the receivers of '%s' would keep their places on a plan that is scaled",
                        entry->file);
        }
        points_scale(&entry->from, 1, factor);
        points_scale(&entry->to, 1, factor);
        entry->spacing *= factor;
    }
    for (int n = 0; n < scenario->transmitter_count; n++) {
        points_scale(&scenario->transmitters[n].at, 1, factor);
        points_scale(&scenario->transmitters[n].to, 1, factor);
    }
    for (int n = 0; n < scenario->receiver_count; n++) {
        points_scale(&scenario->receivers[n].at, 1, factor);
    }
    for (int n = 0; n < scenario->lattice_receiver_count; n++) {
        points_scale(&scenario->lattice_receivers[n].at, 1, factor);
    }
    plan_scale(&scenario->plan, factor);
    spectra_scale(&scenario->spectra, factor);
    return PW_OK;
}
