/* Whether there is a GPU to test: the first thing that the tests of the CUDA backend ask. */
#ifndef GPU_WORKS_H
#define GPU_WORKS_H

#include <stdio.h>

#include "backend/backend.h"

/* Says which GPU there is, or that the tests are skipped. */
static inline bool gpu_works(void)
{
    char device[128];
    pw_error error = {{0}};
    if (backend_cuda.probe(device, sizeof device, &error) != PW_OK) {
        printf("skipped: %s\n", error.message);
        return false;
    }
    printf("device: %s\n", device);
    return true;
}

#endif
