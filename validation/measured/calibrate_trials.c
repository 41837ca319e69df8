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

static const char *const PARAMETERS[4] = {"left:permittivity=2..10", "left:conductivity=5mS/m..0.5",
                                          "right:permittivity=1.5..8", "right:conductivity=5mS/m..0.5"};

/* What all trials of one way to fit amount to. */
struct tally {
    int inside[4];
    double sum[4], width[4];            /* means over the trials: ln(fitted/true), ln(high/low) */
    double runs, coarse, work, crossed; /* means: re-runs, runs on larger cells, both by their work; dB held out */
};

static struct tally trials_fit(const pw_result *assumed, const pw_joint_options *options, const double *levels,
                               int trials)
{
    static pw_reading readings[READINGS];
    struct tally tally = {0};
    pw_error error = {{0}};
    pw_joint joint;
    places_make(readings);
    for (int trial = 0; trial < trials; trial++) {
        readings_make(levels, (uint64_t)trial, readings);
        case_require(pw_calibrate_joint_readings(assumed, readings, READINGS, options, NULL, &joint, &error),
                     error.message);
        for (int p = 0; p < 4; p++) {
            const pw_fitted *fitted = &joint.parameters[p];
            tally.inside[p] += fitted->low <= TRUTH[p] && fitted->high >= TRUTH[p];
            tally.sum[p] += log(fitted->value / TRUTH[p]) / trials;
            tally.width[p] += log(fitted->high / fitted->low) / trials;
        }
        tally.runs += (double)joint.runs / trials;
        tally.coarse += (double)joint.coarse_runs / trials;
        tally.work += (joint.runs + joint.coarse_runs / pow(joint.coarse_cells, 3)) / trials;
        tally.crossed += joint.crossed.rmse / trials;
        pw_joint_free(&joint);
    }
    return tally;
}

static void tally_tell(struct validation *validation, const struct tally *tally, int trials, const char *where)
{
    for (int p = 0; p < 4; p++) {
        case_gate(validation, 1.0 - (double)tally->inside[p] / trials, validation->quick ? 0.5 : 0.1,
                  "%.*s%s: share of trials that miss it", (int)strcspn(PARAMETERS[p], "="), PARAMETERS[p], where);
        case_figure(validation, tally->sum[p], "  mean of ln(fitted/true); intervals are a factor of %.2f wide",
                    exp(tally->width[p]));
    }
}

/* Levels without noise at the places, of the room as it is. */
static void levels_make(const struct validation *validation, pw_joint_options options, double levels[READINGS])
{
    static pw_reading readings[READINGS];
    pw_error error = {{0}};
    pw_joint joint;
    pw_result *truth = room_solve(validation, TRUTH, "truth");
    places_make(readings);
    for (int n = 0; n < READINGS; n++) {
        readings[n].power = -50.0;
    }
    options.offsets = PW_OFFSETS_NONE;
    case_require(pw_calibrate_joint_readings(truth, readings, READINGS, &options, levels, &joint, &error),
                 error.message);
    pw_joint_free(&joint);
    pw_result_close(truth);
}

int main(int argc, char **argv)
{
    struct validation validation = case_begin(
        argc, argv, "calibrate_trials", "Intervals of calibrated materials",
        "A made-up room, three transmitters with offsets of their own, 180 places; readings with 2 dB of noise, "
        "1 dB of shadowing over 35 cm and 4 % of outliers by 15 dB. Each trial is a joint fit with re-runs that "
        "begins at other materials; how often the truth lies in its 95 % interval. Then the same with a fit on larger "
        "cells, `--coarse 0`, whose runs are counted by their work; a fifth of the 25.3 that trial runs took are "
        "5.06.");
    const int trials = validation.quick ? 2 : 50;
    double levels[READINGS];
    pw_joint_options options = pw_joint_options_default();
    options.blocks = 0.5;
    options.compute.backend = validation.backend;
    levels_make(&validation, options, levels);
    pw_result *assumed = room_solve(&validation, ASSUMED, "assumed");
    options.parameters = PARAMETERS;
    options.parameter_count = 4;
    const struct tally alone = trials_fit(assumed, &options, levels, trials);
    options.response_cells = 0.0;
    const struct tally larger = trials_fit(assumed, &options, levels, trials);
    pw_result_close(assumed);
    tally_tell(&validation, &alone, trials, "");
    case_figure(&validation, alone.runs, "re-runs a trial");
    case_figure(&validation, alone.crossed, "dB in blocks held out, mean");
    tally_tell(&validation, &larger, trials, ", larger cells");
    case_figure(&validation, larger.runs, "larger cells: re-runs a trial");
    case_figure(&validation, larger.coarse, "larger cells: runs on them a trial");
    case_gate(&validation, larger.work, validation.quick ? 7.0 : 5.06, "larger cells: both, by their work in re-runs");
    case_figure(&validation, larger.crossed, "larger cells: dB in blocks held out, mean");
    case_gate(&validation, larger.crossed / alone.crossed, 1.005,
              "larger cells: dB held out over those of re-runs alone");
    return case_end(&validation);
}
