/* Slabs of dispersive media in three dimensions: a slab across a guide whose modes are plane waves at a known angle, E
 * or H along its faces, against the closed form with the permittivity of its poles; and how the error falls with the
 * cell (physics.md sections 9 and 10). Everything is a scenario: planes of symmetry at the guide's low sides, metal at
 * the high ones; the source alone gets the mode's profile. */
#include "validation/support/slabs/dispersive.h"
#include "validation/support/slabs/layered.h"

enum { FREQUENCIES = 11, RECEIVERS = 3 };
static const double CENTRE = 1e9; /* Hz */

/* Cells along z: the source, two receivers that tell the grid's wave number, and the node before the slab. */
enum { SOURCE = 6, BEFORE = 24, NEARER = 32, FACE = 44, BEHIND = 12, END = 10 };

struct setting {
    const struct dispersive_slab *slab;
    const char *scheme, *averaging;
    bool meeting;         /* H along the faces, not E */
    double cells, offset; /* a wavelength inside; cells, of the first face from a node */
};

/* With E along the faces, along x, nothing changes along x, and a band of 3 : 1 is over the cutoff. With H along them
 * the guide is as high as it is wide; at a larger angle and over a narrower band it is small. */
struct guide {
    double half_band, sine, pulse; /* of the centre; at the centre; s */
    double cell, across;           /* m; rad/m: wave number across */
    int cells[2], behind;          /* in x and y; to the last receiver */
};

static struct guide choose_guide(const struct setting *setting)
{
    struct guide guide = setting->meeting ? (struct guide){.half_band = 0.15, .sine = 0.6, .pulse = 3e-9}
                                          : (struct guide){.half_band = 0.5, .sine = 0.26, .pulse = 1.7e-9};
    double wavelength = SPEED_OF_LIGHT / CENTRE,
           quarter = wavelength / (4 * guide.sine) * (setting->meeting ? sqrt(2) : 1);
    guide.cell = dispersive_wavelength(setting->slab, (1 - guide.half_band) * CENTRE, (1 + guide.half_band) * CENTRE) /
                 setting->cells;
    guide.cells[1] = (int)lround(quarter / guide.cell);
    guide.cells[0] = setting->meeting ? guide.cells[1] : 2;
    guide.across = 0.5 * M_PI / (guide.cells[1] * guide.cell) * (setting->meeting ? sqrt(2) : 1);
    guide.behind = FACE + (int)ceil(setting->slab->thickness / guide.cell) + BEHIND;
    return guide;
}

static double frequency_at(const struct guide *guide, int f)
{
    return CENTRE * (1 + guide->half_band * (2.0 * f / (FREQUENCIES - 1) - 1));
}

static struct text guide_scenario(const struct setting *setting, const struct guide *guide, bool full)
{
    struct text text = {0};
    const double cell = guide->cell, face = (FACE + setting->offset) * cell;
    const double sides[2] = {guide->cells[0] * cell, guide->cells[1] * cell}, half = setting->meeting ? 0.5 * cell : 0;
    const char *along = setting->meeting ? "vertical" : "x";
    text_add(&text,
             "dimensions: 3\nplan:\n  size: [%.17g, %.17g]\n  storey: {height: %.17g, floor: none, ceiling: none}\n",
             sides[0], sides[1], (guide->behind + END) * cell);
    if (full) {
        text_add(&text, "  rectangles: [{from: [0, 0], to: [%.17g, %.17g], z: [%.17g, %.17g], material: ", sides[0],
                 sides[1], face, face + setting->slab->thickness);
        dispersive_write(setting->slab, &text);
        text_add(&text, "}]\n");
    }
    text_add(&text,
             "grid: {scheme: %s, averaging: %s, cell: %.17g, symmetry: [%s],\n"
             "  absorber: {sides: {x_high: pec, y_high: pec%s}}}\nband: {centre: %.17g, width: %.17g}\n"
             "transmitters: [{name: t, at: [%.17g, 0, %.17g], polarisation: %s, waveform: {kind: modulated-gaussian, "
             "frequency: %.17g, width: %.17g, delay: %.17g}}]\nspectra: off\nstop: {after: %.17g, decay: off}\n"
             "receivers:\n",
             setting->scheme, setting->averaging, cell, setting->meeting ? "x, y" : "y",
             setting->meeting ? "" : ", x_low: pec", CENTRE, 2 * guide->half_band * CENTRE,
             setting->meeting ? 0 : 0.5 * cell, SOURCE * cell + half, along, CENTRE, guide->pulse, 6 * guide->pulse,
             12 * guide->pulse + 25e-9);
    const int at[RECEIVERS] = {BEFORE, NEARER, guide->behind};
    for (int r = 0; r < RECEIVERS; r++) {
        text_add(&text, "  - {name: r%d, at: [%.17g, 0, %.17g], polarisation: %s}\n", r,
                 setting->meeting ? 0 : 0.5 * cell, at[r] * cell + half, along);
    }
    return text;
}

