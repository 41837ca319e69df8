/* A plan with metal in it, all of it moved by parts of a cell, transmitter and receivers too: nothing should change.
 * How far local mean powers move, against the forecast of their error (validation/metal.md). */
#include "validation/support/case.h"

enum { PLACES = 8, ACROSS = 8, UP = 6, SIDE = 3, POINTS = SIDE * SIDE, WINDOWS = ACROSS * UP, FREQUENCIES = 3 };
static const double CENTRE = 2.4e9, WIDTH = 2.4 /* m */, HEIGHT = 1.9;

/* Places of the plan between the nodes, in cells. */
static const double MOVE[PLACES][2] = {{0, 0},       {0.5, 0.5},   {0.25, 0.85}, {0.8, 0.2},
                                       {0.45, 0.15}, {0.65, 0.35}, {0.15, 0.55}, {0.98, 0.02}};

/* Shapes: metal unless named. */
static void add_plan(struct text *text, double x, double y)
{
    static const struct {
        double low[2], high[2];
        const char *material;
    } BOXES[] = {{{0.90, 0.50}, {1.30, 0.72}, "metal"},    /* a cupboard */
                 {{0.50, 1.30}, {0.52, 1.60}, "metal"},    /* a door */
                 {{1.70, 0.30}, {1.703, 1.20}, "metal"},   /* a sheet */
                 {{1.95, 1.50}, {2.02, 1.57}, "metal"},    /* a column */
                 {{0.70, 0.95}, {1.60, 1.07}, "concrete"}, /* a wall */
                 {{1.90, 0.60}, {2.20, 0.68}, "brick"}};
    text_add(text, "plan: {size: [%g, %g], rectangles: [", WIDTH, HEIGHT);
    for (size_t n = 0; n < sizeof BOXES / sizeof BOXES[0]; n++) {
        text_add(text, "%s{from: [%.9g, %.9g], to: [%.9g, %.9g], material: %s}", n > 0 ? ", " : "", BOXES[n].low[0] + x,
                 BOXES[n].low[1] + y, BOXES[n].high[0] + x, BOXES[n].high[1] + y, BOXES[n].material);
    }
    text_add(text, "], circles: [{centre: [%.9g, %.9g], radius: 0.05, material: metal}]}\n", 1.25 + x, 1.5 + y);
}

/* Receivers of window w. */
static void window_point(int w, int p, double at[2])
{
    const double wavelength = SPEED_OF_LIGHT / CENTRE;
    at[0] = 0.2 + (WIDTH - 0.45) * (w % ACROSS) / (ACROSS - 1) + wavelength * (p % SIDE - SIDE / 2) / SIDE;
    at[1] = 0.2 + (HEIGHT - 0.45) * (w / ACROSS) / (UP - 1) + wavelength * (p / SIDE - SIDE / 2) / SIDE;
}

struct moved {
    double power[WINDOWS]; /* dB; of windows that metal covers far too little */
    double cell, forecast;
};

static void solve_moved(bool horizontal, const char *backend, double cell, const double *move, struct moved *moved)
{
    const double x = move[0] * cell, y = move[1] * cell;
    struct text text = {0};
    text_add(&text, "%s", horizontal ? "polarisation: horizontal\n" : "");
    add_plan(&text, x, y);
    text_add(&text, "band: {centre: %g, width: 100 MHz}\nspectra: {count: %d}\ntransmitters: [{at: [%.9g, %.9g]}]\n",
             CENTRE, FREQUENCIES, 0.45 + x, 0.60 + y);
    if (cell > 0) {
        text_add(&text, "grid: {cell: %.17g}\n", cell);
    }
    text_add(&text, "receivers:\n");
    for (int n = 0; n < WINDOWS * POINTS; n++) {
        double at[2];
        window_point(n / POINTS, n % POINTS, at);
        text_add(&text, " - {at: [%.9g, %.9g]}\n", at[0] + x, at[1] + y);
    }
    struct solved solved =
        cell > 0 ? solve(text.text, PW_SINGLE, backend) : solve_prepare(text.text, PW_SINGLE, backend);
    moved->cell = solved.setup->problem.axis[0].spacing;
    moved->forecast = pw_setup_facts(solved.setup).local_mean_error;
    for (int w = 0; w < WINDOWS && cell > 0; w++) {
        double power = 0;
        for (int p = 0; p < POINTS; p++) {
            double *series = solve_series(&solved, 0, w * POINTS + p);
            for (int f = 0; f < FREQUENCIES; f++) {
                power += pow(cabs(solve_channel(&solved, 0, series, f)), 2);
            }
            free(series);
        }
        moved->power[w] = 10 * log10(power);
    }
    solve_free(&solved);
    free(text.text);
}

static void gate_polarisation(struct validation *validation, bool horizontal)
{
    static struct moved moved[PLACES];
    const int places = validation->quick ? 3 : PLACES;
    struct moved chosen;
    solve_moved(horizontal, validation->backend, 0, MOVE[0], &chosen);
    for (int p = 0; p < places; p++) {
        solve_moved(horizontal, validation->backend, chosen.cell, MOVE[p], &moved[p]);
    }
    double strongest = -INFINITY, squares = 0, widest = 0;
    int windows = 0;
    for (int w = 0; w < WINDOWS; w++) {
        strongest = fmax(strongest, moved[0].power[w]);
    }
    for (int w = 0; w < WINDOWS; w++) {
        double mean = 0, low = INFINITY, high = -INFINITY, square = 0;
        for (int p = 0; p < places; p++) {
            mean += moved[p].power[w] / places;
            low = fmin(low, moved[p].power[w]);
            high = fmax(high, moved[p].power[w]);
        }
        for (int p = 0; p < places; p++) {
            square += pow(moved[p].power[w] - mean, 2) / places;
        }
        if (mean > strongest - 50) {
            squares += square;
            widest = fmax(widest, high - low);
            windows++;
        }
    }
    const char *name = horizontal ? "horizontal" : "vertical";
    case_figure(validation, 1e3 * chosen.cell, "%s: default cell [mm]", name);
    case_figure(validation, chosen.forecast, "%s: forecast of local means [dB]", name);
    case_figure(validation, widest, "%s: widest move of one of %d places [dB]", name, windows);
    case_gate(validation, sqrt(squares / windows), chosen.forecast,
              "%s: root mean square move from the mean of all places [dB]", name);
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "metal_moves", "Metal moved by parts of a cell",
        "A plan of 19 × 15 wavelengths with a cupboard, a door, a sheet, a column and a post of metal and two walls, "
        "all of "
        "it moved to eight places between the nodes: mean powers over a wavelength square at 48 places, 2.4 GHz.");
    gate_polarisation(&validation, false);
    gate_polarisation(&validation, true);
    return case_end(&validation);
}
