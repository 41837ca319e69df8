/* The slanted path (slant.h). */
#include "channel/slant/slant.h"

#include "base/constants.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

double elevation_hertzian(const void *antenna, double elevation)
{
    (void)antenna;
    double across = cos(elevation);
    return across * across;
}

double elevation_half_wave(const void *antenna, double elevation)
{
    (void)antenna;
    double across = cos(elevation), field = across > 1e-9 ? cos(0.5 * pi * sin(elevation)) / across : 0.0;
    return field * field;
}

bool slant_counts(const struct slant *slant)
{
    return slant->rise != 0.0 || slant->departure.gain != NULL || slant->arrival.gain != NULL;
}

static double pattern_gain(const struct elevation_pattern *pattern, double elevation)
{
    return pattern->gain != NULL ? pattern->gain(pattern->antenna, elevation) : 1.0;
}

double slant_power(const struct slant *slant, double length)
{
    double elevation = atan2(slant->rise, length);
    double flat = length * length / (length * length + slant->rise * slant->rise);
    return flat * pattern_gain(&slant->departure, elevation) * pattern_gain(&slant->arrival, -elevation);
}

double slant_delay(const struct slant *slant, double distance, double delay)
{
    double upright = slant->rise / SPEED_OF_LIGHT, direct = distance / SPEED_OF_LIGHT;
    if (slant->rise == 0.0) {
        return delay;
    }
    double first = hypot(direct, upright);
    return delay >= direct ? hypot(delay, upright) : first + direct / first * (delay - direct);
}

double slant_distance(const struct slant *slant, double distance)
{
    return slant->rise == 0.0 ? distance : hypot(distance, slant->rise);
}
