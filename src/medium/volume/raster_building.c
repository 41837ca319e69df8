/* From a building to the medium at the nodes of Ex, Ey and Ez (raster.h, physics.md section 9). Layers
 * (volume_layers.h) are averaged band of rows by band of rows (volume_side.h); here the values become mixtures, and the
 * mixtures a palette. */
#include "medium/metal/metal_volume.h"
#include "medium/mixture.h"
#include "medium/plan_exchanged.h"
#include "medium/volume/sheets_volume.h"
#include "medium/volume/volume_side.h"

#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Layers first .. first + count - 1 of the rows from `row` on, at one side. */
struct raster_part {
    int side, first, count, row;
};

struct building_task {
    const struct building *building; /* thin lossy layers without their loss */
    const struct raster_volume *volume;
    enum averaging averaging;
    struct floorplan *exchanged; /* (band_count), owned: the bands with x and y exchanged */
    struct volume_side side[2];  /* as it is; x and y exchanged */
    struct volume_layers layers;
    struct raster_part *parts; /* (part_count), owned: in the order in which mixtures are numbered */
    int part_count;
    struct mixture_table table;
    uint32_t *index;           /* (layers.count, ny, nx) into the table, owned */
    struct tilted_node *nodes; /* (node_count), owned: off-diagonal parts, by layer of Ey */
    int64_t node_count, node_capacity;
    int64_t raised_nodes;
};

/* ---- values ---- */

/* What metal makes of the edges of row `row` in a layer, every `step` values: their parts, or what permittivity and
 * conductivity there are multiplied by, the shares of volume. NULL: all are 1. */
static const float *row_of_cuts(const struct building_task *task, const struct volume_layer *layer,
                                float *const *layers, int row, size_t *step)
{
    const size_t nx = (size_t)task->volume->plane.nx;
    const bool turned = layer->component == 0; /* of Ex the rows are columns of the plan */
    *step = turned ? nx : 1;
    return layer->cut > 0 ? layers[layer->cut] + (size_t)row * (turned ? 1 : nx) : NULL;
}

/* Nodes of a row that metal holds in the layer: conductor instead of what stands there. */
static void row_hold(const struct building_task *task, const struct volume_layer *layer, const struct side_work *work,
                     size_t row, uint32_t *out)
{
    const struct metal_cells *cells = task->volume->metal;
    const struct metal_volume *cuts = task->volume->cuts;
    const int nx = task->side[layer->component == 0].tasks->grid.nx, across = work->first + (int)row;
    size_t step = 0;
    const float *parts = cuts != NULL ? row_of_cuts(task, layer, cuts->edge, across, &step) : NULL;
    bool some = cells != NULL || parts != NULL;
    for (int b = 0; b < task->layers.band_count && !some && cuts == NULL; b++) {
        some = layer->metal[b] && work->holds[b];
    }
    for (int i = 0; some && i < nx; i++) {
        const float part = parts != NULL ? parts[(size_t)i * step] : METAL_STAIRCASE;
        bool held = part == 0;
        for (int b = 0; b < task->layers.band_count && !held && part == METAL_STAIRCASE; b++) {
            held = layer->metal[b] && work->holds[b] &&
                   work->metal[((size_t)b * BAND_ROWS + row) * (size_t)nx + (size_t)i];
        }
        if (cells != NULL && layer->component < 2) {
            held = layer->component == 0 ? metal_cells_hold(cells, 0, across, i, held)
                                         : metal_cells_hold(cells, 1, i, across, held);
        }
        if (held) {
            out[i] = (uint32_t)task->table.conductor;
        }
    }
}

/* The off-diagonal parts of the part, with layers counted from the first of all. */
static pw_status part_nodes(struct building_task *task, const struct raster_part *part, const struct side_work *work,
                            pw_error *error)
{
    const struct tilted_work *tilted = &work->tilted;
    if (task->node_count + tilted->node_count > task->node_capacity) {
        size_t capacity = 2 * (size_t)(task->node_count + tilted->node_count);
        struct tilted_node *nodes = realloc(task->nodes, capacity * sizeof *nodes);
        FAIL_IF(nodes == NULL, error, PW_NO_RESOURCE, "not enough memory for %zu nodes at oblique walls", capacity);
        task->nodes = nodes;
        task->node_capacity = (int64_t)capacity;
    }
    for (int64_t n = 0; n < tilted->node_count; n++) {
        struct tilted_node node = tilted->nodes[n];
        node.layer += part->first;
        task->nodes[task->node_count++] = node;
    }
    return PW_OK;
}

