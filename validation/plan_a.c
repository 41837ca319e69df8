/* Plan A against the volume integral equation (physics.md section 8): complex G at four probes in two bands, for schemes, cells and
 * averagings, with and without warping; the gates, the table and the plot of error against solve time.
 *
 * One run serves both bands: its pulse covers 0.85-2.7 GHz. The conductivity is then compensated for the warp at 1.775 GHz and not at
 * each band's centre, which changes sigma by less than 1 %, and G by less than 0.05 %. */
#include "plan_a.h"

struct setting {
    const char *scheme, *averaging;
    double cell; /* m */
    bool quick;  /* in the quick subset */
    /* Largest error of the four probes, warped, per band; 0: none. */
    double gate[PLAN_A_BANDS];
};

static const struct setting SETTINGS[] = {
    {"dd4", "area", 0.02, true, {0.06, 0.40}},    {"dd4", "moment", 0.02, true, {0.03, 0}},
    {"dd4", "point", 0.02, false, {0, 0}},        {"yee", "point", 0.02, false, {0, 0}},
    {"yee", "area", 0.02, false, {0, 0}},         {"dd2", "area", 0.02, false, {0, 0}},
    {"dd3", "area", 0.02, false, {0, 0}},         {"fd4", "area", 0.02, false, {0, 0}},
    {"fd6", "area", 0.02, false, {0, 0}},         {"fd8", "area", 0.02, false, {0, 0}},
    {"yee", "moment", 0.02, false, {0, 0}},       {"dd2", "moment", 0.02, false, {0, 0}},
    {"dd3", "moment", 0.02, false, {0, 0}},       {"fd4", "moment", 0.02, false, {0, 0}},
    {"fd6", "moment", 0.02, false, {0, 0}},       {"fd8", "moment", 0.02, false, {0, 0}},
    {"yee", "area", 0.04, false, {0, 0}},         {"dd2", "moment", 0.04, false, {0, 0}},
    {"dd4", "area", 0.04, false, {0, 0}},         {"dd4", "moment", 0.04, false, {0, 0}},
    {"fd8", "moment", 0.04, false, {0, 0}},       {"dd4", "area", 0.01, false, {0.025, 0.12}},
    {"dd4", "moment", 0.01, false, {0.01, 0.09}}, {"yee", "area", 0.01, false, {0, 0}},
    {"fd8", "moment", 0.01, false, {0, 0}},
};
enum { SETTING_COUNT = sizeof SETTINGS / sizeof SETTINGS[0] };

struct outcome {
    bool solved;
    bool band[PLAN_A_BANDS];
    double error[PLAN_A_BANDS][2][PLAN_A_PROBES]; /* band, plain or warped, probe */
    double seconds;
};

static struct outcome solve_setting(const struct setting *setting, const char *backend,
                                    const struct plan_a_answer *answer)
{
    char grid[256];
    snprintf(grid, sizeof grid, "scheme: %s, averaging: %s, cell: %g, courant: 0.5, absorber: {kind: upml, cells: 16}",
             setting->scheme, setting->averaging, setting->cell);
    /* 4 cm cannot carry 2.7 GHz inside a wall. */
    bool coarse = setting->cell > 0.03;
    struct text text = coarse ? plan_a_scenario(grid, 1.0e9, 0.3e9) : plan_a_scenario(grid, 1.775e9, 1.85e9);
    text_add(&text, "spectra: off\nstop: {after: 300 ns}\n");
    struct solved solved = solve(text.text, PW_SINGLE, backend);
    struct outcome outcome = {.solved = true, .seconds = solved.simulation->seconds};
    for (int b = 0; b < (coarse ? 1 : PLAN_A_BANDS); b++) {
        outcome.band[b] = true;
        for (int warp = 0; warp < 2; warp++) {
            for (int p = 0; p < PLAN_A_PROBES; p++) {
                double complex g[PLAN_A_FREQUENCIES];
                case_transfer(&solved, 0, p, PLAN_A_FREQUENCIES, answer[b].frequency, warp == 1, g);
                for (int f = 0; f < PLAN_A_FREQUENCIES; f++) {
                    g[f] /= case_line_field(answer[b].frequency[f], 1);
                }
                outcome.error[b][warp][p] = plan_a_error(g, answer[b].g[p]);
            }
        }
    }
    solve_free(&solved);
    free(text.text);
    return outcome;
}

static double worst(const double *error)
{
    return fmax(fmax(error[0], error[1]), fmax(error[2], error[3]));
}

static void show_table(struct validation *validation, const struct outcome *outcomes)
{
    case_text(validation, "\nError per probe, per cent (north, south, east, west):\n\n"
                          "| scheme | walls | cell | warp | 0.85-1.15 GHz | 2.1-2.7 GHz | solve |\n"
                          "| --- | --- | --- | --- | --- | --- | --- |\n");
    for (int s = 0; s < SETTING_COUNT; s++) {
        const struct outcome *outcome = &outcomes[s];
        for (int warp = 1; warp >= 0 && outcome->solved; warp--) {
            case_text(validation, "| %s | %s | %g cm | %s |", SETTINGS[s].scheme, SETTINGS[s].averaging,
                      SETTINGS[s].cell * 100, warp == 1 ? "on" : "off");
            for (int b = 0; b < PLAN_A_BANDS; b++) {
                for (int p = 0; p < PLAN_A_PROBES && outcome->band[b]; p++) {
                    case_text(validation, "%s %.1f", p > 0 ? "," : "", 100 * outcome->error[b][warp][p]);
                }
                case_text(validation, " |");
            }
            case_text(validation, " %.1f s |\n", outcome->seconds);
        }
    }
}

