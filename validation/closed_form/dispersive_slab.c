/* Reflection and transmission of slabs of dispersive media against the closed form, over a band of 3 : 1: Debye,
 * Lorentz, Drude above and below its plasma frequency, and a sum of poles; and how the error falls with the cell
 * (physics.md section 10). */
#include "validation/support/strip.h"

#include "problem/poles/pole.h"

enum { FREQUENCIES = 21, POLES = 3 };

/* The pulse is 40 dB under its peak at the ends of the band and far under rounding at the cutoff of the mode, 0.14 of
 * the centre: waves near it hardly move, and what of them is still there at the end is a leak of the transform. A pulse
 * as short as the band allows leaves 0.5 % of that, at any cell. */
static const double PULSE = 1.5e-9;

struct slab {
    const char *name;
    double permittivity, conductivity; /* without the poles; -, S/m */
    int pole_count;
    struct pole poles[POLES];
    double centre, thickness; /* Hz, m; the band is from half the centre to one and a half */
    bool opaque; /* waves inside fade within few of the usual cells, so that its order shows with finer ones */
};

static const struct slab SLABS[] = {
    {"Debye", 2, 0, 1, {{.kind = POLE_DEBYE, .strength = 4, .relaxation = 0.16e-9}}, 1e9, 0.07, false},
    {"Lorentz",
     2.25,
     0,
     1,
     {{.kind = POLE_LORENTZ, .strength = 1, .frequency = 1.1e9, .damping = 0.3e9}},
     1e9,
     0.07,
     false},
    {"Drude", 1, 0, 1, {{.kind = POLE_DRUDE, .frequency = 0.8e9, .damping = 0.05e9}}, 1e9, 0.07, false},
    {"Drude below its plasma frequency",
     1,
     0,
     1,
     {{.kind = POLE_DRUDE, .frequency = 2e9, .damping = 0.05e9}},
     1e9,
     0.03,
     true},
    {"Debye, Lorentz, Drude and conductivity",
     3,
     0.02,
     3,
     {{.kind = POLE_DEBYE, .strength = 2, .relaxation = 0.3e-9},
      {.kind = POLE_LORENTZ, .strength = 0.5, .frequency = 1.3e9, .damping = 0.4e9},
      {.kind = POLE_DRUDE, .frequency = 0.4e9, .damping = 0.2e9}},
     1e9,
     0.07,
     false},
};
enum { SLAB_COUNT = sizeof SLABS / sizeof SLABS[0] };

static double complex permittivity_at(const struct slab *slab, double frequency)
{
    double complex s = I * 2 * M_PI * frequency, sum = slab->permittivity + slab->conductivity / (s * 8.8541878128e-12);
    for (int p = 0; p < slab->pole_count; p++) {
        const struct pole *pole = &slab->poles[p];
        double w = 2 * M_PI * pole->frequency, damping = 2 * M_PI * pole->damping;
        sum += pole->kind == POLE_DEBYE     ? pole->strength / (1 + s * pole->relaxation)
               : pole->kind == POLE_LORENTZ ? pole->strength * w * w / (w * w + s * s + s * damping)
                                            : w * w / (s * s + s * damping);
    }
    return sum;
}

struct coefficients {
    double complex reflection, transmission;
};

static struct coefficients closed_form(const struct slab *slab, double frequency, double k_y)
{
    double k = 2 * M_PI * frequency / SPEED_OF_LIGHT;
    double complex outside = csqrt(k * k - k_y * k_y),
                   inside = csqrt(k * k * permittivity_at(slab, frequency) - k_y * k_y);
    inside = cimag(inside) > 0 ? -inside : inside;
    double complex face = (outside - inside) / (outside + inside), turn = cexp(-I * inside * slab->thickness);
    double complex below = 1 - face * face * turn * turn;
    return (struct coefficients){face * (1 - turn * turn) / below, (1 - face * face) * turn / below};
}

static double frequency_at(const struct slab *slab, int f)
{
    return slab->centre * (0.5 + (double)f / (FREQUENCIES - 1));
}

/* The shortest wavelength, or 2 pi times the shortest depth, inside over the band. */
static double wavelength_inside(const struct slab *slab)
{
    double shortest = INFINITY;
    for (int f = 0; f < FREQUENCIES; f++) {
        double frequency = frequency_at(slab, f);
        double index = fmax(1, cabs(csqrt(permittivity_at(slab, frequency))));
        shortest = fmin(shortest, SPEED_OF_LIGHT / frequency / index);
    }
    return shortest;
}

