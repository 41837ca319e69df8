/* Plan A all over: the field at the centre of both bands at every 4 cm of the floor against the integral equation's
 * maps, and the transfer function of one probe over the upper band beside Meep's. The walls are moved by a quarter of a
 * centimetre, so that nodes lie where the maps have their points. */
#include "validation/plan_a/plan_a.h"

#include <hdf5.h>

enum { SIDE = 324, MEEP_FREQUENCIES = 121 };

static const double SPACING = 0.04, FIRST = 1.2025, SHIFT = 0.0025; /* m */
/* The field of a line source is singular: points nearer than this to it are left out. */
static const double NEAR = 0.1; /* m */

struct setting {
    const char *name, *file; /* of the plot; dataset of the reference */
    int band;
    double centre, width, cell; /* Hz, m */
    double accuracy;            /* of the reference: its own error at 5 mm */
    double gate;                /* the reference's own error, and 1 % and 3 % for ours */
};

static const struct setting SETTINGS[PLAN_A_BANDS] = {
    {"dd4, bandlimited, 2 cm, 1.0 GHz", "1000MHz", 0, 1.0e9, 0.3e9, 0.02, 0.002, 0.012},
    {"dd4, bandlimited, 1 cm, 2.4 GHz", "2400MHz", 1, 2.4e9, 0.6e9, 0.01, 0.025, 0.055},
};

typedef float complex map[SIDE][SIDE];

static void read_map(const char *name, map reference)
{
    static const char PATH[] = "validation/reference/plan_a_integral_equation_maps.h5";
    hid_t file = H5Fopen(PATH, H5F_ACC_RDONLY, H5P_DEFAULT), set = file < 0 ? -1 : H5Dopen2(file, name, H5P_DEFAULT);
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(float complex)), space = set < 0 ? -1 : H5Dget_space(set);
    bool good = type >= 0 && space >= 0 && H5Sget_simple_extent_npoints(space) == SIDE * SIDE &&
                H5Tinsert(type, "r", 0, H5T_NATIVE_FLOAT) >= 0 &&
                H5Tinsert(type, "i", sizeof(float), H5T_NATIVE_FLOAT) >= 0 &&
                H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, reference) >= 0;
    if (!good || H5Sclose(space) < 0 || H5Tclose(type) < 0 || H5Dclose(set) < 0 || H5Fclose(file) < 0) {
        fprintf(stderr,
                "%s: dataset %s cannot be read as %d x %d complex numbers: validation runs from the root of the "
                "repository\n",
                PATH, name, SIDE, SIDE);
        exit(2);
    }
}

