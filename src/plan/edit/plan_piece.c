/* Feeling for a piece of wall (plan_piece.h). */
#include "plan/edit/plan_piece.h"

#include <math.h>

static const double STEP = 2e-3 /* m: between two looks */, SAME_DIRECTION = 4e-3 /* rad: to an axis */;
static const double GRAIN = 1e-6 /* m: faces lie outside by up to so much, so that nothing of the wall is left */;

/* What is felt for, and along which line. */
struct feeler {
    const struct floorplan *plan;
    uint16_t material;
    struct point along, across; /* of unit length, at right angles */
};

static struct point ahead(struct point from, struct point direction, double by)
{
    return (struct point){from.x + by * direction.x, from.y + by * direction.y};
}

static bool is_inside(const struct feeler *feeler, struct point at)
{
    const struct floorplan *plan = feeler->plan;
    return at.x >= 0 && at.y >= 0 && at.x <= plan->width && at.y <= plan->height &&
           floorplan_material_at(plan, at.x, at.y) == feeler->material;
}

/* How far the material goes on, up to `most`. */
static double reach(const struct feeler *feeler, struct point from, struct point direction, double most)
{
    double in = 0, out = STEP;
    while (out < most && is_inside(feeler, ahead(from, direction, out))) {
        in = out;
        out += STEP;
    }
    for (int n = 0; n < 30 && out < most; n++) {
        const double middle = 0.5 * (in + out);
        *(is_inside(feeler, ahead(from, direction, middle)) ? &in : &out) = middle;
    }
    return fmin(out, most);
}

static struct point direction_of(double angle)
{
    return (struct point){cos(angle), sin(angle)};
}

static void feeler_turn(struct feeler *feeler, double angle)
{
    const double axis = 0.5 * M_PI * round(angle / (0.5 * M_PI));
    const bool level = fabs(angle - axis) < SAME_DIRECTION;
    feeler->along = direction_of(level ? axis : angle);
    if (level) {
        feeler->along = (struct point){round(feeler->along.x), round(feeler->along.y)};
    }
    feeler->across = (struct point){-feeler->along.y, feeler->along.x};
}

/* Across a wall it is the shortest way from air to air. */
static double direction_find(const struct feeler *feeler, struct point at, double *thickness)
{
    enum { DIRECTIONS = 180 };
    double best = hypot(feeler->plan->width, feeler->plan->height), found = 0;
    for (int n = 0; n < DIRECTIONS; n++) {
        const double angle = M_PI * (n % 4 * (DIRECTIONS / 4) + n / 4) / DIRECTIONS; /* the axes first */
        const struct point way = direction_of(angle);
        double chord = reach(feeler, at, way, best);
        chord += chord < best ? reach(feeler, at, (struct point){-way.x, -way.y}, best - chord) : best;
        if (chord < best * (1 - 1e-6)) {
            best = chord;
            found = angle;
        }
    }
    *thickness = best;
    return found - 0.5 * M_PI;
}

/* Both faces at a place, as distances from it; false where the wall is no more what it was. */
static bool faces_feel(const struct feeler *feeler, struct point at, double thickness, double face[2])
{
    const double most = 1.5 * thickness + STEP;
    if (!is_inside(feeler, at)) {
        return false;
    }
    face[0] = reach(feeler, at, (struct point){-feeler->across.x, -feeler->across.y}, most);
    face[1] = reach(feeler, at, feeler->across, most);
    return face[0] + face[1] < most && face[0] + face[1] > 0.5 * thickness;
}

/* Walks in one direction as long as the wall is what it was: how far. `centre` (may be NULL) becomes the middle of the
 * wall there, and the walk keeps to the middle; else it goes straight on, and `widest` takes the faces. */