/* The dipole in the corner of a plane becomes one on every node of that plane, with the mode's profile. */
static void spread_source(const struct setting *setting, const struct guide *guide, const struct problem *problem,
                          struct source *source)
{
    const int64_t plane = (int64_t)guide->cells[0] * guide->cells[1], corner = source->node[0];
    const double weight = source->weight[0];
    case_require(source->count == 1 && corner % problem_nodes(problem) % plane == 0 ? PW_OK : PW_BAD_INPUT,
                 "the source of a guide is not in its corner");
    free(source->node);
    free(source->weight);
    source->count = plane;
    source->node = calloc((size_t)plane, sizeof *source->node);
    source->weight = calloc((size_t)plane, sizeof *source->weight);
    for (int64_t n = 0; n < plane; n++) {
        double i = (double)(n % guide->cells[0]) / guide->cells[0], j = (double)(n / guide->cells[0]) / guide->cells[1];
        source->node[n] = corner + n;
        source->weight[n] = weight * cos(0.5 * M_PI * j) * (setting->meeting ? cos(0.5 * M_PI * i) : 1);
    }
}

static void solve_guide(const struct setting *setting, const struct guide *guide, bool full, const char *backend,
                        double complex *field)
{
    struct text text = guide_scenario(setting, guide, full);
    struct solved solved = {0};
    pw_error error = {{0}};
    double frequency[FREQUENCIES];
    for (int f = 0; f < FREQUENCIES; f++) {
        frequency[f] = frequency_at(guide, f);
    }
    case_require(pw_scenario_parse("guide", text.text, NULL, 0, &solved.scenario, &error), error.message);
    case_require(pw_setup_create(solved.scenario, PW_DOUBLE, false, &solved.setup, &error), error.message);
    struct problem *problem = &solved.setup->problem;
    case_require(problem->axis[0].count == guide->cells[0] && problem->axis[1].count == guide->cells[1] ? PW_OK
                                                                                                        : PW_BAD_INPUT,
                 "a guide of another cross-section");
    spread_source(setting, guide, problem, &problem->sources[0]);
    case_require(pw_simulation_create(solved.setup, &(pw_compute){.backend = backend, .threads = solve_threads()}, 0, 1,
                                      &solved.simulation, &error),
                 error.message);
    case_require(pw_simulation_run(solved.simulation, NULL, NULL, &error), error.message);
    case_transfer(&solved, 0, FREQUENCIES, frequency, true, field);
    solve_free(&solved);
    free(text.text);
}

struct slab_error {
    double reflection, transmission; /* largest |error| over the band, the incident wave being one */
};

/* Both are brought to the faces by the wave number of the grid in air, so that dispersion there does not count. `file`:
 * both with their laws, in decibels; NULL: nothing. */
