/* Two paths over a conducting plane: a line source above a metal rectangle against two Hankel functions; the nulls
 * along a mast and the field between them (physics.md section 8). */
#include "validation/support/case.h"

enum { MAST = 81 };

static const double HEIGHT = 0.8, DISTANCE = 2.4, GROUND = 0.2, STEP = 0.015, FREQUENCY = 2e9; /* m, Hz */

/* |E| at heights above the plane; the last step down to its minimum by a parabola through three samples of |E|^2. */
static int find_nulls(const double *level, double *height, int limit)
{
    int count = 0;
    for (int k = 2; k < MAST - 1 && count < limit; k++) {
        double low = level[k - 1] * level[k - 1], here = level[k] * level[k], high = level[k + 1] * level[k + 1];
        if (here < low && here <= high) {
            height[count++] = (k + 0.5 * (low - high) / (low - 2 * here + high)) * STEP;
        }
    }
    return count;
}

/* The plane: the PEC edge of the grid, under which image theory is exact; or a metal rectangle with its face on a row
 * of nodes, or 0.37 cells above one. */
enum plane { PLANE_EDGE, PLANE_ROW, PLANE_BETWEEN, PLANE_COUNT };
static const char *const PLANE_NAMES[] = {"edge of the grid", "metal, face on a row", "metal, face between rows"};

/* field[k] at height k STEP over the plane; NAN where there is no receiver (in the layer under the edge's plan). */
static void solve_mast(const char *scheme, enum plane plane, const char *backend, double complex *field)
{
    const int layer = 20;
    double cell = GROUND / (plane == PLANE_BETWEEN ? 20.37 : 20);
    double ground = plane == PLANE_EDGE ? -layer * cell : GROUND;
    struct text text = {0};
    text_add(&text, "plan:\n  size: [2.8, %.17g]\n", ground + 1.8);
    if (plane != PLANE_EDGE) {
        text_add(&text, "  rectangles: [{from: [0, 0], to: [2.8, %.17g], material: metal}]\n", ground);
    }
    text_add(&text,
             "grid: {scheme: %s, cell: %.17g, courant: 0.5, absorber: {cells: %d, reflection: 1e-8}}\n"
             "band: {centre: %g, width: 0.4 GHz}\ntransmitters: [{name: t, at: [0.2, %.17g]}]\n"
             "spectra: off\nstop: {after: 40 ns, decay: off}\nreceivers:\n",
             scheme, cell, layer, FREQUENCY, ground + HEIGHT);
    int first = plane == PLANE_EDGE ? (int)ceil(layer * cell / STEP) : 1;
    for (int k = first; k < MAST; k++) {
        text_add(&text, "  - {name: m%d, at: [%.17g, %.17g]}\n", k, 0.2 + DISTANCE, ground + k * STEP);
    }
    struct solved solved = {0};
    pw_error error = {{0}};
    case_require(pw_scenario_parse("mast", text.text, NULL, 0, &solved.scenario, &error), error.message);
    case_require(pw_setup_create(solved.scenario, PW_DOUBLE, false, &solved.setup, &error), error.message);
    for (int j = 0; j < layer + 1 && plane == PLANE_EDGE; j++) { /* no absorber there: plain cells down to the edge */
        struct problem *problem = &solved.setup->problem;
        problem->axis[1].half[j] = problem->axis[1].node[j] = (struct absorber_filter){1, 1, 0};
    }
    case_require(
        pw_simulation_create(solved.setup, &(pw_compute){.backend = backend}, 0, 1, &solved.simulation, &error),
        error.message);
    case_require(pw_simulation_run(solved.simulation, NULL, NULL, &error), error.message);
    for (int k = 0; k < first; k++) {
        field[k] = NAN;
    }
    case_transfer(&solved, 0, 1, &FREQUENCY, true, field + first);
    solve_free(&solved);
    free(text.text);
}

