/* See volume_events.h. */
#include "backend/cpu/volume/volume_events.h"

#include <stdlib.h>

int64_t volume_probe_taps(const struct problem *problem)
{
    int64_t count = 0;
    for (int p = 0; p < problem->probe_count; p++) {
        count += problem->probes[p].count > 0 ? problem->probes[p].count : 1;
    }
    return count;
}

int64_t volume_sample_taps(const struct problem *problem)
{
    return problem->spectra.frequency_count > 0 ? (int64_t)problem->spectra.rows * problem->spectra.columns : 0;
}

static void mark(struct volume_grid *grid, int64_t place, int event)
{
    int64_t row = place % problem_nodes(grid->problem) / grid->nx;
    grid->events[row] = (uint8_t)(grid->events[row] | event);
}

/* ---- taps ---------------------------------------------------------------------------------------------------------
 */

struct tap {
    int64_t place;
    int32_t to;
};

static int tap_order(const void *a, const void *b)
{
    const struct tap *left = a, *right = b;
    return left->place != right->place ? (left->place > right->place) - (left->place < right->place)
                                       : (left->to > right->to) - (left->to < right->to);
}

static void list_probe_taps(const struct problem *problem, struct tap *tap)
{
    int32_t to = 0;
    for (int p = 0; p < problem->probe_count; p++) {
        const struct probe *probe = &problem->probes[p];
        if (probe->count == 0) {
            int64_t place = (int64_t)probe->component * problem_nodes(problem) + probe->node;
            *tap++ = (struct tap){place, to++};
        }
        for (int s = 0; s < probe->count; s++) {
            *tap++ = (struct tap){probe->place[s], to++};
        }
    }
}

static void list_sample_taps(const struct problem *problem, struct tap *tap)
{
    int32_t to = 0;
    for (int s = 0; s < problem->spectra.sheet_count; s++) {
        const struct spectra_sheet *sheet = &problem->spectra.sheets[s];
        for (int r = 0; r < sheet->rows; r++) {
            for (int c = 0; c < sheet->columns; c++) {
                *tap++ = (struct tap){sheet->first + c * sheet->column_stride + r * sheet->row_stride, to++};
            }
        }
    }
}

static pw_status create_taps(struct volume_grid *grid, int64_t count, int event,
                             void (*list)(const struct problem *problem, struct tap *tap), struct volume_taps *taps,
                             pw_error *error)
{
    struct tap *tap = allocate((size_t)count, sizeof *tap, "places to record", error);
    taps->count = count;
    taps->place = allocate((size_t)count, sizeof *taps->place, "places to record", error);
    taps->to = allocate((size_t)count, sizeof *taps->to, "places to record", error);
    if (tap == NULL || taps->place == NULL || taps->to == NULL) {
        free(tap);
        return PW_NO_RESOURCE;
    }
    if (count > 0) {
        list(grid->problem, tap);
        qsort(tap, (size_t)count, sizeof *tap, tap_order);
    }
    for (int64_t t = 0; t < count; t++) {
        taps->place[t] = tap[t].place;
        taps->to[t] = tap[t].to;
        mark(grid, tap[t].place, event);
    }
    free(tap);
    return PW_OK;
}

/* ---- tensor nodes -------------------------------------------------------------------------------------------------
 */

static int tensor_order(const void *a, const void *b)
{
    const struct volume_tensor *left = a, *right = b;
    return left->place != right->place ? (left->place > right->place) - (left->place < right->place)
                                       : (left->order > right->order) - (left->order < right->order);
}

/* Both places of E_to beside a tensor node. */
static struct volume_tensor *list_gains(const struct volume_grid *grid, int64_t order, int from, int to,
                                        struct volume_tensor *out)
{
    const struct tensor_node *tensor = &grid->problem->tensor_nodes[order];
    const int64_t stride[3] = {1, grid->nx, (int64_t)grid->nx * grid->ny};
    for (int side = 0; side < 2; side++) {
        *out++ = (struct volume_tensor){.place = to * problem_nodes(grid->problem) + tensor->node - side * stride[to],
                                        .order = order,
                                        .node = tensor->node,
                                        .from = from,
                                        .to = to,
                                        .quarter = 0.25 * tensor->coefficient};
    }
    return out;
}

