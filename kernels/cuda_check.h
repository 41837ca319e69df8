/* Every CUDA call is checked here: a failure becomes PW_NO_RESOURCE with the call named. Leaves out: deciding what to do about it. */
#ifndef CUDA_CHECK_H
#define CUDA_CHECK_H

#include <cuda_runtime.h>

#include <exception>

#include "status.h"

/* For functions that return pw_status and have a pw_error *error at hand. */
#define CUDA_TRY(call)                                                                                                 \
    do {                                                                                                               \
        cudaError_t cuda_status_ = (call);                                                                             \
        if (cuda_status_ != cudaSuccess) {                                                                             \
            (void)cudaGetLastError();                                                                                  \
            return fail(error, PW_NO_RESOURCE, "CUDA: %s failed at %s:%d: %s", #call, __FILE__, __LINE__,              \
                        cudaGetErrorString(cuda_status_));                                                             \
        }                                                                                                              \
    } while (0)

/* After a launch, with the kernel's name. */
#define CUDA_LAUNCHED(name)                                                                                            \
    do {                                                                                                               \
        cudaError_t cuda_status_ = cudaGetLastError();                                                                 \
        if (cuda_status_ != cudaSuccess) {                                                                             \
            return fail(error, PW_NO_RESOURCE, "CUDA: launch of %s failed: %s", name,                                  \
                        cudaGetErrorString(cuda_status_));                                                             \
        }                                                                                                              \
    } while (0)

/* Does `action`, whose vectors may find no room on the host: C cannot pass an exception on. */
template <typename Action> pw_status cuda_guard(const Action &action, pw_error *error)
{
    try {
        return action();
    } catch (const std::exception &reason) {
        return fail(error, PW_NO_RESOURCE, "not enough memory on the host for the CUDA backend: %s", reason.what());
    }
}

#endif
