/* Opening files that come from outside. */
#ifndef INPUT_FILE_H
#define INPUT_FILE_H

#include "base/status.h"

#include <stdio.h>

/* Opens `path` for reading; NULL after a failure (PW_BAD_INPUT in *error: missing, unreadable, or not a regular file,
 * because reading a pipe could block for ever). */
FILE *input_file_open(const char *path, pw_error *error);

#endif
