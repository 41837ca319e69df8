/* Files on disk. A file that is written appears whole or not at all: it gets a temporary name in its folder, is synced
 * and renamed. A file that is read may be anything that a user names. */
#pragma once

#include "base/status.h"

#include <stdio.h>

/* Opens a temporary file that disk_finish will name `path`; NULL with the message of PW_NO_RESOURCE on failure. */
FILE *disk_create(const char *path, pw_error *error);
/* Closes the file and gives it its name. When that fails, or an earlier write had failed, the temporary file is removed
 * and `path` is as it was. */
pw_status disk_finish(FILE *file, const char *path, pw_error *error);
/* The same where `status`, of what was to fill the file, is PW_OK. Else removes the temporary file and returns it. */
pw_status disk_conclude(FILE *file, const char *path, pw_status status, pw_error *error);

/* "path.partial-PID", the caller's to free; NULL for want of memory. */
char *disk_temporary_name(const char *path);

/* Syncs `temporary` and gives it the name `path`. On failure `path` is as it was. */
pw_status disk_rename(const char *temporary, const char *path, pw_error *error);

/* disk_rename, and then a sync of the folder, so that the name survives a power cut as well. When that sync fails the
 * file has its name already. */
pw_status disk_publish(const char *temporary, const char *path, pw_error *error);

/* Removes temporary files of `path` whose writers were killed: their process no longer exists, and nobody holds a lock
 * on them. disk_finish and disk_rename do it too, once `path` is there. */
void disk_remove_stale(const char *path);

/* What pw_files_watch() was given says of a file that is about to be read. Whoever opens a file otherwise than by
 * input_file_open asks this before. */
pw_status input_file_look(const char *path, pw_error *error);

/* Opens `path` for reading. NULL with the message of PW_BAD_INPUT when it is missing, unreadable or not a regular file:
 * reading a pipe could block for ever. */
FILE *input_file_open(const char *path, pw_error *error);

/* pw_file_read (api/support.h) of an open file, a pipe too, which it closes. */
pw_status input_file_load(FILE *file, const char *path, size_t most, char **bytes, size_t *size, pw_error *error);
