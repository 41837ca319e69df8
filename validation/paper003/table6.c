/* Table 6 of paper 003 against the printed one, with the parameters of its table 3 (physics.md section 8). */
#include "validation/support/case.h"

#include "tests/support/table6.h"

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "table6", "Paper 003, tables 3 and 6",
        "Dispersion error of a pulse on 6.4 m × 6.4 m after 2N steps, N = 64, 128, 256 and 512, at Courant number "
        "0.25, against yee with 1024 × 1024 cells and 2048 steps (the printed 2024 is a slip; so are 3.68 ps and its "
        "neighbours, made with c = 3e8 m/s): largest difference of the error of eq. 8 from the printed value. "
        "Double precision.");
    double error[4][4], *reference = table6_field("yee", 1024, validation.backend);
    for (int k = 1; k <= 4; k++) {
        double worst = 0;
        for (int row = 0; row < 4; row++) {
            double *field =
                refine_field(table6_field(TABLE6_SCHEMES[k - 1], 64 << row, validation.backend), 64 << row, k);
            error[row][k - 1] = relative_error(field, reference, 1024 * 1024);
            worst = fmax(worst, fabs(error[row][k - 1] - TABLE6_PRINTED[row][k - 1]));
            free(field);
        }
        case_gate(&validation, worst, k == 1 ? 2e-6 : 2e-4, "%s: largest difference from the printed column",
                  TABLE6_SCHEMES[k - 1]);
    }
    free(reference);
    FILE *file = case_data(&validation, "error");
    case_text(&validation, "\nMeasured (printed):\n\n| N | Δx [m] | Δt [ps] | steps | yee | dd2 | dd3 | dd4 |\n"
                           "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int row = 0; row < 4; row++) {
        double cell = 6.4 / (64 << row);
        fprintf(file, "%d", 64 << row);
        case_text(&validation, "| %d | %g | %.2f | %d |", 64 << row, cell, 0.25e12 * cell / (SPEED_OF_LIGHT * sqrt(2)),
                  128 << row);
        for (int k = 0; k < 4; k++) {
            case_text(&validation, " %.6f (%.6f) |", error[row][k], TABLE6_PRINTED[row][k]);
            fprintf(file, " %g %g", error[row][k], TABLE6_PRINTED[row][k]);
        }
        case_text(&validation, "\n");
        fprintf(file, "\n");
    }
    case_close(file);
    case_plot(&validation, "error", "Dispersion error by mesh: measured (lines), printed (crosses)",
              "set logscale xy\nset xlabel 'N'\nset ylabel 'error of eq. 8'\nset xtics (64,128,256,512)\nset xrange "
              "[55:600]\n"
              "names = 'yee dd2 dd3 dd4'\n"
              "plot for [k=1:4] data.'-error.dat' using 1:(column(2*k)) with linespoints pt 7 ps 0.6 lt k title "
              "word(names,k), "
              "for [k=1:4] '' using 1:(column(2*k+1)) with points pt 2 ps 1.6 lc rgb '#000000' notitle");
    return case_end(&validation);
}
