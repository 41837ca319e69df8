/* Finds the walls between faces (faces.h). Faces are sorted into bins of direction; within a bin and the next they are
 * swept across it, so that only those are compared that are near each other. The pairs are then taken, the nearest
 * first, as far as their stretches are still free. */
#include "drawing/faces/faces.h"

#include <math.h>
#include <stdlib.h>

enum { BINS = 45, PAIR_LIMIT = 8000000 }; /* of 4 degrees each; the first begins 2 degrees before the x axis */

static const double TURN = 4 * M_PI / 180; /* the largest angle between faces of one wall */

/* A pair of faces, and the stretch of the first where they run beside each other. */
struct face_pair {
    size_t face, other;
    double from, to, offset, slope;
    double apart; /* in the middle, positive */
};

struct pair_list {
    struct face_pair *pairs;
    size_t count, room;
};

/* A face as the sweep meets it. */
struct swept {
    double low, high; /* across the bin's direction */
    size_t face;
    bool own; /* of the bin itself, not of the next */
};

static double cross(struct drawing_point a, struct drawing_point b)
{
    return a.x * b.y - a.y * b.x;
}

static double dot(struct drawing_point a, struct drawing_point b)
{
    return a.x * b.x + a.y * b.y;
}

static struct drawing_point from_to(struct drawing_point a, struct drawing_point b)
{
    return (struct drawing_point){b.x - a.x, b.y - a.y};
}

/* Compares two faces; those that can have a wall between them are listed. */
static pw_status pair_try(struct face_walls *found, size_t face, size_t other, struct pair_list *list, pw_error *error)
{
    const struct face *a = &found->faces[face], *b = &found->faces[other];
    double turn = cross(a->along, b->along), way = dot(a->along, b->along);
    if (a->page != b->page || fabs(turn) > sin(TURN)) {
        return PW_OK;
    }
    struct drawing_point to_begin = from_to(a->begin, b->begin);
    double begin = dot(to_begin, a->along), end = begin + way * b->length;
    double from = fmax(0, fmin(begin, end)), to = fmin(a->length, fmax(begin, end));
    double slope = turn / way, offset = cross(a->along, to_begin) - slope * begin;
    double first = offset + slope * from, last = offset + slope * to, apart = fabs(first + last) / 2;
    double slack = 1e-9 * found->farthest;
    bool beside = to - from > 0.1 * apart && first * last > 0;
    bool thick = fmin(fabs(first), fabs(last)) >= found->nearest - slack &&
                 fmax(fabs(first), fabs(last)) <= found->farthest + slack;
    if (!beside || !thick) {
        return PW_OK;
    }
    if (list->count >= PAIR_LIMIT) {
        return faces_work(found, HUGE_VAL, error);
    }
    TRY(faces_room(&list->pairs, &list->room, list->count, sizeof *list->pairs, error));
    list->pairs[list->count++] = (struct face_pair){face, other, from, to, offset, slope, apart};
    return PW_OK;
}

static int swept_order(const void *a, const void *b)
{
    const struct swept *one = a, *two = b;
    return one->low != two->low ? (one->low > two->low) - (one->low < two->low)
                                : (one->face > two->face) - (one->face < two->face);
}

/* Pairs the faces of a bin with each other and with those of the next. */
static pw_status bin_sweep(struct face_walls *found, struct swept *swept, size_t count, struct pair_list *list,
                           pw_error *error)
{
    qsort(swept, count, sizeof *swept, swept_order);
    for (size_t a = 0; a < count; a++) {
        size_t b = a + 1;
        for (; b < count && swept[b].low <= swept[a].high + 1.01 * found->farthest; b++) {
            if (swept[a].own || swept[b].own) {
                TRY(pair_try(found, swept[a].face, swept[b].face, list, error));
            }
        }
        TRY(faces_work(found, (double)(b - a), error));
    }
    return PW_OK;
}

static int bin_of(const struct face *face)
{
    double angle = fmod(atan2(face->along.y, face->along.x) + TURN / 2 + 2 * M_PI, M_PI);
    int bin = (int)(angle / TURN);
    return bin < BINS ? bin : BINS - 1;
}

