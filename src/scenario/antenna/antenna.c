/* Levels of antennas by direction (antenna.h). Leaves out where their cuts come from. */
#include "scenario/antenna/antenna.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A null is not deeper than this, so that sums of levels stay numbers. */
static const double LEAST_LEVEL = -300; /* dB */

double antenna_cut_level(const struct antenna_cut *cut, double angle)
{
    double place = angle / (2 * M_PI);
    place = (place - floor(place)) * cut->count;
    int below = (int)place;
    below = below < cut->count ? below : 0; /* an angle a rounding under 0 */
    double part = place - floor(place), next = cut->level[below + 1 < cut->count ? below + 1 : 0];
    return part > 0 ? cut->level[below] + part * (next - cut->level[below]) : cut->level[below];
}

/* Amplitude of a vertical dipole at the sine of the elevation. */
static double dipole_amplitude(enum antenna_kind kind, double sine)
{
    double cosine = sqrt(fmax(0, 1 - sine * sine));
    if (kind == ANTENNA_HERTZIAN) {
        return cosine;
    }
    return cosine > 1e-9 ? cos(0.5 * M_PI * sine) / cosine : 0; /* Balanis, Antenna Theory, eq. 4-84 */
}

/* `azimuth` clockwise from straight ahead, `down` under the horizon of the antenna, both rad. The elevation cut's front
 * half counts ahead, its back half by the share `back` behind. */
static double cuts_level(const struct antenna_pattern *pattern, double azimuth, double down, double back)
{
    const struct antenna_cut *horizontal = &pattern->azimuth, *vertical = &pattern->elevation;
    double ahead_loss = antenna_cut_level(horizontal, 0) - antenna_cut_level(vertical, down);
    double back_loss = antenna_cut_level(horizontal, M_PI) - antenna_cut_level(vertical, M_PI - down);
    return antenna_cut_level(horizontal, azimuth) - (1 - back) * ahead_loss - back * back_loss;
}

double antenna_smooth_level(const struct antenna_pattern *pattern, const double own[3])
{
    const double azimuth = atan2(-own[1], own[0]), down = -asin(fmax(-1, fmin(1, own[2])));
    return fmax(LEAST_LEVEL, fmin(0, cuts_level(pattern, azimuth, down, pow(sin(0.5 * azimuth), 2))));
}

double antenna_level(const struct antenna *antenna, const double direction[3])
{
    const double length = hypot(hypot(direction[0], direction[1]), direction[2]);
    const double x = direction[0] / length, y = direction[1] / length, z = direction[2] / length;
    double level = 0;
    if (antenna->kind == ANTENNA_PATTERN) {
        double ahead = x * sin(antenna->bearing) + y * cos(antenna->bearing);
        double right = x * cos(antenna->bearing) - y * sin(antenna->bearing);
        double forward = ahead * cos(antenna->downtilt) - z * sin(antenna->downtilt);
        double up = ahead * sin(antenna->downtilt) + z * cos(antenna->downtilt);
        const double azimuth = atan2(right, forward);
        level = cuts_level(antenna->pattern, azimuth, -asin(fmax(-1, fmin(1, up))), fabs(azimuth) / M_PI);
    } else if (antenna->kind != ANTENNA_ISOTROPIC) {
        level = 20 * log10(dipole_amplitude(antenna->kind, z));
    }
    return fmax(LEAST_LEVEL, fmin(0, level));
}

/* No level is over 0, which most cuts begin with: maps ask for this at every sample of every point. */
static double cut_peak(const struct antenna_cut *cut)
{
    double peak = LEAST_LEVEL;
    for (int n = 0; n < cut->count && peak < 0; n++) {
        peak = fmax(peak, cut->level[n]);
    }
    return peak;
}

double antenna_azimuth_level(const struct antenna *antenna, double x, double y)
{
    if (antenna->kind != ANTENNA_PATTERN) {
        return 0;
    }
    const struct antenna_cut *cut = &antenna->pattern->azimuth;
    return antenna_cut_level(cut, atan2(x, y) - antenna->bearing) - cut_peak(cut);
}

double antenna_elevation_level(const struct antenna *antenna, const double direction[3])
{
    return antenna_level(antenna, direction) - antenna_azimuth_level(antenna, direction[0], direction[1]);
}

double antenna_gain(const struct antenna *antenna)
{
    switch (antenna->kind) {
    case ANTENNA_PATTERN:
        return antenna->pattern->gain;
    case ANTENNA_HERTZIAN:
        return 10 * log10(1.5);
    case ANTENNA_HALF_WAVE:
        return 10 * log10(1.640922); /* Balanis, Antenna Theory, section 4.6 */
    default:
        return 0;
    }
}

static bool cuts_equal(const struct antenna_cut *a, const struct antenna_cut *b)
{
    return a->count == b->count && memcmp(a->level, b->level, (size_t)a->count * sizeof *a->level) == 0;
}

static bool numbers_equal(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

bool antenna_patterns_equal(const struct antenna_pattern *a, const struct antenna_pattern *b)
{
    const size_t size = 6 * (size_t)a->rows * (size_t)a->columns * sizeof(double);
    return strcmp(a->name, b->name) == 0 && strcmp(a->make, b->make) == 0 && a->frequency == b->frequency &&
           a->form == b->form && a->width[0] == b->width[0] && a->width[1] == b->width[1] && a->floor == b->floor &&
           a->rows == b->rows && a->columns == b->columns && (size == 0 || memcmp(a->field, b->field, size) == 0) &&
           numbers_equal(a->gain, b->gain) && numbers_equal(a->electrical_tilt, b->electrical_tilt) &&
           cuts_equal(&a->azimuth, &b->azimuth) && cuts_equal(&a->elevation, &b->elevation);
}

void antenna_pattern_free(struct antenna_pattern *pattern)
{
    free(pattern->azimuth.level);
    free(pattern->elevation.level);
    free(pattern->field);
    memset(pattern, 0, sizeof *pattern);
}
