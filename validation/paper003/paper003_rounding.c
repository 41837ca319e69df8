/* Error growth of single precision in the four rounding modes of IEEE 754 against double: paper 003, tables 1 and 2 and
 * figure 5. The mode is the thread's, so one thread advances; what is made before (tables, coefficients) is rounded to
 * nearest. */
#include "validation/plan_a/plan_a.h"

#include <fenv.h>

enum { SCHEME_TOTAL = 4, MODE_TOTAL = 4, SAMPLE_LIMIT = 256 };

static const char *const SCHEMES[SCHEME_TOTAL] = {"yee", "dd2", "dd3", "dd4"};
static const int MODES[MODE_TOTAL] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
static const char *const MODE_NAMES[MODE_TOTAL] = {"nearest", "chop", "down", "up"};
/* Table 1 of the paper: per time step and cell. */
static const double PRINTED[MODE_TOTAL][SCHEME_TOTAL] = {{9.2228e-14, 1.0449e-13, 1.0985e-13, 1.1251e-13},
                                                         {2.5734e-13, 2.6138e-13, 2.6347e-13, 2.6299e-13}};

struct series {
    int count;
    double step[SAMPLE_LIMIT], error[SAMPLE_LIMIT];
};

/* A box of cells x cells of `cell` [m], absorber included, a Gaussian of 1 GHz in its middle. */
static struct solved prepare(const char *scheme, double cell, pw_precision precision, const char *backend, int cells,
                             int steps)
{
    char text[1024];
    snprintf(text, sizeof text,
             "plan: {size: [%g, %g]}\n"
             "grid: {scheme: %s, cell: %g, courant: 0.5, absorber: {kind: upml, cells: 16}}\n"
             "band: {centre: 0.8 GHz, width: 0.2 GHz}\n"
             "transmitters: [{name: t, at: [%g, %g], waveform: {kind: gaussian, width: 0.5 ns, delay: 1.5 ns}}]\n"
             "spectra: off\nstop: {steps: %d}\n",
             (cells - 32) * cell, (cells - 32) * cell, scheme, cell, (cells / 2 - 16) * cell, (cells / 2 - 16) * cell,
             steps);
    struct solved solved = {0};
    pw_error error = {{0}};
    case_require(pw_scenario_parse("figure 5", text, NULL, 0, &solved.scenario, &error), error.message);
    case_require(pw_setup_create(solved.scenario, precision, false, &solved.setup, &error), error.message);
    case_require(pw_simulation_create(solved.setup, &(pw_compute){.backend = backend, .threads = 1}, 0, 1,
                                      &solved.simulation, &error),
                 error.message);
    return solved;
}

static void advance(struct solved *solved, int mode, int steps, double *ez)
{
    pw_error error = {{0}};
    fesetround(mode);
    pw_status status = pw_simulation_advance(solved->simulation, steps, &error);
    fesetround(FE_TONEAREST);
    case_require(status, error.message);
    case_require(pw_simulation_field(solved->simulation, 0, ez, &error), error.message);
}

static double relative_error(const double *test, const double *reference, size_t count)
{
    double difference = 0, norm = 0;
    for (size_t n = 0; n < count; n++) {
        difference += (test[n] - reference[n]) * (test[n] - reference[n]);
        norm += reference[n] * reference[n];
    }
    return norm > 0 ? sqrt(difference / norm) : 0;
}

/* A device rounds to nearest whatever the host's mode: there is that mode alone. */
static int mode_count(const char *backend)
{
    return strcmp(backend, "cuda") == 0 ? 1 : MODE_TOTAL;
}

static void solve_scheme(const char *scheme, const char *backend, int cells, int steps,
                         struct series series[MODE_TOTAL])
{
    int modes = mode_count(backend);
    struct solved exact = prepare(scheme, 0.0025, PW_DOUBLE, backend, cells, steps), single[MODE_TOTAL];
    size_t nodes = (size_t)cells * (size_t)cells;
    double *reference = calloc(nodes, sizeof(double)), *test = calloc(nodes, sizeof(double));
    for (int m = 0; m < modes; m++) {
        single[m] = prepare(scheme, 0.0025, PW_SINGLE, backend, cells, steps);
        series[m].count = 0;
    }
    for (int s = 0; s < SAMPLE_LIMIT; s++) {
        advance(&exact, FE_TONEAREST, steps / SAMPLE_LIMIT, reference);
        for (int m = 0; m < modes; m++) {
            advance(&single[m], MODES[m], steps / SAMPLE_LIMIT, test);
            series[m].step[s] = (double)exact.simulation->step;
            series[m].error[s] = relative_error(test, reference, nodes);
            series[m].count++;
        }
    }
    for (int m = 0; m < modes; m++) {
        solve_free(&single[m]);
    }
    solve_free(&exact);
    free(reference);
    free(test);
}

