/* The kinds of absorber beside one another: reflection by angle, far from the band's 15 cells a wavelength, of waves
 * that fall off along the guide, what is left long after a pulse, and time a step; against the laws of their papers
 * (physics.md section 3). Which kind to take when: the table in validation/README.md. */
#include "validation/boundary/kinds.h"
#include "validation/support/guide.h"

enum { SCHEMES = 2, LAYERS = 2 };
static const char *const SCHEME[SCHEMES] = {"yee", "dd4"};
static const int LAYER[LAYERS] = {16, 10};
static const double CELLS = 15; /* a wavelength, about */

static double decibel(double magnitude)
{
    return 20 * log10(magnitude);
}

static double sine_of(double degrees)
{
    return sin(degrees * M_PI / 180);
}

/* A list of guides, solved side by side: those that take longest first. */
enum { GUIDE_LIMIT = 256 };
struct guides {
    int count;
    struct guide guide[GUIDE_LIMIT];
    struct guide_outcome outcome[GUIDE_LIMIT];
};

static int add_guide(struct guides *guides, const char *scheme, int kind, int layer, double cells, double sine)
{
    struct guide *guide = &guides->guide[guides->count];
    case_require(guides->count < GUIDE_LIMIT ? PW_OK : PW_USAGE, "more guides than there is room for");
    *guide = (struct guide){.scheme = scheme,
                            .kind = KIND[kind].name,
                            .layer = layer,
                            .order = KIND[kind].order,
                            .cells = cells,
                            .sine = sine};
    return guides->count++;
}

static void solve_guides(const struct validation *validation, struct guides *guides)
{
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(validation, PW_DOUBLE, false))
    for (int n = guides->count - 1; n >= 0; n--) {
        guides->outcome[n] = guide_solve(&guides->guide[n], validation->backend);
    }
}

/* ---- by angle ---------------------------------------------------------------------------------------------------- */

enum { ANGLES = 9 };
static const double DEGREES[ANGLES] = {2, 15, 30, 45, 60, 70, 75, 80, 85};

/* Of each scheme, layer, kind and angle, as an index into the list; -1: not solved. */
struct by_angle {
    int at[SCHEMES][LAYERS][KINDS][ANGLES];
    struct guides guides;
};

/* Kinds without a layer know no depth. The wide scheme before Mur's edges, which no fast solver takes, to 75 degrees.
 */
static bool angle_wanted(const struct validation *validation, int scheme, int layer, int kind, int angle)
{
    bool layered = KIND[kind].order == 0 && kind != PEC, steep = DEGREES[angle] > 80;
    if (validation->quick) {
        bool few = angle == 0 || DEGREES[angle] == 60;
        return layer == 0 && (few || (DEGREES[angle] == 80 && kind <= CPML && scheme == 0));
    }
    return layered ||
           (layer == 0 && !(KIND[kind].order > 0 && scheme == 1 && DEGREES[angle] > 75) && !(kind == PEC && steep));
}

static void solve_angles(const struct validation *validation, struct by_angle *all)
{
    for (int a = 0; a < ANGLES; a++) {
        for (int n = 0; n < SCHEMES * LAYERS * KINDS; n++) {
            int scheme = n / (LAYERS * KINDS), layer = n / KINDS % LAYERS, kind = n % KINDS;
            all->at[scheme][layer][kind][a] =
                angle_wanted(validation, scheme, layer, kind, a)
                    ? add_guide(&all->guides, SCHEME[scheme], kind, LAYER[layer], CELLS, sine_of(DEGREES[a]))
                    : -1;
        }
    }
    solve_guides(validation, &all->guides);
}

static const struct guide_outcome *angle_outcome(const struct by_angle *all, int scheme, int layer, int kind, int angle)
{
    int n = all->at[scheme][layer][kind][angle];
    return n < 0 ? NULL : &all->guides.outcome[n];
}

/* What Mur's equations reflect of a plane wave on yee's grid: the outermost nodes obey the condition and the next ones
 * yee's step, so that putting the two waves into the condition is all. z = exp(j w dt), k = c dt/cell. */
