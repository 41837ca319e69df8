/* The mixtures of a medium (mixture.h): distinct ones as they are collected; then joining those that are too many for
 * a palette, by boxes in the plane of permittivity and conductivity, the widest of which is split in the middle until
 * there are enough. */
#include "medium/mixture.h"

#include "base/constants.h"
#include "problem/grid_medium.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative: two mixtures nearer than this differ by rounding only. */
static const double SAME_VALUE = 1e-11;

struct mixture_key {
    int64_t permittivity, conductivity;
};

static void fixed_values(const struct floorplan *plan, struct mixture_table *table)
{
    table->conductor = -1;
    for (int m = 0; m < plan->material_count; m++) {
        const struct material *material = &plan->materials[m];
        if (material->perfect_conductor) {
            if (table->conductor < 0) {
                table->conductor = table->fixed;
                table->values[table->fixed++] = (struct mixture){1, 0, 0};
            }
            continue;
        }
        table->conductivity_scale = fmax(table->conductivity_scale, material->conductivity);
        table->values[table->fixed++] = (struct mixture){material->relative_permittivity, material->conductivity, 0};
    }
    table->count = table->fixed;
    if (!(table->conductivity_scale > 0)) {
        table->conductivity_scale = 1;
    }
}

pw_status mixture_table_create(const struct floorplan *plan, struct mixture_table *table, pw_error *error)
{
    *table = (struct mixture_table){.room = (size_t)plan->material_count, .keys.size = sizeof(struct mixture_key)};
    FAIL_IF(plan->material_count >= PALETTE_LIMIT / 2, error, PW_BAD_INPUT,
            "the plan has %d different materials; at most %d can be told apart", plan->material_count,
            PALETTE_LIMIT / 2 - 1);
    TRY_MADE(table->values = allocate(table->room, sizeof *table->values, "the palette", error));
    fixed_values(plan, table);
    return PW_OK;
}

void mixture_table_free(struct mixture_table *table)
{
    distinct_free(&table->keys);
    free(table->values);
    *table = (struct mixture_table){0};
}

/* Of a value that is no material of the plan. */
static pw_status mixture_take(struct mixture_table *table, double permittivity, double conductivity, uint32_t *index,
                              pw_error *error)
{
    const struct mixture_key key = {llrint(permittivity / SAME_VALUE),
                                    llrint(conductivity / (table->conductivity_scale * SAME_VALUE))};
    TRY(distinct_number(&table->keys, &key, "the palette", index, error));
    *index += (uint32_t)table->fixed;
    if (*index == table->count) {
        TRY(array_grow(&table->values, &table->room, (size_t)table->count, sizeof *table->values, "the palette",
                       error));
        table->values[table->count++] = (struct mixture){permittivity, conductivity, 0};
    }
    return PW_OK;
}

pw_status mixture_find(struct mixture_table *table, double permittivity, double conductivity, uint32_t *index,
                       pw_error *error)
{
    for (int m = 0; m < table->fixed; m++) {
        const struct mixture *value = &table->values[m];
        if (m != table->conductor && fabs(permittivity - value->permittivity) <= SAME_VALUE * value->permittivity &&
            fabs(conductivity - value->conductivity) <= SAME_VALUE * table->conductivity_scale) {
            *index = (uint32_t)m;
            return PW_OK;
        }
    }
    return mixture_take(table, permittivity, conductivity, index, error);
}

static void on_grid(const struct floorplan *plan, const struct raster_grid *grid,
                    void (*law)(const struct stencil *stencil, double turn, double *permittivity, double *loss),
                    double value[2])
{
    const double unit = grid->wave_number / FREE_SPACE_IMPEDANCE;
    if (!materials_have_poles(plan->materials, plan->material_count)) {
        value[1] /= unit;
        law(grid->stencil, grid->wave_number * grid->cell, &value[0], &value[1]);
        value[1] *= unit;
    }
}

void mixture_to_grid(const struct floorplan *plan, const struct raster_grid *grid, double value[2])
{
    on_grid(plan, grid, grid_medium, value);
}

void mixture_from_grid(const struct floorplan *plan, const struct raster_grid *grid, double value[2])
{
    on_grid(plan, grid, grid_medium_inverse, value);
}

void mixture_table_begin(struct mixture_table *table)
{
    table->count = table->fixed;
    distinct_clear(&table->keys);
    for (int m = 0; m < table->fixed; m++) {
        table->values[m].nodes = 0;
    }
}

pw_status mixture_table_add(struct mixture_table *table, const struct mixture_table *from, uint32_t *number,
                            pw_error *error)
{
    for (int64_t v = 0; v < from->count; v++) {
        const struct mixture *value = &from->values[v];
        number[v] = (uint32_t)v; /* the plan's materials are first in both */
        if (v >= from->fixed) {
            TRY(mixture_take(table, value->permittivity, value->conductivity, &number[v], error));
        }
        table->values[number[v]].nodes += value->nodes;
    }
    return PW_OK;
}

/* ---- joining ---- */

struct mixture_box {
    int64_t first, count; /* of `order` */
    double width;         /* the larger extent, relative */
    bool along_conductivity;
    double low, high; /* of that extent */
};

struct splitting {
    const struct mixture_table *table;
    int64_t *order;            /* (values to join), owned: indices, a box being a contiguous part */
    struct mixture_box *boxes; /* (limit of the palette), owned: a heap, the widest first */
    int box_count;
};

static double value_along(const struct splitting *split, int64_t n, bool conductivity)
{
    const struct mixture *value = &split->table->values[split->order[n]];
    return conductivity ? value->conductivity : value->permittivity;
}

