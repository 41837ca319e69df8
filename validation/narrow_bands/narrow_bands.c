/* Narrow bands: the channel over a band of 0.5 to 160 MHz against that of 200 MHz on the same cells, what of it is
 * masked, and how long the run is (physics.md section 4). */
#include "validation/support/case.h"

enum { WIDTHS = 8, LOOKS = 5, RECEIVERS = 3 };
static const double WIDTH[WIDTHS] = {0.5e6, 1e6, 5e6, 10e6, 20e6, 40e6, 80e6, 160e6}, WIDE = 200e6; /* Hz */
static const double USABLE = 0.1; /* of the largest |S| in the band: 20 dB */

/* A room with one wall; the cells are those that 200 MHz gets. Three dimensions: a smaller one with floor and ceiling.
 */
static const struct kind {
    const char *name, *plan, *rest;
    double carrier, cell; /* Hz, m */
    bool quick;
} KINDS[] = {
    {"0.9 GHz", "size: [8, 6], walls: [{from: [4, 0.5], to: [4, 4.5], thickness: 0.12, material: brick}]", "", 0.9e9,
     0.04, true},
    {"2.4 GHz", "size: [8, 6], walls: [{from: [4, 0.5], to: [4, 4.5], thickness: 0.12, material: brick}]", "", 2.4e9,
     0.015, true},
    {"5.5 GHz", "size: [8, 6], walls: [{from: [4, 0.5], to: [4, 4.5], thickness: 0.12, material: brick}]", "", 5.5e9,
     0.008, false},
    {"2.4 GHz, horizontal", "size: [4, 3], walls: [{from: [2, 0.5], to: [2, 2], thickness: 0.12, material: brick}]",
     "polarisation: horizontal\n", 2.4e9, 0.015, false},
    {"0.9 GHz, three dimensions",
     "size: [2.4, 2], storeys: [{height: 1.8, floor: {thickness: 0.2, material: concrete}, ceiling: {thickness: 0.2, "
     "material: concrete}}], walls: [{from: [1.2, 0], to: [1.2, 1.2], thickness: 0.12, material: brick}]",
     "dimensions: 3\n", 0.9e9, 0.04, false},
};
enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

static struct solved solve_band(const struct kind *kind, double width, const char *backend)
{
    char text[2048];
    const double right = strstr(kind->plan, "size: [8") != NULL ? 8 : strstr(kind->plan, "size: [4") != NULL ? 4 : 2.4;
    const char *high = strstr(kind->rest, "dimensions: 3") != NULL ? ", 1" : "";
    snprintf(text, sizeof text,
             "plan: {%s}\n%sband: {centre: %.17g, width: %.17g}\ngrid: {cell: %.17g}\n"
             "transmitters: [{name: t, at: [%g, 1%s]}]\nreceivers: [{at: [%g, 0.4%s]}, {at: [%g, 1.3%s]}, {at: [%g, "
             "1.6%s]}]\n",
             kind->plan, kind->rest, kind->carrier, width, kind->cell, 0.25 * right, high, 0.75 * right, high,
             0.8 * right, high, 0.4 * right, high);
    return solve(text, PW_SINGLE, backend);
}

/* H at frequencies over a band, of the third component where there are several. */
static void transfer(const struct solved *solved, const struct kind *kind, double width, double complex *h)
{
    double frequency[LOOKS];
    for (int k = 0; k < LOOKS; k++) {
        frequency[k] = kind->carrier + ((double)k / (LOOKS - 1) - 0.5) * width;
    }
    case_transfer(solved, 0, LOOKS, frequency, true, h);
}

/* Root mean square of the difference over that of the wide run. */
static double difference(const double complex *narrow, const double complex *wide)
{
    double error = 0, norm = 0;
    for (int n = 0; n < RECEIVERS * LOOKS; n++) {
        error += pow(cabs(narrow[n] - wide[n]), 2);
        norm += pow(cabs(wide[n]), 2);
    }
    return sqrt(error / norm);
}

/* Frequencies of the set-up at which the current is more than 20 dB under its largest in the band. */
static int weak(const struct solved *solved)
{
    const int count = solved->setup->frequency_count;
    pw_error error = {{0}};
    double *spectrum = calloc(2 * (size_t)count, sizeof *spectrum), peak = 0;
    case_require(pw_simulation_source_spectrum(solved->simulation, 0, spectrum, &error), error.message);
    for (int f = 0; f < count; f++) {
        peak = fmax(peak, hypot(spectrum[2 * f], spectrum[2 * f + 1]));
    }
    int found = 0;
    for (int f = 0; f < count; f++) {
        found += !(hypot(spectrum[2 * f], spectrum[2 * f + 1]) >= USABLE * peak);
    }
    free(spectrum);
    return found;
}

static void try_kind(struct validation *validation, const struct kind *kind)
{
    struct solved wide = solve_band(kind, WIDE, validation->backend);
    const double wide_time = (double)wide.simulation->step * wide.setup->problem.time_step;
    for (int w = 0; w < WIDTHS; w++) {
        if (validation->quick && w != 1 && w != 4) {
            continue;
        }
        double complex expected[RECEIVERS * LOOKS], found[RECEIVERS * LOOKS];
        struct solved narrow = solve_band(kind, WIDTH[w], validation->backend);
        transfer(&wide, kind, WIDTH[w], expected);
        transfer(&narrow, kind, WIDTH[w], found);
        const struct problem *problem = &narrow.setup->problem;
        /* Runs end at looks, whose steps are a multiple of the interval of samples. */
        double look = problem->watch_every * problem->time_step;
        double longer = fmax(0, (double)narrow.simulation->step * problem->time_step - wide_time - look);
        case_gate(validation, difference(found, expected), 0.01, "%s, %g MHz: H against that of 200 MHz", kind->name,
                  1e-6 * WIDTH[w]);
        case_gate(validation, weak(&narrow), 0, "%s, %g MHz: frequencies where the pulse is 20 dB down, of %d",
                  kind->name, 1e-6 * WIDTH[w], narrow.setup->frequency_count);
        case_gate(validation, longer / wide_time, 0,
                  "%s, %g MHz: longer than 200 MHz by more than a look, %lld steps of %lld", kind->name,
                  1e-6 * WIDTH[w], (long long)narrow.simulation->step, (long long)wide.simulation->step);
        solve_free(&narrow);
    }
    solve_free(&wide);
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(argc, argv, "narrow_bands", "Narrow bands",
                                              "A room with one wall, bands of 0.5 to 160 MHz: H at five frequencies "
                                              "over the band and three receivers against "
                                              "a run of 200 MHz on the same cells; the spectrum of the pulse at all "
                                              "frequencies of the run; and the length of "
                                              "the run.");
    for (int k = 0; k < KIND_COUNT; k++) {
        if (!validation.quick || KINDS[k].quick) {
            try_kind(&validation, &KINDS[k]);
        }
    }
    return case_end(&validation);
}
