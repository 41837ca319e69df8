/* A set-up in three dimensions and a finished simulation of it, made by hand without a solver: the spectra on its
 * sheets are what a function of the test says, its probes closed forms. For tests of the result file and of what reads
 * it. */
#ifndef VOLUME_MADE_H
#define VOLUME_MADE_H

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "discretize/formulation.h"
#include "tests/support/made_simulation.h"

enum {
    VOLUME_NX = 44,
    VOLUME_NY = 40,
    VOLUME_NZ = 34,
    VOLUME_LAYER = 6,
    VOLUME_STEPS = 200,
    VOLUME_FREQUENCIES = 24,
    VOLUME_SHEETS = 7,
    VOLUME_PITCH = 2, /* cells */
    VOLUME_LAYERS = 3
};
static const double volume_cell = 0.1; /* m; the inside is 3.2 m by 2.8 m by 2.2 m */

/* Component 0..2 of E at a place [V/(m A m)], per current moment of the transmitter `run`. */
typedef double complex (*volume_field)(int run, int component, const double at[3], double frequency);

struct volume_made {
    struct made_simulation work; /* the first: made_simulation.h */
    struct scenario scenario;
    struct transmitter_choice transmitters[2];
    struct receiver_choice receivers[2], lattice_receivers[2];
    struct setup setup;
    struct setup_sheet sheets[VOLUME_SHEETS];
    struct spectra_sheet spectra_sheets[VOLUME_SHEETS];
    struct receiver probes[2];
    struct medium_entry palette[3];
    struct source sources[2];
    int level[VOLUME_NZ];
    volume_field field;
    double complex current[2][VOLUME_FREQUENCIES]; /* A m s */
};

/* Probe p of receiver p / 3, component p % 3. */
static double volume_probe(int run, int64_t step, int probe)
{
    return sin(0.2 * (double)step + probe) * (1 + run);
}

static pw_status volume_read_probes(void *state, int run, double *e, pw_error *error)
{
    const struct volume_made *made = state;
    (void)error;
    for (int64_t n = 0; n < made->work.simulation.step; n++) {
        for (int p = 0; p < made->setup.problem.probe_count; p++) {
            *e++ = volume_probe(run, n, p);
        }
    }
    return PW_OK;
}

/* Where point `point` of the spectra lies, and its component. */
static int volume_point(const struct volume_made *made, int64_t point, double at[3])
{
    int s = VOLUME_SHEETS - 1;
    while (point < made->sheets[s].first_point) {
        s--;
    }
    const struct setup_sheet *sheet = &made->sheets[s];
    double u = sheet->column_first + (double)((point - sheet->first_point) % sheet->columns) * sheet->pitch;
    double v = sheet->row_first + (double)((point - sheet->first_point) / sheet->columns) * sheet->pitch;
    at[sheet->normal] = sheet->position;
    at[sheet->normal == 0 ? 1 : 0] = u;
    at[sheet->normal == 2 ? 1 : 2] = v;
    return (int)sheet->component;
}

static pw_status volume_read_spectra(void *state, int run, int row_first, int row_count, double *out, pw_error *error)
{
    const struct volume_made *made = state;
    (void)error;
    for (int f = 0; f < VOLUME_FREQUENCIES; f++) {
        for (int row = row_first; row < row_first + row_count; row++) {
            double at[3];
            int component = volume_point(made, row, at);
            double complex value = made->current[run][f] * made->field(run, component, at, made->setup.frequency[f]);
            *out++ = creal(value);
            *out++ = cimag(value);
        }
    }
    return PW_OK;
}

