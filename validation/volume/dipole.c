/* A Hertzian dipole in free space against its closed form: the six components off the axes, near and far, each scheme;
 * and through the whole program, scenario to received power, against Friis (physics.md section 9). */
#include "validation/support/volume.h"

#include "api/channel.h"
#include "api/run.h"

enum { FREQUENCIES = 3, PLACES = 15, COMPONENTS = 6 };

static const double FREQUENCY[FREQUENCIES] = {0.9e9, 1e9, 1.1e9}; /* Hz */

struct setting {
    const char *scheme;
    double cells; /* a wavelength at the band's centre */
    int along;
    bool gated;
};

struct outcome {
    double distance[PLACES], error[PLACES]; /* wavelengths at the band's centre; of E or H, whichever is worse */
};

/* ||F - law|| / ||law|| of one place: over three components and all frequencies, the larger of E's and H's. */
static double place_error(int along, const struct place3 *offset, const double complex *field)
{
    double difference[2] = {0}, norm[2] = {0};
    for (int c = 0; c < COMPONENTS; c++) {
        for (int f = 0; f < FREQUENCIES; f++) {
            double complex law[COMPONENTS];
            volume_dipole_law(FREQUENCY[f], along, offset[c], law);
            difference[c / 3] += pow(cabs(field[c * FREQUENCIES + f] - law[c]), 2);
            norm[c / 3] += pow(cabs(law[c]), 2);
        }
    }
    return sqrt(fmax(difference[0] / norm[0], difference[1] / norm[1]));
}

/* Each component is read at a node of its own, where the law is evaluated too: placement is not what is tested. */
static void solve_dipole(const struct setting *setting, const char *backend, struct outcome *outcome)
{
    static const double DIRECTION[5][3] = {
        {0.71, 0.53, 0.46}, {0.15, 0.3, 0.94}, {0.9, 0.3, 0.32}, {0.55, 0.82, 0.16}, {0.2, 0.81, 0.55}};
    static const double RADIUS[3] = {0.55, 1.1, 2.05}; /* wavelengths */
    const double wavelength = SPEED_OF_LIGHT / FREQUENCY[1], cell = wavelength / setting->cells;
    int corner = (int)(0.3 * setting->cells), side = corner + (int)(2.15 * setting->cells);
    struct volume volume = {.scheme = setting->scheme,
                            .cell = cell,
                            .cells = {side, side, side},
                            .layer = 12,
                            .frequency = FREQUENCY[1],
                            .width = 0.3 * FREQUENCY[1],
                            .duration = 30 / FREQUENCY[1],
                            .precision = PW_DOUBLE};
    volume_begin(&volume);
    enum component along = (enum component)setting->along;
    struct place3 source = volume_place(&volume, along, corner, corner, corner), offset[PLACES][COMPONENTS];
    volume_add_dipole(&volume, along, source, 1);
    for (int p = 0; p < PLACES; p++) {
        const double *d = DIRECTION[p % 5], radius = RADIUS[p / 5] * setting->cells;
        for (int c = 0; c < COMPONENTS; c++) {
            struct place3 at = volume_place(&volume, (enum component)c, corner + (int)lround(radius * d[0]),
                                            corner + (int)lround(radius * d[1]), corner + (int)lround(radius * d[2]));
            volume_add_probe(&volume, (enum component)c, at);
            offset[p][c] = (struct place3){at.x - source.x, at.y - source.y, at.z - source.z};
        }
    }
    volume_solve(&volume, backend);
    double complex field[PLACES * COMPONENTS * FREQUENCIES];
    volume_transfer(&volume, FREQUENCIES, FREQUENCY, field);
    for (int p = 0; p < PLACES; p++) {
        const struct place3 *r = &offset[p][0];
        outcome->distance[p] = sqrt(r->x * r->x + r->y * r->y + r->z * r->z) / wavelength;
        outcome->error[p] = place_error(setting->along, offset[p], field + (size_t)p * COMPONENTS * FREQUENCIES);
    }
    volume_free(&volume);
}

static void show(struct validation *validation, const struct setting *setting, const struct outcome *outcome)
{
    double near = 0, far = 0;
    for (int p = 0; p < PLACES; p++) {
        near = fmax(near, outcome->error[p]);
        far = p >= PLACES - 5 ? fmax(far, outcome->error[p]) : far;
    }
    char name[64];
    snprintf(name, sizeof name, "%s, %g cells, along %c", setting->scheme, setting->cells, "xyz"[setting->along]);
    if (setting->gated) {
        case_gate(validation, far, 0.003, "%s: at 2 wavelengths", name);
        case_gate(validation, near, 0.02, "%s: from 0.5 wavelengths on", name);
    } else {
        case_figure(validation, far, "%s: at 2 wavelengths", name);
        case_figure(validation, near, "%s: from 0.5 wavelengths on", name);
    }
}

/* Scenario, run, result and channel: path gain and received power, upright antennas level with each other and one above
 * the other. */