/* One block per scheme and averaging, for `index` of gnuplot. */
static void write_data(const struct validation *validation, const struct outcome *outcomes)
{
    static const char *const LINES[][2] = {
        {"yee", "area"}, {"dd2", "moment"}, {"dd4", "area"}, {"dd4", "moment"}, {"fd8", "moment"}};
    FILE *file = case_data(validation, "time");
    for (size_t line = 0; line < sizeof LINES / sizeof LINES[0]; line++) {
        fprintf(file, "\"%s, %s\"\n", LINES[line][0], LINES[line][1]);
        for (int k = 0; k < 3 * SETTING_COUNT; k++) { /* 4, 2, 1 cm */
            int s = k % SETTING_COUNT;
            const struct outcome *outcome = &outcomes[s];
            if (outcome->solved && SETTINGS[s].cell * 100 == 4 >> k / SETTING_COUNT &&
                strcmp(SETTINGS[s].scheme, LINES[line][0]) == 0 && strcmp(SETTINGS[s].averaging, LINES[line][1]) == 0) {
                fprintf(file, "%g %g %g %g\n", SETTINGS[s].cell * 100, outcome->seconds,
                        100 * worst(outcome->error[0][1]), outcome->band[1] ? 100 * worst(outcome->error[1][1]) : NAN);
            }
        }
        fprintf(file, "\n\n");
    }
    case_close(file);
}

static void plot(struct validation *validation)
{
    case_plot(
        validation, "time", "Largest complex error of the four probes, warped, against solve time; labels: cell in cm",
        "set multiplot layout 1,2\nset logscale xy\nset xlabel 'solve time [s]'\nset ylabel 'complex error [%]'\n"
        "set yrange [0.05:200]\nset key inside bottom left samplen 2 reverse Left\n"
        "set title '0.85-1.15 GHz'\n"
        "plot for [k=0:4] data.'-time.dat' index k using 2:3 with linespoints pt 7 ps 0.7 title columnheader(1), \\\n"
        "  for [k=0:4] '' index k using 2:3:1 skip 1 with labels offset 1.2,0.5 font ',8' notitle\n"
        "set title '2.1-2.7 GHz'\nunset key\n"
        "plot for [k=0:4] data.'-time.dat' index k using 2:4 with linespoints pt 7 ps 0.7 title columnheader(1), \\\n"
        "  for [k=0:4] '' index k using 2:4:1 skip 1 with labels offset 1.2,0.5 font ',8' notitle\nunset multiplot");
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "plan_a", "Plan A against the integral equation",
        "Complex G(f) at four probes against a volume integral equation with the exact Green's function "
        "(`reference/plan_a_*.csv`), ‖G − G_ref‖/‖G_ref‖ over 13 frequencies, the worst of the four probes; single "
        "precision, 300 ns (150 ns leave up to 1.5 % of the energy out of the record).");
    struct plan_a_answer answer[PLAN_A_BANDS] = {plan_a_integral_equation(0), plan_a_integral_equation(1)};
    static struct outcome outcomes[SETTING_COUNT];
    for (int s = 0; s < SETTING_COUNT; s++) {
        const struct setting *setting = &SETTINGS[s];
        if (validation.quick && !setting->quick) {
            continue;
        }
        outcomes[s] = solve_setting(setting, validation.backend, answer);
        for (int b = 0; b < PLAN_A_BANDS; b++) {
            if (outcomes[s].band[b] && setting->gate[b] > 0) {
                case_gate(&validation, worst(outcomes[s].error[b][1]), setting->gate[b], "%s, %s, %g cm, warped, %s",
                          setting->scheme, setting->averaging, setting->cell * 100, PLAN_A_BAND[b]);
            } else if (outcomes[s].band[b]) {
                case_figure(&validation, worst(outcomes[s].error[b][1]), "%s, %s, %g cm, warped, %s", setting->scheme,
                            setting->averaging, setting->cell * 100, PLAN_A_BAND[b]);
            }
        }
    }
    for (int fine = 1; fine >= 0; fine--) {
        struct plan_a_answer meep = plan_a_meep(fine);
        double largest = 0;
        for (int p = 0; p < PLAN_A_PROBES; p++) {
            largest = fmax(largest, plan_a_error(meep.g[p], answer[1].g[p]));
        }
        case_figure(&validation, largest, "a peer: Meep 1.25, %s, 2.1-2.7 GHz", fine ? "5 mm" : "10 mm");
    }
    show_table(&validation, outcomes);
    if (!validation.quick) {
        write_data(&validation, outcomes);
        plot(&validation);
    }
    return case_end(&validation);
}
