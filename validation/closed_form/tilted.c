/* A straight wall at any angle through the grid beside a line source, against the angular spectrum of the slab: by
 * tilt, by thickness down to one cell, by contrast, for each averaging (physics.md sections 1 and 8). The run ends
 * before anything comes back from the edges of the plan, where the wall does not run on straight. */
#include "validation/support/slabs/slab.h"

enum { RECEIVERS = 14, FREQUENCIES = 3, AVERAGINGS = 3, SPECTRUM = 6000, ROWS = 5 };
static const char *const AVERAGING[AVERAGINGS] = {"area", "moment", "bandlimited"};

struct wall {
    const char *scheme, *averaging;
    double permittivity, conductivity; /* -, S/m */
    double thickness, tilt, cell;      /* m, rad, m */
};

static const double CENTRE = 2.4e9, WIDTH = 0.48e9; /* Hz */
static const double SIDE = 4.2, SOURCE = 0.45, BEFORE = 0.3,
                    BEHIND = 0.35;            /* m: the plan; distances from the wall's middle */
static const double AT[2] = {2.1137, 2.0911}; /* m: the wall's middle, on no node */

/* Along the wall and across it, the source at (0, -SOURCE): before it and behind. */
static void receiver_at(int r, double *along, double *across)
{
    *along = (r % (RECEIVERS / 2) - 2) * 0.17;
    *across = r < RECEIVERS / 2 ? -BEFORE : BEHIND;
}

static struct coefficients slab(const struct wall *wall, double frequency, double complex k_along)
{
    double w = 2 * M_PI * frequency, k = w / SPEED_OF_LIGHT;
    double complex permittivity = wall->permittivity - I * wall->conductivity / (w * 8.8541878128e-12);
    double complex outside = csqrt(k * k - k_along * k_along), inside = csqrt(k * k * permittivity - k_along * k_along);
    outside = cimag(outside) > 0 ? -outside : outside;
    return slab_law((outside - inside) / (outside + inside), inside, wall->thickness);
}

/* Ez over -w mu0/4 of a unit line current: (1/pi) int {R e^{-j ky (d0 + d)}, T e^{-j ky (d0 + d)}} e^{-j kx x} dkx /
 * ky, on a path that keeps off the branch points and the guided waves of the slab; before the wall and the direct field
 * H0. */
static double complex exact_field(const struct wall *wall, double frequency, double along, double across)
{
    double k = 2 * M_PI * frequency / SPEED_OF_LIGHT, reach = 3 * sqrt(wall->permittivity) * k;
    double distance = SOURCE - wall->thickness / 2 + fabs(across) - wall->thickness / 2;
    double complex sum = across < 0 ? solve_hankel(k * hypot(along, across + SOURCE)) : 0;
    for (int n = 0; n < SPECTRUM; n++) {
        double t = reach * ((n + 0.5) / SPECTRUM * 2 - 1), hump = exp(-pow(t / reach, 2) * 4), height = 0.06;
        double complex k_along = t + I * height * t * hump, slope = 1 + I * height * hump * (1 - 8 * pow(t / reach, 2));
        double complex k_across = csqrt(k * k - k_along * k_along);
        k_across = cimag(k_across) > 0 ? -k_across : k_across;
        struct coefficients slab_there = slab(wall, frequency, k_along);
        double complex part = across < 0 ? slab_there.reflection : slab_there.transmission;
        sum += part * cexp(-I * (k_across * distance + k_along * along)) / k_across * slope * (2 * reach / SPECTRUM) /
               M_PI;
    }
    return sum;
}

