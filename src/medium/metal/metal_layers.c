/* Passes over the layers of a volume (metal_layers.h). */
#include "medium/metal/metal_layers.h"

#include <stdlib.h>
#include <string.h>

static uint8_t *blocks_of(const struct metal_layers *layers, int64_t layer)
{
    return layers->blocks + (size_t)layer * (size_t)layers->medium->ny * (size_t)layers->block_count;
}

/* Which blocks of a layer hold metal, and whether any does. */
static void find_metal(struct metal_layers *layers, int64_t layer)
{
    const int nx = layers->medium->nx, ny = layers->medium->ny, count = layers->block_count;
    const uint16_t *index = layers->medium->index + (size_t)layer * (size_t)nx * (size_t)ny;
    bool some = false;
#pragma omp parallel for schedule(static) reduction(|| : some)
    for (int j = 0; j < ny; j++) {
        uint8_t *block = blocks_of(layers, layer) + (size_t)j * (size_t)count;
        memset(block, 0, (size_t)count);
        for (int i = 0; i < nx; i++) {
            const bool metal = metal_is_conductor(layers, index[(size_t)j * (size_t)nx + (size_t)i]);
            block[i / METAL_BLOCK] |= metal;
            some = some || metal;
        }
    }
    layers->has_metal[layer] = some;
}

bool metal_layers_any(const struct medium *medium)
{
    bool metal = false;
    for (int p = 0; p < medium->palette_count; p++) {
        metal = metal || medium->palette[p].perfect_conductor;
    }
    return metal;
}

/* ---- a pass ------------------------------------------------------------------------------------------------------ */

static pw_status layers_grow(struct metal_layers *layers, pw_error *error)
{
    struct medium *medium = layers->medium;
    if (medium->layer_count < layers->capacity) {
        return PW_OK;
    }
    const size_t bytes = (size_t)medium->nx * (size_t)medium->ny * sizeof *medium->index;
    const int64_t capacity = layers->capacity + 8 + layers->capacity / 4;
    uint16_t *index = realloc(medium->index, (size_t)capacity * bytes);
    medium->index = index != NULL ? index : medium->index;
    uint8_t *has_metal = realloc(layers->has_metal, (size_t)capacity);
    layers->has_metal = has_metal != NULL ? has_metal : layers->has_metal;
    uint8_t *blocks = realloc(layers->blocks, (size_t)capacity * (size_t)medium->ny * (size_t)layers->block_count);
    layers->blocks = blocks != NULL ? blocks : layers->blocks;
    if (index == NULL || has_metal == NULL || blocks == NULL) {
        return fail(error, PW_NO_RESOURCE, "not enough memory for %lld layers of the medium", (long long)capacity);
    }
    layers->capacity = capacity;
    return PW_OK;
}

/* The layers around that hold metal, each once where they are the same from level to level; how many. */
static int layers_around(const struct metal_layers *layers, const struct metal_around *around,
                         const uint8_t *blocks[3 * 2 * METAL_WINDOW])
{
    int count = 0;
    for (int d = 0; d < 3; d++) {
        for (int n = 0; n < METAL_WINDOW; n++) {
            const int now = around->now[d][n], before = around->before[d][n];
            if (now >= 0 && layers->has_metal[now] && (n == 0 || now != around->now[d][n - 1])) {
                blocks[count++] = blocks_of(layers, now);
            }
            if (before >= 0 && layers->has_metal[before] && before != now) {
                blocks[count++] = blocks_of(layers, before);
            }
        }
    }
    return count;
}

static void row_add(uint8_t *row, const uint8_t *other, int count)
{
    for (int b = 0; b < count; b++) {
        row[b] |= other[b];
    }
}

/* The blocks that have metal near them in any of the layers around. */
static void find_near(const struct metal_layers *layers, const struct metal_around *around)
{
    const int ny = layers->medium->ny, count = layers->block_count;
    const uint8_t *blocks[3 * 2 * METAL_WINDOW];
    const int some = layers_around(layers, around, blocks);
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int j = 0; j < ny; j++) {
            uint8_t *seen = layers->seen + (size_t)j * (size_t)count;
            memset(seen, 0, (size_t)count);
            for (int l = 0; l < some; l++) {
                row_add(seen, blocks[l] + (size_t)j * (size_t)count, count);
            }
        }
