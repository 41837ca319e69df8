/* Outlines of what a plane covers: rings around connected areas and around their holes, with sub-pixel accuracy, made
 * of straight edges. They are gathered for all classes of a picture first, because all their edges together tell its
 * directions, and then drawn as areas. */
#pragma once

#include "drawing/drawing.h"
#include "drawing/picture/plane.h"

/* From a vertex to the next ring's one: the line that fits the outline there. y upwards. */
struct outline_edge {
    struct drawing_point vertex; /* where the edge begins, on the outline */
    struct drawing_point centre; /* of the line */
    double along_x, along_y;     /* its direction, of length 1 */
    double length;
    bool fitted; /* by more than its two ends */
};

struct outline_ring {
    size_t first_edge, edges;
    size_t component; /* rings of one area have the same one; its outer ring comes first */
    int class_index;
};

/* Starts as zeros. */
struct outlines {
    struct outline_ring *rings;
    struct outline_edge *edges;
    size_t ring_count, edge_count, ring_room, edge_room;
    size_t component_count;
    double cracks; /* sides of pixels that were walked along */
    double work;   /* distances that straightening measured */
};

void outlines_free(struct outlines *outlines);

/* Adds the outlines of a plane. PW_BAD_INPUT, saying what may help, when there are so many that it is noise. */
pw_status outlines_trace(struct outlines *outlines, const struct plane *plane, int class_index, pw_error *error);

/* A ring of `count` points, one for each side of a pixel, to straight edges (straighten.c). */
pw_status outline_straighten(struct outlines *outlines, const struct drawing_point *points, size_t count,
                             pw_error *error);

/* Room for one more edge; a ring without edges; and what is said when there are too many of them. */
pw_status outlines_room(struct outlines *outlines, pw_error *error);
pw_status outlines_begin_ring(struct outlines *outlines, size_t component, int class_index, pw_error *error);
pw_status outlines_noise(pw_error *error);

/* Puts the rings of each area behind each other, the outer one first. */
void outlines_sort(struct outlines *outlines);

/* Draws all outlines as areas on page 0. Where `straight`, edges within two degrees of the picture's direction, or at
 * right angles to it, take it. */
pw_status outlines_draw(struct outlines *outlines, bool straight, struct drawing *drawing, pw_error *error);
