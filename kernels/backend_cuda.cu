/* The CUDA backend: the device, and the list of its solvers. Leaves out: what a solver does (solver.cu for all of them,
 * and a folder for each), and the engine that they step (engine.h). */
#include <stdio.h>

#include <algorithm>

#include "kernels/common/device_peers.h"
#include "kernels/common/device_room.h"
#include "kernels/engine.h"
#include "kernels/solver.h"
#include "kernels/turns/turns.h"

/* Why cudaGetDeviceCount found no GPU; `status` is what it said. */
static pw_status fail_missing(cudaError_t status, pw_error *error)
{
    int driver = 0, runtime = 0; /* 13020 is CUDA 13.2 */
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    (void)cudaGetLastError();
    FAIL_IF(driver == 0, error, PW_NO_RESOURCE,
            "no NVIDIA driver was found: install one, and check it with `nvidia-smi`");
    FAIL_IF(status == cudaErrorInsufficientDriver, error, PW_NO_RESOURCE,
            "the NVIDIA driver serves CUDA %d.%d, and this program needs CUDA %d.%d: install a newer driver",
            driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    return fail(error, PW_NO_RESOURCE, "no NVIDIA GPU that CUDA can use was found (%s): check `nvidia-smi`",
                status != cudaSuccess ? cudaGetErrorString(status) : "there are none");
}

/* Whether a GPU can run what was compiled: machine code for its generation and no later member of it, or PTX, which is
 * there for the newest. Asked without a context, which would take memory of a GPU that is perhaps not the one used. */
static bool is_compiled_for(const cudaDeviceProp *gpu)
{
    static const int COMPILED[] = {__CUDA_ARCH_LIST__}; /* 900 is sm_90 */
    const int own = 100 * gpu->major + 10 * gpu->minor;
    bool machine_code = false;
    for (int code : COMPILED) {
        machine_code = machine_code || (code / 100 == gpu->major && code <= own);
    }
    return machine_code || own >= COMPILED[sizeof COMPILED / sizeof COMPILED[0] - 1];
}

pw_status cuda_probe(char *device, size_t size, pw_error *error)
{
    int count = 0;
    cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) {
        return fail_missing(status, error);
    }
    cudaDeviceProp properties;
    int current = 0;
    CUDA_TRY(cudaGetDevice(&current));
    CUDA_TRY(cudaGetDeviceProperties(&properties, current));
    FAIL_IF(!is_compiled_for(&properties), error, PW_NO_RESOURCE,
            "this program has no kernels for the GPU %.80s: it was not compiled for sm_%d%d", properties.name,
            properties.major, properties.minor);
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

/* ---- devices ----------------------------------------------------------------------------------------------------- */

static int cuda_device_count(void)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return count;
}

static pw_status cuda_device_select(int device, pw_error *error)
{
    CUDA_TRY(cudaSetDevice(device));
    return PW_OK;
}

/* Where two devices do not reach each other, copies go by way of the host, which the driver sees to. */
static void cuda_devices_connect(const int *devices, int count)
{
    for (int own = 0; own < count; own++) {
        for (int other = 0; other < count; other++) {
            int reaches = 0;
            if (devices[own] != devices[other] &&
                cudaDeviceCanAccessPeer(&reaches, devices[own], devices[other]) == cudaSuccess && reaches != 0 &&
                cudaSetDevice(devices[own]) == cudaSuccess) {
                const cudaError_t status = cudaDeviceEnablePeerAccess(devices[other], 0);
                if (status == cudaSuccess || status == cudaErrorPeerAccessAlreadyEnabled) {
                    device_connected(devices[own])->add(devices[other]);
                }
            }
        }
    }
    (void)cudaGetLastError(); /* "already enabled", say */
}

