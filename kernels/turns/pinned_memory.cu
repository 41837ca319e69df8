/* See pinned_memory.h. Host only. */
#include "kernels/turns/pinned_memory.h"

#include <sys/mman.h>

#include <algorithm>

namespace
{

const size_t LARGE_PAGE = (size_t)2 << 20;

size_t whole_pages(size_t bytes)
{
    return (std::max<size_t>(bytes, 1) + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
}

} // namespace

pinned_memory::~pinned_memory()
{
    /* On the way out nothing can be done about a failure. */
    if (bytes != NULL) {
        (void)cudaHostUnregister(bytes);
        (void)munmap(bytes, whole_pages(size));
    }
}

pw_status pinned_memory::create(size_t wanted, const char *what, pw_error *error)
{
    const size_t all = whole_pages(wanted), pages = all / LARGE_PAGE;
    void *made = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) {
        return fail(error, PW_NO_RESOURCE, "not enough memory: %zu bytes for %s", wanted, what);
    }
    (void)madvise(made, all, MADV_HUGEPAGE); /* pages of the usual size do, too */
#pragma omp parallel for schedule(static)
    for (size_t page = 0; page < pages; page++) {
        for (size_t byte = 0; byte < LARGE_PAGE; byte += 4096) {
            ((volatile char *)made)[page * LARGE_PAGE + byte] = 0;
        }
    }
    const cudaError_t status = cudaHostRegister(made, all, cudaHostRegisterPortable);
    if (status != cudaSuccess) {
        (void)cudaGetLastError();
        (void)munmap(made, all);
        return fail(error, PW_NO_RESOURCE, "CUDA: cudaHostRegister of %zu bytes for %s failed: %s", wanted, what,
                    cudaGetErrorString(status));
    }
    bytes = (char *)made;
    size = wanted;
    return PW_OK;
}
