/* Folders: of results, made with those above them and removed again when nothing came into them; and temporary ones, in
 * TMPDIR or else /tmp, which the next process removes where theirs was killed. */
#ifndef FOLDER_H
#define FOLDER_H

#include "base/status.h"

#include <limits.h>

/* pw_folder_make and pw_folder_unmake (api/support.h). */
pw_status folders_make(const char *path, int *made, pw_error *error);
void folders_unmake(const char *path, int made);

struct temporary_folder {
    char path[PATH_MAX]; /* "" : there is none */
    int lock;            /* descriptor; held as long as the folder is used */
};

/* "TMPDIR/planwave-KIND-XXXXXX"; `purpose` is for the message of PW_NO_RESOURCE. Folders of the same kind and user that
 * nobody holds any more are removed, with the files in them. */
pw_status temporary_folder_make(struct temporary_folder *folder, const char *kind, const char *purpose,
                                pw_error *error);
/* With the files in it. */
void temporary_folder_remove(struct temporary_folder *folder);

#endif
