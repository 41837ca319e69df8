/* Two scenes of metal between the nodes with closed forms, vertical polarisation: a guide below cutoff, and a round
 * post in a dense medium. For the tests and for validation/metal/metal_gates.c. */
#ifndef METAL_SCENES_H
#define METAL_SCENES_H

#include "tests/support/solve.h"

#include <string.h>

static const double SCENE_LIGHT = 299792458; /* m/s */

/* ---- a guide below cutoff ---------------------------------------------------------------------------------------- */

/* 10 cm between two blocks of metal, at 1.2 GHz: dB a metre, by sqrt((pi/width)^2 - k^2). The source is inside, the
 * receivers 20 and 50 cm from it; the next mode is 100 dB down there, and the guide goes on behind them. */
static const double GUIDE_WIDTH = 0.1, GUIDE_FREQUENCY = 1.2e9, GUIDE_GATE = 3 /* dB a metre */;

static inline double guide_law(void)
{
    const double k = 2 * M_PI * GUIDE_FREQUENCY / SCENE_LIGHT;
    return 20 / log(10) * sqrt(pow(M_PI / GUIDE_WIDTH, 2) - k * k);
}

/* As solved; `grid`: the rest of the scenario. The lower wall is `off` metres above a multiple of 2 cm. */
static inline double guide_solved(const char *grid, double off, bool upright)
{
    const double low = 0.4 + off, high = low + GUIDE_WIDTH, middle = 0.5 * (low + high);
    const double walls[2][4] = {{0.1, 0.1, 9, low}, {0.1, high, 9, 0.8}}, places[3] = {0.2, 0.4, 0.7};
    char text[1024];
    size_t used = (size_t)snprintf(text, sizeof text, "plan: {size: [1, 1], rectangles: [");
    for (int w = 0; w < 2; w++) {
        const double *wall = walls[w];
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "%s{from: [%.9g, %.9g], to: [%.9g, %.9g], material: metal}", w > 0 ? ", " : "",
                                 wall[upright], wall[1 - upright], wall[2 + upright], wall[3 - upright]);
    }
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "]}\nband: {centre: %g, width: 40 MHz}\nspectra: {count: 1}\nstop: {after: 100 ns}\n%s",
                             GUIDE_FREQUENCY, grid);
    for (int p = 0; p < 3; p++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s - {at: [%.9g, %.9g]}\n",
                                 p == 0   ? "transmitters:\n"
                                 : p == 1 ? "receivers:\n"
                                          : "",
                                 upright ? middle : places[p], upright ? places[p] : middle);
    }
    struct solved solved = solve(text, PW_SINGLE, "cpu");
    double *near = solve_series(&solved, 0, 0), *far = solve_series(&solved, 0, 1);
    const double loss = 20 * log10(cabs(solve_channel(&solved, 0, near, 0) / solve_channel(&solved, 0, far, 0)));
    free(near);
    free(far);
    solve_free(&solved);
    return loss / (places[2] - places[1]);
}

/* ---- a post in a medium ------------------------------------------------------------------------------------------ */

/* 20 mm in a medium of permittivity 6, 1 to 2 GHz, cells of 2 mm: the echo at 8 places around it, 11 frequencies. */
enum { POST_PLACES = 8, POST_FREQUENCIES = 11 };
static const double POST_RADIUS = 0.01, POST_MEDIUM = 6, POST_GATE = 0.01;

struct post_echo {
    double complex at[POST_PLACES][POST_FREQUENCIES];
};

static inline void post_place(int place, double at[2])
{
    const double angle = 2 * M_PI * (place + 0.3) / POST_PLACES, distance = 0.05 + 0.012 * place;
    at[0] = 0.25 + distance * cos(angle);
    at[1] = 0.25 + distance * sin(angle);
}

/* The field at the places over what a line in air sends to 1 m. */
static inline void post_field(const char *grid, const char *shapes, struct post_echo *field)
{
    char text[2048];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "plan: {size: [0.5, 0.5], rectangles: [{from: [-9, -9], to: [9, 9], material: "
                                   "{relative_permittivity: %g}}]%s}\nband: {centre: 1.5 GHz, width: 1 GHz}\n%s"
                                   "transmitters: [{at: [0.15, 0.33]}]\nspectra: {count: %d}\nstop: {after: 25 ns, "
                                   "decay: off}\nreceivers:\n",
                                   POST_MEDIUM, shapes, grid, POST_FREQUENCIES);
    for (int p = 0; p < POST_PLACES; p++) {
        double at[2];
        post_place(p, at);
        used += (size_t)snprintf(text + used, sizeof text - used, " - {at: [%.9g, %.9g]}\n", at[0], at[1]);
    }
    struct solved solved = solve(text, PW_SINGLE, "cpu");
    for (int p = 0; p < POST_PLACES; p++) {
        double *series = solve_series(&solved, 0, p);
        for (int f = 0; f < POST_FREQUENCIES; f++) {
            const double k = 2 * M_PI * solved.setup->frequency[f] / SCENE_LIGHT;
            field->at[p][f] = solve_channel(&solved, 0, series, f) * solve_hankel(k);
        }
        free(series);
    }
    solve_free(&solved);
}

/* Echo of a line at `from` at `to`, both from the post's middle: - sum J_n(ka)/H_n(ka) H_n(kr0) H_n(kr) e^(jn phi). */
static inline double complex post_law(double frequency, const double from[2], const double to[2])
{
    const double k = 2 * M_PI * frequency / SCENE_LIGHT * sqrt(POST_MEDIUM), a = k * POST_RADIUS,
                 r0 = k * hypot(from[0], from[1]), r = k * hypot(to[0], to[1]),
                 phi = atan2(to[1], to[0]) - atan2(from[1], from[0]);
    double complex echo = 0;
    for (int n = 0; n <= 12; n++) {
        echo -= (n > 0 ? 2 : 1) * jn(n, a) / (jn(n, a) - I * yn(n, a)) * (jn(n, r0) - I * yn(n, r0)) *
                (jn(n, r) - I * yn(n, r)) * cos(n * phi);
    }
    return echo;
}

/* Error of the echo over the echo, root mean square over places and frequencies; the post's middle (x, y) cells off a
 * node. `without`: the field without the post. */
static inline double post_error(const char *grid, const struct post_echo *without, double x, double y)
{
    static const double LOWEST = 1e9, STEP = 0.1e9;
    struct post_echo with;
    char shape[128];
    const double middle[2] = {0.25 + 0.002 * x, 0.25 + 0.002 * y}, from[2] = {0.15 - middle[0], 0.33 - middle[1]};
    snprintf(shape, sizeof shape, ", circles: [{centre: [%.9g, %.9g], radius: %g, material: metal}]", middle[0],
             middle[1], POST_RADIUS);
    post_field(grid, shape, &with);
    double error = 0, size = 0;
    for (int p = 0; p < POST_PLACES; p++) {
        double to[2];
        post_place(p, to);
        to[0] -= middle[0];
        to[1] -= middle[1];
        for (int f = 0; f < POST_FREQUENCIES; f++) {
            const double complex law = post_law(LOWEST + f * STEP, from, to);
            error += pow(cabs(with.at[p][f] - without->at[p][f] - law), 2);
            size += pow(cabs(law), 2);
        }
    }
    return sqrt(error / size);
}

#endif
