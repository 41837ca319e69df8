/* See half_noise.h. */
#include "discretize/forecast/half_noise.h"

#include "base/constants.h"
#include "discretize/forecast/energy_transport.h"

#include <math.h>
#include <string.h>

static const double ROUNDED = 0.541 / 12 / (1 << 26), OVER_THE_LAW = 4;

/* |I|^2 at x radians a step, of the sum of squares of a source's current. */
static double band_gain(const struct problem *problem, const struct source *source, double x)
{
    double real = 0, imaginary = 0, squares = 0;
    for (int64_t n = 0; n < problem->steps && n < problem->source_end; n++) {
        real += source->current[n] * cos(x * (double)n);
        imaginary += source->current[n] * sin(x * (double)n);
        squares += source->current[n] * source->current[n];
    }
    return squares > 0 ? (real * real + imaginary * imaginary) / squares : 0;
}

/* What waves at x bring that ring for so many steps, and the source. */
static double gain_at(double x, double speed, double ring)
{
    return 3 * x * x * ring / (M_PI * speed * speed * speed) + 16 / (9 * x * x);
}

/* How the waves of the grid are spread over frequencies: their share in each of BINS bins from 0 to pi a step, counted
 * over wave vectors of all directions and lengths. Few are among the fastest, which a sample every other step folds
 * into the band. */
enum { BINS = 64, VECTORS = 48 };

static void count_waves(const struct stencil *stencil, double speed, double share[BINS])
{
    double square[VECTORS];
    for (int i = 0; i < VECTORS; i++) {
        const double symbol = speed * stencil_symbol(stencil, M_PI * (i + 0.5) / VECTORS);
        square[i] = symbol * symbol;
    }
    memset(share, 0, BINS * sizeof *share);
    for (int n = 0; n < VECTORS * VECTORS * VECTORS; n++) {
        const double sine = sqrt(square[n % VECTORS] + square[n / VECTORS % VECTORS] + square[n / VECTORS / VECTORS]);
        const int bin = (int)(2 * asin(fmin(1, sine)) / M_PI * BINS);
        share[bin < BINS ? bin : BINS - 1] += 1.0 / VECTORS / VECTORS / VECTORS;
    }
}

/* At x and at what is folded there. */
static double folded_gain(const struct setup *setup, double x, double ring)
{
    const struct problem *problem = &setup->problem;
    const double speed = SPEED_OF_LIGHT * problem->time_step / problem->axis[0].spacing;
    const int every = problem->spectra.frequency_count > 0 ? problem->spectra.every : 1;
    double sum = gain_at(x, speed, ring), share[BINS];
    count_waves(&setup->stencil, speed, share);
    for (int m = 1; m < every; m++) {
        const double there = fabs(remainder(x + 2 * M_PI * m / every, 2 * M_PI));
        const int bin = (int)fmin(there / M_PI * BINS, BINS - 1);
        sum += 2 * M_PI * share[bin] * (BINS / M_PI) * (double)problem->steps + 16 / (9 * there * there);
    }
    return sum;
}

double half_noise(const struct setup *setup)
{
    const struct problem *problem = &setup->problem;
    const double ratio = 1e-2, decay = energy_transport_decay_time(setup->transport, ratio) / problem->time_step,
                 ring = fmin(decay / log(1 / ratio), (double)problem->steps);
    double worst = 0;
    for (int s = 0; s < problem->source_count; s++) {
        for (int end = -1; end <= 1; end++) {
            const struct scenario *scenario = setup->scenario;
            const double frequency = scenario->band_centre + 0.5 * end * scenario->band_width,
                         x = 2 * M_PI * frequency * problem->time_step;
            worst = fmax(worst, folded_gain(setup, x, ring) / band_gain(problem, &problem->sources[s], x));
        }
    }
    return 10 * log10(OVER_THE_LAW * ROUNDED * worst);
}

void half_noise_tell(struct setup *setup)
{
    if (!setup->problem.half) {
        return;
    }
    const double level = half_noise(setup);
    char number[PW_NUMBER_SIZE];
    warn(&setup->warnings,
         "grid.storage: half adds noise, in the band at most about %s dB of the mean power of the field in the room%s. "
         "Places where less arrives show noise. So do the series of receivers, which have all frequencies and some 30 "
         "dB "
         "more of it",
         pw_number_text(ceil(level), 3, number),
         setup->problem.spectra.every > HALF_NOISE_EVERY && setup->problem.spectra.frequency_count > 0
             ? "; with spectra.every: 2 it is far less"
             : "");
}
