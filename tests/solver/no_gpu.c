/* A CUDA backend with kernels, on a machine without a GPU: tests/solver/test_fallback.sh links a program with it, since
 * real kernels take minutes to compile and find a GPU where there is one. */
#include "backend/backend.h"

static pw_status no_gpu_probe(char *device, size_t size, pw_error *error)
{
    (void)device, (void)size;
    return fail(error, PW_NO_RESOURCE, "no NVIDIA driver was found: install one");
}

static const struct solver KERNELS = {.name = "plain"}, *const SOLVERS[] = {&KERNELS, NULL};

const struct backend backend_cuda = {
    .name = "cuda", .description = "NVIDIA GPU", .probe = no_gpu_probe, .solvers = SOLVERS};