/* Slope of a linear regression over the first half of the run, per step and cell. */
static double rate(const struct series *series, int cells)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0, n = series->count / 2;
    for (int k = 0; k < series->count / 2; k++) {
        sx += series->step[k], sy += series->error[k];
        sxx += series->step[k] * series->step[k], sxy += series->step[k] * series->error[k];
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx) / ((double)cells * cells);
}

/* Schemes whose bits are not the reference's when rounding to nearest, on a smaller box. In the other modes a - b and
 * -(b - a) differ, so that images at the walls, subtracted the other way round, show: there the errors are compared,
 * not the bits. */
static double modes_differ(const char *backend, double *ratio)
{
    double differences = 0;
    *ratio = 1;
    for (int s = 0; s < SCHEME_TOTAL; s++) {
        struct solved exact = prepare(SCHEMES[s], 0.0025, PW_DOUBLE, backend, 96, 400);
        static double reference[96 * 96], ez[2][96 * 96];
        advance(&exact, FE_TONEAREST, 400, reference);
        for (int m = 0; m < mode_count(backend); m++) {
            struct solved one = prepare(SCHEMES[s], 0.0025, PW_SINGLE, "reference", 96, 400);
            struct solved other = prepare(SCHEMES[s], 0.0025, PW_SINGLE, backend, 96, 400);
            advance(&one, MODES[m], 400, ez[0]);
            advance(&other, MODES[m], 400, ez[1]);
            differences += m == 0 && memcmp(ez[0], ez[1], sizeof ez[0]) != 0;
            double r = relative_error(ez[1], reference, 96 * 96) / relative_error(ez[0], reference, 96 * 96);
            *ratio = fmax(*ratio, fmax(r, 1 / r));
            solve_free(&one);
            solve_free(&other);
        }
        solve_free(&exact);
    }
    return differences;
}

/* What single precision does to a channel: largest ||G - G_double|| / ||G_double|| of the probes of plan A, dd4, 2 cm,
 * both bands. */
static double channel_error(const char *backend)
{
    struct text text =
        plan_a_scenario("scheme: dd4, cell: 2 cm, courant: 0.5, absorber: {kind: upml, cells: 16}", 1.775e9, 1.85e9, 0);
    text_add(&text, "spectra: off\nstop: {after: 150 ns, decay: off}\n");
    struct solved exact = solve(text.text, PW_DOUBLE, backend), single = solve(text.text, PW_SINGLE, backend);
    double worst = 0;
    for (int b = 0; b < PLAN_A_BANDS; b++) {
        struct plan_a_answer answer = plan_a_integral_equation(b);
        double complex g[2][PLAN_A_PROBES][PLAN_A_FREQUENCIES];
        case_transfer(&single, 0, PLAN_A_FREQUENCIES, answer.frequency, true, g[0][0]);
        case_transfer(&exact, 0, PLAN_A_FREQUENCIES, answer.frequency, true, g[1][0]);
        for (int p = 0; p < PLAN_A_PROBES; p++) {
            worst = fmax(worst, plan_a_error(g[0][p], g[1][p]));
        }
    }
    solve_free(&exact);
    solve_free(&single);
    free(text.text);
    return worst;
}

static void plot(struct validation *validation)
{
    case_plot(
        validation, "error", "Error against double by time step, as figure 5 of the paper",
        "set multiplot layout 2,2\n"
        "set logscale y\nset format y '10^{%T}'\nset xtics 4096\nset yrange [1e-7:100]\nset key inside top left "
        "horizontal "
        "samplen 2\n"
        "names = 'yee dd2 dd3 dd4'\nmodes = 'nearest chop down up'\n"
        "do for [s=1:4] {\nset title word(names,s)\nif (s > 2) {set xlabel 'time step'}\n"
        "plot for [m=1:4] data.'-'.word(names,s).'.dat' using 1:(column(m+1)) with lines lt (m==1?1:m==2?4:m==3?2:3) "
        "title word(modes,m)\nunset key\n}\nunset multiplot");
}

