/* A slab across a guide whose modes are plane waves at a known angle, E or H along its faces, against the closed form;
 * and how the error falls with the cell (physics.md sections 8 and 9). */
#include "validation/support/slabs/layered.h"

enum { FREQUENCIES = 3 };

struct wall {
    const char *name;
    struct layer layer;
};

static const struct wall WALLS[] = {{"plan A's", {0.07, 2.89, 0.002}}, {"concrete", {0.12, 5.24, 0.0915}}};
static const double CENTRE = 2.4e9; /* Hz */

struct setting {
    const struct wall *wall;
    const char *scheme, *averaging;
    bool meeting;                /* H along the faces, not E */
    double angle, cells, offset; /* rad; cells a wavelength in the wall; cells, of the first face from a node */
};

/* The guide: PMC at the low sides, PEC at the high ones; with E along the faces it does not change along z. */
struct guide {
    double cell, length, across; /* m; rad/m: wave number across */
    int width, odd, face;        /* cells; quarter waves across; node before the first face */
};

/* Whole cells across make the wave's angle exact; the cell gives way, by at most 6 %. */
static struct guide choose_guide(const struct setting *setting)
{
    double sides = setting->meeting ? sqrt(2) : 1, wavelength = SPEED_OF_LIGHT / CENTRE;
    double cells = setting->cells * sqrt(setting->wall->layer.permittivity), sine = sin(setting->angle);
    struct guide guide = {.odd = 1, .face = 44};
    double quarter = cells / (4 * sine) * sides;
    while (guide.odd * quarter < 2.8 || fabs(nearbyint(guide.odd * quarter) / (guide.odd * quarter) - 1) > 0.06) {
        guide.odd += 2;
    }
    guide.width = (int)lround(guide.odd * quarter);
    guide.cell = wavelength / cells * guide.odd * quarter / guide.width;
    guide.across = 2 * M_PI / wavelength * sine;
    return guide;
}

static double cells_in_wall(const struct setting *setting)
{
    return SPEED_OF_LIGHT / CENTRE / sqrt(setting->wall->layer.permittivity) / choose_guide(setting).cell;
}

enum { BEFORE, NEARER, BEHIND, PROBES };

static void solve_guide(const struct setting *setting, const struct guide *guide, bool full, const double *frequency,
                        const char *backend, double complex *field)
{
    const struct layer *layer = &setting->wall->layer;
    double sine = sin(setting->angle), width = fmin(0.2, 0.6 * (1 - sine)) * CENTRE;
    int behind = guide->face + (int)ceil(layer->thickness / guide->cell) + 12, length = behind + 10;
    double face = (guide->face + setting->offset) * guide->cell, side = 3 + guide->width * guide->cell;
    char plan[512];
    snprintf(plan, sizeof plan,
             "{size: [%.17g, %.17g], storey: {height: %.17g}, rectangles: [{from: [%.17g, 0], to: [%.17g, %.17g], "
             "material: {relative_permittivity: %.17g, conductivity: %.17g S/m}}]}",
             length * guide->cell, side, side, face, face + layer->thickness, side, layer->permittivity,
             layer->conductivity);
    struct volume volume = {.scheme = setting->scheme,
                            .averaging = setting->averaging,
                            .plan = full ? plan : NULL,
                            .plan_at = {0, 1, 1},
                            .cell = guide->cell,
                            .cells = {length, guide->width, setting->meeting ? guide->width : 2},
                            .frequency = CENTRE,
                            .width = width,
                            .duration =
                                8.5 * 0.683 / width + 6 * length * guide->cell / SPEED_OF_LIGHT / sqrt(1 - sine * sine),
                            .precision = PW_DOUBLE};
    volume.end[1][0] = END_PMC;
    volume.end[2][0] = setting->meeting ? END_PMC : END_PEC;
    volume.end[1][1] = volume.end[2][1] = END_PEC;
    volume_begin(&volume);
    enum component component = setting->meeting ? COMPONENT_EX : COMPONENT_EZ;
    for (int k = 0; k < volume.cells[2]; k++) {
        for (int j = 0; j < guide->width; j++) {
            double profile = cos(0.5 * M_PI * guide->odd * j / guide->width);
            profile *= setting->meeting ? cos(0.5 * M_PI * guide->odd * k / guide->width) : 1;
            volume_add_dipole(&volume, component, volume_place(&volume, component, 6, j, k), profile);
        }
    }
    volume_add_probe(&volume, component, volume_place(&volume, component, 24, 0, 0));
    volume_add_probe(&volume, component, volume_place(&volume, component, 32, 0, 0));
    volume_add_probe(&volume, component, volume_place(&volume, component, behind, 0, 0));
    volume_solve(&volume, backend);
    volume_transfer(&volume, FREQUENCIES, frequency, field);
    volume_free(&volume);
}

