/* Result files whose fields are sums of rays, written by the library's own writer from a backend that solves nothing:
 * what comes out of channels and maps is then known in closed form. */
#ifndef RAY_RESULT_H
#define RAY_RESULT_H

#include "base/numbers/hankel.h"
#include "result/result.h"
#include "run/write/result_writer.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* G(f) exp(-j 2 pi f (1 m)/c) at a place: the channel relative to free space at 1 m, delays since emission. `distance`
 * [m] is that from the transmitter `run`. */
typedef double complex (*ray_function)(int run, double x, double y, double distance, double frequency);

struct ray_backend {
    struct backend backend;
    struct simulation simulation;
    const struct setup *setup;
    ray_function rays;
    double complex *current; /* (frequency_count) */
};

static double complex ray_one(double frequency, double amplitude, double delay)
{
    return amplitude * cexp(-I * fmod(2.0 * M_PI * frequency * delay, 2.0 * M_PI));
}

/* What the grid that the result names would turn the field by over the straight line, which links take off. */
static double complex ray_grid_turn(const struct setup *setup, double frequency, double x, double y)
{
    double distance = hypot(x, y), exact = 2.0 * M_PI * frequency / 299792458.0;
    if (!(distance > 0)) {
        return 1;
    }
    double numeric = stencil_wave_number_along(&setup->stencil, setup->problem.axis[0].spacing, exact,
                                               (double[]){x / distance, y / distance, 0});
    return isfinite(numeric) ? cexp(-I * (numeric - exact) * distance) : 1;
}

static pw_status ray_read_probes(void *state, int run, double *ez, pw_error *error)
{
    (void)run;
    (void)error;
    const struct ray_backend *made = state;
    memset(ez, 0, (size_t)made->simulation.step * (size_t)made->setup->problem.probe_count * sizeof *ez);
    return PW_OK;
}

static pw_status ray_read_spectra(void *state, int run, int row_first, int row_count, double *out, pw_error *error)
{
    (void)error;
    const struct ray_backend *made = state;
    const struct setup *setup = made->setup;
    const struct spectra *lattice = &setup->problem.spectra;
    const struct transmitter_choice *from = &setup->scenario->transmitters[run];
    for (int f = 0; f < lattice->frequency_count; f++) {
        double re, im, frequency = lattice->frequency[f], currents[2];
        line_current_field(frequency, 1.0, &re, &im);
        memcpy(currents, &made->current[(size_t)run * (size_t)lattice->frequency_count + (size_t)f], sizeof currents);
        double complex unit =
            (re + I * im) * (currents[0] + I * currents[1]) * cexp(I * 2.0 * M_PI * frequency / 299792458.0);
        for (int row = 0; row < row_count; row++) {
            for (int column = 0; column < lattice->columns; column++) {
                double x = setup->origin.x + (lattice->x0 + column * lattice->spacing) * setup->problem.axis[0].spacing;
                double y = setup->origin.y +
                           (lattice->y0 + (row_first + row) * lattice->spacing) * setup->problem.axis[0].spacing;
                double complex field = ray_grid_turn(setup, frequency, x - from->at.x, y - from->at.y) * unit *
                                       made->rays(run, x, y, hypot(x - from->at.x, y - from->at.y), frequency);
                *out++ = creal(field);
                *out++ = cimag(field);
            }
        }
    }
    return PW_OK;
}

/* No sample waits with a field: what read_spectra gives is the whole. */
static pw_status ray_read_samples(void *state, int run, int row_first, int row_count, double *out, pw_error *error)
{
    const struct ray_backend *made = state;
    const struct spectra *spectra = &made->setup->problem.spectra;
    (void)run;
    (void)row_first;
    (void)error;
    size_t nodes = (size_t)row_count * (size_t)spectra->columns;
    memset(out, 0, (size_t)spectra_waiting(spectra, made->simulation.step) * nodes * sizeof *out);
    return PW_OK;
}

static pw_status ray_write(const struct setup *setup, ray_function rays, const char *path, pw_error *error)
{
    struct ray_backend made = {.setup = setup, .rays = rays};
    int transmitters = setup->problem.source_count;
    size_t frequencies = (size_t)setup->frequency_count;
    const struct solver solver = {.name = "rays",
                                  .read_probes = ray_read_probes,
                                  .read_spectra = ray_read_spectra,
                                  .read_samples = ray_read_samples};
    struct stepper stepper = {.solver = &solver, .state = &made};
    made.backend = (struct backend){.name = "rays"};
    made.simulation = (struct simulation){.setup = setup,
                                          .compute = {.backend = &made.backend},
                                          .stepper = &stepper,
                                          .count = transmitters,
                                          .step = setup->problem.steps,
                                          .stop_reason = "duration",
                                          .device = "paper"};
    made.current = calloc((size_t)transmitters * frequencies, sizeof *made.current);
    pw_status status = PW_OK;
    for (int run = 0; run < transmitters && status == PW_OK; run++) {
        status = pw_simulation_source_spectrum(&made.simulation, run,
                                               (double *)(made.current + (size_t)run * frequencies), error);
    }
    struct result_writer *writer = NULL;
    if (status == PW_OK) {
        status = result_create(path, true, setup, &writer, error);
    }
    if (status == PW_OK) {
        status = result_add(writer, &made.simulation, error);
        status = status == PW_OK ? result_commit(writer, 0, 0, error) : status;
    }
    free(made.current);
    return status;
}

/* A result at `path` from the text of a scenario; ends the test when it cannot be made. */
static void ray_result_make(const char *scenario_text, ray_function rays, const char *path)
{
    pw_error error = {""};
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    if (pw_scenario_parse("rays", scenario_text, NULL, 0, &scenario, &error) != PW_OK ||
        pw_setup_create(scenario, PW_SINGLE, false, &setup, &error) != PW_OK ||
        ray_write(setup, rays, path, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    pw_setup_free(setup);
    pw_scenario_free(scenario);
}

#endif
