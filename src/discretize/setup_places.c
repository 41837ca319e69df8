/* Places of transmitters and receivers on the plan (setup_places.h). */
#include "discretize/setup_places.h"

#include "discretize/forecast/plausible.h"
#include "discretize/formulation.h"
#include "discretize/volume/volume.h"
#include "plan/plan_cut.h"
#include "problem/layers/absorber_depth.h"

#include <math.h>

pw_status place_check_inside(struct setup *setup, const char *what, const char *name, int line, struct point at,
                             pw_error *error)
{
    FAIL_IF(at.x < 0 || at.y < 0 || at.x > setup->plan.width || at.y > setup->plan.height, error, PW_BAD_INPUT,
            "%s:%d: %s '%s' at (%g m, %g m) lies outside the plan: allowed are 0 to %g m and 0 to %g m",
            setup->scenario->file, line, what, name, at.x, at.y, setup->plan.width, setup->plan.height);
    return PW_OK;
}

pw_status place_check_height(struct setup *setup, const char *what, const char *name, int line, double height,
                             pw_error *error)
{
    double z = volume_level(setup, height);
    FAIL_IF(!(z >= setup->building.low && z <= setup->building.high), error, PW_BAD_INPUT,
            "%s:%d: %s '%s' at a height of %g m lies outside the building: allowed are %g m to %g m",
            setup->scenario->file, line, what, name, z, setup->building.low, setup->building.high);
    return PW_OK;
}

/* The wall, or in three dimensions the slab or the furniture, that a place lies in, or NULL. */
static const struct material *wall_at(const struct setup *setup, struct point at, double height)
{
    const struct building *building = &setup->building;
    const uint16_t found = building_material_at(building, at.x, at.y, volume_level(setup, height));
    const struct material *material = &building->bands[0].materials[found];
    return material_is_air(material) ? NULL : material;
}

/* Whether the node of component c that is nearest to a place is held at zero by metal. */
static bool is_held(const struct setup *setup, int c, const double at[3])
{
    const struct problem *problem = &setup->problem;
    int node[3] = {0, 0, 0};
    for (int a = 0; a < 3 && problem->axis[a].count > 1; a++) {
        node[a] = (int)lround(at[a] / problem->axis[0].spacing - (a == c ? 0.5 : 0));
        if (node[a] < 0 || node[a] >= problem->axis[a].count) {
            return false;
        }
    }
    const uint16_t entry = setup_level(setup, c, node[2])[(int64_t)node[1] * problem->axis[0].count + node[0]];
    return entry < setup->medium.palette_count && setup->medium.palette[entry].perfect_conductor;
}

/* Metal near the absorber is held on the nearest nodes, and so is what stands right before it. */
static bool is_at_metal(const struct setup *setup, struct point at, double height)
{
    const double from[3] = {at.x - setup->origin.x, at.y - setup->origin.y,
                            volume_level(setup, height) - volume_node_origin(setup, 2)};
    bool held = false;
    for (int c = 3 - setup->formulation->components; c < 3; c++) {
        held = held || is_held(setup, c, from);
    }
    return held;
}

/* How far to move, and where to: one cell from the metal is enough. */
static void warn_near_metal(struct setup *setup, const char *what, const char *name, struct point at, double distance,
                            struct point away)
{
    const double cell = setup->problem.axis[0].spacing, further = 1.1 * cell - distance;
    warn(&setup->warnings,
         "%s '%s' at (%g m, %g m) is %.2g cm from metal, less than one cell of %.3g cm: this grid does not resolve the "
         "field there, and its power will be wrong. Move it %.2g cm away, to (%.4g m, %.4g m), or use a smaller cell",
         what, name, at.x, at.y, 100 * distance, 100 * cell, 100 * further, at.x + further * away.x,
         at.y + further * away.y);
}

