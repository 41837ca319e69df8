/* Power-delay profiles of plan A: paper 003, tables 7 and 8 and figures 7 and 8, with our own yee on a quarter of the
 * cell as the paper has it, and a reference that is right (fd8, moment averaging, warped, 1 cm: plan_a.c), which yee is
 * not.
 *
 * The yee run takes most of the time. The quick subset reads its answer from validation/reference/plan_a_yee_5mm.csv,
 * which a full run has written into its folder (paper003_delay-yee_5mm.dat); the full suite solves it again. */
#include "validation/plan_a/plan_a.h"

#include <fftw3.h>

enum { BINS_LIMIT = 232, BINS_TOTAL = 97 + 232 };

/* Bins of the paper: 1/386.44 ns apart, as many as the bands hold. */
static const int BINS[PLAN_A_BANDS] = {97, 232};
static const double CENTRE[PLAN_A_BANDS] = {1.0e9, 2.4e9}; /* Hz */
static const double SPACING = 1 / 386.44e-9;               /* Hz */
static const char *const BAND[PLAN_A_BANDS] = {"1.0 GHz", "2.4 GHz"};

struct setting {
    const char *name, *scheme, *averaging;
    double cell;     /* m */
    double duration; /* ns: after 150 ns less than 2 % of the amplitude is left, which does not show in a correlation of
                        powers */
    bool warp, quick;
};

enum { YEE, BEST, AS_PUBLISHED, AVERAGED, OURS, SETTING_COUNT = 11 };

static const struct setting SETTINGS[SETTING_COUNT] = {
    {"yee, 0.5 cm", "yee", "point", 0.005, 386.44, false, true},
    {"fd8, 1 cm, moment, warped", "fd8", "moment", 0.01, 200, true, false},
    {"dd4, 2 cm", "dd4", "point", 0.02, 386.44, false, true},
    {"dd4, 2 cm, area", "dd4", "area", 0.02, 386.44, false, false},
    {"dd4, 2 cm, moment, warped", "dd4", "moment", 0.02, 386.44, true, true},
    {"fd8, 2 cm, moment, warped", "fd8", "moment", 0.02, 386.44, true, false},
    {"dd4, 1.5 cm, moment, warped", "dd4", "moment", 0.015, 386.44, true, false},
    {"fd8, 1.5 cm, moment, warped", "fd8", "moment", 0.015, 386.44, true, false},
    {"fd8, 3 cm, moment, warped", "fd8", "moment", 0.03, 386.44, true, false},
    {"dd4, 1 cm, moment, warped", "dd4", "moment", 0.01, 200, true, false},
    {"yee, 1 cm, area, warped", "yee", "area", 0.01, 200, true, false},
};

struct response {
    bool there;
    double seconds;
    double complex g[PLAN_A_PROBES][BINS_TOTAL]; /* band 0, then band 1 */
    double profile[PLAN_A_PROBES][BINS_TOTAL];   /* |h|^2 */
};

static double bin_frequency(int bin)
{
    int band = bin >= BINS[0], k = band ? bin - BINS[0] : bin;
    return CENTRE[band] + (k - (BINS[band] - 1) / 2.0) * SPACING;
}

static void solve_setting(const struct setting *setting, const char *backend, struct response *response)
{
    char grid[256];
    double frequency[BINS_TOTAL];
    for (int k = 0; k < BINS_TOTAL; k++) {
        frequency[k] = bin_frequency(k);
    }
    snprintf(grid, sizeof grid, "scheme: %s, averaging: %s, cell: %g, courant: 0.5, absorber: {kind: upml, cells: %d}",
             setting->scheme, setting->averaging, setting->cell, setting->cell < 0.01 ? 64 : 16);
    struct text text = plan_a_scenario(grid, 1.775e9, 1.85e9, 0);
    text_add(&text, "spectra: off\nstop: {after: %g ns, decay: off}\n", setting->duration);
    struct solved solved = solve(text.text, PW_SINGLE, backend);
    response->seconds = solved.simulation->seconds;
    case_transfer(&solved, 0, BINS_TOTAL, frequency, setting->warp, response->g[0]);
    for (int p = 0; p < PLAN_A_PROBES; p++) {
        for (int k = 0; k < BINS_TOTAL; k++) {
            response->g[p][k] /= case_line_field(frequency[k], 1);
        }
    }
    response->there = true;
    solve_free(&solved);
    free(text.text);
}

