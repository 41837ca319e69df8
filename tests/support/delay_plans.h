/* Plans on which the guard on delays is held against converged runs, and their solving. */
#ifndef DELAY_PLANS_H
#define DELAY_PLANS_H

#include "tests/support/solve.h"

#include "run/delay_warning.h"
#include "tests/support/delay_series.h"

enum { DELAY_PLANS = 5, DELAY_RECEIVERS = 64, DELAY_ROWS = 8 };

struct delay_plan {
    const char *name, *shapes; /* YAML below `plan:` */
    double width, height;      /* m */
    double centre, band_width; /* Hz */
    double x, y, cell;         /* m */
    double end;                /* s */
    double stops[5];           /* s; 0: the end of the run */
    bool converges;
};

static const struct delay_plan delay_plans[DELAY_PLANS] = {
    {"two paths",
     "  rectangles: [{from: [0, 0], to: [18, 0.3], material: metal}]\n",
     18,
     12,
     900e6,
     200e6,
     6,
     4,
     0.04,
     400e-9,
     {40e-9, 60e-9, 80e-9, 100e-9, 0},
     true},
    {"metal room",
     "  rectangles:\n    - {from: [0, 0], to: [6, 0.2], material: metal}\n    - {from: [0, 3.8], to: [6, 4], material: "
     "metal}\n    - {from: [0, 0], to: [0.2, 4], material: metal}\n    - {from: [5.8, 0], to: [6, 4], material: "
     "metal}\n",
     6,
     4,
     868e6,
     80e6,
     2.1,
     1.7,
     0.04,
     1500e-9,
     {200e-9, 400e-9, 800e-9, 1200e-9, 0},
     false},
    {"office",
     "  image: floorplans/office.png\n  pixel: 2 cm\n  legend:\n    '#ffffff': air\n    '#404040': concrete\n    "
     "'#b5523b': brick\n    '#c9b79c': plasterboard\n    '#3b9ed8': glass\n    '#8a5a2b': wood\n    '#e0a94a': "
     "chipboard\n    '#8fa3ad': metal\n    '#3060c0': {relative_permittivity: 2.89, conductivity: 0.002 S/m}\n",
     36,
     20,
     868e6,
     100e6,
     5,
     10,
     0.06,
     900e-9,
     {120e-9, 200e-9, 300e-9, 400e-9, 0},
     true},
    {"hall of concrete",
     "  rectangles:\n    - {from: [0, 0], to: [20, 0.3], material: concrete}\n    - {from: [0, 13.7], to: [20, 14], "
     "material: concrete}\n    - {from: [0, 0], to: [0.3, 14], material: concrete}\n    - {from: [19.7, 0], to: [20, "
     "14], "
     "material: concrete}\n",
     20,
     14,
     868e6,
     80e6,
     6,
     5,
     0.05,
     1500e-9,
     {100e-9, 150e-9, 250e-9, 350e-9, 0},
     true},
    {"hall of metal",
     "  rectangles:\n    - {from: [0, 0], to: [14, 0.2], material: metal}\n    - {from: [0, 9.8], to: [14, 10], "
     "material: "
     "metal}\n    - {from: [0, 0], to: [0.2, 10], material: metal}\n    - {from: [13.8, 0], to: [14, 10], material: "
     "metal}\n  openings:\n    - {from: [5, 0], to: [9, 0.2]}\n    - {from: [0, 3], to: [0.2, 7]}\n    - {from: [13.8, "
     "1], to: [14, 6]}\n",
     14,
     10,
     868e6,
     80e6,
     4,
     4,
     0.05,
     3000e-9,
     {200e-9, 400e-9, 800e-9, 1600e-9, 0},
     true},
};

struct delay_solved {
    struct solved solved;
    double *look_time, *look_energy; /* owned */
    struct delay_series series;
};

/* A grid of receivers that keeps off the rim and off round numbers of cells. */
static inline char *delay_plan_text(const struct delay_plan *plan)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "plan:\n%s", plan->shapes);
    if (strstr(plan->shapes, "image:") == NULL) {
        fprintf(out, "  size: [%g, %g]\n", plan->width, plan->height);
    }
    fprintf(out,
            "grid: {scheme: dd4, cell: %g, courant: 0.4}\nband: {centre: %g, width: %g}\n"
            "transmitters: [{name: t, at: [%g, %g]}]\nspectra: off\nstop: {after: %g, decay: -90 dB}\nreceivers:\n",
            plan->cell, plan->centre, plan->band_width, plan->x, plan->y, plan->end);
    for (int r = 0; r < DELAY_RECEIVERS; r++) {
        double u = (r % DELAY_ROWS + 0.37 + 0.11 * (r / DELAY_ROWS % 3)) / DELAY_ROWS;
        double v = (r / DELAY_ROWS + 0.41 + 0.13 * (r % 2)) / (DELAY_RECEIVERS / DELAY_ROWS);
        fprintf(out, "  - {name: r%d, at: [%.3f, %.3f]}\n", r, 0.05 * plan->width + 0.9 * plan->width * u,
                0.05 * plan->height + 0.9 * plan->height * v);
    }
    fclose(out);
    return text;
}

