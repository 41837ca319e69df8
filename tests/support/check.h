/* cmocka with what it needs before it, and without its macro `fail`, which is a function of ours; results to look at,
 * and folders. */
#ifndef CHECK_H
#define CHECK_H

#include "planwave.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#undef fail
#undef fail_msg

/* Ends a test with a sentence, as cmocka's own does. */
#define fail_msg(...)                                                                                                  \
    do {                                                                                                               \
        print_error("ERROR: " __VA_ARGS__);                                                                            \
        print_error("\n");                                                                                             \
        _fail(__FILE__, __LINE__);                                                                                     \
    } while (0)

/* The result in this file, or the test ends. */
static inline pw_result *result_get(const char *path)
{
    pw_result *result = NULL;
    pw_error error = {{0}};
    if (pw_result_open(path, &result, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return result;
}

/* Removes a folder of the test's own with all that is in it. Nonzero: it is still there. */
static inline int folder_delete(const char *folder)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

#endif