static pw_status create_tensors(const struct problem *problem, struct volume_grid *grid, pw_error *error)
{
    grid->tensor_count = 4 * problem->tensor_count;
    TRY_MADE(grid->tensors = allocate((size_t)grid->tensor_count, sizeof *grid->tensors, "tensor nodes", error));
    struct volume_tensor *out = grid->tensors;
    for (int64_t t = 0; t < problem->tensor_count; t++) {
        const struct tensor_node *tensor = &problem->tensor_nodes[t];
        out = list_gains(grid, t, (int)tensor->from, (int)tensor->to, out);
        out = list_gains(grid, t, (int)tensor->to, (int)tensor->from, out);
    }
    if (grid->tensor_count > 0) {
        qsort(grid->tensors, (size_t)grid->tensor_count, sizeof *grid->tensors, tensor_order);
    }
    for (int64_t t = 0; t < grid->tensor_count; t++) {
        mark(grid, grid->tensors[t].place, EVENT_TENSOR);
    }
    return PW_OK;
}

/* ---- dispersive places --------------------------------------------------------------------------------------------
 */

static pw_status create_poles(const struct problem *problem, struct volume_grid *grid, pw_error *error)
{
    for (int64_t s = 0; s < problem->pole_span_count; s++) {
        mark(grid, problem->pole_spans[s].place, EVENT_POLE);
    }
    return pole_groups_create(problem, grid->padded, 1, &grid->poles, error);
}

/* ---- metal --------------------------------------------------------------------------------------------------------
 */

static pw_status create_metal(const struct problem *problem, struct volume_grid *grid, pw_error *error)
{
    const int64_t nodes = problem_nodes(problem), nx = grid->nx, ny = grid->ny;
    for (int64_t r = 0; r < problem->metal_row_count; r++) {
        mark(grid, problem->metal_rows[r].place, EVENT_METAL);
    }
    TRY_MADE(grid->metal_from = allocate((size_t)problem->metal_term_count, sizeof *grid->metal_from, "metal", error));
    for (int64_t t = 0; t < problem->metal_term_count; t++) {
        const int64_t place = problem->metal_terms[t].place, node = place % nodes;
        grid->metal_from[t] =
            node / nx / ny * grid->plane + node / nx % ny * grid->pitch + place / nodes * grid->stride + node % nx;
    }
    return PW_OK;
}

/* ---- all ----------------------------------------------------------------------------------------------------------
 */

pw_status volume_events_create(const struct problem *problem, struct volume_grid *grid, pw_error *error)
{
    grid->events = allocate((size_t)grid->nz * (size_t)grid->ny, sizeof *grid->events, "the events of rows", error);
    TRY_MADE(grid->events);
    for (int s = 0; s < problem->source_count; s++) {
        for (int64_t n = 0; n < problem->sources[s].count; n++) {
            mark(grid, problem->sources[s].node[n], EVENT_SOURCE);
        }
    }
    TRY(create_taps(grid, volume_probe_taps(problem), EVENT_PROBE, list_probe_taps, &grid->probes, error));
    TRY(create_taps(grid, volume_sample_taps(problem), EVENT_SAMPLE, list_sample_taps, &grid->samples, error));
    TRY(create_metal(problem, grid, error));
    TRY(create_poles(problem, grid, error));
    return create_tensors(problem, grid, error);
}

void volume_events_destroy(struct volume_grid *grid)
{
    FREE_ALL(grid->events, grid->probes.place, grid->probes.to, grid->samples.place, grid->samples.to, grid->tensors,
             grid->metal_from);
    pole_groups_free(&grid->poles);
}
