/* Simulation: transmitters advanced together in memory; for callers who want fields or single steps instead of a result
 * file. */
#ifndef PLANWAVE_SIMULATION_H
#define PLANWAVE_SIMULATION_H

#include "api/run.h"

PW_C_BEGIN

typedef struct simulation pw_simulation;

/* On what `compute` says, NULL: zeros. The set-up must outlive the simulation. In the functions below `run` counts from
 * the first of these transmitters. The caller frees *simulation with pw_simulation_free. */
pw_status pw_simulation_create(const pw_setup *setup, const pw_compute *compute, int transmitter_first,
                               int transmitter_count, pw_simulation **simulation, pw_error *error);

/* Advances `steps` steps, without stop rule and without looking for NaN. */
pw_status pw_simulation_advance(pw_simulation *simulation, int64_t steps, pw_error *error);

/* Advances to the end: stop rule, watch for NaN and growth, and progress included. */
pw_status pw_simulation_run(pw_simulation *simulation, pw_progress_function progress, void *user, pw_error *error);

/* Steps done so far. */
int64_t pw_simulation_step(const pw_simulation *simulation);

/* Ez (ny, nx) [V/m] after the last step. */
pw_status pw_simulation_field(const pw_simulation *simulation, int run, double *ez, pw_error *error);

/* Ez [V/m] at receiver `receiver`, in three dimensions the component along its polarisation: one sample per step,
 * sample n at (n + 1) time steps; `ez` holds pw_simulation_step() values. */
pw_status pw_simulation_receiver(const pw_simulation *simulation, int run, int receiver, double *ez, pw_error *error);

/* The same at all receivers, (receiver, step): much quicker than one after another. */
pw_status pw_simulation_receivers(const pw_simulation *simulation, int run, double *ez, pw_error *error);

/* Ex, Ey and Ez at all receivers, (receiver, component, step); in two dimensions Ex and Ey are zero. */
pw_status pw_simulation_receiver_components(const pw_simulation *simulation, int run, double *e, pw_error *error);

/* Running spectra of rows [row_first, row_first + row_count): (frequency, row, column, re/im) [V/m s]. In three
 * dimensions there is one column, and a row is a point of a sheet. */
pw_status pw_simulation_spectra(const pw_simulation *simulation, int run, int row_first, int row_count, double *spectra,
                                pw_error *error);

/* Spectrum of the current of the transmitter at the frequencies of the scenario, (frequency, re/im) [A s]; in three
 * dimensions of its current moment [A m s]. */
pw_status pw_simulation_source_spectrum(const pw_simulation *simulation, int run, double *spectrum, pw_error *error);

/* NULL is allowed. */
void pw_simulation_free(pw_simulation *simulation);
void pw_simulation_release(pw_simulation **owner); /* of PW_OWNED_AS */

PW_C_END

#endif
