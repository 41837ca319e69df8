/* See volume_media.h. Different blocks are told apart by their rows of the coefficient table, found by a hash. */
#include "backend/cpu/volume/volume_media.h"

#include <stdlib.h>
#include <string.h>

/* The media of a block's columns; columns beyond nx have none. */
struct medium_block {
    uint16_t medium[COLUMN_BLOCK];
    int columns;
};

struct block_set {
    struct medium_block *block; /* (capacity), owned */
    uint32_t *slot;             /* (2 capacity), owned: number of a block plus one, by hash; 0: free */
    size_t count, capacity;     /* a power of two */
};

static size_t first_slot(const struct medium_block *block, size_t slots)
{
    uint64_t hash = (uint64_t)block->columns;
    for (int i = 0; i < COLUMN_BLOCK; i++) {
        hash = (hash ^ block->medium[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return (size_t)hash & (slots - 1);
}

static uint32_t *find_slot(const struct block_set *set, const struct medium_block *block)
{
    size_t slots = 2 * set->capacity, at = first_slot(block, slots);
    while (set->slot[at] != 0 && memcmp(&set->block[set->slot[at] - 1], block, sizeof *block) != 0) {
        at = (at + 1) & (slots - 1);
    }
    return &set->slot[at];
}

static bool grow(struct block_set *set)
{
    size_t capacity = set->capacity > 0 ? 2 * set->capacity : 1024;
    struct medium_block *block = realloc(set->block, capacity * sizeof *block);
    uint32_t *slot = calloc(2 * capacity, sizeof *slot);
    set->block = block != NULL ? block : set->block;
    if (block == NULL || slot == NULL) {
        free(slot);
        return false;
    }
    free(set->slot);
    set->slot = slot;
    set->capacity = capacity;
    for (size_t n = 0; n < set->count; n++) {
        *find_slot(set, &set->block[n]) = (uint32_t)n + 1;
    }
    return true;
}

/* The number of a block, which is added if it is new; false without memory. */
static bool number_of(struct block_set *set, const struct medium_block *block, uint32_t *number)
{
    if (set->count == set->capacity && !grow(set)) {
        return false;
    }
    uint32_t *slot = find_slot(set, block);
    if (*slot == 0) {
        set->block[set->count++] = *block;
        *slot = (uint32_t)set->count;
    }
    *number = *slot - 1;
    return true;
}

/* Numbers of all blocks into `blocks`, unless that is NULL. */
static bool collect(const struct problem *problem, struct block_set *set, uint32_t *blocks)
{
    int nx = problem->axis[0].count;
    int64_t rows = (int64_t)problem->layer_count * problem->axis[1].count;
    for (int64_t row = 0; row < rows; row++) {
        const uint16_t *index = problem->coefficient_index + row * nx;
        for (int i = 0; i < nx; i += COLUMN_BLOCK) {
            struct medium_block block;
            uint32_t number;
            memset(&block, 0, sizeof block);
            block.columns = nx - i < COLUMN_BLOCK ? nx - i : COLUMN_BLOCK;
            memcpy(block.medium, index + i, (size_t)block.columns * sizeof *index);
            if (!number_of(set, &block, &number)) {
                return false;
            }
            if (blocks != NULL) {
                *blocks++ = number;
            }
        }
    }
    return true;
}

static void free_set(struct block_set *set)
{
    FREE_ALL(set->block, set->slot);
}

int64_t volume_media_count(const struct problem *problem)
{
    struct block_set set = {0};
    int64_t count = collect(problem, &set, NULL) ? (int64_t)set.count : 0;
    free_set(&set);
    return count;
}

static void fill_pool(const struct problem *problem, const struct block_set *set, void *pool)
{
    for (size_t n = 0; n < set->count; n++) {
        for (int i = 0; i < 2 * COLUMN_BLOCK; i++) {
            int column = i % COLUMN_BLOCK, which = i < COLUMN_BLOCK ? COEFFICIENT_CA : COEFFICIENT_CB;
            const struct medium_block *block = &set->block[n];
            double value = column < block->columns ? problem_coefficient(problem, block->medium[column])[which] : 0;
            if (problem->precision == PW_SINGLE) {
                ((float *)pool)[n * 2 * COLUMN_BLOCK + (size_t)i] = (float)value;
            } else {
                ((double *)pool)[n * 2 * COLUMN_BLOCK + (size_t)i] = value;
            }
        }
    }
}

/* Whether a block is of one medium with ca = 1. */
static bool is_lossless(const struct problem *problem, const struct medium_block *block)
{
    bool same = block->columns == COLUMN_BLOCK;
    for (int i = 1; same && i < COLUMN_BLOCK; i++) {
        same = block->medium[i] == block->medium[0];
    }
    return same && problem_coefficient(problem, block->medium[0])[COEFFICIENT_CA] == 1.0;
}

static pw_status find_usual(const struct block_set *set, size_t blocks, struct volume_grid *grid, pw_error *error)
{
    size_t *found = allocate(set->count, sizeof *found, "the media of the cpu backend", error), most = 0;
    TRY_MADE(found);
    grid->usual_block = UINT32_MAX;
    for (size_t n = 0; n < blocks; n++) {
        found[grid->blocks[n]]++;
    }
    for (size_t n = 0; n < set->count; n++) {
        if (found[n] > most && is_lossless(grid->problem, &set->block[n])) {
            most = found[n];
            grid->usual_block = (uint32_t)n;
            grid->usual_cb = problem_coefficient(grid->problem, set->block[n].medium[0])[COEFFICIENT_CB];
        }
    }
    free(found);
    return PW_OK;
}

pw_status volume_media_create(const struct problem *problem, struct volume_grid *grid, pw_error *error)
{
    struct block_set set = {0};
    size_t value = problem->precision == PW_SINGLE ? sizeof(float) : sizeof(double);
    size_t blocks = (size_t)problem->layer_count * (size_t)grid->ny * (size_t)(grid->padded / COLUMN_BLOCK);
    TRY_MADE(grid->blocks = allocate(blocks, sizeof *grid->blocks, "the media of the cpu backend", error));
    pw_status status = PW_OK;
    if (collect(problem, &set, grid->blocks)) {
        grid->pool_count = (int64_t)set.count;
        grid->pool = allocate(set.count * 2 * COLUMN_BLOCK, value, "the media of the cpu backend", error);
        status = grid->pool != NULL ? PW_OK : PW_NO_RESOURCE;
    } else {
        status = fail(error, PW_NO_RESOURCE, "out of memory: the media of the cpu backend");
    }
    if (status == PW_OK) {
        fill_pool(problem, &set, grid->pool);
        status = find_usual(&set, blocks, grid, error);
    }
    free_set(&set);
    return status;
}