/* ||E - exact|| / ||exact|| over receivers and frequencies; NAN when the averaging refuses the contrast. */
static double wall_error(const struct wall *wall, const char *backend)
{
    const double c = cos(wall->tilt), s = sin(wall->tilt),
                 frequency[FREQUENCIES] = {CENTRE - 0.15e9, CENTRE, CENTRE + 0.15e9};
    struct text text = {0};
    text_add(&text,
             "plan: {size: [%g, %g], walls: [{from: [%.12g, %.12g], to: [%.12g, %.12g], thickness: %.12g, material: "
             "{relative_permittivity: %g, conductivity: %g S/m}}]}\n"
             "grid: {scheme: %s, averaging: %s, cell: %.12g, courant: %g, absorber: {cells: 16}}\n"
             "band: {centre: %g, width: %g}\n"
             "transmitters: [{name: t, at: [%.12g, %.12g], waveform: {kind: modulated-gaussian, frequency: %g, width: "
             "1.3 ns, delay: 5.2 ns}}]\nspectra: off\nstop: {after: 19 ns, decay: off}\nreceivers:\n",
             SIDE, SIDE, AT[0] - 4 * c, AT[1] - 4 * s, AT[0] + 4 * c, AT[1] + 4 * s, wall->thickness,
             wall->permittivity, wall->conductivity, wall->scheme, wall->averaging, wall->cell,
             wall->permittivity > 6 ? 0.2 : 0.4, CENTRE, WIDTH, AT[0] + SOURCE * s, AT[1] - SOURCE * c, CENTRE);
    for (int r = 0; r < RECEIVERS; r++) {
        double along, across;
        receiver_at(r, &along, &across);
        text_add(&text, "  - {name: r%d, at: [%.12g, %.12g]}\n", r, AT[0] + along * c - across * s,
                 AT[1] + along * s + across * c);
    }
    struct solved solved = {0};
    pw_error error = {{0}};
    case_require(pw_scenario_parse("tilted", text.text, NULL, 0, &solved.scenario, &error), error.message);
    if (pw_setup_create(solved.scenario, PW_SINGLE, false, &solved.setup, &error) != PW_OK) {
        pw_scenario_free(solved.scenario);
        free(text.text);
        return NAN;
    }
    case_require(pw_simulation_create(solved.setup, &(pw_compute){.backend = backend, .threads = solve_threads()}, 0, 1,
                                      &solved.simulation, &error),
                 error.message);
    case_require(pw_simulation_run(solved.simulation, NULL, NULL, &error), error.message);
    double difference = 0, norm = 0;
    double complex field[RECEIVERS][FREQUENCIES];
    case_transfer(&solved, 0, FREQUENCIES, frequency, true, field[0]);
    for (int r = 0; r < RECEIVERS; r++) {
        double along, across;
        receiver_at(r, &along, &across);
        for (int f = 0; f < FREQUENCIES; f++) {
            double complex exact = exact_field(wall, frequency[f], along, across);
            difference += pow(cabs(field[r][f] / (-2 * M_PI * frequency[f] * 1e-7 * M_PI) - exact), 2);
            norm += pow(cabs(exact), 2);
        }
    }
    solve_free(&solved);
    free(text.text);
    return sqrt(difference / norm);
}

/* error[k] of walls[k]. */
static void wall_errors(const struct validation *validation, int count, const struct wall *walls, double *error)
{
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(validation, PW_SINGLE, false))
    for (int k = 0; k < count; k++) {
        error[k] = wall_error(&walls[k], validation->backend);
    }
}

static void sweep_tilt(struct validation *validation)
{
    static const double TILTS[] = {0, 5, 15, 22.5, 30, 45};
    struct wall walls[6 * AVERAGINGS];
    double error[6 * AVERAGINGS], worst[AVERAGINGS] = {0};
    int first = validation->quick ? 3 : 0, count = validation->quick ? 1 : 6; /* tilts */
    for (int k = 0; k < count * AVERAGINGS; k++) {
        double tilt = TILTS[first + k / AVERAGINGS] * M_PI / 180;
        walls[k] = (struct wall){"dd4", AVERAGING[k % AVERAGINGS], 2.89, 0.002, 0.07, tilt, 0.01};
    }
    wall_errors(validation, count * AVERAGINGS, walls, error);
    FILE *file = case_data(validation, "tilt");
    for (int t = 0; t < count; t++) {
        fprintf(file, "%g", TILTS[first + t]);
        for (int a = 0; a < AVERAGINGS; a++) {
            worst[a] = fmax(worst[a], error[t * AVERAGINGS + a]);
            fprintf(file, " %g", 100 * error[t * AVERAGINGS + a]);
        }
        fprintf(file, "\n");
    }
    case_close(file);
    for (int a = 0; a < AVERAGINGS; a++) {
        case_gate(validation, worst[a], a == 0 ? 0.06 : 0.03, "dd4, %s, 7 cm wall, 1 cm cells: worst tilt",
                  AVERAGING[a]);
    }
    if (!validation->quick) {
        struct wall air = {"dd4", "area", 1, 0, 0.07, 0, 0.01};
        case_figure(validation, wall_error(&air, validation->backend), "the same without a wall");
        case_plot(
            validation, "tilt",
            "Plan A's wall, 7 cm, at 2.4 GHz on 1 cm cells, dd4: error of the field before and behind it by its "
            "angle to the grid",
            "set xlabel 'tilt [degrees]'\nset ylabel 'complex error [%]'\nset xrange [-2:47]\nset yrange [0:*]\n"
            "names = 'area moment bandlimited'\nplot for [k=1:3] data.'-tilt.dat' using 1:k+1 with linespoints pt "
            "7 ps 0.8 lt k+1 title word(names,k)");
    }
}

