/* What the writers and the readers of HDF5 files share: error messages that carry HDF5's own reason, and two helpers.
 */
#pragma once

#include "api/hdf5.h"
#include "base/status.h"

#include <hdf5.h>

/* Switches off HDF5's printing on stderr till the scope ends. */
#define HDF5_SILENCE OWNED_BY(hdf5_restore) struct hdf5_silence silence = hdf5_silence()
struct hdf5_silence {
    H5E_auto2_t function;
    void *data;
};
struct hdf5_silence hdf5_silence(void);
void hdf5_restore(const struct hdf5_silence *silence);

/* fail() with HDF5's innermost message appended: call it right after the call that failed. */
__attribute__((format(printf, 3, 4))) pw_status hdf5_fail(pw_error *error, pw_status status, const char *format, ...);

/* Puts "path: " before the message of a failed status, and passes the status on. */
pw_status hdf5_name_file(pw_error *error, pw_status status, const char *path);

/* Complex {r, i} of two `real`; close with H5Tclose. Negative on failure. */
hid_t hdf5_complex_type(hid_t real);

/* The selected block of a dataset's space, and a memory space of the same shape; close both with H5Sclose. False on
 * failure. */
bool hdf5_block_spaces(hid_t dataset, const hsize_t *start, const hsize_t *count, hid_t *file_space,
                       hid_t *memory_space);

#define OWNED_ID PW_OWNED_ID
