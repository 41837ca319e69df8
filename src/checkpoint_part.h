/* The arrays of a run as a checkpoint holds them: rows of values. Fields (ny, nx), filters of the absorber, probes (step, probe),
 * running spectra (lattice row; frequency, column, re/im). Private to checkpoint_file.c. */
#ifndef CHECKPOINT_PART_H
#define CHECKPOINT_PART_H

#include "result_hdf5.h"
#include "simulation.h"

/* One array of a run: of a snapshot, or, with `array` NULL, the running spectra, which go through the backend by rows. */
struct part {
    const char *name;
    double *array; /* (rows, width) */
    int64_t rows;
    size_t width;
};

enum { PART_LIMIT = 8 };

/* What a snapshot consists of, in order; recordings alone when `finished`. The number of parts. */
int checkpoint_parts_list(const struct problem *problem, const struct snapshot *snapshot, bool finished,
                          struct part parts[PART_LIMIT]);

/* Writes a part of run `run` into a group. */
pw_status checkpoint_part_write(hid_t group, const struct part *part, const struct simulation *simulation, int run,
                                pw_error *error);

/* Reads it back into the snapshot. PW_BAD_INPUT when type, shape or checksum is not what it was written with. */
pw_status checkpoint_part_read(hid_t group, const struct part *part, const struct problem *problem, uint64_t file_bytes,
                               struct snapshot *snapshot, pw_error *error);

#endif