static struct slab_error slab_error(const struct setting *setting, const char *backend, FILE *file)
{
    struct guide guide = choose_guide(setting);
    struct slab_error worst = {0, 0};
    double complex empty[RECEIVERS * FREQUENCIES], full[RECEIVERS * FREQUENCIES];
    solve_guide(setting, &guide, false, backend, empty);
    solve_guide(setting, &guide, true, backend, full);
    double apart = (NEARER - BEFORE) * guide.cell;
    double depth = (FACE + setting->offset - BEFORE - (setting->meeting ? 0.5 : 0)) * guide.cell;
    for (int f = 0; f < FREQUENCIES; f++) {
        double frequency = frequency_at(&guide, f), w = 2 * M_PI * frequency;
        double complex permittivity = dispersive_permittivity(setting->slab, frequency);
        const struct layer layer = {setting->slab->thickness, creal(permittivity),
                                    -cimag(permittivity) * w * 8.8541878128e-12};
        double complex through, law = layered_reflect(&layer, 1, frequency, guide.across, setting->meeting, &through);
        double complex before = empty[f], nearer = empty[FREQUENCIES + f];
        double k = sqrt(pow(w / SPEED_OF_LIGHT, 2) - guide.across * guide.across);
        k += carg(before / nearer * cexp(-I * k * apart)) / apart;
        double complex reflection = (full[f] - before) / before * cexp(2 * I * k * depth);
        double complex transmission =
            full[2 * FREQUENCIES + f] / empty[2 * FREQUENCIES + f] * cexp(-I * k * setting->slab->thickness);
        law *= setting->meeting ? -1 : 1; /* Ez goes as H along the face */
        double complex behind = (1 + (setting->meeting ? -law : law)) * through;
        worst.reflection = fmax(worst.reflection, cabs(reflection - law));
        worst.transmission = fmax(worst.transmission, cabs(transmission - behind));
        if (file != NULL) {
            fprintf(file, "%.6g %.8g %.8g %.8g %.8g\n", 1e-9 * frequency, 20 * log10(cabs(reflection)),
                    20 * log10(cabs(law)), 20 * log10(cabs(transmission)), 20 * log10(cabs(behind)));
        }
    }
    return worst;
}

static void solve_settings(const struct validation *validation, int count, const struct setting *settings,
                           struct slab_error *error)
{
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(validation, PW_DOUBLE, false))
    for (int n = 0; n < count; n++) {
        error[n] = slab_error(&settings[n], validation->backend, NULL);
    }
}

static double larger(struct slab_error error)
{
    return fmax(error.reflection, error.transmission);
}

enum { DEBYE, LORENTZ, DRUDE, OPAQUE_DRUDE, MEDIA }; /* of the list of slabs */

enum { LINES = 2 };
static const struct {
    const char *scheme, *averaging;
} LINE[LINES] = {{"yee", "area"}, {"fd4o", "moment"}};

/* With E along the faces all media; with H along them those whose permittivity stays clear of zero. */
static void gate_errors(struct validation *validation)
{
    struct setting settings[2 * MEDIA * LINES];
    struct slab_error error[2 * MEDIA * LINES];
    int count = 0;
    for (int n = 0; n < 2 * MEDIA * LINES; n++) { /* those that take longest first */
        int medium = n % MEDIA, line = n / MEDIA % LINES;
        bool meeting = n < MEDIA * LINES;
        bool wanted = validation->quick ? !meeting && line == 1 && (medium == LORENTZ || medium == DRUDE)
                                        : !meeting || medium <= LORENTZ;
        if (wanted) {
            settings[count++] =
                (struct setting){&DISPERSIVE_SLAB[medium], LINE[line].scheme, LINE[line].averaging, meeting, 20, 0.3};
        }
    }
    solve_settings(validation, count, settings, error);
    for (int n = count - 1; n >= 0; n--) {
        case_gate(validation, larger(error[n]), 0.01, "%s, %s, %s along the faces, 20 cells a wavelength inside: %s",
                  settings[n].scheme, settings[n].averaging, settings[n].meeting ? "H" : "E", settings[n].slab->name);
    }
}

/* Across a face E is as large on either side as the permittivities are small, and what a cell with a face in it has is
 * near the inverse of a mean of inverses: where the permittivity passes zero or is negative, no share of passive poles
 * has that. */
