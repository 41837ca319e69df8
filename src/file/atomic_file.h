/* How a file of ours comes into being, whole or not at all: under a temporary name in its folder, synced, renamed. */
#ifndef DISK_H
#define DISK_H

#include "base/status.h"

#include <stdio.h>

/* Opens a text or binary file that shall get the name `path`; NULL with PW_NO_RESOURCE's message on failure. */
FILE *disk_create(const char *path, pw_error *error);
/* Closes it and gives it its name. On any failure, of an earlier write too, nothing is left of it and `path` is as it
 * was. */
pw_status disk_finish(FILE *file, const char *path, pw_error *error);

/* "path.partial-PID", the caller's to free; NULL for want of memory. */
char *disk_temporary_name(const char *path);

/* Syncs `temporary` and gives it the name `path`. On failure `path` is as it was. */
pw_status disk_rename(const char *temporary, const char *path, pw_error *error);

/* The same, and then syncs the folder, so that the name is safe too; when that fails, the file is there already. */
pw_status disk_publish(const char *temporary, const char *path, pw_error *error);

/* Removes temporary files of `path` whose writers were killed: processes that are gone and hold no lock. */
void disk_remove_stale(const char *path);

#endif