static pw_status pairs_find(struct face_walls *found, struct pair_list *list, pw_error *error)
{
    OWNED struct swept *swept = allocate(found->face_count, sizeof *swept, "faces of walls", error);
    TRY_MADE(swept);
    for (int bin = 0; bin < BINS; bin++) {
        struct drawing_point direction = {cos(bin * TURN), sin(bin * TURN)};
        size_t count = 0, own = 0;
        for (size_t f = 0; f < found->face_count; f++) {
            const struct face *face = &found->faces[f];
            int its = bin_of(face);
            if (its == bin || its == (bin + 1) % BINS) {
                double begin = cross(direction, face->begin);
                double end = begin + face->length * cross(direction, face->along);
                swept[count++] = (struct swept){fmin(begin, end), fmax(begin, end), f, its == bin};
                own += its == bin ? 1 : 0;
            }
        }
        if (own > 0) {
            TRY(bin_sweep(found, swept, count, list, error));
        }
    }
    return PW_OK;
}

/* The nearest first; of those that are as near, the longer. Distances are compared to a millionth, below which they
 * are rounding. */
static int pair_order(const void *a, const void *b)
{
    const struct face_pair *one = a, *two = b;
    float near_one = (float)one->apart, near_two = (float)two->apart;
    double long_one = one->to - one->from, long_two = two->to - two->from;
    if (near_one != near_two) {
        return near_one < near_two ? -1 : 1;
    }
    if (long_one != long_two) {
        return long_one > long_two ? -1 : 1;
    }
    return one->face != two->face ? (one->face > two->face ? 1 : -1)
                                  : (one->other > two->other) - (one->other < two->other);
}

/* A place on the axis as one along the other face. */
static double on_other(const struct face_walls *found, const struct face_pair *pair, double t)
{
    const struct face *a = &found->faces[pair->face], *b = &found->faces[pair->other];
    return (t - dot(from_to(a->begin, b->begin), a->along)) / dot(a->along, b->along);
}

static pw_status wall_add(struct face_walls *found, const struct face_pair *pair, double from, double to,
                          pw_error *error)
{
    const struct face *face = &found->faces[pair->face];
    TRY(faces_room(&found->walls, &found->wall_room, found->wall_count, sizeof *found->walls, error));
    size_t wall = found->wall_count++;
    found->walls[wall] = (struct wall){pair->face, pair->other,  face->begin, face->along, from,
                                       to,         pair->offset, pair->slope, face->page};
    double one = on_other(found, pair, from), two = on_other(found, pair, to);
    TRY(stretch_add(found, pair->face, from, to, wall, error));
    return stretch_add(found, pair->other, fmin(one, two), fmax(one, two), wall, error);
}

/* Of the stretches of both faces that overlap [from, to] of the axis, the one that begins first: *taken_from and
 * *taken_to are its ends on the axis. False: there is none. */
static bool taken_find(struct face_walls *found, const struct face_pair *pair, double from, double to,
                       double *taken_from, double *taken_to)
{
    const struct face *a = &found->faces[pair->face], *b = &found->faces[pair->other];
    double slack = 1e-6 * found->nearest;
    bool any = false;
    for (int other = 0; other < 2; other++) {
        double base = other ? dot(from_to(a->begin, b->begin), a->along) : 0, way = other ? dot(a->along, b->along) : 1;
        for (int n = other ? b->stretches : a->stretches; n >= 0; n = found->stretches[n].next) {
            double one = base + way * found->stretches[n].from, two = base + way * found->stretches[n].to;
            found->work -= 1;
            if (fmin(one, two) < to - slack && fmax(one, two) > from + slack &&
                (!any || fmin(one, two) < *taken_from)) {
                *taken_from = fmin(one, two);
                *taken_to = fmax(one, two);
                any = true;
            }
        }
    }
    return any;
}

/* Makes walls of what is free of the pair's stretch. */
static pw_status pair_take(struct face_walls *found, const struct face_pair *pair, pw_error *error)
{
    for (double at = pair->from; at < pair->to;) {
        double taken_from = pair->to, taken_to = pair->to;
        (void)taken_find(found, pair, at, pair->to, &taken_from, &taken_to);
        TRY(faces_work(found, 1, error));
        if (taken_from - at > 0.1 * pair->apart) {
            TRY(wall_add(found, pair, at, taken_from, error));
        }
        at = taken_to;
    }
    return PW_OK;
}

pw_status faces_pair(struct face_walls *found, pw_error *error)
{
    struct pair_list list = {0};
    pw_status status = pairs_find(found, &list, error);
    if (status == PW_OK && list.count > 0) {
        qsort(list.pairs, list.count, sizeof *list.pairs, pair_order);
    }
    for (size_t p = 0; p < list.count && status == PW_OK; p++) {
        status = pair_take(found, &list.pairs[p], error);
    }
    free(list.pairs);
    return status;
}