static double mur_on_grid(const struct guide_outcome *guide, int order)
{
    double k = guide->courant, half = M_PI / guide->cells, across = sin(0.5 * M_PI * guide->half_waves / guide->across);
    double complex z = cexp(2 * I * asin(k * half)), theta = 2 * casin(csqrt(half * half - across * across));
    double complex memory = order == 2 ? -2 * k * k * across * across / (k + 1) / (1 - 1 / z) : 0;
    double complex edge = z - 1 + 2 * k / (k + 1) - memory,
                   next = 2 * k / (k + 1) + (k - 1) / (k + 1) * (z - 1) + memory;
    return cabs((edge - next * cexp(I * theta)) / (edge - next * cexp(-I * theta)));
}

/* Of the differential equations. */
static double mur_law(double degrees, int order)
{
    double cosine = cos(degrees * M_PI / 180);
    return pow((1 - cosine) / (1 + cosine), order);
}

/* On the grid they differ from their law by a term of the second order in the cell. (Before a wide scheme's stencil
 * there are rows of yee's, whose own term may have the other sign: tests/boundary/test_mur.c has all schemes on finer
 * grids.)
 */
static void gate_mur_order(struct validation *validation)
{
    static struct guides guides;
    for (int n = 0; n < 4; n++) {
        add_guide(&guides, "yee", MUR_1 + n / 2, 16, n % 2 ? 2 * CELLS : CELLS, sine_of(60));
    }
    solve_guides(validation, &guides);
    for (int order = 1; order <= 2; order++) {
        const struct guide_outcome *coarse = &guides.outcome[2 * order - 2], *fine = coarse + 1;
        double law = mur_law(60, order), ratio = fabs(fine->reflection - law) / fabs(coarse->reflection - law);
        ratio *= pow(fine->cells / coarse->cells / 2, 2); /* whole cells across do not quite halve the cell */
        case_gate_between(validation, ratio, 0.2, 0.3,
                          "mur, order %d, yee, 60°: off the law at 30 cells a wavelength over that at 15", order);
    }
}

static void gate_mur(struct validation *validation, const struct by_angle *all)
{
    for (int order = 1; order <= 2; order++) {
        double from_grid = 0, from_law[SCHEMES] = {0};
        for (int n = 0; n < SCHEMES * ANGLES; n++) {
            int scheme = n / ANGLES, a = n % ANGLES;
            const struct guide_outcome *guide = angle_outcome(all, scheme, 0, MUR_1 + order - 1, a);
            if (guide == NULL) {
                continue;
            }
            from_law[scheme] = fmax(from_law[scheme], fabs(guide->reflection - mur_law(DEGREES[a], order)));
            from_grid = scheme > 0 ? from_grid : fmax(from_grid, fabs(guide->reflection - mur_on_grid(guide, order)));
        }
        case_gate(validation, from_grid, 1e-4, "mur, order %d, yee: off what its equations reflect on the grid", order);
        for (int s = 0; s < SCHEMES; s++) {
            case_figure(validation, from_law[s], "mur, order %d, %s: off the law at most", order, SCHEME[s]);
        }
    }
    if (!validation->quick) {
        gate_mur_order(validation);
    }
}

/* The law R(0)^cos, R(0) = exp(-16), where it is well over what the grid adds. The wave in the layer has the grid's
 * wave number, so that its exponent is off by as much: 3 % at these cells. */
static void gate_berenger(struct validation *validation, const struct by_angle *all)
{
    for (int scheme = 0; scheme < SCHEMES; scheme++) {
        double off = 0;
        for (int a = 0; a < ANGLES; a++) {
            const struct guide_outcome *guide = angle_outcome(all, scheme, 0, BERENGER, a);
            if (guide != NULL && DEGREES[a] >= 60) {
                off = fmax(off, fabs(log(guide->reflection) / (-16 * cos(DEGREES[a] * M_PI / 180)) - 1));
            }
        }
        case_gate(validation, off, 0.05, "berenger, 16 cells, %s, from 60° on: off the exponent −16 cos θ, part of it",
                  SCHEME[scheme]);
    }
}