static inline void delay_series_read(struct delay_solved *solved)
{
    const struct simulation *simulation = solved->solved.simulation;
    const struct setup *setup = solved->solved.setup;
    struct delay_series *series = &solved->series;
    const struct point from = setup->scenario->transmitters[0].at;
    size_t steps = (size_t)simulation->step, samples = (size_t)series->samples;
    double *ez = malloc(DELAY_RECEIVERS * steps * sizeof *ez);
    pw_error error = {{0}};
    SOLVE_CHECK(pw_simulation_receivers(simulation, 0, ez, &error), &error);
    for (size_t r = 0; r < DELAY_RECEIVERS; r++) {
        float *out = series->ez + (size_t)series->receivers * samples;
        double largest = 0.0;
        for (size_t n = 0; n < samples; n++) {
            out[n] = (float)ez[r * steps + n * DELAY_DECIMATION];
            largest = fmax(largest, fabs(ez[r * steps + n * DELAY_DECIMATION]));
        }
        const struct point at = setup->scenario->receivers[r].at;
        series->distance[series->receivers] = hypot(at.x - from.x, at.y - from.y);
        series->receivers += largest > 0.0; /* not inside metal */
    }
    free(ez);
}

static inline struct delay_solved delay_plan_solve(const struct delay_plan *plan, const char *backend)
{
    char *text = delay_plan_text(plan);
    struct delay_solved solved = {.solved = solve(text, PW_SINGLE, backend)};
    free(text);
    const struct simulation *simulation = solved.solved.simulation;
    const struct energy_history *history = &simulation->history[0];
    const struct problem *problem = &solved.solved.setup->problem;
    double dt = problem->time_step;
    solved.look_time = malloc((size_t)history->count * sizeof(double));
    solved.look_energy = malloc((size_t)history->count * sizeof(double));
    for (int n = 0; n < history->count; n++) {
        solved.look_time[n] = history->step[n] * dt;
        solved.look_energy[n] = history->energy[n] / simulation->peak_energy[0];
    }
    int64_t samples = simulation->step / DELAY_DECIMATION;
    solved.series = (struct delay_series){.samples = samples,
                                          .interval = DELAY_DECIMATION * dt,
                                          .ez = malloc(DELAY_RECEIVERS * (size_t)samples * sizeof(float)),
                                          .distance = malloc(DELAY_RECEIVERS * sizeof(double)),
                                          .band_low = plan->centre - 0.5 * plan->band_width,
                                          .band_width = plan->band_width,
                                          .current_samples = problem->source_end,
                                          .current_interval = dt,
                                          .current = problem->sources[0].current,
                                          .pulse_centre = simulation_pulse_time(simulation, 0).centre,
                                          .looks = history->count,
                                          .look_time = solved.look_time,
                                          .look_energy = solved.look_energy};
    delay_series_read(&solved);
    return solved;
}

static inline void delay_solved_free(struct delay_solved *solved)
{
    free(solved->series.ez);
    free(solved->series.distance);
    free(solved->look_time);
    free(solved->look_energy);
    solve_free(&solved->solved);
}

/* The spreads of the whole run with a period as long (receivers); NAN where even that one has not converged. Returns
 * how many. The guard has no say: four fifths of the run give the same within 1 %, or the energy has fallen by 60 dB.
 */
static inline int delay_converged(const struct delay_series *series, double *converged)
{
    double end = delay_series_end(series);
    int count = (int)ceil(1.02 * series->band_width * end) + 2, without = 0;
    struct delay_answer *whole = calloc((size_t)series->receivers, sizeof *whole);
    struct delay_answer *most = calloc((size_t)series->receivers, sizeof *most);
    delay_answers(series, end, count, PW_SPREADING_DELAY, whole);
    delay_answers(series, 0.8 * end, count, PW_SPREADING_DELAY, most);
    bool decayed = series->look_energy[series->looks - 1] < 1e-6;
    for (int r = 0; r < series->receivers; r++) {
        bool same = decayed || fabs(most[r].rms / whole[r].rms - 1.0) < 0.01;
        converged[r] = same ? whole[r].rms : (double)NAN;
        without += !same;
    }
    free(whole);
    free(most);
    return without;
}

#endif
