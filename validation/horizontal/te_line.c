/* Horizontal polarisation in free space: a magnetic line current and lines of dipoles against Hankel functions, all
 * three components, by direction (physics.md section 11). */
#include "validation/support/case.h"

enum { FREQUENCIES = 5, DIRECTIONS = 3, COMPONENTS = 3 };

static const int ACROSS[DIRECTIONS] = {128, 118, 91}, UP[DIRECTIONS] = {0, 49, 91}; /* cells: 0, 22.5 and 45 degrees */

/* Ex, Ey and eta0 Hz [V/m per A] at (x, y) from a line along z: a loop (magnetic current eta0 I), or dipoles of moment
 * 1 A along (px, py). */
static void line_law(double frequency, bool loop, const double p[2], double x, double y, double complex field[3])
{
    const double w = 2 * M_PI * frequency, k = w / SPEED_OF_LIGHT, rho = hypot(x, y), amplitude = w * 4e-7 * M_PI / 4;
    const double cosine = x / rho, sine = y / rho;
    const double complex h0 = solve_hankel(k * rho), h1 = j1(k * rho) - I * y1(k * rho), near = h1 / (k * rho);
    if (loop) {
        field[0] = -I * amplitude * h1 * sine;
        field[1] = I * amplitude * h1 * cosine;
        field[2] = -amplitude * h0;
        return;
    }
    const double complex crossed = amplitude * cosine * sine * (h0 - 2 * near);
    const double square = cosine * cosine - sine * sine;
    field[0] = -amplitude * p[0] * (sine * sine * h0 + square * near) + p[1] * crossed;
    field[1] = -amplitude * p[1] * (cosine * cosine * h0 - square * near) + p[0] * crossed;
    field[2] = -I * amplitude * h1 * (p[0] * sine - p[1] * cosine);
}

struct line {
    const char *polarisation;
    bool loop;
    double p[2];
};
static const struct line LINES[] = {
    {"loop", true, {0, 0}}, {"x", false, {1, 0}}, {"y", false, {0, 1}}, {"[3, 4]", false, {0.6, 0.8}}};
enum { LINE_COUNT = sizeof LINES / sizeof LINES[0] };

/* Largest error of a component over directions and 0.9-1.1 GHz, over the length of the field there. `offset`: cells of
 * the transmitter from a node. */
static double line_error(const char *scheme, double cells, double offset, const struct line *line, const char *backend)
{
    static const char *const TAKEN[COMPONENTS] = {"x", "y", "loop"};
    const double cell = SPEED_OF_LIGHT / 1e9 / cells, at = (16 + offset) * cell;
    double frequency[FREQUENCIES], worst = 0;
    struct text text = {0};
    text_add(&text,
             "polarisation: horizontal\nplan: {size: [%.17g, %.17g]}\n"
             "grid: {scheme: %s, cell: %.17g, courant: 0.5, absorber: {kind: upml, cells: 24, reflection: 1e-10}}\n"
             "band: {centre: 1 GHz, width: 0.2 GHz}\n"
             "transmitters: [{name: t, at: [%.17g, %.17g], polarisation: %s}]\n"
             "spectra: off\nstop: {after: %.17g, decay: off}\nreceivers:\n",
             160 * cell, 120 * cell, scheme, cell, at, at, line->polarisation, 28e-9 * 15 / cells + 20e-9);
    for (int r = 0; r < DIRECTIONS * COMPONENTS; r++) {
        text_add(&text, "  - {name: r%d, at: [%.17g, %.17g], polarisation: %s}\n", r, (16 + ACROSS[r / 3]) * cell,
                 (16 + UP[r / 3]) * cell, TAKEN[r % 3]);
    }
    struct solved solved = solve(text.text, PW_DOUBLE, backend);
    double complex transfer[DIRECTIONS * COMPONENTS][FREQUENCIES];
    for (int f = 0; f < FREQUENCIES; f++) {
        frequency[f] = 0.9e9 + 0.05e9 * f;
    }
    case_transfer(&solved, 0, FREQUENCIES, frequency, true, transfer[0]);
    for (int f = 0; f < FREQUENCIES; f++) {
        /* Hz is half a step older than E. */
        const double complex later = cexp(I * asin(M_PI * frequency[f] * solved.setup->problem.time_step));
        for (int d = 0; d < DIRECTIONS; d++) {
            double complex law[COMPONENTS];
            line_law(frequency[f], line->loop, line->p, (16 + ACROSS[d]) * cell - at, (16 + UP[d]) * cell - at, law);
            for (int c = 0; c < COMPONENTS; c++) {
                const double complex found = transfer[3 * d + c][f] * (c == 2 ? later : 1);
                /* A dipole sends next to nothing along itself: against the field to its side. */
                worst = fmax(worst, cabs(found - law[c]) / cabs(case_line_field(frequency[f], 128 * cell)));
            }
        }
    }
    solve_free(&solved);
    free(text.text);
    return worst;
}

static const struct {
    const char *scheme;
    double cells, gate;
} CASES[] = {{"fd8", 15, 1e-4}, {"dd4", 15, 1e-4}, {"yee", 15, 0}, {"fd4o", 12, 0}};
enum { CASE_COUNT = sizeof CASES / sizeof CASES[0] };

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "te_line", "Horizontal polarisation: lines in free space",
        "A magnetic line current and lines of dipoles along x, y and (3, 4), on a node and between nodes: Ex, Ey and "
        "Hz "
        "128 cells away at 0°, 22.5° and 45°, 0.9-1.1 GHz, warped, against Hankel functions and their derivatives; "
        "errors over the field of a line current there.");
    double error[CASE_COUNT][LINE_COUNT][2];
    const int cases = validation.quick ? 2 : CASE_COUNT;
#pragma omp parallel for collapse(3) schedule(dynamic) num_threads(case_side_by_side(&validation, PW_DOUBLE, false))
    for (int c = 0; c < cases; c++) {
        for (int l = 0; l < LINE_COUNT; l++) {
            for (int o = 0; o < 2; o++) {
                error[c][l][o] = line_error(CASES[c].scheme, CASES[c].cells, 0.37 * o, &LINES[l], validation.backend);
            }
        }
    }
    for (int c = 0; c < cases; c++) {
        for (int l = 0; l < LINE_COUNT; l++) {
            const double worst = fmax(error[c][l][0], error[c][l][1]);
            if (CASES[c].gate > 0) {
                case_gate(&validation, worst, CASES[c].gate, "%s, %g cells a wavelength: %s", CASES[c].scheme,
                          CASES[c].cells, LINES[l].polarisation);
            } else {
                case_figure(&validation, worst, "%s, %g cells a wavelength: %s", CASES[c].scheme, CASES[c].cells,
                            LINES[l].polarisation);
            }
        }
    }
    return case_end(&validation);
}
