/* Clutter of a plan (clutter.h). The floor is looked at on a raster: which of its squares are free. Things are drawn
 * one after the other, each with both sides and a place at random, and stay where every square that they touch is free.
 */
#include "plan/clutter.h"

#include "plan/plan_cut.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double STEP = 0.04;       /* m: side of a square, where the plan is small */
static const int64_t SQUARES = 250000; /* and where it is large, that so many cover it */
static const double CLEARANCE = 0.3;   /* m around terminals */
static const double DOOR = 0.6;        /* m: half of the widest gap in an outer wall that does not open the building */

enum { TRIES = 400, SHRINKS = 24, THINGS = 50000 };
enum { FREE, EDGE, TAKEN, OUTSIDE }; /* EDGE: a side of a wall runs through it, its middle is free */

struct raster {
    double step; /* m */
    int columns, rows;
    uint8_t *squares; /* (rows, columns), owned */
};

static uint8_t *square_at(const struct raster *raster, int row, int column)
{
    return &raster->squares[(size_t)row * (size_t)raster->columns + (size_t)column];
}

static bool is_air(const struct floorplan *plan, uint16_t material)
{
    return material_is_air(&plan->materials[material]);
}

/* ---- walls ---- */

static void take_point(const struct raster *raster, double x, double y)
{
    const int column = (int)floor(x / raster->step), row = (int)floor(y / raster->step);
    if (column >= 0 && column < raster->columns && row >= 0 && row < raster->rows) {
        uint8_t *square = square_at(raster, row, column);
        *square = *square == FREE ? EDGE : *square;
    }
}

static void take_line(const struct raster *raster, struct point a, struct point b)
{
    const int steps = 1 + (int)ceil(hypot(b.x - a.x, b.y - a.y) / (0.3 * raster->step));
    for (int k = 0; k <= steps; k++) {
        const double part = (double)k / steps;
        take_point(raster, a.x + part * (b.x - a.x), a.y + part * (b.y - a.y));
    }
}

/* What stands there; the sides of shapes too, so that no thin wall falls between the middles of squares. */
static void take_plan(const struct raster *raster, const struct floorplan *plan)
{
#pragma omp parallel for schedule(static)
    for (int row = 0; row < raster->rows; row++) {
        for (int column = 0; column < raster->columns; column++) {
            const double x = (column + 0.5) * raster->step, y = (row + 0.5) * raster->step;
            if (!is_air(plan, floorplan_material_at(plan, x, y))) {
                *square_at(raster, row, column) = TAKEN;
            }
        }
    }
    for (int s = 0; s < plan->shape_count; s++) {
        const struct outline *outline = &plan->outlines[s];
        for (int p = 0; p < outline->point_count && !is_air(plan, plan->shape_material[s]); p++) {
            take_line(raster, outline->points[p], outline->points[(p + 1) % outline->point_count]);
        }
    }
}

/* At a few heights of a storey that things reach through; without storeys there is one plan. */
static pw_status storey_take(const struct plan_parts *parts, int storey, double height, const struct raster *raster,
                             pw_error *error)
{
    static const double HEIGHTS[] = {0.1, 0.5, 0.9};
    const struct plan_choice *choice = &parts->scenario->plan;
    for (int n = 0; n < (choice->storey_count > 0 ? 3 : 1); n++) {
        struct floorplan plan;
        const double z = choice->storey_count > 0 ? storey_floor(choice, storey) + HEIGHTS[n] * height : (double)NAN;
        TRY(floorplan_at(parts, z, &plan, error));
        take_plan(raster, &plan);
        floorplan_free(&plan);
    }
    return PW_OK;
}

/* ---- inside ---- */

