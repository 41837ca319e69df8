/* How a problem in three dimensions lies in the device's memory, and how much of it that takes. Leaves out: who
 * allocates it (volume_engine.h). */
#ifndef VOLUME_LAYOUT_H
#define VOLUME_LAYOUT_H

#include <algorithm>

#include "kernels/poles/pole_nodes.h"
#include "kernels/spectra/spectra_store.h"
#include "kernels/volume/relay/relay.h"
#include "kernels/volume/volume.h"

/* Bytes of the device that are left to the driver. */
static const uint64_t VOLUME_KEPT_FREE = 64u << 20;

/* How the fields of a problem lie on the device: rows with ghosts between them, `reach` wide on either side and a
 * quad's whole width, so that rows begin at sectors of memory; or as wide as boxes of a relay want (relay.h), so that
 * they begin at lines of memory and blocks share none; rows of ghosts below and above each level; levels of ghosts. */
struct volume_layout {
    int width, pitch; /* of indices and of filters; from row to row of a field */
    size_t plane;     /* from level to level of a field */
    size_t values;    /* of a field */
    size_t first;     /* place (0, 0, 0) of a field */
};

static inline volume_layout volume_layout_of(const struct problem *p)
{
    const bool lines = p->precision == PW_SINGLE && p->reach > 1;
    const int line = lines ? 32 : 8, ghosts = lines ? RELAY_MARGIN : (p->reach + 3) / 4 * 4;
    if (p->half) { /* units, and no ghosts: images are made where fields are read (half/) */
        const int units = (p->axis[0].count + 7) / 8 * 8, row = (units + 31) / 32 * 32;
        const size_t level = (size_t)row * (size_t)p->axis[1].count;
        return {units, row, level, level * (size_t)p->axis[2].count, 0};
    }
    const int width = (p->axis[0].count + 7) / 8 * 8, pitch = (width + 2 * ghosts + line - 1) / line * line;
    const size_t plane = (size_t)pitch * (size_t)(p->axis[1].count + 2 * p->reach);
    const size_t first = plane * (size_t)p->reach + (size_t)pitch * (size_t)p->reach + (size_t)line;
    return {width, pitch, plane, plane * (size_t)(p->axis[2].count + 2 * p->reach) + 2 * (size_t)line, first};
}

/* Rows of filter states along an axis, each of four, and how long they are on the device. */
static inline size_t filter_rows(const struct problem *p, int axis)
{
    const size_t filters = (size_t)run_state_filters(p, axis), ny = (size_t)p->axis[1].count;
    return axis == 0 ? ny * (size_t)p->axis[2].count : filters * (axis == 1 ? (size_t)p->axis[2].count : ny);
}

/* Along x a row holds those of the low layer and from here on those of the high one, so that quads of places, which
 * begin at multiples of 4, are beside each other in it, also one that is in both. */
static inline int filter_high_slot(const struct problem *p)
{
    const struct axis *x = &p->axis[0];
    const int begin = x->count - x->high.cells;
    return begin / 4 * 4 < x->low.cells ? begin : (x->low.cells + 3) / 4 * 4 + begin % 4;
}

static inline size_t filter_width(const struct problem *p, int axis)
{
    if (run_state_filters(p, axis) == 0) {
        return 0;
    }
    return (size_t)(axis == 0 ? (filter_high_slot(p) + p->axis[0].high.cells + 3) / 4 * 4 : volume_layout_of(p).width);
}

/* `sets`: of the fields and filter states of a run; passes of several steps go from one to another (sweep/). */
static inline uint64_t volume_bytes(const struct problem *p, int runs, int sets)
{
    const volume_layout layout = volume_layout_of(p);
    uint64_t real = p->precision == PW_SINGLE ? 4 : 8;
    const uint64_t kept = p->half ? 2 : real, fields = 6 * kept * layout.values;
    uint64_t values = 0;
    for (int a = 0; a < 3; a++) {
        values += 4 * filter_rows(p, a) * filter_width(p, a);
    }
    values = (uint64_t)sets * (values + fields / real) + (uint64_t)p->steps * (uint64_t)p->probe_count;
    uint64_t places = 0;
    for (int k = 0; k < p->probe_count; k++) {
        places += std::max(p->probes[k].count, 1);
    }
    uint64_t shared = 2 * (uint64_t)layout.width * (uint64_t)p->axis[1].count * (uint64_t)p->layer_count +
                      2 * real * (uint64_t)p->coefficient_count + (sizeof(device_place) + real) * places +
                      sizeof(device_place) * (uint64_t)p->spectra.rows +
                      4 * (sizeof(tensor_place) + sizeof(tensor_gain<double>)) * (uint64_t)p->tensor_count +
                      sizeof(metal_place) * (uint64_t)p->metal_row_count +
                      (sizeof(device_place) + real) * (uint64_t)p->metal_term_count;
    if (p->precision == PW_SINGLE && p->reach > 1) { /* what a relay's blocks tell each other, and its metal */
        const int n[3] = {p->axis[0].count, p->axis[1].count, p->axis[2].count};
        shared += 4 * (uint64_t)runs * relay_words(n, p->reach, RELAY_STEPS) + relay_metal_bytes(p);
    }
    for (int s = 0; s < std::min(runs, p->source_count); s++) {
        shared += (sizeof(device_place) + real) * (uint64_t)p->sources[s].count + 8 * (uint64_t)p->steps;
    }
    return (uint64_t)runs * real * values + shared + pole_nodes_device_bytes(p, runs);
}

static inline uint64_t room_for_spectra(const struct problem *p, int runs, int sets, uint64_t available)
{
    uint64_t taken = volume_bytes(p, runs, sets) + VOLUME_KEPT_FREE;
    return available > taken ? available - taken : 0;
}

/* Says what is needed and what would fit, before anything is allocated. */
static inline pw_status volume_check_memory(const struct problem *p, int runs, int sets, pw_error *error)
{
    size_t available = 0, total = 0;
    CUDA_TRY(cudaMemGetInfo(&available, &total));
    const uint64_t need =
        volume_bytes(p, runs, sets) + spectra_plan_for(p, runs, room_for_spectra(p, runs, sets, available)).device;
    return need + VOLUME_KEPT_FREE <= available
               ? PW_OK
               : fail(error, PW_NO_RESOURCE,
                      "the device has %.2f GB free, and %d x %d x %d cells with %d frequencies at %d points need "
                      "%.2f GB; cells %.2f times as large would fit",
                      available / 1e9, p->axis[0].count, p->axis[1].count, p->axis[2].count, p->spectra.frequency_count,
                      p->spectra.rows, need / 1e9, cbrt((double)need / (0.95 * (double)available)));
}

#endif
