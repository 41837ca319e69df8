/* Antennas with a pattern in free space: what the array of line currents radiates, as it was solved, against the
 * azimuth cut that it was made from (physics.md section 12). */
#include "validation/support/case.h"

#include "discretize/setup.h"
#include "scenario/antenna/planet_file.h"

enum { DIRECTIONS = 72, FREQUENCIES = 5, SHAPES = 6, BANDS = 3 };
static const double DISTANCE = 2.4, COMPARED = -15;       /* m; dB */
static const double BAND[BANDS] = {100e6, 600e6, 1200e6}; /* Hz, around 2.4 GHz */
static const double AT[2] = {3.0132, 2.9871};             /* m: between nodes */
static const char FILE_NAME[] = "floorplans/panel_65.msi";

/* Losses [dB] by angle [degrees, clockwise from straight ahead]; of the first the file has them. */
static double parabola(double degrees, double width, double most)
{
    double off = fmod(degrees + 540, 360) - 180;
    return fmin(12 * (off / width) * (off / width), most);
}

static double loss_of_shape(int shape, double degrees)
{
    const double cosine = cos(degrees * M_PI / 180);
    switch (shape) {
    case 0: /* rounded to a hundredth of a decibel in the file */
        return parabola(degrees, 65, 30);
    case 1:
        return parabola(degrees, 70, 25);
    case 2:
        return parabola(degrees, 30, 25);
    case 3:
        return fmax(0, fmin(-20 * log10(fabs(cosine) + 1e-12), 60));
    case 4:
        return fmax(0, fmin(-20 * log10(0.5 + 0.5 * cosine + 1e-12), 60));
    default:
        return 0;
    }
}

static const struct {
    const char *name;
    double bearing; /* degrees */
} SHAPE[SHAPES] = {{"65° panel (file)", 40},  {"70° sector", 213}, {"30° panel", 100},
                   {"dipole in azimuth", 75}, {"cardioid", 300.5}, {"omni", 0}};

static void add_antenna(struct text *text, int shape)
{
    if (shape == 0) {
        text_add(text, "antennas: [{name: p, file: %s}]\n", FILE_NAME);
        return;
    }
    text_add(text, "antennas:\n  - name: p\n");
    for (int cut = 0; cut < 2; cut++) {
        text_add(text, "    %s: \"", cut == 0 ? "horizontal" : "vertical");
        for (int n = 0; n < 360; n++) {
            text_add(text, "%.6g ", cut == 0 ? loss_of_shape(shape, n) : 0);
        }
        text_add(text, "\"\n");
    }
}

static char *scenario_text(int shape, double band)
{
    struct text text = {0};
    text_add(&text, "plan: {size: [6 m, 6 m]}\nband: {centre: 2.4 GHz, width: %.17g}\nspectra: off\n", band);
    add_antenna(&text, shape);
    text_add(&text,
             "transmitters: [{name: t, at: [%.17g, %.17g], antenna: {pattern: p, bearing: %.17g deg}}]\n"
             "stop: {after: %.17g, decay: off}\nreceivers:\n",
             AT[0], AT[1], SHAPE[shape].bearing, 12e-9 + 6 / band);
    for (int r = 0; r < DIRECTIONS; r++) {
        double angle = (SHAPE[shape].bearing + 360.0 * r / DIRECTIONS) * M_PI / 180;
        text_add(&text, "  - {name: r%d, at: [%.17g, %.17g]}\n", r, AT[0] + DISTANCE * sin(angle),
                 AT[1] + DISTANCE * cos(angle));
    }
    return text.text;
}

struct outcome {
    double centre, band, exceeded; /* dB */
    struct array_report report;
};

/* Level of what is radiated over what a line current alone radiates there, dB. */
static void compare_levels(const struct solved *solved, int shape, double width, struct outcome *outcome,
                           double level[DIRECTIONS])
{
    double frequency[FREQUENCIES];
    double complex transfer[DIRECTIONS][FREQUENCIES];
    const struct antenna_pattern *pattern = solved->setup->scenario->transmitters[0].antenna.pattern;
    for (int f = 0; f < FREQUENCIES; f++) {
        frequency[f] = 2.4e9 + width * ((double)f / (FREQUENCIES - 1) - 0.5);
    }
    case_transfer(solved, 0, FREQUENCIES, frequency, true, transfer[0]);
    outcome->exceeded = -INFINITY;
    for (int r = 0; r < DIRECTIONS; r++) {
        const double degrees = 360.0 * r / DIRECTIONS;
        const double wanted = shape == 0 ? pattern->azimuth.level[(int)degrees] : -loss_of_shape(shape, degrees);
        for (int f = 0; f < FREQUENCIES; f++) {
            const double found = 20 * log10(cabs(transfer[r][f] / case_line_field(frequency[f], DISTANCE)));
            const double off = found - fmax(wanted, -40);
            level[r] = f == FREQUENCIES / 2 ? found : level[r];
            if (wanted < COMPARED) {
                outcome->exceeded = fmax(outcome->exceeded, off);
                continue;
            }
            outcome->band = fmax(outcome->band, fabs(off));
            outcome->centre = f == FREQUENCIES / 2 ? fmax(outcome->centre, fabs(off)) : outcome->centre;
        }
    }
}

