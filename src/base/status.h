/* Failing with a sentence: the one way in which modules report errors, and checked allocation. */
#ifndef STATUS_H
#define STATUS_H

#include "api/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the message (when error is not NULL) and returns `status`, so that callers can `return fail(...)`. */
__attribute__((format(printf, 3, 4))) pw_status fail(pw_error *error, pw_status status, const char *format, ...);

/* What static analysis cannot see across files: failing never succeeds. */
#ifdef __clang_analyzer__
#define fail(error, status, ...) ((fail)(error, status, __VA_ARGS__), (status))
#endif

/* calloc with an overflow check: NULL and a PW_NO_RESOURCE message that names `what` and the bytes when there is no
 * memory. */
void *allocate(size_t count, size_t size, const char *what, pw_error *error);

#ifdef __cplusplus
}
#endif

/* Passes a failure on. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        pw_status try_status_ = (call);                                                                                \
        if (try_status_ != PW_OK) {                                                                                    \
            return try_status_;                                                                                        \
        }                                                                                                              \
    } while (0)

#endif
