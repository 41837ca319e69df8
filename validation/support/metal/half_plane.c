/* Each of the source and its image gives (j/pi) times the integral of exp(-jkR cosh mu) from minus infinity to m, with
 * sinh m = 2 sqrt(r r0) cos(psi/2)/R and cosh m = (r + r0)/R. Over the whole line it is H0^(2)(kR).
 *
 * For m < 0 the path goes from m to minus infinity by cosh mu = cosh m - js; with w^2 = cosh m - 1 - js it is a
 * straight line of w, on which the integrand falls off as exp(-kR x^2). */
#include "validation/support/metal/half_plane.h"

#include <math.h>

#include "validation/support/metal/gauss.h"

enum { PIECES = 12 };

/* The integral from minus infinity to m <= 0; `excess` is cosh m - 1. */
static double complex tail(double k_distance, double excess)
{
    const double complex turn = cexp(-I * M_PI / 4);
    const double root = sqrt(excess), steep = sqrt(2) * k_distance * root;
    const double end = fmin(6.5 / sqrt(k_distance), 40 / fmax(steep, 1e-9));
    double complex sum = 0;
    for (int piece = 0; piece < PIECES; piece++) {
        for (int g = 0; g < GAUSS_POINTS; g++) {
            const double x = end * (piece + 0.5 + 0.5 * GAUSS_POINT[g]) / PIECES;
            const double complex w = root + turn * x;
            sum +=
                GAUSS_WEIGHT[g] * cexp(-k_distance * x * x - 2 * k_distance * root * x * conj(turn)) / csqrt(2 + w * w);
        }
    }
    return 2 * turn * cexp(-I * k_distance * (1 + excess)) * sum * end / (2 * PIECES);
}

static double complex part(double k, struct polar at, struct polar source, double angle)
{
    const double distance =
        sqrt(pow(at.distance - source.distance, 2) + 4 * at.distance * source.distance * pow(sin(angle / 2), 2));
    const double excess = fmax((at.distance + source.distance) / distance - 1, 0);
    const double complex share = I / M_PI * tail(k * distance, excess);
    return cos(angle / 2) < 0 ? share : j0(k * distance) - I * y0(k * distance) - share;
}

double complex half_plane_field(double k, struct polar at, struct polar source, bool horizontal)
{
    const double complex direct = part(k, at, source, at.angle - source.angle);
    const double complex mirrored = part(k, at, source, at.angle + source.angle);
    return horizontal ? direct + mirrored : direct - mirrored;
}
