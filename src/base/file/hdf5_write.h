/* Checked HDF5 calls that write. Every failure is PW_NO_RESOURCE, with HDF5's own reason. */
#pragma once

#include "base/file/hdf5_common.h"

/* ---- attributes ---- */

/* Variable-length UTF-8. */
pw_status hdf5_write_text(hid_t object, const char *name, const char *text, pw_error *error);
/* One string of fixed length. */
pw_status hdf5_write_fixed_text(hid_t object, const char *name, const char *text, pw_error *error);
/* An array of `count` texts; without any, no attribute. */
pw_status hdf5_write_texts(hid_t object, const char *name, char *const *texts, size_t count, pw_error *error);
pw_status hdf5_write_number(hid_t object, const char *name, double value, pw_error *error);
/* An array of `count` numbers. */
pw_status hdf5_write_numbers(hid_t object, const char *name, const double *values, size_t count, pw_error *error);
pw_status hdf5_write_integer(hid_t object, const char *name, int64_t value, pw_error *error);

/* ---- groups and datasets ---- */

/* A group that keeps the order in which its members were made, or H5I_INVALID_HID with a message. */
hid_t hdf5_group_create(hid_t parent, const char *name, pw_error *error);

/* The shape of a dataset and its place in the file. */
struct layout {
    const char *name, *units, *long_name;
    hid_t type; /* in the file */
    int rank;
    hsize_t extent[7];
    hsize_t chunk[3]; /* all 0: contiguous; for ranks up to 3 */
    bool compress;    /* deflate; needs chunks */
    bool at_once;     /* the file has room for all of it from the start */
};

/* Of `count` doubles, contiguous. */
struct layout layout_of_row(const char *name, const char *units, const char *long_name, size_t count);

/* Creates the dataset, or returns H5I_INVALID_HID with a message. */
hid_t hdf5_dataset_create(hid_t parent, const struct layout *layout, pw_error *error);
/* Creates the dataset, writes all `values` (of `memory_type`) and closes it. */
pw_status hdf5_dataset_write(hid_t parent, const struct layout *layout, hid_t memory_type, const void *values,
                             pw_error *error);
/* Closes a dataset that was written by hand, which may fail: then PW_NO_RESOURCE, unless `status` is a failure. */
pw_status hdf5_dataset_close(hid_t dataset, const char *name, pw_status status, pw_error *error);
/* Writes a block of a dataset of any rank up to 3. */
pw_status hdf5_block_write(hid_t dataset, const hsize_t *start, const hsize_t *count, hid_t memory_type,
                           const void *values, pw_error *error);
/* Makes `scale` (in `parent`) a dimension scale and attaches it to dimension `dimension` of `dataset`. */
pw_status hdf5_scale_attach(hid_t dataset, unsigned dimension, hid_t parent, const char *scale, pw_error *error);
/* The same for the first dimension of the dataset `name` in `group`. */
pw_status hdf5_scale_attach_to(hid_t group, const char *name, hid_t parent, const char *scale, pw_error *error);
