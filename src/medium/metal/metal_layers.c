/* Passes over the layers of a volume (metal_layers.h). */
#include "medium/metal/metal_layers.h"

#include <stdlib.h>
#include <string.h>

static bool find_metal(const struct metal_layers *layers, const uint16_t *layer)
{
    const size_t nodes = (size_t)layers->medium->nx * (size_t)layers->medium->ny;
    bool some = false;
    for (size_t n = 0; n < nodes && !some; n++) {
        some = metal_is_conductor(layers, layer[n]);
    }
    return some;
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
    if (index == NULL || has_metal == NULL) {
        return fail(error, PW_NO_RESOURCE, "not enough memory for %lld layers of the medium", (long long)capacity);
    }
    layers->capacity = capacity;
    return PW_OK;
}

/* The layer of `around`'s component with what the pass changes, as a new one; *layer stays where that is nothing. */
static pw_status layer_pass(struct metal_layers *layers, const struct metal_pass *pass,
                            const struct metal_around *around, int *layer, pw_error *error)
{
    struct medium *medium = layers->medium;
    const int nx = medium->nx, ny = medium->ny;
    const size_t nodes = (size_t)nx * (size_t)ny;
    int64_t changed = 0;
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : changed)
    for (int j = 0; j < ny; j++) {
        uint16_t *code = layers->code + (size_t)j * (size_t)nx;
        for (int i = 0; i < nx; i++) {
            code[i] = pass->see(pass, layers, around, i, j);
            changed += code[i] != 0;
        }
    }
    if (changed == 0) {
        return PW_OK;
    }
    TRY(layers_grow(layers, error));
    uint16_t *own = medium->index + (size_t)medium->layer_count * nodes;
    memcpy(own, medium->index + (size_t)*layer * nodes, nodes * sizeof *own);
    for (size_t n = 0; n < nodes; n++) {
        if (layers->code[n] != 0 && pass->take == NULL) {
            own[n] = layers->conductor;
        } else if (layers->code[n] != 0) {
            TRY(pass->take(pass, layers, layers->code[n], &own[n], error));
        }
    }
    layers->has_metal[medium->layer_count] = layers->has_metal[*layer] || pass->take == NULL;
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
    bool enough = layers->is_conductor != NULL && layers->has_metal != NULL && layers->classes != NULL &&
                  layers->answers != NULL && layers->code != NULL;
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
        layers->has_metal[l] = find_metal(layers, medium->index + (size_t)l * nodes);
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
    for (int c = 0; c < 3; c++) {
        free(layers->before[c]);
        free(layers->next[c]);
    }
}
