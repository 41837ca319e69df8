/* The state of a solver in parts (parted.c), how it asks them (parted_ask.c), and how it gathers what they have
 * recorded (parted_read.c). */
#pragma once

#include "backend/parts/channel.h"
#include "backend/parts/part_command.h"
#include "problem/physics/part.h"

struct parted {
    const struct problem *problem; /* borrowed: the whole */
    struct cut cut;
    const struct rank_channel *channel; /* borrowed; NULL: all parts are in this process */
    void *board;                        /* of halo_memory, owned */
    struct part_crew crew;              /* parts of this process */
    struct part_records *records;       /* (parts), owned */
    int runs, created;                  /* created: parts that other processes were sent */
    int64_t step;
    double **history; /* (runs), owned: what probes recorded before the state that was loaded; NULL: nothing */
    int64_t history_steps;
};

bool parted_is_local(const struct parted *parted, int part);

/* ---- parted_ask.c ---- */

/* Sends a command to a part of another process, and takes its answer; the caller frees *answer, which is NULL after a
 * failure. A part of this process is told nothing. */
void parted_say(struct parted *parted, const struct part_command *command, const void *bytes);
pw_status parted_hear(struct parted *parted, int rank, void **answer, size_t *size, pw_error *error);

/* Asks without an answer but the status. */
pw_status parted_tell(struct parted *parted, const struct part_command *command, const void *bytes, pw_error *error);

/* Asks a part, wherever it is; the caller frees *answer, which is NULL after a failure. */
pw_status parted_ask(struct parted *parted, const struct part_command *command, const void *bytes, void **answer,
                     pw_error *error);

/* ---- parted_read.c ---- */

/* The answer to what parted_say said, of *size bytes; a part of this process does it now. */
pw_status parted_take(struct parted *parted, const struct part_command *command, const void *bytes, void **answer,
                      size_t *size, pw_error *error);

pw_status parted_sum_energy(struct parted *parted, int run, double *energy, pw_error *error);

/* (steps done, probe_count) */
pw_status parted_gather_probes(struct parted *parted, int run, double *values, pw_error *error);

/* Lattice rows of the whole, as stepper_read_spectra and stepper_read_samples. */
struct rows_read {
    enum part_verb verb;
    int run, row_first, row_count;
};
pw_status parted_gather_rows(struct parted *parted, const struct rows_read *read, double *out, pw_error *error);

/* Step, spectra and samples of a loaded state to a part; the probes' history stays with the whole. */
pw_status parted_load_records(struct parted *parted, int run, int part, const struct run_state *from, pw_error *error);
pw_status parted_keep_history(struct parted *parted, int run, const struct run_state *from, pw_error *error);
