/* The absorber: what a point beside it and one at its corner see against a grid too large to echo, by depth, order and
 * R(0), and the reflection of a plane wave by angle; every scheme (physics.md section 3). */
#include "validation/support/guide.h"

enum { STEPS = 900, DOMAIN = 40 };

struct layer {
    int cells;
    double order, reflection; /* R(0) */
};

/* Ez over time one cell from the layer beside the source and one cell from it in its corner; layer NULL: a box too
 * large to echo. */
static void record(const char *scheme, const char *backend, const struct layer *layer, double series[2][STEPS])
{
    int margin = layer == NULL ? 200 : 0;
    double centre = margin + DOMAIN / 2;
    struct text text = {0};
    text_add(&text, "plan: {size: [%d mm, %d mm]}\ngrid: {scheme: %s, cell: 1 mm, courant: 0.5, absorber: ",
             DOMAIN + 2 * margin, DOMAIN + 2 * margin, scheme);
    if (layer == NULL) {
        text_add(&text, "{kind: none}}\n");
    } else {
        text_add(&text, "{kind: upml, cells: %d, order: %g, reflection: %.17g}}\n", layer->cells, layer->order,
                 layer->reflection);
    }
    text_add(&text,
             "band: {centre: 10 GHz, width: 4 GHz}\n"
             "transmitters: [{name: t, at: [%g mm, %g mm], waveform: {kind: differentiated-gaussian, width: 26.53 ps, "
             "delay: 106.12 ps}}]\n"
             "receivers: [{name: a, at: [%g mm, %d mm]}, {name: b, at: [%d mm, %d mm]}]\n"
             "spectra: off\nstop: {steps: %d}\n",
             centre, centre, centre, margin + 1, margin + 1, margin + 1, STEPS);
    struct solved solved = solve(text.text, PW_DOUBLE, backend);
    pw_error error = {{0}};
    for (int r = 0; r < 2; r++) {
        case_require(pw_simulation_receiver(solved.simulation, 0, r, series[r], &error), error.message);
    }
    solve_free(&solved);
    free(text.text);
}

/* The worse of the two points, max |E - reference| / max |reference| [dB]. */
static double echo(double test[2][STEPS], double reference[2][STEPS])
{
    double worst = 0;
    for (int r = 0; r < 2; r++) {
        double difference = 0, peak = 0;
        for (int n = 0; n < STEPS; n++) {
            difference = fmax(difference, fabs(test[r][n] - reference[r][n]));
            peak = fmax(peak, fabs(reference[r][n]));
        }
        worst = fmax(worst, difference / peak);
    }
    return 20 * log10(worst);
}

static void show_table(struct validation *validation, double references[SCHEME_COUNT][2][STEPS])
{
    static const struct layer LAYERS[] = {{6, 4, 1.1254e-7},  {8, 4, 1.1254e-7},  {10, 4, 1.1254e-7},
                                          {12, 4, 1.1254e-7}, {16, 4, 1.1254e-7}, {24, 4, 1.1254e-7},
                                          {16, 2, 1.1254e-7}, {16, 3, 1.1254e-7}, {16, 5, 1.1254e-7},
                                          {16, 4, 3.355e-4},  {16, 4, 6.144e-6},  {16, 4, 3.775e-11}};
    double test[2][STEPS];
    FILE *file = case_data(validation, "depth");
    case_text(validation, "\nEcho [dB] by layer:\n\n| cells | order | ln R(0) |");
    for (int s = 0; s < SCHEME_COUNT; s++) {
        case_text(validation, " %s |", scheme_name((enum scheme)s));
    }
    case_text(validation, "\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t k = 0; k < sizeof LAYERS / sizeof LAYERS[0]; k++) {
        case_text(validation, "| %d | %g | %.0f |", LAYERS[k].cells, LAYERS[k].order, log(LAYERS[k].reflection));
        fprintf(file, k < 6 ? "%d" : "# %d", LAYERS[k].cells);
        for (int s = 0; s < SCHEME_COUNT; s++) {
            record(scheme_name((enum scheme)s), validation->backend, &LAYERS[k], test);
            double level = echo(test, references[s]);
            case_text(validation, " %.1f |", level);
            fprintf(file, " %.2f", level);
        }
        case_text(validation, "\n");
        fprintf(file, "\n");
    }
    case_close(file);
    case_plot(validation, "depth", "Echo against the depth of the layer, order 4, ln R(0) = -16",
              "set xlabel 'cells of the layer'\nset ylabel 'echo [dB]'\n"
              "names = 'yee dd2 dd3 dd4 fd4 fd6 fd8'\n"
              "plot for [k=1:7] data.'-depth.dat' using 1:(column(k+1)) with linespoints pt 7 ps 0.8 lt k title "
              "word(names,k)");
}