#pragma omp for schedule(static)
        for (int j = 0; j < ny; j++) {
            uint8_t *near = layers->near + (size_t)j * (size_t)count;
            memset(near, 0, (size_t)count);
            for (int row = j < METAL_NEAR ? 0 : j - METAL_NEAR; row < ny && row <= j + METAL_NEAR; row++) {
                row_add(near, layers->seen + (size_t)row * (size_t)count, count);
            }
            for (int b = 0, left = 0; b < count; b++) { /* and the blocks beside them */
                const int own = near[b], right = b + 1 < count ? near[b + 1] : 0;
                near[b] = (uint8_t)(left | own | right);
                left = own;
            }
        }
    }
}

/* Columns of a block near metal; false: the block is not. */
static bool block_columns(const struct metal_layers *layers, int j, int b, int *first, int *end)
{
    const int nx = layers->medium->nx;
    *first = b * METAL_BLOCK;
    *end = *first + METAL_BLOCK < nx ? *first + METAL_BLOCK : nx;
    return layers->near[(size_t)j * (size_t)layers->block_count + (size_t)b] != 0;
}

/* What the pass says of row j; how many places it changes. */
static int64_t row_see(const struct metal_layers *layers, const struct metal_pass *pass,
                       const struct metal_around *around, int j)
{
    uint16_t *code = layers->code + (size_t)j * (size_t)layers->medium->nx;
    int64_t changed = 0;
    for (int b = 0, first, end; b < layers->block_count; b++) {
        if (!block_columns(layers, j, b, &first, &end)) {
            continue;
        }
        for (int i = first; i < end; i++) {
            code[i] = pass->see(pass, layers, around, i, j);
            changed += code[i] != 0;
        }
    }
    return changed;
}

/* Turns what the pass says of row j into entries of the palette, in the order of the places. */
static pw_status row_take(struct metal_layers *layers, const struct metal_pass *pass, int j, uint16_t *own,
                          pw_error *error)
{
    const uint16_t *code = layers->code + (size_t)j * (size_t)layers->medium->nx;
    for (int b = 0, first, end; b < layers->block_count; b++) {
        if (!block_columns(layers, j, b, &first, &end)) {
            continue;
        }
        for (int i = first; i < end; i++) {
            if (code[i] != 0) {
                TRY(pass->take(pass, layers, code[i], &own[i], error));
            }
        }
    }
    return PW_OK;
}

static void row_hold(const struct metal_layers *layers, int j, uint16_t *own)
{
    const uint16_t *code = layers->code + (size_t)j * (size_t)layers->medium->nx;
    for (int b = 0, first, end; b < layers->block_count; b++) {
        if (block_columns(layers, j, b, &first, &end)) {
            for (int i = first; i < end; i++) {
                own[i] = code[i] != 0 ? layers->conductor : own[i];
            }
        }
    }
}

/* The layer of `around`'s component with what the pass changes, as a new one; *layer stays where that is nothing. */
static pw_status layer_pass(struct metal_layers *layers, const struct metal_pass *pass,
                            const struct metal_around *around, int *layer, pw_error *error)
{
    struct medium *medium = layers->medium;
    const int nx = medium->nx, ny = medium->ny;
    const size_t nodes = (size_t)nx * (size_t)ny;
    int64_t changed = 0;
    find_near(layers, around);
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : changed)
    for (int j = 0; j < ny; j++) {
        changed += row_see(layers, pass, around, j);
    }
    if (changed == 0) {
        return PW_OK;
    }
    TRY(layers_grow(layers, error));
    uint16_t *own = medium->index + (size_t)medium->layer_count * nodes;
    const uint16_t *from = medium->index + (size_t)*layer * nodes;
