/* The outline of a shape: a closed polygon, filled by the even-odd rule, or a circle. */
#ifndef OUTLINE_H
#define OUTLINE_H

#include "scenario/scenario.h"

struct outline {
    struct point low, high; /* m, bounding box */
    struct point *points;   /* (point_count), m, owned; NULL for circles */
    int point_count;        /* 0: circle */
    struct point centre;    /* m, circles */
    double radius;          /* m, circles */
    bool oblique;           /* some side lies along neither axis; circles too */
};

/* `file` is the scenario's, for messages. PW_BAD_INPUT: a shape without extent. */
pw_status outline_create(const char *file, const struct shape *shape, struct outline *outline, pw_error *error);
void outline_free(struct outline *outline);

/* Whether the point lies inside; on a face either may be. */
bool outline_contains(const struct outline *outline, double x, double y);

bool outlines_equal(const struct outline *a, const struct outline *b);

#endif
