/* Lines of a class become the walls between them (parallel_walls.h): this file takes them apart into faces and puts the
 * drawing together again; drawing/faces/ finds the walls. */
#include "drawing/parallel_walls.h"

#include "drawing/faces/faces.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 1024 };

/* Walls by columns of x, so that those at a point are found. */
struct wall_index {
    double low, width;
    size_t *first; /* (COLUMNS + 1): where the walls of each column begin in `walls` */
    size_t *walls;
};

static bool is_face(const struct drawing_element *element, int class_index, double nearest)
{
    return element->class_index == class_index && element->kind == ELEMENT_LINE && element->width < nearest;
}

static pw_status faces_take(const struct drawing *drawing, int class_index, struct face_walls *found, pw_error *error)
{
    for (size_t e = 0; e < drawing->element_count; e++) {
        const struct drawing_element *element = &drawing->elements[e];
        if (!is_face(element, class_index, found->nearest)) {
            continue;
        }
        const struct drawing_ring *ring = &drawing->rings[element->first_ring];
        for (size_t n = ring->first; n + 1 < ring->first + ring->count; n++) {
            TRY(face_add(found, drawing->points[n], drawing->points[n + 1], e, element->page, error));
        }
    }
    return PW_OK;
}

/* ---- which walls are at a point ---- */

static int column_of(const struct wall_index *index, double x)
{
    double column = index->width > 0 ? floor((x - index->low) / index->width) : 0;
    return column < 0 ? 0 : column >= COLUMNS ? COLUMNS - 1 : (int)column;
}

/* The columns that a wall stands in. */
static void wall_columns(const struct wall_index *index, const struct wall *wall, double margin, int *first, int *last)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int corner = 0; corner < 4; corner++) {
        double x = wall_point(wall, corner < 2 ? wall->from : wall->to, corner % 2 == 1).x;
        low = fmin(low, x);
        high = fmax(high, x);
    }
    *first = column_of(index, low - margin);
    *last = column_of(index, high + margin);
}

static pw_status index_make(struct face_walls *found, double margin, struct wall_index *index, pw_error *error)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t w = 0; w < found->wall_count; w++) {
        double a = wall_point(&found->walls[w], found->walls[w].from, false).x;
        double b = wall_point(&found->walls[w], found->walls[w].to, false).x;
        low = fmin(low, fmin(a, b));
        high = fmax(high, fmax(a, b));
    }
    index->low = low;
    index->width = (high - low) / COLUMNS;
    index->first = allocate(COLUMNS + 1, sizeof *index->first, "columns of walls", error);
    TRY_MADE(index->first);
    int from, to;
    for (size_t w = 0; w < found->wall_count; w++) {
        wall_columns(index, &found->walls[w], margin, &from, &to);
        TRY(faces_work(found, to - from + 1, error));
        for (int c = from; c <= to; c++) {
            index->first[c + 1]++;
        }
    }
    for (int c = 0; c < COLUMNS; c++) {
        index->first[c + 1] += index->first[c];
    }
    const size_t total = index->first[COLUMNS];
    index->walls = allocate(total, sizeof *index->walls, "walls of a drawing", error);
    TRY_MADE(index->walls);
    for (size_t w = found->wall_count; w-- > 0;) { /* filled from the end of each column */
        wall_columns(index, &found->walls[w], margin, &from, &to);
        for (int c = from; c <= to; c++) {
            index->walls[--index->first[c + 1]] = w;
        }
    }
    memmove(index->first, index->first + 1, COLUMNS * sizeof *index->first); /* each now holds where it begins */
    index->first[COLUMNS] = total;
    return PW_OK;
}

/* Whether a point lies in a wall, or nearer than `margin` to it. */
static bool wall_holds(const struct wall *wall, struct drawing_point point, double margin)
{
    double x = point.x - wall->begin.x, y = point.y - wall->begin.y;
    double t = x * wall->along.x + y * wall->along.y, aside = wall->along.x * y - wall->along.y * x;
    double offset = wall_offset(wall, t);
    return t >= wall->from - margin && t <= wall->to + margin && aside >= fmin(0, offset) - margin &&
           aside <= fmax(0, offset) + margin;
}

