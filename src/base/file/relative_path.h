/* Paths from one file to another, so that a folder with both can be moved. */
#pragma once

#include "base/status.h"

/* How `folder` is called from the folder of the file `path`, with a slash at its end; "" for the same one. Both folders
 * must be there, the file itself need not. The caller owns *relative. */
pw_status relative_folder(const char *path, const char *folder, char **relative, pw_error *error);

/* The same of a file, which must be there. */
pw_status relative_file(const char *path, const char *file, char **relative, pw_error *error);
