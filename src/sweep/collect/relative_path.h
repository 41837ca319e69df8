/* Paths from one file to another, so that a folder with both can be moved. Private to collect/. */
#ifndef RELATIVE_PATH_H
#define RELATIVE_PATH_H

#include "base/status.h"

/* How `folder` is called from the folder of the file `path`, with a slash at its end, "" for the same one, and with the
 * '%' doubled that virtual datasets take for a number of blocks. Both must be there, the file itself need not. The
 * caller owns *relative. */
pw_status relative_folder(const char *path, const char *folder, char **relative, pw_error *error);

#endif
