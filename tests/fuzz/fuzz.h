/* What the fuzz targets share: bytes as a file, and a law that ends the process when it is broken. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/status.h"
#include "planwave.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* HDF5 1.10 loses a few hundred bytes of its own over some damaged files; ours are still watched. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

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

/* A file with these bytes; its name goes to `path`. In memory where there is a place for that. HDF5 wants a real path,
 * so no memfd. */
static inline void fuzz_file(const uint8_t *bytes, size_t size, char path[64])
{
    snprintf(path, 64, "%s/planwave-fuzz-%ld", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
    FILE *file = fopen(path, "wb");
    FUZZ_MUST(file != NULL);
    FUZZ_MUST(fwrite(bytes, 1, size, file) == size);
    FUZZ_MUST(fclose(file) == 0);
}

#endif
