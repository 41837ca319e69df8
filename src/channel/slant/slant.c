/* The slanted path (slant.h). */
#include "channel/slant/slant.h"

#include "base/constants.h"

#include <math.h>

bool slant_counts(const struct slant *slant)
{
    return slant->rise != 0.0 || slant->departure.kind == ANTENNA_PATTERN || slant->arrival.kind == ANTENNA_PATTERN;
}

static bool antennas_equal(const struct antenna *a, const struct antenna *b)
{
    return a->kind == b->kind && (a->kind != ANTENNA_PATTERN ||
                                  (a->pattern == b->pattern && a->bearing == b->bearing && a->downtilt == b->downtilt));
}

bool slant_equals(const struct slant *a, const struct slant *b)
{
    bool turned = a->along[0] != b->along[0] || a->along[1] != b->along[1];
    bool looks = a->departure.kind == ANTENNA_PATTERN || a->arrival.kind == ANTENNA_PATTERN;
    return a->rise == b->rise && antennas_equal(&a->departure, &b->departure) &&
           antennas_equal(&a->arrival, &b->arrival) && !(turned && looks);
}

/* Power that an antenna sends, or takes in, in a direction that rises by `up` over `length` along (x, y). */
static double antenna_power(const struct antenna *antenna, double x, double y, double length, double up)
{
    const double direction[3] = {x * length, y * length, up};
    return antenna->kind == ANTENNA_ISOTROPIC ? 1.0 : pow(10.0, 0.1 * antenna_elevation_level(antenna, direction));
}

double slant_power(const struct slant *slant, double length)
{
    double x = slant->along[0], y = slant->along[1], rise = slant->rise;
    if (!(x * x + y * y > 0.5)) { /* of a link straight up, and where nobody asks */
        x = 1.0;
        y = 0.0;
    }
    return length * length / (length * length + rise * rise) * antenna_power(&slant->departure, x, y, length, rise) *
           antenna_power(&slant->arrival, -x, -y, length, -rise);
}

double slant_spread(const struct slant *slant, double length, double frequency)
{
    double least = fmax(length, SPEED_OF_LIGHT / (2.0 * M_PI * frequency));
    return slant_power(slant, least) / least;
}

double slant_delay(const struct slant *slant, double distance, double delay)
{
    double upright = slant->rise / SPEED_OF_LIGHT, direct = distance / SPEED_OF_LIGHT;
    if (slant->rise == 0.0) {
        return delay;
    }
    if (delay >= direct) {
        return hypot(delay, upright);
    }
    double first = hypot(direct, upright);
    return first + direct / first * (delay - direct);
}

double slant_distance(const struct slant *slant, double distance)
{
    return slant->rise == 0.0 ? distance : hypot(distance, slant->rise);
}
