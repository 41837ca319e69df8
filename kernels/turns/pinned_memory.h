/* Memory of the host that the device copies from and to by itself. Large pieces are laid out in large pages by all
 * threads before they are pinned: the driver's own way takes half a second a gigabyte. */
#ifndef PINNED_MEMORY_H
#define PINNED_MEMORY_H

#include "kernels/common/cuda_check.h"

struct pinned_memory {
    char *bytes = NULL; /* zeros at first */
    size_t size = 0;

    pinned_memory() = default;
    pinned_memory(const pinned_memory &) = delete;
    pinned_memory &operator=(const pinned_memory &) = delete;
    ~pinned_memory();
    pw_status create(size_t wanted, const char *what, pw_error *error);
};

#endif
