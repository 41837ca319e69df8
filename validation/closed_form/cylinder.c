/* A line source beside a round post, dielectric or perfectly conducting, against the Bessel series (addition theorem),
 * around the post; error against the cell with its order (physics.md section 8). */
#include "validation/support/bessel.h"
#include "validation/support/case.h"

enum { RECEIVERS = 24, FREQUENCIES = 3 };

static const double RADIUS = 0.25, SOURCE_DISTANCE = 0.70, RECEIVER_DISTANCE = 0.55, SIZE = 1.8;
static const struct point CENTRE = {0.9137, 0.8911};            /* m: on no node */
static const double SOURCE_ANGLE = 0.3, CENTRE_FREQUENCY = 1e9; /* rad; Hz */

/* J_n of a complex argument by its power series: |x| stays under 20 here, where that is good to nine digits. */
static double complex bessel(int n, double complex x)
{
    double complex term = cpow(0.5 * x, n) / tgamma(n + 1), sum = 0;
    for (int k = 1; k < 80; k++) {
        sum += term;
        term *= -0.25 * x * x / (k * (double)(k + n));
    }
    return sum;
}

static double complex bessel_slope(int n, double complex x)
{
    return n == 0 ? -bessel(1, x) : bessel(n - 1, x) - n / x * bessel(n, x);
}

/* What a post is made of: a constant, a Debye pole and a plasma. */
struct post {
    const char *material; /* as a scenario has it */
    bool conductor;
    double permittivity, strength, relaxation, plasma, damping; /* Debye: strength, s; Drude: Hz, Hz */
    double spread;                                              /* of the three frequencies, a part of the centre */
};

static const struct post
    PLAIN = {"{relative_permittivity: 2.89, conductivity: 0 S/m}", .permittivity = 2.89, .spread = 0.05},
    METAL = {"metal", .conductor = true, .spread = 0.05},
    DEBYE = {"{relative_permittivity: 2, poles: [{kind: debye, strength: 1.5, relaxation_time: 0.16 ns}]}",
             .permittivity = 2, .strength = 1.5, .relaxation = 0.16e-9, .spread = 0.2},
    DRUDE = {"{relative_permittivity: 1, poles: [{kind: drude, frequency: 1.5 GHz, damping: 0.1 GHz}]}",
             .permittivity = 1, .plasma = 1.5e9, .damping = 0.1e9, .spread = 0.2};

static double complex permittivity_at(const struct post *post, double frequency)
{
    return post->permittivity + post->strength / (1 + I * 2 * M_PI * frequency * post->relaxation) -
           post->plasma * post->plasma / (frequency * frequency - I * frequency * post->damping);
}

/* Ez of a unit line current over -w mu0/4: H0(k |r - r0|) + sum_n c_n H_n(k rho0) H_n(k rho) e^{jn phi}. */
static double complex series(const struct post *post, double k, double phi)
{
    double distance = sqrt(SOURCE_DISTANCE * SOURCE_DISTANCE + RECEIVER_DISTANCE * RECEIVER_DISTANCE -
                           2 * SOURCE_DISTANCE * RECEIVER_DISTANCE * cos(phi));
    double complex sum = solve_hankel(k * distance);
    double x = k * RADIUS;
    double complex inside = csqrt(permittivity_at(post, k * SPEED_OF_LIGHT / (2 * M_PI))) * k, y = inside * RADIUS;
    for (int n = 0; n < 40; n++) {
        double complex c = -jn(n, x) / hankel(n, x);
        if (!post->conductor) {
            c = -(inside * jn(n, x) * bessel_slope(n, y) - k * jn_slope(n, x) * bessel(n, y)) /
                (inside * hankel(n, x) * bessel_slope(n, y) - k * hankel_slope(n, x) * bessel(n, y));
        }
        double complex term = c * hankel(n, k * SOURCE_DISTANCE) * hankel(n, k * RECEIVER_DISTANCE);
        sum += (n == 0 ? 1 : 2) * term * cos(n * phi); /* which may be zero long before the series ends */
        if (n > x && cabs(term) < 1e-14) {
            break;
        }
    }
    return sum;
}

/* ||E - series|| / ||series|| over the places and frequencies; at the band's centre alone when that is what the band
 * is. */
