/* Reflection and transmission of slabs of dispersive media against the closed form, over a band of 3 : 1: Debye,
 * Lorentz, Drude above and below its plasma frequency, and a sum of poles; and how the error falls with the cell
 * (physics.md section 10). */
#include "validation/support/slabs/dispersive.h"
#include "validation/support/slabs/slab.h"

enum { FREQUENCIES = 21 };

/* The pulse is 40 dB under its peak at the ends of the band and far under rounding at the cutoff of the mode, 0.14 of
 * the centre: waves near it hardly move, and what of them is still there at the end is a leak of the transform. A pulse
 * as short as the band allows leaves 0.5 % of that, at any cell. */
static const double PULSE = 1.5e-9;

static const double CENTRE = 1e9; /* Hz; the band is from half of it to one and a half */

static struct coefficients closed_form(const struct dispersive_slab *slab, double frequency, double k_y)
{
    double k = 2 * M_PI * frequency / SPEED_OF_LIGHT;
    double complex outside = csqrt(k * k - k_y * k_y),
                   inside = csqrt(k * k * dispersive_permittivity(slab, frequency) - k_y * k_y);
    inside = cimag(inside) > 0 ? -inside : inside;
    return slab_law((outside - inside) / (outside + inside), inside, slab->thickness);
}

static double frequency_at(int f)
{
    return CENTRE * (0.5 + (double)f / (FREQUENCIES - 1));
}

struct setting {
    const struct dispersive_slab *slab;
    const char *scheme, *averaging;
    double cells, offset; /* a wavelength inside; of the face from a node */
};

/* Errors of R and T at each frequency, the incident wave being one; returns the largest. `file`: both with their laws,
 * in decibels and degrees; NULL: nothing. */
static double slab_error(const struct setting *setting, const char *backend, FILE *file)
{
    const struct dispersive_slab *slab = setting->slab;
    double cell = dispersive_wavelength(slab, 0.5 * CENTRE, 1.5 * CENTRE) / setting->cells,
           gap = ceil(0.1 / cell) * cell, worst = 0;
    double source = 8 * cell, face = source + 2 * gap + setting->offset * cell, after = slab->thickness + gap;
    struct text material = {0};
    struct strip strip = {.scheme = setting->scheme,
                          .averaging = setting->averaging,
                          .cell = cell,
                          .frequency = CENTRE,
                          .width = CENTRE,
                          .angle = 8 * M_PI / 180,
                          .length = ceil((face + after) / cell + 20) * cell,
                          .source = source,
                          .layer = (int)ceil(0.15 / cell),
                          .reflection = 1e-12,
                          .face = face,
                          .thickness = slab->thickness,
                          .receiver_count = 4,
                          .receiver = {face - gap, face, face + slab->thickness, face + after},
                          .duration = 40e-9,
                          .pulse = PULSE};
    double frequency[FREQUENCIES], k_y = strip_wave_number_across(&strip);
    struct coefficients found[FREQUENCIES];
    for (int f = 0; f < FREQUENCIES; f++) {
        frequency[f] = frequency_at(f);
    }
    dispersive_write(slab, &material);
    slab_measure(&strip, material.text, backend, FREQUENCIES, frequency, found);
    free(material.text);
    for (int f = 0; f < FREQUENCIES; f++) {
        struct coefficients law = closed_form(slab, frequency[f], k_y);
        double complex reflection = found[f].reflection, transmission = found[f].transmission;
        worst = fmax(worst, fmax(cabs(reflection - law.reflection), cabs(transmission - law.transmission)));
        if (file != NULL) {
            fprintf(file, "%.6g %.8g %.8g %.8g %.8g\n", 1e-9 * frequency[f], 20 * log10(cabs(reflection)),
                    20 * log10(cabs(law.reflection)), 20 * log10(cabs(transmission)),
                    20 * log10(cabs(law.transmission)));
        }
    }
    return worst;
}

static const struct {
    const char *scheme, *averaging;
    bool second_order;
} LINES[] = {{"yee", "area", true}, {"dd4", "moment", false}, {"fd4o", "moment", false}};
enum { LINE_COUNT = sizeof LINES / sizeof LINES[0] };

