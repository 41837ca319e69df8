/* Drives of currents that differ in phase, and the same of receivers (drives.h). */
#include "discretize/antenna/drives.h"

#include "discretize/antenna/array_fit.h"
#include "discretize/setup.h"

#include <math.h>
#include <string.h>

/* ---- frequencies ------------------------------------------------------------------------------------------------- */

/* Frequency n of `count` over the band, as sums over time are evaluated there (physics.md section 2). */
static double omega_at(const struct setup *setup, double frequency)
{
    const double half = M_PI * frequency * setup->problem.time_step;
    return setup->scenario->spectra.warp ? 2 / setup->problem.time_step * asin(fmin(1, half)) : 2 * M_PI * frequency;
}

double drive_frequency(const struct setup *setup, int n, int count)
{
    const struct scenario *scenario = setup->scenario;
    return scenario->band_centre + (count > 1 ? (double)n / (count - 1) - 0.5 : 0) * scenario->band_width;
}

/* How drives are made from the waveform: differences over one and two steps, and what they become in frequency. */
struct shaping {
    double first;  /* a central difference over this is 1 at the centre */
    double centre; /* the second difference, its sign turned, at the centre; at the upper edge it is `rise` more */
    double rise;
};

static double second_symbol(double omega, double time_step)
{
    const double sine = sin(0.5 * omega * time_step);
    return 4 * sine * sine;
}

static struct shaping shaping_get(const struct setup *setup)
{
    const double dt = setup->problem.time_step, centre = omega_at(setup, setup->scenario->band_centre);
    return (struct shaping){.first = 2 * sin(centre * dt),
                            .centre = second_symbol(centre, dt),
                            .rise = second_symbol(omega_at(setup, drive_frequency(setup, 1, 2)), dt) -
                                    second_symbol(centre, dt)};
}

void drive_basis(const struct setup *setup, int frequencies, double *basis)
{
    const struct shaping shaping = shaping_get(setup);
    const double dt = setup->problem.time_step;
    for (int f = 0; f < frequencies; f++) {
        const double omega = omega_at(setup, drive_frequency(setup, f, frequencies));
        const double ahead = 2 * sin(omega * dt) / shaping.first,
                     rise = (second_symbol(omega, dt) - shaping.centre) / shaping.rise;
        memcpy(basis + (ptrdiff_t)f * ARRAY_TERMS, (double[]){1, ahead, rise, ahead * rise},
               ARRAY_TERMS * sizeof *basis);
    }
}

/* ---- drives ------------------------------------------------------------------------------------------------------ */

/* Sample n of term r of the current, r from 0. */
static double term_at(const struct shaping *shaping, const struct waveform *waveform, int r, double time, double dt)
{
    if (r == 0) {
        return waveform_at(waveform, time);
    }
    if (r == 1) {
        return (waveform_at(waveform, time + dt) - waveform_at(waveform, time - dt)) / shaping->first;
    }
    const double before = term_at(shaping, waveform, r - 2, time - dt, dt),
                 here = term_at(shaping, waveform, r - 2, time, dt),
                 after = term_at(shaping, waveform, r - 2, time + dt, dt);
    return ((2 * here - before - after) - shaping->centre * here) / shaping->rise;
}

pw_status drive_tabulate(const struct setup *setup, struct source *source, const struct waveform *waveform,
                         pw_error *error)
{
    const struct problem *problem = &setup->problem;
    const struct shaping shaping = shaping_get(setup);
    const double dt = problem->time_step, offset = source->sampled_at_step_end ? 1 : 0.5;
    const size_t steps = (size_t)problem->steps;
    const bool whole = problem->formulation == FORMULATION_MAXWELL3D;
    TRY_MADE(source->further_drive = allocate(steps * (size_t)source->further, sizeof(double), "a waveform", error));
    for (int r = 0; r < source->further; r++) {
        double *drive = source->further_drive + (size_t)r * steps, before = 0;
        for (size_t n = 0; n < steps; n++) {
            const double now = term_at(&shaping, waveform, r + 1, ((double)n + offset) * dt, dt);
            drive[n] = whole ? now : now - before;
            before = now;
        }
    }
    return PW_OK;
}

/* ---- receivers --------------------------------------------------------------------------------------------------- */

/* Term r of a series, as term_at() has it of a waveform; nothing is known beyond the ends. */
static double term_of_series(const struct shaping *shaping, const struct drive_series *series, int64_t n, int r)
{
    if (r == 0) {
        return n >= 0 && n < series->steps ? series->value[(size_t)n * series->stride] : 0;
    }
    if (r == 1) {
        return (term_of_series(shaping, series, n + 1, 0) - term_of_series(shaping, series, n - 1, 0)) / shaping->first;
    }
    const double before = term_of_series(shaping, series, n - 1, r - 2),
                 here = term_of_series(shaping, series, n, r - 2),
                 after = term_of_series(shaping, series, n + 1, r - 2);
    return ((2 * here - before - after) - shaping->centre * here) / shaping->rise;
}

double drive_received(const struct setup *setup, const struct drive_series *series, int terms, int64_t step)
{
    const struct shaping shaping = shaping_get(setup);
    double sum = 0;
    for (int r = 0; r < terms; r++) {
        const struct drive_series own = {series->value + r, series->stride, series->steps};
        sum += term_of_series(&shaping, &own, step, r);
    }
    return sum;
}