static void show_plasmas(struct validation *validation)
{
    enum { OFFSETS = 2, COUNT = 2 * OFFSETS * LINES };
    struct setting settings[COUNT];
    struct slab_error error[COUNT];
    for (int n = 0; n < COUNT; n++) {
        int line = n / OFFSETS % LINES;
        settings[n] = (struct setting){&DISPERSIVE_SLAB[n < COUNT / 2 ? OPAQUE_DRUDE : DRUDE],
                                       LINE[line].scheme,
                                       LINE[line].averaging,
                                       true,
                                       20,
                                       n % OFFSETS ? 0.3 : 0};
    }
    solve_settings(validation, COUNT, settings, error);
    for (int n = COUNT - 1; n >= 0; n--) {
        case_figure(validation, larger(error[n]), "%s, %s, H along the faces, first face %g cells off a node: %s",
                    settings[n].scheme, settings[n].averaging, settings[n].offset, settings[n].slab->name);
    }
}

/* The worst of three places of the faces between the nodes. */
static void gate_orders(struct validation *validation)
{
    enum { SIZES = 3, OFFSETS = 3, SHOWN = 3, RUNS = SIZES * OFFSETS };
    static const double CELLS[SIZES] = {20, 14, 10};
    struct setting settings[SHOWN * RUNS];
    struct slab_error error[SHOWN * RUNS];
    for (int n = 0; n < SHOWN * RUNS; n++) {
        settings[n] = (struct setting){&DISPERSIVE_SLAB[n / RUNS], "yee", "area", false, CELLS[n % RUNS / OFFSETS],
                                       0.3 * (n % OFFSETS)};
    }
    solve_settings(validation, SHOWN * RUNS, settings, error);
    for (int medium = 0; medium < SHOWN; medium++) {
        double worst[SIZES] = {0};
        for (int n = 0; n < RUNS; n++) {
            worst[n / OFFSETS] = fmax(worst[n / OFFSETS], larger(error[medium * RUNS + n]));
        }
        case_gate_between(validation, -case_slope(SIZES, CELLS, worst), 1.9, INFINITY,
                          "yee, area, E along the faces, %s: order (%.2g at %g cells)", DISPERSIVE_SLAB[medium].name,
                          worst[0], CELLS[0]);
    }
}

static void show_bands(struct validation *validation)
{
    FILE *file = case_data(validation, "band");
    for (int medium = 0; medium < MEDIA; medium++) {
        struct setting setting = {&DISPERSIVE_SLAB[medium], "fd4o", "moment", false, 20, 0.3};
        fprintf(file, "\"%s\"\n", setting.slab->name);
        slab_error(&setting, validation->backend, file);
        fprintf(file, "\n\n");
    }
    case_close(file);
    case_plot(validation, "band",
              "Slabs of dispersive media in three dimensions, E along the faces, fd4o, moment, 20 cells a wavelength "
              "inside: |R| and |T|; lines: the closed form",
              "set multiplot layout 1,2\nset xlabel 'frequency [GHz]'\nset xrange [0.5:1.5]\n"
              "set key below maxcols 2 samplen 1 font ',8'\nset ylabel '|R| [dB]'\nset yrange [-22:2]\n"
              "plot for [k=0:3] data.'-band.dat' index k using 1:3 with lines lt k+1 title columnheader(1), "
              "for [k=0:3] data.'-band.dat' index k using 1:2 with points pt 7 ps 0.6 lt k+1 notitle\n"
              "set ylabel '|T| [dB]'\nset yrange [-22:2]\n"
              "plot for [k=0:3] data.'-band.dat' index k using 1:5 with lines lt k+1 title columnheader(1), "
              "for [k=0:3] data.'-band.dat' index k using 1:4 with points pt 7 ps 0.6 lt k+1 notitle\n"
              "unset multiplot");
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "dispersive_volume", "Walls of dispersive media in three dimensions",
        "A slab across a guide whose modes are plane waves at one angle, against the closed form with the permittivity "
        "of its poles: the largest of |T − T_exact| and |R − R_exact| at 11 frequencies, the incident wave being one. "
        "E "
        "along the faces: 0.5 to 1.5 GHz, 31° to 10°; H along the faces: 0.85 to 1.15 GHz, 45° to 31°. The first face "
        "stands 0.3 cells off a node. With H along the faces a plasma is shown and not gated: its permittivity passes "
        "zero or is negative, and a cell with a face in it then has no passive mean.");
    gate_errors(&validation);
    if (!validation.quick) {
        show_plasmas(&validation);
        gate_orders(&validation);
        show_bands(&validation);
    }
    return case_end(&validation);
}
