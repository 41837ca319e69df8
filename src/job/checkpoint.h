/* Checkpoints: the exact state of a run on disk, so that it can be killed and go on to the same bits. Beside the result
 * `out.h5` stand
 *
 *     out.h5.checkpoint     the group of transmitters being solved, newest; out.h5.checkpoint.1 the one before
 *     out.h5.finished-N     what finished transmitter N (from 0) recorded, until the result holds it
 *
 * Each is an HDF5 file after a block of 512 bytes that states its length and the CRC-32 of everything behind: damage is
 * found before HDF5 sees a byte of it. Each dataset carries a CRC-32 of its own. Written under a temporary name,
 * synced, renamed. Any backend may go on with what another left (struct run_state); scenario, version and precision
 * must agree. */
#ifndef CHECKPOINT_H
#define CHECKPOINT_H

#include "run/simulation.h"

enum { CHECKPOINT_FORMAT_VERSION = 3 };

struct checkpoint_store {
    const struct setup *setup; /* borrowed */
    char *newest, *older;      /* paths, owned */
    char *result;              /* path of the result, owned */
    uint64_t fingerprint;      /* of everything that decides the bits */
    bool newest_is_bad;        /* the next write must not push it over a good older one */
};

/* What a checkpoint holds. */
struct checkpoint {
    const char *path; /* borrowed from the store, or NULL: none */
    int first, count; /* transmitters */
    int64_t step;
    double seconds;       /* spent stepping */
    char stop_reason[32]; /* "": not finished */
};

/* Says something about a run that is no reason to end it. */
typedef void (*checkpoint_note)(const char *message, void *user);

/* Reads the medium and the signals once, for the fingerprint. */
pw_status checkpoint_store_create(const char *result_path, const struct setup *setup, struct checkpoint_store **store,
                                  pw_error *error);
void checkpoint_store_free(struct checkpoint_store *store);

/* True when a file of either generation or of a finished transmitter is there, good or not. */
bool checkpoint_exists(const struct checkpoint_store *store);

/* Writes the state of a simulation as the newest generation. PW_NO_RESOURCE, with everything as before, when that
 * fails. */
pw_status checkpoint_write(struct checkpoint_store *store, const struct simulation *simulation, pw_error *error);
/* Writes what the finished transmitters of a simulation recorded, a file for each. */
pw_status checkpoint_write_finished(struct checkpoint_store *store, const struct simulation *simulation,
                                    pw_error *error);
/* The bytes of one of them: about. */
double checkpoint_bytes(const struct setup *setup, int count);

/* The newest generation that is whole; `found->path` is NULL when there is none. Damaged ones are told to `note` and
 * passed over. PW_BAD_INPUT when it belongs to another scenario, version or precision. */
pw_status checkpoint_find(struct checkpoint_store *store, checkpoint_note note, void *user, struct checkpoint *found,
                          pw_error *error);
/* The same for finished transmitter `transmitter`; `found->path` stays NULL (checkpoint_load_finished knows the name).
 */
pw_status checkpoint_find_finished(struct checkpoint_store *store, int transmitter, checkpoint_note note, void *user,
                                   bool *there, pw_error *error);

/* Puts a simulation of the same transmitters, not yet advanced, into the state of the checkpoint. */
pw_status checkpoint_load(struct checkpoint_store *store, const struct checkpoint *checkpoint,
                          struct simulation *simulation, pw_error *error);
/* A simulation of transmitter `transmitter` alone is finished after this. */
pw_status checkpoint_load_finished(struct checkpoint_store *store, int transmitter, struct simulation *simulation,
                                   pw_error *error);

/* Removes every checkpoint of a run into `result_path` with that many transmitters. */
void checkpoint_remove(const char *result_path, int transmitters);

/* ---- one file (checkpoint_file.c) ---- */

/* Writes runs first_run .. first_run+count-1; the fields too unless `finished`. */
pw_status checkpoint_file_write(const struct checkpoint_store *store, const char *path,
                                const struct simulation *simulation, int first_run, int count, bool finished,
                                pw_error *error);

enum checkpoint_verdict {
    CHECKPOINT_ABSENT,
    CHECKPOINT_GOOD,
    CHECKPOINT_DAMAGED,   /* another generation may help; *error says what is wrong */
    CHECKPOINT_REFUSED,   /* of something else; *error says of what */
    CHECKPOINT_NO_MEMORY, /* to look at it; it may well be good */
};

/* Checks the whole file and reads what it holds, all but the arrays. */
enum checkpoint_verdict checkpoint_file_check(const struct checkpoint_store *store, const char *path,
                                              struct checkpoint *found, pw_error *error);
pw_status checkpoint_file_load(const struct checkpoint_store *store, const char *path, struct simulation *simulation,
                               pw_error *error);

/* The block before HDF5's part, for a file of `bytes` bytes (the block included) with this CRC-32 of what follows the
 * block. */
enum { CHECKPOINT_BLOCK = 512 };
void checkpoint_block(uint64_t bytes, uint32_t checksum, char block[CHECKPOINT_BLOCK]);

#endif