static bool point_is_in_wall(struct face_walls *found, const struct wall_index *index, int page,
                             struct drawing_point point, double margin)
{
    int column = column_of(index, point.x);
    for (size_t n = index->first[column]; n < index->first[column + 1]; n++) {
        const struct wall *wall = &found->walls[index->walls[n]];
        found->work -= 1;
        if (wall->page == page && wall_holds(wall, point, margin)) {
            return true;
        }
    }
    return false;
}

/* ---- what is left over ---- */

/* A piece of a face that is not beside a wall. */
struct left_over {
    size_t face;
    double from, to;
};

struct left_list {
    struct left_over *pieces;
    size_t count, room;
};

static struct drawing_point face_point(const struct face *face, double place)
{
    return (struct drawing_point){face->begin.x + place * face->along.x, face->begin.y + place * face->along.y};
}

/* Lists the piece, unless it lies along or within walls. */
static pw_status left_add(struct face_walls *found, const struct wall_index *index, const struct left_over *piece,
                          struct left_list *list, pw_error *error)
{
    const struct face *face = &found->faces[piece->face];
    double margin = 0.02 * found->nearest;
    bool within = true;
    if (!(piece->to - piece->from > margin)) {
        return PW_OK;
    }
    for (int n = 0; n <= 4 && within; n++) {
        struct drawing_point point = face_point(face, piece->from + (piece->to - piece->from) * n / 4);
        within = point_is_in_wall(found, index, face->page, point, margin);
    }
    TRY(faces_work(found, 1, error));
    if (!within) {
        TRY(faces_room(&list->pieces, &list->room, list->count, sizeof *list->pieces, error));
        list->pieces[list->count++] = *piece;
    }
    return PW_OK;
}

static pw_status left_find(struct face_walls *found, const struct wall_index *index, struct left_list *list,
                           pw_error *error)
{
    for (size_t f = 0; f < found->face_count; f++) {
        double at = 0;
        for (int n = found->faces[f].stretches; n >= 0; n = found->stretches[n].next) {
            TRY(left_add(found, index, &(struct left_over){f, at, found->stretches[n].from}, list, error));
            at = fmax(at, found->stretches[n].to);
        }
        TRY(left_add(found, index, &(struct left_over){f, at, found->faces[f].length}, list, error));
    }
    return PW_OK;
}

/* The elements of which nothing was used stay as they are: their pieces are taken off the list. */
static pw_status untouched_keep(const struct drawing *drawing, const struct face_walls *found, struct left_list *list,
                                bool *kept, pw_error *error)
{
    double *left = allocate(drawing->element_count, sizeof *left, "lines of a drawing", error);
    double *whole = allocate(drawing->element_count, sizeof *whole, "lines of a drawing", error);
    if (left != NULL && whole != NULL) {
        for (size_t f = 0; f < found->face_count; f++) {
            whole[found->faces[f].element] += found->faces[f].length;
        }
        for (size_t n = 0; n < list->count; n++) {
            left[found->faces[list->pieces[n].face].element] += list->pieces[n].to - list->pieces[n].from;
        }
        for (size_t e = 0; e < drawing->element_count; e++) {
            kept[e] = left[e] >= whole[e] * (1 - 1e-12);
        }
        size_t count = 0;
        for (size_t n = 0; n < list->count; n++) {
            if (!kept[found->faces[list->pieces[n].face].element]) {
                list->pieces[count++] = list->pieces[n];
            }
        }
        list->count = count;
    }
    bool good = left != NULL && whole != NULL;
    PW_FREE_ALL(left, whole);
    return good ? PW_OK : PW_NO_RESOURCE;
}

/* ---- the drawing put together again ---- */

