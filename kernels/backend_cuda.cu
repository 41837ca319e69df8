/* The CUDA backend: the device, and the list of its solvers. Leaves out: what a solver does (solver.cu for all of them,
 * and a folder for each), and the engine that they step (engine.h). */
#include <stdio.h>

#include <algorithm>

#include "kernels/common/device_room.h"
#include "kernels/engine.h"
#include "kernels/solver.h"

pw_status cuda_probe(char *device, size_t size, pw_error *error)
{
    int count = 0;
    cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) {
        (void)cudaGetLastError();
        return fail(error, PW_NO_RESOURCE, "no NVIDIA GPU that CUDA can use (%s): check `nvidia-smi` and the driver",
                    status != cudaSuccess ? cudaGetErrorString(status) : "none found");
    }
    cudaDeviceProp properties;
    CUDA_TRY(cudaGetDeviceProperties(&properties, 0));
    snprintf(device, size, "%.80s, %d multiprocessors, %.0f GB", properties.name, properties.multiProcessorCount,
             (double)properties.totalGlobalMem / 1e9);
    return PW_OK;
}

/* Median of five copies of a large buffer, bytes read plus bytes written; 0 on failure. */
static double cuda_copy_bandwidth(void)
{
    size_t bytes = std::min<size_t>((size_t)2 << 30, device_bytes_free() / 4);
    void *from = NULL, *to = NULL;
    cudaEvent_t begun = NULL, ended = NULL;
    bool well = bytes > 0 && cudaMalloc(&from, bytes) == cudaSuccess && cudaMalloc(&to, bytes) == cudaSuccess &&
                cudaEventCreate(&begun) == cudaSuccess && cudaEventCreate(&ended) == cudaSuccess &&
                cudaMemset(from, 1, bytes) == cudaSuccess;
    float times[6] = {0};
    for (int k = 0; well && k < 6; k++) {
        well = cudaEventRecord(begun) == cudaSuccess &&
               cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice) == cudaSuccess &&
               cudaEventRecord(ended) == cudaSuccess && cudaEventSynchronize(ended) == cudaSuccess &&
               cudaEventElapsedTime(&times[k], begun, ended) == cudaSuccess;
    }
    (void)cudaFree(from);
    (void)cudaFree(to);
    (void)(begun != NULL && cudaEventDestroy(begun));
    (void)(ended != NULL && cudaEventDestroy(ended));
    (void)cudaGetLastError();
    std::sort(times + 1, times + 6); /* the first warms up */
    return well && times[3] > 0 ? 2.0 * (double)bytes / (times[3] * 1e-3) : 0;
}

static int cuda_ensemble(const struct problem *problem)
{
    return problem->formulation == FORMULATION_MAXWELL3D ? volume_ensemble(problem) : engine_ensemble(problem);
}

/* The one that costs as little as another and stands before it is taken. */
static const struct solver *const SOLVERS[] = {&cuda_resident, &cuda_streamed, &cuda_march,  &cuda_tile,
                                               &cuda_plain,    &cuda_sweep,    &cuda_volume, NULL};

extern "C" const struct backend backend_cuda = {
    .name = "cuda",
    .description = "NVIDIA GPU",
    .probe = cuda_probe,
    .solvers = SOLVERS,
    .ensemble = cuda_ensemble,
    .device_free = device_bytes_free,
    .copy_bandwidth = cuda_copy_bandwidth,
};
