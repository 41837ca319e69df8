/* The forecast of the error in three dimensions (physics.md section 2): small storeys solved on the cells that a user
 * might take and on cells half as large; what was forecast for the first beside how far they are from the second. */
#include "validation/support/case.h"

#include "discretize/setup.h"

enum { LINES = 8, GROUPS = 5, GROUP = 6, PLACES = LINES * GROUPS * GROUP, FREQUENCIES = 5 };

struct storey {
    const char *name;
    const char *plan;               /* what stands under `plan:`, in braces */
    double frequency;               /* Hz, of the band's centre; it is 0.3 of that wide */
    double cell, duration;          /* m, s */
    double at[3];                   /* m: the transmitter */
    double low[2], high[2], height; /* m: where the receivers are */
};

static const struct storey STOREYS[] = {
    {"room of brick",
     "{size: [6, 5], storey: {height: 2.6, floor: {material: concrete, thickness: 20 cm, from: [0.6, 0.6], to: [5.4, "
     "4.4]}, ceiling: {material: concrete, thickness: 20 cm, from: [0.6, 0.6], to: [5.4, 4.4]}, rectangles: ["
     "{from: [0.6, 0.6], to: [5.4, 0.84], material: brick}, {from: [0.6, 4.16], to: [5.4, 4.4], material: brick}, "
     "{from: [0.6, 0.84], to: [0.84, 4.16], material: brick}, {from: [5.16, 0.84], to: [5.4, 4.16], material: brick}], "
     "openings: [{from: [2, 0.6], to: [3.4, 0.84], sill: 0.9, head: 2.1}, {from: [5.16, 2.4], to: [5.4, 3.3], head: "
     "2.05}]}}",
     433e6,
     0.07,
     110e-9,
     {1.5, 1.7, 1.2},
     {0.4, 0.4},
     {5.6, 4.6},
     1.4},
    {"flat of two rooms, concrete and plasterboard",
     "{size: [7, 4.6], storey: {height: 2.5, floor: {material: concrete, thickness: 18 cm, from: [0.5, 0.5], to: [6.5, "
     "4.1]}, ceiling: {material: concrete, thickness: 18 cm, from: [0.5, 0.5], to: [6.5, 4.1]}, rectangles: ["
     "{from: [0.5, 0.5], to: [6.5, 0.68], material: concrete}, {from: [0.5, 3.92], to: [6.5, 4.1], material: "
     "concrete}, "
     "{from: [0.5, 0.68], to: [0.68, 3.92], material: concrete}, {from: [6.32, 0.68], to: [6.5, 3.92], material: "
     "concrete}, {from: [3.6, 0.68], to: [3.7, 3.92], material: plasterboard}], openings: [{from: [3.6, 1], to: [3.7, "
     "1.9], head: 2}, {from: [1.2, 0.5], to: [2.6, 0.68], sill: 0.9, head: 2.1}, {from: [4.4, 3.92], to: [5.9, 4.1], "
     "sill: 0.9, head: 2.1}]}}",
     433e6,
     0.065,
     110e-9,
     {1.6, 2.6, 2.2},
     {0.4, 0.4},
     {6.6, 4.2},
     1.2},
    {"hall with a metal roof",
     "{size: [9, 7], storey: {height: 4.2, floor: {material: concrete, thickness: 25 cm, from: [0.7, 0.7], to: [8.3, "
     "6.3]}, ceiling: {material: metal, thickness: 10 cm, from: [0.7, 0.7], to: [8.3, 6.3]}, rectangles: ["
     "{from: [0.7, 0.7], to: [8.3, 0.94], material: brick}, {from: [0.7, 6.06], to: [8.3, 6.3], material: brick}, "
     "{from: [0.7, 0.94], to: [0.94, 6.06], material: brick}, {from: [8.06, 0.94], to: [8.3, 6.06], material: brick}], "
     "openings: [{from: [8.06, 2], to: [8.3, 5], head: 3.4}]}}",
     300e6,
     0.1,
     150e-9,
     {2, 3, 3.6},
     {0.5, 0.5},
     {8.5, 6.5},
     1.5},
    {"storey of a house of brick and wood",
     "{size: [7, 5.4], storey: {height: 2.5, floor: {material: wood, thickness: 22 cm, from: [0.6, 0.6], to: [6.4, "
     "4.8]}, ceiling: {material: wood, thickness: 22 cm, from: [0.6, 0.6], to: [6.4, 4.8]}, rectangles: ["
     "{from: [0.6, 0.6], to: [6.4, 0.9], material: brick}, {from: [0.6, 4.5], to: [6.4, 4.8], material: brick}, "
     "{from: [0.6, 0.9], to: [0.9, 4.5], material: brick}, {from: [6.1, 0.9], to: [6.4, 4.5], material: brick}, "
     "{from: [3.4, 0.9], to: [3.52, 4.5], material: brick}], openings: [{from: [3.4, 2.4], to: [3.52, 3.3], head: 2}, "
     "{from: [1.4, 0.6], to: [2.8, 0.9], sill: 0.9, head: 2.1}, {from: [4.2, 4.5], to: [5.4, 4.8], head: 2.1}], boxes: "
     "[{from: [5.5, 1, 0], to: [6, 2.4, 0.9], material: chipboard}]}}",
     433e6,
     0.08,
     110e-9,
     {2, 3.4, 1},
     {0.5, 0.5},
     {6.5, 4.9},
     1.5},
    {"office with a glass front",
     "{size: [7, 5], storey: {height: 2.8, floor: {material: concrete, thickness: 20 cm, from: [0.6, 0.6], to: [6.4, "
     "4.4]}, ceiling: {material: concrete, thickness: 20 cm, from: [0.6, 0.6], to: [6.4, 4.4]}, rectangles: ["
     "{from: [0.6, 0.6], to: [6.4, 0.62], material: glass}, {from: [0.6, 4.28], to: [6.4, 4.4], material: "
     "plasterboard}, {from: [0.6, 0.62], to: [0.72, 4.28], material: plasterboard}, {from: [6.28, 0.62], to: [6.4, "
     "4.28], material: plasterboard}, {from: [3.6, 0.62], to: [3.7, 4.28], material: plasterboard}], openings: [{from: "
     "[3.6, 3], to: [3.7, 3.9], head: 2.1}], boxes: [{from: [4.6, 1.4, 0.7], to: [6, 2.2, 0.76], material: chipboard}, "
     "{from: [2.4, 3.7, 0], to: [3.5, 4.25, 0.8], material: metal}]}}",
     433e6,
     0.065,
     110e-9,
     {1.4, 1.6, 2.5},
     {0.4, 0.4},
     {6.6, 4.6},
     1.1},
    {"room turned by 20 degrees",
     "{size: [6.4, 6], storey: {height: 2.5, floor: {material: concrete, thickness: 20 cm}, ceiling: {material: "
     "concrete, thickness: 20 cm}, walls: [{from: [1.7, 0.7], to: [5.83, 2.2], thickness: 20 cm, material: brick}, "
     "{from: [5.83, 2.2], to: [4.74, 5.2], thickness: 20 cm, material: brick}, {from: [4.74, 5.2], to: [0.61, 3.7], "
     "thickness: 20 cm, material: brick}, {from: [0.61, 3.7], to: [1.7, 0.7], thickness: 20 cm, material: brick}]}}",
     400e6,
     0.075,
     110e-9,
     {2.6, 2.4, 1.3},
     {0.5, 0.5},
     {5.9, 5.5},
     1.5},
    {"cellar of concrete",
     "{size: [6, 5], storey: {height: 2.3, floor: {material: concrete, thickness: 20 cm}, ceiling: {material: "
     "concrete, "
     "thickness: 20 cm}, rectangles: [{from: [0.6, 0.6], to: [5.4, 0.85], material: concrete}, {from: [0.6, 4.15], to: "
     "[5.4, 4.4], material: concrete}, {from: [0.6, 0.85], to: [0.85, 4.15], material: concrete}, {from: [5.15, 0.85], "
     "to: [5.4, 4.15], material: concrete}], openings: [{from: [5.15, 2], to: [5.4, 2.9], head: 2}]}}",
     433e6,
     0.055,
     110e-9,
     {2, 1.6, 1},
     {0.4, 0.4},
     {5.6, 4.6},
     1.5},
    {"room of wood",
     "{size: [6, 5], storey: {height: 2.5, floor: {material: wood, thickness: 15 cm}, ceiling: {material: wood, "
     "thickness: 15 cm}, rectangles: [{from: [0.6, 0.6], to: [5.4, 0.75], material: wood}, {from: [0.6, 4.25], to: "
     "[5.4, 4.4], material: wood}, {from: [0.6, 0.75], to: [0.75, 4.25], material: wood}, {from: [5.25, 0.75], to: "
     "[5.4, 4.25], material: wood}], openings: [{from: [2, 0.6], to: [3.4, 0.75], sill: 0.9, head: 2.1}], boxes: "
     "[{from: [3.8, 1, 0], to: [4.4, 1.6, 0.9], material: metal}]}}",
     433e6,
     0.085,
     110e-9,
     {1.5, 1.7, 1.2},
     {0.4, 0.4},
     {5.6, 4.6},
     1.4}};
