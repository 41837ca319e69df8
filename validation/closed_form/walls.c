/* Averaging of walls at the nodes (physics.md section 1): the error of T and R as a face moves through a cell; and that
 * nothing grows over 64 000 steps on the floor plans, where the weights of moment averaging reach under zero. */
#include "validation/support/slabs/slab.h"

enum { OFFSETS = 9, AVERAGINGS = 4 };
static const char *const AVERAGING[AVERAGINGS] = {"point", "area", "moment", "bandlimited"};

struct wall_error {
    double reflection, transmission;
};

/* Plan A's wall, 7 cm, at 2.4 GHz and 30 degrees on cells of 1 cm: complex error at the band's centre. */
static struct wall_error wall_error(const char *averaging, double offset, const char *backend)
{
    const double cell = 0.01, frequency = 2.4e9, thickness = 0.07, permittivity = 2.89, conductivity = 0.002;
    double face = 0.4 + offset * cell, angle = M_PI / 6;
    struct strip strip = {.scheme = "dd4",
                          .averaging = averaging,
                          .cell = cell,
                          .frequency = frequency,
                          .width = 0.2 * frequency,
                          .angle = angle,
                          .length = 0.9,
                          .source = 0.08,
                          .layer = 24,
                          .face = face,
                          .thickness = thickness,
                          .receiver_count = 4,
                          .receiver = {face - 0.2, face, face + thickness, face + thickness + 0.2}};
    struct coefficients found;
    slab_measure(&strip, "{relative_permittivity: 2.89, conductivity: 0.002 S/m}", backend, 1, &frequency, &found);
    double w = 2 * M_PI * frequency, k = w / SPEED_OF_LIGHT, k_y = strip_wave_number_across(&strip);
    double complex inside = csqrt(k * k * (permittivity - I * conductivity / (w * 8.8541878128e-12)) - k_y * k_y);
    double complex outside = csqrt(k * k - k_y * k_y);
    struct coefficients law = slab_law((outside - inside) / (outside + inside), inside, thickness);
    return (struct wall_error){cabs(found.reflection - law.reflection), cabs(found.transmission - law.transmission)};
}

static void sweep_face(struct validation *validation)
{
    struct wall_error error[OFFSETS][AVERAGINGS];
    double worst[AVERAGINGS] = {0};
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(validation, PW_DOUBLE, false))
    for (int k = 0; k < OFFSETS * AVERAGINGS; k++) {
        int o = k / AVERAGINGS, a = k % AVERAGINGS;
        error[o][a] = wall_error(AVERAGING[a], (double)o / (OFFSETS - 1), validation->backend);
    }
    FILE *file = case_data(validation, "face");
    for (int o = 0; o < OFFSETS; o++) {
        fprintf(file, "%g", (double)o / (OFFSETS - 1));
        for (int a = 0; a < AVERAGINGS; a++) {
            fprintf(file, " %g %g", error[o][a].transmission, error[o][a].reflection);
            worst[a] = fmax(worst[a], fmax(error[o][a].transmission, error[o][a].reflection));
        }
        fprintf(file, "\n");
    }
    case_close(file);
    case_figure(validation, worst[0],
                "dd4, point, 7.3 cells per wavelength in the wall: worst of T and R over the faces");
    case_figure(validation, worst[1], "dd4, area, the same");
    case_gate(validation, worst[2], worst[1] / 2, "dd4, moment, the same: at most half of area's");
    case_gate(validation, worst[3], worst[2], "dd4, bandlimited, the same: at most moment's");
    case_plot(
        validation, "face",
        "Plan A's wall, 7 cm, 2.4 GHz at 30°, 1 cm cells, dd4: error of T (solid) and R (dashed) as the faces move "
        "through a cell",
        "set logscale y\nset xlabel 'face from node [cells]'\nset ylabel '|error|'\nset yrange [1e-5:1]\n"
        "set format y '10^{%T}'\nnames = 'point area moment bandlimited'\n"
        "plot for [k=1:4] data.'-face.dat' using 1:(column(2*k)) with linespoints pt 7 ps 0.7 lt k+1 title "
        "word(names,k), for [k=1:4] '' using 1:(column(2*k+1)) with linespoints pt 6 ps 0.7 lt k+1 dt 2 "
        "notitle");
}

/* Energy late over energy early, the source being over. */
static double growth(const char *plan, const char *scheme, const char *averaging, const char *backend, int steps)
{
    char path[256], set[8][64];
    snprintf(path, sizeof path, "floorplans/%s.yaml", plan);
    snprintf(set[0], sizeof set[0], "grid.scheme=%s", scheme);
    snprintf(set[1], sizeof set[1], "grid.averaging=%s", averaging);
    snprintf(set[2], sizeof set[2], "grid.cell=3 cm");
    snprintf(set[3], sizeof set[3], "band.centre=1 GHz");
    snprintf(set[4], sizeof set[4], "band.width=250 MHz");
    snprintf(set[5], sizeof set[5], "spectra=off");
    snprintf(set[6], sizeof set[6], "stop.steps=%d", steps);
    snprintf(set[7], sizeof set[7], "stop.after=1 ms");
    const char *overrides[8];
    for (int k = 0; k < 8; k++) {
        overrides[k] = set[k];
    }
    struct solved solved = {0};
    pw_error error = {{0}};
    case_require(pw_scenario_load(path, overrides, 8, &solved.scenario, &error), error.message);
    case_require(pw_setup_create(solved.scenario, PW_SINGLE, false, &solved.setup, &error), error.message);
    case_require(pw_simulation_create(solved.setup, &(pw_compute){.backend = backend, .threads = solve_threads()}, 0, 1,
                                      &solved.simulation, &error),
                 error.message);
    double early = 0, late = 0;
    case_require(pw_simulation_advance(solved.simulation, 4000, &error), error.message);
    case_require(stepper_energy(solved.simulation->stepper, 0, &early, &error), error.message);
    case_require(pw_simulation_advance(solved.simulation, steps - 4000, &error), error.message);
    case_require(stepper_energy(solved.simulation->stepper, 0, &late, &error), error.message);
    solve_free(&solved);
    return late / early;
}

static void watch_growth(struct validation *validation)
{
    static const struct {
        const char *plan, *averaging;
    } RUNS[] = {
        {"flat_geometry", "moment"}, {"flat_geometry", "bandlimited"}, {"office", "moment"}, {"corridor", "moment"}};
    int count = validation->quick ? 1 : 4, steps = validation->quick ? 16000 : 64000;
    double grown[4];
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(validation, PW_SINGLE, true))
    for (int k = 0; k < count; k++) {
        grown[k] = growth(RUNS[k].plan, "dd4", RUNS[k].averaging, validation->backend, steps);
    }
    for (int k = 0; k < count; k++) {
        case_gate(validation, grown[k], 1, "%s: dd4, %s: energy late over early", RUNS[k].plan, RUNS[k].averaging);
    }
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(argc, argv, "walls", "Averaging of walls",
                                              "How the error of a thin wall depends on where its faces lie between the "
                                              "nodes, by averaging; and the energy 64 000 "
                                              "steps on over that after 4000 on the floor plans (3 cm cells, 1 GHz, "
                                              "single precision). Orders by cell: `slab`, "
                                              "`cylinder`, `plan_a`.");
    if (!validation.quick) {
        sweep_face(&validation);
    }
    watch_growth(&validation);
    return case_end(&validation);
}
