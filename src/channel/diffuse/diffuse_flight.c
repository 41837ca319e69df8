/* How far scattered waves have come, in the mean, when they are received (diffuse.h): straight flights from face to
 * face and to the receiver, over the squares of a plan. A balance by diffusion has no use here: its waves would cross a
 * room faster than light. */
#include "channel/diffuse/diffuse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double REACH = 8.0;      /* storeys: how far a flight may go over the plan */
static const double SIDE = 0.1;       /* storeys: of a square */
static const double FAINT = 1e-3;     /* a flight of which less is left has ended, and so have bounces */
static const double REFLECTED = 0.02; /* the least that is followed of what a wall reflects */
enum { RAYS = 32, MOST_STEPS = 256, MOST_BOUNCES = 16, MOST_FLYERS = 32 };

/* ---- squares ----------------------------------------------------------------------------------------------------- */

pw_status diffuse_squares_create(const struct diffuse_floor *blocks, double height, struct diffuse_squares *squares,
                                 pw_error *error)
{
    const int side = (int)fmax(1.0, floor(SIDE * height / blocks->step));
    *squares = (struct diffuse_squares){.rows = (blocks->rows + side - 1) / side,
                                        .columns = (blocks->columns + side - 1) / side,
                                        .side = side,
                                        .step = side * blocks->step};
    const size_t count = (size_t)squares->rows * (size_t)squares->columns;
    for (int n = 0; n < DIFFUSE_SQUARE_VALUES; n++) {
        squares->value[n] = allocate(count, sizeof *squares->value[n], "scattered waves", error);
        TRY_MADE(squares->value[n]);
    }
    return PW_OK;
}

void diffuse_squares_free(struct diffuse_squares *squares)
{
    for (int n = 0; n < DIFFUSE_SQUARE_VALUES; n++) {
        free(squares->value[n]);
        squares->value[n] = NULL;
    }
}

/* ---- flights ----------------------------------------------------------------------------------------------------- */

/* From a face, over the plan in steps of a square: what of a square's power arrives, and how long the flight is [m]. */
struct flights {
    int count;
    double share[MOST_STEPS], length[MOST_STEPS];
};

/* By Lambert's law, to the other face or to a receiver half way up. `scale` is on all shares. */
static struct flights flights_make(const struct diffuse_squares *squares, double height, double scale, bool to_face)
{
    struct flights flights = {.count = (int)fmin(ceil(REACH * height / squares->step), MOST_STEPS)};
    const double rise = to_face ? height : 0.5 * height, area = squares->step * squares->step * 2.0 * M_PI / RAYS;
    for (int n = 0; n < flights.count; n++) {
        const double length = hypot((n + 0.5) * squares->step, rise),
                     law = to_face ? pow(rise / (length * length), 2) : rise / pow(length, 3);
        flights.share[n] = scale * law / M_PI * (n + 0.5) * area;
        flights.length[n] = length;
    }
    return flights;
}

/* A flight, backwards from where it arrives: place and step [squares], what is left of it, steps that are done. */
struct flyer {
    double at[2], step[2], left;
    int done;
};

/* Lets the flight at axis `axis` meet the faces of walls of a square: returns what passes them of it, and what they
 * reflect becomes a flight of its own, if there is room for one. */
static double faces_pass(const struct flyer *f, int axis, double faces, struct flyer *flyers, int *count)
{
    const double met = faces * fabs(f->step[axis]), reflected = f->left * (1.0 - exp(-0.5 * met));
    if (reflected > REFLECTED && *count < MOST_FLYERS) {
        struct flyer *back = &flyers[(*count)++];
        *back = *f;
        back->left = reflected;
        back->step[axis] = -f->step[axis];
        back->at[0] += back->step[0];
        back->at[1] += back->step[1];
        back->done++;
    }
    return exp(-met);
}

/* Adds what the last of `count` flights brings to `out`: power, and power times the way. Those that walls reflect take
 * its place; returns how many there are then. */
static int fly(const struct diffuse_squares *squares, const struct flights *flights, struct flyer *flyers, int count,
               double out[2])
{
    struct flyer f = flyers[--count];
    for (; f.done < flights->count && f.left > FAINT; f.done++) {
        if (!(f.at[0] >= 0.0 && f.at[1] >= 0.0 && f.at[0] < squares->columns && f.at[1] < squares->rows)) {
            break;
        }
        const int n = (int)f.at[1] * squares->columns + (int)f.at[0];
        const double share = f.left * flights->share[f.done], power = squares->value[DIFFUSE_POWER][n],
                     depth = squares->value[DIFFUSE_DEPTH][n];
        out[0] += share * power;
        out[1] += share * (squares->value[DIFFUSE_MOMENT][n] + power * flights->length[f.done]);
        double passed = depth > 0.0 ? exp(-depth) : 1.0;
        for (int axis = 0; axis < 2; axis++) {
            const double faces = squares->value[DIFFUSE_FACES + axis][n];
            passed *= faces > 0.0 ? faces_pass(&f, axis, faces, flyers, &count) : 1.0;
        }
        f.left *= passed;
        f.at[0] += f.step[0];
        f.at[1] += f.step[1];
    }
    return count;
}

/* What comes to each square from all of them: (rows, columns, 2). */
static void flights_sum(const struct diffuse_squares *squares, const struct flights *flights, double *came)
{
#pragma omp parallel for schedule(dynamic, 64)
    for (int n = 0; n < squares->rows * squares->columns; n++) {
        const double x = n % squares->columns + 0.5, y = n / squares->columns + 0.5;
        double out[2] = {0.0, 0.0};
        for (int ray = 0; ray < RAYS; ray++) {
            const double angle = 2.0 * M_PI * (ray + 0.5) / RAYS, dx = cos(angle), dy = sin(angle);
            struct flyer flyers[MOST_FLYERS] = {{{x + 0.5 * dx, y + 0.5 * dy}, {dx, dy}, 1.0, 0}};
            for (int count = 1; count > 0;) {
                count = fly(squares, flights, flyers, count, out);
            }
        }
        came[2 * n] = out[0];
        came[2 * n + 1] = out[1];
    }
}

pw_status diffuse_travel(struct diffuse_squares *squares, double height, double reflection, pw_error *error)
{
    const size_t count = (size_t)squares->rows * (size_t)squares->columns;
    OWNED double *work = allocate(count, 4 * sizeof *work, "scattered waves", error);
    TRY_MADE(work);
    double *first = work, *came = first + 2 * count, *power = squares->value[DIFFUSE_POWER],
           *moment = squares->value[DIFFUSE_MOMENT];
    memcpy(first, power, count * sizeof *first);
    memcpy(first + count, moment, count * sizeof *first);
    const struct flights bounce = flights_make(squares, height, reflection, true),
                         end = flights_make(squares, height, 1.0, false);
    double left = reflection;
    for (int turn = 0; turn < MOST_BOUNCES && left > FAINT; turn++) {
        flights_sum(squares, &bounce, came);
        for (size_t n = 0; n < count; n++) {
            power[n] = first[n] + came[2 * n];
            moment[n] = first[count + n] + came[2 * n + 1];
        }
        left *= reflection;
    }
    flights_sum(squares, &end, came);
    for (size_t n = 0; n < count; n++) {
        squares->value[DIFFUSE_TRAVEL][n] = came[2 * n] > 0.0 ? came[2 * n + 1] / came[2 * n] : 0.0;
    }
    return PW_OK;
}
