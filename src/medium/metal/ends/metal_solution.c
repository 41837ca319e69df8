/* Local solutions of Ez beside metal (metal_solution.h). */
#include "medium/metal/ends/metal_solution.h"

#include <math.h>

/* J of any order >= 0 up to a constant factor: its power series, good to 1e-10 for x up to 12, which is farther than
 * any row reaches. */
double metal_bessel(double order, double x)
{
    double term = pow(0.5 * x, order), sum = term;
    for (int m = 1; m < 60 && fabs(term) > 1e-17 * fabs(sum); m++) {
        term *= -0.25 * x * x / (m * (m + order));
        sum += term;
    }
    return sum;
}

static double at_corner(const struct metal_solution *own, double x, double y, double turn)
{
    const double r = hypot(x, y), order = M_PI / own->opening;
    double angle = fmod(atan2(y, x) - own->face, 2 * M_PI);
    angle += angle < 0 ? 2 * M_PI : 0;
    return angle > own->opening ? 0 : metal_bessel(order, turn * r) * sin(order * angle);
}

static double at_post(const struct metal_solution *own, double r, double turn)
{
    const double a = own->radius;
    if (own->hole ? r >= a : r <= a) {
        return 0;
    }
    const double value = y0(turn * fmax(r, 0.1)) * j0(turn * a) - j0(turn * fmax(r, 0.1)) * y0(turn * a);
    return own->hole ? -value : value;
}

double metal_solution_at(const struct metal_solution *solution, struct point place, double turn)
{
    const double x = place.x - solution->at.x, y = place.y - solution->at.y;
    switch (solution->form) {
    case METAL_CORNER:
        return at_corner(solution, x, y, turn);
    case METAL_POST:
        return at_post(solution, hypot(x, y), turn);
    case METAL_WAVE:
        return cos(turn * (x * solution->normal[0] + y * solution->normal[1]));
    case METAL_FACE:
        break;
    }
    return sin(turn * fmax(x * solution->normal[0] + y * solution->normal[1], 0));
}
