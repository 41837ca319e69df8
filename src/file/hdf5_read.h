/* What a result file calls things, and the checked HDF5 calls that its writer, reader, printer and comparer share.
 * Private to those four; everybody else goes through result.h. */
#ifndef RESULT_HDF5_H
#define RESULT_HDF5_H

#include "scenario/scenario.h"

#include <hdf5.h>

#define RESULT_PROGRAM           "planwave"
#define RESULT_MATERIAL_REVISION "ITU-R P.2040-3"
#define RESULT_TIME_CONVENTION   "exp(+jwt)"

enum { RESULT_FORMAT_VERSION = 1 };

/* ---- errors ---- */

/* Switches off HDF5's printing on stderr; hand the value back to hdf5_restore before returning to the caller. */
struct hdf5_silence {
    H5E_auto2_t function;
    void *data;
};
struct hdf5_silence hdf5_silence(void);
void hdf5_restore(struct hdf5_silence silence);

/* fail() with HDF5's innermost message appended: to be called right after the call that failed. */
__attribute__((format(printf, 3, 4))) pw_status hdf5_fail(pw_error *error, pw_status status, const char *format, ...);

/* Puts "path: " before the message of a failed status, and passes the status on. */
pw_status hdf5_name_file(pw_error *error, pw_status status, const char *path);

/* ---- writing; every failure is PW_NO_RESOURCE ---- */

pw_status hdf5_write_text(hid_t object, const char *name, const char *text, pw_error *error);
/* The same as one string of fixed length. */
pw_status hdf5_write_fixed_text(hid_t object, const char *name, const char *text, pw_error *error);
pw_status hdf5_write_texts(hid_t object, const char *name, char *const *texts, size_t count, pw_error *error);
pw_status hdf5_write_number(hid_t object, const char *name, double value, pw_error *error);
pw_status hdf5_write_numbers(hid_t object, const char *name, const double *values, size_t count, pw_error *error);
pw_status hdf5_write_integer(hid_t object, const char *name, int64_t value, pw_error *error);

/* A group that keeps the order in which its members were made, or H5I_INVALID_HID with a message. */
hid_t hdf5_group_create(hid_t parent, const char *name, pw_error *error);

/* What a dataset looks like. */
struct layout {
    const char *name, *units, *long_name;
    hid_t type; /* in the file */
    int rank;
    hsize_t extent[3];
    hsize_t chunk[3]; /* all 0: contiguous */
    bool compress;    /* deflate; needs chunks */
};

/* Creates the dataset, or returns H5I_INVALID_HID with a message. */
hid_t hdf5_dataset_create(hid_t parent, const struct layout *layout, pw_error *error);
/* Creates, writes all `values` (of `memory_type`) and closes. */
pw_status hdf5_dataset_write(hid_t parent, const struct layout *layout, hid_t memory_type, const void *values,
                             pw_error *error);
/* Writes a block of a dataset of any rank up to 3. */
pw_status hdf5_block_write(hid_t dataset, const hsize_t *start, const hsize_t *count, hid_t memory_type,
                           const void *values, pw_error *error);
/* Makes `scale` (in `parent`) a dimension scale and attaches it to dimension `dimension` of `dataset`. */
pw_status hdf5_scale_attach(hid_t dataset, unsigned dimension, hid_t parent, const char *scale, pw_error *error);

/* Complex {r, i} of two `real`; close with H5Tclose. Negative on failure. */
hid_t hdf5_complex_type(hid_t real);

/* ---- reading; every failure is PW_BAD_INPUT, except for want of memory ---- */

/* The caller frees *text. */
pw_status hdf5_read_text(hid_t object, const char *name, char **text, pw_error *error);
/* Finite numbers only. */
pw_status hdf5_read_numbers(hid_t object, const char *name, double *values, size_t count, pw_error *error);
pw_status hdf5_read_integer(hid_t object, const char *name, int64_t minimum, int64_t maximum, int64_t *value,
                            pw_error *error);

/* The first value of that name in a summary (lines "name<tab>value"), not terminated, or NULL; call again with what
 * follows for more. */
const char *summary_find(const char *summary, const char *name, size_t *length);

/* Opens `path` for reading and checks that it is HDF5, ours and of a known format; *file is negative after a failure.
 */
pw_status result_file_open(const char *path, hid_t *file, uint64_t *file_bytes, pw_error *error);

/* True when the member or attribute is there. */
bool hdf5_member_exists(hid_t parent, const char *name);
bool hdf5_attribute_exists(hid_t object, const char *name);

hid_t hdf5_group_open(hid_t parent, const char *name, pw_error *error);

enum element { ELEMENT_REAL, ELEMENT_INTEGER, ELEMENT_COMPLEX, ELEMENT_OTHER };
enum element hdf5_element_of(hid_t type);

/* Opens a dataset and checks its kind and rank, and that its extents can be stored in a file of `file_bytes` (a
 * deflated one, with the largest factor that deflate can reach). H5I_INVALID_HID with a message when it is not so. */
hid_t hdf5_dataset_open(hid_t parent, const char *name, enum element element, int rank, uint64_t file_bytes,
                        hsize_t *extent, pw_error *error);

/* The same check of extents alone, for a dataset of any kind with elements of `size` bytes. */
pw_status hdf5_extent_check(hid_t dataset, const char *name, int rank, const hsize_t *extent, size_t size,
                            uint64_t file_bytes, pw_error *error);

/* Reads a block of an open dataset (of any rank, scalars too) as a type in memory. */
pw_status hdf5_block_read_as(hid_t dataset, const char *name, const hsize_t *start, const hsize_t *count, hid_t type,
                             void *out, pw_error *error);
/* Reads a block of an open dataset, converted to doubles (interleaved when complex). */
pw_status hdf5_block_read(hid_t dataset, const char *name, const hsize_t *start, const hsize_t *count, bool is_complex,
                          double *out, pw_error *error);

/* Names of the members of a group in order of creation (of name, when the file does not keep that order): (count)
 * strings, each of NAME_SIZE bytes, owned by the caller. Longer names and more than `limit` members are refused. */
pw_status hdf5_group_names(hid_t group, int limit, char (**names)[NAME_SIZE], int *count, pw_error *error);

#endif
