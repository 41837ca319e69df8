/* A set-up and a finished simulation made by hand, without a solver: a backend whose "fields" are closed forms of run,
 * step, probe, frequency and cell. For tests of the result file and of what reads it. */
#ifndef HAND_MADE_H
#define HAND_MADE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "discretize/formulation.h"
#include "tests/support/made_simulation.h"

enum {
    MADE_NX = 70,
    MADE_NY = 60,
    MADE_LAYER = 6,
    MADE_STEPS = 120,
    MADE_FREQUENCIES = 5,
    MADE_ROWS = 11,
    MADE_COLUMNS = 13,
    MADE_SPACING = 4,
    MADE_TRANSMITTERS = 2,
    MADE_RECEIVERS = 3,
    MADE_PROBES = 9,
    MADE_PALETTE = 3
};

struct hand_made {
    struct made_simulation work; /* the first: made_simulation.h */
    struct scenario scenario;
    struct setup setup;
    double perturbation; /* added to one value of the spectra: run 1, frequency 3, row 10, column 2, imaginary part */
    bool fail_spectra;   /* read_spectra reports a failure of the device */
};

/* What the run holds, rounded to its precision. */
static double made_round(const struct hand_made *made, double value)
{
    return made->setup.problem.precision == PW_DOUBLE ? value : (double)(float)value;
}

static double made_probe(const struct hand_made *made, int run, int64_t step, int probe)
{
    return made_round(made, sin(0.3 * (double)step + probe) / (1 + run));
}

static double made_spectrum(const struct hand_made *made, int run, int frequency, int row, int column, int part)
{
    double value = cos(0.1 * row + 0.2 * column + frequency - 1.5 * part) * (run + 1) * 1e-9;
    if (run == 1 && frequency == 3 && row == 10 && column == 2 && part == 1) {
        value += made->perturbation;
    }
    return made_round(made, value);
}

static pw_status made_read_probes(void *state, int run, double *ez, pw_error *error)
{
    (void)error;
    const struct hand_made *made = state;
    for (int64_t n = 0; n < made->work.simulation.step; n++) {
        for (int p = 0; p < MADE_PROBES; p++) {
            ez[n * MADE_PROBES + p] = made_probe(made, run, n, p);
        }
    }
    return PW_OK;
}

static pw_status made_read_spectra(void *state, int run, int row_first, int row_count, double *out, pw_error *error)
{
    const struct hand_made *made = state;
    if (made->fail_spectra) {
        return fail(error, PW_NO_RESOURCE, "the device fell off the bus");
    }
    for (int f = 0; f < MADE_FREQUENCIES; f++) {
        for (int r = 0; r < row_count; r++) {
            for (int c = 0; c < MADE_COLUMNS; c++) {
                for (int part = 0; part < 2; part++) {
                    *out++ = made_spectrum(made, run, f, row_first + r, c, part);
                }
            }
        }
    }
    return PW_OK;
}

static double made_current(int transmitter, int64_t step)
{
    double t = ((double)step - 40) / 12;
    return exp(-t * t) * sin(0.4 * (double)step) * (1 + transmitter);
}

static void made_medium(struct medium *medium)
{
    static struct medium_entry palette[MADE_PALETTE];
    made_palette(palette);
    medium->nx = MADE_NX;
    medium->ny = MADE_NY;
    medium->palette = palette;
    medium->palette_count = MADE_PALETTE;
    medium->index = calloc((size_t)MADE_NX * MADE_NY, sizeof(uint16_t));
    for (int j = 0; j < MADE_NY; j++) {
        for (int i = 0; i < MADE_NX; i++) {
            medium->index[j * MADE_NX + i] = i == 20 ? 1 : (j == 30 ? 2 : 0);
        }
    }
}

static void made_scenario(struct scenario *scenario)
{
    static struct transmitter_choice transmitters[MADE_TRANSMITTERS];
    static struct receiver_choice receivers[MADE_RECEIVERS];
    /* deliberately not in the order of the alphabet */
    transmitters[0] = (struct transmitter_choice){.name = "west", .at = {0.1, 0.2}, .to = {0.1, 0.2}, .power = 20};
    transmitters[1] = (struct transmitter_choice){.name = "east", .at = {0.8, 0.2}, .to = {0.8, 0.4}, .power = 14.5};
    receivers[0] = (struct receiver_choice){.name = "roof", .at = {0.5, 0.5}, .gain = 2};
    receivers[1] = (struct receiver_choice){.name = "desk", .at = {0.25, 0.125}};
    receivers[2] = (struct receiver_choice){.name = "door", .at = {0.75, 0.3}, .gain = -1};
    for (int n = 0; n < MADE_TRANSMITTERS; n++) {
        transmitters[n].height = transmitters[n].to_height = NAN;
    }
    for (int n = 0; n < MADE_RECEIVERS; n++) {
        receivers[n].height = NAN;
    }
    *scenario = (struct scenario){.file = "made.yaml",
                                  .title = "Made by hand, Flur 3 \xc3\xbc",
                                  .text = "title: made by hand\n",
                                  .band_centre = 2.4e9,
                                  .band_width = 6e8,
                                  .transmitters = transmitters,
                                  .transmitter_count = MADE_TRANSMITTERS,
                                  .receivers = receivers,
                                  .receiver_count = MADE_RECEIVERS};
    scenario->grid =
        (struct grid_choice){.scheme = SCHEME_DD4, .cell = 0.02, .courant = 0.5, .averaging = AVERAGING_MOMENT};
    scenario->grid.absorber = (struct absorber){.kind = ABSORBER_UPML, .cells = MADE_LAYER};
    scenario->spectra =
        (struct spectra_choice){.enabled = true, .count = MADE_FREQUENCIES, .spacing = MADE_SPACING, .warp = true};
}

