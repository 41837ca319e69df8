/* Lines, circles, arcs, ellipses and solids of a DXF file. */
#include "drawing/vector/dxf/dxf.h"

#include <math.h>
#include <string.h>

pw_status dxf_line(struct dxf *dxf, struct dxf_shape *shape, pw_error *error)
{
    const double *value = shape->entity->value;
    const struct dxf_frame *frame = &shape->place.frame; /* a line stands in the world's coordinates */
    pen_clear(&dxf->pen);
    TRY(pen_move(&dxf->pen, dxf_point(frame, value[10], value[20], value[30]), error));
    TRY(pen_line(&dxf->pen, dxf_point(frame, value[11], value[21], value[31]), error));
    return pen_draw_lines(&dxf->pen, &shape->like, dxf->drawing, error);
}

/* From one angle on to the next that is larger: a whole turn when they are the same. */
static double sweep_of(double from, double to)
{
    double sweep = fmod(to - from, 2 * M_PI);
    return sweep <= 1e-12 ? sweep + 2 * M_PI : sweep;
}

pw_status dxf_circle(struct dxf *dxf, struct dxf_shape *shape, pw_error *error)
{
    const double *value = shape->entity->value;
    struct dxf_frame frame = dxf_frame_of(&shape->place, shape->entity);
    bool part = strcmp(shape->entity->type, "ARC") == 0;
    double radius = value[40], degree = M_PI / 180;
    struct curve_arc arc = {.centre = dxf_point(&frame, value[10], value[20], value[30]),
                            .u = dxf_vector(&frame, radius, 0, 0),
                            .v = dxf_vector(&frame, 0, radius, 0),
                            .from = part ? value[50] * degree : 0,
                            .sweep = part ? sweep_of(value[50] * degree, value[51] * degree) : 2 * M_PI};
    pen_clear(&dxf->pen);
    TRY(curve_arc_add(&dxf->pen, &arc, error));
    return pen_draw_lines(&dxf->pen, &shape->like, dxf->drawing, error);
}

/* The axes stand in the world's coordinates: the minor one is the normal times the major one. */
pw_status dxf_ellipse(struct dxf *dxf, struct dxf_shape *shape, pw_error *error)
{
    const double *value = shape->entity->value, *e = shape->entity->extrusion;
    const struct dxf_frame *frame = &shape->place.frame;
    double length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    double ratio = length > 0 ? value[40] / length : 0;
    double x = value[11], y = value[21], z = value[31];
    double from = value[41], to = shape->entity->given[42] ? value[42] : 2 * M_PI;
    struct curve_arc arc = {.centre = dxf_point(frame, value[10], value[20], value[30]),
                            .u = dxf_vector(frame, x, y, z),
                            .v = dxf_vector(frame, ratio * (e[1] * z - e[2] * y), ratio * (e[2] * x - e[0] * z),
                                            ratio * (e[0] * y - e[1] * x)),
                            .from = from,
                            .sweep = sweep_of(from, to)};
    pen_clear(&dxf->pen);
    TRY(curve_arc_add(&dxf->pen, &arc, error));
    return pen_draw_lines(&dxf->pen, &shape->like, dxf->drawing, error);
}

/* Twice the area of four corners over the square of their size: of faces that stand upright it is nothing. */
static bool corners_are_flat(const struct drawing_point *corner)
{
    double area = 0, size = 0;
    for (int n = 0; n < 4; n++) {
        struct drawing_point a = corner[n], b = corner[(n + 1) % 4], o = corner[0];
        area += (a.x - o.x) * (b.y - o.y) - (b.x - o.x) * (a.y - o.y);
        size = fmax(size, hypot(a.x - o.x, a.y - o.y));
    }
    return !(fabs(area) > 1e-9 * size * size);
}

/* A face that stands upright is seen from above as a line between the two corners that are farthest apart. */
static pw_status face_edge_draw(struct dxf *dxf, const struct dxf_shape *shape, const struct drawing_point *corner,
                                pw_error *error)
{
    int from = 0, to = 1;
    for (int a = 0; a < 4; a++) {
        for (int b = a + 1; b < 4; b++) {
            if (hypot(corner[a].x - corner[b].x, corner[a].y - corner[b].y) >
                hypot(corner[from].x - corner[to].x, corner[from].y - corner[to].y)) {
                from = a;
                to = b;
            }
        }
    }
    TRY(pen_move(&dxf->pen, corner[from], error));
    TRY(pen_line(&dxf->pen, corner[to], error));
    return pen_draw_lines(&dxf->pen, &shape->like, dxf->drawing, error);
}

/* The corners of a face go around; a solid's third and fourth are swapped. */
pw_status dxf_solid(struct dxf *dxf, struct dxf_shape *shape, pw_error *error)
{
    bool face = strcmp(shape->entity->type, "3DFACE") == 0, triangle = !shape->entity->given[13];
    const double *value = shape->entity->value;
    struct dxf_frame frame = face ? shape->place.frame : dxf_frame_of(&shape->place, shape->entity);
    struct drawing_point corner[4];
    pen_clear(&dxf->pen);
    for (int n = 0; n < 4; n++) {
        int code = triangle && n == 3 ? 2 : face || n < 2 ? n : 5 - n;
        corner[n] = dxf_point(&frame, value[10 + code], value[20 + code], value[30 + code]);
    }
    if (triangle && !face) { /* corner 3 was taken for the missing fourth */
        corner[2] = dxf_point(&frame, value[12], value[22], value[32]);
        corner[3] = corner[2];
    }
    if (corners_are_flat(corner)) {
        return face_edge_draw(dxf, shape, corner, error);
    }
    for (int n = 0; n < 4; n++) {
        TRY(pen_line(&dxf->pen, corner[n], error));
    }
    return pen_draw_area(&dxf->pen, &shape->like, dxf->drawing, error);
}