static double solve_error(const char *scheme, const char *averaging, const struct post *post, bool narrow, double cells,
                          const char *backend)
{
    double cell = SPEED_OF_LIGHT / CENTRE_FREQUENCY / cells, difference = 0, norm = 0;
    const double frequency[FREQUENCIES] = {CENTRE_FREQUENCY * (1 - post->spread), CENTRE_FREQUENCY,
                                           CENTRE_FREQUENCY * (1 + post->spread)};
    struct text text = {0};
    text_add(&text,
             "plan: {size: [%g, %g], circles: [{centre: [%.17g, %.17g], radius: %g, material: %s}]}\n"
             "grid: {scheme: %s, averaging: %s, cell: %.17g, courant: 0.5, absorber: {cells: 24, reflection: 1e-9}}\n"
             "band: {centre: 1 GHz, width: %g GHz}\n"
             "transmitters: [{name: t, at: [%.17g, %.17g], waveform: {kind: modulated-gaussian, frequency: 1 GHz, "
             "width: 3.5 ns, delay: 14 ns}}]\nspectra: off\nstop: {after: 80 ns, decay: off}\nreceivers:\n",
             SIZE, SIZE, CENTRE.x, CENTRE.y, RADIUS, post->material, scheme, averaging, cell,
             narrow ? 0.01 : 2 * post->spread, CENTRE.x + SOURCE_DISTANCE * cos(SOURCE_ANGLE),
             CENTRE.y + SOURCE_DISTANCE * sin(SOURCE_ANGLE));
    for (int r = 0; r < RECEIVERS; r++) {
        double angle = SOURCE_ANGLE + 2 * M_PI * (r + 0.5) / RECEIVERS;
        text_add(&text, "  - {name: r%d, at: [%.17g, %.17g]}\n", r, CENTRE.x + RECEIVER_DISTANCE * cos(angle),
                 CENTRE.y + RECEIVER_DISTANCE * sin(angle));
    }
    struct solved solved = solve(text.text, PW_DOUBLE, backend);
    double complex e[RECEIVERS][FREQUENCIES];
    case_transfer(&solved, 0, FREQUENCIES, frequency, true, e[0]);
    for (int r = 0; r < RECEIVERS; r++) {
        for (int f = 0; f < FREQUENCIES; f++) {
            if (narrow && f != FREQUENCIES / 2) {
                continue;
            }
            double w = 2 * M_PI * frequency[f];
            double complex law = series(post, w / SPEED_OF_LIGHT, 2 * M_PI * (r + 0.5) / RECEIVERS);
            difference += pow(cabs(e[r][f] / (-w * 4e-7 * M_PI / 4) - law), 2);
            norm += pow(cabs(law), 2);
        }
    }
    solve_free(&solved);
    free(text.text);
    return sqrt(difference / norm);
}

static const struct {
    const char *scheme, *averaging;
    const struct post *post;
    bool narrow;
    double gate, order; /* at 20 cells a wavelength in air; least order; 0: none */
    const char *title;
} LINES[] = {
    {"yee", "area", &PLAIN, false, 0, 1.7, "post, yee, area"},
    {"dd4", "point", &PLAIN, false, 0, 0, "post, dd4, point"},
    {"dd4", "area", &PLAIN, false, 0.03, 1.7, "post, dd4, area"},
    {"dd4", "moment", &PLAIN, false, 0.03, 1.7, "post, dd4, moment"},
    {"dd4", "bandlimited", &PLAIN, false, 0.03, 1.7, "post, dd4, bandlimited"},
    {"fd8", "moment", &PLAIN, false, 0.03, 1.7, "post, fd8, moment"},
    {"dd4", "point", &METAL, true, 0, 0, "metal, dd4, staircase"},
    {"yee", "area", &METAL, true, 0, 1.7, "metal, yee, centre"},
    {"dd4", "moment", &METAL, true, 0.03, 1.7, "metal, dd4, centre"},
    {"fd8", "moment", &METAL, true, 0.03, 1.7, "metal, fd8, centre"},
    {"dd4", "moment", &METAL, false, 0.03, 0, "metal, dd4, band"},
    {"dd4", "moment", &DEBYE, false, 0.02, 1.7, "Debye, dd4, moment"},
    {"yee", "area", &DEBYE, false, 0, 1.7, "Debye, yee, area"},
    {"dd4", "moment", &DRUDE, false, 0.02, 0, "Drude, dd4, moment"},
    {"yee", "area", &DRUDE, false, 0, 0, "Drude, yee, area"},
};
enum { LINE_COUNT = sizeof LINES / sizeof LINES[0], CELL_COUNT = 5 };