/* How much more cpml reflects than upml [dB], at most. */
static double cpml_over_upml(const struct by_angle *all, int scheme, int layer, double *at)
{
    double over = -INFINITY;
    for (int a = 0; a < ANGLES; a++) {
        const struct guide_outcome *upml = angle_outcome(all, scheme, layer, UPML, a),
                                   *cpml = angle_outcome(all, scheme, layer, CPML, a);
        double more = upml == NULL || cpml == NULL ? -INFINITY : decibel(cpml->reflection / upml->reflection);
        *at = more > over ? DEGREES[a] : *at;
        over = fmax(over, more);
    }
    return over;
}

static void gate_angles(struct validation *validation, const struct by_angle *all)
{
    for (int scheme = 0; scheme < SCHEMES; scheme++) {
        double at = 0, over = cpml_over_upml(all, scheme, 0, &at);
        case_gate(validation, over, 3, "cpml over upml, 16 cells, %s: most, at %g° [dB]", SCHEME[scheme], at);
    }
    for (int n = SCHEMES; n < SCHEMES * LAYERS && !validation->quick; n++) {
        double at = 0, over = cpml_over_upml(all, n % SCHEMES, n / SCHEMES, &at);
        case_figure(validation, over, "cpml over upml, %d cells, %s: most, at %g° [dB]", LAYER[n / SCHEMES],
                    SCHEME[n % SCHEMES], at);
    }
    gate_mur(validation, all);
    gate_berenger(validation, all);
    double wall = 0;
    for (int n = 0; n < SCHEMES * ANGLES; n++) {
        const struct guide_outcome *guide = angle_outcome(all, n / ANGLES, 0, PEC, n % ANGLES);
        wall = guide == NULL ? wall : fmax(wall, fabs(guide->reflection - 1));
    }
    case_gate(validation, wall, 1e-5, "pec: off 1, what the measurement itself gets wrong");
}

/* A cell of a table; NULL: an empty one. */
static void show_level(struct validation *validation, const struct guide_outcome *guide)
{
    if (guide == NULL) {
        case_text(validation, " |");
        return;
    }
    double level = decibel(guide->reflection);
    case_text(validation, " %.1f |", fabs(level) < 0.05 ? 0 : level);
}