static void write_material(const struct slab *slab, struct text *text)
{
    static const char *const KINDS[] = {"debye", "lorentz", "drude"};
    text_add(text, "{relative_permittivity: %.17g, conductivity: %.17g S/m, poles: [", slab->permittivity,
             slab->conductivity);
    for (int p = 0; p < slab->pole_count; p++) {
        const struct pole *pole = &slab->poles[p];
        text_add(text, "%s{kind: %s, ", p > 0 ? ", " : "", KINDS[pole->kind]);
        if (pole->kind != POLE_DRUDE) {
            text_add(text, "strength: %.17g, ", pole->strength);
        }
        if (pole->kind == POLE_DEBYE) {
            text_add(text, "relaxation_time: %.17g s}", pole->relaxation);
        } else {
            text_add(text, "frequency: %.17g Hz, damping: %.17g Hz}", pole->frequency, pole->damping);
        }
    }
    text_add(text, "]}");
}

struct setting {
    const struct slab *slab;
    const char *scheme, *averaging;
    double cells, offset; /* a wavelength inside; of the face from a node */
};

/* Errors of R and T at each frequency, the incident wave being one; returns the largest. `file`: both with their laws,
 * in decibels and degrees; NULL: nothing. */
static double slab_error(const struct setting *setting, const char *backend, FILE *file)
{
    const struct slab *slab = setting->slab;
    double cell = wavelength_inside(slab) / setting->cells, gap = ceil(0.1 / cell) * cell, worst = 0;
    double source = 8 * cell, face = source + 2 * gap + setting->offset * cell, after = slab->thickness + gap;
    struct text material = {0};
    struct strip strip = {.scheme = setting->scheme,
                          .averaging = setting->averaging,
                          .cell = cell,
                          .frequency = slab->centre,
                          .width = slab->centre,
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
    double complex empty[4][FREQUENCIES], full[4][FREQUENCIES];
    for (int f = 0; f < FREQUENCIES; f++) {
        frequency[f] = frequency_at(slab, f);
    }
    strip_solve(&strip, backend, FREQUENCIES, frequency, empty[0]);
    write_material(slab, &material);
    strip.wall = material.text;
    strip_solve(&strip, backend, FREQUENCIES, frequency, full[0]);
    free(material.text);
    for (int f = 0; f < FREQUENCIES; f++) {
        struct coefficients law = closed_form(slab, frequency[f], k_y);
        double complex back = empty[0][f] / empty[1][f], through = empty[2][f] / empty[1][f];
        double complex reflection = (full[0][f] - empty[0][f]) / empty[1][f] * back;
        double complex transmission = full[3][f] / empty[3][f] * through;
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
    double error[SLAB_COUNT * LINE_COUNT];
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(validation, PW_DOUBLE, false))
    for (int n = 0; n < SLAB_COUNT * LINE_COUNT; n++) {
        int line = n % LINE_COUNT;
        struct setting setting = {&SLABS[n / LINE_COUNT], LINES[line].scheme, LINES[line].averaging, 20, 0.3};
        error[n] = slab_error(&setting, validation->backend, NULL);
    }
    for (int n = 0; n < SLAB_COUNT * LINE_COUNT; n++) {
        case_gate(validation, error[n], 0.01, "%s, %s, 20 cells a wavelength inside: %s", LINES[n % LINE_COUNT].scheme,
                  LINES[n % LINE_COUNT].averaging, SLABS[n / LINE_COUNT].name);
    }
}

/* Of second order are yee with boxes: the arithmetic mean of the permittivity is, and so is the time step. The others
 * have no error in air and in the walls' constant part, but their poles have boxes too: 2 or a little less, shown. */
static void show_orders(struct validation *validation, FILE *file, int line)
{
    enum { SIZES = 4, OFFSETS = 3, RUNS = SIZES * OFFSETS };
    static const double CELLS[SIZES] = {28, 20, 14, 10}, OPAQUE_CELLS[SIZES] = {40, 28, 20, 14};
    const char *scheme = LINES[line].scheme, *averaging = LINES[line].averaging;
    double error[SLAB_COUNT * RUNS];
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(validation, PW_DOUBLE, false))
    for (int n = 0; n < SLAB_COUNT * RUNS; n++) {
        const struct slab *slab = &SLABS[n / RUNS];
        struct setting setting = {slab, scheme, averaging, (slab->opaque ? OPAQUE_CELLS : CELLS)[n % RUNS / OFFSETS],
                                  0.3 * (n % OFFSETS)};
        error[n] = slab_error(&setting, validation->backend, NULL);
    }
    for (int s = 0; s < SLAB_COUNT; s++) {
        const double *cells = SLABS[s].opaque ? OPAQUE_CELLS : CELLS;
        double worst[SIZES] = {0};
        fprintf(file, "\"%s, %s: %s\"\n", scheme, averaging, SLABS[s].name);
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
                              averaging, SLABS[s].name, worst[0], cells[0]);
        } else {
            case_figure(validation, order, "%s, %s, %s: order (%.2g at %g cells)", scheme, averaging, SLABS[s].name,
                        worst[0], cells[0]);
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
              "set xrange [9:44]\nset yrange [1e-3:0.3]\nset format y '10^{%T}'\nset xtics (10,14,20,28,40)\n"
              "set key samplen 2 font ',9' top right\n"
              "plot for [k=0:4] data.'-order.dat' index k using 1:2 with linespoints pt 7 ps 0.8 lt k+1 title "
              "columnheader(1), for [k=5:9] '' index k using 1:2 with linespoints pt 5 ps 0.8 lt k-4 dt 2 title "
              "columnheader(1), 0.02*(10/x)**2 lc rgb '#bbbbbb' dt 3 notitle");
}

