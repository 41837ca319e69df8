/* Clutter of a plan (clutter.h). Things are drawn one after the other, each with both sides and a place at random, and
 * stay where every square of the floor that they touch is free. */
#include "plan/clutter/clutter.h"

#include "plan/clutter/floor_raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double CLEARANCE = 0.3; /* m around terminals */

enum { TRIES = 400, SHRINKS = 24, THINGS = 50000 };

/* ---- things ---- */

/* Terminals decide nothing about where things are drawn, so that moving one moves no thing: what would stand on one, or
 * beside it, is left out, and as much is drawn after the others. Lines, grids and files of receivers are no terminals
 * in this sense. */
static bool is_near(const struct shape *thing, struct point at)
{
    const double dx = fmax(0.0, fmax(thing->points[0].x - at.x, at.x - thing->points[1].x));
    const double dy = fmax(0.0, fmax(thing->points[0].y - at.y, at.y - thing->points[1].y));
    return hypot(dx, dy) < CLEARANCE;
}

static bool stands_on_terminal(const struct shape *thing, const struct scenario *scenario)
{
    bool near = false;
    for (int n = 0; n < scenario->transmitter_count; n++) {
        near = near || is_near(thing, scenario->transmitters[n].at) || is_near(thing, scenario->transmitters[n].to);
    }
    for (int n = 0; n < scenario->receiver_entry_count; n++) {
        const struct receiver_entry *entry = &scenario->receiver_entries[n];
        near = near || (entry->kind == RECEIVER_POINT && is_near(thing, entry->from));
    }
    return near;
}

static double chance(uint64_t *state)
{
    return pw_random_unit(pw_random_next(state));
}

/* Takes the squares that the thing touches, if all are free. */
static bool thing_stand(const struct raster *raster, const struct point corner[2])
{
    const int c0 = (int)floor(corner[0].x / raster->step), r0 = (int)floor(corner[0].y / raster->step);
    const int c1 = (int)ceil(corner[1].x / raster->step), r1 = (int)ceil(corner[1].y / raster->step);
    if (c0 < 0 || r0 < 0 || c1 > raster->columns || r1 > raster->rows) {
        return false;
    }
    for (int row = r0; row < r1; row++) {
        for (int column = c0; column < c1; column++) {
            if (*square_at(raster, row, column) != FREE) {
                return false;
            }
        }
    }
    for (int row = r0; row < r1; row++) {
        memset(square_at(raster, row, c0), TAKEN, (size_t)(c1 - c0));
    }
    return true;
}

/* Finds a place for a thing of at most these sides; where there is none, for a smaller one. */
static bool thing_place(const struct raster *raster, const struct clutter_choice *clutter, const struct point area[2],
                        double sides[2], uint64_t *state, struct point corner[2])
{
    for (int shrink = 0; shrink < SHRINKS; shrink++) {
        for (int n = 0; n < TRIES; n++) {
            const double x = area[0].x + chance(state) * (area[1].x - area[0].x - sides[0]);
            const double y = area[0].y + chance(state) * (area[1].y - area[0].y - sides[1]);
            corner[0] = (struct point){x, y};
            corner[1] = (struct point){x + sides[0], y + sides[1]};
            if (x >= area[0].x && y >= area[0].y && thing_stand(raster, corner)) {
                return true;
            }
        }
        if (sides[0] <= clutter->least && sides[1] <= clutter->least) {
            return false;
        }
        sides[0] = fmax(clutter->least, 0.8 * sides[0]);
        sides[1] = fmax(clutter->least, 0.8 * sides[1]);
    }
    return false;
}

/* What is being filled: things in rising order of storeys and entries. */
struct filling {
    const struct plan_source *source;
    const struct plan_parts *parts;
    struct point *corners; /* (2 THINGS) */
    struct shape *things;  /* (THINGS) */
    int count;
};

static void thing_add(struct filling *filling, const struct clutter_choice *clutter, int storey, uint64_t *state)
{
    struct shape *thing = &filling->things[filling->count];
    const int material = (int)(chance(state) * clutter->material_count);
    *thing = (struct shape){.kind = SHAPE_RECTANGLE,
                            .storey = storey,
                            .points = &filling->corners[2 * (size_t)filling->count],
                            .point_count = 2,
                            .material = clutter->materials[material],
                            .line = clutter->line};
    if (!isnan(clutter->height)) {
        const double room = filling->source->scenario->plan.storeys[storey].height;
        thing->z = (struct height_range){true, 0.0, fmin(clutter->height, room), false};
    }
    filling->count++;
}