/* h = inverse transform of G over the band, rectangular window, one bin per 1/B. */
static void make_profiles(struct response *response)
{
    static fftw_complex spectrum[BINS_LIMIT], impulse[BINS_LIMIT];
    for (int b = 0, first = 0; b < PLAN_A_BANDS; first += BINS[b++]) {
        fftw_plan plan = fftw_plan_dft_1d(BINS[b], spectrum, impulse, FFTW_BACKWARD, FFTW_ESTIMATE);
        for (int p = 0; p < PLAN_A_PROBES; p++) {
            for (int k = 0; k < BINS[b]; k++) {
                spectrum[k] = response->g[p][first + k];
            }
            fftw_execute(plan);
            for (int k = 0; k < BINS[b]; k++) {
                response->profile[p][first + k] = pow(cabs(impulse[k]) / BINS[b], 2);
            }
        }
        fftw_destroy_plan(plan);
    }
}

/* Pearson's correlation of two profiles, in linear power, over the delay bins of a band. */
static double correlation(const double *a, const double *b, int count)
{
    double sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
    for (int k = 0; k < count; k++) {
        sa += a[k], sb += b[k], saa += a[k] * a[k], sbb += b[k] * b[k], sab += a[k] * b[k];
    }
    return (count * sab - sa * sb) / sqrt((count * saa - sa * sa) * (count * sbb - sb * sb));
}

static double band_correlation(const struct response *a, const struct response *b, int band, int probe)
{
    int first = band == 0 ? 0 : BINS[0];
    return correlation(a->profile[probe] + first, b->profile[probe] + first, BINS[band]);
}

static double worst_correlation(const struct response *a, const struct response *b, int band)
{
    double worst = 1;
    for (int p = 0; p < PLAN_A_PROBES; p++) {
        worst = fmin(worst, band_correlation(a, b, band, p));
    }
    return worst;
}

static void write_response(const struct validation *validation, const char *suffix, const struct response *response)
{
    FILE *file = case_data(validation, suffix);
    fprintf(file, "frequency_hz,north_real,north_imag,south_real,south_imag,east_real,east_imag,west_real,west_imag\n");
    for (int k = 0; k < BINS_TOTAL; k++) {
        fprintf(file, "%.9g", bin_frequency(k));
        for (int p = 0; p < PLAN_A_PROBES; p++) {
            fprintf(file, ",%.6e,%.6e", creal(response->g[p][k]), cimag(response->g[p][k]));
        }
        fprintf(file, "\n");
    }
    case_close(file);
}

static bool read_response(const char *path, struct response *response)
{
    FILE *file = fopen(path, "r");
    char line[1024];
    int rows = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL && rows < BINS_TOTAL) {
        double f, v[8];
        if (sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &f, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6],
                   &v[7]) == 9) {
            for (int p = 0; p < PLAN_A_PROBES; p++) {
                response->g[p][rows] = v[2 * p] + I * v[2 * p + 1];
            }
            rows++;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    response->there = rows == BINS_TOTAL;
    return response->there;
}

static void show_table(struct validation *validation, const struct response *responses, int reference)
{
    static const double PRINTED[PLAN_A_BANDS][PLAN_A_PROBES] = {{0.98730, 0.99189, 0.98245, 0.98660},
                                                                {0.91024, 0.92665, 0.90694, 0.90831}};
    case_text(validation,
              "\nCorrelation with %s%s:\n\n| setting | band | north | south | east | west | solve |\n"
              "| --- | --- | --- | --- | --- | --- | --- |\n",
              SETTINGS[reference].name, reference == YEE ? " (table 8)" : "");
    for (int b = 0; b < PLAN_A_BANDS && reference == YEE; b++) {
        case_text(validation, "| paper 003, its own plan, dd4 2 cm | %s |", BAND[b]);
        for (int p = 0; p < PLAN_A_PROBES; p++) {
            case_text(validation, " %.5f |", PRINTED[b][p]);
        }
        case_text(validation, " |\n");
    }
    for (int s = 0; s < SETTING_COUNT; s++) {
        for (int b = 0; b < PLAN_A_BANDS && responses[s].there && s != reference; b++) {
            case_text(validation, "| %s | %s |", SETTINGS[s].name, BAND[b]);
            for (int p = 0; p < PLAN_A_PROBES; p++) {
                case_text(validation, " %.5f |", band_correlation(&responses[s], &responses[reference], b, p));
            }
            case_text(validation, " %.0f s |\n", responses[s].seconds);
        }
    }
}

