/* A simulation that claims to be finished without a solver having worked: what the makers of results by hand share
 * (hand_made.h, tests/result/volume_made.h). Leaves out the set-up and the fields. */
#ifndef MADE_SIMULATION_H
#define MADE_SIMULATION_H

#include <string.h>

#include "result/result.h"
#include "run/write/result_writer.h"

/* The first member of what a maker makes: reads of its solver get a pointer to both. */
struct made_simulation {
    struct simulation simulation;
    struct backend backend;
    struct solver solver;
    struct stepper stepper;
};

/* No sample waits with a field: what read_spectra gives is the whole. */
static pw_status made_read_samples(void *state, int run, int row_first, int row_count, double *out, pw_error *error)
{
    const struct simulation *simulation = &((const struct made_simulation *)state)->simulation;
    const struct spectra *spectra = &simulation->setup->problem.spectra;
    size_t waiting = (size_t)spectra_waiting(spectra, simulation->step);
    (void)run;
    (void)row_first;
    (void)error;
    memset(out, 0, waiting * (size_t)row_count * (size_t)spectra->columns * sizeof *out);
    return PW_OK;
}

/* All runs of `setup` after `steps` steps, the solver's other reads as given; `made` must stay where it is. */
static void made_simulation_begin(struct made_simulation *made, const struct setup *setup, int64_t steps,
                                  pw_status (*read_probes)(void *, int, double *, pw_error *),
                                  pw_status (*read_spectra)(void *, int, int, int, double *, pw_error *))
{
    made->backend = (struct backend){.name = "hand"};
    made->solver = (struct solver){
        .name = "hand", .read_probes = read_probes, .read_spectra = read_spectra, .read_samples = made_read_samples};
    made->stepper = (struct stepper){.solver = &made->solver, .state = made};
    made->simulation = (struct simulation){.setup = setup,
                                           .compute = {.backend = &made->backend},
                                           .stepper = &made->stepper,
                                           .first = 0,
                                           .count = setup->problem.source_count,
                                           .step = steps,
                                           .stop_reason = "decay",
                                           .device = "a pencil"};
}

/* Air, brick and metal. */
static void made_palette(struct medium_entry palette[3])
{
    palette[0] = (struct medium_entry){.relative_permittivity = 1};
    palette[1] = (struct medium_entry){.relative_permittivity = 3.91, .conductivity = 0.0275};
    palette[2] = (struct medium_entry){.relative_permittivity = 1, .perfect_conductor = true};
}

/* Writes everything to `path`; the first status that is not PW_OK, with the writer gone. */
static pw_status made_simulation_write(const struct made_simulation *made, const char *path, bool force,
                                       pw_error *error)
{
    struct result_writer *writer;
    TRY(result_create(path, force, made->simulation.setup, &writer, error));
    pw_status status = result_add(writer, &made->simulation, error);
    if (status != PW_OK) {
        result_abandon(writer);
        return status;
    }
    return result_commit(writer, 0.5, 2, error);
}

#endif