/* G at the points of the reference, and the transfer function of the probes at the frequencies. */
static double solve_map(struct validation *validation, const struct setting *setting, map field, int count,
                        const double *frequency, double complex *probes)
{
    const char *backend = validation->backend;
    char grid[256];
    snprintf(grid, sizeof grid,
             "scheme: dd4, averaging: bandlimited, cell: %g, courant: 0.45, absorber: {kind: upml, cells: 16}",
             setting->cell);
    struct text text = plan_a_scenario(grid, setting->centre, setting->width, SHIFT);
    double low = FIRST - SHIFT, high = low + (SIDE - 1) * SPACING;
    text_add(
        &text,
        "spectra: {count: 1, spacing: %d cells, region: [%.9g, %.9g, %.9g, %.9g]}\nstop: {after: 300 ns, decay: off}\n",
        (int)lrint(SPACING / setting->cell), low, low, high, high);
    const char *engine = backend;
    if (strcmp(backend, "reference") == 0 && setting->cell < 0.015) { /* minutes of plain loops */
        case_gate(validation, !case_same_bits(text.text, backend), 0,
                  "%s: the cpu's answer, after a tenth of it on the reference; bits that differ", setting->name);
        engine = "cpu";
    }
    struct solved solved = solve(text.text, PW_SINGLE, engine);
    const struct spectra *lattice = &solved.setup->problem.spectra;
    double *spectra = calloc(2 * (size_t)SIDE * SIDE, sizeof *spectra), current[2];
    if (spectra == NULL || lattice->rows != SIDE || lattice->columns != SIDE) {
        fprintf(stderr, "plan_a_map: %d x %d points, not %d squared\n", lattice->rows, lattice->columns, SIDE);
        exit(2);
    }
    pw_error error = {{0}};
    case_require(pw_simulation_spectra(solved.simulation, 0, 0, SIDE, spectra, &error), error.message);
    case_require(pw_simulation_source_spectrum(solved.simulation, 0, current, &error), error.message);
    double complex unit = (current[0] + I * current[1]) * case_line_field(setting->centre, 1);
    for (int n = 0; n < SIDE * SIDE; n++) {
        field[n / SIDE][n % SIDE] = (float complex)((spectra[2 * n] + I * spectra[2 * n + 1]) / unit);
    }
    free(spectra);
    if (count > 0) {
        case_transfer(&solved, 0, count, frequency, true, probes);
    }
    double seconds = solved.simulation->seconds;
    solve_free(&solved);
    free(text.text);
    return seconds;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void gate_map(struct validation *validation, const struct setting *setting, map field, map reference)
{
    static double level[SIDE * SIDE];
    double difference = 0, norm = 0;
    int count = 0;
    for (int r = 0; r < SIDE; r++) {
        for (int c = 0; c < SIDE; c++) {
            if (hypot(FIRST + c * SPACING - 7.68, FIRST + r * SPACING - 7.68) > NEAR) {
                difference += pow(cabsf(field[r][c] - reference[r][c]), 2);
                norm += pow(cabsf(reference[r][c]), 2);
                level[count++] = fabs(20 * log10(cabsf(field[r][c]) / cabsf(reference[r][c])));
            }
        }
    }
    qsort(level, (size_t)count, sizeof level[0], compare_doubles);
    case_gate(validation, sqrt(difference / norm), setting->gate, "%s: complex error over the floor", setting->name);
    case_figure(validation, setting->accuracy, "  of which the reference's own, at 5 mm, about");
    case_figure(validation, level[count / 2], "  level, half of the points within [dB]");
    case_figure(validation, level[(int)(0.95 * count)], "  level, 95 in 100 points within [dB]");
}

/* Rows "x y level error": dB, the error under the root mean square of the reference. */
static void write_map(const struct validation *validation, const struct setting *setting, map field, map reference)
{
    double norm = 0;
    for (int n = 0; n < SIDE * SIDE; n++) {
        norm += pow(cabsf(reference[n / SIDE][n % SIDE]), 2) / (SIDE * SIDE);
    }
    FILE *file = case_data(validation, setting->file);
    for (int r = 0; r < SIDE; r += 2) {
        for (int c = 0; c < SIDE; c += 2) {
            fprintf(file, "%g %g %.2f %.2f\n", FIRST + c * SPACING, FIRST + r * SPACING, 20 * log10(cabsf(field[r][c])),
                    20 * log10(cabsf(field[r][c] - reference[r][c]) / sqrt(norm)));
        }
        fprintf(file, "\n");
    }
    case_close(file);
}

/* Frequencies of Meep's answer and its G of the north probe, 5 mm. */
static void read_meep(double *frequency, double complex *meep)
{
    FILE *file = fopen("validation/reference/plan_a_meep_2400MHz.csv", "r");
    char line[256], probe[32];
    int count = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL && count < MEEP_FREQUENCIES) {
        double hertz, re, im;
        if (sscanf(line, "%lf,%31[a-z],%lf,%lf", &hertz, probe, &re, &im) == 4 && strcmp(probe, "north") == 0) {
            frequency[count] = hertz;
            meep[count++] = re + I * im;
        }
    }
    if (file == NULL || fclose(file) != 0 || count != MEEP_FREQUENCIES) {
        fprintf(stderr, "plan_a_meep_2400MHz.csv: %d frequencies, not %d\n", count, MEEP_FREQUENCIES);
        exit(2);
    }
}