static void gate_errors(struct validation *validation)
{
    double error[DISPERSIVE_SLABS * LINE_COUNT];
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(validation, PW_DOUBLE, false))
    for (int n = 0; n < DISPERSIVE_SLABS * LINE_COUNT; n++) {
        int line = n % LINE_COUNT;
        struct setting setting = {&DISPERSIVE_SLAB[n / LINE_COUNT], LINES[line].scheme, LINES[line].averaging, 20, 0.3};
        error[n] = slab_error(&setting, validation->backend, NULL);
    }
    for (int n = 0; n < DISPERSIVE_SLABS * LINE_COUNT; n++) {
        case_gate(validation, error[n], 0.01, "%s, %s, 20 cells a wavelength inside: %s", LINES[n % LINE_COUNT].scheme,
                  LINES[n % LINE_COUNT].averaging, DISPERSIVE_SLAB[n / LINE_COUNT].name);
    }
}

/* Of second order are yee with boxes: the arithmetic mean of the permittivity is, and so is the time step. The others
 * have no error in air and in the walls' constant part, but their poles have boxes too: 2 or a little less, shown. */
static void show_orders(struct validation *validation, FILE *file, int line)
{
    enum { SIZES = 4, OFFSETS = 3, RUNS = SIZES * OFFSETS };
    static const double CELLS[SIZES] = {28, 20, 14, 10}, OPAQUE_CELLS[SIZES] = {40, 28, 20, 14};
    const char *scheme = LINES[line].scheme, *averaging = LINES[line].averaging;
    double error[DISPERSIVE_SLABS * RUNS];
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(validation, PW_DOUBLE, false))
    for (int n = 0; n < DISPERSIVE_SLABS * RUNS; n++) {
        const struct dispersive_slab *slab = &DISPERSIVE_SLAB[n / RUNS];
        struct setting setting = {slab, scheme, averaging, (slab->opaque ? OPAQUE_CELLS : CELLS)[n % RUNS / OFFSETS],
                                  0.3 * (n % OFFSETS)};
        error[n] = slab_error(&setting, validation->backend, NULL);
    }
    for (int s = 0; s < DISPERSIVE_SLABS; s++) {
        const double *cells = DISPERSIVE_SLAB[s].opaque ? OPAQUE_CELLS : CELLS;
        double worst[SIZES] = {0};
        fprintf(file, "\"%s, %s: %s\"\n", scheme, averaging, DISPERSIVE_SLAB[s].name);
        for (int n = 0; n < RUNS; n++) {
            worst[n / OFFSETS] = fmax(worst[n / OFFSETS], error[s * RUNS + n]);
        }
        for (int c = 0; c < SIZES; c++) {
            fprintf(file, "%g %.6g\n", cells[c], worst[c]);
        }
        fprintf(file, "\n\n");
        double order = -case_slope(SIZES, cells, worst);
        if (LINES[line].second_order) {
            case_gate_between(validation, order, 1.9, INFINITY, "%s, %s, %s: order (%.2g at %g cells)", scheme,
                              averaging, DISPERSIVE_SLAB[s].name, worst[0], cells[0]);
        } else {
            case_figure(validation, order, "%s, %s, %s: order (%.2g at %g cells)", scheme, averaging,
                        DISPERSIVE_SLAB[s].name, worst[0], cells[0]);
        }
    }
}

static void plot_orders(struct validation *validation)
{
    FILE *file = case_data(validation, "order");
    show_orders(validation, file, 0);
    show_orders(validation, file, 1);
    case_close(file);
    case_plot(validation, "order",
              "Largest error of T and R over the band and three places of the faces between the nodes; grey: slope 2",
              "set logscale xy\nset xlabel 'cells per wavelength inside'\nset ylabel '|error| of T and R'\n"
              "set xrange [9:44]\nset yrange [1e-3:0.06]\nset format y '10^{%T}'\nset xtics (10,14,20,28,40)\n"
              "set key below maxcols 2 samplen 2 font ',8'\n"
              "plot for [k=0:4] data.'-order.dat' index k using 1:2 with linespoints pt 7 ps 0.8 lt k+1 title "
              "columnheader(1), for [k=5:9] '' index k using 1:2 with linespoints pt 5 ps 0.8 lt k-4 dt 2 title "
              "columnheader(1), 0.02*(10/x)**2 lc rgb '#bbbbbb' dt 3 notitle");
}