static double walk(const struct feeler *feeler, struct point from, double sign, double thickness, struct point *centre,
                   double widest[2])
{
    const double step = fmin(fmax(0.25 * thickness, STEP), 0.1),
                 most = hypot(feeler->plan->width, feeler->plan->height);
    double good = 0, bad = step, face[2];
    struct point base = from;
    while (bad < most && faces_feel(feeler, ahead(base, feeler->along, sign * (bad - good)), thickness, face)) {
        base = ahead(base, feeler->along, sign * (bad - good));
        if (centre != NULL) {
            base = *centre = ahead(base, feeler->across, 0.5 * (face[1] - face[0]));
        } else {
            widest[0] = fmax(widest[0], face[0]), widest[1] = fmax(widest[1], face[1]);
        }
        good = bad;
        bad += step;
    }
    for (double last = good, to = bad; centre == NULL && to - good > 0.1 * GRAIN;) {
        const double middle = 0.5 * (good + to);
        *(faces_feel(feeler, ahead(base, feeler->along, sign * (middle - last)), thickness, face) ? &good : &to) =
            middle;
    }
    return good;
}

/* By which line the wall goes: the middles of two faces far apart lie on it, however the faces were felt for. */
static struct point line_find(struct feeler *feeler, struct point at, double thickness)
{
    struct point ends[2] = {at, at};
    double face[2];
    if (faces_feel(feeler, at, thickness, face)) {
        ends[0] = ends[1] = at = ahead(at, feeler->across, 0.5 * (face[1] - face[0]));
    }
    (void)walk(feeler, at, -1, thickness, &ends[0], NULL);
    (void)walk(feeler, at, 1, thickness, &ends[1], NULL);
    if (hypot(ends[1].x - ends[0].x, ends[1].y - ends[0].y) > thickness) {
        feeler_turn(feeler, atan2(ends[1].y - ends[0].y, ends[1].x - ends[0].x));
    }
    return at;
}

static struct wall_piece piece_feel(struct feeler *feeler, struct point at)
{
    double thickness, widest[2] = {0, 0};
    feeler_turn(feeler, direction_find(feeler, at, &thickness));
    at = line_find(feeler, at, thickness);
    (void)faces_feel(feeler, at, thickness, widest);
    const double back = walk(feeler, at, -1, thickness, NULL, widest) + GRAIN,
                 on = walk(feeler, at, 1, thickness, NULL, widest) + GRAIN;
    at = ahead(at, feeler->across, 0.5 * (widest[1] - widest[0]));
    return (struct wall_piece){ahead(at, feeler->along, -back), ahead(at, feeler->along, on),
                               widest[0] + widest[1] + 2 * GRAIN};
}

enum { WAYS = 8 };

/* How far the nearest face is. */
static double depth(const struct feeler *feeler, struct point at)
{
    double least = is_inside(feeler, at) ? HUGE_VAL : 0;
    for (int way = 0; way < WAYS && least > 0; way++) {
        least = fmin(least, reach(feeler, at, direction_of(2 * M_PI * way / WAYS), fmin(least, 1)));
    }
    return least;
}

/* From a corner, where the shortest way cuts it off, to the middle of the wall. */
static struct point middle_climb(const struct feeler *feeler, struct point at)
{
    double deepest = depth(feeler, at);
    for (double step = 0.05; step > 1e-3;) {
        struct point better = at;
        for (int way = 0; way < WAYS; way++) {
            const struct point next = ahead(at, direction_of(2 * M_PI * way / WAYS), step);
            const double there = depth(feeler, next);
            if (there > deepest + 1e-4) {
                deepest = there;
                better = next;
            }
        }
        step = better.x == at.x && better.y == at.y ? 0.5 * step : step;
        at = better;
    }
    return at;
}

struct wall_piece wall_piece_at(const struct floorplan *plan, struct point at)
{
    const double stub = 1.5; /* a wall is longer than so many times its thickness */
    struct feeler feeler = {.plan = plan, .material = floorplan_material_at(plan, at.x, at.y)};
    const struct wall_piece piece = piece_feel(&feeler, at);
    return hypot(piece.to.x - piece.from.x, piece.to.y - piece.from.y) > stub * piece.thickness
               ? piece
               : piece_feel(&feeler, middle_climb(&feeler, at));
}
