/* A folder of a test's own, which goes away with all that is in it. */
#ifndef FOLDER_H
#define FOLDER_H

#include <stdio.h>
#include <stdlib.h>

/* Nonzero: it is still there. `folder` is what mkdtemp() made of a template of the test. */
static inline int folder_remove(const char *folder)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

#endif
