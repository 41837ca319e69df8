/* See metal_modes.h. */
#include "medium/metal/ends/metal_modes.h"

#include <math.h>

double end_distance_of(const struct metal_solution *end, double x, double y)
{
    return hypot(x - end->at.x, y - end->at.y) - (end->form == METAL_POST ? end->radius : 0);
}

/* From the face of a corner on; in metal that of the nearer face. */
static double angle_of(const struct metal_solution *end, double x, double y)
{
    const double angle = atan2(y - end->at.y, x - end->at.x);
    if (end->form == METAL_POST) {
        return angle;
    }
    double from = fmod(angle - end->face, 2 * M_PI);
    from += from < 0 ? 2 * M_PI : 0;
    return from <= end->opening ? from : from > 0.5 * end->opening + M_PI ? 0 : end->opening;
}

void end_potential_at(const struct metal_solution *end, double x, double y, double *u, double *v)
{
    const double r = hypot(x - end->at.x, y - end->at.y), angle = angle_of(end, x, y);
    if (end->form == METAL_POST) {
        *u = r > end->radius ? log(r / end->radius) : 0;
        *v = angle;
        return;
    }
    const double order = M_PI / end->opening;
    *u = pow(r, order) * sin(order * angle);
    *v = -pow(r, order) * cos(order * angle);
}

double end_mode_at(const struct metal_solution *end, int mode, double x, double y, double turn)
{
    const double r = hypot(x - end->at.x, y - end->at.y), angle = angle_of(end, x, y);
    if (end->form == METAL_POST) {
        const double p = turn * r, q = turn * end->radius;
        return r <= end->radius ? 0
               : mode == 0      ? y0(p) * j0(q) - j0(p) * y0(q)
                                : q * (j1(p) * y1(q) - y1(p) * j1(q)) * (mode == 1 ? cos(angle) : sin(angle));
    }
    const double order = (mode + 1) * M_PI / end->opening;
    return metal_bessel(order, turn * r) * sin(order * angle);
}

double end_shape_at(const struct metal_solution *end, int mode, double x, double y)
{
    const double angle = angle_of(end, x, y);
    return mode == 0                   ? 1
           : end->form == METAL_CORNER ? cos(mode * M_PI / end->opening * angle)
           : mode == 1                 ? cos(angle)
                                       : sin(angle);
}
