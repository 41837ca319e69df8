/* A line source in free space against the Hankel function, by direction, with and without warping (physics.md sections
 * 2 and 8). */
#include "validation/support/case.h"

enum { FREQUENCIES = 5, DIRECTIONS = 3 };

static const int ACROSS[DIRECTIONS] = {128, 118, 91}, UP[DIRECTIONS] = {0, 49, 91}; /* cells: 0, 22.5 and 45 degrees */

/* Largest complex error of G over 0.9-1.1 GHz per direction, not warped and warped. */
static void solve_errors(const char *scheme, double cells, const char *backend, double error[2][DIRECTIONS])
{
    double cell = SPEED_OF_LIGHT / 1e9 / cells, frequency[FREQUENCIES];
    struct text text = {0};
    text_add(
        &text,
        "plan: {size: [%.17g, %.17g]}\n"
        "grid: {scheme: %s, cell: %.17g, courant: 0.5, absorber: {kind: upml, cells: 24, reflection: 1e-10}}\n"
        "band: {centre: 1 GHz, width: 0.2 GHz}\n"
        "transmitters: [{name: t, at: [%.17g, %.17g]}]\nspectra: off\nstop: {after: %.17g, decay: off}\nreceivers:\n",
        160 * cell, 120 * cell, scheme, cell, 16 * cell, 16 * cell, 28e-9 * 15 / cells + 20e-9);
    for (int r = 0; r < DIRECTIONS; r++) {
        text_add(&text, "  - {name: r%d, at: [%.17g, %.17g]}\n", r, (16 + ACROSS[r]) * cell, (16 + UP[r]) * cell);
    }
    struct solved solved = solve(text.text, PW_DOUBLE, backend);
    for (int f = 0; f < FREQUENCIES; f++) {
        frequency[f] = 0.9e9 + 0.05e9 * f;
    }
    for (int warp = 0; warp < 2; warp++) {
        double complex transfer[DIRECTIONS][FREQUENCIES];
        case_transfer(&solved, 0, FREQUENCIES, frequency, warp == 1, transfer[0]);
        for (int r = 0; r < DIRECTIONS; r++) {
            error[warp][r] = 0;
            for (int f = 0; f < FREQUENCIES; f++) {
                double complex law = case_line_field(frequency[f], hypot(ACROSS[r], UP[r]) * cell);
                error[warp][r] = fmax(error[warp][r], cabs(transfer[r][f] / law - 1));
            }
        }
    }
    solve_free(&solved);
    free(text.text);
}

static double worst(const double *error)
{
    return fmax(error[0], fmax(error[1], error[2]));
}

static const struct {
    const char *scheme;
    int order;
    double cells[4]; /* per wavelength */
} CASES[] = {{"yee", 2, {14, 20, 28, 40}}, {"dd2", 4, {8, 11, 15, 20}}, {"dd3", 6, {7, 8.5, 10.5, 13}},
             {"dd4", 8, {7, 8.5, 10, 12}}, {"fd4", 4, {8, 11, 15, 20}}, {"fd6", 6, {7, 8.5, 10.5, 13}},
             {"fd8", 8, {6, 7, 8.5, 10}}};

int main(int argc, char **argv)
{
    struct validation validation =
        case_begin(argc, argv, "line_source", "Line source in free space",
                   "Complex G at 128 cells from a line current at 0°, 22.5° and 45°, 0.9-1.1 GHz, against the Hankel "
                   "function. At a fixed "
                   "number of cells the error of order p falls as (cells per wavelength)^-(p+1).");
    double error[2][DIRECTIONS];
    solve_errors("dd4", 15, validation.backend, error);
    case_gate(&validation, worst(error[1]), 1e-4, "dd4, 15 cells a wavelength, warped: worst direction");
    case_gate_between(&validation, worst(error[0]) / worst(error[1]), 100, INFINITY, "the same: gain of warping");
    double errors[7][4][2][DIRECTIONS];
    int coarsest = validation.quick ? 2 : 0;
#pragma omp parallel for collapse(2) schedule(dynamic) num_threads(case_side_by_side(&validation, PW_DOUBLE, false))
    for (int c = 0; c < 7; c++) {
        for (int k = coarsest; k < 4; k++) {
            solve_errors(CASES[c].scheme, CASES[c].cells[k], validation.backend, errors[c][k]);
        }
    }
    FILE *file = case_data(&validation, "order");
    for (int c = 0; c < 7; c++) {
        const double *cells = CASES[c].cells;
        double measured[4];
        fprintf(file, "\"%s\"\n", CASES[c].scheme);
        for (int k = coarsest; k < 4; k++) {
            const double *direction = errors[c][k][1];
            measured[k] = worst(direction);
            fprintf(file, "%g %.6g %.6g %.6g %.6g\n", cells[k], worst(errors[c][k][0]), direction[0], direction[1],
                    direction[2]);
        }
        fprintf(file, "\n\n");
        int first = validation.quick ? 2 : 1;
        case_gate_between(&validation, -case_slope(4 - first, cells + first, measured + first) - 1,
                          CASES[c].order - 0.6, CASES[c].order + 0.6, "%s: order (%.1e at %g cells a wavelength)",
                          CASES[c].scheme, measured[3], cells[3]);
    }
    case_close(file);
    if (!validation.quick) {
        case_plot(
            &validation, "order",
            "Complex error 128 cells away, warped, along the axis (solid) and the diagonal (dashed); grey: not warped",
            "set logscale xy\nset xlabel 'cells per wavelength'\nset ylabel 'complex error'\n"
            "set xrange [5.5:45]\nset yrange [1e-6:3]\nset format y '10^{%T}'\nset xtics (6,8,10,14,20,28,40)\n"
            "plot for [k=0:6] data.'-order.dat' index k using 1:2 skip 1 with lines lc rgb '#cccccc' notitle, "
            "for [k=0:6] '' index k using 1:3 with linespoints pt 7 ps 0.8 lt k+1 title columnheader(1), "
            "for [k=0:6] '' index k using 1:5 skip 1 with lines lt k+1 dt 2 notitle");
    }
    return case_end(&validation);
}
