/* The grid's phase over the straight line (grid_phase.h). */
#include "channel/place/grid_phase.h"

#include "base/constants.h"

#include <math.h>

struct grid_phase grid_phase_find(const struct result *result)
{
    struct grid_phase phase = {.known = false};
    enum scheme scheme;
    if (result->scheme == NULL || !(result->band_centre > 0.0) || !scheme_from_name(result->scheme, &scheme)) {
        return phase;
    }
    const struct stencil_band band = {.cells_per_wavelength = SPEED_OF_LIGHT / (result->band_centre * result->cell),
                                      .relative_width = result->band_width / result->band_centre,
                                      .dimensions = result->dimensions};
    phase.stencil = stencil_get(scheme, &band);
    phase.known = true;
    return phase;
}

/* Radians that the numeric wave at frequency f is ahead of the one in air, over `way` [m]. */
static double phase_over(const struct grid_phase *phase, const struct result *result, int f, const double way[3])
{
    double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    const double direction[3] = {way[0] / length, way[1] / length, way[2] / length};
    double half = 0.5 * result->omega[f] * result->time_step;
    double stepped = 2.0 * sin(half) / (SPEED_OF_LIGHT * result->time_step); /* with warping exactly 2 pi f/c */
    double numeric = stencil_wave_number_along(&phase->stencil, result->cell, stepped, direction);
    double exact = 2.0 * M_PI * result->frequency[f] / SPEED_OF_LIGHT;
    return isfinite(numeric) ? (numeric - exact) * length : 0.0;
}

void grid_phase_remove(const struct grid_phase *phase, const struct result *result,
                       const struct result_transmitter *from, const struct place *place, int count, double *fields)
{
    const double rise = result->dimensions == 3 ? place->height - from->height : 0.0;
    const double way[3] = {place->x - from->x, place->y - from->y, rise};
    if (!phase->known || !(hypot(hypot(way[0], way[1]), way[2]) > 0.0)) {
        return;
    }
    for (int f = 0; f < result->frequency_count; f++) {
        double turn = phase_over(phase, result, f, way), turn_re = cos(turn), turn_im = sin(turn);
        for (int n = 0; n < count; n++) {
            double *field = fields + 2 * ((size_t)n * (size_t)result->frequency_count + (size_t)f);
            double re = field[0] * turn_re - field[1] * turn_im;
            field[1] = field[0] * turn_im + field[1] * turn_re;
            field[0] = re;
        }
    }
}