static void show_angles(struct validation *validation, const struct by_angle *all)
{
    for (int s = 0; s < SCHEMES; s++) {
        case_text(validation, "\nReflection [dB] by angle, %s, about 15 cells a wavelength:\n\n| kind | cells |",
                  SCHEME[s]);
        for (int a = 0; a < ANGLES; a++) {
            case_text(validation, " %g° |", DEGREES[a]);
        }
        case_text(validation, "\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
        for (int n = 0; n < KINDS * LAYERS; n++) {
            int kind = n / LAYERS, layer = n % LAYERS;
            if (angle_outcome(all, s, layer, kind, 0) == NULL) {
                continue;
            }
            case_text(validation, kind <= BERENGER ? "| %s | %d |" : "| %s | |", KIND[kind].title, LAYER[layer]);
            for (int a = 0; a < ANGLES; a++) {
                show_level(validation, angle_outcome(all, s, layer, kind, a));
            }
            case_text(validation, "\n");
        }
    }
}

static void plot_angles(struct validation *validation, const struct by_angle *all)
{
    FILE *file = case_data(validation, "angle");
    for (int a = 0; a < ANGLES; a++) {
        fprintf(file, "%g", DEGREES[a]);
        for (int kind = 0; kind < KINDS; kind++) {
            const struct guide_outcome *guide = angle_outcome(all, 0, 0, kind, a);
            guide == NULL ? fprintf(file, " nan") : fprintf(file, " %.3f", decibel(guide->reflection));
        }
        for (int kind = 0; kind <= CPML; kind++) {
            fprintf(file, " %.3f", decibel(angle_outcome(all, 0, 1, kind, a)->reflection));
        }
        fprintf(file, "\n");
    }
    case_close(file);
    case_plot(validation, "angle",
              "Reflection by angle of incidence, yee, about 15 cells a wavelength; grey: the laws of Mur and Berenger",
              "set xlabel 'angle of incidence [degrees]'\nset ylabel 'reflection [dB]'\nset xrange [0:90]\n"
              "set yrange [-160:10]\nset angles degrees\nset samples 400\nset key outside right top samplen 2\n"
              "first(x) = 20*log10((1-cos(x))/(1+cos(x)))\n"
              "plot data.'-angle.dat' using 1:2 with linespoints pt 7 ps 0.8 lt 2 title 'upml, 16 cells', "
              "'' using 1:3 with linespoints pt 7 ps 0.8 lt 4 title 'cpml, 16 cells', "
              "'' using 1:8 with linespoints pt 6 ps 0.8 lt 2 dt 2 title 'upml, 10 cells', "
              "'' using 1:9 with linespoints pt 6 ps 0.8 lt 4 dt 2 title 'cpml, 10 cells', "
              "first(x) lc rgb '#bbbbbb' notitle, 2*first(x) lc rgb '#bbbbbb' notitle, "
              "20*log10(exp(-16*cos(x))) lc rgb '#bbbbbb' notitle, "
              "'' using 1:4 with linespoints pt 5 ps 0.8 lt 3 title 'berenger, 16 cells', "
              "'' using 1:5 with linespoints pt 9 ps 0.8 lt 6 title 'mur, order 1', "
              "'' using 1:6 with linespoints pt 9 ps 0.8 lt 7 title 'mur, order 2', "
              "'' using 1:7 with linespoints pt 13 ps 0.8 lt 1 title 'pec'");
}

/* Every scheme, and its default of cpml; upml's is gated by the case upml. */
static void gate_schemes(struct validation *validation)
{
    static struct guides guides;
    for (int n = 0; n < 2 * SCHEME_COUNT; n++) {
        add_guide(&guides, scheme_name((enum scheme)(n % SCHEME_COUNT)), CPML, 16, CELLS,
                  sine_of(n < SCHEME_COUNT ? 2 : 80));
    }
    solve_guides(validation, &guides);
    for (int n = 0; n < guides.count; n++) {
        case_gate(validation, decibel(guides.outcome[n].reflection), n < SCHEME_COUNT ? -100 : -80,
                  "cpml, default of 16 cells, %s: reflection at %d° [dB]", guides.guide[n].scheme,
                  n < SCHEME_COUNT ? 2 : 80);
    }
}

/* ---- far from 15 cells a wavelength ------------------------------------------------------------------------------ */

static void show_wavelengths(struct validation *validation)
{
    enum { COUNT = 5 };
    static const double WAVELENGTH[COUNT] = {8, 10, 25, 60, 150};
    static struct guides guides;
    for (int c = 0; c < COUNT; c++) {
        for (int n = 0; n < 2 * LAYERS; n++) {
            add_guide(&guides, "dd4", n / LAYERS, LAYER[n % LAYERS], WAVELENGTH[c], 0.5);
        }
    }
    solve_guides(validation, &guides);
    case_text(
        validation,
        "\nReflection [dB] at 30° by cells a wavelength, dd4: what the default of `cpml` costs away from 15 cells, "
        "which no choice of κ and α takes back and still takes in what falls off beside metal:\n\n| kind | cells "
        "| 8 | 10 | 25 | 60 | 150 |\n| --- | --- | --- | --- | --- | --- | --- |\n");
    for (int n = 0; n < 2 * LAYERS; n++) {
        case_text(validation, "| %s | %d |", KIND[n / LAYERS].title, LAYER[n % LAYERS]);
        for (int c = 0; c < COUNT; c++) {
            case_text(validation, " %.1f |", decibel(guides.outcome[2 * LAYERS * c + n].reflection));
        }
        case_text(validation, "\n");
    }
}

/* ---- what falls off along the guide ------------------------------------------------------------------------------ */

enum { SINES = 4 };
static const double SINE[SINES] = {1.01, 1.05, 1.2, 1.5};

/* The wide scheme's other waves fall off about as fast as a mode of 1.5 does, and hide its reflection; and Mur's edges
 * are too far for one. */
static bool sine_wanted(const struct validation *validation, int scheme, int layer, int kind, int sine)
{
    bool layered = KIND[kind].order == 0 && kind != PEC;
    return validation->quick
               ? layer == 0 && kind <= CPML && sine == 2
               : (layered || (layer == 0 && scheme == 0)) && !(sine == 3 && (scheme == 1 || KIND[kind].order > 0));
}

static void show_evanescent(struct validation *validation, int scheme, int at[LAYERS][KINDS][SINES],
                            const struct guides *guides)
{
    case_text(validation, "\nReflection [dB] of what falls off along the guide, %s, by sin θ:\n\n| kind | cells |",
              SCHEME[scheme]);
    for (int s = 0; s < SINES - scheme; s++) {
        case_text(validation, " %g |", SINE[s]);
    }
    case_text(validation, "\n| --- | --- | --- | --- | --- |%s\n", scheme == 0 ? " --- |" : "");
    for (int n = 0; n < KINDS * LAYERS; n++) {
        int kind = n / LAYERS, layer = n % LAYERS;
        if (at[layer][kind][0] < 0) {
            continue;
        }
        case_text(validation, kind <= BERENGER ? "| %s | %d |" : "| %s | |", KIND[kind].title, LAYER[layer]);
        for (int s = 0; s < SINES - scheme; s++) {
            show_level(validation, at[layer][kind][s] < 0 ? NULL : &guides->outcome[at[layer][kind][s]]);
        }
        case_text(validation, "\n");
    }
}

static void gate_evanescent(struct validation *validation)
{
    static struct guides guides;
    int at[SCHEMES][LAYERS][KINDS][SINES];
    for (int n = SINES * SCHEMES * LAYERS * KINDS - 1; n >= 0; n--) { /* 1.01 last: it takes longest */
        int sine = n % SINES, kind = n / SINES % KINDS, layer = n / SINES / KINDS % LAYERS,
            scheme = n / SINES / KINDS / LAYERS;
        at[scheme][layer][kind][sine] = sine_wanted(validation, scheme, layer, kind, sine)
                                            ? add_guide(&guides, SCHEME[scheme], kind, LAYER[layer], CELLS, SINE[sine])
                                            : -1;
    }
    solve_guides(validation, &guides);
    for (int n = 0; n < SCHEMES * SINES; n++) {
        int scheme = n / SINES, sine = n % SINES;
        if (at[scheme][0][CPML][sine] >= 0) {
            double upml = guides.outcome[at[scheme][0][UPML][sine]].reflection,
                   cpml = guides.outcome[at[scheme][0][CPML][sine]].reflection;
            case_gate(validation, decibel(cpml / upml), -15,
                      "cpml over upml, 16 cells, %s, what falls off with sin θ = %g [dB]", SCHEME[scheme], SINE[sine]);
        }
    }
    for (int scheme = 0; scheme < SCHEMES && !validation->quick; scheme++) {
        show_evanescent(validation, scheme, at[scheme], &guides);
    }
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "absorber_kinds", "Kinds of absorber",
        "Modes of guides between PEC walls that end in an absorber, each as a scenario gets it, double precision: "
        "plane waves at one angle, and below the cutoff waves that fall off along the guide, as they do beside metal. "
        "The angle is that of the scheme's own wave number across. Against the laws of the papers, Mur's (1 − cos "
        "θ)/(1 "
        "+ cos θ) and its square and Berenger's R(0)^{cos θ}; pec, which reflects all, shows the error of the "
        "measurement. `cpml` is gated against `upml` where the two are meant to be alike, 16 cells at 15 cells a "
        "wavelength, and shown where it reflects more.");
    static struct by_angle all;
    solve_angles(&validation, &all);
    gate_angles(&validation, &all);
    if (!validation.quick) {
        gate_schemes(&validation);
    }
    gate_evanescent(&validation);
    if (!validation.quick) {
        show_angles(&validation, &all);
        plot_angles(&validation, &all);
        show_wavelengths(&validation);
    }
    return case_end(&validation);
}
