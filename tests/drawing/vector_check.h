/* What the tests of vector formats measure of a drawing. */
#ifndef VECTOR_CHECK_H
#define VECTOR_CHECK_H

#include "tests/drawing/drawing_file.h"

static inline const struct drawing_class *class_named(const struct drawing *drawing, const char *name)
{
    for (size_t c = 0; c < drawing->class_count; c++) {
        if (strcmp(drawing->classes[c].name, name) == 0) {
            return &drawing->classes[c];
        }
    }
    return NULL;
}

/* Element `nth` of the class; a test ends where there is none. */
static inline const struct drawing_element *element_of(const struct drawing *drawing, const char *name, size_t nth)
{
    for (size_t e = 0; e < drawing->element_count; e++) {
        if (strcmp(drawing->classes[drawing->elements[e].class_index].name, name) == 0 && nth-- == 0) {
            return &drawing->elements[e];
        }
    }
    fail_msg("no such element of %s", name);
    return NULL;
}

/* By the even-odd rule, rings that do not cross: the outer less the inner ones, those counted by how deep they lie. */
static inline double ring_area(const struct drawing *drawing, size_t ring)
{
    const struct drawing_point *p = drawing->points + drawing->rings[ring].first;
    double area = 0;
    for (size_t n = 0, count = drawing->rings[ring].count; n < count; n++) {
        area += 0.5 * (p[n].x * p[(n + 1) % count].y - p[(n + 1) % count].x * p[n].y);
    }
    return fabs(area);
}

static inline double line_length(const struct drawing *drawing, const struct drawing_element *element)
{
    const struct drawing_ring *ring = &drawing->rings[element->first_ring];
    const struct drawing_point *p = drawing->points + ring->first;
    double length = 0;
    for (size_t n = 1; n < ring->count; n++) {
        length += hypot(p[n].x - p[n - 1].x, p[n].y - p[n - 1].y);
    }
    return length;
}

static inline void point_check(const struct drawing *drawing, const struct drawing_element *element, size_t nth,
                               double x, double y)
{
    const struct drawing_ring *ring = &drawing->rings[element->first_ring];
    assert_true(nth < ring->count);
    struct drawing_point point = drawing->points[ring->first + nth];
    if (!(fabs(point.x - x) < 1e-6 && fabs(point.y - y) < 1e-6)) {
        fail_msg("point %zu is (%.9g, %.9g), not (%.9g, %.9g)", nth, point.x, point.y, x, y);
    }
}

static inline struct drawing_point point_last(const struct drawing *drawing, const struct drawing_element *element)
{
    const struct drawing_ring *ring = &drawing->rings[element->first_ring];
    return drawing->points[ring->first + ring->count - 1];
}

static inline void box_check(const struct drawing *drawing, const struct drawing_element *element, const double box[4])
{
    struct drawing_point low, high;
    drawing_element_box(drawing, element, &low, &high);
    const double got[4] = {low.x, low.y, high.x, high.y};
    for (int n = 0; n < 4; n++) {
        if (!(fabs(got[n] - box[n]) < 1e-6)) {
            fail_msg("the box is %.9g %.9g %.9g %.9g, not %.9g %.9g %.9g %.9g", got[0], got[1], got[2], got[3], box[0],
                     box[1], box[2], box[3]);
        }
    }
}

/* Whether a point lies in an area of the drawing, or within the width of one of its lines. */
static inline bool point_is_filled(const struct drawing *drawing, double x, double y)
{
    bool filled = false;
    for (size_t e = 0; e < drawing->element_count && !filled; e++) {
        const struct drawing_element *element = &drawing->elements[e];
        for (size_t r = 0; r < element->rings && element->kind == ELEMENT_AREA; r++) {
            const struct drawing_ring *ring = &drawing->rings[element->first_ring + r];
            const struct drawing_point *p = drawing->points + ring->first;
            for (size_t n = 0; n < ring->count; n++) {
                struct drawing_point a = p[n], b = p[(n + 1) % ring->count];
                filled ^= (a.y > y) != (b.y > y) && x < a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y);
            }
        }
    }
    return filled;
}

#endif
