/* Checked HDF5 calls that read files which may be damaged or foreign. Every failure is PW_BAD_INPUT, with HDF5's own
 * reason, except for want of memory. */
#pragma once

#include "base/file/hdf5_common.h"
#include "base/names.h"

/* ---- attributes ---- */

/* The caller frees *text. */
pw_status hdf5_read_text(hid_t object, const char *name, char **text, pw_error *error);
/* `count` finite numbers; 0 stands for one number, written as a scalar or as an array of one. */
pw_status hdf5_read_numbers(hid_t object, const char *name, double *values, size_t count, pw_error *error);
pw_status hdf5_read_integer(hid_t object, const char *name, int64_t minimum, int64_t maximum, int64_t *value,
                            pw_error *error);

/* True when the member or the attribute exists. */
bool hdf5_member_exists(hid_t parent, const char *name);
bool hdf5_attribute_exists(hid_t object, const char *name);

/* ---- groups and datasets ---- */

hid_t hdf5_group_open(hid_t parent, const char *name, pw_error *error);

enum element { ELEMENT_REAL, ELEMENT_INTEGER, ELEMENT_COMPLEX, ELEMENT_OTHER };

/* Opens a dataset and checks its kind, its rank, and that a file of `file_bytes` bytes can hold its extents (for a
 * deflated dataset, with the largest factor that deflate can reach). H5I_INVALID_HID with a message otherwise. */
hid_t hdf5_dataset_open(hid_t parent, const char *name, enum element element, int rank, uint64_t file_bytes,
                        hsize_t *extent, pw_error *error);

/* The check of extents alone, for a dataset of any kind with elements of `size` bytes. */
pw_status hdf5_extent_check(hid_t dataset, const char *name, int rank, const hsize_t *extent, size_t size,
                            uint64_t file_bytes, pw_error *error);

/* Reads a block of an open dataset (of any rank, scalars too) as a type in memory. */
pw_status hdf5_block_read_as(hid_t dataset, const char *name, const hsize_t *start, const hsize_t *count, hid_t type,
                             void *out, pw_error *error);
/* Reads a block of an open dataset, converted to doubles (interleaved when complex). */
pw_status hdf5_block_read(hid_t dataset, const char *name, const hsize_t *start, const hsize_t *count, bool is_complex,
                          double *out, pw_error *error);

/* Names of the members of a group in the order of their creation, or in alphabetical order when the file does not keep
 * that: (count) strings, each of NAME_SIZE bytes, owned by the caller. Longer names and more than `limit` members are
 * refused. */
pw_status hdf5_group_names(hid_t group, int limit, char (**names)[NAME_SIZE], int *count, pw_error *error);

/* Returns from the calling function when a group or a dataset could not be opened. */
#define TRY_OPEN(id) TRY((id) >= 0 ? PW_OK : PW_BAD_INPUT)