/* Sums over all squares under and left of a corner, (rows + 1, columns + 1), of those that are taken. */
static int *sums_create(const struct raster *raster, pw_error *error)
{
    const size_t width = (size_t)raster->columns + 1;
    int *sums = allocate(width * ((size_t)raster->rows + 1), sizeof *sums, "clutter", error);
    for (int row = 0; sums != NULL && row < raster->rows; row++) {
        for (int column = 0; column < raster->columns; column++) {
            const size_t at = (size_t)row * width + (size_t)column;
            sums[at + width + 1] =
                sums[at + 1] + sums[at + width] - sums[at] + (*square_at(raster, row, column) != FREE);
        }
    }
    return sums;
}

/* Squares of `reach` squares each way around (row, column) that are taken; beyond the plan there are none. */
static int taken_around(const struct raster *raster, const int *sums, int row, int column, int reach)
{
    const size_t width = (size_t)raster->columns + 1;
    const size_t c0 = (size_t)(column > reach ? column - reach : 0), r0 = (size_t)(row > reach ? row - reach : 0);
    const size_t c1 = (size_t)(column + reach + 1 < raster->columns ? column + reach + 1 : raster->columns);
    const size_t r1 = (size_t)(row + reach + 1 < raster->rows ? row + reach + 1 : raster->rows);
    return sums[r1 * width + c1] - sums[r0 * width + c1] - sums[r1 * width + c0] + sums[r0 * width + c0];
}

static bool beside_swept(const struct raster *raster, const uint8_t *swept, int row, int column)
{
    bool beside = false;
    for (int r = row > 0 ? row - 1 : 0; r <= row + 1 && r < raster->rows; r++) {
        for (int c = column > 0 ? column - 1 : 0; c <= column + 1 && c < raster->columns; c++) {
            beside = beside || swept[(size_t)r * (size_t)raster->columns + (size_t)c];
        }
    }
    return beside;
}

/* A plan without an inside is all floor. */
static void outside_set(const struct raster *raster, const uint8_t *swept)
{
    const size_t count = (size_t)raster->columns * (size_t)raster->rows;
    size_t inside = 0;
    for (size_t n = 0; n < count; n++) {
        inside += raster->squares[n] == FREE && !swept[n];
    }
    for (size_t n = 0; inside > 0 && n < count; n++) {
        const int row = (int)n / raster->columns, column = (int)n % raster->columns;
        const bool out = swept[n] || (raster->squares[n] == EDGE && beside_swept(raster, swept, row, column));
        raster->squares[n] = out ? OUTSIDE : raster->squares[n];
    }
}

/* What a square as wide as no door sweeps that comes in from the rim, is outside. */
static pw_status outside_mark(const struct raster *raster, pw_error *error)
{
    const size_t count = (size_t)raster->columns * (size_t)raster->rows;
    const int reach = (int)ceil(DOOR / raster->step);
    int *sums = sums_create(raster, error), *queue = allocate(count, sizeof *queue, "clutter", error);
    uint8_t *swept = allocate(count, 2, "clutter", error), *seen = swept != NULL ? swept + count : NULL;
    size_t first = 0, last = 0;
    const bool made = sums != NULL && queue != NULL && swept != NULL;
    for (size_t n = 0; made && n < count; n++) {
        const int row = (int)n / raster->columns, column = (int)n % raster->columns;
        const bool rim = row == 0 || column == 0 || row == raster->rows - 1 || column == raster->columns - 1;
        if (rim && taken_around(raster, sums, row, column, reach) == 0) {
            seen[n] = 1;
            queue[last++] = (int)n;
        }
    }
    while (made && first < last) {
        static const int STEPS[4][2] = {{0, 1}, {0, -1}, {1, 0}, {-1, 0}};
        const int row = queue[first] / raster->columns, column = queue[first] % raster->columns;
        first++;
        for (int r = row > reach ? row - reach : 0; r <= row + reach && r < raster->rows; r++) {
            const int c0 = column > reach ? column - reach : 0;
            const int c1 = column + reach < raster->columns ? column + reach : raster->columns - 1;
            memset(&swept[(size_t)r * (size_t)raster->columns + (size_t)c0], 1, (size_t)(c1 - c0 + 1));
        }
        for (int k = 0; k < 4; k++) {
            const int r = row + STEPS[k][0], c = column + STEPS[k][1];
            const size_t at = (size_t)r * (size_t)raster->columns + (size_t)c;
            if (r >= 0 && c >= 0 && r < raster->rows && c < raster->columns && !seen[at] &&
                taken_around(raster, sums, r, c, reach) == 0) {
                seen[at] = 1;
                queue[last++] = (int)at;
            }
        }
    }
    if (made) {
        outside_set(raster, swept);
    }
    free(sums);
    free(queue);
    free(swept);
    return made ? PW_OK : PW_NO_RESOURCE;
}

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
        thing->z = (struct height_range){true, 0.0, fmin(clutter->height, room)};
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
        if (filling->count == THINGS || !thing_place(raster, clutter, area, sides, &state, corner)) {
            return fail(error, PW_BAD_INPUT,
                        "%s:%d: clutter of %g %% does not fit: %.3g %% of the free floor of %.3g m2 is covered when no "
                        "further thing of %g m finds room. Ask for less, or for smaller things",
                        filling->source->scenario->file, clutter->line, 100 * clutter->density,
                        100 * covered / floor_area, floor_area, clutter->least);
        }
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

