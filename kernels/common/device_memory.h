/* Device memory with an owner, and copies between it and the host's doubles. */
#ifndef DEVICE_MEMORY_H
#define DEVICE_MEMORY_H

#include <algorithm>
#include <vector>

#include "kernels/common/device.h"

struct device_memory {
    std::vector<void *> owned;

    ~device_memory()
    {
        /* On the way out nothing can be done about a failure; the memory goes with the process at the latest. */
        for (void *memory : owned) {
            (void)cudaFree(memory);
        }
    }
};

/* Zeroed. */
template <typename T>
pw_status device_array(device_memory *memory, T **array, size_t count, const char *what, pw_error *error)
{
    void *made = NULL;
    size_t bytes = std::max<size_t>(count, 1) * sizeof(T);
    memory->owned.reserve(memory->owned.size() + 1); /* afterwards nothing may come between the memory and its owner */
    cudaError_t status = cudaMalloc(&made, bytes);
    if (status != cudaSuccess) {
        (void)cudaGetLastError();
        return fail(error, PW_NO_RESOURCE, "CUDA: cudaMalloc of %zu bytes for %s failed: %s", bytes, what,
                    cudaGetErrorString(status));
    }
    memory->owned.push_back(made);
    *array = (T *)made;
    CUDA_TRY(cudaMemset(made, 0, bytes));
    return PW_OK;
}

template <typename T>
pw_status device_copy(device_memory *memory, const T **array, const T *from, size_t count, const char *what,
                      pw_error *error)
{
    T *made = NULL;
    TRY(device_array(memory, &made, count, what, error));
    CUDA_TRY(cudaMemcpy(made, from, count * sizeof(T), cudaMemcpyHostToDevice));
    *array = made;
    return PW_OK;
}

/* (height, width) values with `pitch` elements a row on the device's side. Either side may in fact be host memory. */
template <typename Real>
pw_status read_values(const Real *from, size_t pitch, double *to, size_t width, size_t height, pw_error *error)
{
    if (width == 0 || height == 0) {
        return PW_OK;
    }
    std::vector<Real> host(width * height);
    CUDA_TRY(cudaMemcpy2D(host.data(), width * sizeof(Real), from, pitch * sizeof(Real), width * sizeof(Real), height,
                          cudaMemcpyDefault));
    for (size_t k = 0; k < host.size(); k++) {
        to[k] = (double)host[k];
    }
    return PW_OK;
}

template <typename Real>
pw_status write_values(Real *to, size_t pitch, const double *from, size_t width, size_t height, pw_error *error)
{
    if (width == 0 || height == 0) {
        return PW_OK;
    }
    std::vector<Real> host(width * height);
    for (size_t k = 0; k < host.size(); k++) {
        host[k] = (Real)from[k];
    }
    CUDA_TRY(cudaMemcpy2D(to, pitch * sizeof(Real), host.data(), width * sizeof(Real), width * sizeof(Real), height,
                          cudaMemcpyDefault));
    return PW_OK;
}

#endif
