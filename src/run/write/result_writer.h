/* Writes result files: to a temporary name in the same folder, synced and renamed on commit. */
#pragma once

#include "run/simulation.h"

struct result_writer;
/* PW_BAD_INPUT when `path` exists and not `force`; PW_NO_RESOURCE when it cannot be written. Writes plan, frequencies,
 * root attributes. */
pw_status result_create(const char *path, bool force, const struct setup *setup, struct result_writer **writer,
                        pw_error *error);
/* Appends every transmitter of a finished simulation: waveform, spectrum, receivers, spectra, stop reason. */
pw_status result_add(struct result_writer *writer, const struct simulation *simulation, pw_error *error);
/* The field over what ends under the ceiling, from the result of the plan's second cut, and the `tops` of what differs
 * between the two, (ny, nx) [mm over the lowest floor], 0 where nothing does. */
pw_status result_take_over(struct result_writer *writer, const char *path, const uint16_t *tops, pw_error *error);
/* Timing and device attributes, flush, close, fsync, rename. The writer is gone afterwards, also on failure. */
pw_status result_commit(struct result_writer *writer, double seconds_setup, double seconds_solve, pw_error *error);
/* Removes the temporary file. NULL is allowed. */
void result_abandon(struct result_writer *writer);