static void box_measure(const struct splitting *split, struct mixture_box *box)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int64_t n = box->first; n < box->first + box->count; n++) {
        for (int axis = 0; axis < 2; axis++) {
            const double value = value_along(split, n, axis == 1);
            low[axis] = value < low[axis] ? value : low[axis];
            high[axis] = value > high[axis] ? value : high[axis];
        }
    }
    const double scale = split->table->conductivity_scale,
                 width[2] = {log(high[0]) - log(low[0]), high[1] / scale - low[1] / scale};
    box->along_conductivity = width[1] > width[0];
    box->width = width[box->along_conductivity];
    box->low = low[box->along_conductivity];
    box->high = high[box->along_conductivity];
}

static void heap_push(struct splitting *split, struct mixture_box box)
{
    int at = split->box_count++;
    for (; at > 0 && split->boxes[(at - 1) / 2].width < box.width; at = (at - 1) / 2) {
        split->boxes[at] = split->boxes[(at - 1) / 2];
    }
    split->boxes[at] = box;
}

static struct mixture_box heap_pop(struct splitting *split)
{
    struct mixture_box top = split->boxes[0], last = split->boxes[--split->box_count];
    int at = 0;
    for (int child = 1; child < split->box_count; child = 2 * at + 1) {
        child += child + 1 < split->box_count && split->boxes[child + 1].width > split->boxes[child].width;
        if (split->boxes[child].width <= last.width) {
            break;
        }
        split->boxes[at] = split->boxes[child];
        at = child;
    }
    split->boxes[at] = last;
    return top;
}

/* Splits in the middle of the wider extent; both parts hold at least one value because the extent is above zero. */
static void box_split(struct splitting *split, struct mixture_box box)
{
    int64_t left = box.first, right = box.first + box.count;
    while (left < right) {
        if (value_along(split, left, box.along_conductivity) < box.low + 0.5 * (box.high - box.low)) {
            left++;
        } else {
            int64_t other = split->order[--right];
            split->order[right] = split->order[left];
            split->order[left] = other;
        }
    }
    if (left == box.first) { /* an extent of one rounding */
        left++;
    }
    struct mixture_box lower = {.first = box.first, .count = left - box.first};
    struct mixture_box upper = {.first = left, .count = box.first + box.count - left};
    box_measure(split, &lower);
    box_measure(split, &upper);
    heap_push(split, lower);
    heap_push(split, upper);
}

static void box_join(const struct splitting *split, const struct mixture_box *box, struct medium *medium, uint16_t *map)
{
    double nodes = 0, permittivity = 0, conductivity = 0;
    for (int64_t n = box->first; n < box->first + box->count; n++) {
        const struct mixture *value = &split->table->values[split->order[n]];
        nodes += (double)value->nodes;
        permittivity += (double)value->nodes * value->permittivity;
        conductivity += (double)value->nodes * value->conductivity;
        map[split->order[n]] = (uint16_t)medium->palette_count;
    }
    struct medium_entry entry = {permittivity / nodes, conductivity / nodes, false};
    for (int64_t n = box->first; n < box->first + box->count; n++) {
        double permittivity_of_node = split->table->values[split->order[n]].permittivity;
        medium->quantisation_error =
            fmax(medium->quantisation_error,
                 fabs(entry.relative_permittivity - permittivity_of_node) / permittivity_of_node);
    }
    medium->palette[medium->palette_count++] = entry;
}

static pw_status mixtures_join(const struct mixture_table *table, int limit, struct medium *medium, uint16_t *map,
                               pw_error *error)
{
    int64_t count = table->count - table->fixed;
    struct splitting split = {.table = table};
    split.order = allocate((size_t)count, sizeof *split.order, "joining the palette", error);
    split.boxes = allocate((size_t)limit, sizeof *split.boxes, "joining the palette", error);
    if (split.order == NULL || split.boxes == NULL) {
        FREE_ALL(split.order, split.boxes);
        return PW_NO_RESOURCE;
    }
    for (int64_t n = 0; n < count; n++) {
        split.order[n] = table->fixed + n;
    }
    struct mixture_box all = {.count = count};
    box_measure(&split, &all);
    heap_push(&split, all);
    while (split.box_count < limit - medium->palette_count && split.boxes[0].width > 0) {
        box_split(&split, heap_pop(&split));
    }
    for (int b = 0; b < split.box_count; b++) {
        box_join(&split, &split.boxes[b], medium, map);
    }
    FREE_ALL(split.order, split.boxes);
    return PW_OK;
}

/* Entries of the values that some node has, and of air; mixtures only when there is room for all of them. */
static void values_keep(const struct mixture_table *table, bool mixtures, struct medium *medium, uint16_t *map)
{
    int64_t end = mixtures ? table->count : table->fixed;
    for (int64_t v = 0; v < end; v++) {
        const struct mixture *value = &table->values[v];
        if (v == 0 || value->nodes > 0) {
            map[v] = (uint16_t)medium->palette_count;
            medium->palette[medium->palette_count++] =
                (struct medium_entry){value->permittivity, value->conductivity, v == table->conductor};
        }
    }
}

pw_status mixture_table_reduce(const struct mixture_table *table, int limit, struct medium *medium, uint16_t **map,
                               pw_error *error)
{
    medium->palette = allocate((size_t)limit, sizeof *medium->palette, "the palette", error);
    *map = allocate((size_t)table->count, sizeof **map, "the palette", error);
    if (medium->palette == NULL || *map == NULL) {
        free(*map);
        *map = NULL;
        return PW_NO_RESOURCE;
    }
    bool fits = table->count <= limit;
    values_keep(table, fits, medium, *map);
    pw_status status = fits ? PW_OK : mixtures_join(table, limit, medium, *map, error);
    if (status != PW_OK) {
        free(*map);
        *map = NULL;
    }
    return status;
}
