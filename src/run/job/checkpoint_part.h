/* The arrays of a run state as a checkpoint holds them: rows of values. Fields (ny, nx), filters of the absorber,
 * probes (step, probe), running spectra (lattice row; frequency, column, re/im), samples that wait (lattice row;
 * sample, column). Private to checkpoint_file.c. */
#pragma once

#include "base/file/hdf5_common.h"
#include "run/simulation.h"

/* One array of a run state, (planes, rows, width). Where `array` is NULL it is written straight from the solver, and
 * read straight into it, some rows at a time: of spectra and samples by `read`, of the rest by stepper_rows. */
struct part {
    const char *name;
    double *array;
    int64_t rows;
    size_t width, planes;
    pw_status (*read)(struct stepper *stepper, int run, int row_first, int row_count, double *out, pw_error *error);
    int number; /* enum state_array, of fields, filters, edges and poles; else PART_RECORD or PART_SERIES */
};
enum { PART_RECORD = -1, PART_SERIES = -2 /* in double whatever the precision of the run */ };

enum { PART_LIMIT = 32 };

/* The parts of a run state in the order of the file; of a finished run only what it recorded. Returns how many. */
int checkpoint_parts_list(const struct setup *setup, const struct run_state *state, bool finished,
                          struct part parts[PART_LIMIT]);

/* Writes a part of run `run` into an HDF5 group. */
pw_status checkpoint_part_write(hid_t group, const struct part *part, const struct simulation *simulation, int run,
                                pw_error *error);

/* Reads a part back into its array, or into run `run`. PW_BAD_INPUT when its type, shape or checksum differs from what
 * was written. */
pw_status checkpoint_part_read(hid_t group, const struct part *part, const struct simulation *simulation, int run,
                               uint64_t file_bytes, pw_error *error);

/* The looks at the energy of one run. A checkpoint without them is read as well: its history begins anew. */
pw_status checkpoint_history_write(hid_t group, const struct energy_history *history, pw_error *error);
pw_status checkpoint_history_read(hid_t group, uint64_t file_bytes, struct energy_history *history, pw_error *error);
