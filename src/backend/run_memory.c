/* The table of what runs remember. */
#include "backend/run_memory.h"

const struct run_memory *const RUN_MEMORIES[] = {
    [MEMORY_EDGES] = &memory_edges, [MEMORY_POLES] = &memory_poles, [MEMORY_COUNT] = NULL};

int64_t run_memory_numbers(const struct problem *problem)
{
    int64_t numbers = 0;
    for (int m = 0; m < MEMORY_COUNT; m++) {
        numbers += RUN_MEMORIES[m]->count(problem);
    }
    return numbers;
}

const struct run_memory *run_memory_of(const struct problem *problem, int array)
{
    for (const struct run_memory *const *memory = RUN_MEMORIES; *memory != NULL; memory++) {
        if ((*memory)->array == array && (*memory)->count(problem) > 0) {
            return *memory;
        }
    }
    return NULL;
}
