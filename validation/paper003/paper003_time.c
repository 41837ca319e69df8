/* Execution times by scheme and size: paper 003, tables 4 and 5 and figure 6, with the reference backend where the
 * paper has its CPU code and the chosen backend where it has its GPU code. Times are of stepping alone and have no
 * gate: they are the machine's. */
#include "validation/support/case.h"

enum { SCHEME_TOTAL = 4, SIZE_TOTAL = 4 };

static const char *const SCHEMES[SCHEME_TOTAL] = {"yee", "dd2", "dd3", "dd4"};
static const int SIZES[SIZE_TOTAL] = {64, 128, 256, 512};
/* ms */
static const double PRINTED_GPU[SIZE_TOTAL][SCHEME_TOTAL] = {{26.33, 239.67, 635.33, 929.5},
                                                             {29.33, 242.5, 639.5, 932.33},
                                                             {340.4, 807.33, 1602.33, 2403.33},
                                                             {6217.33, 11200.83, 17272.33, 23962.33}};
static const double PRINTED_CPU[SIZE_TOTAL][SCHEME_TOTAL] = {{182.33, 920, 1328.66, 1750},
                                                             {1326.33, 7366, 11054, 14796},
                                                             {9832, 56279.33, 87220.33, 118535.33},
                                                             {73121, 437155.33, 683314.67, 930166.33}};

/* ms for 2N steps on N x N cells, 6.4 m, absorber of 16 cells included: the best of `repeats`. */
static double time_run(const char *scheme, int n, const char *backend, int repeats)
{
    char text[1024];
    double cell = 6.4 / n, best = INFINITY;
    snprintf(text, sizeof text,
             "plan: {size: [%.17g, %.17g]}\n"
             "grid: {scheme: %s, cell: %.17g, courant: 0.25, absorber: {kind: upml, cells: 16}}\n"
             "band: {centre: 0.8 GHz, width: 0.2 GHz}\n"
             "transmitters: [{name: t, at: [%.17g, %.17g], waveform: {kind: gaussian, width: 0.5 ns, delay: 1.5 ns}}]\n"
             "spectra: off\nstop: {steps: %d}\n",
             (n - 32) * cell, (n - 32) * cell, scheme, cell, (n / 2 - 16) * cell, (n / 2 - 16) * cell, 2 * n);
    for (int k = 0; k < repeats; k++) {
        struct solved solved = solve_prepare(text, PW_SINGLE, backend);
        pw_error error = {{0}};
        case_require(pw_simulation_advance(solved.simulation, 2 * n, &error), error.message);
        best = fmin(best, 1e3 * solved.simulation->seconds);
        solve_free(&solved);
    }
    return best;
}

static void show_table(struct validation *validation, double slow[SIZE_TOTAL][SCHEME_TOTAL],
                       double fast[SIZE_TOTAL][SCHEME_TOTAL])
{
    case_text(validation,
              "\nTime [ms]: reference, %s (printed: CPU, GPU), and the speed-up (printed):\n\n| N | steps | scheme | "
              "reference | %s | CPU 2007 | GPU 2007 | speed-up | printed |\n"
              "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
              validation->backend, validation->backend);
    FILE *file = case_data(validation, "speedup");
    for (int row = 0; row < SIZE_TOTAL; row++) {
        fprintf(file, "%d", SIZES[row]);
        for (int s = 0; s < SCHEME_TOTAL; s++) {
            double ours = slow[row][s] / fast[row][s], theirs = PRINTED_CPU[row][s] / PRINTED_GPU[row][s];
            case_text(validation, "| %d | %d | %s | %.2f | %.2f | %.0f | %.0f | %.1f | %.1f |\n", SIZES[row],
                      2 * SIZES[row], SCHEMES[s], slow[row][s], fast[row][s], PRINTED_CPU[row][s], PRINTED_GPU[row][s],
                      ours, theirs);
            fprintf(file, " %g %g", ours, theirs);
        }
        fprintf(file, "\n");
    }
    case_close(file);
}

int main(int argc, char **argv)
{
    struct validation validation =
        case_begin(argc, argv, "paper003_time", "Paper 003, tables 4 and 5, figure 6: execution times",
                   "Time to step the boxes of table 3 (single precision, absorber of 16 cells included, stepping "
                   "alone, best of three) on "
                   "the plain reference and on the chosen backend. The paper compared a 2004 GPU with a 2007 CPU core; "
                   "times are the "
                   "machine's, only the trends compare; theirs: the wider the stencil, the larger the gain.");
    double slow[SIZE_TOTAL][SCHEME_TOTAL], fast[SIZE_TOTAL][SCHEME_TOTAL];
    int sizes = validation.quick ? 2 : SIZE_TOTAL;
    for (int row = 0; row < sizes; row++) {
        for (int s = 0; s < SCHEME_TOTAL; s++) {
            slow[row][s] = time_run(SCHEMES[s], SIZES[row], "reference", row < 3 ? 3 : 1);
            fast[row][s] = time_run(SCHEMES[s], SIZES[row], validation.backend, 3);
        }
    }
    for (int s = 0; s < SCHEME_TOTAL; s++) {
        case_figure(&validation, slow[sizes - 1][s] / fast[sizes - 1][s],
                    "%s, N = %d: speed-up over the reference (printed %.1f)", SCHEMES[s], SIZES[sizes - 1],
                    PRINTED_CPU[sizes - 1][s] / PRINTED_GPU[sizes - 1][s]);
    }
    if (!validation.quick) {
        case_figure(&validation, slow[3][0] / fast[1][3],
                    "speed-up at equal error: yee, N = 512, reference over dd4, N = 128 (printed 78.4)");
        show_table(&validation, slow, fast);
        case_plot(
            &validation, "speedup", "Speed-up over the plain code by size: ours (solid), printed (dashed)",
            "set logscale xy\nset xlabel 'N'\nset ylabel 'speed-up'\nset xtics (64,128,256,512)\nset xrange [58:560]\n"
            "names = 'yee dd2 dd3 dd4'\n"
            "plot for [k=1:4] data.'-speedup.dat' using 1:(column(2*k)) with linespoints pt 7 ps 0.8 lt k title "
            "word(names,k), for [k=1:4] '' using 1:(column(2*k+1)) with linespoints pt 6 ps 0.8 lt k dt 2 notitle");
    }
    return case_end(&validation);
}
