/* See cpu_arena.h. */
#include "backend/cpu/cpu_arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 1 << 21 };

void *arena_carve(struct cpu_arena *arena, size_t elements, size_t size, size_t offset)
{
    size_t at = arena->used;
    arena->used += (elements * size + ARENA_LINE - 1) / ARENA_LINE * ARENA_LINE;
    return arena->base == NULL ? NULL : arena->base + at + offset * size;
}

/* A zeroed block in large pages. Bands of rows go to whatever thread is free, so the pages are first touched in turn:
 * spread evenly over the memories of a machine that has several. */
pw_status arena_create_block(size_t size, int threads, void **block, pw_error *error)
{
    size_t rounded = (size + ARENA_LINE - 1) / ARENA_LINE * ARENA_LINE;
    if (posix_memalign(block, rounded >= HUGE_PAGE ? HUGE_PAGE : ARENA_LINE, rounded) != 0) {
        *block = NULL;
        return fail(error, PW_NO_RESOURCE, "out of memory: the cpu backend needs %zu bytes more", size);
    }
    if (rounded >= HUGE_PAGE) {
        (void)madvise(*block, rounded, MADV_HUGEPAGE); /* a wish: without it the march is only slower */
    }
    size_t pages = (rounded + HUGE_PAGE - 1) / HUGE_PAGE;
    char *base = *block;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (size_t p = 0; p < pages; p++) {
        size_t first = p * HUGE_PAGE, last = first + HUGE_PAGE < rounded ? first + HUGE_PAGE : rounded;
        memset(base + first, 0, last - first);
    }
    return PW_OK;
}
