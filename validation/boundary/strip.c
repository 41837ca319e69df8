/* Free space in a long and narrow plan: what the absorber on its long sides, which waves along the plan graze, does to
 * the field on the axis (physics.md section 3). */
#include "validation/support/case.h"

enum { PLACES = 9, SCHEMES = 7 };
static const double LENGTH = 10, CELL = 0.01, FREQUENCY = 2.4e9, START = 0.5; /* m, m, Hz, m */
static const char *const NAMES[SCHEMES] = {"yee", "dd2", "dd3", "dd4", "fd4", "fd6", "fd8"};

struct narrow_plan {
    const char *scheme, *absorber; /* the map of that name; "": the default */
    double width;                  /* m */
};

/* Complex errors on the axis 1 to 9 m from the transmitter, outright and beside what the scheme does in free space. */
struct strip_error {
    double outright[PLACES], beside[PLACES];
};

/* Far along an axis of the lattice a line source's field is the Hankel function of the scheme's own wave number there,
 * times 1/sqrt(8 S'(kd) S'(0)^2): the method of stationary phase, with S the symbol of the first difference. */
static double own_amplitude(const struct stencil *stencil, double phase)
{
    const double h = 1e-4;
    double slope = (stencil_symbol(stencil, phase + h) - stencil_symbol(stencil, phase - h)) / (2 * h),
           first = stencil_symbol(stencil, h) / h;
    return 1 / sqrt(8 * slope * first * first);
}

static struct strip_error solve_strip(const struct narrow_plan *plan, const char *backend)
{
    struct text text = {0};
    text_add(&text,
             "plan: {size: [%g, %g]}\ngrid: {scheme: %s, cell: %g%s%s}\n"
             "band: {centre: %g, width: 0.5 GHz}\ntransmitters: [{name: t, at: [%g, %g]}]\n"
             "spectra: off\nstop: {after: 47 ns, decay: off}\nreceivers:\n",
             LENGTH, plan->width, plan->scheme, CELL, plan->absorber[0] != '\0' ? ", absorber: " : "", plan->absorber,
             FREQUENCY, START, plan->width / 2);
    for (int p = 0; p < PLACES; p++) {
        text_add(&text, "  - {name: r%d, at: [%g, %g]}\n", p, START + 1 + p, plan->width / 2);
    }
    struct solved solved = solve(text.text, PW_SINGLE, backend);
    double complex field[PLACES];
    case_transfer(&solved, 0, 1, &FREQUENCY, true, field);
    const struct stencil *stencil = &solved.setup->stencil;
    double omega = 2 * M_PI * FREQUENCY, own = stencil_wave_number(stencil, CELL, 0, omega, 0),
           amplitude = own_amplitude(stencil, own * CELL);
    struct strip_error error;
    for (int p = 0; p < PLACES; p++) {
        double distance = 1 + p;
        double complex law = case_line_field(FREQUENCY, distance),
                       as_stepped = amplitude * case_line_field(FREQUENCY, distance) * solve_hankel(own * distance) /
                                    solve_hankel(omega / SPEED_OF_LIGHT * distance);
        error.outright[p] = cabs(field[p] / law - 1);
        error.beside[p] = cabs(field[p] / as_stepped - 1);
    }
    solve_free(&solved);
    free(text.text);
    return error;
}

static double largest(const double error[PLACES])
{
    double worst = 0;
    for (int p = 0; p < PLACES; p++) {
        worst = fmax(worst, error[p]);
    }
    return worst;
}

static void gate_schemes(struct validation *validation)
{
    static const double WIDTH[2] = {0.5, 1};
    struct strip_error error[SCHEMES][2];
    int every = validation->quick ? 3 : 1; /* yee, dd4, fd8 */
#pragma omp parallel for collapse(2) schedule(dynamic) num_threads(case_side_by_side(validation, PW_SINGLE, false))
    for (int s = 0; s < SCHEMES; s++) {
        for (int w = 0; w < 2; w++) {
            if (s % every == 0) {
                struct narrow_plan plan = {NAMES[s], "", WIDTH[w]};
                error[s][w] = solve_strip(&plan, validation->backend);
            }
        }
    }
    for (int s = 0; s < SCHEMES; s += every) {
        for (int w = 0; w < 2; w++) {
            case_gate(validation, largest(error[s][w].beside), 0.01, "%s, %g m wide: error beside dispersion", NAMES[s],
                      WIDTH[w]);
            if (s == 3 || s == 6) {
                case_gate(validation, largest(error[s][w].outright), 0.01, "%s, %g m wide: error, dispersion included",
                          NAMES[s], WIDTH[w]);
            }
        }
    }
}

/* What the default was chosen from: dd4 in the narrower strip. */
static void show_depths(struct validation *validation)
{
    enum { DEPTHS = 4 };
    static const char *const ABSORBER[DEPTHS] = {"{kind: upml, reflection: 1.1253517e-7}",
                                                 "{kind: upml, reflection: 1e-14}", "{kind: upml, reflection: 1.6e-28}",
                                                 ""},
                             *const TITLE[DEPTHS] = {"R(0) = 1.1e-7", "R(0) = 1e-14", "R(0) = 1.6e-28", "the default"};
    struct strip_error error[DEPTHS];
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(validation, PW_SINGLE, false))
    for (int d = 0; d < DEPTHS; d++) {
        struct narrow_plan plan = {"dd4", ABSORBER[d], 0.5};
        error[d] = solve_strip(&plan, validation->backend);
    }
    FILE *file = case_data(validation, "distance");
    for (int p = 0; p < PLACES; p++) {
        fprintf(file, "%d", 1 + p);
        for (int d = 0; d < DEPTHS; d++) {
            fprintf(file, " %.5g", 100 * error[d].beside[p]);
        }
        fprintf(file, "\n");
    }
    case_close(file);
    for (int d = 0; d < DEPTHS - 1; d++) {
        case_figure(validation, largest(error[d].beside), "dd4, 0.5 m wide, upml, %s: error beside dispersion",
                    TITLE[d]);
    }
    case_plot(validation, "distance",
              "Error on the axis of free space of 10 × 0.5 m by distance and R(0), dd4, 12.5 cells a wavelength",
              "set xlabel 'distance from the transmitter [m]'\nset ylabel 'error beside dispersion [%]'\n"
              "set logscale y\nset yrange [0.001:100]\nset xrange [0.5:9.5]\nset key left top\n"
              "array name[4] = ['R(0) = 1.1e-7', 'R(0) = 1e-14', 'R(0) = 1.6e-28', 'default']\n"
              "plot for [k=1:4] data.'-distance.dat' using 1:(column(k+1)) with linespoints pt 7 ps 0.8 lt k title "
              "name[k], 1 with lines lc rgb '#888888' dt 2 title 'gate'");
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "strip", "Long and narrow plans",
        "Free space of 10 × 0.5 m and of 10 × 1 m, 12.5 cells a wavelength, the default absorber: complex field on the "
        "axis 1 to 9 m from a line source against the Hankel function, outright and with the wave number and amplitude "
        "that the scheme has along an axis. Waves that run along the plan graze the absorber on its long sides.");
    gate_schemes(&validation);
    if (!validation.quick) {
        show_depths(&validation);
    }
    return case_end(&validation);
}