static double complex law_at(double height)
{
    return case_line_field(FREQUENCY, hypot(DISTANCE, height - HEIGHT)) -
           case_line_field(FREQUENCY, hypot(DISTANCE, height + HEIGHT));
}

/* How far the farthest null is off [cells of 1 cm], NAN when one is missing; and the complex error along the mast. */
static double null_shift(const double complex *mast, double *error)
{
    double level[MAST], law[MAST], null[8], law_null[8], difference = 0, norm = 0, shift = 0;
    for (int k = 0; k < MAST; k++) {
        bool there = !isnan(creal(mast[k]));
        level[k] = there ? cabs(mast[k]) : NAN; /* no null is found where there is none */
        law[k] = there ? cabs(law_at(k * STEP)) : NAN;
        difference += there ? pow(cabs(mast[k] - law_at(k * STEP)), 2) : 0;
        norm += there ? law[k] * law[k] : 0;
    }
    int found = find_nulls(level, null, 8), expected = find_nulls(law, law_null, 8);
    for (int k = 0; k < expected && k < found; k++) {
        shift = fmax(shift, fabs(null[k] - law_null[k]) / (GROUND / 20));
    }
    *error = sqrt(difference / norm);
    return found == expected && found > 0 ? shift : NAN;
}

int main(int argc, char **argv)
{
    static const char *const SCHEMES[] = {"yee", "dd4", "fd8"};
    struct validation validation = case_begin(
        argc, argv, "two_path", "Two paths over a conducting plane",
        "A line source 0.8 m above a plane, a mast of 1.2 m at 2.4 m, 2 GHz, 15 cells a wavelength: nulls "
        "and complex field along the mast against H0(k r1) − H0(k r2). The plane is the PEC edge of the grid, "
        "or a metal rectangle that runs into the absorber, its face on a row of nodes or 0.37 cells above one. "
        "yee's dispersion moves the nulls by more than half a cell wherever the plane is.");
    FILE *file = case_data(&validation, "mast");
    double complex field[3][PLANE_COUNT][MAST];
    for (int s = 0; s < 3; s++) {
        for (int plane = 0; plane < PLANE_COUNT; plane++) {
            if (validation.quick && (s != 1 || plane == PLANE_BETWEEN)) {
                continue;
            }
            double error = 0;
            solve_mast(SCHEMES[s], plane, validation.backend, field[s][plane]);
            double shift = null_shift(field[s][plane], &error);
            if (s == 0) {
                case_figure(&validation, shift, "%s, %s: farthest null off [cells]", SCHEMES[s], PLANE_NAMES[plane]);
            } else {
                case_gate(&validation, shift, 0.5, "%s, %s: farthest null off [cells]", SCHEMES[s], PLANE_NAMES[plane]);
            }
            case_figure(&validation, error, "%s, %s: complex error along the mast", SCHEMES[s], PLANE_NAMES[plane]);
        }
    }
    for (int k = 1; k < MAST && !validation.quick; k++) {
        fprintf(file, "%g %g", k * STEP, 20 * log10(cabs(law_at(k * STEP))));
        for (int s = 0; s < 3; s++) {
            fprintf(file, " %g", 20 * log10(cabs(field[s][PLANE_ROW][k])));
        }
        fprintf(file, "\n");
    }
    case_close(file);
    if (!validation.quick) {
        case_plot(&validation, "mast", "Level along the mast over metal with its face on a row of nodes",
                  "set xlabel 'height over the plane [m]'\nset ylabel '|Ez| of 1 A [dB V/m]'\n"
                  "plot data.'-mast.dat' using 1:2 with lines lw 4 lc rgb '#cccccc' title 'two Hankel functions', "
                  "'' using 1:3 with lines lt 1 title 'yee', '' using 1:4 with lines lt 4 title 'dd4', "
                  "'' using 1:5 with lines lt 7 dt 2 title 'fd8'");
    }
    return case_end(&validation);
}
