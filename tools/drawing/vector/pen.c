/* The way of a pen, its points and parts, and what becomes of them in a drawing (pen.h). */
#include "drawing/vector/pen.h"

#include <math.h>

void pen_free(struct pen *pen)
{
    PW_FREE_ALL(pen->points, pen->parts);
    *pen = (struct pen){0};
}

void pen_clear(struct pen *pen)
{
    pen->point_count = pen->part_count = 0;
    pen->lifted = false;
}

/* Room for one more of an array of `count`. */
static pw_status room_make(void *array, size_t *room, size_t count, size_t size, pw_error *error)
{
    FAIL_IF(count >= DRAWING_POINT_LIMIT, error, PW_BAD_INPUT, "a path of the drawing has more than %d points",
            DRAWING_POINT_LIMIT);
    return array_grow(array, room, count, size, "points of a path", error);
}

static pw_status pen_point(struct pen *pen, struct drawing_point to, pw_error *error)
{
    FAIL_IF(!isfinite(to.x) || !isfinite(to.y), error, PW_BAD_INPUT, "a point of the drawing is not a finite number");
    TRY(room_make(&pen->points, &pen->point_room, pen->point_count, sizeof *pen->points, error));
    pen->points[pen->point_count++] = to;
    pen->parts[pen->part_count - 1].count++;
    return PW_OK;
}

pw_status pen_move(struct pen *pen, struct drawing_point to, pw_error *error)
{
    if (pen->part_count > 0 && pen->parts[pen->part_count - 1].count == 1) { /* a move after a move */
        pen->part_count--;
        pen->point_count--;
    }
    pen->lifted = false;
    TRY(room_make(&pen->parts, &pen->part_room, pen->part_count, sizeof *pen->parts, error));
    pen->parts[pen->part_count++] = (struct pen_part){.first = pen->point_count};
    return pen_point(pen, to, error);
}

pw_status pen_line(struct pen *pen, struct drawing_point to, pw_error *error)
{
    if (pen->part_count == 0 || pen->lifted) {
        return pen_move(pen, to, error);
    }
    if (pen->parts[pen->part_count - 1].closed) {
        TRY(pen_move(pen, pen_at(pen), error));
    }
    return pen_point(pen, to, error);
}

void pen_close(struct pen *pen)
{
    if (pen->part_count > 0) {
        pen->parts[pen->part_count - 1].closed = true;
    }
}

void pen_lift(struct pen *pen)
{
    pen->lifted = true;
}

struct drawing_point pen_at(const struct pen *pen)
{
    if (pen->part_count == 0) {
        return (struct drawing_point){0, 0};
    }
    const struct pen_part *part = &pen->parts[pen->part_count - 1];
    return pen->points[part->closed ? part->first : part->first + part->count - 1];
}

pw_status pen_draw_lines(const struct pen *pen, const struct drawing_element *like, struct drawing *drawing,
                         pw_error *error)
{
    struct drawing_element line = *like;
    line.kind = ELEMENT_LINE;
    FAIL_IF(!isfinite(line.width), error, PW_BAD_INPUT, "the width of a line of the drawing is not a finite number");
    for (size_t p = 0; p < pen->part_count; p++) {
        const struct pen_part *part = &pen->parts[p];
        TRY(drawing_begin(drawing, &line, error));
        for (size_t n = 0; n < part->count + (part->closed ? 1 : 0); n++) {
            struct drawing_point point = pen->points[part->first + n % part->count];
            TRY(drawing_point_add(drawing, point.x, point.y, error));
        }
    }
    drawing_end(drawing);
    return PW_OK;
}

pw_status pen_draw_area(const struct pen *pen, const struct drawing_element *like, struct drawing *drawing,
                        pw_error *error)
{
    struct drawing_element area = *like;
    area.kind = ELEMENT_AREA;
    for (size_t p = 0; p < pen->part_count; p++) {
        const struct pen_part *part = &pen->parts[p];
        TRY(p == 0 ? drawing_begin(drawing, &area, error) : drawing_ring_begin(drawing, error));
        for (size_t n = 0; n < part->count; n++) {
            struct drawing_point point = pen->points[part->first + n];
            TRY(drawing_point_add(drawing, point.x, point.y, error));
        }
    }
    drawing_end(drawing);
    return PW_OK;
}

bool class_drop_empty(struct drawing *drawing, int index)
{
    const struct drawing_class *own = &drawing->classes[index];
    bool empty = (size_t)index + 1 == drawing->class_count && own->lines + own->areas == 0;
    drawing->class_count -= empty ? 1 : 0;
    return empty;
}
