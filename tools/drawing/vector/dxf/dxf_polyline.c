/* Polylines, multilines and splines of a DXF file. */
#include "drawing/vector/dxf/dxf.h"

#include <math.h>
#include <string.h>

pw_status dxf_vertex_add(struct dxf *dxf, const struct dxf_vertex *vertex, pw_error *error)
{
    TRY(dxf_room(&dxf->vertices, &dxf->vertex_room, dxf->vertex_count, sizeof *dxf->vertices, error));
    dxf->vertices[dxf->vertex_count++] = *vertex;
    return PW_OK;
}

pw_status dxf_knot_add(struct dxf *dxf, double knot, pw_error *error)
{
    TRY(dxf_room(&dxf->knots, &dxf->knot_room, dxf->knot_count, sizeof *dxf->knots, error));
    dxf->knots[dxf->knot_count++] = knot;
    return PW_OK;
}

/* With the bulge b the piece turns by 4 atan(b), to the left when b is positive; its centre lies (1 - b^2)/(4 b) chords
 * to the left of the chord's middle. */
pw_status dxf_piece_add(struct dxf *dxf, const struct dxf_frame *frame, const struct dxf_vertex *from,
                        const struct dxf_vertex *to, pw_error *error)
{
    double dx = to->x - from->x, dy = to->y - from->y, b = from->bulge;
    struct drawing_point end = dxf_point(frame, to->x, to->y, to->z);
    if (fabs(b) > 1e-9 && fabs(b) < 1e9 && (dx != 0 || dy != 0)) {
        double aside = (1 - b * b) / (4 * b), radius = hypot(dx, dy) * (1 + b * b) / (4 * fabs(b));
        double x = (from->x + to->x) / 2 - dy * aside, y = (from->y + to->y) / 2 + dx * aside;
        struct curve_arc arc = {.centre = dxf_point(frame, x, y, from->z),
                                .u = dxf_vector(frame, radius, 0, 0),
                                .v = dxf_vector(frame, 0, radius, 0),
                                .from = atan2(from->y - y, from->x - x),
                                .sweep = 4 * atan(b)};
        TRY(curve_arc_add(&dxf->pen, &arc, error));
        dxf->pen.points[dxf->pen.point_count - 1] = end; /* no rounding where pieces meet */
        return PW_OK;
    }
    return pen_line(&dxf->pen, end, error);
}

static double piece_width(const struct dxf_vertex *vertex)
{
    return fmax(0, (vertex->begin + vertex->end) / 2);
}

/* The vertices that were read as one line, or as a line for each stretch of one width; a piece that narrows is as wide
 * as it is in its middle. */
static pw_status polyline_draw(struct dxf *dxf, struct dxf_shape *shape, const struct dxf_frame *frame, bool closed,
                               pw_error *error)
{
    size_t count = dxf->vertex_count, pieces = closed && count > 1 ? count : count - 1;
    double scale = dxf_frame_scale(frame);
    bool even = true;
    for (size_t n = 1; count > 0 && n < pieces; n++) {
        even = even && piece_width(&dxf->vertices[n]) == piece_width(&dxf->vertices[0]);
    }
    pen_clear(&dxf->pen);
    for (size_t n = 0; count > 0 && n < pieces; n++) {
        const struct dxf_vertex *from = &dxf->vertices[n], *to = &dxf->vertices[(n + 1) % count];
        double width = piece_width(from) * scale;
        if (n == 0 || width != shape->like.width) {
            TRY(pen_draw_lines(&dxf->pen, &shape->like, dxf->drawing, error));
            pen_clear(&dxf->pen);
            TRY(pen_move(&dxf->pen, dxf_point(frame, from->x, from->y, from->z), error));
            shape->like.width = width;
        }
        if (even && closed && n + 1 == pieces && from->bulge == 0) {
            pen_close(&dxf->pen);
        } else {
            TRY(dxf_piece_add(dxf, frame, from, to, error));
        }
    }
    return pen_draw_lines(&dxf->pen, &shape->like, dxf->drawing, error);
}

/* LWPOLYLINE: group 10 begins a vertex, 43 is the width of all. */
pw_status dxf_lwpolyline(struct dxf *dxf, struct dxf_shape *shape, pw_error *error)
{
    const struct dxf_entity *entity = shape->entity;
    struct dxf_frame frame = dxf_frame_of(&shape->place, entity);
    struct dxf_cursor cursor = entity->body;
    dxf->vertex_count = 0;
    for (;;) {
        struct dxf_group group;
        TRY(dxf_group_next(&dxf->text, &cursor, &group, error));
        if (group.code == 0) {
            break;
        }
        double value = 0;
        if (group.code == 10) {
            struct dxf_vertex vertex = {.z = entity->value[38]};
            TRY(dxf_number(&dxf->text, &group, &vertex.x, error));
            vertex.begin = vertex.end = entity->value[43];
            TRY(dxf_vertex_add(dxf, &vertex, error));
        } else if (dxf->vertex_count > 0 && (group.code == 20 || (group.code >= 40 && group.code <= 42))) {
            struct dxf_vertex *last = &dxf->vertices[dxf->vertex_count - 1];
            TRY(dxf_number(&dxf->text, &group, &value, error));
            *(group.code == 20   ? &last->y
              : group.code == 40 ? &last->begin
              : group.code == 41 ? &last->end
                                 : &last->bulge) = value;
        }
    }
    return polyline_draw(dxf, shape, &frame, (dxf_integer(entity, 70, 0, 65535, 0) & 1) != 0, error);
}

