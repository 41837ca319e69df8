/* HATCH with a solid fill: its boundary paths as the rings of one area by the even-odd rule, which is the hatch style
 * "normal"; the styles "outer" and "ignore" are read alike. Hatches of lines are counted and left out. */
#include "drawing/vector/dxf/dxf.h"

#include <math.h>
#include <string.h>

enum edge_kind { EDGE_NONE, EDGE_LINE, EDGE_CIRCLE, EDGE_ELLIPSE, EDGE_SPLINE };

/* What is being read: a path that is a polyline, or an edge of a path. */
struct hatch {
    struct dxf_frame frame;
    double elevation;
    bool polyline, in_path;
    enum edge_kind edge;
    int degree;              /* of a spline; 0 where it is none that can be drawn */
    double value[DXF_CODES]; /* of the edge, by group code; angles in degrees */
    bool given[DXF_CODES];
};

/* An arc that runs clockwise has the angles of its mirror image. */
static pw_status edge_arc_draw(struct dxf *dxf, const struct hatch *hatch, pw_error *error)
{
    const double *value = hatch->value;
    bool ellipse = hatch->edge == EDGE_ELLIPSE;
    double turn = hatch->given[73] && value[73] == 0 ? -1 : 1, degree = M_PI / 180;
    double from = value[50] * degree, sweep = fmod(value[51] - value[50], 360) * degree;
    double x = ellipse ? value[11] : value[40], y = ellipse ? value[21] : 0, ratio = ellipse ? value[40] : 1;
    if (sweep <= 1e-12) {
        sweep += 2 * M_PI;
    }
    if (ellipse && ratio > 0 && sweep < 2 * M_PI * (1 - 1e-9)) { /* angles at the centre become parameters */
        double begin = atan2(sin(from) / ratio, cos(from)), end = from + sweep;
        double close = atan2(sin(end) / ratio, cos(end));
        from = begin;
        sweep = fmod(close - begin + 4 * M_PI, 2 * M_PI);
    }
    struct curve_arc arc = {.centre = dxf_point(&hatch->frame, value[10], value[20], hatch->elevation),
                            .u = dxf_vector(&hatch->frame, x, y, 0),
                            .v = dxf_vector(&hatch->frame, -ratio * y, ratio * x, 0),
                            .from = turn * from,
                            .sweep = turn * sweep};
    return curve_arc_add(&dxf->pen, &arc, error);
}

/* Ends the edge that was read, or the polyline. */
static pw_status edge_end(struct dxf *dxf, struct hatch *hatch, pw_error *error)
{
    const double *value = hatch->value;
    enum edge_kind edge = hatch->edge;
    pw_status status = PW_OK;
    if (hatch->polyline && dxf->vertex_count > 0) {
        const struct dxf_vertex *vertices = dxf->vertices;
        TRY(pen_move(&dxf->pen, dxf_point(&hatch->frame, vertices[0].x, vertices[0].y, vertices[0].z), error));
        for (size_t n = 0; n < dxf->vertex_count; n++) {
            TRY(dxf_piece_add(dxf, &hatch->frame, &vertices[n], &vertices[(n + 1) % dxf->vertex_count], error));
        }
    } else if (edge == EDGE_LINE) {
        TRY(pen_line(&dxf->pen, dxf_point(&hatch->frame, value[10], value[20], hatch->elevation), error));
        TRY(pen_line(&dxf->pen, dxf_point(&hatch->frame, value[11], value[21], hatch->elevation), error));
    } else if (edge == EDGE_CIRCLE || edge == EDGE_ELLIPSE) {
        status = edge_arc_draw(dxf, hatch, error);
    } else if (edge == EDGE_SPLINE) {
        status = dxf_spline_add(dxf, &hatch->frame, hatch->degree, value[73] != 0, error);
    }
    hatch->edge = EDGE_NONE;
    dxf->vertex_count = dxf->knot_count = 0;
    memset(hatch->value, 0, sizeof hatch->value);
    memset(hatch->given, 0, sizeof hatch->given);
    return status;
}

/* The points, knots and weights of a polyline or a spline. */
static pw_status points_take(struct dxf *dxf, const struct hatch *hatch, int code, double value, pw_error *error)
{
    if (code == 10) {
        struct dxf_vertex vertex = {.x = value, .z = hatch->elevation, .bulge = hatch->polyline ? 0 : 1};
        return dxf_vertex_add(dxf, &vertex, error);
    }
    if (code == 40 && !hatch->polyline) {
        return dxf_knot_add(dxf, value, error);
    }
    if (dxf->vertex_count > 0 && (code == 20 || code == 42)) {
        struct dxf_vertex *last = &dxf->vertices[dxf->vertex_count - 1];
        *(code == 20 ? &last->y : &last->bulge) = value;
    }
    return PW_OK;
}

/* Takes a group of the boundaries. Group 92 begins a path, 72 an edge. */
static pw_status group_take(struct dxf *dxf, struct hatch *hatch, const struct dxf_group *group, pw_error *error)
{
    if (group->code != 92 && (!hatch->in_path || group->code < 10 || group->code > 96)) {
        return PW_OK;
    }
    double value = 0;
    TRY(dxf_number(&dxf->text, group, &value, error));
    if (group->code == 92) {
        TRY(edge_end(dxf, hatch, error));
        pen_lift(&dxf->pen); /* what is drawn next is a ring of its own */
        hatch->in_path = true;
        hatch->polyline = ((int)fmod(value, 4) & 2) != 0;
    } else if (group->code == 72 && !hatch->polyline) {
        TRY(edge_end(dxf, hatch, error));
        hatch->edge = value >= 1 && value <= 4 ? (enum edge_kind)(int)value : EDGE_NONE;
    } else if (hatch->polyline || hatch->edge == EDGE_SPLINE) {
        TRY(points_take(dxf, hatch, group->code, value, error));
    }
    if (group->code == 94) {
        hatch->degree = value >= 1 && value <= SPLINE_DEGREE_LIMIT ? (int)value : 0;
    }
    if (group->code < DXF_CODES && group->code != 72) {
        hatch->value[group->code] = value;
        hatch->given[group->code] = true;
    }
    return PW_OK;
}

pw_status dxf_hatch(struct dxf *dxf, struct dxf_shape *shape, pw_error *error)
{
    const struct dxf_entity *entity = shape->entity;
    if (dxf_integer(entity, 70, 0, 1, 0) != 1) {
        return drawing_omit(dxf->drawing, "HATCH of a pattern", error);
    }
    struct hatch hatch = {.frame = dxf_frame_of(&shape->place, entity), .elevation = entity->value[30]};
    struct dxf_cursor cursor = entity->body;
    pen_clear(&dxf->pen);
    dxf->vertex_count = dxf->knot_count = 0;
    for (;;) {
        struct dxf_group group;
        TRY(dxf_group_next(&dxf->text, &cursor, &group, error));
        if (group.code == 0 || (hatch.in_path && group.code == 75)) { /* the style stands behind the paths */
            break;
        }
        TRY(group_take(dxf, &hatch, &group, error));
    }
    TRY(edge_end(dxf, &hatch, error));
    return pen_draw_area(&dxf->pen, &shape->like, dxf->drawing, error);
}
