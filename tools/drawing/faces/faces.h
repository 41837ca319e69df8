/* The straight pieces of the lines of a class, the stretches of them that are faces of walls, and these walls
 * (drawing/parallel_walls.h says what is done). */
#pragma once

#include "drawing/drawing.h"

/* A straight piece. Places along it are lengths from `begin`. */
struct face {
    struct drawing_point begin, along; /* along: of length 1 */
    double length;
    size_t element;
    int page;
    int stretches; /* the first of its list, sorted; -1: it has none */
};

/* A stretch of a face that belongs to a wall. */
struct stretch {
    double from, to;
    size_t wall;
    int next;
};

/* A wall: the axis is that of its first face, and runs from `from` to `to` along it. At the place t its other face is
 * offset + slope t to the left of the axis (to the right where that is negative). */
struct wall {
    size_t face, other;
    struct drawing_point begin, along;
    double from, to, offset, slope;
    int page;
};

struct face_walls {
    double nearest, farthest;
    struct face *faces;
    struct stretch *stretches;
    struct wall *walls;
    size_t face_count, stretch_count, wall_count, face_room, stretch_room, wall_room;
    double work; /* comparisons that may still be made */
};

void face_walls_free(struct face_walls *found);
/* Room for one more in an array of `count`. */
pw_status faces_room(void *array, size_t *room, size_t count, size_t size, pw_error *error);
/* Counts comparisons; PW_BAD_INPUT when there are too many. */
pw_status faces_work(struct face_walls *found, double comparisons, pw_error *error);

pw_status face_add(struct face_walls *found, struct drawing_point begin, struct drawing_point end, size_t element,
                   int page, pw_error *error);

/* A stretch is put into the list of its face, where it overlaps no other. */
pw_status stretch_add(struct face_walls *found, size_t face, double from, double to, size_t wall, pw_error *error);

/* How thick the wall is at t, with the sign of `offset`. */
double wall_offset(const struct wall *wall, double t);
/* The points of the axis and of the other face at t. */
struct drawing_point wall_point(const struct wall *wall, double t, bool other);

/* face_pairs.c: finds the walls between faces. */
pw_status faces_pair(struct face_walls *found, pw_error *error);

/* face_ends.c: lets walls go on to corners, junctions and the next wall in line. */
pw_status walls_meet(struct face_walls *found, pw_error *error);