enum { STOREY_COUNT = sizeof STOREYS / sizeof STOREYS[0] };

/* Ez at the places over the current, at the frequencies; returns what was forecast. */
static struct error_forecast solve_storey(const struct storey *storey, double cell, const char *backend,
                                          const double *frequency, double complex *field)
{
    struct text text = {0};
    text_add(&text,
             "dimensions: 3\nplan: %s\ngrid: {cell: %.17g, scheme: fd4o, averaging: moment}\nband: {centre: %.17g, "
             "width: %.17g}\ntransmitters: [{name: t, at: [%g, %g, %g]}]\nspectra: off\nstop: {after: %.17g, decay: "
             "off}\nreceivers:\n",
             storey->plan, cell, storey->frequency, 0.3 * storey->frequency, storey->at[0], storey->at[1],
             storey->at[2], storey->duration);
    for (int line = 0; line < LINES; line++) {
        double y = storey->low[1] + (storey->high[1] - storey->low[1]) * line / (LINES - 1);
        text_add(&text, "  - {name: l%d, from: [%.17g, %.17g, %g], to: [%.17g, %.17g, %g], count: %d}\n", line,
                 storey->low[0], y, storey->height, storey->high[0], y, storey->height, GROUPS * GROUP);
    }
    struct solved solved = solve(text.text, PW_SINGLE, backend);
    struct error_forecast forecast = solved.setup->error;
    case_transfer(&solved, 0, FREQUENCIES, frequency, true, field);
    solve_free(&solved);
    free(text.text);
    return forecast;
}