/* What a thread works with: a part's values become mixtures of its own, numbered anew in every part; then those become
 * mixtures of all, part by part in order, so that their numbers do not depend on how many threads there are. */
struct part_work {
    struct side_work side[2];
    struct mixture_table own;
    uint32_t *index;  /* (layers of a part, BAND_ROWS, nx), owned: into `own` */
    uint32_t *number; /* (number_capacity), owned: of own mixtures among those of all */
    int64_t number_capacity;
};

static uint32_t *part_row(const struct building_task *task, const struct raster_part *part,
                          const struct part_work *work, int l, int j)
{
    return work->index + ((size_t)l * BAND_ROWS + (size_t)j) * (size_t)task->side[part->side].tasks->grid.nx;
}

/* The mixture of a share of a cell's volume, which is a share of what the set-up makes of the medium there. */
static pw_status share_find(const struct building_task *task, struct mixture_table *table, double share,
                            double value[2], uint32_t *index, pw_error *error)
{
    const struct raster_grid *grid = &task->volume->plane;
    if (share != 1) {
        mixture_to_grid(&task->building->bands[0], grid, value);
        value[0] *= share;
        value[1] *= share;
        mixture_from_grid(&task->building->bands[0], grid, value);
    }
    return mixture_find(table, value[0], value[1], index, error);
}

static pw_status part_collect(const struct building_task *task, const struct raster_part *part, struct part_work *work,
                              pw_error *error)
{
    const struct volume_side *side = &task->side[part->side];
    const struct side_work *values = &work->side[part->side];
    const struct metal_volume *cuts = task->volume->cuts;
    const size_t nx = (size_t)side->tasks->grid.nx;
    mixture_table_begin(&work->own);
    for (int l = 0; l < part->count; l++) {
        const struct volume_layer *layer = &task->layers.list[part->first + l];
        for (int j = 0; j < values->rows; j++) {
            const double *permittivity = side_value(side, values, l, 0, j);
            const double *conductivity = side_value(side, values, l, 1, j);
            uint32_t *row = part_row(task, part, work, l, j), last = 0;
            double share = 1;
            size_t step = 0, alike = 0;
            const float *shares = cuts != NULL ? row_of_cuts(task, layer, cuts->mass, values->first + j, &step) : NULL;
            for (size_t i = 0; i < nx; i++) {
                const double own = shares != NULL ? shares[i * step] : 1;
                if (i == 0 || permittivity[i] != permittivity[i - 1] || conductivity[i] != conductivity[i - 1] ||
                    own != share) {
                    share = own;
                    TRY(share_find(task, &work->own, share, (double[2]){permittivity[i], conductivity[i]}, &last,
                                   error));
                }
                row[i] = last;
            }
            row_hold(task, layer, values, (size_t)j, row);
            for (size_t i = 0; i < nx; i += alike) {
                for (alike = 1; i + alike < nx && row[i + alike] == row[i];) {
                    alike++;
                }
                work->own.values[row[i]].nodes += (int64_t)alike * layer->levels;
            }
        }
    }
    if (work->number_capacity < work->own.count) {
        uint32_t *number = realloc(work->number, work->own.room * sizeof *number);
        FAIL_IF(number == NULL, error, PW_NO_RESOURCE, "not enough memory for the mixtures of some rows");
        work->number = number;
        work->number_capacity = (int64_t)work->own.room;
    }
    return PW_OK;
}

/* Into task->index, of Ex with x and y exchanged again. */
static void part_store(const struct building_task *task, const struct raster_part *part, const struct part_work *work)
{
    const struct raster_grid *grid = &task->side[part->side].tasks->grid;
    const size_t nx = (size_t)grid->nx, ny = (size_t)grid->ny;
    const size_t along_x = part->side == 0 ? 1 : ny, along_y = part->side == 0 ? nx : 1;
    for (int l = 0; l < part->count; l++) {
        uint32_t *out = task->index + (size_t)(part->first + l) * nx * ny + (size_t)part->row * along_y;
        for (int j = 0; j < work->side[part->side].rows; j++) {
            const uint32_t *row = part_row(task, part, work, l, j);
            for (size_t i = 0; i < nx; i++) {
                out[(size_t)j * along_y + i * along_x] = work->number[row[i]];
            }
        }
    }
}

