/* Folders: of results, made with those above them and removed again when nothing came into them; and temporary ones, in
 * TMPDIR or else /tmp, which the next process removes where theirs was killed. */
#pragma once

#include "base/status.h"

#include <limits.h>

/* pw_folder_make and pw_folder_unmake (api/support.h). */
pw_status folders_make(const char *path, int *made, pw_error *error);
void folders_unmake(const char *path, int made);

/* The folder that the path names a file in, "." for a bare name; the caller frees it. NULL: there is no memory. */
char *path_folder(const char *path, pw_error *error);

struct temporary_folder {
    char path[PATH_MAX]; /* "" : there is none */
    int lock;            /* descriptor; held as long as the folder is used */
};

/* pw_temporary_folder_make and pw_temporary_folder_remove (api/support.h). */
pw_status temporary_folder_make(char *path, size_t size, int *lock, const char *kind, const char *purpose,
                                pw_error *error);
void temporary_folder_remove(char *path, int *lock);
