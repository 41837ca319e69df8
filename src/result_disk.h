/* The file driver under the writer of results. HDF5 cannot live with a failed write: it tries again on closing, fails again, and
 * crashes when the process ends. This driver never fails it. It notes the first error and lets everything after it go nowhere; the
 * writer looks at the note. Private to result_write.c. */
#ifndef RESULT_DISK_H
#define RESULT_DISK_H

#include <hdf5.h>

/* Where the driver notes the first failed call; must outlive the file. */
struct disk_note {
    int failure; /* errno, 0: none */
    const char *call; /* "write", "truncate", "close" */
};

/* Registers the driver and puts it into a file access list; the identifier is for H5FDunregister after the file is closed.
 * Negative on failure. */
hid_t disk_driver(hid_t access_list, struct disk_note *note);

#endif
