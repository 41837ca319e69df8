/* Buildings: the heights at which something begins or ends, and the floor plan of each band between two of them
 * (building.h). */
#include "plan/building.h"

#include "plan/clutter/clutter.h"
#include "plan/plan_cut.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* m: heights that differ by less are the same. */
static const double SAME_HEIGHT = 1e-9;

/* ---- borders ---- */

/* All heights, twice where two things end there; returns how many. */
static size_t heights_collect(const struct plan_choice *plan, double *heights)
{
    size_t count = 0;
    for (int s = 0; s < plan->storey_count; s++) {
        double floor = storey_floor(plan, s);
        heights[count++] = floor - plan->storeys[s].floor.thickness;
        heights[count++] = floor;
        heights[count++] = floor + plan->storeys[s].height;
    }
    heights[count++] = plan_high(plan);
    for (int s = 0; s < plan->shape_count; s++) {
        struct height_range range = shape_heights(plan, &plan->shapes[s]);
        heights[count++] = range.low;
        heights[count++] = range.high;
    }
    for (int e = 0; e < plan->legend_count; e++) {
        struct height_range range = legend_heights(plan, &plan->legend[e]);
        heights[count++] = range.low;
        heights[count++] = range.high;
    }
    return count;
}

static pw_status borders_create(const struct plan_choice *plan, struct building *building, pw_error *error)
{
    size_t most = 3 * (size_t)plan->storey_count + 1 + 2 * (size_t)plan->shape_count + 2 * (size_t)plan->legend_count;
    TRY_MADE(building->borders = allocate(most, sizeof *building->borders, "the heights of the plan", error));
    size_t count = heights_collect(plan, building->borders), kept = 0;
    qsort(building->borders, count, sizeof *building->borders, pw_number_order);
    for (size_t n = 0; n < count; n++) {
        if (kept == 0 || building->borders[n] - building->borders[kept - 1] > SAME_HEIGHT) {
            building->borders[kept++] = building->borders[n];
        }
    }
    building->band_count = (int)kept + 1;
    return PW_OK;
}

/* ---- bands ---- */

/* Whether two floor plans, of the same building, are the same. */
static bool plans_equal(const struct floorplan *a, const struct floorplan *b)
{
    size_t pixels = a->pixels != NULL ? (size_t)a->pixel_rows * (size_t)a->pixel_columns : 0;
    if (a->shape_count != b->shape_count ||
        (pixels > 0 && memcmp(a->pixels, b->pixels, pixels * sizeof *a->pixels) != 0)) {
        return false;
    }
    for (size_t m = 0; m < a->mixed.count; m++) {
        if (a->mixed.list[m].other != b->mixed.list[m].other) {
            return false;
        }
    }
    for (int s = 0; s < a->shape_count; s++) {
        if (a->shape_material[s] != b->shape_material[s] || !outlines_equal(&a->outlines[s], &b->outlines[s])) {
            return false;
        }
    }
    return true;
}

/* Height inside band n: its middle, or a metre beyond the building. */
static double band_middle(const double *borders, int count, int n)
{
    if (n == 0) {
        return borders[0] - 1;
    }
    return n == count ? borders[count - 1] + 1 : 0.5 * (borders[n - 1] + borders[n]);
}

/* A plan for each band; one that is the same as the band under it is joined with it. */
static pw_status bands_create(const struct plan_parts *parts, struct building *building, pw_error *error)
{
    int borders = building->band_count - 1, made = 0;
    building->bands = allocate((size_t)borders + 1, sizeof *building->bands, "the heights of the plan", error);
    building->band_count = 0;
    TRY_MADE(building->bands);
    for (int n = 0; n <= borders; n++) {
        struct floorplan *band = &building->bands[made];
        double lower = n > 0 ? building->borders[n - 1] : 0;
        TRY(floorplan_at(parts, band_middle(building->borders, borders, n), band, error));
        if (made > 0 && plans_equal(band, &building->bands[made - 1])) {
            floorplan_free(band);
            continue;
        }
        if (made > 0) {
            building->borders[made - 1] = lower;
        }
        building->band_count = ++made;
    }
    return PW_OK;
}

static pw_status filled_create(const struct plan_source *source, struct building *building, pw_error *error)
{
    const struct plan_choice *plan = &source->scenario->plan;
    struct plan_parts parts;
    building->low = plan_low(plan);
    building->high = plan_high(plan);
    TRY(plan_parts_create(source, NAN, &parts, error));
    pw_status status = borders_create(plan, building, error);
    THEN(status, bands_create(&parts, building, error));
    plan_parts_free(&parts);
    if (status != PW_OK) {
        building_free(building);
    }
    return status;
}

pw_status building_create(const struct scenario *scenario, bool strict, pw_notes *warnings, struct building *building,
                          pw_error *error)
{
    const struct plan_choice *plan = &scenario->plan;
    OWNED_BY(cluttered_free) struct cluttered with = {0};
    *building = (struct building){0};
    FAIL_IF(plan->storey_count == 0, error, PW_BAD_INPUT,
            "%s: the plan has no heights; give plan.storey, as in storey: {height: 2.6 m, floor: {material: "
            "concrete, thickness: 20 cm}, ceiling: {material: concrete, thickness: 20 cm}}",
            scenario->file);
    TRY(cluttered_create(&(struct plan_source){scenario, NULL, strict, warnings}, &with, error));
    return filled_create(&(struct plan_source){&with.scenario, NULL, strict, warnings}, building, error);
}

void building_free(struct building *building)
{
    for (int n = 0; n < building->band_count && building->bands != NULL; n++) {
        floorplan_free(&building->bands[n]);
    }
    FREE_ALL(building->bands, building->borders);
    *building = (struct building){0};
}

/* ---- questions ---- */

int building_band_at(const struct building *building, double z)
{
    int low = 0, high = building->band_count - 1; /* the number of borders at or under z */
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (building->borders[middle] <= z + SAME_HEIGHT) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint16_t building_material_at(const struct building *building, double x, double y, double z)
{
    return floorplan_material_at(&building->bands[building_band_at(building, z)], x, y);
}