static struct outcome solve_shape(int shape, double width, const char *backend, double level[DIRECTIONS])
{
    struct outcome outcome = {0};
    char *text = scenario_text(shape, width);
    struct solved solved = solve(text, PW_SINGLE, backend);
    compare_levels(&solved, shape, width, &outcome, level);
    outcome.report = solved.setup->arrays[0];
    solve_free(&solved);
    free(text);
    return outcome;
}

int main(int argc, char **argv)
{
    struct validation validation =
        case_begin(argc, argv, "pattern", "Antennas with a pattern in free space",
                   "The field 2.4 m around an antenna over that of a line current, at five frequencies of bands of "
                   "100, 600 and 1200 MHz around 2.4 GHz, edges included, against the azimuth cut, where that is "
                   "-15 dB or more. The first is `floorplans/panel_65.msi`, an element of 3GPP TR 38.901; the others "
                   "are the sector of TR 36.814, a panel of 30°, the cosine of a dipole, a cardioid and an omni. "
                   "Forecast: what the dry run says.");
    const int bands = validation.quick ? 1 : BANDS, shapes = validation.quick ? 3 : SHAPES;
    static struct outcome outcomes[SHAPES][BANDS];
    static double levels[SHAPES][BANDS][DIRECTIONS];
#pragma omp parallel for collapse(2) schedule(dynamic) num_threads(case_side_by_side(&validation, PW_SINGLE, false))
    for (int s = 0; s < shapes; s++) {
        for (int b = 0; b < bands; b++) {
            outcomes[s][b] = solve_shape(s, BAND[b + (validation.quick ? 1 : 0)], validation.backend, levels[s][b]);
        }
    }
    for (int s = 0; s < shapes; s++) {
        for (int b = 0; b < bands; b++) {
            case_gate(&validation, outcomes[s][b].band, 0.5, "%s, %.0f MHz: worst direction and frequency, dB",
                      SHAPE[s].name, BAND[b + (validation.quick ? 1 : 0)] / 1e6);
        }
    }
    case_text(&validation,
              "\n| antenna | band [MHz] | currents | radius [m] | forecast [dB] | centre [dB] | band [dB] | "
              "exceeded under -15 dB by [dB] |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int s = 0; s < shapes; s++) {
        for (int b = 0; b < bands; b++) {
            const struct outcome *o = &outcomes[s][b];
            case_text(&validation, "| %s | %.0f | %d x %d | %.3f | %.2f | %.2f | %.2f | %.1f |\n", SHAPE[s].name,
                      BAND[b + (validation.quick ? 1 : 0)] / 1e6, o->report.count, o->report.terms, o->report.radius,
                      o->report.error, o->centre, o->band, isfinite(o->exceeded) ? o->exceeded : 0);
        }
    }
    FILE *file = case_data(&validation, "cuts");
    for (int s = 0; s < shapes; s++) {
        fprintf(file, "\"%s\"\n", SHAPE[s].name);
        for (int r = 0; r <= DIRECTIONS; r++) {
            double degrees = 360.0 * r / DIRECTIONS;
            fprintf(file, "%g %g %g\n", degrees, -loss_of_shape(s, degrees), levels[s][bands - 1][r % DIRECTIONS]);
        }
        fprintf(file, "\n\n");
    }
    case_close(file);
    if (!validation.quick) {
        case_plot(
            &validation, "cuts",
            "Radiated at 2.4 GHz by arrays for 1200 MHz (points) and the formulas (lines), by angle from the bearing",
            "set xlabel 'angle [degrees]'\nset ylabel 'level [dB]'\nset xrange [0:360]\nset yrange [-40:3]\n"
            "set xtics 45\nset key outside\n"
            "plot for [k=0:4] data.'-cuts.dat' index k using 1:2 skip 1 with lines lt k+1 notitle, "
            "for [k=0:4] '' index k using 1:3 with points pt 7 ps 0.6 lt k+1 title columnheader(1)");
    }
    return case_end(&validation);
}