/* Mean power of some places, over the frequencies. */
static double power(const double complex *field, int places)
{
    double sum = 0;
    for (int n = 0; n < places * FREQUENCIES; n++) {
        sum += pow(cabs(field[n]), 2);
    }
    return sum / (places * FREQUENCIES);
}

/* Root mean squares like those of the forecast; a group is about a wavelength long. */
static struct error_forecast measure(const double complex *coarse, const double complex *fine)
{
    struct error_forecast found = {0};
    for (int g = 0; g < LINES * GROUPS; g++) {
        const double complex *c = coarse + (size_t)g * GROUP * FREQUENCIES, *f = fine + (size_t)g * GROUP * FREQUENCIES;
        double difference = 0;
        for (int n = 0; n < GROUP * FREQUENCIES; n++) {
            difference += pow(cabs(c[n] - f[n]), 2);
        }
        found.field += fmin(difference / (GROUP * FREQUENCIES) / power(f, GROUP), 2);
        found.local_mean += pow(10 * log10(power(c, GROUP) / power(f, GROUP)), 2);
        for (int p = 0; p < GROUP; p++) {
            found.point +=
                pow(10 * log10(power(c + (size_t)p * FREQUENCIES, 1) / power(f + (size_t)p * FREQUENCIES, 1)), 2);
        }
    }
    found.field = sqrt(found.field / (LINES * GROUPS));
    found.local_mean = sqrt(found.local_mean / (LINES * GROUPS));
    found.point = sqrt(found.point / PLACES);
    return found;
}