/* Largest |error| of T and R over the band, the incident wave being one. Both are brought to the faces by the wave
 * number of the grid in air, so that dispersion there does not count. */
static double slab_error(const struct setting *setting, const char *backend)
{
    const struct layer *layer = &setting->wall->layer;
    struct guide guide = choose_guide(setting);
    double sine = sin(setting->angle), worst = 0;
    double step = fmin(0.05, 0.15 * (1 - sine)) * CENTRE,
           frequency[FREQUENCIES] = {CENTRE - step, CENTRE, CENTRE + step};
    double complex empty[PROBES * FREQUENCIES], full[PROBES * FREQUENCIES];
    solve_guide(setting, &guide, false, frequency, backend, empty);
    solve_guide(setting, &guide, true, frequency, backend, full);
    double apart = 8 * guide.cell, first = (24 + (setting->meeting ? 0.5 : 0)) * guide.cell;
    double depth = (guide.face + setting->offset) * guide.cell - first;
    for (int f = 0; f < FREQUENCIES; f++) {
        double complex through, law = layered_reflect(layer, 1, frequency[f], guide.across, setting->meeting, &through);
        double complex before = empty[BEFORE * FREQUENCIES + f], nearer = empty[NEARER * FREQUENCIES + f];
        double k = sqrt(pow(2 * M_PI * frequency[f] / SPEED_OF_LIGHT, 2) - guide.across * guide.across);
        k += carg(before / nearer * cexp(-I * k * apart)) / apart;
        double complex reflection = (full[BEFORE * FREQUENCIES + f] - before) / before * cexp(2 * I * k * depth);
        double complex transmission =
            full[BEHIND * FREQUENCIES + f] / empty[BEHIND * FREQUENCIES + f] * cexp(-I * k * layer->thickness);
        double sign = setting->meeting ? -1 : 1; /* Ex goes as H along the face */
        worst = fmax(worst, fmax(cabs(reflection - sign * law), cabs(transmission - (1 + law) * through)));
    }
    return worst;
}

static void slab_errors(const struct validation *validation, int count, const struct setting *settings, double *error)
{
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(validation, PW_DOUBLE, false))
    for (int k = 0; k < count; k++) {
        error[k] = slab_error(&settings[k], validation->backend);
    }
}

enum { ANGLES = 6, OFFSETS = 3, SIDES = 2 };
static const double DEGREES[ANGLES] = {5, 15, 30, 45, 60, 75}, OFFSET[OFFSETS] = {0, 0.3, 0.5};

/* The worst angle and offset of each polarisation. */
static void sweep(struct validation *validation, const char *scheme, const char *averaging, const struct wall *wall,
                  double cells, double gate)
{
    struct setting settings[ANGLES * OFFSETS * SIDES];
    double error[ANGLES * OFFSETS * SIDES];
    int count = 0;
    for (int a = ANGLES - 1; a >= 0; a--) {
        for (int o = 0; o < OFFSETS; o++) {
            for (int side = 0; side < SIDES; side++) {
                bool wanted = validation->quick ? a % 2 == 1 && o == 1 : true;
                if (wanted && !(side == 1 && a == 0)) { /* at 5 degrees both are the same */
                    settings[count++] =
                        (struct setting){wall, scheme, averaging, side == 1, DEGREES[a] * M_PI / 180, cells, OFFSET[o]};
                }
            }
        }
    }
    slab_errors(validation, count, settings, error);
    for (int side = 0; side < SIDES; side++) {
        double worst = 0;
        for (int k = 0; k < count; k++) {
            worst = settings[k].meeting == (side == 1) ? fmax(worst, error[k]) : worst;
        }
        if (gate > 0) {
            case_gate(validation, worst, gate, "%s, %s: %s wall, %s along the faces", scheme, averaging, wall->name,
                      side ? "H" : "E");
        } else {
            case_figure(validation, worst, "%s, %s: %s wall, %s along the faces", scheme, averaging, wall->name,
                        side ? "H" : "E");
        }
    }
}