/* Of a plane wave at 15 cells a wavelength; reflection 0: that of the layer which a scenario gets [dB]. */
static double reflection_at(const char *scheme, const char *backend, double angle, double reflection)
{
    const struct guide guide = {
        .scheme = scheme, .kind = "upml", .layer = 16, .reflection = reflection, .cells = 15, .sine = sin(angle)};
    return 20 * log10(guide_solve(&guide, backend).reflection);
}

static void show_angles(struct validation *validation)
{
    static const double DEGREES[] = {5, 15, 30, 45, 60, 70, 75};
    FILE *file = case_data(validation, "angle");
    for (int a = 0; a < 7; a++) {
        double angle = DEGREES[a] * M_PI / 180;
        fprintf(file, "%g %.4g", DEGREES[a], 20 * log10(exp(-16 * cos(angle))));
        for (int s = 0; s < SCHEME_COUNT; s += 3) {
            double level = reflection_at(scheme_name((enum scheme)s), validation->backend, angle, exp(-16));
            fprintf(file, " %.3f", level);
            /* The continuous layer lets exp(-16 cos) through and back; the grid adds a little. */
            if (a == 2 || a == 4) {
                case_gate(validation, level, 20 * log10(exp(-16 * cos(angle))) + 8, "%s: reflection at %g degrees [dB]",
                          scheme_name((enum scheme)s), DEGREES[a]);
            }
        }
        fprintf(file, "\n");
    }
    case_close(file);
    case_plot(
        validation, "angle",
        "Reflection by angle of incidence, 16 cells, 15 cells a wavelength; line: the law exp(-16 cos θ) "
        "of the continuous layer",
        "set xlabel 'angle of incidence [degrees]'\nset ylabel 'reflection [dB]'\nset xrange [0:80]\n"
        "names = 'yee dd4 fd8'\n"
        "plot data.'-angle.dat' using 1:2 with lines lc rgb '#888888' dt 2 title 'exp(-16 cos θ)', "
        "for [k=1:3] '' using 1:(column(k+2)) with linespoints pt 7 ps 0.8 lt (k==1?1:k==2?4:7) title word(names,k)");
}

/* The layer that a scenario gets, e^{-96} of 16 cells: waves that fall in perpendicularly, which the grid reflects, and
 * those that graze it, for which R(0) is as small. */
static void gate_default(struct validation *validation)
{
    static const double DEGREES[] = {5, 80};
    enum { LINES = 2 * SCHEME_COUNT };
    double level[LINES];
    int count = validation->quick ? 2 : LINES;
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(validation, PW_DOUBLE, false))
    for (int n = 0; n < count; n++) {
        level[n] =
            reflection_at(scheme_name((enum scheme)(n / 2)), validation->backend, DEGREES[n % 2] * M_PI / 180, 0);
    }
    for (int n = 0; n < count; n++) {
        case_gate(validation, level[n], n % 2 ? -80 : -100, "%s, default of 16 cells: reflection at %g degrees [dB]",
                  scheme_name((enum scheme)(n / 2)), DEGREES[n % 2]);
    }
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "upml", "The absorber",
        "40 × 40 cells, half the Courant limit: Ez one cell from the layer beside the source and one cell from it in "
        "its corner against a grid too large to echo, the worse of both, max|E − E_ref|/max|E_ref|. Reflection by "
        "angle: 16 cells, order 4, R(0) = e^{-16}, against the law e^{-16 cos θ} of the continuous layer; and the "
        "layer "
        "that a scenario gets, R(0) = e^{-96}, which grazing waves do not fool.");
    static double references[SCHEME_COUNT][2][STEPS], test[2][STEPS];
    static const struct layer GATED[] = {{10, 4, 1.1253517471925912e-7}, {16, 4, 1.1253517471925912e-7}};
    for (int s = 0; s < SCHEME_COUNT; s++) {
        if (validation.quick && s != 0 && s != 3) {
            continue;
        }
        record(scheme_name((enum scheme)s), validation.backend, NULL, references[s]);
        for (int g = 0; g < 2; g++) {
            record(scheme_name((enum scheme)s), validation.backend, &GATED[g], test);
            case_gate(&validation, echo(test, references[s]), g == 0 ? -90 : -115, "%s, %d cells: echo [dB]",
                      scheme_name((enum scheme)s), GATED[g].cells);
        }
    }
    gate_default(&validation);
    if (!validation.quick) {
        show_table(&validation, references);
        show_angles(&validation);
    }
    return case_end(&validation);
}