static void volume_scenario(struct volume_made *made)
{
    const struct direction up = {0, 0, 1}, aslant = {0.6, 0, 0.8}, along_x = {1, 0, 0};
    made->transmitters[0] = (struct transmitter_choice){.name = "mast",
                                                        .at = {0.4, 1.4},
                                                        .to = {0.4, 1.4},
                                                        .height = 1.05,
                                                        .to_height = 1.05,
                                                        .polarisation = up,
                                                        .antenna = {.kind = ANTENNA_HERTZIAN},
                                                        .power = 20};
    made->transmitters[1] = (struct transmitter_choice){.name = "desk",
                                                        .at = {2.8, 0.4},
                                                        .to = {2.8, 0.4},
                                                        .height = 0.75,
                                                        .to_height = 0.75,
                                                        .polarisation = along_x,
                                                        .antenna = {.kind = ANTENNA_HALF_WAVE},
                                                        .power = 10};
    made->receivers[0] =
        (struct receiver_choice){.name = "upright", .at = {2.4, 1.4}, .height = 1.05, .polarisation = up, .gain = 2};
    made->receivers[1] =
        (struct receiver_choice){.name = "aslant", .at = {2.0, 2.0}, .height = 1.5, .polarisation = aslant};
    made->lattice_receivers[0] =
        (struct receiver_choice){.name = "seat_1", .at = {2.0, 1.4}, .height = 1.05, .polarisation = up, .gain = 3};
    made->lattice_receivers[1] =
        (struct receiver_choice){.name = "seat_2", .at = {1.0, 1.4}, .height = 1.05, .polarisation = aslant};
    made->scenario = (struct scenario){.file = "made.yaml",
                                       .title = "A volume",
                                       .text = "title: made by hand\n",
                                       .dimensions = 3,
                                       .band_centre = 8.68e8,
                                       .band_width = 2e8,
                                       .transmitters = made->transmitters,
                                       .transmitter_count = 2,
                                       .receivers = made->receivers,
                                       .receiver_count = 2,
                                       .lattice_receivers = made->lattice_receivers,
                                       .lattice_receiver_count = 2};
    made->scenario.grid =
        (struct grid_choice){.scheme = SCHEME_FD4, .cell = volume_cell, .courant = 0.5, .averaging = AVERAGING_MOMENT};
    made->scenario.grid.absorber = (struct absorber){.kind = ABSORBER_UPML, .cells = VOLUME_LAYER};
    made->scenario.spectra = (struct spectra_choice){.enabled = true, .count = VOLUME_FREQUENCIES, .warp = false};
}

/* Of three layers the lowest levels have a slab of brick, the highest metal, the others air with a wall at i = 20. */
static void volume_medium(struct volume_made *made)
{
    struct medium *medium = &made->setup.medium;
    made_palette(made->palette);
    *medium = (struct medium){.nx = VOLUME_NX,
                              .ny = VOLUME_NY,
                              .nz = VOLUME_NZ,
                              .layer_count = VOLUME_LAYERS,
                              .palette = made->palette,
                              .palette_count = 3};
    size_t plane = (size_t)VOLUME_NX * VOLUME_NY;
    medium->index = calloc(VOLUME_LAYERS * plane, sizeof(uint16_t));
    for (size_t n = 0; n < plane; n++) {
        medium->index[n] = 1;
        medium->index[plane + n] = n % VOLUME_NX == 20 ? 1 : 0;
        medium->index[2 * plane + n] = 2;
    }
    for (int k = 0; k < VOLUME_NZ; k++) {
        made->level[k] = k < VOLUME_LAYER + 2 ? 0 : k < 26 ? 1 : 2;
    }
    medium->layer[2] = made->level;
}

static double volume_current(int transmitter, int64_t step)
{
    double t = ((double)step - 60) / 14;
    return exp(-t * t) * sin(0.5 * (double)step) * (1 + transmitter);
}

static struct setup_sheet volume_plane(enum component component, double asked)
{
    double half = 0.5 * volume_cell;
    return (struct setup_sheet){.component = component,
                                .normal = 2,
                                .asked = asked,
                                .position = component == COMPONENT_EZ ? asked + half : asked,
                                .column_first = component == COMPONENT_EX ? half : 0,
                                .row_first = component == COMPONENT_EY ? half : 0,
                                .pitch = VOLUME_PITCH * volume_cell,
                                .columns = 17,
                                .rows = 15};
}

