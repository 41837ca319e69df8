/* Walks around covered areas along the sides of pixels (crack following), with what is covered on the right hand. Each
 * side gives a point, between the middles of the two pixels that it parts, where a straight edge would stand that
 * covers as much of both: the covered shares a and b put it at a + b - 1/2 of the way. A stroke of one pixel is as wide
 * as it and those beside it are covered, about their middle. Pixels that touch at a corner are connected. Every ring
 * has a side where a run begins; one that was not walked along yet begins a ring. */
#include "drawing/picture/outline.h"

#include <math.h>
#include <string.h>

static const double CRACK_LIMIT = 200e6;

/* Where the walk is: a corner of pixels, rows downwards, and the direction in which it left the corner before. */
enum { RIGHT, DOWN, LEFT, UP };
static const int STEP_X[4] = {1, 0, -1, 0}, STEP_Y[4] = {0, 1, 0, -1};
/* The pixels ahead of a corner on the left and on the right hand, as seen from the corner. */
static const int AHEAD_LEFT_X[4] = {0, 0, -1, -1}, AHEAD_LEFT_Y[4] = {-1, 0, 0, -1};

struct walk {
    const struct plane *plane;
    const struct plane_runs *runs;
    bool *walked; /* (runs): the side where a run begins was passed */
    struct drawing_point *points;
    size_t count, room;
};

static bool is_inside(const struct plane *plane, int x, int y)
{
    return x >= 0 && y >= 0 && x < plane->width && y < plane->height;
}

static int cover_at(const struct plane *plane, int x, int y)
{
    return is_inside(plane, x, y) ? plane->cover[(size_t)plane->width * (size_t)y + (size_t)x] : 0;
}

/* The run that begins at column x of row y. */
static size_t run_at(const struct plane_runs *runs, int x, int y)
{
    size_t low = runs->row_first[y], high = runs->row_first[y + 1];
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(runs->runs[middle].from <= x ? &low : &high) = middle;
    }
    return low;
}

/* The point of the side that is walked along from corner (x, y). */
static struct drawing_point side_point(const struct plane *plane, int x, int y, int direction)
{
    int right = (direction + 1) % 4, left_x = x + AHEAD_LEFT_X[direction], left_y = y + AHEAD_LEFT_Y[direction];
    int own_x = left_x + STEP_X[right], own_y = left_y + STEP_Y[right];
    double way = 0.5;
    if (is_inside(plane, left_x, left_y)) {
        double own = cover_at(plane, own_x, own_y) / 255.0, beyond = cover_at(plane, left_x, left_y) / 255.0;
        double behind = cover_at(plane, 2 * own_x - left_x, 2 * own_y - left_y) / 255.0;
        double stroke = own + beyond + behind;
        way = behind >= COVERED / 255.0 ? own + beyond - 0.5 : (beyond - behind) / stroke + 0.5 * stroke;
        way = fmin(1, fmax(0, way));
    }
    return (struct drawing_point){own_x + 0.5 - way * STEP_X[right],
                                  plane->height - (own_y + 0.5 - way * STEP_Y[right])};
}

static pw_status walk_add(struct walk *walk, struct drawing_point point, pw_error *error)
{
    TRY(array_grow(&walk->points, &walk->room, walk->count, sizeof *walk->points, "points of an outline", error));
    walk->points[walk->count++] = point;
    return PW_OK;
}

/* Walks around the ring that passes up the left side of pixel (x0, y0). */
static pw_status walk_ring(struct walk *walk, int x0, int y0, pw_error *error)
{
    int x = x0, y = y0 + 1, direction = UP;
    walk->count = 0;
    do {
        TRY(walk_add(walk, side_point(walk->plane, x, y, direction), error));
        x += STEP_X[direction];
        y += STEP_Y[direction];
        if (direction == UP) {
            walk->walked[run_at(walk->runs, x, y)] = true;
        }
        int right = (direction + 1) % 4, left_x = x + AHEAD_LEFT_X[direction], left_y = y + AHEAD_LEFT_Y[direction];
        if (cover_at(walk->plane, left_x, left_y) >= COVERED) {
            direction = (direction + 3) % 4;
        } else if (cover_at(walk->plane, left_x + STEP_X[right], left_y + STEP_Y[right]) < COVERED) {
            direction = right;
        }
    } while (x != x0 || y != y0 + 1 || direction != UP);
    return PW_OK;
}

static pw_status walk_all(struct walk *walk, struct outlines *outlines, int class_index, pw_error *error)
{
    const struct plane_runs *runs = walk->runs;
    for (int y = 0; y < walk->plane->height; y++) {
        for (size_t r = runs->row_first[y]; r < runs->row_first[y + 1]; r++) {
            if (walk->walked[r]) {
                continue;
            }
            TRY(walk_ring(walk, runs->runs[r].from, y, error));
            outlines->cracks += (double)walk->count;
            if (outlines->cracks > CRACK_LIMIT) {
                return outlines_noise(error);
            }
            TRY(outlines_begin_ring(outlines, outlines->component_count + runs->runs[r].root, class_index, error));
            TRY(outline_straighten(outlines, walk->points, walk->count, error));
        }
    }
    return PW_OK;
}

pw_status outlines_trace(struct outlines *outlines, const struct plane *plane, int class_index, pw_error *error)
{
    struct plane_runs runs = {0};
    struct walk walk = {.plane = plane, .runs = &runs};
    pw_status status = runs_find(plane, true, &runs, error);
    if (status == PW_OK) {
        walk.walked = allocate(runs.count, sizeof *walk.walked, "the outlines of a picture", error);
        status = walk.walked != NULL ? walk_all(&walk, outlines, class_index, error) : PW_NO_RESOURCE;
    }
    outlines->component_count += runs.count;
    PW_FREE_ALL(walk.walked, walk.points);
    runs_free(&runs);
    return status;
}
