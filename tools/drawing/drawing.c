/* Drawings are put together point by point (drawing.h); their arrays grow by doubling, up to the limits. */
#include "drawing/drawing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Room for one more in an array of `count` of at most `limit`, which `what` names. */
static pw_status bounded_grow(void *array, size_t *room, size_t count, size_t size, size_t limit, const char *what,
                              pw_error *error)
{
    FAIL_IF(count >= limit, error, PW_BAD_INPUT, "the drawing has more than %zu %s", limit, what);
    return array_grow(array, room, count, size, what, error);
}

#define GROW(drawing, array, one, limit, what)                                                                         \
    bounded_grow(&(drawing)->array, &(drawing)->one##_room, (drawing)->one##_count, sizeof *(drawing)->array, limit,   \
                 what, error)

void drawing_free(struct drawing *drawing)
{
    PW_FREE_ALL(drawing->points, drawing->rings, drawing->elements, drawing->classes, drawing->pages, drawing->radios,
                drawing->omissions);
    pw_picture_free(&drawing->picture);
    *drawing = (struct drawing){0};
}

void drawing_text_copy(char *to, size_t size, const char *text)
{
    snprintf(to, size, "%s", text);
    size_t length = strlen(to);
    if (length == size - 1) {
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) {
            length--;
        }
        to[length] = '\0';
    }
    for (char *c = to; *c != '\0'; c++) {
        *c = (unsigned char)*c < ' ' || *c == 0x7f ? ' ' : *c;
    }
}

pw_status drawing_class_of(struct drawing *drawing, const char *name, int *index, pw_error *error)
{
    struct drawing_class made = {.use = CLASS_OPEN, .low = NAN, .high = NAN};
    drawing_text_copy(made.name, sizeof made.name, name);
    for (size_t c = drawing->class_count; c-- > 0;) {
        if (strcmp(drawing->classes[c].name, made.name) == 0) {
            *index = (int)c;
            return PW_OK;
        }
    }
    TRY(GROW(drawing, classes, class, DRAWING_CLASS_LIMIT, "layers, colours or types of walls"));
    *index = (int)drawing->class_count;
    drawing->classes[drawing->class_count++] = made;
    return PW_OK;
}

bool drawing_colour_is_dark(const uint8_t rgb[3])
{
    const int dark = 110, grey = 40;
    int low = 255, high = 0;
    for (int c = 0; c < 3; c++) {
        low = rgb[c] < low ? rgb[c] : low;
        high = rgb[c] > high ? rgb[c] : high;
    }
    return high <= dark && high - low <= grey;
}

pw_status drawing_page_of(struct drawing *drawing, const char *name, int *index, pw_error *error)
{
    struct drawing_page made = {.elevation = NAN, .height = NAN};
    drawing_text_copy(made.name, sizeof made.name, name);
    for (size_t p = 0; p < drawing->page_count; p++) {
        if (strcmp(drawing->pages[p].name, made.name) == 0) {
            *index = (int)p;
            return PW_OK;
        }
    }
    TRY(GROW(drawing, pages, page, DRAWING_PAGE_LIMIT, "floors"));
    *index = (int)drawing->page_count;
    drawing->pages[drawing->page_count++] = made;
    return PW_OK;
}

pw_status drawing_begin(struct drawing *drawing, const struct drawing_element *like, pw_error *error)
{
    drawing_end(drawing);
    TRY(GROW(drawing, elements, element, DRAWING_ELEMENT_LIMIT, "lines and areas"));
    struct drawing_element *element = &drawing->elements[drawing->element_count];
    *element = *like;
    element->first_ring = drawing->ring_count;
    element->rings = 0;
    drawing->element_count++;
    struct drawing_class *own = &drawing->classes[like->class_index];
    *(like->kind == ELEMENT_LINE ? &own->lines : &own->areas) += 1;
    return drawing_ring_begin(drawing, error);
}

pw_status drawing_ring_begin(struct drawing *drawing, pw_error *error)
{
    TRY(GROW(drawing, rings, ring, DRAWING_ELEMENT_LIMIT, "outlines"));
    drawing->rings[drawing->ring_count++] = (struct drawing_ring){drawing->point_count, 0};
    drawing->elements[drawing->element_count - 1].rings++;
    return PW_OK;
}

