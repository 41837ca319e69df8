/* The one way in which functions report failures: a status and a sentence. And checked allocation. */
#ifndef STATUS_H
#define STATUS_H

#include "api/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the message (when `error` is not NULL) and returns `status`, so that callers can `return fail(...)`. */
__attribute__((format(printf, 3, 4))) pw_status fail(pw_error *error, pw_status status, const char *format, ...);

/* Static analysis cannot see across files that fail() never returns PW_OK. */
#ifdef __clang_analyzer__
#define fail(error, status, ...) ((fail)(error, status, __VA_ARGS__), (status))
#endif

/* Zeroed memory for `count` elements of `size` bytes, at least one byte; the caller frees it. Without memory NULL and a
 * message that names `what` and the bytes. */
void *allocate(size_t count, size_t size, const char *what, pw_error *error);

#ifdef __cplusplus
}
#endif

/* Returns from the calling function with the status of a call that failed. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        pw_status try_status_ = (call);                                                                                \
        if (try_status_ != PW_OK) {                                                                                    \
            return try_status_;                                                                                        \
        }                                                                                                              \
    } while (0)

#endif
