/* Reflection and transmission of a wall against the closed form: lossless and lossy, faces on nodes and between them,
 * from 5 to 60 degrees, 0.5 to 6 GHz; and how the error falls with the cell for each averaging and scheme (physics.md
 * sections 1 and 8). */
#include "validation/support/slabs/slab.h"

enum { FREQUENCIES = 5 };

struct wall {
    const char *name;
    double permittivity, conductivity; /* -, S/m at 1 GHz */
    double exponent;                   /* of frequency in the conductivity */
    double thickness;                  /* m */
};

static const struct wall WALLS[] = {
    {"lossless", 2.89, 0, 0, 0.07}, {"plan A's", 2.89, 0.002, 0, 0.07}, {"concrete", 5.24, 0.0462, 0.7822, 0.12}};

/* ITU-R P.2040 (slab), Ez parallel to the faces; wave number across k_y. */
static struct coefficients closed_form(const struct wall *wall, double conductivity, double frequency, double k_y)
{
    double w = 2 * M_PI * frequency, k = w / SPEED_OF_LIGHT;
    double complex permittivity = wall->permittivity - I * conductivity / (w * 8.8541878128e-12);
    double complex outside = csqrt(k * k - k_y * k_y), inside = csqrt(k * k * permittivity - k_y * k_y);
    return slab_law((outside - inside) / (outside + inside), inside, wall->thickness);
}

struct setting {
    const char *scheme, *averaging;
    double frequency, angle, cells; /* Hz, rad, cells per wavelength in the wall */
    double offset;                  /* of the face from a node, cells */
};

/* Largest |error| of T and R over the band, the incident wave being one. */
static double slab_error(const struct setting *setting, const struct wall *wall, const char *backend)
{
    double conductivity = wall->conductivity * pow(setting->frequency * 1e-9, wall->exponent);
    double wavelength = SPEED_OF_LIGHT / setting->frequency,
           cell = wavelength / sqrt(wall->permittivity) / setting->cells;
    double before = 20 * cell, after = wall->thickness + 20 * cell, face = (40 + setting->offset) * cell;
    char material[128];
    snprintf(material, sizeof material, "{relative_permittivity: %.17g, conductivity: %.17g S/m}", wall->permittivity,
             conductivity);
    struct strip strip = {.scheme = setting->scheme,
                          .averaging = setting->averaging,
                          .cell = cell,
                          .frequency = setting->frequency,
                          .width = setting->frequency * (setting->angle > 0.7 ? 0.06 : 0.2),
                          .angle = setting->angle,
                          .length = ceil((face + after) / cell + 20) * cell,
                          .source = 8 * cell,
                          .layer = 24,
                          .face = face,
                          .thickness = wall->thickness,
                          .receiver_count = 4,
                          .receiver = {face - before, face, face + wall->thickness, face + after}};
    double frequency[FREQUENCIES], k_y = strip_wave_number_across(&strip), worst = 0;
    for (int f = 0; f < FREQUENCIES; f++) {
        frequency[f] = strip.frequency + strip.width * (f - 2) / 4.0;
    }
    struct coefficients found[FREQUENCIES];
    slab_measure(&strip, material, backend, FREQUENCIES, frequency, found);
    for (int f = 0; f < FREQUENCIES; f++) {
        struct coefficients law = closed_form(wall, conductivity, frequency[f], k_y);
        worst = fmax(worst,
                     fmax(cabs(found[f].reflection - law.reflection), cabs(found[f].transmission - law.transmission)));
    }
    return worst;
}

/* error[k] of settings[k]. */
static void slab_errors(const struct validation *validation, const struct wall *wall, int count,
                        const struct setting *settings, double *error)
{
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(validation, PW_DOUBLE, false))
    for (int k = 0; k < count; k++) {
        error[k] = slab_error(&settings[k], wall, validation->backend);
    }
}

static const double ANGLES[] = {5 * M_PI / 180, 30 * M_PI / 180, 60 * M_PI / 180};

static double worst_of_sweep(struct validation *validation, const char *scheme, const char *averaging,
                             const struct wall *wall)
{
    static const double BANDS[] = {0.5e9, 1e9, 2.4e9, 6e9}, OFFSETS[] = {0, 0.3, 0.5};
    struct setting settings[4 * 3 * 3];
    double error[4 * 3 * 3], worst = 0;
    int count = 0;
    for (int a = 2; a >= 0; a--) { /* the most oblique, which takes longest, first */
        for (int b = 0; b < 4; b++) {
            for (int o = 0; o < 3; o++) {
                if (!validation->quick || (a == b % 3 && o == 1)) {
                    settings[count++] = (struct setting){scheme, averaging, BANDS[b], ANGLES[a], 12, OFFSETS[o]};
                }
            }
        }
    }
    slab_errors(validation, wall, count, settings, error);
    for (int k = 0; k < count; k++) {
        worst = fmax(worst, error[k]);
    }
    return worst;
}