/* Rows of a table: the wall as it stands and tilted by 22.5 degrees, each averaging. */
static void show_rows(struct validation *validation, const char *unit, const double *label, const struct wall *wall)
{
    struct wall walls[ROWS * 2 * AVERAGINGS];
    double error[ROWS * 2 * AVERAGINGS];
    for (int k = 0; k < ROWS * 2 * AVERAGINGS; k++) {
        walls[k] = wall[k / (2 * AVERAGINGS)];
        walls[k].tilt = k / AVERAGINGS % 2 * M_PI / 8;
        walls[k].averaging = AVERAGING[k % AVERAGINGS];
    }
    wall_errors(validation, ROWS * 2 * AVERAGINGS, walls, error);
    for (int k = 0; k < ROWS * 2 * AVERAGINGS; k++) {
        if (k % (2 * AVERAGINGS) == 0) {
            case_text(validation, "| %g%s |", label[k / (2 * AVERAGINGS)], unit);
        }
        if (isnan(error[k])) {
            case_text(validation, " refused |");
        } else {
            case_text(validation, " %.2g |", 100 * error[k]);
        }
        if (k % (2 * AVERAGINGS) == 2 * AVERAGINGS - 1) {
            case_text(validation, "\n");
        }
    }
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(argc, argv, "tilted", "A wall at an angle",
                                              "A line source 0.45 m before a straight wall, seven receivers on each "
                                              "side, 2.25, 2.4 and 2.55 GHz, against the "
                                              "angular spectrum of the slab (complex T and R of every plane wave, "
                                              "evanescent ones too): ‖E − E_exact‖/‖E_exact‖; "
                                              "the run ends before an echo of the plan's edge arrives.");
    sweep_tilt(&validation);
    if (!validation.quick) {
        static const double CELLS[ROWS] = {0.75, 1.5, 2, 3, 5}, CONTRAST[ROWS] = {1.5, 2.89, 5.24, 9, 12};
        static const char HEAD[] = "area | moment | bandlimited | area, 22.5° | moment, 22.5° | bandlimited, 22.5° |\n"
                                   "| --- | --- | --- | --- | --- | --- | --- |\n";
        struct wall thin[ROWS], contrast[ROWS];
        for (int k = 0; k < ROWS; k++) {
            double wavelength = SPEED_OF_LIGHT / CENTRE / sqrt(CONTRAST[k]);
            thin[k] = (struct wall){"dd4", "", 2.89, 0.002, CELLS[k] * 0.01, 0, 0.01};
            contrast[k] = (struct wall){"dd4", "", CONTRAST[k], 0.002, 0.5 * wavelength, 0, wavelength / 10};
        }
        case_text(&validation, "\nThin walls of εr = 2.89 on 1 cm cells, dd4, error in per cent:\n\n| thickness | %s",
                  HEAD);
        show_rows(&validation, " cells", CELLS, thin);
        case_text(&validation,
                  "\nContrast, walls half a wavelength thick at 10 cells per wavelength in the wall, dd4, error in per "
                  "cent:\n\n| εr | %s",
                  HEAD);
        show_rows(&validation, "", CONTRAST, contrast);
        case_text(&validation, "\n");
    }
    return case_end(&validation);
}
