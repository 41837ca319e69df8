/* Device memory with an owner, and copies between it and the host's doubles. */
#ifndef DEVICE_MEMORY_H
#define DEVICE_MEMORY_H

#include <algorithm>
#include <vector>

#include "kernels/common/device.h"

/* A piece of device memory that several engines fill in turn: what each of them holds there lies at the same addresses
 * whenever its turn comes. Of an engine it is noted what it only reads, which is brought back for each turn, and what
 * it works with, which begins as zeros. */
struct device_arena {
    struct piece {
        char *first;
        size_t bytes;
    };
    char *base = NULL; /* borrowed */
    size_t size = 0, used = 0;
    std::vector<piece> constant, working;
};

struct device_memory {
    std::vector<void *> owned;
    device_arena *arena = NULL; /* borrowed; NULL: what is asked for is owned */

    ~device_memory()
    {
        /* On the way out nothing can be done about a failure; the memory goes with the process at the latest. */
        for (void *memory : owned) {
            (void)cudaFree(memory);
        }
    }
};

inline pw_status device_take(device_arena *arena, void **array, size_t bytes, const char *what, pw_error *error)
{
    enum { ALIGNMENT = 512 };
    const size_t whole = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (whole > arena->size - arena->used) {
        return fail(
            error, PW_NO_RESOURCE,
            "a part of the grid needs %zu more bytes for %s on the device, and %zu of its share of %zu are left", bytes,
            what, arena->size - arena->used, arena->size);
    }
    arena->working.push_back({arena->base + arena->used, bytes});
    *array = arena->base + arena->used;
    arena->used += whole;
    return PW_OK;
}

inline pw_status device_own(device_memory *memory, void **array, size_t bytes, const char *what, pw_error *error)
{
    memory->owned.reserve(memory->owned.size() + 1); /* afterwards nothing may come between the memory and its owner */
    cudaError_t status = cudaMalloc(array, bytes);
    if (status != cudaSuccess) {
        (void)cudaGetLastError();
        return fail(error, PW_NO_RESOURCE, "CUDA: cudaMalloc of %zu bytes for %s failed: %s", bytes, what,
                    cudaGetErrorString(status));
    }
    memory->owned.push_back(*array);
    return PW_OK;
}

/* Zeroed. */
template <typename T>
pw_status device_array(device_memory *memory, T **array, size_t count, const char *what, pw_error *error)
{
    void *made = NULL;
    size_t bytes = std::max<size_t>(count, 1) * sizeof(T);
    TRY(memory->arena != NULL ? device_take(memory->arena, &made, bytes, what, error)
                              : device_own(memory, &made, bytes, what, error));
    *array = (T *)made;
    CUDA_TRY(cudaMemset(made, 0, bytes));
    return PW_OK;
}

/* The array that was made last is only read from now on: the host has filled it. */
inline void device_keep(device_memory *memory)
{
    if (memory->arena != NULL) {
        memory->arena->constant.push_back(memory->arena->working.back());
        memory->arena->working.pop_back();
    }
}

template <typename T>
pw_status device_copy(device_memory *memory, const T **array, const T *from, size_t count, const char *what,
                      pw_error *error)
{
    T *made = NULL;
    TRY(device_array(memory, &made, count, what, error));
    CUDA_TRY(cudaMemcpy(made, from, count * sizeof(T), cudaMemcpyHostToDevice));
    device_keep(memory);
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
