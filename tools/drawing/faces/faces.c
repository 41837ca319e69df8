/* What the steps of finding walls between faces share (faces.h). */
#include "drawing/faces/faces.h"

#include <math.h>

void face_walls_free(struct face_walls *found)
{
    PW_FREE_ALL(found->faces, found->stretches, found->walls);
    *found = (struct face_walls){0};
}

pw_status faces_room(void *array, size_t *room, size_t count, size_t size, pw_error *error)
{
    const size_t most = 4 * (size_t)DRAWING_POINT_LIMIT;
    FAIL_IF(count >= most, error, PW_NO_RESOURCE, "the drawing has more than %zu faces of walls", most);
    return array_grow(array, room, count, size, "faces of walls", error);
}

pw_status faces_work(struct face_walls *found, double comparisons, pw_error *error)
{
    found->work -= comparisons;
    return found->work >= 0 ? PW_OK
                            : fail(error, PW_BAD_INPUT,
                                   "%zu lines lie so near each other that the walls between them cannot be found; are "
                                   "the unit and the bounds of walls right?",
                                   found->face_count);
}

pw_status face_add(struct face_walls *found, struct drawing_point begin, struct drawing_point end, size_t element,
                   int page, pw_error *error)
{
    double dx = end.x - begin.x, dy = end.y - begin.y, length = hypot(dx, dy);
    if (!(length > 1e-6 * found->nearest) || !isfinite(length)) {
        return PW_OK;
    }
    TRY(faces_room(&found->faces, &found->face_room, found->face_count, sizeof *found->faces, error));
    found->faces[found->face_count++] = (struct face){begin, {dx / length, dy / length}, length, element, page, -1};
    return PW_OK;
}

pw_status stretch_add(struct face_walls *found, size_t face, double from, double to, size_t wall, pw_error *error)
{
    TRY(faces_room(&found->stretches, &found->stretch_room, found->stretch_count, sizeof *found->stretches, error));
    int *link = &found->faces[face].stretches;
    double passed = 1;
    while (*link >= 0 && found->stretches[*link].from < from) {
        link = &found->stretches[*link].next;
        passed++;
    }
    found->stretches[found->stretch_count] = (struct stretch){from, to, wall, *link};
    *link = (int)found->stretch_count++;
    return faces_work(found, passed, error);
}

double wall_offset(const struct wall *wall, double t)
{
    return wall->offset + wall->slope * t;
}

struct drawing_point wall_point(const struct wall *wall, double t, bool other)
{
    double aside = other ? wall_offset(wall, t) : 0;
    return (struct drawing_point){wall->begin.x + t * wall->along.x - aside * wall->along.y,
                                  wall->begin.y + t * wall->along.y + aside * wall->along.x};
}
