/* The file driver under the writer of results. HDF5 cannot live with a failed write: it tries again on closing, fails
 * again, and crashes when the process ends. This driver never fails it. It notes the first error and lets everything
 * after it go nowhere; the writer looks at the note. Private to the writers of results and checkpoints. */
#ifndef RESULT_DISK_H
#define RESULT_DISK_H

#include "base/status.h"

#include <hdf5.h>

/* Where the driver notes the first failed call; must outlive the file. */
struct disk_note {
    int failure;      /* errno, 0: none */
    const char *call; /* "write", "truncate", "close" */
};

/* Registers the driver and puts it into a file access list; the identifier is for H5FDunregister after the file is
 * closed. Negative on failure. */
hid_t disk_driver(hid_t access_list, struct disk_note *note);

/* A new HDF5 file on this driver, with `user_block` bytes (0, or 512 and its doubles) before HDF5's own; *driver as
 * above. Negative after a failure, with PW_NO_RESOURCE's message. The file is locked while it is open, so that others
 * see that somebody writes it. */
hid_t disk_file_create(const char *path, hsize_t user_block, struct disk_note *note, hid_t *driver, pw_error *error);

/* Makes such a file, has `write` fill it, and closes it. A call that the disk refused is the failure that counts. */
typedef pw_status (*disk_file_writer)(hid_t file, const void *user, pw_error *error);
pw_status disk_file_write(const char *path, hsize_t user_block, disk_file_writer write, const void *user,
                          pw_error *error);

#endif
