/* Cooperative launches: all blocks of a kernel run at once, or the launch fails. Only then may blocks wait for each
 * other. */
#ifndef COOPERATIVE_LAUNCH_H
#define COOPERATIVE_LAUNCH_H

#include "kernels/common/dependent_launch.h"

/* Keeps an argument from having a say in what the template's parameters are. */
template <typename T> struct same_type {
    typedef T type;
};

template <auto KERNEL, typename... Parameters>
pw_status launch_cooperative_as(void (*)(Parameters...), const launch_shape &shape, cudaStream_t stream,
                                pw_error *error, typename same_type<Parameters>::type... arguments)
{
    void *places[] = {&arguments...};
    TRY(allow_shared_memory<KERNEL>(error));
    CUDA_TRY(cudaLaunchCooperativeKernel((const void *)KERNEL, shape.blocks, dim3(shape.threads), places,
                                         shape.shared_bytes, stream));
    return PW_OK;
}

/* `arguments` become the types of the kernel's parameters, as in a call. */
template <auto KERNEL, typename... Given>
pw_status launch_cooperative(const launch_shape &shape, cudaStream_t stream, pw_error *error, const Given &...arguments)
{
    return launch_cooperative_as<KERNEL>(KERNEL, shape, stream, error, arguments...);
}

#endif