/* POLYLINE: its vertices are the entities VERTEX up to SEQEND; those of the frame of a fitted curve are left out. */
pw_status dxf_polyline(struct dxf *dxf, struct dxf_shape *shape, pw_error *error)
{
    enum { CLOSED = 1, SPACE = 8, MESH = 16, FACES = 64, FRAME = 16 };
    const struct dxf_entity *entity = shape->entity;
    int flags = dxf_integer(entity, 70, 0, 65535, 0);
    struct dxf_frame frame = (flags & SPACE) != 0 ? shape->place.frame : dxf_frame_of(&shape->place, entity);
    dxf->vertex_count = 0;
    for (;;) {
        struct dxf_entity vertex;
        struct dxf_cursor before = *shape->behind;
        TRY(dxf_entity_next(&dxf->text, shape->behind, &vertex, error));
        if (strcmp(vertex.type, "VERTEX") != 0) {
            if (strcmp(vertex.type, "SEQEND") != 0) {
                *shape->behind = before;
            }
            break;
        }
        if ((dxf_integer(&vertex, 70, 0, 65535, 0) & FRAME) == 0) {
            const double *value = vertex.value;
            struct dxf_vertex made = {.x = value[10],
                                      .y = value[20],
                                      .z = (flags & SPACE) != 0 ? value[30] : entity->value[30],
                                      .begin = vertex.given[40] ? value[40] : entity->value[40],
                                      .end = vertex.given[41] ? value[41] : entity->value[41],
                                      .bulge = value[42]};
            TRY(dxf_vertex_add(dxf, &made, error));
        }
    }
    if ((flags & (MESH | FACES)) != 0) {
        return drawing_omit(dxf->drawing, "POLYLINE that is a mesh", error);
    }
    return polyline_draw(dxf, shape, &frame, (flags & CLOSED) != 0, error);
}

/* MLINE: at each vertex (11) there is a direction (13) along which its lines stand off by the first number (41) that
 * group 74 counts for each of them. Breaks in its lines, the further numbers, are not looked at. */
pw_status dxf_mline(struct dxf *dxf, struct dxf_shape *shape, pw_error *error)
{
    enum { LINES = 16 };
    struct dxf_cursor cursor = shape->entity->body;
    struct dxf_vertex at = {0}, mitre = {0};
    double value = 0;
    int line = 0, lines = dxf_integer(shape->entity, 73, 1, LINES, 0);
    bool first = false, vertices = false;
    dxf->vertex_count = 0; /* LINES of them for each vertex of the entity */
    for (;;) {
        struct dxf_group group;
        TRY(dxf_group_next(&dxf->text, &cursor, &group, error));
        if (group.code == 0) {
            break;
        }
        int axis = group.code / 10;
        if (axis >= 1 && axis <= 3 && (group.code % 10 == 1 || group.code % 10 == 3)) {
            struct dxf_vertex *to = group.code % 10 == 1 ? &at : &mitre;
            TRY(dxf_number(&dxf->text, &group, axis == 1 ? &to->x : axis == 2 ? &to->y : &to->z, error));
            line = group.code == 11 ? 0 : line;
            vertices = true;
        } else if (group.code == 74 && vertices) {
            first = true;
            line++;
        } else if (group.code == 41 && first && line <= lines) {
            first = false;
            TRY(dxf_number(&dxf->text, &group, &value, error));
            struct dxf_vertex made = {at.x + value * mitre.x, at.y + value * mitre.y, at.z + value * mitre.z, 0, 0, 0};
            TRY(dxf_vertex_add(dxf, &made, error));
        }
    }
    if (lines == 0 || dxf->vertex_count % (size_t)lines != 0) {
        return drawing_omit(dxf->drawing, "MLINE of an unknown kind", error);
    }
    bool closed = (dxf_integer(shape->entity, 71, 0, 65535, 0) & 2) != 0;
    pen_clear(&dxf->pen);
    for (size_t l = 0; l < (size_t)lines; l++) {
        for (size_t v = l; v < dxf->vertex_count; v += (size_t)lines) {
            const struct dxf_vertex *vertex = &dxf->vertices[v];
            struct drawing_point to = dxf_point(&shape->place.frame, vertex->x, vertex->y, vertex->z);
            TRY(v == l ? pen_move(&dxf->pen, to, error) : pen_line(&dxf->pen, to, error));
        }
        if (closed) {
            pen_close(&dxf->pen);
        }
    }
    return pen_draw_lines(&dxf->pen, &shape->like, dxf->drawing, error);
}

