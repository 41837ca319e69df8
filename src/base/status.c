/* Error messages and checked allocation. Nothing here prints: the caller owns the message. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#undef fail

#ifndef PW_COMMIT
#define PW_COMMIT "unknown"
#endif

const char *pw_commit(void)
{
    return PW_COMMIT;
}

pw_status fail(pw_error *error, pw_status status, const char *format, ...)
{
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

void *allocate(size_t count, size_t size, const char *what, pw_error *error)
{
    /* At least one byte, so that an empty array is not mistaken for a failure. */
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) {
        fail(error, PW_NO_RESOURCE, "not enough memory for %s: %zu elements of %zu bytes", what, count, size);
    }
    return memory;
}