/* Of some measured values over their forecasts: the geometric mean and the largest. */
static void gate_ratios(struct validation *validation, const char *what, const double *ratio)
{
    double sum = 0, largest = 0;
    for (int s = 0; s < STOREY_COUNT; s++) {
        sum += log(ratio[s]);
        largest = fmax(largest, ratio[s]);
    }
    case_gate(validation, exp(sum / STOREY_COUNT), 1.1, "%s: measured over forecast, geometric mean", what);
    case_gate(validation, largest, 3, "%s: measured over forecast, largest", what);
}

static void solve_all(struct validation *validation, struct error_forecast *forecast, struct error_forecast *found)
{
    static double complex field[2][PLACES * FREQUENCIES];
    for (int s = 0; s < STOREY_COUNT; s++) { /* each takes all cores */
        const struct storey *storey = &STOREYS[s];
        double frequency[FREQUENCIES];
        for (int f = 0; f < FREQUENCIES; f++) {
            frequency[f] = storey->frequency * (0.85 + 0.3 * f / (FREQUENCIES - 1));
        }
        forecast[s] = solve_storey(storey, storey->cell, validation->backend, frequency, field[0]);
        solve_storey(storey, storey->cell / 2, validation->backend, frequency, field[1]);
        found[s] = measure(field[0], field[1]);
        case_figure(validation, found[s].field, "%s, %.1f cells a wavelength: error of the field", storey->name,
                    SPEED_OF_LIGHT / storey->frequency / storey->cell);
    }
}

static void show(struct validation *validation, const struct error_forecast *forecast,
                 const struct error_forecast *found)
{
    FILE *file = case_data(validation, "field");
    case_text(validation,
              "\n| measured / forecast | field [%%] | local mean [dB] | point [dB] |\n| --- | --- | --- | --- |\n");
    for (int s = 0; s < STOREY_COUNT; s++) {
        case_text(validation, "| %s | %.1f / %.1f | %.2f / %.2f | %.2f / %.2f |\n", STOREYS[s].name,
                  100 * found[s].field, 100 * forecast[s].field, found[s].local_mean, forecast[s].local_mean,
                  found[s].point, forecast[s].point);
        fprintf(file, "%g %g\n", 100 * forecast[s].field, 100 * found[s].field);
    }
    case_close(file);
    case_plot(validation, "field", "Error of the field that was found over that forecast; grey: a factor of two",
              "set logscale xy\nset xlabel 'forecast [%]'\nset ylabel 'found [%]'\nset xrange [1:60]\nset yrange "
              "[1:60]\nset key off\nplot data.'-field.dat' using 1:2 with points pt 7 ps 1.2 lt 4, x with lines lc rgb "
              "'#888888', 2*x with lines dt 2 lc rgb '#bbbbbb', 0.5*x with lines dt 2 lc rgb '#bbbbbb'");
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "volume_forecast", "The forecast of the error in three dimensions",
        "Eight small storeys at 300 to 433 MHz, Ez at 240 places of a plane, a band of 30 %, on cells of 8 to 13 a "
        "wavelength in air and on cells half as large: the root mean square difference over the forecast that was made "
        "for the first. fd4o, `moment`, single precision. Of the field relative to its mean over about a wavelength "
        "along a line, of that mean power, and of the power at a point. The quick subset leaves it out.");
    if (!validation.quick) {
        struct error_forecast forecast[STOREY_COUNT], found[STOREY_COUNT];
        double ratio[2][STOREY_COUNT];
        solve_all(&validation, forecast, found);
        for (int s = 0; s < STOREY_COUNT; s++) {
            ratio[0][s] = found[s].field / forecast[s].field;
            ratio[1][s] = found[s].local_mean / forecast[s].local_mean;
        }
        gate_ratios(&validation, "field", ratio[0]);
        gate_ratios(&validation, "local mean", ratio[1]);
        show(&validation, forecast, found);
    }
    return case_end(&validation);
}
