/* What a run remembers beside its fields and filters. A physics that remembers something is a file with one struct
 * run_memory, a pointer in struct run_state (solver.h), a value of enum state_array (patch.h) and a line in the table
 * of run_memory.c: states are made, freed, saved, resumed and exchanged by parts by this description alone. */
#pragma once

#include "backend/solver.h"

struct run_memory {
    const char *name;                                /* in a checkpoint */
    int array;                                       /* enum state_array: of this memory where the problem has it */
    size_t member;                                   /* of struct run_state: offset of the pointer to its numbers */
    int64_t (*count)(const struct problem *problem); /* numbers; 0: the problem has none of it */
    /* Visits its rows in a patch, in order. */
    void (*visit)(const struct problem *problem, const struct patch *patch, patch_visit *visit, void *context);
    /* Where the first value of such a row stands among its numbers. */
    int64_t (*place)(const struct problem *problem, const struct patch_row *row);
    /* Narrows the whole grid to the nodes that have numbers rows->from .. rows->to-1; NULL: it stays whole. */
    void (*narrow)(const struct problem *problem, const struct state_rows *rows, struct patch *box);
};

extern const struct run_memory memory_edges, memory_poles;

/* The table, in the order in which a patch has them; NULL after its end. */
enum { MEMORY_EDGES, MEMORY_POLES, MEMORY_COUNT };
extern const struct run_memory *const RUN_MEMORIES[MEMORY_COUNT + 1];

/* The memory that the array is in this problem; NULL: it is a field or a filter. */
const struct run_memory *run_memory_of(const struct problem *problem, int array);

/* Numbers that a run of the problem remembers in all. */
int64_t run_memory_numbers(const struct problem *problem);

static inline double **run_memory_in(const struct run_memory *memory, struct run_state *state)
{
    return (double **)(void *)((char *)state + memory->member);
}