static bool is_in_area(const struct clutter_choice *clutter, double x, double y)
{
    return !clutter->has_area ||
           (x >= clutter->from.x && x <= clutter->to.x && y >= clutter->from.y && y <= clutter->to.y);
}

static double free_area(const struct raster *raster, const struct clutter_choice *clutter)
{
    double count = 0.0;
    for (int row = 0; row < raster->rows; row++) {
        for (int column = 0; column < raster->columns; column++) {
            count += *square_at(raster, row, column) <= EDGE &&
                     is_in_area(clutter, (column + 0.5) * raster->step, (row + 0.5) * raster->step);
        }
    }
    return count * raster->step * raster->step;
}

/* Entries share the raster, so that the things of one do not stand in those of another; each counts the floor that was
 * free before. */
static pw_status storey_fill(struct filling *filling, int storey, pw_error *error)
{
    const struct plan_choice *plan = &filling->source->scenario->plan;
    const struct floorplan *base = &filling->parts->base;
    const double large = sqrt(base->width * base->height / (double)SQUARES);
    struct raster raster = {.step = fmax(STEP, base->pixels != NULL ? fmin(large, base->pixel) : large)};
    raster.columns = (int)ceil(base->width / raster.step - 1e-9);
    raster.rows = (int)ceil(base->height / raster.step - 1e-9);
    raster.squares = allocate((size_t)raster.columns * (size_t)raster.rows, 1, "clutter", error);
    double *areas = allocate((size_t)plan->clutter_count, sizeof *areas, "clutter", error);
    pw_status status = raster.squares != NULL && areas != NULL ? PW_OK : PW_NO_RESOURCE;
    double height = 0.0;
    for (int n = 0; n < plan->clutter_count && plan->storey_count > 0; n++) {
        height = fmax(height, isnan(plan->clutter[n].height) ? plan->storeys[storey].height : plan->clutter[n].height);
    }
    height = plan->storey_count > 0 ? fmin(height, plan->storeys[storey].height) : 0.0;
    THEN(status, storey_take(filling->parts, storey, height, &raster, error));
    THEN(status, outside_mark(&raster, error));
    for (int n = 0; status == PW_OK && n < plan->clutter_count; n++) {
        areas[n] = free_area(&raster, &plan->clutter[n]);
    }
    for (int n = 0; status == PW_OK && n < plan->clutter_count; n++) {
        status = area_fill(filling, &raster, n, storey, areas[n], error);
    }
    free(raster.squares);
    free(areas);
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
    with->shapes = allocate(before + things, sizeof *with->shapes, "clutter", error);
    TRY_MADE(with->shapes);
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
    free(with->shapes);
    free(with->corners);
    with->shapes = NULL;
    with->corners = NULL;
}