void place_warn_in_wall(struct setup *setup, const char *what, const char *name, struct point at, double height)
{
    const struct material *material = wall_at(setup, at, height);
    struct point away;
    double distance;
    if (material == NULL && plausible_metal_near(setup, at, height, &distance, &away)) {
        warn_near_metal(setup, what, name, at, distance, away);
    } else if (material == NULL && is_at_metal(setup, at, height)) {
        warn(&setup->warnings,
             "%s '%s' at (%g m, %g m) is less than one cell from metal, where this grid forces the field to zero. Its "
             "power will be too low. Move it a few cells away or use a smaller grid.cell",
             what, name, at.x, at.y);
    } else if (material != NULL && setup_is_3d(setup)) {
        warn(&setup->warnings,
             "%s '%s' at (%g m, %g m, %g m) is inside a wall, a slab or furniture (%s). Move it if that is not meant",
             what, name, at.x, at.y, volume_height(height), material->name);
    } else if (material != NULL) {
        warn(&setup->warnings, "%s '%s' at (%g m, %g m) is inside a wall (%s). Move it if that is not meant", what,
             name, at.x, at.y, material->name);
    }
}

/* Nearer than a cell to a source the field is that of the grid: 2 dB off at half a cell, and finite at the source. */
static void warn_on_transmitters(struct setup *setup, const struct receiver_choice *receivers, int count)
{
    const struct scenario *scenario = setup->scenario;
    const double cell = setup->problem.axis[0].spacing;
    int near = 0, first = -1, of = -1;
    for (int r = 0; r < count; r++) {
        for (int t = 0; t < scenario->transmitter_count; t++) {
            const struct transmitter_choice *from = &scenario->transmitters[t];
            const double across = hypot(receivers[r].at.x - from->at.x, receivers[r].at.y - from->at.y);
            const double up = volume_level(setup, receivers[r].height) - volume_level(setup, from->height);
            if (hypot(across, up) < (1 - 1e-9) * cell) {
                first = near++ == 0 ? r : first;
                of = near == 1 ? t : of;
            }
        }
    }
    if (near > 0) {
        warn(&setup->warnings,
             "receiver '%s' is less than one cell of %.3g cm from transmitter '%s': this grid does not resolve the "
             "field "
             "there, and the level will be wrong. Move it, or use a smaller grid.cell (%d of this kind)",
             receivers[first].name, 100 * cell, scenario->transmitters[of].name, near);
    }
}

void place_warn_receivers(struct setup *setup, const struct receiver_choice *receivers, int count)
{
    const int few = 3;
    int spoilt = 0, in_walls = 0, first = -1;
    warn_on_transmitters(setup, receivers, count);
    for (int r = 0; r < count; r++) {
        const bool wall = wall_at(setup, receivers[r].at, receivers[r].height) != NULL;
        struct point away;
        double distance;
        if (wall || plausible_metal_near(setup, receivers[r].at, receivers[r].height, &distance, &away) ||
            is_at_metal(setup, receivers[r].at, receivers[r].height)) {
            first = first < 0 ? r : first;
            spoilt++;
            in_walls += wall;
        }
    }
    for (int r = 0; r < count && spoilt <= few; r++) {
        place_warn_in_wall(setup, "receiver", receivers[r].name, receivers[r].at, receivers[r].height);
    }
    if (spoilt > few) {
        warn(&setup->warnings, "%d of %d receivers stand inside walls%s, the first is '%s' at (%g m, %g m)", spoilt,
             count, spoilt > in_walls ? " or within a cell of metal" : "", receivers[first].name, receivers[first].at.x,
             receivers[first].at.y);
    }
}