static void check_friis(struct validation *validation)
{
    static const struct {
        const char *name;
        double distance, up; /* m */
    } LINKS[] = {{"near", 0.9, 0}, {"far", 1.8, 0}, {"aslant", 1.5, 0.6}};
    const double centre = 1e9, power = 17;
    struct text text = {0};
    text_add(&text,
             "dimensions: 3\nplan: {size: [2.4, 0.6], storey: {height: 1.2}}\ngrid: {cell: 2.5 cm, scheme: fd4o}\n"
             "band: {centre: %g, width: 0.2 GHz}\ntransmitters: [{name: t, at: [0.3, 0.3, 0.3], power: %g dBm}]\n"
             "spectra: off\nstop: {after: 30 ns, decay: off}\nreceivers:\n",
             centre, power);
    for (int r = 0; r < 3; r++) {
        text_add(&text, "  - {name: %s, at: [%.17g, 0.3, %.17g]}\n", LINKS[r].name, 0.3 + LINKS[r].distance,
                 0.3 + LINKS[r].up);
    }
    char path[4096];
    pw_error error = {{0}};
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_result *result = NULL;
    snprintf(path, sizeof path, "%s/friis.h5", validation->folder);
    const pw_run_options options = {.compute.backend = validation->backend, .force = true};
    case_require(pw_scenario_parse("friis", text.text, NULL, 0, &scenario, &error), error.message);
    case_require(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), error.message);
    case_require(pw_run(setup, &options, path, &error), error.message);
    case_require(pw_result_open(path, &result, &error), error.message);
    for (int r = 0; r < 3; r++) {
        const pw_channel_options channel_options = pw_channel_options_default();
        pw_channel *channel = NULL;
        case_require(pw_channel_create(result, "t", LINKS[r].name, NULL, &channel_options, &channel, &error),
                     error.message);
        pw_metrics metrics = pw_channel_metrics(channel);
        double distance = hypot(LINKS[r].distance, LINKS[r].up), pattern = pow(LINKS[r].distance / distance, 2);
        double gain = 20 * log10(pattern / distance);
        double received = power + gain + 20 * log10(SPEED_OF_LIGHT / (4 * M_PI * centre));
        case_gate(validation, fabs(metrics.path_gain_db - gain), 0.05,
                  "scenario, %s receiver: path gain off Friis [dB]", LINKS[r].name);
        case_gate(validation, fabs(metrics.received_power_dbm - received), 0.05,
                  "scenario, %s receiver: received power off Friis [dB]", LINKS[r].name);
        pw_channel_free(channel);
    }
    pw_result_close(result);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    free(text.text);
    remove(path);
}

int main(int argc, char **argv)
{
    static const struct setting SETTINGS[] = {{"fd4o", 12, 2, true}, {"fd4o", 12, 0, true}, {"fd4o", 12, 1, true},
                                              {"fd4", 16, 2, true},  {"fd6", 12, 2, true},  {"fd8", 12, 2, true},
                                              {"dd2", 16, 2, true},  {"dd3", 12, 2, true},  {"dd4", 12, 2, true},
                                              {"yee", 16, 2, false}};
    enum { COUNT = sizeof SETTINGS / sizeof SETTINGS[0] };
    struct validation validation = case_begin(
        argc, argv, "dipole", "A Hertzian dipole in free space",
        "All six components of a Hertzian dipole at 15 places off the axes, 0.9 to 1.1 GHz, against the closed form, "
        "near terms included: ‖E − E_exact‖/‖E_exact‖ and the same of H, the larger, at the worst place. Cells are "
        "those of a wavelength at 1 GHz. A scenario with "
        "upright antennas, run by the whole program: path gain 1/d² and received power by Friis, times the dipoles' "
        "patterns.");
    static struct outcome outcomes[COUNT];
    int count = validation.quick ? 2 : COUNT;
#pragma omp parallel for schedule(dynamic) num_threads(case_side_by_side(&validation, PW_DOUBLE, false))
    for (int s = 0; s < count; s++) {
        solve_dipole(&SETTINGS[s], validation.backend, &outcomes[s]);
    }
    FILE *file = case_data(&validation, "distance");
    for (int s = 0; s < count; s++) {
        show(&validation, &SETTINGS[s], &outcomes[s]);
        fprintf(file, "\"%s, %g cells\"\n", SETTINGS[s].scheme, SETTINGS[s].cells);
        for (int p = 0; p < PLACES; p++) {
            fprintf(file, "%g %g\n", outcomes[s].distance[p], outcomes[s].error[p]);
        }
        fprintf(file, "\n\n");
    }
    case_close(file);
    if (!validation.quick) {
        case_plot(&validation, "distance", "Error of the field by distance, five directions each, dipole along z",
                  "set logscale y\nset xlabel 'distance [wavelengths]'\nset ylabel 'complex error'\n"
                  "set xrange [0.4:2.3]\nset yrange [5e-6:0.2]\nset format y '10^{%T}'\n"
                  "array at[8] = [0,3,4,5,6,7,8,9]\n"
                  "plot for [k=1:8] data.'-distance.dat' index at[k] using 1:2 with points pt 7 ps 0.9 lt (k<8?k:8) "
                  "title columnheader(1), 0.02 with lines dt 2 lc rgb '#888888' title 'gate', "
                  "0.003 with lines dt 2 lc rgb '#888888' notitle");
    }
    check_friis(&validation);
    return case_end(&validation);
}