/* `transfer` (probe, frequency): ours. */
static void show_spectrum(struct validation *validation, const double *frequency, const double complex *meep,
                          const double complex *transfer)
{
    struct plan_a_answer answer = plan_a_integral_equation(1);
    FILE *file = case_data(validation, "north");
    for (int f = 0; f < MEEP_FREQUENCIES; f++) {
        double complex g = transfer[f] / case_line_field(frequency[f], 1);
        fprintf(file, "%g %g %g\n", frequency[f] * 1e-9, 20 * log10(cabs(g)), 20 * log10(cabs(meep[f])));
    }
    fprintf(file, "\n\n");
    for (int f = 0; f < PLAN_A_FREQUENCIES; f++) {
        fprintf(file, "%g %g\n", answer.frequency[f] * 1e-9, 20 * log10(cabs(answer.g[0][f])));
    }
    case_close(file);
    case_plot(validation, "north",
              "North probe, level against free space at 1 m: integral equation (points), planwave dd4 bandlimited with "
              "1 cm cells, Meep 1.25 with 5 mm cells",
              "set xlabel 'frequency [GHz]'\nset ylabel 'level [dB]'\nset key inside bottom left reverse Left\nset "
              "xrange [2.1:2.7]\n"
              "plot data.'-north.dat' index 0 using 1:2 with lines lw 1.5 lt 2 title 'planwave, 1 cm', "
              "'' index 0 using 1:3 with lines lw 1.5 lt 4 title 'Meep, 5 mm', "
              "'' index 1 using 1:2 with points pt 7 ps 1 lt 1 title 'integral equation'");
}

int main(int argc, char **argv)
{
    static map field, reference;
    static double frequency[MEEP_FREQUENCIES];
    static double complex meep[MEEP_FREQUENCIES], transfer[PLAN_A_PROBES * MEEP_FREQUENCIES];
    struct validation validation = case_begin(
        argc, argv, "plan_a_map", "Plan A over the floor",
        "G at the band's centre at 324 × 324 points against the integral equation's maps (5 mm cells, not "
        "extrapolated), ‖G − G_ref‖/‖G_ref‖ over all points farther than 10 cm from the transmitter, walls included; "
        "running spectra, warped, single precision, 300 ns.");
    read_meep(frequency, meep);
    for (int b = 0; b < (validation.quick ? 1 : PLAN_A_BANDS); b++) {
        read_map(SETTINGS[b].file, reference);
        double seconds =
            solve_map(&validation, &SETTINGS[b], field, b == 1 ? MEEP_FREQUENCIES : 0, frequency, transfer);
        gate_map(&validation, &SETTINGS[b], field, reference);
        case_figure(&validation, seconds, "  solve time [s]");
        write_map(&validation, &SETTINGS[b], field, reference);
    }
    if (!validation.quick) {
        case_plot(
            &validation, "floor",
            "Level against free space at 1 m (left), and the error against the integral equation, under the root "
            "mean square of the field (right); 1.0 GHz above, 2.4 GHz below",
            "set multiplot layout 2,2\nset size ratio -1\nset xrange [1.2:14.16]\nset yrange [1.2:14.16]\nunset key\n"
            "unset grid\nset xtics 4\nset ytics 4\nset palette defined (0 '#0d1b4c', 1 '#2a78b8', 2 '#8fd0c0', 3 "
            "'#fdf3b0')\nset lmargin 4\nset rmargin 8\n"
            "do for [band in '1000MHz 2400MHz'] {\n"
            "set cbrange [-30:5]\nset title (band eq '1000MHz' ? '1.0 GHz' : '2.4 GHz').', level [dB]'\n"
            "plot data.'-'.band.'.dat' using 1:2:3 with image\n"
            "set cbrange [-60:-20]\nset title 'error [dB]'\n"
            "plot data.'-'.band.'.dat' using 1:2:4 with image\n}\nunset multiplot");
        show_spectrum(&validation, frequency, meep, transfer);
    }
    return case_end(&validation);
}
