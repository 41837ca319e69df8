/* The stand-in for the CUDA backend in a build without nvcc: it is listed, and says how to get the real one. */
#include "backend/backend.h"

static pw_status absent_probe(char *device, size_t size, pw_error *error)
{
    (void)device, (void)size;
    return fail(
        error, PW_NO_RESOURCE,
        "this build has no CUDA: install the CUDA toolkit (nvcc 12 or newer) and build again with `make CUDA=1`");
}

static const struct solver *const NO_SOLVERS[] = {NULL};

const struct backend backend_cuda = {
    .name = "cuda", .description = "NVIDIA GPU (not in this build)", .probe = absent_probe, .solvers = NO_SOLVERS};
