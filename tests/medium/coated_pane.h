/* A wall of coated panes before a line source: solved, and the transfer matrix summed over the angular spectrum. */
#ifndef COATED_PANE_H
#define COATED_PANE_H

#include "tests/support/solve.h"

#include <complex.h>
#include <string.h>

static const double CENTRE = 2.4e9, BAND = 100e6, LIGHT = 299792458, IMPEDANCE = 376.730313668,
                    EMPTY = 8.8541878128e-12;
static const double GLASS = 6.31, GLASS_LOSS = 0.0036, GLASS_POWER = 1.3394; /* P.2040, table 3 */
enum { FREQUENCIES = 5, LAYERS = 3, SAMPLES = 6000 };

/* A wall: glass and air in turn, and a sheet behind layer `coated`. */
struct pane {
    int layers;
    double millimetres[LAYERS];
    int coated;
    double resistance;
    bool horizontal; /* polarisation: a magnetic line current, H along it */
};

/* The field behind the wall over that before it, times the phase of its thickness, at a complex angle. */
static double complex pane_through(const struct pane *pane, double frequency, double complex angle)
{
    const double k = 2 * M_PI * frequency / LIGHT, sigma = GLASS_LOSS * pow(1e-9 * CENTRE, GLASS_POWER);
    const double complex across = ccos(angle), along = csin(angle);
    const double complex air = pane->horizontal ? 1 / across : across;
    double complex e = 1, h = air; /* along the wall, behind it, and backwards through it */
    double whole = 0;
    for (int l = pane->layers - 1; l >= 0; l--) {
        if (l == pane->coated) {
            h += e * IMPEDANCE / pane->resistance;
        }
        const bool glass = l % 2 == 0;
        const double complex permittivity = glass ? GLASS - I * sigma / (2 * M_PI * frequency * EMPTY) : 1;
        const double complex index = csqrt(permittivity - along * along),
                             admittance = pane->horizontal ? permittivity / index : index;
        const double complex phase = k * 1e-3 * pane->millimetres[l] * index, before = e;
        e = e * ccos(phase) + I * h * csin(phase) / admittance;
        h = h * ccos(phase) + I * before * admittance * csin(phase);
        whole += 1e-3 * pane->millimetres[l];
    }
    return 2 * air / (e * air + h) * cexp(I * k * across * whole);
}

/* Through the wall over without it, of a line source, [dB]. */
static inline double exact_loss(const struct pane *pane, double across, double aside)
{
    double power = 0, open = 0;
    for (int f = 0; f < FREQUENCIES; f++) {
        const double frequency = CENTRE + BAND * (f / (FREQUENCIES - 1.0) - 0.5), k = 2 * M_PI * frequency / LIGHT;
        double complex with = 0, without = 0;
        for (int n = 0; n < SAMPLES; n++) { /* from -pi/2 - j inf to pi/2 + j inf, where all decays */
            const double w = 4.5 * (2 * (n + 0.5) / SAMPLES - 1);
            const double complex angle = atan(sinh(w)) + 0.25 * I * w, weight = 1 / cosh(w) + 0.25 * I;
            const double complex wave = weight * cexp(-I * k * (across * ccos(angle) + aside * csin(angle)));
            with += wave * pane_through(pane, frequency, angle);
            without += wave;
        }
        power += pow(cabs(with), 2);
        open += pow(cabs(without), 2);
    }
    return 10 * log10(open / power);
}

/* Over all frequencies, of a plan 3 m wide and `high` m high. */
static inline double solved_power(const char *plan, bool horizontal, double high, double cell, const double from[2],
                                  const double to[2])
{
    char text[4096];
    snprintf(text, sizeof text,
             "plan: {size: [3, %.9g]%s}\nband: {centre: %g, width: %g}\ngrid: {cell: %g}\ntransmitters: [{at: [%.9g, "
             "%.9g]}]\nreceivers: [{at: [%.9g, %.9g]}]\nspectra: {count: %d}\n%s",
             high, plan, CENTRE, BAND, cell, from[0], from[1], to[0], to[1], FREQUENCIES,
             horizontal ? "polarisation: horizontal\n" : "");
    struct solved solved = solve(text, PW_SINGLE, "cpu");
    double *series = solve_series(&solved, 0, 0), power = 0;
    for (int f = 0; f < FREQUENCIES; f++) {
        power += pow(cabs(solve_channel(&solved, 0, series, f)), 2);
    }
    free(series);
    solve_free(&solved);
    return power;
}

/* The wall through (1.5 + off, 2.25), turned; what it takes less what it should take [dB]. */
static inline double loss_error(const struct pane *pane, double off, double degrees, double aside, double *right_loss)
{
    const double cell = 0.0153, c = cos(degrees * M_PI / 180), s = sin(degrees * M_PI / 180);
    const double from[2] = {1.5 - c, 2.25 - s}, to[2] = {1.5 + c - aside * s, 2.25 + s + aside * c};
    char plan[2048] = "";
    double middle[2] = {1.5 + off * c, 2.25 + off * s};
    size_t used = (size_t)snprintf(plan, sizeof plan, ", walls: [{from: [%.9g, %.9g], to: [%.9g, %.9g], layers: [",
                                   middle[0] - 20 * s, middle[1] + 20 * c, middle[0] + 20 * s, middle[1] - 20 * c);
    /* Drawn downwards, so that its left is the far side: the last layer comes first. */
    for (int l = pane->layers - 1; l >= 0; l--) {
        char coating[64] = "";
        if (l == pane->coated) {
            snprintf(coating, sizeof coating, ", coating: {resistance: %g ohm}", pane->resistance);
        }
        used += (size_t)snprintf(plan + used, sizeof plan - used, "%s{material: %s, thickness: %g mm%s}",
                                 l < pane->layers - 1 ? ", " : "", l % 2 == 0 ? "glass" : "air", pane->millimetres[l],
                                 coating);
    }
    snprintf(plan + used, sizeof plan - used, "]}]");
    const double found = 10 * log10(solved_power("", pane->horizontal, 4.5 + aside, cell, from, to) /
                                    solved_power(plan, pane->horizontal, 4.5 + aside, cell, from, to)),
                 right = exact_loss(pane, 2, aside);
    *right_loss = right;
    return found - right;
}

#endif
