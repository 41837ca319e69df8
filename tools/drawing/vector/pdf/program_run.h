/* Runs another program on a file that nobody vouches for: without a shell, and with bounds on its time, its memory and
 * what it writes. */
#pragma once

#include "ground.h"

/* Room for what a program says when it fails. */
enum { PROGRAM_WORDS = 200 };

/* Runs `words`, which ends with NULL and begins with the program's name, to be found in PATH. What it writes to its
 * standard output goes to `output`, a file that was opened for writing. *said becomes the first line of its standard
 * error. *good: it ended by itself, with exit status 0; when it is killed for its time, *said tells so. PW_NO_RESOURCE
 * when it cannot be run, naming it and `package`, in which Debian has it. */
pw_status program_run(const char *const *words, const char *package, FILE *output, bool *good, char said[PROGRAM_WORDS],
                      pw_error *error);
