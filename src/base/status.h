/* The one way in which functions report failures: a status and a sentence; checked allocation; and telling the callers
 * of long work how far it is. */
#pragma once

#include "api/support.h"

PW_C_BEGIN

/* Writes the message (when `error` is not NULL) and returns `status`, so that callers can `return fail(...)`. */
__attribute__((format(printf, 3, 4))) pw_status fail(pw_error *error, pw_status status, const char *format, ...);

/* Static analysis cannot see across files that fail() never returns PW_OK. */
#ifdef __clang_analyzer__
#define fail(error, status, ...) ((fail)(error, status, __VA_ARGS__), (status))
#endif

/* Zeroed memory for `count` elements of `size` bytes, at least one byte; the caller frees it. Without memory NULL and a
 * message that names `what` and the bytes. */
void *allocate(size_t count, size_t size, const char *what, pw_error *error);

/* pw_array_grow (api/support.h). */
pw_status array_grow(void *array, size_t *room, size_t count, size_t size, const char *what, pw_error *error);

/* ---- telling how far long work is; work that is made of parts gives each of them a monitor from 0 to 1 ---- */

/* PW_INTERRUPTED when the monitor asks to stop; `done` runs from 0 to 1. NULL or a monitor of zeros: nobody is told. */
pw_status monitor_tell(const pw_monitor *monitor, double done, pw_error *error);

/* The share [from, to] of `whole`. It is handed on as monitor_of_part(&part), and must live as long as that is used. */
pw_monitor monitor_of_part(struct pw_monitor_part *part);

PW_C_END

/* Returns from the calling function with the status of a call that failed. */
#define TRY(call)             PW_TRY(call)
#define FAIL_IF(refused, ...) PW_FAIL_IF(refused, __VA_ARGS__)
#define TRY_MADE(made)        PW_TRY_MADE(made)
#define THEN(status, call)    PW_THEN(status, call)

/* Before a local variable, which is tidied up where its scope ends (api/support.h). */
#define OWNED            PW_OWNED
#define OWNED_BY(free)   PW_OWNED_BY(free)
#define OWNED_AS(handle) PW_OWNED_AS(handle)

#define FREE_ALL(...)    PW_FREE_ALL(__VA_ARGS__)

/* The name that a function of the library has in the interface (api/support.h), beside its own. */
#define INTERFACE_NAME(name, own) extern __typeof__(own) name __attribute__((alias(#own)))