#pragma omp parallel for schedule(static)
    for (int j = 0; j < ny; j++) {
        uint16_t *row = own + (size_t)j * (size_t)nx;
        memcpy(row, from + (size_t)j * (size_t)nx, (size_t)nx * sizeof *row);
        if (pass->take == NULL) {
            row_hold(layers, j, row);
        }
    }
    for (int j = 0; j < ny && pass->take != NULL; j++) {
        TRY(row_take(layers, pass, j, own + (size_t)j * (size_t)nx, error));
    }
    find_metal(layers, medium->layer_count);
    *layer = medium->layer_count++;
    return PW_OK;
}

/* What the level sees; false: no metal. */
static bool look_around(const struct metal_layers *layers, int c, int k, int far, struct metal_around *around)
{
    const struct medium *medium = layers->medium;
    bool metal = false;
    memset(around, 0, sizeof *around);
    around->component = c;
    around->level = -1;
    for (int d = 0; d < 3; d++) {
        for (int n = -far; n <= far; n++) {
            const int level = medium->nz == 1 ? 0 : k + n; /* one layer: nothing changes along z */
            const bool inside = level >= 0 && level < medium->nz;
            around->now[d][METAL_WINDOW / 2 + n] = inside ? medium->layer[d][level] : -1;
            around->before[d][METAL_WINDOW / 2 + n] = inside ? layers->before[d][level] : -1;
            metal = metal || (inside && layers->has_metal[medium->layer[d][level]]);
        }
    }
    return metal;
}

static pw_status level_pass(struct metal_layers *layers, const struct metal_pass *pass, int c, int k, pw_error *error)
{
    struct metal_around around;
    int *layer = &layers->next[c][k];
    if (!look_around(layers, c, k, pass->far, &around)) {
        return PW_OK;
    }
    if (pass->look != NULL) {
        pass->look(pass, layers, k, &around);
    }
    for (int n = layers->class_count - 1; n >= 0; n--) {
        if (memcmp(&layers->classes[n], &around, sizeof around) == 0) {
            *layer = layers->answers[n];
            return PW_OK;
        }
    }
    TRY(layer_pass(layers, pass, &around, layer, error));
    layers->classes[layers->class_count] = around;
    layers->answers[layers->class_count++] = *layer;
    return PW_OK;
}

pw_status metal_layers_pass(struct metal_layers *layers, const struct metal_pass *pass, pw_error *error)
{
    struct medium *medium = layers->medium;
    const size_t bytes = (size_t)medium->nz * sizeof(int);
    layers->class_count = 0;
    for (int c = 0; c < 3; c++) {
        memcpy(layers->next[c], medium->layer[c], bytes);
        for (int k = 0; k < medium->nz && c != pass->leave; k++) {
            TRY(level_pass(layers, pass, c, k, error));
        }
    }
    for (int c = 0; c < 3; c++) {
        memcpy(medium->layer[c], layers->next[c], bytes);
    }
    return PW_OK;
}

/* ---- before and after -------------------------------------------------------------------------------------------- */

/* Layers that no level has any more make room. */
static pw_status layers_compact(struct metal_layers *layers, pw_error *error)
{
    struct medium *medium = layers->medium;
    const size_t nodes = (size_t)medium->nx * (size_t)medium->ny;
    int *place = allocate((size_t)medium->layer_count, sizeof *place, "the layers of the medium", error);
    if (place == NULL) {
        return PW_NO_RESOURCE;
    }
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < medium->nz; k++) {
            place[medium->layer[c][k]] = 1;
        }
    }
    int count = 0;
    for (int l = 0; l < medium->layer_count; l++) {
        if (place[l] == 1) {
            memmove(medium->index + (size_t)count * nodes, medium->index + (size_t)l * nodes,
                    nodes * sizeof *medium->index);
            place[l] = count++;
        }
    }
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < medium->nz; k++) {
            medium->layer[c][k] = place[medium->layer[c][k]];
        }
    }
    medium->layer_count = count;
    free(place);
    return PW_OK;
}

