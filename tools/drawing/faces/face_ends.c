/* Lets walls go on beyond the stretch where both their faces are: to corners, over junctions, to the next wall in line
 * (faces.h). */
#include "drawing/faces/faces.h"

#include <math.h>
#include <stdlib.h>

static const double CORNER_THICKNESSES = 2.5; /* a face runs on as far as this at a corner of 45 degrees */

/* An end of a wall: the middle between its faces, and the way out. */
struct wall_end {
    struct drawing_point at, out;
    double thickness;
    size_t wall;
    bool last; /* at `to` */
};

static double along_axis(const struct wall *wall, struct drawing_point point)
{
    return (point.x - wall->begin.x) * wall->along.x + (point.y - wall->begin.y) * wall->along.y;
}

/* Makes the wall reach to where the face is at `place`. */
static void wall_reach(struct wall *wall, const struct face *face, double place)
{
    struct drawing_point point = {face->begin.x + place * face->along.x, face->begin.y + place * face->along.y};
    double t = along_axis(wall, point);
    wall->from = fmin(wall->from, t);
    wall->to = fmax(wall->to, t);
}

/* On which side of the face the wall lies: positive is its left. */
static double wall_side(const struct wall *wall, const struct face *face)
{
    double middle = (wall->from + wall->to) / 2;
    struct drawing_point a = wall_point(wall, middle, false), b = wall_point(wall, middle, true);
    double x = (a.x + b.x) / 2 - face->begin.x, y = (a.y + b.y) / 2 - face->begin.y;
    return face->along.x * y - face->along.y * x;
}

static double wall_thickness(const struct wall *wall)
{
    return fabs(wall_offset(wall, (wall->from + wall->to) / 2));
}

/* What a face has before its first stretch, between them and behind the last goes to the walls beside it where it is
 * short; the stretches grow by it. */
static void face_gaps_fill(struct face_walls *found, const struct face *face)
{
    struct stretch *before = NULL;
    for (int n = face->stretches;; n = found->stretches[n].next) {
        struct stretch *after = n >= 0 ? &found->stretches[n] : NULL;
        struct wall *one = before != NULL ? &found->walls[before->wall] : NULL;
        struct wall *two = after != NULL ? &found->walls[after->wall] : NULL;
        double from = before != NULL ? before->to : 0, to = after != NULL ? after->from : face->length;
        double corner = CORNER_THICKNESSES * (one != NULL   ? wall_thickness(one)
                                              : two != NULL ? wall_thickness(two)
                                                            : 0);
        double most = one != NULL && two != NULL ? found->farthest : fmax(found->farthest, corner);
        bool same = one == NULL || two == NULL || (wall_side(one, face) > 0) == (wall_side(two, face) > 0);
        if (to > from && to - from <= most * (1 + 1e-9) && same) {
            if (one != NULL && (two == NULL || wall_thickness(one) <= wall_thickness(two))) {
                wall_reach(one, face, to);
                before->to = to;
            } else if (two != NULL) {
                wall_reach(two, face, from);
                after->from = from;
            }
        }
        if (after == NULL) {
            return;
        }
        before = after;
    }
}

static struct wall_end end_of(const struct wall *wall, size_t index, bool last)
{
    double t = last ? wall->to : wall->from, way = last ? 1 : -1;
    struct drawing_point a = wall_point(wall, t, false), b = wall_point(wall, t, true);
    return (struct wall_end){.at = {(a.x + b.x) / 2, (a.y + b.y) / 2},
                             .out = {way * wall->along.x, way * wall->along.y},
                             .thickness = fabs(wall_offset(wall, t)),
                             .wall = index,
                             .last = last};
}

static int end_order(const void *a, const void *b)
{
    const struct wall_end *one = a, *two = b;
    if (one->at.x != two->at.x) {
        return one->at.x < two->at.x ? -1 : 1;
    }
    return one->wall != two->wall ? (one->wall < two->wall ? -1 : 1) : (int)one->last - (int)two->last;
}

/* How far it is from one end to another that faces it in line, negative where they overlap; infinite where it does not
 * face it. */
static double gap_between(const struct face_walls *found, const struct wall_end *one, const struct wall_end *two)
{
    double x = two->at.x - one->at.x, y = two->at.y - one->at.y;
    double gap = x * one->out.x + y * one->out.y, aside = fabs(x * one->out.y - y * one->out.x);
    double turn = one->out.x * two->out.x + one->out.y * two->out.y;
    double thin = fmin(one->thickness, two->thickness), thick = fmax(one->thickness, two->thickness);
    bool in_line = one->wall != two->wall && found->walls[one->wall].page == found->walls[two->wall].page &&
                   turn < -0.99 && aside <= 0.25 * thin && thick <= 1.5 * thin;
    return in_line && gap > -thick && gap <= found->farthest * (1 + 1e-9) ? gap : HUGE_VAL;
}

/* Joins each end to the nearest that faces it in line, unless they meet. */
static pw_status ends_join(struct face_walls *found, const struct wall_end *ends, size_t count, pw_error *error)
{
    for (size_t n = 0; n < count; n++) {
        double nearest = HUGE_VAL, reach = found->farthest * (1 + 1e-9);
        size_t first = n, last = n;
        while (first > 0 && ends[n].at.x - ends[first - 1].at.x <= reach) {
            first--;
        }
        for (; last < count && ends[last].at.x - ends[n].at.x <= reach; last++) {
        }
        TRY(faces_work(found, (double)(last - first), error));
        for (size_t m = first; m < last; m++) {
            double gap = gap_between(found, &ends[n], &ends[m]);
            nearest = fabs(gap) < fabs(nearest) ? gap : nearest;
        }
        if (isfinite(nearest) && nearest > 0) {
            struct wall *wall = &found->walls[ends[n].wall];
            *(ends[n].last ? &wall->to : &wall->from) += ends[n].last ? nearest : -nearest;
        }
    }
    return PW_OK;
}

pw_status walls_meet(struct face_walls *found, pw_error *error)
{
    for (size_t f = 0; f < found->face_count; f++) {
        if (found->faces[f].stretches >= 0) {
            face_gaps_fill(found, &found->faces[f]);
        }
    }
    OWNED struct wall_end *ends = allocate(2 * found->wall_count, sizeof *ends, "ends of walls", error);
    TRY_MADE(ends);
    for (size_t w = 0; w < found->wall_count; w++) {
        ends[2 * w] = end_of(&found->walls[w], w, false);
        ends[2 * w + 1] = end_of(&found->walls[w], w, true);
    }
    qsort(ends, 2 * found->wall_count, sizeof *ends, end_order);
    return ends_join(found, ends, 2 * found->wall_count, error);
}
