/* A kernel that traps, for tests of what happens then. */
#include <cuda_runtime.h>

extern "C" void gpu_trap(void);

static __global__ void trap_kernel()
{
    asm volatile("trap;");
}

void gpu_trap(void)
{
    trap_kernel<<<1, 1>>>();
}