static void plot(struct validation *validation, const struct response *responses)
{
    for (int b = 0; b < PLAN_A_BANDS; b++) {
        FILE *file = case_data(validation, b == 0 ? "1000MHz" : "2400MHz");
        for (int k = 0; k < BINS[b]; k++) {
            fprintf(file, "%g", k / (BINS[b] * SPACING) * 1e9);
            for (int p = 0; p < PLAN_A_PROBES; p++) {
                int bin = k + (b == 0 ? 0 : BINS[0]);
                fprintf(file, " %g %g %g", 10 * log10(responses[YEE].profile[p][bin]),
                        10 * log10(responses[OURS].profile[p][bin]), 10 * log10(responses[BEST].profile[p][bin]));
            }
            fprintf(file, "\n");
        }
        case_close(file);
        char commands[1024];
        snprintf(commands, sizeof commands,
                 "set multiplot layout 2,2\n"
                 "set xrange [0:%d]\nset yrange [-110:0]\nset key inside bottom left reverse Left samplen 2\n"
                 "names = 'north south east west'\n"
                 "do for [p=1:4] {\nset title word(names,p)\nif (p > 2) {set xlabel 'delay [ns]'}\n"
                 "if (p %% 2 == 1) {set ylabel 'power [dB]'} else {unset ylabel}\n"
                 "plot data.'-%s.dat' using 1:(column(3*p-1)) with lines lw 2 lc rgb '#bbbbbb' title 'yee, 0.5 cm', "
                 "'' using 1:(column(3*p)) with lines lt 4 title 'dd4, 2 cm, moment, warped', "
                 "'' using 1:(column(3*p+1)) with lines lt 2 dt 2 title 'fd8, 1 cm, moment, warped'\nunset key\n}\n"
                 "unset multiplot",
                 b == 0 ? 300 : 200, b == 0 ? "1000MHz" : "2400MHz");
        case_plot(validation, b == 0 ? "1000MHz" : "2400MHz",
                  b == 0 ? "Power-delay profiles at 1.0 GHz, 250 MHz, as figure 8a of the paper"
                         : "Power-delay profiles at 2.4 GHz, 600 MHz, as figure 8b of the paper",
                  commands);
    }
}

int main(int argc, char **argv)
{
    static struct response responses[SETTING_COUNT], stored;
    struct validation validation = case_begin(
        argc, argv, "paper003_delay", "Paper 003, tables 7 and 8, figures 7 and 8: power-delay profiles on plan A",
        "Plan A after figure 7, 386.44 ns (16384 steps of 23.59 ps at 2 cm, 65536 of 5.90 ps at 0.5 cm; 200 ns at 1 "
        "cm), G in 97 "
        "bins "
        "around "
        "1.0 GHz and 232 around 2.4 GHz, 2.588 MHz apart; h is the inverse transform over the band with a rectangular "
        "window, "
        "bins of 4 and 1.667 ns; the correlation is Pearson's, of |h|² in linear power over all delay bins. The "
        "paper's plan is "
        "a picture and its correlation is not defined there, so the printed values are a trend.");
    bool known = read_response("validation/reference/plan_a_yee_5mm.csv", &stored);
#pragma omp parallel for schedule(dynamic, 1) num_threads(case_side_by_side(&validation, PW_SINGLE, true))
    for (int s = 0; s < SETTING_COUNT; s++) { /* the longest is the first */
        if (validation.quick && s == YEE && known) {
            responses[s] = stored;
        } else if (!validation.quick || SETTINGS[s].quick) {
            solve_setting(&SETTINGS[s], validation.backend, &responses[s]);
        }
    }
    for (int s = 0; s < SETTING_COUNT; s++) {
        if (s == YEE && !validation.quick) {
            write_response(&validation, "yee_5mm", &responses[s]);
        }
        if (responses[s].there) {
            make_profiles(&responses[s]);
        }
    }
    if (!validation.quick && known) {
        case_gate(&validation, cabs(stored.g[0][0] / responses[YEE].g[0][0] - 1), 1e-3,
                  "the stored answer of yee at 0.5 cm against this one, first bin");
    }
    for (int b = 0; b < PLAN_A_BANDS; b++) {
        case_gate_between(&validation, worst_correlation(&responses[AS_PUBLISHED], &responses[YEE], b),
                          b == 0 ? 0.98 : 0.90, INFINITY, "%s: dd4 2 cm as published against yee 0.5 cm, worst probe",
                          BAND[b]);
        if (!validation.quick) {
            case_gate_between(&validation, worst_correlation(&responses[OURS], &responses[BEST], b),
                              b == 0 ? 0.98 : 0.90, INFINITY,
                              "%s: dd4 2 cm moment, warped against fd8 1 cm, worst probe", BAND[b]);
        }
    }
    show_table(&validation, responses, YEE);
    if (!validation.quick) {
        show_table(&validation, responses, BEST);
        plot(&validation, responses);
    }
    return case_end(&validation);
}
