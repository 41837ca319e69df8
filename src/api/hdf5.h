/* HDF5 files that applications write beside results. HDF5's own identifiers (hid_t) are int64_t here. Every failure
 * carries HDF5's own reason. */
#ifndef PLANWAVE_HDF5_H
#define PLANWAVE_HDF5_H

#include "api/base.h"

PW_C_BEGIN

/* Makes the file and has `write` fill it; it appears whole or not at all, also where the disk is full. It may hold
 * virtual datasets (the format of HDF5 1.10), and replaces one that is there. HDF5 prints nothing meanwhile. */
pw_status pw_hdf5_write_file(const char *path, pw_status (*write)(int64_t file, const void *user, pw_error *error),
                             const void *user, pw_error *error);

/* pw_fail with HDF5's innermost message appended: call it right after the call that failed. */
__attribute__((format(printf, 3, 4))) pw_status pw_hdf5_fail(pw_error *error, pw_status status, const char *format,
                                                             ...);

/* HDF5 is not to be called from two threads. pw_run and pw_variants_solve hold this lock while they read and write
 * files; whoever reads results in other threads meanwhile takes it around that. A thread may take it several times.
 * False: it was not free within `seconds` (INFINITY: waits for it). */
bool pw_hdf5_lock(double seconds);
void pw_hdf5_unlock(void);

/* Attributes: UTF-8 of any length, which of a text that is read the caller frees; and a number. */
pw_status pw_hdf5_read_text(int64_t object, const char *name, char **text, pw_error *error);
pw_status pw_hdf5_write_text(int64_t object, const char *name, const char *text, pw_error *error);
pw_status pw_hdf5_write_integer(int64_t object, const char *name, int64_t value, pw_error *error);

/* A group that keeps the order in which its members were made; negative with a message. */
int64_t pw_hdf5_group_create(int64_t parent, const char *name, pw_error *error);
/* Makes `scale`, a member of `parent`, a dimension scale and attaches it to dimension `dimension` of `dataset`. */
pw_status pw_hdf5_scale_attach(int64_t dataset, uint32_t dimension, int64_t parent, const char *scale, pw_error *error);
/* The type {r, i} of complex numbers, as results have it, of two `real`; negative on failure. */
int64_t pw_hdf5_complex_type(int64_t real);
/* Closes what the identifier stands for, unless it is negative: of PW_OWNED_ID. */
void pw_hdf5_release(const int64_t *id);

PW_C_END

/* Before a local identifier of a group, a dataset, a space, a type, a list or a file that is read: it is closed where
 * its scope ends. What is written in large blocks is closed by hand, since that may fail. */
#define PW_OWNED_ID __attribute__((cleanup(pw_hdf5_release)))
#endif