pw_status dxf_spline_add(struct dxf *dxf, const struct dxf_frame *frame, int degree, bool rational, pw_error *error)
{
    size_t count = dxf->vertex_count;
    if (count == 0 || dxf->knot_count != count + (size_t)degree + 1) {
        return drawing_omit(dxf->drawing, "SPLINE without its knots", error);
    }
    OWNED struct drawing_point *control = allocate(count, sizeof *control, "points of a spline", error);
    OWNED double *weights = allocate(count, sizeof *weights, "weights of a spline", error);
    TRY_MADE(control != NULL && weights != NULL);
    for (size_t n = 0; n < count; n++) {
        const struct dxf_vertex *vertex = &dxf->vertices[n];
        control[n] = dxf_point(frame, vertex->x, vertex->y, vertex->z);
        weights[n] = vertex->bulge;
    }
    struct curve_spline spline = {control, rational ? weights : NULL, dxf->knots, count, degree};
    return curve_spline_is_good(&spline) ? curve_spline_add(&dxf->pen, &spline, error)
                                         : drawing_omit(dxf->drawing, "SPLINE that is not defined", error);
}

/* A spline that has points to pass through alone is drawn by Catmull and Rom's rule, which every program rounds in its
 * own way: tangents are parallel to the chord between a point's neighbours. */
static pw_status fit_points_draw(struct dxf *dxf, struct dxf_shape *shape, pw_error *error)
{
    const struct dxf_vertex *points = dxf->vertices;
    const struct dxf_frame *frame = &shape->place.frame;
    size_t count = dxf->vertex_count;
    for (size_t n = 0; n + 1 < count; n++) {
        const struct dxf_vertex *a = &points[n > 0 ? n - 1 : 0], *b = &points[n], *c = &points[n + 1];
        const struct dxf_vertex *d = &points[n + 2 < count ? n + 2 : n + 1];
        struct drawing_point control[3] = {
            dxf_point(frame, b->x + (c->x - a->x) / 6, b->y + (c->y - a->y) / 6, b->z + (c->z - a->z) / 6),
            dxf_point(frame, c->x - (d->x - b->x) / 6, c->y - (d->y - b->y) / 6, c->z - (d->z - b->z) / 6),
            dxf_point(frame, c->x, c->y, c->z)};
        if (n == 0) {
            TRY(pen_move(&dxf->pen, dxf_point(frame, b->x, b->y, b->z), error));
        }
        TRY(curve_bezier_add(&dxf->pen, control, 3, error));
    }
    return pen_draw_lines(&dxf->pen, &shape->like, dxf->drawing, error);
}

/* Takes the points of group `code` and its two fellows, knots (40) and weights (41). */
static pw_status spline_read(struct dxf *dxf, const struct dxf_entity *entity, int code, bool *rational,
                             pw_error *error)
{
    struct dxf_cursor cursor = entity->body;
    size_t weights = 0;
    dxf->vertex_count = dxf->knot_count = 0;
    for (;;) {
        struct dxf_group group;
        double value = 0;
        TRY(dxf_group_next(&dxf->text, &cursor, &group, error));
        if (group.code == 0) {
            break;
        }
        if (group.code != 40 && group.code != 41 &&
            (group.code < 10 || group.code >= 40 || group.code % 10 != code % 10)) {
            continue;
        }
        TRY(dxf_number(&dxf->text, &group, &value, error));
        if (group.code == 40) {
            TRY(dxf_knot_add(dxf, value, error));
        } else if (group.code == code) {
            TRY(dxf_vertex_add(dxf, &(struct dxf_vertex){.x = value, .bulge = 1}, error));
        } else if (group.code == 41) { /* weights stand before or among the points: see below */
            weights++;
        } else if (dxf->vertex_count > 0) {
            struct dxf_vertex *last = &dxf->vertices[dxf->vertex_count - 1];
            *(group.code / 10 == 2 ? &last->y : &last->z) = value;
        }
    }
    *rational = weights > 0 && weights == dxf->vertex_count;
    cursor = entity->body;
    for (size_t n = 0; *rational && n < weights;) {
        struct dxf_group group;
        TRY(dxf_group_next(&dxf->text, &cursor, &group, error));
        if (group.code == 41) {
            TRY(dxf_number(&dxf->text, &group, &dxf->vertices[n++].bulge, error));
        }
    }
    return PW_OK;
}

pw_status dxf_spline(struct dxf *dxf, struct dxf_shape *shape, pw_error *error)
{
    bool rational = false;
    pen_clear(&dxf->pen);
    TRY(spline_read(dxf, shape->entity, 10, &rational, error));
    if (dxf->vertex_count == 0) {
        TRY(spline_read(dxf, shape->entity, 11, &rational, error));
        return dxf->vertex_count > 1 ? fit_points_draw(dxf, shape, error)
                                     : drawing_omit(dxf->drawing, "SPLINE without points", error);
    }
    int degree = dxf_integer(shape->entity, 71, 1, SPLINE_DEGREE_LIMIT, 0);
    TRY(dxf_spline_add(dxf, &shape->place.frame, degree, rational, error));
    return pen_draw_lines(&dxf->pen, &shape->like, dxf->drawing, error);
}