/* ---- parts ---- */

/* As many layers of one component at a time as a thread has room for; the layers that are numbered together one after
 * the other, before the next rows. */
static pw_status parts_create(struct building_task *task, pw_error *error)
{
    const struct volume_layers *layers = &task->layers;
    size_t capacity = 0;
    for (int s = 0; s < 2; s++) {
        size_t row_bands = ((size_t)task->side[s].tasks->grid.ny + BAND_ROWS - 1) / BAND_ROWS;
        capacity += row_bands * (size_t)layers->count;
    }
    task->parts = allocate(capacity, sizeof *task->parts, "the rows of the medium", error);
    TRY_MADE(task->parts);
    for (int first = 0, end; first < layers->count; first = end) {
        const int component = layers->list[first].component, side = component == 0,
                  numbered = side_layers_numbered(&task->side[side], layers->count),
                  most = side_layer_limit(&task->side[side], layers->count);
        end = first + 1;
        while (end < first + numbered && end < layers->count && layers->list[end].component == component) {
            end++;
        }
        for (int row = 0; row < task->side[side].tasks->grid.ny; row += BAND_ROWS) {
            for (int l = first; l < end; l += most) {
                const int count = end - l < most ? end - l : most;
                task->parts[task->part_count++] = (struct raster_part){side, l, count, row};
            }
        }
    }
    return PW_OK;
}

/* The bands that some of the layers see. */
static void bands_use(const struct volume_layer *layers, int count, int band_count, struct side_work *work)
{
    for (int b = 0; b < band_count; b++) {
        work->used[b] = false;
        for (int l = 0; l < count; l++) {
            const struct volume_layer *layer = &layers[l];
            work->used[b] = work->used[b] || layer->weighted[b] != 0 || layer->box[b] != 0 || layer->metal[b];
        }
    }
}

static pw_status part_average(const struct building_task *task, const struct raster_part *part, struct side_work *work,
                              pw_error *error)
{
    const struct volume_side *side = &task->side[part->side];
    const struct volume_layer *layers = &task->layers.list[part->first];
    const int ny = side->tasks->grid.ny;
    work->first = part->row;
    work->rows = ny - part->row < BAND_ROWS ? ny - part->row : BAND_ROWS;
    work->tilted.node_count = 0;
    bands_use(layers, part->count, task->layers.band_count, work);
    if (task->averaging == AVERAGING_POINT) {
        volume_side_sample(side, layers, part->count, work);
        return PW_OK;
    }
    return volume_side_average(side, layers, part->count, work, error);
}

static pw_status part_work_create(const struct building_task *task, struct part_work *work, pw_error *error)
{
    size_t values = 0;
    for (int s = 0; s < 2; s++) {
        TRY(side_work_create(&task->side[s], task->layers.count, &work->side[s], error));
        const size_t own = (size_t)work->side[s].layer_limit * BAND_ROWS * (size_t)task->side[s].tasks->grid.nx;
        values = own > values ? own : values;
    }
    work->index = allocate(values, sizeof *work->index, "the rows of the medium", error);
    return work->index != NULL ? mixture_table_create(&task->building->bands[0], &work->own, error) : PW_NO_RESOURCE;
}

static void part_work_free(const struct building_task *task, struct part_work *work)
{
    for (int s = 0; s < 2; s++) {
        side_work_free(&task->side[s], &work->side[s]);
    }
    mixture_table_free(&work->own);
    free(work->index);
    free(work->number);
}

