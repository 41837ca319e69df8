/* See metal_beside.h. Blocks of rows of all levels are found in parallel, each with the rows before and after it. */
#include "medium/metal/metal_beside.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_ROWS = 32, LAYERS_MOST = 3 * 3 * 4 };

/* Values of a layer count where they are neither 1 nor `plain`. */
struct counted_layer {
    const float *values;
    float plain;
};

/* A block of rows of a level: marks of rows first - 1 .. end, of the grid or not. */
struct block {
    const struct metal_volume *cuts;
    bool cubes;
    struct counted_layer layers[LAYERS_MOST];
    int layer_count;
    int first, end;
    uint8_t *marks; /* (BLOCK_ROWS + 2, nx), owned */
    uint8_t *row;   /* (nx), owned */
    bool any[BLOCK_ROWS + 2];
};

static void layer_count_in(struct block *block, float *const *layers, int layer, float plain)
{
    bool there = layer == 0;
    for (int l = 0; l < block->layer_count && !there; l++) {
        there = block->layers[l].values == layers[layer];
    }
    if (!there) {
        block->layers[block->layer_count++] = (struct counted_layer){layers[layer], plain};
    }
}

/* Levels share layers: each counts once. */
static void layers_find(struct block *block, int k)
{
    const struct metal_volume *cuts = block->cuts;
    const bool cubes = block->cubes;
    block->layer_count = 0;
    for (int p = cubes || k == 0 ? k : k - 1; p <= k + 1 && p < cuts->nz; p++) {
        for (int c = 0; c < 3; c++) {
            layer_count_in(block, cuts->edge, cuts->edge_layer[c][p], cubes ? 1 : METAL_STAIRCASE);
            layer_count_in(block, cuts->face, cuts->face_layer[c][p], 1);
            layer_count_in(block, cuts->mass, cubes ? cuts->edge_layer[c][p] : 0, 1);
            layer_count_in(block, cuts->face_mass, cubes ? cuts->face_layer[c][p] : 0, 1);
        }
    }
}

/* Marks of row j: places where some layer counts. */
static void row_mark(struct block *block, int j)
{
    const size_t nx = (size_t)block->cuts->nx;
    const int own = j - block->first + 1;
    uint8_t *marks = block->marks + (size_t)own * nx;
    memset(marks, 0, nx);
    for (int l = 0; l < block->layer_count && j >= 0 && j < block->cuts->ny; l++) {
        const float *values = block->layers[l].values + (size_t)j * nx, plain = block->layers[l].plain;
#pragma omp simd
        for (size_t i = 0; i < nx; i++) {
            marks[i] |= (values[i] != 1) & (values[i] != plain);
        }
    }
    block->any[own] = memchr(marks, 1, nx) != NULL;
}

/* Nodes of row j with a marked neighbour, aslant too; of cubes on the high side alone. Of rows without any nothing is
 * written. */
static void row_spread(struct block *block, int j, uint8_t *out)
{
    const size_t nx = (size_t)block->cuts->nx;
    const int at = j - block->first + 1;
    const uint8_t *own = block->marks + (size_t)at * nx, *low = block->cubes ? own : own - nx, *high = own + nx;
    uint8_t *row = block->row;
    if (!block->any[at] && !block->any[at + 1] && (block->cubes || !block->any[at - 1])) {
        return;
    }
    for (size_t i = 0; i < nx; i++) {
        row[i] = own[i] | low[i] | high[i];
    }
    for (size_t i = 0; i < nx; i++) {
        out[i] = row[i] | row[block->cubes || i == 0 ? i : i - 1] | row[i + 1 < nx ? i + 1 : i];
    }
}

static void block_find(struct block *block, int k, int first, uint8_t *beside)
{
    const int ny = block->cuts->ny;
    layers_find(block, k);
    block->first = first;
    block->end = ny - first < BLOCK_ROWS ? ny : first + BLOCK_ROWS;
    for (int j = block->first - 1; j <= block->end; j++) {
        row_mark(block, j);
    }
    for (int j = block->first; j < block->end; j++) {
        row_spread(block, j, beside + (size_t)j * (size_t)block->cuts->nx);
    }
}

static pw_status blocks_find(const struct metal_volume *cuts, bool cubes, uint8_t *const *beside, pw_error *error)
{
    const int blocks = (cuts->ny + BLOCK_ROWS - 1) / BLOCK_ROWS;
    pw_status status = PW_OK;
#pragma omp parallel
    {
        struct block block = {.cuts = cuts, .cubes = cubes};
        pw_error own = {""};
        block.marks = allocate((BLOCK_ROWS + 2) * (size_t)cuts->nx, 1, "metal", &own);
        block.row = allocate((size_t)cuts->nx, 1, "metal", &own);
        const bool made = block.marks != NULL && block.row != NULL;
#pragma omp for schedule(dynamic, 4)
        for (int n = 0; n < cuts->nz * blocks; n++) {
            if (made && beside[n / blocks] != NULL) {
                block_find(&block, n / blocks, n % blocks * BLOCK_ROWS, beside[n / blocks]);
            }
        }
        FREE_ALL(block.marks, block.row);
#pragma omp critical
        status = made ? status : fail(error, PW_NO_RESOURCE, "%s", own.message);
    }
    return status;
}

pw_status metal_beside_find(const struct metal_volume *cuts, const bool *wanted, bool cubes, uint8_t **beside,
                            pw_error *error)
{
    for (int k = 0; k < cuts->nz; k++) {
        if (wanted[k]) {
            beside[k] = allocate((size_t)cuts->nx * (size_t)cuts->ny, 1, "metal", error);
            TRY_MADE(beside[k]);
        }
    }
    return blocks_find(cuts, cubes, beside, error);
}

void metal_beside_free(const struct metal_volume *cuts, uint8_t **beside)
{
    for (int k = 0; k < cuts->nz && beside != NULL; k++) {
        free(beside[k]);
    }
    free(beside);
}

bool *metal_levels_apart(const struct metal_volume *cuts, int first, int last, pw_error *error)
{
    bool *apart = allocate((size_t)cuts->nz, sizeof *apart, "metal", error);
    for (int k = 0; k < cuts->nz && apart != NULL; k++) {
        bool seen = metal_level_plain(cuts, k);
        for (int other = 0; other < k && !seen; other++) {
            seen = metal_levels_alike(cuts, k, other, first, last);
        }
        apart[k] = !seen;
    }
    return apart;
}
