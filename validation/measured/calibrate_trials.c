/* Fifty floors that were "measured" with noise, outliers and shadowing made by chance: how often what the materials are
 * lies within the intervals that a joint fit gives them. Every trial is fitted by re-runs of its own. */
#include "validation/support/case.h"

#include "base/numbers/splitmix.h"
#include "calibrate/planwave_calibrate.h"

/* A room with a block and a wall of two materials, and three transmitters. */
static const char ROOM[] =
    "plan:\n"
    "  size: [3 m, 2.4 m]\n"
    "  rectangles:\n"
    "    - {from: [0.9 m, 0.45 m], to: [1.2 m, 2.1 m], material: {name: left, relative_permittivity: %g, conductivity: "
    "%g "
    "S/m}}\n"
    "    - {from: [1.95 m, 0.3 m], to: [2.1 m, 1.8 m], material: {name: right, relative_permittivity: %g, "
    "conductivity: %g "
    "S/m}}\n"
    "grid: {scheme: fd4o, cell: 3 cm}\n"
    "band: {centre: 1 GHz, width: 200 MHz}\n"
    "transmitters: [{name: west, at: [0.4 m, 1.2 m]}, {name: middle, at: [1.6 m, 0.8 m]}, {name: east, at: [2.7 m, 1.5 "
    "m]}]\n"
    "spectra: {count: 9, spacing: 3 cells}\n"
    "stop: {after: 30 ns, decay: off}\n";

static const double TRUTH[4] = {5.0, 0.06, 3.0, 0.03}, ASSUMED[4] = {4.0, 0.03, 3.6, 0.05};
enum { STATIONS = 3, PLACES = 180, READINGS = STATIONS * PLACES };
static const double NOISE = 2.0, SHADOW = 1.0, SHADOW_SIDE = 0.35, OUTLIER = 15.0; /* dB, dB, m, dB */
static const double OUTLIERS = 0.04, OFFSETS[STATIONS] = {-6.0, 2.0, 9.0};

static double normal(uint64_t *state)
{
    double u = splitmix_unit(splitmix_next(state)), v = splitmix_unit(splitmix_next(state));
    return sqrt(-2.0 * log(1.0 - u)) * cos(2.0 * M_PI * v);
}

static pw_result *room_solve(const struct validation *validation, const double materials[4], const char *ending)
{
    char text[2048], path[4200];
    pw_error error = {{0}};
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_result *result = NULL;
    const pw_run_options options = {.compute.backend = validation->backend, .force = true};
    snprintf(text, sizeof text, ROOM, materials[0], materials[1], materials[2], materials[3]);
    snprintf(path, sizeof path, "%s/%s-%s.h5", validation->folder, validation->name, ending);
    case_require(pw_scenario_parse("room", text, NULL, 0, &scenario, &error), error.message);
    case_require(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), error.message);
    case_require(pw_run(setup, &options, path, &error), error.message);
    case_require(pw_result_open(path, &result, &error), error.message);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    remove(path); /* it stays open */
    return result;
}

static void places_make(pw_reading readings[READINGS])
{
    static const char *const names[STATIONS] = {"west", "middle", "east"};
    uint64_t state = 20;
    for (int n = 0; n < PLACES; n++) {
        double x = 0.2 + 2.6 * splitmix_unit(splitmix_next(&state));
        double y = 0.2 + 2.0 * splitmix_unit(splitmix_next(&state));
        for (int s = 0; s < STATIONS; s++) {
            readings[s * PLACES + n] = (pw_reading){.transmitter = names[s], .x = x, .y = y, .height = NAN};
        }
    }
}