static pw_status cuda_device_allocate(size_t bytes, void **memory, pw_error *error)
{
    *memory = NULL;
    const cudaError_t status = cudaMalloc(memory, std::max<size_t>(bytes, 1));
    if (status != cudaSuccess) {
        (void)cudaGetLastError();
        return fail(error, PW_NO_RESOURCE,
                    "CUDA: cudaMalloc of %zu bytes for what parts of the grid exchange failed: %s", bytes,
                    cudaGetErrorString(status));
    }
    return PW_OK;
}

static void cuda_device_release(void *memory)
{
    (void)cudaFree(memory);
}

static pw_status cuda_host_allocate(size_t bytes, void **memory, pw_error *error)
{
    *memory = NULL;
    const cudaError_t status = cudaMallocHost(memory, std::max<size_t>(bytes, 1));
    if (status != cudaSuccess) {
        (void)cudaGetLastError();
        return fail(error, PW_NO_RESOURCE,
                    "CUDA: cudaMallocHost of %zu bytes for what parts of the grid exchange failed: %s", bytes,
                    cudaGetErrorString(status));
    }
    return PW_OK;
}

static void cuda_host_release(void *memory)
{
    if (memory != NULL) {
        (void)cudaFreeHost(memory);
    }
}

/* Between devices, or within one, the host does not wait by itself. */
static pw_status cuda_device_copy(void *to, const void *from, size_t bytes, pw_error *error)
{
    CUDA_TRY(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
    CUDA_TRY(cudaStreamSynchronize(NULL));
    return PW_OK;
}

/* ---- queues, which are streams, and marks, which are events ---- */

static pw_status cuda_copy_later(void *to, const void *from, size_t bytes, void *queue, pw_error *error)
{
    CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, (cudaStream_t)queue));
    return PW_OK;
}

static pw_status cuda_mark(void *queue, void **mark, pw_error *error)
{
    cudaEvent_t event = NULL;
    CUDA_TRY(cudaEventCreate(&event));
    *mark = event;
    CUDA_TRY(cudaEventRecord(event, (cudaStream_t)queue));
    return PW_OK;
}

static pw_status cuda_follow(void *queue, void *mark, pw_error *error)
{
    CUDA_TRY(cudaStreamWaitEvent((cudaStream_t)queue, (cudaEvent_t)mark, 0));
    return PW_OK;
}

static double cuda_between(void *from, void *to)
{
    float milliseconds = 0;
    if (cudaEventElapsedTime(&milliseconds, (cudaEvent_t)from, (cudaEvent_t)to) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return 1e-3 * (double)milliseconds;
}

/* What waits for it still does. */
static void cuda_forget(void *mark)
{
    (void)(mark != NULL && cudaEventDestroy((cudaEvent_t)mark));
}

static const struct device_functions DEVICES = {
    .count = cuda_device_count,
    .select = cuda_device_select,
    .connect = cuda_devices_connect,
    .allocate = cuda_device_allocate,
    .release = cuda_device_release,
    .allocate_host = cuda_host_allocate,
    .release_host = cuda_host_release,
    .copy = cuda_device_copy,
    .reaches = device_reaches,
    .copy_later = cuda_copy_later,
    .mark = cuda_mark,
    .follow = cuda_follow,
    .between = cuda_between,
    .forget = cuda_forget,
};

static int cuda_ensemble(const struct problem *problem)
{
    return problem->formulation == FORMULATION_MAXWELL3D ? volume_ensemble(problem) : engine_ensemble(problem);
}

/* The one that costs as little as another and stands before it is taken. */
static const struct solver *const SOLVERS[] = {&cuda_resident, &cuda_streamed, &cuda_march,  &cuda_tile, &cuda_plain,
                                               &cuda_sweep,    &cuda_relay,    &cuda_volume, &cuda_half, NULL};

extern "C" const struct backend backend_cuda = {
    .name = "cuda",
    .description = "NVIDIA GPU",
    .probe = cuda_probe,
    .solvers = SOLVERS,
    .ensemble = cuda_ensemble,
    .device_free = device_bytes_free,
    .copy_bandwidth = cuda_copy_bandwidth,
    .devices = &DEVICES,
    .turns = &cuda_turns,
};
