/* See sheet_find.h. */
#include "medium/sheet/sheet_find.h"

#include "base/constants.h"

#include <math.h>

/* A layer of the averages, and not of the law: conductance times the impedance of free space, loss over permittivity.
 */
static const double LEAST_CONDUCTANCE = 0.2, LEAST_LOSS_TANGENT = 2;

static struct point middle_of(struct point a, struct point b)
{
    return (struct point){0.5 * (a.x + b.x), 0.5 * (a.y + b.y)};
}

bool sheet_strip(const struct outline *outline, struct sheet *sheet)
{
    struct point p[4];
    if (!outline_four(outline->points, outline->point_count, p)) {
        return false;
    }
    const double ux = p[1].x - p[0].x, uy = p[1].y - p[0].y, vx = p[2].x - p[1].x, vy = p[2].y - p[1].y,
                 wx = p[3].x - p[2].x, wy = p[3].y - p[2].y, u = hypot(ux, uy), v = hypot(vx, vy);
    const double same = 1e-6 * fmax(u, v);
    if (hypot(ux + wx, uy + wy) > same || fabs(ux * vx + uy * vy) > same * fmin(u, v) + 1e-15 ||
        fmax(u, v) < 2 * fmin(u, v)) {
        return false;
    }
    sheet->thickness = fmin(u, v);
    sheet->from = u < v ? middle_of(p[0], p[1]) : middle_of(p[3], p[0]);
    sheet->to = u < v ? middle_of(p[2], p[3]) : middle_of(p[1], p[2]);
    return true;
}

bool sheet_material(const struct material *material, double wave_number, double thickness)
{
    return !material->perfect_conductor && material->dispersion.pole_count == 0 &&
           material->conductivity * FREE_SPACE_IMPEDANCE >=
               LEAST_LOSS_TANGENT * wave_number * material->relative_permittivity &&
           material->conductivity * thickness * FREE_SPACE_IMPEDANCE >= LEAST_CONDUCTANCE;
}

bool sheet_of_shape(const struct floorplan *plan, int s, double wave_number, double cell, struct sheet *sheet)
{
    *sheet = (struct sheet){.material = plan->shape_material[s]};
    return sheet_strip(&plan->outlines[s], sheet) && sheet->thickness < cell &&
           sheet_material(&plan->materials[sheet->material], wave_number, sheet->thickness);
}