/* All components at 1 m, Ez at 1.6 m, and Ez on cuts at y = 1.4 m and x = 2 m, Ex on the first of these. */
static void volume_sheets(struct volume_made *made)
{
    double half = 0.5 * volume_cell, pitch = VOLUME_PITCH * volume_cell;
    const struct setup_sheet all[VOLUME_SHEETS] = {
        volume_plane(COMPONENT_EX, 1.0),
        volume_plane(COMPONENT_EY, 1.0),
        volume_plane(COMPONENT_EZ, 1.0),
        volume_plane(COMPONENT_EZ, 1.6),
        {COMPONENT_EZ, 1, 1.4, 1.4, 0, half, pitch, 17, 11, 0},
        {COMPONENT_EX, 1, 1.4, 1.4, half, 0, pitch, 16, 12, 0},
        {COMPONENT_EZ, 0, 2.0, 2.0, 0, half, pitch, 15, 11, 0},
    };
    int64_t points = 0;
    for (int s = 0; s < VOLUME_SHEETS; s++) {
        made->sheets[s] = all[s];
        made->sheets[s].first_point = points;
        points += (int64_t)all[s].columns * all[s].rows;
    }
    struct spectra *spectra = &made->setup.problem.spectra;
    *spectra = (struct spectra){.component = COMPONENT_EZ,
                                .frequency_count = VOLUME_FREQUENCIES,
                                .columns = 1,
                                .rows = (int)points,
                                .every = 4,
                                .sheets = made->spectra_sheets,
                                .sheet_count = VOLUME_SHEETS};
    spectra->frequency = calloc(VOLUME_FREQUENCIES, sizeof(double));
    spectra->omega = calloc(VOLUME_FREQUENCIES, sizeof(double));
    for (int f = 0; f < VOLUME_FREQUENCIES; f++) {
        spectra->frequency[f] = 7.68e8 + 2e8 / (VOLUME_FREQUENCIES - 1) * f;
        spectra->omega[f] = 2 * M_PI * spectra->frequency[f];
    }
    made->setup.sheets = made->sheets;
}

static void volume_problem(struct volume_made *made, pw_precision precision)
{
    struct problem *problem = &made->setup.problem;
    problem_set_volume(problem, VOLUME_NX, VOLUME_NY, VOLUME_NZ, volume_cell);
    problem->time_step = 9e-11;
    problem->steps = VOLUME_STEPS;
    problem->precision = precision;
    for (int a = 0; a < 3; a++) {
        problem->axis[a].low = problem->axis[a].high = (struct boundary){.kind = ABSORBER_UPML, .cells = VOLUME_LAYER};
    }
    problem->sources = made->sources;
    problem->source_count = 2;
    for (int t = 0; t < 2; t++) {
        made->sources[t] = (struct source){.current = calloc(VOLUME_STEPS, sizeof(double))};
        for (int64_t n = 0; n < VOLUME_STEPS; n++) {
            made->sources[t].current[n] = volume_current(t, n);
        }
    }
    problem->probe_count = 6;
    for (int r = 0; r < 2; r++) {
        made->probes[r] = (struct receiver){.probe = {3 * r, 3 * r + 1, 3 * r + 2}};
    }
    made->setup.receivers = made->probes;
}

static void volume_made_create(struct volume_made *made, pw_precision precision, volume_field field)
{
    memset(made, 0, sizeof *made);
    struct setup *setup = &made->setup;
    made->field = field;
    volume_scenario(made);
    setup->scenario = &made->scenario;
    setup->formulation = setup_formulation_of(setup->scenario);
    setup->origin = (struct point){-VOLUME_LAYER * volume_cell, -VOLUME_LAYER * volume_cell};
    setup->origin_z = -VOLUME_LAYER * volume_cell;
    setup->sigma_compensation = 1;
    volume_problem(made, precision);
    volume_medium(made);
    volume_sheets(made);
    setup->frequency_count = VOLUME_FREQUENCIES;
    setup->frequency = setup->problem.spectra.frequency;
    setup->omega = setup->problem.spectra.omega;
    made_simulation_begin(&made->work, setup, VOLUME_STEPS, volume_read_probes, volume_read_spectra);
}

static void volume_made_free(struct volume_made *made)
{
    free(made->sources[0].current);
    free(made->sources[1].current);
    free(made->setup.frequency);
    free(made->setup.omega);
    free(made->setup.medium.index);
}

/* Writes everything to `file`; the first status that is not PW_OK. */
static pw_status volume_made_write(struct volume_made *made, const char *file, pw_error *error)
{
    for (int run = 0; run < 2; run++) {
        TRY(pw_simulation_source_spectrum(&made->work.simulation, run, (double *)made->current[run], error));
    }
    return made_simulation_write(&made->work, file, true, error);
}

#endif