static void show_bands(struct validation *validation)
{
    FILE *file = case_data(validation, "band");
    for (int s = 0; s < DISPERSIVE_SLABS; s++) {
        struct setting setting = {&DISPERSIVE_SLAB[s], "dd4", "moment", 20, 0.3};
        fprintf(file, "\"%s\"\n", DISPERSIVE_SLAB[s].name);
        slab_error(&setting, validation->backend, file);
        fprintf(file, "\n\n");
    }
    case_close(file);
    case_plot(
        validation, "band",
        "Slabs of dispersive media, dd4, moment, 20 cells a wavelength inside: |R| and |T|; lines: the closed form",
        "set multiplot layout 1,2\nset xlabel 'frequency [GHz]'\nset xrange [0.5:1.5]\n"
        "set key below maxcols 2 samplen 1 font ',8'\nset ylabel '|R| [dB]'\nset yrange [-22:2]\n"
        "plot for [k=0:4] data.'-band.dat' index k using 1:3 with lines lt k+1 title columnheader(1), "
        "for [k=0:4] data.'-band.dat' index k using 1:2 with points pt 7 ps 0.6 lt k+1 notitle\n"
        "set ylabel '|T| [dB]'\nset yrange [-22:2]\n"
        "plot for [k=0:4] data.'-band.dat' index k using 1:5 with lines lt k+1 title columnheader(1), "
        "for [k=0:4] data.'-band.dat' index k using 1:4 with points pt 7 ps 0.6 lt k+1 notitle\n"
        "unset multiplot");
}

/* ---- no growth --------------------------------------------------------------------------------------------------- */

/* Walls of every kind of pole that run into the absorber, meet, and stand beside metal; concrete is fitted over the
 * band, with a plasma below it and a line above. */
static const char WALLS[] =
    "plan:\n  size: [0.16, 0.12]\n  rectangles:\n"
    "    - {from: [0.03, 0], to: [0.053, 0.12], material: {relative_permittivity: 5.2, poles: [{kind: debye, strength: "
    "12, relaxation_time: 20 ps}]}}\n"
    "    - {from: [0, 0.05], to: [0.16, 0.073], material: concrete}\n"
    "    - {from: [0.08, 0], to: [0.103, 0.12], material: {relative_permittivity: 1, poles: [{kind: drude, frequency: "
    "5 "
    "GHz, damping: 0.1 GHz}]}}\n"
    "    - {from: [0.12, 0], to: [0.143, 0.12], material: {relative_permittivity: 2, poles: [{kind: lorentz, strength: "
    "2, frequency: 4.6 GHz, damping: 0.02 GHz}]}}\n"
    "    - {from: [0.145, 0.1], to: [0.16, 0.12], material: metal}\n"
    "band: {centre: 4 GHz, width: 4 GHz}\ntransmitters: [{name: t, at: [0.07, 0.03]}]\nspectra: off\n"
    "stop: {steps: 64000, decay: off}\n";

/* Energy after 64 000 steps over that after 4000, in single precision at the largest stable time step; in two
 * dimensions: tests/poles/test_poles_scenario.c has three. */
static void gate_energy(struct validation *validation, const char *scheme)
{
    struct text text = {0};
    text_add(&text, "%sgrid: {cell: 5 mm, scheme: %s, absorber: {cells: 8}}\n", WALLS, scheme);
    struct solved solved = solve_prepare(text.text, PW_SINGLE, validation->backend);
    pw_error error = {{0}};
    double energy[2];
    for (int look = 0; look < 2; look++) {
        case_require(stepper_advance(solved.simulation->stepper, look == 0 ? 4000 : 60000, &error), error.message);
        case_require(stepper_energy(solved.simulation->stepper, 0, &energy[look], &error), error.message);
    }
    case_gate(validation, energy[1] / energy[0], 1, "%s: energy after 64 000 steps over that after 4000", scheme);
    solve_free(&solved);
    free(text.text);
}

int main(int argc, char **argv)
{
    struct validation validation =
        case_begin(argc, argv, "dispersive_slab", "Walls of dispersive media: complex transmission and reflection",
                   "A slab across a strip with PEC sides, driven by one mode, against the closed form with the "
                   "permittivity of its "
                   "poles: the largest of |T − T_exact| and |R − R_exact| at 21 frequencies from 0.5 to 1.5 GHz, the "
                   "incident wave "
                   "being one. Last, walls of such media that run into the absorber: what energy is left after 64 000 "
                   "steps.");
    gate_errors(&validation);
    if (!validation.quick) {
        plot_orders(&validation);
        show_bands(&validation);
        gate_energy(&validation, "fd4o");
        gate_energy(&validation, "dd4");
    }
    return case_end(&validation);
}