static void show_orders(struct validation *validation)
{
    static const struct {
        const char *scheme, *averaging;
        double order; /* at least; 0: no gate */
    } LINES[] = {{"yee", "point", 0},    {"yee", "area", 1.8},   {"dd4", "point", 0},    {"dd4", "area", 1.8},
                 {"dd2", "moment", 1.8}, {"dd4", "moment", 2.5}, {"fd8", "moment", 2.5}, {"dd4", "bandlimited", 1.8}};
    static const double CELLS[] = {6, 8.5, 12, 17, 24};
    FILE *file = case_data(validation, "order");
    for (int line = 0; line < 8; line++) {
        struct setting settings[5 * 3];
        double error[5], each[5 * 3];
        for (int k = 0; k < 5 * 3; k++) { /* the finest, which takes longest, first */
            settings[k] = (struct setting){LINES[line].scheme, LINES[line].averaging, 2.4e9,
                                           ANGLES[1],          CELLS[4 - k / 3],      0.25 * (k % 3)};
        }
        slab_errors(validation, &WALLS[1], 5 * 3, settings, each);
        fprintf(file, "\"%s, %s\"\n", LINES[line].scheme, LINES[line].averaging);
        for (int c = 0; c < 5; c++) { /* the worst of three places of the face between nodes */
            const double *at = each + 3 * (4 - c);
            error[c] = fmax(at[0], fmax(at[1], at[2]));
            fprintf(file, "%g %.6g\n", CELLS[c], error[c]);
        }
        fprintf(file, "\n\n");
        double order = -case_slope(5, CELLS, error);
        if (LINES[line].order > 0) {
            case_gate_between(validation, order, LINES[line].order, INFINITY, "%s, %s: order (%.2g at 17 cells)",
                              LINES[line].scheme, LINES[line].averaging, error[3]);
        } else {
            case_figure(validation, order, "%s, %s: order (%.2g at 17 cells)", LINES[line].scheme,
                        LINES[line].averaging, error[3]);
        }
    }
    case_close(file);
    case_plot(
        validation, "order",
        "Plan A's wall, 7 cm, 2.4 GHz at 30°: largest error of T and R over the band and three places of the face "
        "between the nodes; grey: slopes 2, 3 and 4",
        "set logscale xy\nset xlabel 'cells per wavelength in the wall'\nset ylabel '|error| of T and R'\n"
        "set xrange [5.5:26]\nset yrange [1e-6:1]\nset format y '10^{%T}'\nset xtics (6,8.5,12,17,24)\n"
        "plot for [k=0:7] data.'-order.dat' index k using 1:2 with linespoints pt 7 ps 0.8 title columnheader(1), "
        "for [p=2:4] 0.5*(6/x)**p/4**(p-2) lc rgb '#bbbbbb' dt 2 notitle");
}

/* From nearly straight on to grazing, where R tends to one: the mode nearest to each angle. */
static void show_angles(struct validation *validation)
{
    static const char *const AVERAGING[] = {"area", "moment", "bandlimited"};
    FILE *file = case_data(validation, "angle");
    for (int degrees = 5; degrees <= 65; degrees += 10) {
        struct setting settings[3];
        double error[3];
        for (int a = 0; a < 3; a++) {
            settings[a] = (struct setting){"dd4", AVERAGING[a], 2.4e9, degrees * M_PI / 180, 12, 0.3};
        }
        slab_errors(validation, &WALLS[1], 3, settings, error);
        fprintf(file, "%d %.4g %.4g %.4g\n", degrees, error[0], error[1], error[2]);
    }
    case_close(file);
    case_plot(
        validation, "angle",
        "Plan A's wall at 2.4 GHz, 12 cells per wavelength in it, faces 0.3 cells off the nodes, dd4: largest error "
        "of T and R by angle of incidence",
        "set logscale y\nset xlabel 'angle of incidence [degrees]'\nset ylabel '|error| of T and R'\n"
        "set xrange [0:70]\nset yrange [1e-5:0.1]\nset format y '10^{%T}'\nnames = 'area moment bandlimited'\n"
        "plot for [k=1:3] data.'-angle.dat' using 1:k+1 with linespoints pt 7 ps 0.8 lt k+1 title word(names,k)");
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "slab", "Walls: complex transmission and reflection",
        "A wall across a strip with PEC sides, driven by one mode, against the closed form of ITU-R P.2040 for a slab: "
        "|T − T_exact| and |R − R_exact|, the incident wave being one, at 12 cells per wavelength in the wall: the "
        "worst of "
        "0.5, 1, 2.4 and 6 GHz (five frequencies of each band), 5°, 30° and 60°, faces on nodes, 0.3 and 0.5 cells "
        "off.");
    for (int w = 0; w < 3; w++) {
        case_gate(&validation, worst_of_sweep(&validation, "dd4", "moment", &WALLS[w]), 0.02, "dd4, moment: %s wall",
                  WALLS[w].name);
        if (!validation.quick) {
            case_figure(&validation, worst_of_sweep(&validation, "dd4", "area", &WALLS[w]), "dd4, area: %s wall",
                        WALLS[w].name);
        }
    }
    if (!validation.quick) {
        case_figure(&validation, worst_of_sweep(&validation, "yee", "area", &WALLS[1]), "yee, area: %s wall",
                    WALLS[1].name);
        case_figure(&validation, worst_of_sweep(&validation, "fd8", "moment", &WALLS[1]), "fd8, moment: %s wall",
                    WALLS[1].name);
        case_figure(&validation, worst_of_sweep(&validation, "dd4", "bandlimited", &WALLS[1]),
                    "dd4, bandlimited: %s wall", WALLS[1].name);
        case_figure(&validation, worst_of_sweep(&validation, "dd4", "bandlimited", &WALLS[2]),
                    "dd4, bandlimited: %s wall", WALLS[2].name);
        show_orders(&validation);
        show_angles(&validation);
    }
    return case_end(&validation);
}
