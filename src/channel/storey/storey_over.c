/* How much of a path passes over what ends under the ceiling (storey.h).
 *
 * The plan at the cut holds up to a height, and another one over it. A path meets that step where the straight line
 * does, at the one place where it has least room, as the principal edge of ITU-R P.526; where that line meets none, it
 * may be anywhere along the way. There the plane across the path is under the step in one strip and over it in another,
 * and floor and ceiling repeat both upwards and downwards as in two mirrors. Kirchhoff: what arrives is the sum over
 * the strips, each with the field of its own plan and its part of the Fresnel zones. The parts of all strips together
 * are 1, so a plan that is the same at all heights gives what it gives alone. */
#include "channel/storey/storey.h"

#include <complex.h>
#include <math.h>

enum { PLACES = 16, PERIODS = 2 };

/* Field past an edge that stands `depth` Fresnel units (the radius of the first zone is the square root of two) into
 * the path, against the field without it: Fresnel's integrals, by Abramowitz and Stegun 7.3.32, within 0.002. ITU-R
 * P.526 has its loss, J(depth). */
static double complex past_edge(double depth)
{
    const double x = fabs(depth), angle = 0.5 * M_PI * x * x;
    const double f = (1.0 + 0.926 * x) / (2.0 + x * (1.792 + 3.104 * x)),
                 g = 1.0 / (2.0 + x * (4.142 + x * (3.492 + 6.670 * x)));
    const double complex shadow = 0.5 * (1.0 + I) * (g - I * f) * (cos(angle) - I * sin(angle));
    return depth > 0.0 ? shadow : 1.0 - shadow;
}

/* Of a path that meets the plane at a height [m over the floor], in any of the mirrored storeys. */
static double complex open_share(double height, double top, double at, double zone)
{
    const double period = 2.0 * height;
    double first = floor(at / period) - PERIODS;
    double complex share = 0.0;
    for (int n = 0; n <= 2 * PERIODS; n++) {
        const double low = (first + n) * period;
        share += past_edge((low + top - at) / zone) - past_edge((low + period - top - at) / zone);
    }
    const double complex beyond =
        1.0 - past_edge((first * period - at) / zone) + past_edge(((first + 2 * PERIODS + 1) * period - at) / zone);
    return share + beyond * (height - top) / height;
}

static double complex over_at(const struct storey *storey, double wavelength, const struct storey_path *path,
                              double along)
{
    const double far = hypot(path->length, path->rise),
                 top = fmax(0.0, (path->top > 0.0 ? path->top : storey->top) - storey->floor);
    const double zone = sqrt(0.5 * wavelength * far * along * (1.0 - along));
    return open_share(storey->height, top, path->from + along * path->rise, zone);
}

double complex storey_share(const struct storey *storey, enum storey_part part, double wavelength,
                            const struct storey_path *path)
{
    if (part == STOREY_WHOLE || !storey_is_open(storey)) {
        return part == STOREY_OVER ? 0.0 : 1.0;
    }
    double complex over = path->along > 0.0 ? over_at(storey, wavelength, path, path->along) : 0.0;
    for (int n = 0; n < PLACES && !(path->along > 0.0); n++) {
        over += over_at(storey, wavelength, path, (n + 0.5) / PLACES) / PLACES;
    }
    return part == STOREY_OVER ? over : 1.0 - over;
}
