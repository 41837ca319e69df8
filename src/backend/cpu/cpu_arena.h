/* Memory of the CPU solvers: arrays carved out of one block in large pages. */
#pragma once

#include "base/status.h"

enum { ARENA_LINE = 64 }; /* bytes of a cache line, at which every array begins */

/* Hands out pieces of a block; with base NULL it only counts. */
struct cpu_arena {
    char *base;
    size_t used;
};

/* The place of element `offset` of a piece of `elements` elements of `size` bytes; NULL when only counting. */
void *arena_carve(struct cpu_arena *arena, size_t elements, size_t size, size_t offset);

/* A zeroed block, to be freed. Its pages are first touched in turn by the threads. */
pw_status arena_create_block(size_t size, int threads, void **block, pw_error *error);
