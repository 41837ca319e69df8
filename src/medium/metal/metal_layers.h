/* What is done at metal once a volume has its layers and its palette: passes over all components and levels, each of
 * which makes new layers of those that it changes. A pass is made once for all levels that see the same layers. */
#ifndef METAL_LAYERS_H
#define METAL_LAYERS_H

#include "medium/raster.h"

/* Planes of a sheet at most, one more where it is not straight; levels that a place looks at. No place is changed that
 * has no metal within METAL_NEAR columns or rows; blocks of METAL_BLOCK columns are asked first whether they have. */
enum { METAL_PLANES = 8, METAL_WINDOW = 2 * METAL_PLANES + 3, METAL_NEAR = METAL_PLANES + 1, METAL_BLOCK = 64 };

/* What a place sees: the layers around its level, of all components, now and before any pass; -1 beyond the grid. */
struct metal_around {
    int component;
    int level;   /* of one level alone; -1: a pass sees the same at all that have these layers */
    int band[2]; /* of the building: at the level, and right under it */
    int now[3][METAL_WINDOW], before[3][METAL_WINDOW];
};

struct metal_layers {
    struct medium *medium;        /* borrowed */
    uint16_t conductor;           /* its entry of the palette */
    int plain_count;              /* entries of the palette before any pass */
    int64_t capacity;             /* of layers */
    uint8_t *is_conductor;        /* (plain_count), owned */
    uint8_t *has_metal;           /* (capacity), owned: whether a layer holds some metal */
    int block_count;              /* of a row */
    uint8_t *blocks;              /* (capacity, ny, block_count), owned: which blocks of columns hold some */
    int *before[3], *next[3];     /* (nz), owned: the layers of the levels before all passes; after the one at hand */
    struct metal_around *classes; /* (3 nz), owned: what the pass at hand has met */
    int *answers;                 /* (3 nz), owned: the layers they became */
    int class_count;
    uint16_t *code;       /* (ny, nx), owned: what the pass says of each place that is near metal */
    uint8_t *seen, *near; /* (ny, block_count), owned: metal in the layers that are seen; and near the block */
};

struct metal_pass {
    const void *own;
    int far;   /* levels that it looks at upwards and downwards */
    int leave; /* a component that it leaves alone; -1: none */
    /* 0: the place (i, j) stays as it is; else what `take` turns into an entry of the palette */
    uint16_t (*see)(const struct metal_pass *pass, const struct metal_layers *layers, const struct metal_around *around,
                    int i, int j);
    /* *entry: of the palette. NULL: a conductor */
    pw_status (*take)(const struct metal_pass *pass, struct metal_layers *layers, uint16_t code, uint16_t *entry,
                      pw_error *error);
    /* Fills in level and bands of `around`; NULL: they do not matter */
    void (*look)(const struct metal_pass *pass, const struct metal_layers *layers, int k, struct metal_around *around);
};

/* Whether the medium has any metal. */
bool metal_layers_any(const struct medium *medium);
/* After a failure too, metal_layers_free. */
pw_status metal_layers_create(struct medium *medium, struct metal_layers *layers, pw_error *error);
pw_status metal_layers_pass(struct metal_layers *layers, const struct metal_pass *pass, pw_error *error);
/* Drops layers that no level has any more, and tensors beside places that a pass has changed. */
pw_status metal_layers_finish(struct metal_layers *layers, pw_error *error);
void metal_layers_free(struct metal_layers *layers);

/* Whether an entry of the palette is a conductor. */
static inline bool metal_is_conductor(const struct metal_layers *layers, uint16_t entry)
{
    return entry < layers->plain_count && layers->is_conductor[entry];
}

/* The entry of component c at (i, j) in the layer `offset` levels away, of those now or before; -1: beyond the grid. */
static inline int metal_entry(const struct metal_layers *layers, const int (*seen)[METAL_WINDOW], int c, int i, int j,
                              int offset)
{
    const struct medium *medium = layers->medium;
    const int layer = seen[c][METAL_WINDOW / 2 + offset];
    return i < 0 || j < 0 || i >= medium->nx || j >= medium->ny || layer < 0
               ? -1
               : medium->index[((size_t)layer * (size_t)medium->ny + (size_t)j) * (size_t)medium->nx + (size_t)i];
}

/* Whether it is a conductor; beyond the grid: `outside`. */
static inline bool metal_holds(const struct metal_layers *layers, const int (*seen)[METAL_WINDOW], int c, int i, int j,
                               int offset, bool outside)
{
    const int entry = metal_entry(layers, seen, c, i, j, offset);
    return entry < 0 ? outside : metal_is_conductor(layers, (uint16_t)entry);
}

#endif