/* Whether a pass has changed component c at a place, or it is a conductor. */
static bool is_changed(const struct metal_layers *layers, const struct metal_around *around, int c, int i, int j)
{
    const int entry = metal_entry(layers, around->now, c, i, j, 0);
    return entry >= layers->plain_count || (entry >= 0 && layers->is_conductor[entry]);
}

/* Tensors stand where none of the four places beside the node was changed. */
static void tensors_drop(const struct metal_layers *layers)
{
    struct medium *medium = layers->medium;
    int64_t kept = 0;
    for (int64_t t = 0; t < medium->tensor_count; t++) {
        const int64_t node = medium->tensor[t].node, nx = medium->nx, ny = medium->ny;
        const int i = (int)(node % nx), j = (int)(node / nx % ny), k = (int)(node / nx / ny);
        struct metal_around around;
        look_around(layers, 0, k, 0, &around);
        if (!is_changed(layers, &around, 0, i, j) && !is_changed(layers, &around, 0, i - 1, j) &&
            !is_changed(layers, &around, 1, i, j) && !is_changed(layers, &around, 1, i, j - 1)) {
            medium->tensor[kept++] = medium->tensor[t];
        }
    }
    medium->tensor_count = kept;
}

pw_status metal_layers_finish(struct metal_layers *layers, pw_error *error)
{
    tensors_drop(layers);
    return layers_compact(layers, error);
}

pw_status metal_layers_create(struct medium *medium, struct metal_layers *layers, pw_error *error)
{
    static const char what[] = "the layers at metal";
    const size_t nz = (size_t)medium->nz, nodes = (size_t)medium->nx * (size_t)medium->ny;
    *layers =
        (struct metal_layers){.medium = medium, .capacity = medium->layer_count, .plain_count = medium->palette_count};
    layers->is_conductor = allocate((size_t)medium->palette_count, 1, what, error);
    layers->has_metal = allocate((size_t)layers->capacity, 1, what, error);
    layers->classes = allocate(3 * nz, sizeof *layers->classes, what, error);
    layers->answers = allocate(3 * nz, sizeof *layers->answers, what, error);
    layers->code = allocate(nodes, sizeof *layers->code, what, error);
    layers->block_count = (medium->nx + METAL_BLOCK - 1) / METAL_BLOCK;
    const size_t blocks = (size_t)medium->ny * (size_t)layers->block_count;
    layers->blocks = allocate((size_t)layers->capacity * blocks, 1, what, error);
    layers->seen = allocate(blocks, 1, what, error);
    layers->near = allocate(blocks, 1, what, error);
    bool enough = layers->is_conductor != NULL && layers->has_metal != NULL && layers->classes != NULL &&
                  layers->answers != NULL && layers->code != NULL && layers->blocks != NULL && layers->seen != NULL &&
                  layers->near != NULL;
    for (int c = 0; c < 3 && enough; c++) {
        layers->before[c] = allocate(nz, sizeof(int), what, error);
        layers->next[c] = allocate(nz, sizeof(int), what, error);
        enough = layers->before[c] != NULL && layers->next[c] != NULL;
        if (enough) {
            memcpy(layers->before[c], medium->layer[c], nz * sizeof(int));
        }
    }
    for (int p = 0; p < medium->palette_count && enough; p++) {
        layers->is_conductor[p] = medium->palette[p].perfect_conductor;
        layers->conductor = medium->palette[p].perfect_conductor ? (uint16_t)p : layers->conductor;
    }
    for (int l = 0; l < medium->layer_count && enough; l++) {
        find_metal(layers, l);
    }
    return enough ? PW_OK : PW_NO_RESOURCE;
}

void metal_layers_free(struct metal_layers *layers)
{
    free(layers->is_conductor);
    free(layers->has_metal);
    free(layers->classes);
    free(layers->answers);
    free(layers->code);
    free(layers->blocks);
    free(layers->seen);
    free(layers->near);
    for (int c = 0; c < 3; c++) {
        free(layers->before[c]);
        free(layers->next[c]);
    }
}
