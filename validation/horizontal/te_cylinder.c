/* A magnetic line current beside a round post, dielectric or perfectly conducting, against the Bessel series of Hz,
 * around the post (physics.md sections 9 and 11). */
#include "validation/support/bessel.h"
#include "validation/support/case.h"

enum { RECEIVERS = 24, FREQUENCIES = 3 };

static const double RADIUS = 0.25, SOURCE_DISTANCE = 0.70, RECEIVER_DISTANCE = 0.55, SIZE = 1.8, PERMITTIVITY = 2.89;
static const struct point CENTRE = {0.9137, 0.8911}; /* m: on no node */
static const double SOURCE_ANGLE = 0.3, FREQUENCY[FREQUENCIES] = {0.95e9, 1e9, 1.05e9};

/* Hz of a unit magnetic line current over its amplitude: H0(k |r - r0|) + sum_n c_n H_n(k rho0) H_n(k rho) e^{jn phi}.
 * Hz and its slope over the permittivity are continuous; on metal the slope is zero. */
static double complex series(bool conductor, double k, double phi)
{
    const double distance = sqrt(SOURCE_DISTANCE * SOURCE_DISTANCE + RECEIVER_DISTANCE * RECEIVER_DISTANCE -
                                 2 * SOURCE_DISTANCE * RECEIVER_DISTANCE * cos(phi));
    const double x = k * RADIUS, index = sqrt(PERMITTIVITY), y = index * x;
    double complex sum = solve_hankel(k * distance);
    for (int n = 0; n < 40; n++) {
        double complex c = -jn_slope(n, x) / hankel_slope(n, x);
        if (!conductor) {
            c = -(jn(n, x) * jn_slope(n, y) / index - jn_slope(n, x) * jn(n, y)) /
                (hankel(n, x) * jn_slope(n, y) / index - hankel_slope(n, x) * jn(n, y));
        }
        const double complex term =
            c * hankel(n, k * SOURCE_DISTANCE) * hankel(n, k * RECEIVER_DISTANCE) * cos(n * phi);
        sum += (n == 0 ? 1 : 2) * term;
        if (n > x && cabs(term) < 1e-14) {
            break;
        }
    }
    return sum;
}

/* ||Hz - series|| / ||series|| over the places and frequencies. */
static double solve_error(const char *scheme, const char *averaging, bool conductor, double cells, const char *backend)
{
    const double cell = SPEED_OF_LIGHT / 1e9 / cells;
    double difference = 0, norm = 0;
    struct text text = {0};
    text_add(&text,
             "polarisation: horizontal\n"
             "plan: {size: [%g, %g], circles: [{centre: [%.17g, %.17g], radius: %g, material: %s}]}\n"
             "grid: {scheme: %s, averaging: %s, cell: %.17g, absorber: {cells: 24, reflection: 1e-9}}\n"
             "band: {centre: 1 GHz, width: 0.1 GHz}\n"
             "transmitters: [{name: t, at: [%.17g, %.17g], waveform: {kind: modulated-gaussian, frequency: 1 GHz, "
             "width: 3.5 ns, delay: 14 ns}}]\nspectra: off\nstop: {after: 80 ns, decay: off}\nreceivers:\n",
             SIZE, SIZE, CENTRE.x, CENTRE.y, RADIUS,
             conductor ? "metal" : "{relative_permittivity: 2.89, conductivity: 0 S/m}", scheme, averaging, cell,
             CENTRE.x + SOURCE_DISTANCE * cos(SOURCE_ANGLE), CENTRE.y + SOURCE_DISTANCE * sin(SOURCE_ANGLE));
    for (int r = 0; r < RECEIVERS; r++) {
        const double angle = SOURCE_ANGLE + 2 * M_PI * (r + 0.5) / RECEIVERS;
        text_add(&text, "  - {name: r%d, at: [%.17g, %.17g]}\n", r, CENTRE.x + RECEIVER_DISTANCE * cos(angle),
                 CENTRE.y + RECEIVER_DISTANCE * sin(angle));
    }
    struct solved solved = solve(text.text, PW_DOUBLE, backend);
    double complex h[RECEIVERS][FREQUENCIES];
    case_transfer(&solved, 0, FREQUENCIES, FREQUENCY, true, h[0]);
    for (int f = 0; f < FREQUENCIES; f++) {
        const double w = 2 * M_PI * FREQUENCY[f];
        /* Hz is half a step older than E. */
        const double complex later = cexp(I * asin(0.5 * w * solved.setup->problem.time_step));
        for (int r = 0; r < RECEIVERS; r++) {
            const double complex law = series(conductor, w / SPEED_OF_LIGHT, 2 * M_PI * (r + 0.5) / RECEIVERS);
            difference += pow(cabs(h[r][f] * later / (-w * 4e-7 * M_PI / 4) - law), 2);
            norm += pow(cabs(law), 2);
        }
    }
    solve_free(&solved);
    free(text.text);
    return sqrt(difference / norm);
}

static const struct {
    const char *scheme, *averaging;
    bool conductor;
    double cells, gate; /* at so many cells a wavelength in air */
    const char *title;
} LINES[] = {
    {"fd4o", "moment", false, 20, 0.02, "post, fd4o, moment"},
    {"dd4", "moment", false, 20, 0.02, "post, dd4, moment"},
    {"fd4o", "moment", true, 80, 0.02, "metal, fd4o"},
    {"yee", "area", true, 80, 0.02, "metal, yee"},
    {"yee", "area", false, 20, 0, "post, yee, area"},
    {"fd4o", "area", false, 20, 0, "post, fd4o, area"},
    {"fd4o", "moment", false, 14, 0, "post, fd4o, moment"},
    {"fd4o", "moment", false, 28, 0, "post, fd4o, moment"},
    {"fd4o", "moment", true, 20, 0, "metal, fd4o"},
    {"fd4o", "moment", true, 40, 0, "metal, fd4o"},
    {"yee", "area", true, 20, 0, "metal, yee"},
    {"yee", "area", true, 40, 0, "metal, yee"},
};
enum { LINE_COUNT = sizeof LINES / sizeof LINES[0] };

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "te_cylinder", "Horizontal polarisation: round posts",
        "A magnetic line current 0.7 m from the middle of a post of radius 0.25 m, εr = 2.89 or a perfect conductor, "
        "at "
        "0.95, 1 and 1.05 GHz: complex Hz at 24 places around it against the Bessel series, ‖H − H_series‖/‖H_series‖. "
        "Cells per wavelength in air; the middle of the post is on no node. Metal is a staircase here, as in three "
        "dimensions: edges of the lattice are held at zero or not.");
    double error[LINE_COUNT];
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(&validation, PW_DOUBLE, false))
    for (int l = 0; l < LINE_COUNT; l++) {
        const bool needed = !validation.quick || (LINES[l].gate > 0 && !LINES[l].conductor);
        error[l] = needed ? solve_error(LINES[l].scheme, LINES[l].averaging, LINES[l].conductor, LINES[l].cells,
                                        validation.backend)
                          : NAN;
    }
    for (int l = 0; l < LINE_COUNT; l++) {
        if (!isnan(error[l]) && LINES[l].gate > 0) {
            case_gate(&validation, error[l], LINES[l].gate, "%s: error at %g cells", LINES[l].title, LINES[l].cells);
        } else if (!isnan(error[l])) {
            case_figure(&validation, error[l], "%s: error at %g cells", LINES[l].title, LINES[l].cells);
        }
    }
    return case_end(&validation);
}
