/* The outline of a shape: a closed polygon, filled by the even-odd rule, or a circle. */
#pragma once

#include "scenario/scenario.h"

struct outline {
    struct point low, high; /* m, bounding box */
    struct point *points;   /* (point_count), m, owned; NULL for circles */
    int point_count;        /* 0: circle */
    struct point centre;    /* m, circles */
    double radius;          /* m, circles */
    bool oblique;           /* some side lies along neither axis; circles too */
    /* Of outlines of many points: slices of equal height between low and high, and the sides that cross each. Slice n
     * has sides[start[n]] to sides[start[n + 1] - 1], which are numbers of their first points. */
    int slice_count, *start, *sides; /* owned; 0 and NULL where all sides are looked at */
};

/* `file` is the scenario's, for messages. PW_BAD_INPUT: a shape without extent. */
pw_status outline_create(const char *file, const struct shape *shape, struct outline *outline, pw_error *error);
void outline_free(struct outline *outline);

/* Whether the point lies inside; on a face either may be. */
bool outline_contains(const struct outline *outline, double x, double y);

/* The corners of an outline that has four, in its order, without points that are repeated or lie on a side; false: it
 * has more or fewer. */
bool outline_four(const struct point *points, int count, struct point corner[4]);

/* The corners of a closed outline that has four, in its order, without points that are repeated or lie on a side;
 * false: it has more or fewer. */
bool outline_four(const struct point *points, int count, struct point corner[4]);

bool outlines_equal(const struct outline *a, const struct outline *b);
