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

/* A wall: glass and air in turn, and a sheet behind layer `coated`; `facing`: another one before the last layer. */
struct pane {
    int layers;
    double millimetres[LAYERS];
    int coated;
    double resistance;
    bool horizontal; /* polarisation: a magnetic line current, H along it */
    bool facing;
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
        if (l == pane->coated || (pane->facing && l == pane->layers - 2)) {
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

/* Of a line source, with the wall and without it, by a common factor. */
static inline void exact_fields(const struct pane *pane, double frequency, double across, double aside,
                                double complex *with, double complex *without)
{
    const double k = 2 * M_PI * frequency / LIGHT;
    *with = *without = 0;
    for (int n = 0; n < SAMPLES; n++) { /* from -pi/2 - j inf to pi/2 + j inf, where all decays */
        const double w = 4.5 * (2 * (n + 0.5) / SAMPLES - 1);
        const double complex angle = atan(sinh(w)) + 0.25 * I * w, weight = 1 / cosh(w) + 0.25 * I;
        const double complex wave = weight * cexp(-I * k * (across * ccos(angle) + aside * csin(angle)));
        *with += wave * pane_through(pane, frequency, angle);
        *without += wave;
    }
}

/* Through the wall over without it, [dB]. */
static inline double exact_loss(const struct pane *pane, double across, double aside)
{
    double power = 0, open = 0;
    for (int f = 0; f < FREQUENCIES; f++) {
        double complex with, without;
        exact_fields(pane, CENTRE + BAND * (f / (FREQUENCIES - 1.0) - 0.5), across, aside, &with, &without);
        power += pow(cabs(with), 2);
        open += pow(cabs(without), 2);
    }
    return 10 * log10(open / power);
}

/* Three dimensions, between a floor and a ceiling of metal `between` apart, with a dipole along axis 0 or 1 midway: the
 * lowest mode alone goes far, half a wave high, and its waves meet the wall at an angle. A dipole across the wall sends
 * those with H along the wall, one along it both kinds. [dB] as above. */
static inline double exact_loss_between(const struct pane *pane, int along, double between, double across, double aside)
{
    double power = 0, open = 0;
    for (int f = 0; f < FREQUENCIES; f++) {
        const double frequency = CENTRE + BAND * (f / (FREQUENCIES - 1.0) - 0.5), k = 2 * M_PI * frequency / LIGHT,
                     up = M_PI / between, flat = sqrt(k * k - up * up);
        struct pane magnetic = *pane, electric = *pane;
        magnetic.horizontal = true;
        electric.horizontal = false;
        double complex with = 0, without = 0;
        for (int n = 0; n < SAMPLES; n++) {
            const double w = 4.5 * (2 * (n + 0.5) / SAMPLES - 1);
            const double complex angle = atan(sinh(w)) + 0.25 * I * w, step = 1 / cosh(w) + 0.25 * I;
            const double complex forth = flat * ccos(angle), side = flat * csin(angle), square = side * side + up * up,
                                 meets = cacos(forth / k), wave = step * cexp(-I * (across * forth + aside * side));
            const double complex of_magnetic = along == 0 ? square : forth * forth * side * side / square,
                                 of_electric = along == 0 ? 0 : k * k * up * up / square;
            with += wave * (of_magnetic * pane_through(&magnetic, frequency, meets) +
                            of_electric * pane_through(&electric, frequency, meets));
            without += wave * (of_magnetic + of_electric);
        }
        power += pow(cabs(with), 2);
        open += pow(cabs(without), 2);
    }
    return 10 * log10(open / power);
}

/* How a wall is looked at: across x or turned, the source 1 m before it, the receiver 1 m behind it and `aside`. */
struct pane_view {
    double off, degrees, aside; /* m: of the wall's near face from the plan's middle */
    bool space;                 /* in three dimensions: the dipole between metal */
    int along;                  /* of the dipole: axis */
};

static const double PANE_CELL = 0.0153, BETWEEN = 8 * 0.0153; /* m */

/* m: how high a plan is whose receiver is not aside; the wall's middle is at half of it. Between two plates of metal a
 * height of 4.5 m changes what is found by less than 0.1 dB. */
static inline double plan_height(const struct pane_view *view)
{
    return view->space ? 2.5 : 4.5;
}

/* Over all frequencies, of a plan 3 m wide and `high` m high; `rest`: more keys of the plan, then of the scenario. */
static inline double solved_power(const char *plan, const char *rest, const char *place, double high,
                                  const double from[2], const double to[2])
{
    char text[4096];
    snprintf(text, sizeof text,
             "plan: {size: [3, %.9g]%s}\nband: {centre: %g, width: %g}\ntransmitters: [{at: [%.9g, %.9g]%s}]\n"
             "receivers: [{at: [%.9g, %.9g]%s}]\nspectra: {count: %d}\n%s",
             high, plan, CENTRE, BAND, from[0], from[1], place, to[0], to[1], place, FREQUENCIES, rest);
    /* What has no wall is the same for many walls: the last few are kept. */
    static struct {
        char text[sizeof text];
        double power;
    } kept[8];
    static int kept_count;
    for (int n = 0; n < 8 && n < kept_count; n++) {
        if (strcmp(kept[n].text, text) == 0) {
            return kept[n].power;
        }
    }
    struct solved solved = solve(text, PW_SINGLE, "cpu");
    double *series = solve_series(&solved, 0, 0), power = 0;
    for (int f = 0; f < FREQUENCIES; f++) {
        power += pow(cabs(solve_channel(&solved, 0, series, f)), 2);
    }
    free(series);
    solve_free(&solved);
    if (strstr(plan, "material") == NULL) {
        strcpy(kept[kept_count % 8].text, text);
        kept[kept_count++ % 8].power = power;
    }
    return power;
}

/* The wall as a part of a plan. It is drawn downwards, so that its left is the far side: the last layer comes first. */
static inline void pane_plan(const struct pane *pane, const struct pane_view *view, char *plan, size_t size)
{
    const double c = cos(view->degrees * M_PI / 180), s = sin(view->degrees * M_PI / 180);
    const double middle[2] = {1.5 + view->off * c, 0.5 * plan_height(view) + view->off * s};
    size_t used = (size_t)snprintf(plan, size, ", walls: [{from: [%.9g, %.9g], to: [%.9g, %.9g], layers: [",
                                   middle[0] - 20 * s, middle[1] + 20 * c, middle[0] + 20 * s, middle[1] - 20 * c);
    for (int l = pane->layers - 1; l >= 0; l--) {
        char coating[64] = "";
        if (l == pane->coated) {
            snprintf(coating, sizeof coating, ", coating: {resistance: %g ohm}", pane->resistance);
        } else if (pane->facing && l == pane->layers - 1) {
            snprintf(coating, sizeof coating, ", coating: {resistance: %g ohm, side: right}", pane->resistance);
        }
        used += (size_t)snprintf(plan + used, size - used, "%s{material: %s, thickness: %g mm%s}",
                                 l < pane->layers - 1 ? ", " : "", l % 2 == 0 ? "glass" : "air", pane->millimetres[l],
                                 coating);
    }
    snprintf(plan + used, size - used, "]}]");
}

/* What the wall takes less what it should take [dB]. */
static inline double view_error(const struct pane *pane, const struct pane_view *view, double *right_loss)
{
    const double c = cos(view->degrees * M_PI / 180), s = sin(view->degrees * M_PI / 180), aside = view->aside;
    const double half = 0.5 * plan_height(view), high = 2 * half + aside;
    const double from[2] = {1.5 - c, half - s}, to[2] = {1.5 + c - aside * s, half + s + aside * c};
    char plan[2048], walls[2048] = "", rest[256], place[64] = "", storey[64] = "";
    pane_plan(pane, view, walls, sizeof walls);
    snprintf(rest, sizeof rest, "grid: {cell: %g}\n%s", PANE_CELL,
             pane->horizontal ? "polarisation: horizontal\n" : "");
    if (view->space) {
        snprintf(rest, sizeof rest, "dimensions: 3\ngrid: {cell: %g, absorber: {sides: {z_low: pec, z_high: pec}}}\n",
                 PANE_CELL);
        snprintf(place, sizeof place, ", height: %.9g, polarisation: %c", 0.5 * BETWEEN, "xyz"[view->along]);
        snprintf(storey, sizeof storey, ", storey: {height: %.9g}", BETWEEN);
    }
    snprintf(plan, sizeof plan, "%s%s", storey, walls);
    const double found =
        10 * log10(solved_power(storey, rest, place, high, from, to) / solved_power(plan, rest, place, high, from, to));
    *right_loss = view->space ? exact_loss_between(pane, view->along, BETWEEN, 2, aside) : exact_loss(pane, 2, aside);
    return found - *right_loss;
}

/* A flat pane 1.5 m up, coated above, the dipole upright (2) or along x (0) a metre over it, the receiver a metre under
 * it, between two walls of metal; [dB] as above. */
static inline double flat_error(double millimetres, double resistance, double off, int along, double aside,
                                double *right_loss)
{
    const struct pane pane = {1, {millimetres}, 0, resistance, false, false};
    const double low = 1.5 + off, top = low + 1e-3 * millimetres, film = 1e-6, middle = 0.5 * BETWEEN;
    const char *sent = along == 2 ? "vertical" : "x";
    double power[2];
    for (int n = 0; n < 2; n++) {
        char text[2048], shapes[512] = "";
        if (n == 1) {
            snprintf(shapes, sizeof shapes,
                     ", rectangles: [{from: [-1, -1], to: [5, 1], material: glass, z: [%.9g, %.9g]}, {from: [-1, -1], "
                     "to: [5, 1], material: {relative_permittivity: 1, conductivity: %.9g S/m}, z: [%.9g, %.9g]}]",
                     low, top, 1 / (resistance * film), top, top + film);
        }
        snprintf(text, sizeof text,
                 "dimensions: 3\nplan: {size: [%.9g, %.9g], storey: {height: 3}%s}\nband: {centre: %g, width: %g}\n"
                 "grid: {cell: %g, absorber: {sides: {y_low: pec, y_high: pec}}}\n"
                 "transmitters: [{at: [1.5, %.9g], height: 2.5, polarisation: %s}]\n"
                 "receivers: [{at: [%.9g, %.9g], height: 0.5, polarisation: %s}]\nspectra: {count: %d}\n",
                 3 + aside, BETWEEN, shapes, CENTRE, BAND, PANE_CELL, middle, sent, 1.5 + aside, middle, sent,
                 FREQUENCIES);
        struct solved solved = solve(text, PW_SINGLE, "cpu");
        double *series = solve_series(&solved, 0, 0);
        power[n] = 0;
        for (int f = 0; f < FREQUENCIES; f++) {
            power[n] += pow(cabs(solve_channel(&solved, 0, series, f)), 2);
        }
        free(series);
        solve_free(&solved);
    }
    *right_loss = exact_loss_between(&pane, along == 2 ? 0 : 1, BETWEEN, 2, aside);
    return 10 * log10(power[0] / power[1]) - *right_loss;
}

/* In two dimensions. */
static inline double loss_error(const struct pane *pane, double off, double degrees, double aside, double *right_loss)
{
    const struct pane_view view = {.off = off, .degrees = degrees, .aside = aside};
    return view_error(pane, &view, right_loss);
}

#endif
