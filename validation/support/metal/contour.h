/* Where metal is: lines of no thickness and edges of solid pieces. */
#ifndef CONTOUR_H
#define CONTOUR_H

#include <stdbool.h>

struct spot {
    double x, y; /* m */
};

enum { CONTOUR_LINES = 2, CONTOUR_POINTS = 256 };

struct polyline {
    int count;
    bool closed; /* solid: the last point goes on to the first */
    struct spot point[CONTOUR_POINTS];
};

struct contour {
    int count;
    bool rounded; /* a circle in small straight pieces: its points are no corners */
    struct polyline line[CONTOUR_LINES];
};

/* A line with these points. */
struct polyline *contour_add(struct contour *contour, bool closed, int count, const struct spot *points);

/* From p to the metal [m]; negative inside of a solid piece. */
double contour_distance(const struct contour *contour, struct spot p);

/* Whether metal crosses the straight line between the two. */
bool contour_hides(const struct contour *contour, struct spot a, struct spot b);

#endif
