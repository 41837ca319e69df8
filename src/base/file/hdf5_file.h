/* The file driver under every HDF5 file that is written here. HDF5 does not survive a failed write: it tries again when
 * the file is closed, fails again, and crashes when the process ends. This driver never reports a failure to HDF5. It
 * notes the first error and discards everything written after it; the writer looks at the note. */
#pragma once

#include "base/status.h"

#include <hdf5.h>

/* The first call that failed, as the driver noted it; must outlive the file. */
struct disk_note {
    int failure;      /* errno, 0: none */
    const char *call; /* "write", "truncate", "close" */
};

/* The newest format that a file may have parts of: 1.8, which every reader of the last ten years knows, or 1.10, which
 * virtual datasets need. */
enum disk_format { DISK_FORMAT_1_8, DISK_FORMAT_1_10 };

/* A new HDF5 file on this driver, with `user_block` bytes (0, 512, 1024, 2048, ...) before HDF5's own; *driver as
 * above. Negative after a failure, with the message of PW_NO_RESOURCE. The file is locked while it is open, so that
 * other processes see that it is being written. */
hid_t disk_file_create(const char *path, hsize_t user_block, enum disk_format format, struct disk_note *note,
                       hid_t *driver, pw_error *error);

/* Makes such a file, has `write` fill it, and closes it. When the disk refused a call, the message is about that call.
 */
typedef pw_status (*disk_file_writer)(hid_t file, const void *user, pw_error *error);
pw_status disk_file_write(const char *path, hsize_t user_block, disk_file_writer write, const void *user,
                          pw_error *error);

/* The same with the name `path` for the file when it is whole, which `publish` gives it: disk_publish, or disk_rename
 * where nothing may fail once the name is there. After a failure before that `path` is as it was. */
typedef pw_status (*disk_publisher)(const char *temporary, const char *path, pw_error *error);
pw_status disk_file_publish(const char *path, enum disk_format format, disk_publisher publish, disk_file_writer write,
                            const void *user, pw_error *error);