/* The last thing is as large as it takes for the density, so that the share is what was asked for. */
static pw_status area_fill(struct filling *filling, const struct raster *raster, int entry, int storey,
                           double floor_area, pw_error *error)
{
    const struct plan_choice *plan = &filling->source->scenario->plan;
    const struct clutter_choice *clutter = &plan->clutter[entry];
    const struct point all = {raster->columns * raster->step, raster->rows * raster->step};
    const struct point area[2] = {clutter->has_area ? clutter->from : (struct point){0, 0},
                                  clutter->has_area ? clutter->to : all};
    const double wanted = clutter->density * floor_area, smallest = clutter->least * clutter->least;
    uint64_t state = pw_random_hash((uint64_t)clutter->seed + ((uint64_t)entry << 40) + ((uint64_t)(storey + 1) << 50));
    double covered = 0.0;
    while (wanted - covered >= 0.5 * smallest) {
        double sides[2], left = wanted - covered;
        for (int side = 0; side < 2; side++) {
            sides[side] = clutter->least + chance(&state) * (clutter->most - clutter->least);
        }
        const double part = sqrt(fmin(1.0, left / (sides[0] * sides[1])));
        sides[0] = fmax(clutter->least, part * sides[0]);
        sides[1] = fmax(clutter->least, fmin(part * sides[1], left / sides[0]));
        struct point *corner = &filling->corners[2 * (size_t)filling->count];
        FAIL_IF(filling->count == THINGS || !thing_place(raster, clutter, area, sides, &state, corner), error,
                PW_BAD_INPUT,
                "%s:%d: clutter of %g %% does not fit: %.3g %% of the free floor of %.3g m2 is covered when no "
                "further thing of %g m finds room. Ask for less, or for smaller things",
                filling->source->scenario->file, clutter->line, 100 * clutter->density, 100 * covered / floor_area,
                floor_area, clutter->least);
        const double area_taken = (corner[1].x - corner[0].x) * (corner[1].y - corner[0].y);
        thing_add(filling, clutter, storey, &state);
        if (stands_on_terminal(&filling->things[filling->count - 1], filling->source->scenario)) {
            filling->count--;
        } else {
            covered += area_taken;
        }
    }
    return PW_OK;
}

/* Entries share the raster, so that the things of one do not stand in those of another; each counts the floor that was
 * free before. */
static pw_status storey_fill(struct filling *filling, int storey, pw_error *error)
{
    const struct plan_choice *plan = &filling->source->scenario->plan;
    struct raster raster = {0};
    double *areas = allocate((size_t)plan->clutter_count, sizeof *areas, "clutter", error), height = 0.0;
    for (int n = 0; n < plan->clutter_count && plan->storey_count > 0; n++) {
        height = fmax(height, isnan(plan->clutter[n].height) ? plan->storeys[storey].height : plan->clutter[n].height);
    }
    height = plan->storey_count > 0 ? fmin(height, plan->storeys[storey].height) : 0.0;
    pw_status status = areas != NULL ? raster_create(filling->parts, storey, height, &raster, error) : PW_NO_RESOURCE;
    for (int n = 0; status == PW_OK && n < plan->clutter_count; n++) {
        areas[n] = raster_free_area(&raster, &plan->clutter[n]);
    }
    for (int n = 0; status == PW_OK && n < plan->clutter_count; n++) {
        status = area_fill(filling, &raster, n, storey, areas[n], error);
    }
    FREE_ALL(raster.squares, areas);
    return status;
}

static pw_status storeys_fill(struct filling *filling, pw_error *error)
{
    const int storeys = filling->source->scenario->plan.storey_count;
    TRY(storeys == 0 ? storey_fill(filling, EVERY_STOREY, error) : PW_OK);
    for (int storey = 0; storey < storeys; storey++) {
        TRY(storey_fill(filling, storey, error));
    }
    return PW_OK;
}

static pw_status things_join(const struct filling *filling, struct cluttered *with, pw_error *error)
{
    const struct plan_choice *plan = &filling->source->scenario->plan;
    const size_t before = (size_t)plan->shape_count, things = (size_t)filling->count;
    TRY_MADE(with->shapes = allocate(before + things, sizeof *with->shapes, "clutter", error));
    if (before > 0) {
        memcpy(with->shapes, plan->shapes, before * sizeof *with->shapes);
    }
    memcpy(with->shapes + before, filling->things, things * sizeof *with->shapes);
    with->scenario.plan.shapes = with->shapes;
    with->scenario.plan.shape_count += filling->count;
    return PW_OK;
}

static bool has_clutter(const struct plan_choice *plan)
{
    bool any = false;
    for (int n = 0; n < plan->clutter_count; n++) {
        any = any || plan->clutter[n].density > 0.0;
    }
    return any;
}

pw_status cluttered_create(const struct plan_source *source, struct cluttered *with, pw_error *error)
{
    *with = (struct cluttered){.scenario = *source->scenario};
    if (!has_clutter(&source->scenario->plan)) {
        return PW_OK;
    }
    pw_notes ignored = {0}; /* of the plan as it is, which is read again */
    struct plan_source quiet = *source;
    quiet.warnings = &ignored;
    struct plan_parts parts;
    pw_status status = plan_parts_create(&quiet, NAN, &parts, error);
    warnings_free(&ignored);
    TRY(status);
    with->corners = allocate(2 * (size_t)THINGS, sizeof *with->corners, "clutter", error);
    struct filling filling = {.source = source,
                              .parts = &parts,
                              .corners = with->corners,
                              .things = allocate(THINGS, sizeof *filling.things, "clutter", error)};
    status = with->corners != NULL && filling.things != NULL ? storeys_fill(&filling, error) : PW_NO_RESOURCE;
    THEN(status, things_join(&filling, with, error));
    free(filling.things);
    plan_parts_free(&parts);
    if (status != PW_OK) {
        cluttered_free(with);
    }
    return status;
}

void cluttered_free(struct cluttered *with)
{
    FREE_ALL(with->shapes, with->corners);
    with->shapes = NULL;
    with->corners = NULL;
}
