/* Corners: a square post, straight and turned, where averaging has no face but an edge (physics.md section 1). No
 * closed form: the answer is the same problem on a quarter of the finest cell, after a round post of the same size has
 * shown how far that can be trusted. */
#include "validation/support/case.h"

enum { RECEIVERS = 20, FREQUENCIES = 3, AVERAGINGS = 3, CELLS = 3, SHAPES = 3 };
static const char *const AVERAGING[AVERAGINGS] = {"area", "moment", "bandlimited"};
static const char *const SHAPE[SHAPES] = {"square", "turned by 20°", "round"};
static const double CELL[CELLS] = {0.03, 0.02, 0.014}, FINEST = 0.0047; /* m */
static const double SIDE = 0.43, SIZE = 1.6, FREQUENCY[FREQUENCIES] = {0.9e9, 1e9, 1.1e9};
static const double AT[2] = {0.8137, 0.7911}; /* m: on no node */

static void add_post(struct text *text, int shape)
{
    static const char MATERIAL[] = "{relative_permittivity: 2.89, conductivity: 0.002 S/m}";
    if (shape == 2) {
        text_add(text, "circles: [{centre: [%g, %g], radius: %g, material: %s}]", AT[0], AT[1], SIDE / 2, MATERIAL);
        return;
    }
    double turn = shape == 1 ? 20 * M_PI / 180 : 0;
    text_add(text, "polygons: [{points: [");
    for (int k = 0; k < 4; k++) {
        double angle = turn + (k + 0.5) * M_PI / 2, radius = SIDE / sqrt(2);
        text_add(text, "%s[%.12g, %.12g]", k > 0 ? ", " : "", AT[0] + radius * cos(angle), AT[1] + radius * sin(angle));
    }
    text_add(text, "], material: %s}]", MATERIAL);
}

/* field (receiver, frequency): over the current. */
static void solve_post(int shape, const char *averaging, double cell, const char *backend, double complex *field)
{
    struct text text = {0};
    text_add(&text, "plan: {size: [%g, %g], ", SIZE, SIZE);
    add_post(&text, shape);
    text_add(
        &text,
        "}\ngrid: {scheme: dd4, averaging: %s, cell: %.12g, courant: 0.45, absorber: {cells: %d, reflection: "
        "1e-9}}\nband: {centre: 1 GHz, width: 0.2 GHz}\ntransmitters: [{name: t, at: [%.12g, %.12g], waveform: {kind: "
        "modulated-gaussian, frequency: 1 GHz, width: 2 ns, delay: 8 ns}}]\nspectra: off\nstop: {after: 60 "
        "ns, decay: off}\nreceivers:\n",
        averaging, cell, cell < 0.01 ? 48 : 24, AT[0] + 0.52, AT[1] + 0.23);
    for (int r = 0; r < RECEIVERS; r++) {
        double angle = 2 * M_PI * (r + 0.5) / RECEIVERS;
        text_add(&text, "  - {name: r%d, at: [%.12g, %.12g]}\n", r, AT[0] + 0.45 * cos(angle),
                 AT[1] + 0.45 * sin(angle));
    }
    struct solved solved = solve(text.text, PW_DOUBLE, backend);
    case_transfer(&solved, 0, FREQUENCIES, FREQUENCY, true, field);
    solve_free(&solved);
    free(text.text);
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "corner", "Corners of walls",
        "A post of 43 cm, εr = 2.89, square, square and turned, round; a line source and twenty receivers around it, "
        "0.9 "
        "to 1.1 GHz, dd4: ‖E − E_fine‖/‖E_fine‖ against `moment` averaging on 4.7 mm cells. An edge would show as a "
        "square post that is worse, or of lower order, than the round one.");
    static double complex
        field[SHAPES][1 + AVERAGINGS * CELLS][RECEIVERS * FREQUENCIES]; /* the finest, then the others */
    if (validation.quick) {
        case_text(&validation, "\nNot part of the quick subset.\n");
        return case_end(&validation);
    }
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(&validation, PW_DOUBLE, false))
    for (int k = 0; k < SHAPES * (1 + AVERAGINGS * CELLS); k++) {
        int shape = k % SHAPES, n = k / SHAPES;
        solve_post(shape, n == 0 ? "moment" : AVERAGING[(n - 1) / CELLS], n == 0 ? FINEST : CELL[(n - 1) % CELLS],
                   validation.backend, field[shape][n]);
    }
    double square[AVERAGINGS] = {0};
    FILE *file = case_data(&validation, "order");
    for (int shape = 0; shape < SHAPES; shape++) {
        const double complex *fine = field[shape][0];
        for (int a = 0; a < AVERAGINGS; a++) {
            double error[CELLS], cells[CELLS];
            fprintf(file, "\"%s, %s\"\n", SHAPE[shape], AVERAGING[a]);
            for (int c = 0; c < CELLS; c++) {
                double difference = 0, norm = 0;
                const double complex *coarse = field[shape][1 + a * CELLS + c];
                for (int n = 0; n < RECEIVERS * FREQUENCIES; n++) {
                    difference += pow(cabs(coarse[n] - fine[n]), 2);
                    norm += pow(cabs(fine[n]), 2);
                }
                error[c] = sqrt(difference / norm);
                cells[c] = SPEED_OF_LIGHT / 1e9 / sqrt(2.89) / CELL[c];
                fprintf(file, "%g %g\n", cells[c], 100 * error[c]);
            }
            fprintf(file, "\n\n");
            case_figure(&validation, error[1], "%s, %s: error on 2 cm cells (order %.1f)", SHAPE[shape], AVERAGING[a],
                        -case_slope(CELLS, cells, error));
            square[a] = shape == 0 ? error[1] : square[a];
            if (shape == 2) {
                case_gate(&validation, square[a] / error[1], 3, "%s: error of the square over that of the round one",
                          AVERAGING[a]);
            }
        }
    }
    case_close(file);
    case_plot(&validation, "order",
              "Error by cells per wavelength in the post: square (solid), turned (dashed), round (dotted)",
              "set logscale xy\nset key samplen 2 font ',9'\nset xlabel 'cells per wavelength in the post'\nset ylabel "
              "'complex error [%]'\n"
              "set xrange [5.5:13.5]\nset xtics (6,8,10,12)\nset yrange [0.005:5]\n"
              "plot for [k=0:2] data.'-order.dat' index k using 1:2 with linespoints pt 7 ps 0.7 lt k+2 title "
              "columnheader(1), for [k=3:5] '' index k using 1:2 with linespoints pt 5 ps 0.7 lt k-1 dt 2 title "
              "columnheader(1), for [k=6:8] '' index k using 1:2 with linespoints pt 9 ps 0.7 lt k-4 dt 3 title "
              "columnheader(1)");
    return case_end(&validation);
}