/* Level + offset + noise of each reading + shadowing that readings of a square share + now and then an outlier. */
static void readings_make(const double *levels, uint64_t seed, pw_reading readings[READINGS])
{
    uint64_t state = splitmix_hash(seed);
    for (int n = 0; n < READINGS; n++) {
        int station = n / PLACES;
        uint64_t square = (uint64_t)(floor(readings[n].x / SHADOW_SIDE) * 1000.0 + floor(readings[n].y / SHADOW_SIDE));
        uint64_t shade = splitmix_hash(square * 31 + (uint64_t)station + 977 * splitmix_hash(seed + 1));
        readings[n].power = levels[n] + OFFSETS[station] + NOISE * normal(&state) + SHADOW * normal(&shade);
        readings[n].power += splitmix_unit(splitmix_next(&state)) < OUTLIERS ? OUTLIER : 0.0;
    }
}

int main(int argc, char **argv)
{
    static const char *const parameters[4] = {"left:permittivity=2..10", "left:conductivity=5mS/m..0.5",
                                              "right:permittivity=1.5..8", "right:conductivity=5mS/m..0.5"};
    struct validation validation = case_begin(
        argc, argv, "calibrate_trials", "Intervals of calibrated materials",
        "A made-up room, three transmitters with offsets of their own, 180 places; readings with 2 dB of noise, "
        "1 dB of shadowing over 35 cm and 4 % of outliers by 15 dB. Each trial is a joint fit with re-runs that "
        "begins at other materials; how often the truth lies in its 95 % interval.");
    int trials = validation.quick ? 2 : 50, inside[4] = {0}, runs = 0, coarse = 0;
    double levels[READINGS], sum[4] = {0}, width[4] = {0}, work = 0, crossed = 0;
    pw_reading *readings = calloc(READINGS, sizeof *readings);
    pw_error error = {{0}};
    pw_joint_options options = pw_joint_options_default();
    pw_joint joint;
    options.blocks = 0.5;
    options.offsets = PW_OFFSETS_NONE;
    options.compute.backend = validation.backend;
    places_make(readings);
    pw_result *truth = room_solve(&validation, TRUTH, "truth");
    for (int n = 0; n < READINGS; n++) {
        readings[n].power = -50.0;
    }
    case_require(pw_calibrate_joint_readings(truth, readings, READINGS, &options, levels, &joint, &error),
                 error.message);
    pw_joint_free(&joint);
    pw_result_close(truth);
    pw_result *assumed = room_solve(&validation, ASSUMED, "assumed");
    options.offsets = PW_OFFSETS_EACH;
    options.parameters = parameters;
    options.parameter_count = 4;
    for (int trial = 0; trial < trials; trial++) {
        readings_make(levels, (uint64_t)trial, readings);
        case_require(pw_calibrate_joint_readings(assumed, readings, READINGS, &options, NULL, &joint, &error),
                     error.message);
        for (int p = 0; p < 4; p++) {
            const pw_fitted *fitted = &joint.parameters[p];
            inside[p] += fitted->low <= TRUTH[p] && fitted->high >= TRUTH[p];
            sum[p] += log(fitted->value / TRUTH[p]) / trials;
            width[p] += log(fitted->high / fitted->low) / trials;
        }
        runs += joint.runs;
        coarse += joint.coarse_runs;
        work += joint.runs + joint.coarse_runs / pow(joint.coarse_cells, 3);
        crossed += joint.crossed.rmse / trials;
        pw_joint_free(&joint);
    }
    pw_result_close(assumed);
    for (int p = 0; p < 4; p++) {
        double missed = 1.0 - (double)inside[p] / trials;
        case_gate(&validation, missed, validation.quick ? 0.5 : 0.1, "%.*s: share of trials that miss it",
                  (int)strcspn(parameters[p], "="), parameters[p]);
        case_figure(&validation, sum[p], "  mean of ln(fitted/true); intervals are a factor of %.2f wide",
                    exp(width[p]));
    }
    case_figure(&validation, (double)runs / trials, "re-runs a trial");
    case_figure(&validation, (double)coarse / trials, "runs on larger cells a trial");
    case_figure(&validation, work / trials, "both, counted by their work in re-runs");
    case_figure(&validation, crossed, "dB in blocks held out, mean");
    free(readings);
    return case_end(&validation);
}
