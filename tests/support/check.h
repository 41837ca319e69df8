/* cmocka with what it needs before it, and without its macro `fail`, which is a function of ours; and results to look
 * at. */
#ifndef CHECK_H
#define CHECK_H

#include "planwave.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