int main(int argc, char **argv)
{
    static struct series series[SCHEME_TOTAL][MODE_TOTAL];
    struct validation validation = case_begin(
        argc, argv, "paper003_rounding", "Paper 003, tables 1 and 2, figure 5: error growth of single precision",
        "512 × 512 cells of 2.5 mm, absorber of 16 cells included, a Gaussian of 0.5 ns in the middle, 16384 steps at "
        "half "
        "the Courant limit: error of eq. 8 of single precision against double in four rounding modes; its slope by "
        "linear "
        "regression over the first 8192 steps, per step and cell (the paper's is over all: there the static field that "
        "such a "
        "pulse leaves stays, and eq. 8 divides by it; here the absorber with its shifted pole lets it go, it passes "
        "through zero "
        "near step 15 800, and eq. 8 with it). The paper states neither the depth of its absorber nor the order of its "
        "operations, so the same order of magnitude and the same trend are asked for. Likely reason of what is missed: "
        "`planwave` steps "
        "Ez and its increment by second differences, which round relative to Ez; first differences round relative to "
        "the change "
        "of Ez from node to node, which is far less in this smooth field of 120 cells a wavelength. What single "
        "precision does "
        "to a channel is the figure of plan A.");
    int cells = validation.quick ? 128 : 512, steps = validation.quick ? 4096 : 16384;
    double ratio = 1, differences = modes_differ(validation.backend, &ratio);
    case_gate(&validation, differences, 0, "rounding to nearest: schemes whose bits differ from the reference's");
    int modes = mode_count(validation.backend);
    if (modes > 1) {
        case_gate(&validation, ratio, 1.5, "all four modes: largest ratio of errors, this backend and the reference");
    }
    case_gate(&validation, channel_error(validation.backend), 1e-4,
              "plan A's channels, dd4, 2 cm: single precision against double");
    double measured[MODE_TOTAL][SCHEME_TOTAL];
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(&validation, PW_SINGLE, false))
    for (int s = SCHEME_TOTAL - 1; s >= 0; s--) {
        solve_scheme(SCHEMES[s], validation.backend, cells, steps, series[s]);
    }
    for (int s = 0; s < SCHEME_TOTAL; s++) {
        FILE *file = case_data(&validation, SCHEMES[s]);
        for (int k = 0; k < SAMPLE_LIMIT; k++) {
            fprintf(file, "%g", series[s][0].step[k]);
            for (int m = 0; m < modes; m++) {
                fprintf(file, " %g", series[s][m].error[k]);
            }
            fprintf(file, "\n");
        }
        case_close(file);
        for (int m = 0; m < modes; m++) {
            measured[m][s] = rate(&series[s][m], cells);
        }
        case_figure(&validation, series[s][0].error[SAMPLE_LIMIT - 1], "%s: error at the end, rounding to nearest",
                    SCHEMES[s]);
        if (!validation.quick) {
            case_gate_between(&validation, measured[0][s] / PRINTED[0][s], 0.1, 10,
                              "%s: rate to nearest over the printed", SCHEMES[s]);
        }
        if (!validation.quick && modes > 1) {
            case_gate_between(&validation, measured[1][s] / measured[0][s], 1, INFINITY,
                              "%s: chop over nearest (printed %.2f)", SCHEMES[s], PRINTED[1][s] / PRINTED[0][s]);
        }
    }
    case_text(
        &validation,
        "\nRate per step and cell (printed):\n\n| mode | yee | dd2 | dd3 | dd4 |\n| --- | --- | --- | --- | --- |\n");
    for (int m = 0; m < modes; m++) {
        case_text(&validation, "| %s |", MODE_NAMES[m]);
        for (int s = 0; s < SCHEME_TOTAL; s++) {
            case_text(&validation, " %.2e", measured[m][s]);
            case_text(&validation, PRINTED[m][s] > 0 ? " (%.2e) |" : " |", PRINTED[m][s]);
        }
        case_text(&validation, "\n");
    }
    if (!validation.quick) {
        plot(&validation);
    }
    return case_end(&validation);
}