pw_status drawing_point_add(struct drawing *drawing, double x, double y, pw_error *error)
{
    FAIL_IF(!isfinite(x) || !isfinite(y), error, PW_BAD_INPUT, "a point of the drawing is not a number");
    struct drawing_ring *ring = &drawing->rings[drawing->ring_count - 1];
    if (ring->count > 0) {
        struct drawing_point last = drawing->points[drawing->point_count - 1];
        if (last.x == x && last.y == y) {
            return PW_OK;
        }
    }
    TRY(GROW(drawing, points, point, DRAWING_POINT_LIMIT, "points"));
    drawing->points[drawing->point_count++] = (struct drawing_point){x, y};
    ring->count++;
    return PW_OK;
}

/* The outline of an area does not repeat its first point. */
static void ring_open(const struct drawing *drawing, struct drawing_ring *ring)
{
    if (ring->count == 0) {
        return; /* of the first there may be no points at all */
    }
    const struct drawing_point *points = drawing->points + ring->first;
    while (ring->count > 1 && points[0].x == points[ring->count - 1].x && points[0].y == points[ring->count - 1].y) {
        ring->count--;
    }
}

void drawing_end(struct drawing *drawing)
{
    if (drawing->element_count == 0) {
        return;
    }
    struct drawing_element *element = &drawing->elements[drawing->element_count - 1];
    size_t kept = element->first_ring, least = element->kind == ELEMENT_LINE ? 2 : 3;
    for (size_t r = element->first_ring; r < element->first_ring + element->rings; r++) {
        struct drawing_ring ring = drawing->rings[r];
        if (element->kind == ELEMENT_AREA) {
            ring_open(drawing, &ring);
        }
        if (ring.count >= least) {
            drawing->rings[kept++] = ring;
        }
    }
    element->rings = kept - element->first_ring;
    drawing->ring_count = kept;
    if (element->rings == 0) {
        struct drawing_class *own = &drawing->classes[element->class_index];
        *(element->kind == ELEMENT_LINE ? &own->lines : &own->areas) -= 1;
        drawing->element_count--;
    }
}

pw_status drawing_radio_add(struct drawing *drawing, const struct drawing_radio *radio, pw_error *error)
{
    TRY(GROW(drawing, radios, radio, DRAWING_CLASS_LIMIT, "access points"));
    struct drawing_radio *made = &drawing->radios[drawing->radio_count++];
    *made = *radio;
    drawing_text_copy(made->name, sizeof made->name, radio->name);
    return PW_OK;
}

pw_status drawing_omit(struct drawing *drawing, const char *what, pw_error *error)
{
    struct drawing_omission made = {.count = 1};
    snprintf(made.what, sizeof made.what, "%s", what);
    for (size_t n = 0; n < drawing->omission_count; n++) {
        if (strcmp(drawing->omissions[n].what, made.what) == 0) {
            drawing->omissions[n].count++;
            return PW_OK;
        }
    }
    TRY(GROW(drawing, omissions, omission, DRAWING_CLASS_LIMIT, "kinds of things that are not taken over"));
    drawing->omissions[drawing->omission_count++] = made;
    return PW_OK;
}

void drawing_element_box(const struct drawing *drawing, const struct drawing_element *element,
                         struct drawing_point *low, struct drawing_point *high)
{
    *low = (struct drawing_point){HUGE_VAL, HUGE_VAL};
    *high = (struct drawing_point){-HUGE_VAL, -HUGE_VAL};
    for (size_t r = element->first_ring; r < element->first_ring + element->rings; r++) {
        const struct drawing_ring *ring = &drawing->rings[r];
        for (size_t n = ring->first; n < ring->first + ring->count; n++) {
            struct drawing_point point = drawing->points[n];
            *low = (struct drawing_point){fmin(low->x, point.x), fmin(low->y, point.y)};
            *high = (struct drawing_point){fmax(high->x, point.x), fmax(high->y, point.y)};
        }
    }
}

bool drawing_ring_holds(const struct drawing *drawing, const struct drawing_ring *ring, struct drawing_point at)
{
    const struct drawing_point *points = drawing->points + ring->first;
    bool inside = false;
    for (size_t n = 0; n < ring->count; n++) {
        struct drawing_point a = points[n], b = points[n + 1 < ring->count ? n + 1 : 0];
        if ((a.y > at.y) != (b.y > at.y) && at.x < a.x + (b.x - a.x) * (at.y - a.y) / (b.y - a.y)) {
            inside = !inside;
        }
    }
    return inside;
}
