/* The free floor as a raster (floor_raster.h). A square is free where its middle is air at every height that is looked
 * at, and no side of a wall runs through it. */
#include "plan/clutter/floor_raster.h"

#include "plan/plan_cut.h"

#include <math.h>
#include <string.h>

static const double STEP = 0.04;       /* m: side of a square, where the plan is small */
static const int64_t SQUARES = 250000; /* and where it is large, that so many cover it */
static const double DOOR = 0.6;        /* m: half of the widest gap in an outer wall that does not open the building */

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
            memset(&swept[(size_t)r * (size_t)raster->columns + (size_t)c0], 1, (size_t)c1 - (size_t)c0 + 1);
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
    FREE_ALL(sums, queue, swept);
    return made ? PW_OK : PW_NO_RESOURCE;
}

static bool is_in_area(const struct clutter_choice *clutter, double x, double y)
{
    return !clutter->has_area ||
           (x >= clutter->from.x && x <= clutter->to.x && y >= clutter->from.y && y <= clutter->to.y);
}

double raster_free_area(const struct raster *raster, const struct clutter_choice *clutter)
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

pw_status raster_create(const struct plan_parts *parts, int storey, double height, struct raster *raster,
                        pw_error *error)
{
    const struct floorplan *base = &parts->base;
    const double large = sqrt(base->width * base->height / (double)SQUARES);
    *raster = (struct raster){.step = fmax(STEP, base->pixels != NULL ? fmin(large, base->pixel) : large)};
    raster->columns = (int)ceil(base->width / raster->step - 1e-9);
    raster->rows = (int)ceil(base->height / raster->step - 1e-9);
    TRY_MADE(raster->squares = allocate((size_t)raster->columns * (size_t)raster->rows, 1, "clutter", error));
    TRY(storey_take(parts, storey, height, raster, error));
    return outside_mark(raster, error);
}
