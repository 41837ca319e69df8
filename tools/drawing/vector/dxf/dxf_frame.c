/* Coordinates of entities, blocks and the drawing (dxf.h). All is kept in three dimensions, because blocks may be
 * tilted and entities extruded; the drawing is what is seen from above. */
#include "drawing/vector/dxf/dxf.h"

#include <math.h>

struct dxf_frame dxf_frame_identity(void)
{
    return (struct dxf_frame){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
}

struct dxf_frame dxf_frame_after(const struct dxf_frame *after, const struct dxf_frame *before)
{
    struct dxf_frame product;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 4; c++) {
            double sum = c == 3 ? after->row[r][3] : 0;
            for (int k = 0; k < 3; k++) {
                sum += after->row[r][k] * before->row[k][c];
            }
            product.row[r][c] = sum;
        }
    }
    return product;
}

static void cross(const double a[3], const double b[3], double product[3])
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
    double length = sqrt(product[0] * product[0] + product[1] * product[1] + product[2] * product[2]);
    for (int k = 0; k < 3 && length > 0; k++) {
        product[k] /= length;
    }
}

struct dxf_frame dxf_frame_of(const struct dxf_place *place, const struct dxf_entity *entity)
{
    const double *e = entity->extrusion;
    double length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    if (!(length > 0) || (e[0] == 0 && e[1] == 0 && e[2] > 0)) {
        return place->frame;
    }
    double normal[3] = {e[0] / length, e[1] / length, e[2] / length}, x[3], y[3];
    bool upright = fabs(normal[0]) < 1.0 / 64 && fabs(normal[1]) < 1.0 / 64;
    const double over[3] = {0, upright ? 1 : 0, upright ? 0 : 1};
    cross(over, normal, x);
    cross(normal, x, y);
    struct dxf_frame own = {{{x[0], y[0], normal[0], 0}, {x[1], y[1], normal[1], 0}, {x[2], y[2], normal[2], 0}}};
    return dxf_frame_after(&place->frame, &own);
}

struct drawing_point dxf_vector(const struct dxf_frame *frame, double x, double y, double z)
{
    const double(*row)[4] = frame->row;
    return (struct drawing_point){row[0][0] * x + row[0][1] * y + row[0][2] * z,
                                  row[1][0] * x + row[1][1] * y + row[1][2] * z};
}

struct drawing_point dxf_point(const struct dxf_frame *frame, double x, double y, double z)
{
    struct drawing_point from = dxf_vector(frame, x, y, z);
    return (struct drawing_point){from.x + frame->row[0][3], from.y + frame->row[1][3]};
}

double dxf_frame_scale(const struct dxf_frame *frame)
{
    return sqrt(fabs(frame->row[0][0] * frame->row[1][1] - frame->row[0][1] * frame->row[1][0]));
}
