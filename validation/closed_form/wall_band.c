/* A wall of ITU-R P.2040-4 over a band of 3 : 1 in one run: the row fitted by poles, as a scenario of that band gets
 * it, and constant values, against the exact row by the closed form (physics.md section 10). */
#include "validation/support/slabs/layered.h"
#include "validation/support/strip.h"

#include "scenario/material_table.h"

enum { FREQUENCIES = 81, PLACES = 4 };

static const double LOW = 2e9, HIGH = 6e9, THICKNESS = 0.1; /* Hz, m */

struct powers {
    double reflected, transmitted; /* dB */
};

static struct strip wall_strip(double cells)
{
    double cell = SPEED_OF_LIGHT / HIGH / sqrt(5.24) / cells, gap = ceil(0.025 / cell) * cell;
    double source = 8 * cell, face = source + 2 * gap + 0.3 * cell;
    return (struct strip){.scheme = "dd4",
                          .averaging = "moment",
                          .cell = cell,
                          .frequency = 0.5 * (LOW + HIGH),
                          .width = HIGH - LOW,
                          .angle = 8 * M_PI / 180,
                          .length = ceil((face + THICKNESS + gap) / cell + 20) * cell,
                          .source = source,
                          .layer = (int)ceil(0.04 / cell),
                          .reflection = 1e-12,
                          .face = face,
                          .thickness = THICKNESS,
                          .receiver_count = PLACES,
                          .receiver = {face - gap, face, face + THICKNESS, face + THICKNESS + gap},
                          .duration = 10e-9,
                          .pulse = 0.375e-9}; /* 40 dB down at the ends of the band: dispersive_slab.c says why */
}

static void solve_wall(const struct strip *strip, const char *material, const char *backend, const double *frequency,
                       const double complex empty[PLACES][FREQUENCIES], struct powers *powers)
{
    struct strip with = *strip;
    double complex full[PLACES][FREQUENCIES];
    with.wall = material;
    strip_solve(&with, backend, FREQUENCIES, frequency, full[0]);
    for (int f = 0; f < FREQUENCIES; f++) {
        powers[f].reflected = 20 * log10(cabs((full[0][f] - empty[0][f]) / empty[0][f]));
        powers[f].transmitted = 20 * log10(cabs(full[3][f] / empty[3][f]));
    }
}

static struct powers exact_powers(const struct material_row *row, double frequency, double across)
{
    struct layer layer = {.thickness = THICKNESS};
    double complex through;
    material_row_evaluate(row, 1e-9 * frequency, &layer.permittivity, &layer.conductivity);
    double complex law = layered_reflect(&layer, 1, frequency, across, false, &through);
    return (struct powers){20 * log10(cabs(law)), 20 * log10(cabs((1 + law) * through))};
}

enum { FITTED, CONSTANT, KINDS };

static void gate_wall(struct validation *validation, const char *name, FILE *file)
{
    const struct material_row *row = material_row_find(name, 0.5e-9 * (LOW + HIGH));
    struct strip strip = wall_strip(16);
    struct powers found[KINDS][FREQUENCIES], off[KINDS] = {{0}};
    double frequency[FREQUENCIES], permittivity, conductivity, across = strip_wave_number_across(&strip);
    double complex empty[PLACES][FREQUENCIES];
    char constant[120];
    for (int f = 0; f < FREQUENCIES; f++) {
        frequency[f] = LOW + (HIGH - LOW) * f / (FREQUENCIES - 1);
    }
    material_row_evaluate(row, 0.5e-9 * (LOW + HIGH), &permittivity, &conductivity);
    snprintf(constant, sizeof constant, "{relative_permittivity: %.17g, conductivity: %.17g S/m}", permittivity,
             conductivity);
    strip_solve(&strip, validation->backend, FREQUENCIES, frequency, empty[0]);
    solve_wall(&strip, name, validation->backend, frequency, empty, found[FITTED]);
    solve_wall(&strip, constant, validation->backend, frequency, empty, found[CONSTANT]);
    for (int f = 0; f < FREQUENCIES; f++) {
        struct powers law = exact_powers(row, frequency[f], across);
        fprintf(file, "%g %.6g %.6g", 1e-9 * frequency[f], law.reflected, law.transmitted);
        for (int k = 0; k < KINDS; k++) {
            off[k].reflected = fmax(off[k].reflected, fabs(found[k][f].reflected - law.reflected));
            off[k].transmitted = fmax(off[k].transmitted, fabs(found[k][f].transmitted - law.transmitted));
            fprintf(file, " %.6g %.6g", found[k][f].reflected, found[k][f].transmitted);
        }
        fputc('\n', file);
    }
    case_gate(validation, off[FITTED].reflected, 0.1, "%s, fitted: magnitude of R [dB]", name);
    case_gate(validation, off[FITTED].transmitted, 0.1, "%s, fitted: magnitude of T [dB]", name);
    case_figure(validation, off[CONSTANT].reflected, "%s, constant values: magnitude of R [dB]", name);
    case_figure(validation, off[CONSTANT].transmitted, "%s, constant values: magnitude of T [dB]", name);
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "wall_band", "A concrete wall over 3 : 1 in frequency",
        "A wall of 10 cm of ITU-R P.2040-4's concrete across a strip, 2 to 6 GHz in one run, dd4, moment, 16 cells a "
        "wavelength inside: the largest error of |R| and |T| at 81 frequencies against the closed form with the row "
        "at each, in decibels; with the poles that a scenario of that band fits by itself, and with the values at "
        "the band's centre.");
    FILE *file = case_data(&validation, "band");
    gate_wall(&validation, "concrete", file);
    case_close(file);
    if (!validation.quick) {
        case_plot(&validation, "band",
                  "10 cm of concrete at 8° (4 GHz); lines: the row of P.2040; below, what a run is off",
                  "set multiplot layout 2,2\nset xrange [2:6]\nset key inside bottom left samplen 1 font ',8'\n"
                  "set ylabel '|R| [dB]'\nset yrange [-16:-4]\n"
                  "plot data.'-band.dat' using 1:2 with lines lc rgb 'black' title 'P.2040', '' using 1:4 every 4 with "
                  "points pt 7 ps 0.6 lt 2 title 'fitted', '' using 1:6 with lines dt 2 lt 3 title 'constant'\n"
                  "set ylabel '|T| [dB]'\nset yrange [-18:-4]\n"
                  "plot data.'-band.dat' using 1:3 with lines lc rgb 'black' title 'P.2040', '' using 1:5 every 4 with "
                  "points pt 7 ps 0.6 lt 2 title 'fitted', '' using 1:7 with lines dt 2 lt 3 title 'constant'\n"
                  "set xlabel 'frequency [GHz]'\nset key inside bottom right\nset ylabel '|R|: error [dB]'\nset yrange "
                  "[-2:2]\n"
                  "plot 0.1 dt 3 lc rgb '#888888' notitle, -0.1 dt 3 lc rgb '#888888' notitle, data.'-band.dat' using "
                  "1:($4-$2) with lines lt 2 title 'fitted', '' using 1:($6-$2) with lines dt 2 lt 3 title 'constant'\n"
                  "set key inside top left\nset ylabel '|T|: error [dB]'\nset yrange [-5:5]\n"
                  "plot 0.1 dt 3 lc rgb '#888888' notitle, -0.1 dt 3 lc rgb '#888888' notitle, data.'-band.dat' using "
                  "1:($5-$3) with lines lt 2 title 'fitted', '' using 1:($7-$3) with lines dt 2 lt 3 title 'constant'\n"
                  "unset multiplot");
    }
    return case_end(&validation);
}