static void show_orders(struct validation *validation)
{
    enum { CELLS = 5, PLACES = 3 };
    static const double COUNT[CELLS] = {6, 8.5, 12, 17, 24};
    static const struct {
        const char *scheme, *averaging;
        bool meeting, gated;
    } LINES[] = {{"fd4o", "moment", false, true},
                 {"fd4o", "moment", true, true},
                 {"fd8", "moment", false, true},
                 {"fd8", "moment", true, true},
                 {"yee", "area", true, false}};
    FILE *file = case_data(validation, "order");
    for (int line = 0; line < 5; line++) {
        struct setting settings[CELLS * PLACES];
        double each[CELLS * PLACES], error[CELLS], cells[CELLS];
        for (int k = 0; k < CELLS * PLACES; k++) { /* the finest first */
            settings[k] = (struct setting){&WALLS[0],           LINES[line].scheme, LINES[line].averaging,
                                           LINES[line].meeting, 60 * M_PI / 180,    COUNT[CELLS - 1 - k / PLACES],
                                           0.25 * (k % PLACES)};
        }
        slab_errors(validation, CELLS * PLACES, settings, each);
        fprintf(file, "\"%s, %s, %s along\"\n", LINES[line].scheme, LINES[line].averaging,
                LINES[line].meeting ? "H" : "E");
        for (int c = 0; c < CELLS; c++) {
            const double *at = each + PLACES * (CELLS - 1 - c);
            error[c] = fmax(at[0], fmax(at[1], at[2]));
            cells[c] = cells_in_wall(&settings[PLACES * (CELLS - 1 - c)]);
            fprintf(file, "%g %.6g\n", cells[c], error[c]);
        }
        fprintf(file, "\n\n");
        double order = -case_slope(CELLS, cells, error);
        if (LINES[line].gated) {
            case_gate_between(validation, order, 2.5, INFINITY, "%s, %s, %s along the faces, 60 degrees: order",
                              LINES[line].scheme, LINES[line].averaging, LINES[line].meeting ? "H" : "E");
        } else {
            case_figure(validation, order, "%s, %s, %s along the faces, 60 degrees: order", LINES[line].scheme,
                        LINES[line].averaging, LINES[line].meeting ? "H" : "E");
        }
    }
    case_close(file);
    case_plot(
        validation, "order",
        "Plan A's wall at 2.4 GHz and 60°: largest error of T and R over the band and three places of the faces "
        "between the nodes; grey: slopes 2, 3 and 4",
        "set logscale xy\nset xlabel 'cells per wavelength in the wall'\nset ylabel '|error| of T and R'\n"
        "set xrange [5.5:26]\nset yrange [1e-5:1]\nset format y '10^{%T}'\nset xtics (6,8.5,12,17,24)\n"
        "plot for [k=0:4] data.'-order.dat' index k using 1:2 with linespoints pt 7 ps 0.8 title columnheader(1), "
        "for [p=2:4] 0.5*(6/x)**p/4**(p-2) lc rgb '#bbbbbb' dt 2 notitle");
}

static void show_angles(struct validation *validation)
{
    FILE *file = case_data(validation, "angle");
    for (int a = 1; a < ANGLES; a++) {
        struct setting settings[4];
        double error[4];
        for (int k = 0; k < 4; k++) {
            settings[k] = (struct setting){&WALLS[0], "fd4o", k / 2 ? "area" : "moment", k % 2, DEGREES[a] * M_PI / 180,
                                           7.9,       0.3};
        }
        slab_errors(validation, 4, settings, error);
        fprintf(file, "%g %.5g %.5g %.5g %.5g\n", DEGREES[a], error[0], error[1], error[2], error[3]);
    }
    case_close(file);
    case_plot(validation, "angle",
              "Plan A's wall, 7.9 cells per wavelength in it, faces 0.3 cells off the nodes, fd4o: largest error of T "
              "and R by angle of incidence",
              "set logscale y\nset xlabel 'angle of incidence [degrees]'\nset ylabel '|error| of T and R'\n"
              "set xrange [10:80]\nset yrange [1e-4:0.2]\nset format y '10^{%T}'\n"
              "array name[4] = ['moment, E along', 'moment, H along', 'area, E along', 'area, H along']\n"
              "plot for [k=1:4] data.'-angle.dat' using 1:k+1 with linespoints pt 7 ps 0.8 lt k+1 title name[k], "
              "0.015 with lines dt 2 lc rgb '#888888' title 'gate'");
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "volume_slab", "Walls in three dimensions: both polarisations",
        "A wall across a guide whose modes are plane waves at one angle, with E or with H along its faces, at least 7 "
        "cells "
        "per wavelength in the wall at the top of the band: |T − T_exact| and |R − R_exact|, the incident wave being "
        "one, the worst of 5°, "
        "15°, 30°, 45°, 60° and 75°, of faces on nodes, 0.3 and 0.5 cells off, and of three frequencies about 2.4 "
        "GHz.");
    for (int w = 0; w < 2; w++) {
        sweep(&validation, "fd4o", "moment", &WALLS[w], 7.9, 0.015);
    }
    if (!validation.quick) {
        sweep(&validation, "fd8", "moment", &WALLS[0], 7.9, 0.015);
        sweep(&validation, "dd4", "moment", &WALLS[0], 7.9, 0.015);
        sweep(&validation, "fd4o", "area", &WALLS[0], 7.9, 0);
        sweep(&validation, "yee", "area", &WALLS[0], 7.9, 0);
        show_orders(&validation);
        show_angles(&validation);
    }
    return case_end(&validation);
}
