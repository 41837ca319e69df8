/* See volume_media.h. Different blocks are told apart by their rows of the coefficient table. */
#include "backend/cpu/volume/volume_media.h"

#include "base/numbers/distinct.h"

#include <stdlib.h>
#include <string.h>

/* The media of a block's columns; columns beyond nx have none. */
struct medium_block {
    uint16_t medium[COLUMN_BLOCK];
    int columns;
};

static const char WHAT[] = "the media of the cpu backend";

/* Numbers of all blocks into `blocks`, unless that is NULL. */
static pw_status collect(const struct problem *problem, struct distinct *set, uint32_t *blocks, pw_error *error)
{
    int nx = problem->axis[0].count;
    int64_t rows = (int64_t)problem->layer_count * problem->axis[1].count;
    *set = (struct distinct){.size = sizeof(struct medium_block)};
    for (int64_t row = 0; row < rows; row++) {
        const uint16_t *index = problem->coefficient_index + row * nx;
        for (int i = 0; i < nx; i += COLUMN_BLOCK) {
            struct medium_block block;
            uint32_t number;
            memset(&block, 0, sizeof block);
            block.columns = nx - i < COLUMN_BLOCK ? nx - i : COLUMN_BLOCK;
            memcpy(block.medium, index + i, (size_t)block.columns * sizeof *index);
            TRY(distinct_number(set, &block, WHAT, &number, error));
            if (blocks != NULL) {
                *blocks++ = number;
            }
        }
    }
    return PW_OK;
}

int64_t volume_media_count(const struct problem *problem)
{
    OWNED_BY(distinct_free) struct distinct set;
    return collect(problem, &set, NULL, NULL) == PW_OK ? (int64_t)set.count : 0;
}

static void fill_pool(const struct problem *problem, const struct distinct *set, void *pool)
{
    for (size_t n = 0; n < set->count; n++) {
        for (int i = 0; i < 2 * COLUMN_BLOCK; i++) {
            int column = i % COLUMN_BLOCK, which = i < COLUMN_BLOCK ? COEFFICIENT_CA : COEFFICIENT_CB;
            const struct medium_block *block = distinct_key(set, n);
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

static pw_status find_usual(const struct distinct *set, size_t blocks, struct volume_grid *grid, pw_error *error)
{
    size_t *found = allocate(set->count, sizeof *found, WHAT, error), most = 0;
    TRY_MADE(found);
    grid->usual_block = UINT32_MAX;
    for (size_t n = 0; n < blocks; n++) {
        found[grid->blocks[n]]++;
    }
    for (size_t n = 0; n < set->count; n++) {
        const struct medium_block *block = distinct_key(set, n);
        if (found[n] > most && is_lossless(grid->problem, block)) {
            most = found[n];
            grid->usual_block = (uint32_t)n;
            grid->usual_cb = problem_coefficient(grid->problem, block->medium[0])[COEFFICIENT_CB];
        }
    }
    free(found);
    return PW_OK;
}

pw_status volume_media_create(const struct problem *problem, struct volume_grid *grid, pw_error *error)
{
    OWNED_BY(distinct_free) struct distinct set = {0};
    size_t value = problem->precision == PW_SINGLE ? sizeof(float) : sizeof(double);
    size_t blocks = (size_t)problem->layer_count * (size_t)grid->ny * (size_t)(grid->padded / COLUMN_BLOCK);
    TRY_MADE(grid->blocks = allocate(blocks, sizeof *grid->blocks, WHAT, error));
    TRY(collect(problem, &set, grid->blocks, error));
    grid->pool_count = (int64_t)set.count;
    TRY_MADE(grid->pool = allocate(set.count * 2 * COLUMN_BLOCK, value, WHAT, error));
    fill_pool(problem, &set, grid->pool);
    return find_usual(&set, blocks, grid, error);
}