static void show_bands(struct validation *validation)
{
    FILE *file = case_data(validation, "band");
    for (int s = 0; s < SLAB_COUNT; s++) {
        struct setting setting = {&SLABS[s], "dd4", "moment", 20, 0.3};
        fprintf(file, "\"%s\"\n", SLABS[s].name);
        slab_error(&setting, validation->backend, file);
        fprintf(file, "\n\n");
    }
    case_close(file);
    case_plot(
        validation, "band",
        "Slabs of dispersive media, dd4, moment, 20 cells a wavelength inside: |R| and |T|; lines: the closed form",
        "set multiplot layout 1,2\nset xlabel 'frequency [GHz]'\nset xrange [0.5:1.5]\n"
        "set key below maxcols 2 samplen 1 font ',8'\nset ylabel '|R| [dB]'\nset yrange [-40:2]\n"
        "plot for [k=0:4] data.'-band.dat' index k using 1:3 with lines lt k+1 title columnheader(1), "
        "for [k=0:4] data.'-band.dat' index k using 1:2 with points pt 7 ps 0.6 lt k+1 notitle\n"
        "set ylabel '|T| [dB]'\nset yrange [-40:2]\n"
        "plot for [k=0:4] data.'-band.dat' index k using 1:5 with lines lt k+1 title columnheader(1), "
        "for [k=0:4] data.'-band.dat' index k using 1:4 with points pt 7 ps 0.6 lt k+1 notitle\n"
        "unset multiplot");
}

/* ---- no growth --------------------------------------------------------------------------------------------------- */

/* Walls of every kind of pole that run into the absorber, meet, and stand beside metal; concrete is fitted over the
 * band, with a plasma below it and a line above. */
static const char WALLS[] =
    "plan:\n  size: [0.16, 0.12]\n  storey: {height: 0.06, floor: {material: concrete, thickness: 0.02}}\n"
    "  rectangles:\n"
    "    - {from: [0.03, 0], to: [0.053, 0.12], material: {relative_permittivity: 5.2, poles: [{kind: debye, strength: "
    "12, relaxation_time: 20 ps}]}}\n"
    "    - {from: [0, 0.05], to: [0.16, 0.073], material: concrete}\n"
    "    - {from: [0.08, 0], to: [0.103, 0.12], material: {relative_permittivity: 1, poles: [{kind: drude, frequency: "
    "5 "
    "GHz, damping: 0.1 GHz}]}}\n"
    "    - {from: [0.12, 0], to: [0.143, 0.12], material: {relative_permittivity: 2, poles: [{kind: lorentz, strength: "
    "2, frequency: 4.6 GHz, damping: 0.02 GHz}]}}\n"
    "    - {from: [0.145, 0.1], to: [0.16, 0.12], material: metal}\n"
    "band: {centre: 4 GHz, width: 4 GHz}\ntransmitters: [{name: t, at: [0.07, 0.03, 0.04]}]\nspectra: off\n"
    "stop: {steps: 64000, decay: off}\n";

/* Energy after 64 000 steps over that after 4000, in single precision at the largest stable time step. */
static void gate_energy(struct validation *validation, int dimensions, const char *scheme)
{
    struct text text = {0};
    text_add(&text, "%sdimensions: %d\ngrid: {cell: %s, scheme: %s, absorber: {cells: %d}}\n", WALLS, dimensions,
             dimensions == 3 ? "6 mm" : "5 mm", scheme, dimensions == 3 ? 4 : 8);
    struct solved solved = solve_prepare(text.text, PW_SINGLE, validation->backend);
    pw_error error = {{0}};
    double energy[2];
    for (int look = 0; look < 2; look++) {
        case_require(stepper_advance(solved.simulation->stepper, look == 0 ? 4000 : 60000, &error), error.message);
        case_require(stepper_energy(solved.simulation->stepper, 0, &energy[look], &error), error.message);
    }
    case_gate(validation, energy[1] / energy[0], 1, "%s, %d dimensions: energy after 64 000 steps over that after 4000",
              scheme, dimensions);
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
        gate_energy(&validation, 2, "fd4o");
        gate_energy(&validation, 2, "dd4");
        gate_energy(&validation, 3, "fd4o");
    }
    return case_end(&validation);
}
