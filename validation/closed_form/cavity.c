/* Modes of a PEC box: the fields against the scheme's own dispersion relation to rounding, the frequency against the
 * continuous one with the order of the scheme (physics.md sections 2 and 8). */
#include "validation/support/mode.h"

static const struct {
    const char *scheme;
    int order, cells[4]; /* cells a side of the boxes for the order */
} CASES[] = {
    {"yee", 2, {16, 24, 36, 54}}, {"dd2", 4, {16, 24, 36, 54}}, {"dd3", 6, {16, 22, 30, 40}},
    {"dd4", 8, {16, 20, 25, 32}}, {"fd4", 4, {16, 24, 36, 54}}, {"fd6", 6, {16, 22, 30, 40}},
    {"fd8", 8, {16, 20, 25, 32}},
};
enum { CASE_COUNT = sizeof CASES / sizeof CASES[0] };

int main(int argc, char **argv)
{
    struct validation validation = case_begin(argc, argv, "cavity", "Modes of a PEC box",
                                              "With image theory a mode of the box is an exact eigenvector of the "
                                              "grid: after 512 steps in double precision the "
                                              "fields must be those of the dispersion relation of `physics.md` §2 to "
                                              "1e-12, at two Courant numbers. Its frequency "
                                              "as the time step goes to zero, read from the fields as (2/Δt) "
                                              "sin(ωΔt/2), meets the continuous one, c k, with the "
                                              "order of the scheme.");
    FILE *file = case_data(&validation, "order");
    for (int c = 0; c < CASE_COUNT; c++) {
        double worst = 0, cells[4], error[4];
        for (int courant = 1; courant <= 2; courant++) {
            struct mode mode = {CASES[c].scheme, 0.25 * courant, 40, 31, 7, 4};
            worst = fmax(worst, mode_run(&mode, validation.backend).field_error);
        }
        case_gate(&validation, worst, 1e-12, "%s: fields against the dispersion relation", CASES[c].scheme);
        fprintf(file, "\"%s\"\n", CASES[c].scheme);
        for (int k = 0; k < 4; k++) {
            struct mode mode = {CASES[c].scheme, 0.5, CASES[c].cells[k], CASES[c].cells[k], 3, 2};
            struct mode_outcome outcome = mode_run(&mode, validation.backend);
            cells[k] = 2 * CASES[c].cells[k] / sqrt(13.0);
            error[k] = fabs(outcome.in_space / (SPEED_OF_LIGHT * outcome.wave_number) - 1);
            fprintf(file, "%.6g %.6g\n", cells[k], error[k]);
        }
        fprintf(file, "\n\n");
        case_gate_between(&validation, -case_slope(4, cells, error), CASES[c].order - 0.35, CASES[c].order + 0.35,
                          "%s: order of the frequency (%.1e at %.0f cells a wavelength)", CASES[c].scheme, error[3],
                          cells[3]);
    }
    case_close(file);
    case_plot(&validation, "order", "Error of the frequency of mode (3, 2) as Δt goes to 0; lines: slopes 2, 4, 6, 8",
              "set logscale xy\nset xlabel 'cells per wavelength'\nset ylabel 'relative error of the frequency'\n"
              "set xrange [8:32]\nset yrange [1e-9:1e-1]\nset format y '10^{%T}'\nset xtics (8,10,12,16,20,25,32)\n"
              "plot for [k=0:6] data.'-order.dat' index k using 1:2 with linespoints pt 7 ps 0.8 lt k+1 "
              "title columnheader(1), for [p=1:4] 0.4*(4/x)**(2*p)/p lc rgb '#bbbbbb' dt 2 notitle");
    return case_end(&validation);
}