/* Takes the lines of the class off that are not kept. */
static void lines_drop(struct drawing *drawing, int class_index, double nearest, const bool *kept)
{
    size_t count = 0;
    for (size_t e = 0; e < drawing->element_count; e++) {
        if (is_face(&drawing->elements[e], class_index, nearest) && !kept[e]) {
            drawing->classes[class_index].lines--;
        } else {
            drawing->elements[count++] = drawing->elements[e];
        }
    }
    drawing->element_count = count;
}

static pw_status walls_draw(struct drawing *drawing, int class_index, const struct face_walls *found, pw_error *error)
{
    for (size_t w = 0; w < found->wall_count; w++) {
        const struct wall *wall = &found->walls[w];
        struct drawing_element area = {.kind = ELEMENT_AREA, .class_index = class_index, .page = wall->page};
        TRY(drawing_begin(drawing, &area, error));
        for (int corner = 0; corner < 4; corner++) {
            struct drawing_point point =
                wall_point(wall, corner < 2 ? wall->from : wall->to, corner == 1 || corner == 2);
            TRY(drawing_point_add(drawing, point.x, point.y, error));
        }
    }
    drawing_end(drawing);
    return PW_OK;
}

/* Pieces that meet where two faces of one line met become one line again. */
static pw_status left_draw(struct drawing *drawing, int class_index, const struct face_walls *found,
                           const struct left_list *list, pw_error *error)
{
    for (size_t n = 0; n < list->count; n++) {
        const struct left_over *piece = &list->pieces[n], *before = n > 0 ? piece - 1 : NULL;
        const struct face *face = &found->faces[piece->face];
        bool goes_on = before != NULL && before->face + 1 == piece->face && piece->from == 0 &&
                       found->faces[before->face].element == face->element &&
                       before->to == found->faces[before->face].length;
        struct drawing_point from = face_point(face, piece->from), to = face_point(face, piece->to);
        if (!goes_on) {
            struct drawing_element line = {.kind = ELEMENT_LINE, .class_index = class_index, .page = face->page};
            TRY(drawing_begin(drawing, &line, error));
            TRY(drawing_point_add(drawing, from.x, from.y, error));
        }
        TRY(drawing_point_add(drawing, to.x, to.y, error));
    }
    drawing_end(drawing);
    return PW_OK;
}

static pw_status drawing_rebuild(struct drawing *drawing, int class_index, struct face_walls *found, pw_error *error)
{
    struct wall_index index = {0};
    struct left_list list = {0};
    bool *kept = allocate(drawing->element_count, sizeof *kept, "lines of a drawing", error);
    pw_status status = kept != NULL ? index_make(found, found->nearest, &index, error) : PW_NO_RESOURCE;
    THEN(status, left_find(found, &index, &list, error));
    THEN(status, untouched_keep(drawing, found, &list, kept, error));
    if (status == PW_OK) {
        lines_drop(drawing, class_index, found->nearest, kept);
        drawing->classes[class_index].use = CLASS_WALLS;
        status = walls_draw(drawing, class_index, found, error);
        THEN(status, left_draw(drawing, class_index, found, &list, error));
    }
    PW_FREE_ALL(index.first, index.walls, list.pieces, kept);
    return status;
}

pw_status drawing_join_faces(struct drawing *drawing, int class_index, double nearest, double farthest, pw_error *error)
{
    FAIL_IF(!(nearest > 0 && farthest > nearest && isfinite(farthest)), error, PW_BAD_INPUT,
            "walls %g to %g units thick: the first must be positive, the second larger", nearest, farthest);
    OWNED_BY(face_walls_free) struct face_walls found = {.nearest = nearest, .farthest = farthest, .work = 6e8};
    drawing_end(drawing);
    TRY(faces_take(drawing, class_index, &found, error));
    if (found.face_count > 0) {
        TRY(faces_pair(&found, error));
    }
    if (found.wall_count == 0) {
        return PW_OK;
    }
    TRY(walls_meet(&found, error));
    return drawing_rebuild(drawing, class_index, &found, error);
}
