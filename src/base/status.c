/* Error messages, checked allocation, monitors. Nothing here prints: the caller owns the message. */
#include "base/status.h"
#include "base/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef fail
#undef pw_fail

#ifndef PW_COMMIT
#define PW_COMMIT "unknown"
#endif
#ifndef PW_INTERFACE
#define PW_INTERFACE "unknown"
#endif

const char *pw_version(void)
{
    return PW_VERSION;
}

const char *pw_interface(void)
{
    return PW_INTERFACE;
}

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

pw_status array_grow(void *array, size_t *room, size_t count, size_t size, const char *what, pw_error *error)
{
    if (count < *room) {
        return PW_OK;
    }
    void *elements; /* whose pointer has a type that is not known here */
    memcpy(&elements, array, sizeof elements);
    size_t more = 2 * count + 64;
    elements = more < SIZE_MAX / size ? realloc(elements, more * size) : NULL;
    FAIL_IF(elements == NULL, error, PW_NO_RESOURCE, "not enough memory for %s: %zu elements of %zu bytes", what, more,
            size);
    memcpy(array, &elements, sizeof elements);
    *room = more;
    return PW_OK;
}

pw_status monitor_tell(const pw_monitor *monitor, double done, pw_error *error)
{
    if (monitor == NULL || monitor->tell == NULL || monitor->tell(done, monitor->user)) {
        return PW_OK;
    }
    return fail(error, PW_INTERRUPTED, "stopped by an interruption at %.0f %%; nothing was written", 100.0 * done);
}

static bool part_tell(double done, void *user)
{
    const struct pw_monitor_part *part = user;
    return part->whole->tell(part->from + done * (part->to - part->from), part->whole->user);
}

pw_monitor monitor_of_part(struct pw_monitor_part *part)
{
    if (part->whole == NULL || part->whole->tell == NULL) {
        return (pw_monitor){0};
    }
    return (pw_monitor){.tell = part_tell, .user = part};
}

double pw_clock(void)
{
    return clock_seconds();
}

void pw_release(void *owner)
{
    void *memory;
    memcpy(&memory, owner, sizeof memory);
    free(memory);
}

void pw_free_all(void *const *pointers, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        free(pointers[n]);
    }
}

/* ---- names of the interface ---- */

INTERFACE_NAME(pw_fail, fail);
INTERFACE_NAME(pw_allocate, allocate);
INTERFACE_NAME(pw_array_grow, array_grow);
INTERFACE_NAME(pw_monitor_tell, monitor_tell);
INTERFACE_NAME(pw_monitor_of_part, monitor_of_part);