/* Parts in parallel; what they have in common in order. */
static pw_status parts_raster(struct building_task *task, pw_error *error)
{
    pw_status status = PW_OK;
    atomic_bool ended = false;
#pragma omp parallel
    {
        struct part_work work = {0};
        pw_error own_error = {""};
        pw_status own_status = part_work_create(task, &work, &own_error);
#pragma omp for ordered schedule(dynamic, 1)
        for (int p = 0; p < task->part_count; p++) {
            const struct raster_part *part = &task->parts[p];
            bool numbered = false;
            if (atomic_load(&ended)) {
                continue;
            }
            THEN(own_status, raster_still_wanted(&task->side[part->side].tasks->grid, &own_error));
            THEN(own_status, part_average(task, part, &work.side[part->side], &own_error));
            THEN(own_status, part_collect(task, part, &work, &own_error));
#pragma omp ordered
            {
                if (own_status == PW_OK && status == PW_OK) {
                    own_status = part_nodes(task, part, &work.side[part->side], &own_error);
                }
                if (own_status == PW_OK && status == PW_OK) {
                    own_status = mixture_table_add(&task->table, &work.own, work.number, &own_error);
                    numbered = own_status == PW_OK;
                }
                if (own_status != PW_OK && status == PW_OK) {
                    status = fail(error, own_status, "%s", own_error.message);
                    atomic_store(&ended, true);
                }
            }
            if (numbered) { /* not after a failure elsewhere */
                part_store(task, part, &work);
            }
        }
#pragma omp atomic
        task->raised_nodes += work.side[0].raised + work.side[1].raised;
        part_work_free(task, &work);
    }
    return status;
}

/* ---- the palette ---- */

/* Indices into the palette, written over those into the table: half the size, so that the first half of what is left
 * lies where everything has been read. */
static void index_reduce(struct building_task *task, const uint16_t *map, struct medium *medium)
{
    const size_t count = (size_t)task->layers.count * (size_t)medium->nx * (size_t)medium->ny;
    unsigned char *bytes = (unsigned char *)task->index;
    for (size_t first = 0, end = 1; first < count; first = end, end *= 2) {
        end = end < count ? end : count;
#pragma omp parallel for schedule(static) if (end - first > 65536)
        for (size_t n = first; n < end; n++) {
            uint32_t value;
            memcpy(&value, bytes + n * sizeof value, sizeof value);
            memcpy(bytes + n * sizeof *map, &map[value], sizeof *map);
        }
    }
    medium->index = (uint16_t *)(void *)task->index;
    task->index = NULL;
}

static uint64_t layer_hash(const uint16_t *layer, size_t nodes)
{
    uint64_t hash = 0;
    for (size_t n = 0; n < nodes; n++) {
        hash = (hash ^ layer[n]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash;
}

/* What layers become: `left` is the number among those that are left. */
struct layer_place {
    uint64_t hash;
    int left, first; /* first: of those that are left, the layer that it was */
};

/* Layers that came out the same are one: the air over and under the building, and components that see no face.
 * `places` is work space for as many as there are layers. */
static void layers_join(struct building_task *task, struct layer_place *places, struct medium *medium)
{
    const size_t nodes = (size_t)medium->nx * (size_t)medium->ny, bytes = nodes * sizeof *medium->index;
#pragma omp parallel for schedule(dynamic, 1)
    for (int l = 0; l < task->layers.count; l++) {
        places[l].hash = layer_hash(medium->index + (size_t)l * nodes, nodes);
    }
    for (int l = 0; l < task->layers.count; l++) {
        const uint16_t *layer = medium->index + (size_t)l * nodes;
        int same = 0;
        while (same < medium->layer_count && (places[places[same].first].hash != places[l].hash ||
                                              memcmp(medium->index + (size_t)same * nodes, layer, bytes) != 0)) {
            same++;
        }
        if (same == medium->layer_count) {
            places[same].first = l;
            memmove(medium->index + (size_t)medium->layer_count++ * nodes, layer, bytes);
        }
        places[l].left = same;
    }
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < medium->nz; k++) {
            task->layers.layer[c][k] = places[task->layers.layer[c][k]].left;
        }
        medium->layer[c] = task->layers.layer[c];
        task->layers.layer[c] = NULL;
    }
    void *smaller = bytes > 0 ? realloc(medium->index, (size_t)medium->layer_count * bytes) : NULL;
    medium->index = smaller != NULL ? smaller : medium->index;
}

static pw_status medium_take(struct building_task *task, struct medium *medium, pw_error *error)
{
    OWNED struct layer_place *places =
        allocate((size_t)task->layers.count, sizeof *places, "the layers of the medium", error);
    OWNED uint16_t *map = NULL;
    TRY_MADE(places);
    TRY(mixture_table_reduce(&task->table, VOLUME_PALETTE_LIMIT, medium, &map, error));
    index_reduce(task, map, medium);
    TRY(tilted_tensors(&task->layers, task->nodes, task->node_count, medium, error));
    layers_join(task, places, medium);
    medium->raised_nodes = task->raised_nodes;
    return PW_OK;
}

