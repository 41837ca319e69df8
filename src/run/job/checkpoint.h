/* Checkpoints: the exact states of runs on disk, so that a job can be killed and later resumed to the same bits. Beside
 * the result `out.h5` stand
 *
 *     out.h5.checkpoint     the ensemble of transmitters being solved, newest; out.h5.checkpoint.1 the one before
 *     out.h5.checkpoint-N   the one that begins with transmitter N (from 0), where several are solved at a time, each
 *                           on a device of its own; out.h5.checkpoint-N.1
 *     out.h5.finished-N     what finished transmitter N (from 0) recorded, until the result holds it
 *
 * Each is an HDF5 file behind a block of 512 bytes that states its length and the CRC-32 of everything after the block,
 * so that damage is found before HDF5 sees a byte of the file. Each dataset carries a CRC-32 of its own. Files are
 * written under a temporary name, synced and renamed. Any backend may resume what another one left (struct run_state);
 * scenario, version and precision must agree. */
#pragma once

#include "run/simulation.h"

enum { CHECKPOINT_FORMAT_VERSION = 3 };

struct checkpoint_store {
    const struct setup *setup; /* borrowed */
    char *newest, *older;      /* paths, owned */
    char *result;              /* path of the result, owned */
    bool newest_is_bad;        /* damaged: the next write must not move it over a good older one */
};

/* What a checkpoint holds. */
struct checkpoint {
    const char *path; /* borrowed from the store, or NULL: none */
    int first, count; /* transmitters */
    int64_t step;
    double seconds;       /* spent stepping */
    char stop_reason[32]; /* "": not finished */
};

/* Tells the user of something that is no reason to end the run. */
typedef void (*checkpoint_note)(const char *message, void *user);

pw_status checkpoint_store_create(const char *result_path, const struct setup *setup, struct checkpoint_store **store,
                                  pw_error *error);
/* For the ensemble that begins with that transmitter, apart from the others of the same run. */
pw_status checkpoint_store_apart(const struct checkpoint_store *store, int transmitter, struct checkpoint_store **apart,
                                 pw_error *error);
void checkpoint_store_free(struct checkpoint_store *store);

/* Whether runs into `result_path` of that many transmitters, or more, have left any of the files above, good or not. */
bool checkpoint_exists(const char *result_path, int transmitters);
/* Whether some of them are a run's of more. */
bool checkpoint_of_more(const char *result_path, int transmitters);
/* Whether the ensemble that begins with that transmitter has files apart, good or not. */
bool checkpoint_begins(const struct checkpoint_store *store, int transmitter);

/* Writes the states of a simulation's runs as the newest generation. PW_NO_RESOURCE when that fails; then the files are
 * as they were. */
pw_status checkpoint_write(struct checkpoint_store *store, const struct simulation *simulation, pw_error *error);
/* Writes what the finished transmitters of a simulation recorded, one file for each. */
pw_status checkpoint_write_finished(struct checkpoint_store *store, const struct simulation *simulation,
                                    pw_error *error);
/* About how many bytes a checkpoint of `count` transmitters takes. */
double checkpoint_bytes(const struct setup *setup, int count);

/* Finds the newest generation that is whole; `found->path` is NULL when there is none. A damaged file is reported to
 * `note` and passed over. PW_BAD_INPUT when a file belongs to another scenario, version or precision. */
pw_status checkpoint_find(struct checkpoint_store *store, checkpoint_note note, void *user, struct checkpoint *found,
                          pw_error *error);
/* Finds whether finished transmitter `transmitter` has a file that is whole, with the same notes and failures. */
pw_status checkpoint_find_finished(struct checkpoint_store *store, int transmitter, checkpoint_note note, void *user,
                                   bool *there, pw_error *error);

/* Puts a simulation of the same transmitters, not yet advanced, into the state of the checkpoint. */
pw_status checkpoint_load(struct checkpoint_store *store, const struct checkpoint *checkpoint,
                          struct simulation *simulation, pw_error *error);
/* Loads a finished transmitter into a simulation of that transmitter alone, which is finished after this. */
pw_status checkpoint_load_finished(struct checkpoint_store *store, int transmitter, struct simulation *simulation,
                                   pw_error *error);

/* Removes every checkpoint of runs into `result_path`, with that many transmitters or more. */
void checkpoint_remove(const char *result_path, int transmitters);

/* ---- one file (checkpoint_file.c) ---- */

/* Writes runs first_run .. first_run+count-1: their whole states, or what they recorded when they are `finished`. */
pw_status checkpoint_file_write(const struct checkpoint_store *store, const char *path,
                                const struct simulation *simulation, int first_run, int count, bool finished,
                                pw_error *error);

enum checkpoint_verdict {
    CHECKPOINT_ABSENT,
    CHECKPOINT_GOOD,
    CHECKPOINT_DAMAGED,   /* another generation may be whole; *error says what is wrong */
    CHECKPOINT_REFUSED,   /* it belongs to something else; *error says to what */
    CHECKPOINT_NO_MEMORY, /* it could not be checked; it may well be good */
};

/* Checks the whole file and reads everything but the arrays. */
enum checkpoint_verdict checkpoint_file_check(const struct checkpoint_store *store, const char *path,
                                              struct checkpoint *found, pw_error *error);
pw_status checkpoint_file_load(const struct checkpoint_store *store, const char *path, struct simulation *simulation,
                               pw_error *error);

/* The block before HDF5's part, for a file of `bytes` bytes, the block included, and the CRC-32 of the bytes after the
 * block. */
#define CHECKPOINT_MAGIC "planwave checkpoint"
enum { CHECKPOINT_BLOCK = 512 };
void checkpoint_block(uint64_t bytes, uint32_t checksum, char block[CHECKPOINT_BLOCK]);
/* Reads the finished file back and writes its block, so that the checksum vouches for the bytes on the disk. */
pw_status checkpoint_seal(const char *path, pw_error *error);
enum checkpoint_verdict checkpoint_seal_check(int descriptor, pw_error *error);
