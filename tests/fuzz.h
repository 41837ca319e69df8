/* What the fuzz targets share: bytes as a file that has a name but no disk, and a law that ends the process when it is broken. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "status.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define FUZZ_MUST(condition)                                                                                           \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* A failure has the right status and says something. */
static inline void fuzz_check(pw_status status, const pw_error *error)
{
    FUZZ_MUST(status == PW_OK || status == PW_BAD_INPUT || status == PW_NO_RESOURCE || status == PW_DIFFERENT);
    FUZZ_MUST(status == PW_OK || status == PW_DIFFERENT || error->message[0] != '\0');
}

/* A file in memory; its name goes to `path`. Close the descriptor to be rid of it. */
static inline int fuzz_file(const uint8_t *bytes, size_t size, char path[64])
{
    int descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    FUZZ_MUST(descriptor >= 0);
    FUZZ_MUST(write(descriptor, bytes, size) == (ssize_t)size);
    snprintf(path, 64, "/proc/self/fd/%d", descriptor);
    return descriptor;
}

#endif
