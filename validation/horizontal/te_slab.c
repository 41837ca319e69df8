/* A wall across a strip with horizontal polarisation, from straight on to grazing and at Brewster's angle, against the
 * closed form for H along the faces (physics.md sections 9 and 11). */
#include "validation/support/slabs/slab.h"

enum { FREQUENCIES = 5, OFFSETS = 3, ANGLES = 7 };

struct wall {
    const char *name;
    double permittivity, conductivity, thickness; /* -, S/m, m */
};

static const struct wall WALLS[] = {{"plan A's", 2.89, 0.002, 0.07}, {"concrete", 5.24, 0.0915, 0.12}};
enum { WALL_COUNT = sizeof WALLS / sizeof WALLS[0] };
static const double CENTRE = 2.4e9, OFFSET[OFFSETS] = {0, 0.3, 0.5};

/* Of E along the faces. By the admittance of H along the faces, permittivity over wave number across them; wave number
 * along them k_y. */
static struct coefficients closed_form(const struct wall *wall, double frequency, double k_y)
{
    const double w = 2 * M_PI * frequency, k = w / SPEED_OF_LIGHT;
    const double complex permittivity = wall->permittivity - I * wall->conductivity / (w * 8.8541878128e-12);
    const double complex outside = csqrt(k * k - k_y * k_y), inside = csqrt(k * k * permittivity - k_y * k_y);
    const double complex here = 1 / outside, there = permittivity / inside;
    return slab_law((here - there) / (here + there), inside, wall->thickness);
}

struct setting {
    const struct wall *wall;
    const char *scheme, *averaging;
    double angle, cells, offset; /* rad; cells a wavelength in the wall; of the face from a node */
};

/* Largest |error| of T and R over the band, the incident wave being one. */
static double slab_error(const struct setting *setting, const char *backend)
{
    const struct wall *wall = setting->wall;
    const double cell = SPEED_OF_LIGHT / CENTRE / sqrt(wall->permittivity) / setting->cells;
    const double before = 20 * cell, after = wall->thickness + 20 * cell, face = (40 + setting->offset) * cell;
    char material[128];
    snprintf(material, sizeof material, "{relative_permittivity: %.17g, conductivity: %.17g S/m}", wall->permittivity,
             wall->conductivity);
    struct strip strip = {.scheme = setting->scheme,
                          .averaging = setting->averaging,
                          .horizontal = true,
                          .cell = cell,
                          .frequency = CENTRE,
                          .width = CENTRE * (setting->angle > 1.2   ? 0.03
                                             : setting->angle > 0.7 ? 0.06
                                                                    : 0.2),
                          .angle = setting->angle,
                          .length = ceil((face + after) / cell + 20) * cell,
                          .source = 8 * cell,
                          .layer = 24,
                          .reflection = 1e-16,
                          .face = face,
                          .thickness = wall->thickness,
                          .receiver_count = 4,
                          .receiver = {face - before, face, face + wall->thickness, face + after}};
    const double k_y = strip_wave_number_across(&strip);
    double frequency[FREQUENCIES], worst = 0;
    for (int f = 0; f < FREQUENCIES; f++) {
        frequency[f] = strip.frequency + strip.width * (f - 2) / 4.0;
    }
    struct coefficients found[FREQUENCIES];
    slab_measure(&strip, material, backend, FREQUENCIES, frequency, found);
    for (int f = 0; f < FREQUENCIES; f++) {
        const struct coefficients law = closed_form(wall, frequency[f], k_y);
        worst = fmax(worst,
                     fmax(cabs(found[f].reflection - law.reflection), cabs(found[f].transmission - law.transmission)));
    }
    return worst;
}

/* Degrees; NAN: Brewster's. */
static const double DEGREES[ANGLES] = {75, NAN, 60, 45, 30, 15, 0};

static double angle_of(const struct wall *wall, int a)
{
    return isnan(DEGREES[a]) ? atan(sqrt(wall->permittivity)) : DEGREES[a] * M_PI / 180;
}

static const struct {
    const char *scheme, *averaging;
    double cells, gate;
} LINES[] = {{"fd4o", "moment", 12, 0.01}, {"fd8", "moment", 12, 0.01}, {"dd4", "moment", 12, 0.01},
             {"yee", "area", 12, 0},       {"fd4o", "area", 12, 0},     {"fd4o", "moment", 7.2, 0}};
enum { LINE_COUNT = sizeof LINES / sizeof LINES[0] };

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "te_slab", "Horizontal polarisation: walls",
        "A wall across a strip with PEC sides, H along its faces, against the closed form of a slab at 2.4 GHz: "
        "|T − T_exact| and |R − R_exact|, the incident wave being one. 0° to 75° in steps of 15° and Brewster's angle "
        "(59.5° and 66.4°), the worst of five frequencies and of faces on nodes, 0.3 and 0.5 cells off.");
    const int lines = validation.quick ? 1 : LINE_COUNT, offsets = validation.quick ? 1 : OFFSETS;
    double error[LINE_COUNT][WALL_COUNT][ANGLES][OFFSETS] = {{{{0}}}};
#pragma omp parallel for collapse(4) schedule(dynamic) num_threads(case_side_by_side(&validation, PW_DOUBLE, false))
    for (int a = 0; a < ANGLES; a++) { /* the most oblique, which takes longest, first */
        for (int l = 0; l < lines; l++) {
            for (int w = 0; w < WALL_COUNT; w++) {
                for (int o = 0; o < offsets; o++) {
                    const struct setting setting = {&WALLS[w],          LINES[l].scheme,
                                                    LINES[l].averaging, angle_of(&WALLS[w], a),
                                                    LINES[l].cells,     OFFSET[offsets == 1 ? 1 : o]};
                    error[l][w][a][o] = slab_error(&setting, validation.backend);
                }
            }
        }
    }
    FILE *file = case_data(&validation, "angle");
    for (int l = 0; l < lines; l++) {
        fprintf(file, "\"%s, %s, %g cells\"\n", LINES[l].scheme, LINES[l].averaging, LINES[l].cells);
        for (int w = 0; w < WALL_COUNT; w++) {
            double worst = 0;
            for (int a = 0; a < ANGLES; a++) {
                const double *own = error[l][w][a], one = fmax(own[0], fmax(own[1], own[2]));
                worst = fmax(worst, one);
                if (w == 0) {
                    fprintf(file, "%g %.6g\n", angle_of(&WALLS[w], a) * 180 / M_PI, one);
                }
            }
            if (LINES[l].gate > 0) {
                case_gate(&validation, worst, LINES[l].gate, "%s, %s, %g cells: %s wall", LINES[l].scheme,
                          LINES[l].averaging, LINES[l].cells, WALLS[w].name);
            } else {
                case_figure(&validation, worst, "%s, %s, %g cells: %s wall", LINES[l].scheme, LINES[l].averaging,
                            LINES[l].cells, WALLS[w].name);
            }
        }
        fprintf(file, "\n\n");
    }
    case_close(file);
    if (!validation.quick) {
        case_plot(&validation, "angle", "Plan A's wall: largest error of T and R by angle of incidence",
                  "set logscale y\nset key left top samplen 2 font ',9'\nset xlabel 'angle of incidence [degrees]'\n"
                  "set ylabel '|error| of T and R'\nset xrange [-2:78]\nset yrange [1e-4:0.3]\nset format y '10^{%T}'\n"
                  "plot for [k=0:5] data.'-angle.dat' index k using 1:2 with linespoints pt 7 ps 0.8 lt k+1 title "
                  "columnheader(1)");
    }
    return case_end(&validation);
}
