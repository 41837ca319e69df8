/* The temporary folder of a session: in TMPDIR, else in /tmp, under a name that nobody can guess, and for its owner
 * alone. A lock on it says that its server lives. */
#ifndef LIVE_FOLDER_H
#define LIVE_FOLDER_H

#include "tools/ground.h"

/* Makes a folder, and removes those of this user's servers that were killed. *lock goes to folder_remove. */
pw_status folder_make(char *path, size_t size, int *lock, pw_error *error);

/* With all files in it. */
void folder_remove(const char *path, int lock);

#endif