void place_warn_storeys(struct setup *setup)
{
    const struct scenario *scenario = setup->scenario;
    const struct plan_choice *plan = &scenario->plan;
    const char *first = NULL;
    double cut = 0, height = 0;
    pw_error ignored;
    int apart = 0;
    if (setup_is_3d(setup) || plan->storey_count < 2 || floorplan_cut_height(scenario, &cut, &ignored) != PW_OK) {
        return;
    }
    const int count = scenario->transmitter_count + scenario->receiver_count + scenario->lattice_receiver_count;
    for (int n = 0; n < count; n++) {
        const int r = n - scenario->transmitter_count, l = r - scenario->receiver_count;
        const double own = r < 0   ? scenario->transmitters[n].height
                           : l < 0 ? scenario->receivers[r].height
                                   : scenario->lattice_receivers[l].height;
        if (isnan(own) || storey_at(plan, own) == storey_at(plan, cut)) {
            continue;
        }
        if (apart++ == 0) {
            height = own;
            first = r < 0   ? scenario->transmitters[n].name
                    : l < 0 ? scenario->receivers[r].name
                            : scenario->lattice_receivers[l].name;
        }
    }
    if (apart > 0) {
        warn(&setup->warnings,
             "%d of %d transmitters and receivers are in another storey. This run in two dimensions uses the cut at a "
             "height of %g m; '%s' at %g m is placed on that cut",
             apart, count, cut, first, height);
    }
}

pw_status place_check_over(struct setup *setup, pw_error *error)
{
    const struct scenario *scenario = setup->scenario;
    struct plan_over over;
    TRY(floorplan_over(scenario, &over, error));
    if (isnan(over.height)) {
        return PW_OK;
    }
    FAIL_IF(scenario->horizontal || !scenario->spectra.enabled || setup->from_arrays, error, PW_BAD_INPUT,
            "%s: a plan with a second cut over tops (plan.over) needs %s; over: none", scenario->file,
            scenario->horizontal ? "vertical polarisation"
            : setup->from_arrays ? "shapes with heights, not arrays"
                                 : "running spectra");
    warn(&setup->choices,
         "a second cut at %.4g m, over what ends at %.4g m: solved first, which doubles time and spectra; for "
         "--spreading storey",
         over.height, over.from);
    return PW_OK;
}

double place_column(const struct setup *setup, double x)
{
    return (x - setup->origin.x) / setup->problem.axis[0].spacing;
}

double place_row(const struct setup *setup, double y)
{
    return (y - setup->origin.y) / setup->problem.axis[0].spacing;
}

/* Of the field, in free space: too little for a warning. */
static const double LARGEST_GRAZING = 0.01;

void place_warn_narrow(struct setup *setup)
{
    const struct problem *problem = &setup->problem;
    const struct absorber *absorber = &setup->scenario->grid.absorber;
    double side[3] = {0}, longest = 0, worst = 0;
    int narrow = 0, axes = setup->scenario->dimensions;
    for (int a = 0; a < axes; a++) {
        const struct axis *axis = &problem->axis[a];
        side[a] = (axis->count - axis->low.cells - axis->high.cells) * axis->spacing;
        side[a] *= axis->low.symmetric ? 2 : 1; /* the other half of it is behind the mirror */
        longest = fmax(longest, side[a]);
    }
    for (int a = 0; a < axes; a++) {
        double error =
            side[a] < longest ? absorber_grazing_error(absorber, problem->axis[a].spacing, side[a], longest) : 0;
        narrow = error > worst ? a : narrow;
        worst = fmax(worst, error);
    }
    if (worst > LARGEST_GRAZING) {
        char length[PW_NUMBER_SIZE], width[PW_NUMBER_SIZE], wrong[PW_NUMBER_SIZE];
        warn(&setup->warnings,
             "the plan is %s m long and %s m wide along %c: waves that run along it graze the absorber, which errs "
             "there by up to %s %% of the field in free space; leave more room at its long sides, or give the "
             "absorber more cells or a smaller reflection",
             pw_number_text(longest, 3, length), pw_number_text(side[narrow], 3, width), "xyz"[narrow],
             pw_number_text(100 * fmin(worst, 1), 2, wrong));
    }
}