static void gate_line(struct validation *validation, int line, const double *cells, const double *error)
{
    const char *title = LINES[line].title;
    if (LINES[line].gate > 0 && !isnan(error[2])) {
        case_gate(validation, error[2], LINES[line].gate, "%s: error at 20 cells", title);
    } else if (!validation->quick) {
        case_figure(validation, error[2], "%s: error at 20 cells", title);
    }
    if (!validation->quick && LINES[line].order > 0) {
        case_gate_between(validation, -case_slope(CELL_COUNT, cells, error), LINES[line].order, INFINITY, "%s: order",
                          title);
    } else if (!validation->quick) {
        case_figure(validation, -case_slope(CELL_COUNT, cells, error), "%s: order", title);
    }
}

int main(int argc, char **argv)
{
    static const double CELLS[CELL_COUNT] = {10, 14, 20, 28, 40};
    struct validation validation = case_begin(
        argc, argv, "cylinder", "Round posts",
        "A line source 0.7 m from the middle of a post of radius 0.25 m, εr = 2.89, dispersive or a perfect conductor, "
        "around 1 "
        "GHz: the complex field at 24 places around it against the Bessel series, ‖E − E_series‖/‖E_series‖. Cells "
        "per wavelength in air; the middle of the post is on no node. The dielectric at 0.95, 1 and 1.05 GHz, posts of "
        "one Debye pole and of a plasma below its plasma frequency "
        "at 0.8, 1 and 1.2 GHz; the "
        "conductor at the centre of a narrow band, where its place between the nodes is exact, and at those three in a "
        "band of 100 MHz, where it is a compromise (README.md): there the error is of first order, with a small "
        "factor.");
    double error[LINE_COUNT][CELL_COUNT];
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(&validation, PW_DOUBLE, false))
    for (int k = 0; k < LINE_COUNT * CELL_COUNT; k++) {
        int c = CELL_COUNT - 1 - k / LINE_COUNT, line = k % LINE_COUNT; /* the finest, which takes longest, first */
        bool needed = !validation.quick || (CELLS[c] == 20 && LINES[line].gate > 0);
        error[line][c] = needed ? solve_error(LINES[line].scheme, LINES[line].averaging, LINES[line].post,
                                              LINES[line].narrow, CELLS[c], validation.backend)
                                : NAN;
    }
    FILE *file = case_data(&validation, "order");
    for (int line = 0; line < LINE_COUNT; line++) {
        fprintf(file, "\"%s\"\n", LINES[line].title);
        for (int c = 0; c < CELL_COUNT; c++) {
            fprintf(file, "%g %.6g\n", CELLS[c], error[line][c]);
        }
        fprintf(file, "\n\n");
        gate_line(&validation, line, CELLS, error[line]);
    }
    case_close(file);
    if (!validation.quick) {
        case_plot(&validation, "order", "Error around the post; grey: slopes 1, 2 and 3",
                  "set logscale xy\nset key samplen 2 font ',9'\nset xlabel 'cells per wavelength in air'\nset ylabel "
                  "'complex error'\n"
                  "set xrange [9:45]\nset yrange [3e-5:1]\nset format y '10^{%T}'\nset xtics (10,14,20,28,40)\n"
                  "plot for [k=0:5] data.'-order.dat' index k using 1:2 with linespoints pt 7 ps 0.8 lt k+1 title "
                  "columnheader(1), for [k=6:10] '' index k using 1:2 with linespoints pt 5 ps 0.8 lt k-5 dt 2 title "
                  "columnheader(1), for [k=11:14] '' index k using 1:2 with linespoints pt 9 ps 0.8 lt k-10 dt 4 title "
                  "columnheader(1), for [p=1:3] 0.3*(10/x)**p lc rgb '#bbbbbb' dt 3 notitle");
    }
    return case_end(&validation);
}
