/* Doors along their walls (feature_doors.h). Every door looks at every edge of a wall: maps have a few hundred of
 * each. */
#include "drawing/json/feature/feature_doors.h"

#include <math.h>
#include <stdlib.h>

static const double LOOKS_LIMIT = 3e8; /* doors times points: about a second */

void feature_doors_free(struct feature_doors *doors)
{
    free(doors->doors);
    *doors = (struct feature_doors){0};
}

pw_status feature_doors_add(struct feature_doors *doors, const struct feature_door *door, pw_error *error)
{
    TRY(array_grow(&doors->doors, &doors->room, doors->count, sizeof *doors->doors, "doors of a drawing", error));
    doors->doors[doors->count++] = *door;
    return PW_OK;
}

/* The nearest point of walls that has been seen: where, along which direction, how far off. */
struct nearest {
    struct drawing_point at, along;
    double distance; /* m */
};

static void nearest_look(struct nearest *nearest, struct drawing_point door, struct drawing_point a,
                         struct drawing_point b)
{
    double dx = b.x - a.x, dy = b.y - a.y, length = hypot(dx, dy);
    if (!(length > 0)) {
        return;
    }
    double along = ((door.x - a.x) * dx + (door.y - a.y) * dy) / length;
    along = fmin(fmax(along, 0), length);
    struct drawing_point foot = {a.x + along * dx / length, a.y + along * dy / length};
    double distance = hypot(door.x - foot.x, door.y - foot.y);
    if (distance < nearest->distance) {
        *nearest = (struct nearest){foot, {dx / length, dy / length}, distance};
    }
}

static void element_look(const struct drawing *drawing, const struct drawing_element *element,
                         struct drawing_point door, struct nearest *nearest)
{
    for (size_t r = element->first_ring; r < element->first_ring + element->rings; r++) {
        const struct drawing_ring *ring = &drawing->rings[r];
        const struct drawing_point *points = drawing->points + ring->first;
        for (size_t n = 1; n < ring->count; n++) {
            nearest_look(nearest, door, points[n - 1], points[n]);
        }
        if (element->kind == ELEMENT_AREA && ring->count > 2) {
            nearest_look(nearest, door, points[ring->count - 1], points[0]);
        }
    }
}

/* The nearest wall of the door's page among the first `count` elements. */
static struct nearest wall_find(const struct drawing *drawing, size_t count, const struct feature_door *door)
{
    struct nearest nearest = {.distance = HUGE_VAL};
    for (size_t n = 0; n < count; n++) {
        const struct drawing_element *element = &drawing->elements[n];
        enum class_use use = drawing->classes[element->class_index].use;
        bool wall = use == CLASS_WALLS || (use == CLASS_OUTLINES && element->kind == ELEMENT_AREA);
        if (wall && element->page == door->page) {
            element_look(drawing, element, door->at, &nearest);
        }
    }
    return nearest;
}

pw_status feature_doors_draw(const struct feature_doors *doors, struct drawing *drawing, pw_error *error)
{
    drawing_end(drawing);
    size_t walls = drawing->element_count;
    bool too_many = (double)doors->count * (double)(drawing->point_count + 1) > LOOKS_LIMIT;
    for (size_t n = 0; n < doors->count; n++) {
        const struct feature_door *door = &doors->doors[n];
        struct nearest wall = {.distance = HUGE_VAL};
        if (!too_many) {
            wall = wall_find(drawing, walls, door);
        }
        if (!(wall.distance <= DOOR_REACH)) {
            TRY(drawing_omit(drawing, too_many ? "doors of a map that has too many" : "doors that lie on no wall",
                             error));
            continue;
        }
        double half = (door->width > 0 ? door->width : DOOR_WIDTH) / 2;
        struct drawing_element like = {.kind = ELEMENT_LINE, .class_index = door->class_index, .page = door->page};
        TRY(drawing_begin(drawing, &like, error));
        TRY(drawing_point_add(drawing, wall.at.x - half * wall.along.x, wall.at.y - half * wall.along.y, error));
        TRY(drawing_point_add(drawing, wall.at.x + half * wall.along.x, wall.at.y + half * wall.along.y, error));
    }
    return PW_OK;
}