static void made_problem(struct problem *problem, pw_precision precision)
{
    problem_set_grid(problem, MADE_NX, MADE_NY, 0.02);
    problem->time_step = 2.358e-11;
    problem->steps = MADE_STEPS + 30;
    problem->precision = precision;
    problem->axis[0].low = problem->axis[0].high = (struct boundary){.kind = ABSORBER_UPML, .cells = MADE_LAYER};
    problem->axis[1].low = problem->axis[1].high = (struct boundary){.kind = ABSORBER_UPML, .cells = MADE_LAYER};
    problem->source_count = MADE_TRANSMITTERS;
    problem->sources = calloc(MADE_TRANSMITTERS, sizeof(struct source));
    for (int t = 0; t < MADE_TRANSMITTERS; t++) {
        problem->sources[t].current = calloc((size_t)problem->steps, sizeof(double));
        for (int64_t n = 0; n < problem->steps; n++) {
            problem->sources[t].current[n] = made_current(t, n);
        }
    }
    problem->probe_count = MADE_PROBES;
    struct spectra *spectra = &problem->spectra;
    *spectra = (struct spectra){.frequency_count = MADE_FREQUENCIES,
                                .x0 = 8,
                                .y0 = 7,
                                .spacing = MADE_SPACING,
                                .columns = MADE_COLUMNS,
                                .rows = MADE_ROWS,
                                .every = 3};
    spectra->frequency = calloc(MADE_FREQUENCIES, sizeof(double));
    spectra->omega = calloc(MADE_FREQUENCIES, sizeof(double));
    for (int f = 0; f < MADE_FREQUENCIES; f++) {
        spectra->frequency[f] = 2.1e9 + 1.5e8 * f;
        double omega = 6.283185307179586 * spectra->frequency[f], dt = problem->time_step;
        spectra->omega[f] = 2 / dt * asin(omega * dt / 2);
    }
}

static void hand_made_create(struct hand_made *made, pw_precision precision)
{
    static char *warnings[2] = {"receiver 'desk' stands inside a wall", "brick outside 1..40 GHz"};
    memset(made, 0, sizeof *made);
    made_scenario(&made->scenario);
    made->scenario.dimensions = 2;
    made->scenario.plan.over = NAN; /* one cut */
    struct setup *setup = &made->setup;
    setup->scenario = &made->scenario;
    setup->formulation = setup_formulation_of(setup->scenario);
    setup->origin = (struct point){-MADE_LAYER * 0.02, -MADE_LAYER * 0.02};
    setup->sigma_compensation = 1.01;
    setup->warnings = (pw_notes){.text = warnings, .count = 2};
    made_medium(&setup->medium);
    made_problem(&setup->problem, precision);
    setup->frequency_count = MADE_FREQUENCIES;
    setup->frequency = setup->problem.spectra.frequency;
    setup->omega = setup->problem.spectra.omega;
    setup->receivers = calloc(MADE_RECEIVERS, sizeof *setup->receivers);
    for (int r = 0; r < MADE_RECEIVERS; r++) { /* the first on a node, the others between a few */
        struct receiver *receiver = &setup->receivers[r];
        receiver->placement.count = r == 0 ? 1 : 4;
        for (int k = 0; k < receiver->placement.count; k++) {
            receiver->probe[k] = r == 0 ? 0 : 4 * (r - 1) + 1 + k;
            receiver->placement.weight[k] = r == 0 ? 1 : 0.4 - 0.1 * k;
        }
    }
    made_simulation_begin(&made->work, setup, MADE_STEPS, made_read_probes, made_read_spectra);
}

static void hand_made_free(struct hand_made *made)
{
    for (int t = 0; t < MADE_TRANSMITTERS; t++) {
        free(made->setup.problem.sources[t].current);
    }
    free(made->setup.problem.sources);
    free(made->setup.frequency);
    free(made->setup.omega);
    free(made->setup.medium.index);
    free(made->setup.receivers);
}

static pw_status hand_made_write(const struct hand_made *made, const char *path, bool force, pw_error *error)
{
    return made_simulation_write(&made->work, path, force, error);
}

#endif
