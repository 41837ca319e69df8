/* Inside and outside of a building in a picture (outside.h). */
#include "drawing/picture/walls/outside.h"

#include <stdlib.h>

enum { FREE, REACHED, BLOCKED };

static void gap_block(struct outside *outside, const struct plane_gap *gap)
{
    for (int y = gap->low_y; y < gap->high_y; y++) {
        for (int x = gap->low_x; x < gap->high_x; x++) {
            outside->reached[(size_t)y * (size_t)outside->width + (size_t)x] = BLOCKED;
        }
    }
}

/* The box around all walls: outside of it is no building. */
static struct plane_gap walls_box(const struct plane *walls)
{
    struct plane_gap box = {.low_x = walls->width, .low_y = walls->height};
    for (int y = 0; y < walls->height; y++) {
        for (int x = 0; x < walls->width; x++) {
            if (walls->cover[(size_t)y * (size_t)walls->width + (size_t)x] >= COVERED) {
                box.low_x = x < box.low_x ? x : box.low_x;
                box.high_x = x >= box.high_x ? x + 1 : box.high_x;
                box.low_y = y < box.low_y ? y : box.low_y;
                box.high_y = y + 1;
            }
        }
    }
    return box;
}

/* From all that is reached on to what is beside it. */
static void spread(struct outside *outside, size_t *waiting, size_t count)
{
    const size_t width = (size_t)outside->width, pixels = width * (size_t)outside->height;
    while (count > 0) {
        const size_t at = waiting[--count], x = at % width;
        const size_t beside[] = {x > 0 ? at - 1 : at, x + 1 < width ? at + 1 : at, at >= width ? at - width : at,
                                 at + width < pixels ? at + width : at};
        for (int n = 0; n < 4; n++) {
            if (outside->reached[beside[n]] == FREE) {
                outside->reached[beside[n]] = REACHED;
                waiting[count++] = beside[n];
            }
        }
    }
}

pw_status outside_find(const struct plane *walls, const struct plane_gap *gaps, size_t count, const uint8_t *stops,
                       struct outside *outside, pw_error *error)
{
    const size_t width = (size_t)walls->width, pixels = width * (size_t)walls->height;
    const struct plane_gap box = walls_box(walls);
    size_t *waiting = allocate(pixels, sizeof *waiting, "the outside of a picture", error), reached = 0;
    *outside = (struct outside){walls->width, walls->height, allocate(pixels, 1, "the outside of a picture", error)};
    if (waiting == NULL || outside->reached == NULL) {
        free(waiting);
        outside_free(outside);
        return PW_NO_RESOURCE;
    }
    for (size_t p = 0; p < pixels; p++) {
        const bool wall = walls->cover[p] >= COVERED || (stops != NULL && stops[p] != 0);
        outside->reached[p] = wall ? BLOCKED : FREE;
    }
    for (size_t n = 0; n < count; n++) {
        gap_block(outside, &gaps[n]);
    }
    for (size_t p = 0; p < pixels; p++) {
        const int x = (int)(p % width), y = (int)(p / width);
        const bool beyond = x < box.low_x || x >= box.high_x || y < box.low_y || y >= box.high_y;
        if (beyond && outside->reached[p] == FREE) {
            outside->reached[p] = REACHED;
            waiting[reached++] = p;
        }
    }
    spread(outside, waiting, reached);
    free(waiting);
    return PW_OK;
}

void outside_free(struct outside *outside)
{
    free(outside->reached);
    *outside = (struct outside){0};
}

/* Goes away from the gap at a place between its jambs. */
static bool meets_outside(const struct outside *outside, const struct plane *walls, const struct plane_gap *gap,
                          int along, int side, double reach)
{
    for (int by = 3; by < reach; by++) {
        const int low = gap->along_row ? gap->low_y : gap->low_x, high = gap->along_row ? gap->high_y : gap->high_x;
        const int across = side == 0 ? low - by : high - 1 + by;
        const int x = gap->along_row ? along : across, y = gap->along_row ? across : along;
        if (x < 0 || y < 0 || x >= outside->width || y >= outside->height) {
            return true;
        }
        const size_t at = (size_t)y * (size_t)outside->width + (size_t)x;
        if (walls->cover[at] >= COVERED) {
            return false;
        }
        if (outside->reached[at] == REACHED) {
            return true;
        }
    }
    return false;
}

int outside_sides(const struct outside *outside, const struct plane *walls, const struct plane_gap *gap, double reach)
{
    enum { PLACES = 7 };
    const int from = gap->along_row ? gap->low_x : gap->low_y, to = gap->along_row ? gap->high_x : gap->high_y;
    int sides = 0;
    for (int side = 0; side < 2; side++) {
        bool met = false;
        for (int n = 1; n <= PLACES && !met; n++) {
            met = meets_outside(outside, walls, gap, from + (to - from) * n / (PLACES + 1), side, reach);
        }
        sides += met;
    }
    return sides;
}
