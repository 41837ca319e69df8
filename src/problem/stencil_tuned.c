/* The fit of the scheme fd4o. With exact time stepping (frequency warping) a plane wave of wave number k along the unit
 * vector n is stepped with
 *
 *     k'^2 = sum over the axes of [ (2/cell) (a(0) sin(k n_i cell / 2) + a(1) sin(3 k n_i cell / 2)) ]^2,
 *
 * so the relative error of the wave speed is about k'/k - 1. The fit makes the largest |k'/k - 1| over directions and
 * band the smallest. For a given a(1), the a(0) that balances the largest and the smallest error is found by bisection,
 * since the error grows with a(0); the best a(1) by golden section. Leaves out the error of time stepping, which
 * warping takes away. */
#include "problem/stencil_tuned.h"

#include <math.h>

enum { ANGLES = 13, FREQUENCIES = 3, SAMPLES_MOST = ANGLES * ANGLES * FREQUENCIES };
static const double LEAST_CELLS = 4, WIDEST_BAND = 1;

/* One plane wave: the two sines along each axis, over k cell. */
struct plane_wave {
    double first[3], second[3];
};

struct fit {
    struct plane_wave wave[SAMPLES_MOST];
    int count;
};

static void add_wave(struct fit *fit, double phase, const double direction[3])
{
    struct plane_wave *wave = &fit->wave[fit->count++];
    for (int i = 0; i < 3; i++) {
        wave->first[i] = 2 * sin(0.5 * phase * direction[i]) / phase;
        wave->second[i] = 2 * sin(1.5 * phase * direction[i]) / phase;
    }
}

/* By symmetry, azimuths up to 45 degrees and elevations up to 90 cover all directions. */
static void add_directions(struct fit *fit, double phase, int dimensions)
{
    for (int a = 0; a < ANGLES; a++) {
        double azimuth = 0.25 * M_PI * a / (ANGLES - 1);
        for (int e = 0; e < (dimensions == 3 ? ANGLES : 1); e++) {
            double height = (double)e / (ANGLES - 1), across = sqrt(1 - height * height);
            add_wave(fit, phase, (double[3]){across * cos(azimuth), across * sin(azimuth), height});
        }
    }
}

/* The largest and the smallest error of the wave number: those of the largest and the smallest square. */
static void error_range(const struct fit *fit, double a0, double a1, double *smallest, double *largest)
{
    double low = INFINITY, high = 0;
    for (int w = 0; w < fit->count; w++) {
        double sum = 0;
        for (int i = 0; i < 3; i++) {
            double part = a0 * fit->wave[w].first[i] + a1 * fit->wave[w].second[i];
            sum += part * part;
        }
        low = sum < low ? sum : low;
        high = sum > high ? sum : high;
    }
    *smallest = sqrt(low) - 1;
    *largest = sqrt(high) - 1;
}

/* The a(0) at which the largest error is minus the smallest, and that error. */
static double balance(const struct fit *fit, double a1, double *error)
{
    double low = 0.9, high = 1.6, smallest = 0, largest = 0;
    for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (low + high);
        error_range(fit, middle, a1, &smallest, &largest);
        if (smallest + largest > 0) {
            high = middle;
        } else {
            low = middle;
        }
    }
    *error = largest;
    return 0.5 * (low + high);
}

static void tune(double *tap, const struct stencil_band *band)
{
    const double golden = 0.6180339887498949;
    double cells = fmax(band->cells_per_wavelength, LEAST_CELLS), width = fmin(band->relative_width, WIDEST_BAND);
    struct fit fit = {.count = 0};
    for (int f = -1; f <= 1; f++) {
        if (f == 0 || width > 0) {
            add_directions(&fit, 2 * M_PI / cells * (1 + 0.5 * f * width), band->dimensions);
        }
    }
    double low = -0.12, high = 0, error_low = 0, error_high = 0;
    for (int k = 0; k < 60; k++) {
        double left = high - golden * (high - low), right = low + golden * (high - low);
        balance(&fit, left, &error_low);
        balance(&fit, right, &error_high);
        if (error_low < error_high) {
            high = right;
        } else {
            low = left;
        }
    }
    tap[1] = 0.5 * (low + high);
    tap[0] = balance(&fit, tap[1], &error_low);
}

/* A set-up asks for the same fit several times, and a live page with every set-up: each thread remembers its last. */
void stencil_tune_two_taps(double *tap, const struct stencil_band *band)
{
    static _Thread_local struct stencil_band last;
    static _Thread_local double found[2];
    if (last.dimensions != band->dimensions || last.cells_per_wavelength != band->cells_per_wavelength ||
        last.relative_width != band->relative_width) {
        tune(found, band);
        last = *band;
    }
    tap[0] = found[0];
    tap[1] = found[1];
}
