/* Floor, room and ceiling: a dipole between two lossy slabs, along the room from half a metre on, against the
 * Sommerfeld integrals of the layered medium (physics.md section 9). A plane of symmetry through the dipole halves the
 * room. */
#include "validation/support/slabs/layered.h"

enum { FREQUENCIES = 3, HEIGHTS = 2, DISTANCES = 24 };

static const double CENTRE = 300e6, ROOM = 2.7, SLAB = 0.2, PERMITTIVITY = 5.24, CONDUCTIVITY = 0.018;
static const double UP[HEIGHTS] = {0.9, 1.9}, SOURCE = 1.4; /* m over the floor */

struct outcome {
    double distance[DISTANCES], error[DISTANCES]; /* m; over both heights, two components and the band */
    double level[DISTANCES], law[DISTANCES];      /* dB V/m, at the centre and the first height */
    double all;
};

static void solve_stack(const char *scheme, const char *averaging, double cell, double reach, const char *backend,
                        struct outcome *outcome)
{
    const double margin = 5 * cell, frequency[FREQUENCIES] = {0.95 * CENTRE, CENTRE, 1.05 * CENTRE};
    char slab_text[128], plan[512];
    snprintf(slab_text, sizeof slab_text,
             "{thickness: %g, material: {relative_permittivity: %g, conductivity: %g S/m}}", SLAB, PERMITTIVITY,
             CONDUCTIVITY);
    snprintf(plan, sizeof plan, "{size: [40, 40], storey: {height: %g, floor: %s, ceiling: %s}}", ROOM, slab_text,
             slab_text);
    struct volume volume = {.scheme = scheme,
                            .averaging = averaging,
                            .plan = plan,
                            .plan_at = {1, 10, -SLAB - margin},
                            .cell = cell,
                            .cells = {(int)ceil((reach + 1.2) / cell), (int)ceil((reach > 10 ? 2 : 1.4) / cell),
                                      (int)ceil((ROOM + 2 * SLAB + 2 * margin) / cell)},
                            .frequency = CENTRE,
                            .width = 0.25 * CENTRE,
                            .duration = 75e-9 + (reach + 25) / SPEED_OF_LIGHT,
                            .precision = PW_SINGLE};
    volume.end[1][0] = END_PMC;
    volume_begin(&volume);
    struct place3 from =
        volume_place(&volume, COMPONENT_EZ, (int)(0.6 / cell), 0, (int)((SOURCE + SLAB + margin) / cell));
    volume_add_dipole(&volume, COMPONENT_EZ, from, 1);
    struct place3 at[DISTANCES][HEIGHTS][2];
    for (int d = 0; d < DISTANCES; d++) { /* denser near the dipole */
        double distance = 0.5 * pow(reach / 0.5, d / (DISTANCES - 1.0));
        for (int h = 0; h < HEIGHTS; h++) {
            for (int n = 0; n < 2; n++) {
                enum component component = n ? COMPONENT_EX : COMPONENT_EZ;
                at[d][h][n] = volume_place(&volume, component, (int)((from.x + distance) / cell), 0,
                                           (int)((UP[h] + SLAB + margin) / cell));
                volume_add_probe(&volume, component, at[d][h][n]);
            }
        }
    }
    volume_solve(&volume, backend);
    double complex field[DISTANCES * HEIGHTS * 2 * FREQUENCIES];
    volume_transfer(&volume, FREQUENCIES, frequency, field);
    volume_free(&volume);
    const struct layer slab = {SLAB, PERMITTIVITY, CONDUCTIVITY};
    const struct layered room = {.low = SLAB + margin,
                                 .high = SLAB + margin + ROOM,
                                 .below_count = 1,
                                 .below = {slab},
                                 .above_count = 1,
                                 .above = {slab}};
    double all = 0, whole = 0;
    for (int d = 0; d < DISTANCES; d++) {
        double difference = 0, norm = 0;
        for (int n = 0; n < HEIGHTS * 2 * FREQUENCIES; n++) {
            int h = n / (2 * FREQUENCIES), c = n / FREQUENCIES % 2, f = n % FREQUENCIES;
            double complex law[3], here = field[d * HEIGHTS * 2 * FREQUENCIES + n];
            layered_field(&room, frequency[f], 2, from, at[d][h][c], 16, law);
            double complex exact = law[c ? 0 : 2];
            difference += pow(cabs(here - exact), 2);
            norm += pow(cabs(exact), 2);
            if (h == 0 && c == 0 && f == 1) {
                outcome->level[d] = 20 * log10(cabs(here));
                outcome->law[d] = 20 * log10(cabs(exact));
            }
        }
        outcome->distance[d] = at[d][0][0].x - from.x;
        outcome->error[d] = sqrt(difference / norm);
        all += difference / norm;
        whole += 1;
    }
    outcome->all = sqrt(all / whole);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *scheme, *averaging;
        double cell;
        bool gated;
    } LINES[] = {{"fd4o", "moment", 0.06, true},
                 {"fd8", "moment", 0.06, true},
                 {"dd4", "moment", 0.06, true},
                 {"fd4o", "area", 0.06, false},
                 {"yee", "area", 0.05, false}};
    enum { COUNT = sizeof LINES / sizeof LINES[0] };
    struct validation validation = case_begin(
        argc, argv, "stack", "Floor, room and ceiling",
        "An upright Hertzian dipole in a room 2.7 m high between slabs of concrete, 20 cm thick, 285 to 315 MHz, 7.3 "
        "cells per wavelength in the slabs: Ez and Ex at two heights, from 0.5 m along the room, against Sommerfeld "
        "integrals of the five layers: ‖E − E_exact‖/‖E_exact‖ at the worst distance.");
    static struct outcome outcomes[COUNT];
    double reach = validation.quick ? 8 : 30;
    int count = validation.quick ? 1 : COUNT;
    for (int n = 0; n < count; n++) { /* each takes all cores */
        solve_stack(LINES[n].scheme, LINES[n].averaging, LINES[n].cell, reach, validation.backend, &outcomes[n]);
    }
    FILE *file = case_data(&validation, "distance");
    for (int n = 0; n < count; n++) {
        double worst = 0;
        fprintf(file, "\"%s, %s\"\n", LINES[n].scheme, LINES[n].averaging);
        for (int d = 0; d < DISTANCES; d++) {
            worst = fmax(worst, outcomes[n].error[d]);
            fprintf(file, "%g %g %g %g\n", outcomes[n].distance[d], 100 * outcomes[n].error[d], outcomes[n].level[d],
                    outcomes[n].law[d]);
        }
        fprintf(file, "\n\n");
        if (LINES[n].gated) {
            case_gate(&validation, worst, 0.02, "%s, %s, to %g m: worst distance", LINES[n].scheme, LINES[n].averaging,
                      reach);
        } else {
            case_figure(&validation, worst, "%s, %s, to %g m: worst distance", LINES[n].scheme, LINES[n].averaging,
                        reach);
        }
        case_figure(&validation, outcomes[n].all, "%s, %s, to %g m: all distances", LINES[n].scheme, LINES[n].averaging,
                    reach);
    }
    case_close(file);
    if (!validation.quick) {
        case_plot(&validation, "distance",
                  "Complex error along the room (left), and level of Ez at 0.9 m over the floor (right)",
                  "set multiplot layout 1,2\nset logscale x\nset xlabel 'distance [m]'\nset xrange [0.4:35]\n"
                  "set key inside bottom right\nset ylabel 'complex error [%]'\nset yrange [0.05:50]\nset logscale y\n"
                  "plot for [k=0:4] data.'-distance.dat' index k using 1:2 with linespoints pt 7 ps 0.5 title "
                  "columnheader(1), 2 with lines dt 2 lc rgb '#888888' title 'gate'\n"
                  "unset logscale y\nset autoscale y\nset key inside top right\nset ylabel '|Ez| of 1 A m [dB V/m]'\n"
                  "plot data.'-distance.dat' index 0 using 1:4 with lines lw 4 lc rgb '#cccccc' title 'Sommerfeld', "
                  "'' index 0 using 1:3 with points pt 7 ps 0.5 lt 4 title 'fd4o'\nunset multiplot");
    }
    return case_end(&validation);
}