/* ---- the whole ---- */

static void task_free(struct building_task *task)
{
    for (int b = 0; b < task->building->band_count && task->exchanged != NULL; b++) {
        plan_exchanged_free(&task->exchanged[b]);
    }
    free(task->exchanged);
    volume_side_free(&task->side[0]);
    volume_side_free(&task->side[1]);
    volume_layers_free(&task->layers);
    free(task->parts);
    mixture_table_free(&task->table);
    free(task->index);
    free(task->nodes);
}

static pw_status sides_create(struct building_task *task, pw_error *error)
{
    const struct building *building = task->building;
    struct raster_grid grid = task->volume->plane, exchanged = grid;
    exchanged.nx = grid.ny;
    exchanged.ny = grid.nx;
    exchanged.origin = (struct point){grid.origin.y, grid.origin.x};
    task->exchanged =
        allocate((size_t)building->band_count, sizeof *task->exchanged, "the bands of the building", error);
    TRY_MADE(task->exchanged);
    for (int b = 0; b < building->band_count; b++) {
        TRY(plan_exchanged_create(&building->bands[b], &task->exchanged[b], error));
    }
    TRY(volume_side_create(building, building->bands, &grid, task->averaging, true, &task->side[0], error));
    return volume_side_create(building, task->exchanged, &exchanged, task->averaging, false, &task->side[1], error);
}

static pw_status task_run(struct building_task *task, const struct sheet_building *sheets, struct medium *medium,
                          pw_error *error)
{
    TRY(sides_create(task, error));
    const bool point = task->averaging == AVERAGING_POINT;
    TRY(volume_layers_create(task->building, task->volume, point ? NULL : &task->side[0].tasks->weighted.weight,
                             sheets->apart, &task->layers, error));
    TRY(mixture_table_create(&task->building->bands[0], &task->table, error));
    const size_t nodes = (size_t)medium->nx * (size_t)medium->ny;
    task->index = allocate((size_t)task->layers.count * nodes, sizeof *task->index, "the medium", error);
    TRY_MADE(task->index);
    TRY(parts_create(task, error));
    TRY(parts_raster(task, error));
    TRY(sheets_volume_place(task->volume, task->averaging, sheets, &task->layers, &task->table, task->index, medium,
                            error));
    return medium_take(task, medium, error);
}

static pw_status volume_check(const struct raster_volume *volume, enum averaging averaging, pw_error *error)
{
    const struct raster_grid *grid = &volume->plane;
    if (averaging == AVERAGING_BANDLIMITED) {
        return fail(error, PW_BAD_INPUT,
                    "grid.averaging: bandlimited is for two dimensions with vertical polarisation alone; three "
                    "dimensions and horizontal polarisation take moment, area or point");
    }
    FAIL_IF(grid->nx < 1 || grid->ny < 1 || volume->nz < 1 || !(grid->cell > 0) || !isfinite(grid->cell) ||
                !isfinite(grid->origin.x) || !isfinite(grid->origin.y) || !isfinite(volume->origin_z) ||
                grid->ny > INT_MAX / SLABS_PER_CELL / 16 || grid->nx > INT_MAX / SLABS_PER_CELL / 16,
            error, PW_BAD_INPUT, "raster_building: %d x %d x %d nodes of %g m: all must be above 0 and finite",
            grid->nx, grid->ny, volume->nz, grid->cell);
    FAIL_IF(!(grid->wave_number > 0) || !isfinite(grid->wave_number), error, PW_BAD_INPUT,
            "raster_building: a wave number of %g rad/m: it must be above 0 and finite", grid->wave_number);
    return PW_OK;
}

pw_status raster_building(const struct building *building, const struct raster_volume *volume, enum averaging averaging,
                          struct medium *medium, pw_error *error)
{
    *medium = (struct medium){.nx = volume->plane.nx, .ny = volume->plane.ny, .nz = volume->nz};
    TRY(volume_check(volume, averaging, error));
    struct sheet_building sheets;
    pw_status status = sheet_building_find(building, volume, &sheets, error);
    struct building_task task = {.building = &sheets.lossless, .volume = volume, .averaging = averaging};
    THEN(status, task_run(&task, &sheets, medium, error));
    task_free(&task);
    sheet_building_free(&sheets);
    if (status != PW_OK) {
        medium_free(medium);
    }
    return status;
}
