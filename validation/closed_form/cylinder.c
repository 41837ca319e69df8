/* A line source beside a round post, dielectric or perfectly conducting, against the Bessel series (addition theorem),
 * around the post; error against the cell with its order (physics.md section 8). */
#include "validation/support/case.h"

enum { RECEIVERS = 24, FREQUENCIES = 3 };

static const double RADIUS = 0.25, SOURCE_DISTANCE = 0.70, RECEIVER_DISTANCE = 0.55, SIZE = 1.8, PERMITTIVITY = 2.89;
static const struct point CENTRE = {0.9137, 0.8911}; /* m: on no node */
static const double SOURCE_ANGLE = 0.3, FREQUENCY[FREQUENCIES] = {0.95e9, 1e9, 1.05e9};

static double complex hankel(int n, double x)
{
    return jn(n, x) - I * yn(n, x);
}

/* d/dx from the recurrence. */
static double jn_slope(int n, double x)
{
    return n == 0 ? -j1(x) : jn(n - 1, x) - n / x * jn(n, x);
}

static double complex hankel_slope(int n, double x)
{
    return n == 0 ? -hankel(1, x) : hankel(n - 1, x) - n / x * hankel(n, x);
}

/* Ez of a unit line current over -w mu0/4: H0(k |r - r0|) + sum_n c_n H_n(k rho0) H_n(k rho) e^{jn phi}. */
static double complex series(bool conductor, double k, double phi)
{
    double distance = sqrt(SOURCE_DISTANCE * SOURCE_DISTANCE + RECEIVER_DISTANCE * RECEIVER_DISTANCE -
                           2 * SOURCE_DISTANCE * RECEIVER_DISTANCE * cos(phi));
    double complex sum = solve_hankel(k * distance);
    double x = k * RADIUS, inside = sqrt(PERMITTIVITY) * k, y = inside * RADIUS;
    for (int n = 0; n < 40; n++) {
        double complex c = -jn(n, x) / hankel(n, x);
        if (!conductor) {
            c = -(inside * jn(n, x) * jn_slope(n, y) - k * jn_slope(n, x) * jn(n, y)) /
                (inside * hankel(n, x) * jn_slope(n, y) - k * hankel_slope(n, x) * jn(n, y));
        }
        double complex term = c * hankel(n, k * SOURCE_DISTANCE) * hankel(n, k * RECEIVER_DISTANCE) * cos(n * phi);
        sum += (n == 0 ? 1 : 2) * term;
        if (n > x && cabs(term) < 1e-14) {
            break;
        }
    }
    return sum;
}

/* ||E - series|| / ||series|| over the places and frequencies; at the band's centre alone when that is what the band
 * is. */
static double solve_error(const char *scheme, const char *averaging, bool conductor, bool narrow, double cells,
                          const char *backend)
{
    double cell = SPEED_OF_LIGHT / 1e9 / cells, difference = 0, norm = 0;
    struct text text = {0};
    text_add(&text,
             "plan: {size: [%g, %g], circles: [{centre: [%.17g, %.17g], radius: %g, material: %s}]}\n"
             "grid: {scheme: %s, averaging: %s, cell: %.17g, courant: 0.5, absorber: {cells: 24, reflection: 1e-9}}\n"
             "band: {centre: 1 GHz, width: %g GHz}\n"
             "transmitters: [{name: t, at: [%.17g, %.17g], waveform: {kind: modulated-gaussian, frequency: 1 GHz, "
             "width: 3.5 ns, delay: 14 ns}}]\nspectra: off\nstop: {after: 80 ns, decay: off}\nreceivers:\n",
             SIZE, SIZE, CENTRE.x, CENTRE.y, RADIUS,
             conductor ? "metal" : "{relative_permittivity: 2.89, conductivity: 0 S/m}", scheme, averaging, cell,
             narrow ? 0.01 : 0.1, CENTRE.x + SOURCE_DISTANCE * cos(SOURCE_ANGLE),
             CENTRE.y + SOURCE_DISTANCE * sin(SOURCE_ANGLE));
    for (int r = 0; r < RECEIVERS; r++) {
        double angle = SOURCE_ANGLE + 2 * M_PI * (r + 0.5) / RECEIVERS;
        text_add(&text, "  - {name: r%d, at: [%.17g, %.17g]}\n", r, CENTRE.x + RECEIVER_DISTANCE * cos(angle),
                 CENTRE.y + RECEIVER_DISTANCE * sin(angle));
    }
    struct solved solved = solve(text.text, PW_DOUBLE, backend);
    double complex e[RECEIVERS][FREQUENCIES];
    case_transfer(&solved, 0, FREQUENCIES, FREQUENCY, true, e[0]);
    for (int r = 0; r < RECEIVERS; r++) {
        for (int f = 0; f < FREQUENCIES; f++) {
            if (narrow && f != FREQUENCIES / 2) {
                continue;
            }
            double w = 2 * M_PI * FREQUENCY[f];
            double complex law = series(conductor, w / SPEED_OF_LIGHT, 2 * M_PI * (r + 0.5) / RECEIVERS);
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
    bool conductor, narrow;
    double gate, order; /* at 20 cells a wavelength in air; least order; 0: none */
    const char *title;
} LINES[] = {
    {"yee", "area", false, false, 0, 1.7, "post, yee, area"},
    {"dd4", "point", false, false, 0, 0, "post, dd4, point"},
    {"dd4", "area", false, false, 0.03, 1.7, "post, dd4, area"},
    {"dd4", "moment", false, false, 0.03, 1.7, "post, dd4, moment"},
    {"dd4", "bandlimited", false, false, 0.03, 1.7, "post, dd4, bandlimited"},
    {"fd8", "moment", false, false, 0.03, 1.7, "post, fd8, moment"},
    {"dd4", "point", true, true, 0, 0, "metal, dd4, staircase"},
    {"yee", "area", true, true, 0, 1.7, "metal, yee, centre"},
    {"dd4", "moment", true, true, 0.03, 1.7, "metal, dd4, centre"},
    {"fd8", "moment", true, true, 0.03, 1.7, "metal, fd8, centre"},
    {"dd4", "moment", true, false, 0.03, 0, "metal, dd4, band"},
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
        "A line source 0.7 m from the middle of a post of radius 0.25 m, εr = 2.89 or a perfect conductor, around 1 "
        "GHz: the complex field at 24 places around it against the Bessel series, ‖E − E_series‖/‖E_series‖. Cells "
        "per wavelength in air; the middle of the post is on no node. The dielectric at 0.95, 1 and 1.05 GHz; the "
        "conductor at the centre of a narrow band, where its place between the nodes is exact, and at those three in a "
        "band of 100 MHz, where it is a compromise (README.md): there the error is of first order, with a small "
        "factor.");
    double error[LINE_COUNT][CELL_COUNT];
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(&validation, PW_DOUBLE, false))
    for (int k = 0; k < LINE_COUNT * CELL_COUNT; k++) {
        int c = CELL_COUNT - 1 - k / LINE_COUNT, line = k % LINE_COUNT; /* the finest, which takes longest, first */
        bool needed = !validation.quick || (CELLS[c] == 20 && LINES[line].gate > 0);
        error[line][c] = needed ? solve_error(LINES[line].scheme, LINES[line].averaging, LINES[line].conductor,
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
                  "columnheader(1), for [p=1:3] 0.3*(10/x)**p lc rgb '#bbbbbb' dt 3 notitle");
    }
    return case_end(&validation);
}
