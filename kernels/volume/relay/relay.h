/* Some steps in three dimensions as one launch, a pass: blocks that move h on and blocks that move E on, of every step,
 * run beside each other. E follows h some levels below, and h of the next step follows E, while most of what they want
 * is still in the second-level cache: memory gives and takes every field less than once a step, where two kernels a
 * step, one after the other, read h and E twice. The fields are in place and nothing is computed twice. For single
 * precision and the schemes that reach farther than yee. Leaves out: the kernel (relay.cu). */
#ifndef RELAY_H
#define RELAY_H

#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <vector>

#include "kernels/tuning.h"
#include "kernels/volume/pass_events.h"
#include "kernels/volume/relay/relay_metal.h"

/* Copies of boxes want maps, which toolkits before CUDA 12 do not know: built by these, no problem is for it. */
#ifndef RELAY_BUILT
#define RELAY_BUILT (CUDART_VERSION >= 12000)
#endif
#if !RELAY_BUILT
#define CUtensorMap char
#endif

enum {
    RELAY_WIDTH = 64,     /* columns of a tile */
    RELAY_MARGIN = 8,     /* columns of a box beside its tile: whole sectors of memory, as far as any scheme reaches */
    RELAY_SHIFT = 32,     /* columns by which tiles of a role begin before those of the one before: a line of memory */
    RELAY_STEPS = 4,      /* most of a pass: no wave passes what is beside a brick at rest (rest/) in them */
    RELAY_DELAY = 3,      /* a tile's task of a role is taken so many tiles after that of the role before */
    RELAY_STRIDE = 32,    /* from one tile's progress to the next, so that each has a line of memory of its own */
    RELAY_SHARED = 231680 /* bytes of shared memory that the blocks of some scheme want */
};

static_assert(RELAY_STEPS * (2 * REACH_LIMIT - 1) < REST_BRICK, "a pass takes a wave past a brick at rest");
/* Rows of a tile, as many as the shared memory or the registers hold. */
constexpr int relay_rows(int reach)
{
    return reach <= 3 ? 28 : reach == 4 ? 24 : reach == 5 ? 20 : 16;
}

/* Levels of a tile, about: relay_shape_of() makes tiles of three quarters of these and more, or one. */
constexpr int relay_levels(int reach)
{
    return reach <= 4 ? RELAY_LEVELS : RELAY_FAR_LEVELS;
}
static_assert(relay_levels(4) * 3 / 4 >= 2 * 4 && relay_levels(REACH_LIMIT) * 3 / 4 >= 2 * REACH_LIMIT,
              "a tile wants more than the one below it has");

/* Steps of a pass that are fastest: far-reaching stencils have levels enough in the second-level cache with one. */
static inline int relay_steps_of(int reach)
{
    return reach <= 2 ? 4 : reach == 3 ? 3 : reach == 4 ? 2 : 1;
}

/* Whether every step adds something to E that passes do not know, so that they have one step. */
static inline bool relay_is_single(const struct problem *p)
{
    return p->tensor_count > 0 || p->pole_span_count > 0;
}

/* Where the fields lie, for copies of boxes of one level: with what is around a tile, and without. */
struct relay_maps {
    CUtensorMap around[6], bare[6];
};

/* Rows and levels by which tiles of a role begin before those of the first: E is made of h up to reach - 1 places on,
 * h of E up to reach. */
__host__ __device__ constexpr int relay_lag(int reach, int role)
{
    return (role + 1) / 2 * (reach - 1) + role / 2 * reach;
}

/* Tiles along each axis, of every role alike; levels of a tile. */
struct relay_shape {
    int tiles[3], levels;
};

struct relay_pass {
    relay_shape shape;
    device_rest rest;
    device_dipole<float> source;
    pass_events<float> events;
    unsigned *ticket;   /* the next block's task */
    unsigned *progress; /* (roles, tiles): up to which level the role has moved its field on */
    unsigned launch;    /* number of this one, from 1 on: progress goes on from launch to launch */
    unsigned first;     /* the ticket of its first block: tickets go on likewise */
    int steps;
    int64_t step; /* number of the first */
    relay_metal metal;
};

static inline unsigned relay_tiles(const relay_shape &shape)
{
    return (unsigned)(shape.tiles[0] * shape.tiles[1] * shape.tiles[2]);
}

/* For so many steps. */
static inline relay_shape relay_shape_of(const int n[3], int reach, int steps)
{
    const int last = 2 * steps - 1, rows = relay_rows(reach), lag = relay_lag(reach, last), levels = n[2] + lag;
    const int usual = relay_levels(reach);
    const int slabs = levels > usual ? (levels + usual / 2) / usual : 1;
    relay_shape shape;
    shape.levels = (levels + slabs - 1) / slabs;
    shape.tiles[0] = (n[0] + last * RELAY_SHIFT + RELAY_WIDTH - 1) / RELAY_WIDTH;
    shape.tiles[1] = (n[1] + lag + rows - 1) / rows;
    shape.tiles[2] = (levels + shape.levels - 1) / shape.levels;
    return shape;
}

/* With those that the delay leaves without a task, at the beginning and at the end. */
static inline unsigned relay_blocks(const relay_pass &pass)
{
    const unsigned roles = 2 * (unsigned)pass.steps;
    return roles * (relay_tiles(pass.shape) + RELAY_DELAY * (roles - 1));
}

/* Of progress, for passes of so many steps and fewer. */
static inline size_t relay_words(const int n[3], int reach, int most)
{
    size_t tiles = 0;
    for (int steps = 1; steps <= most; steps++) {
        tiles = std::max(tiles, 2 * (size_t)steps * relay_tiles(relay_shape_of(n, reach, steps)));
    }
    return RELAY_STRIDE * tiles;
}

/* Of so many steps, how many the next pass takes, `most` at most: passes are alike. */
static inline int relay_pass_of(int64_t steps, int most)
{
    const int64_t passes = (steps + most - 1) / most;
    return (int)((steps + passes - 1) / passes);
}

/* Six fields in memory, as far as copies may look: what lies outside of them comes as zeros. */
struct relay_memory {
    void *first[6];
    size_t size[3], value; /* places along each axis; bytes of a value */
    size_t row, level;     /* places from row to row and from level to level */
};

/* A field in single precision begins RELAY_MARGIN columns and `reach` rows and levels before its first place. */
static inline relay_memory relay_memory_of(const device_volume<float> &v, int reach, const volume_fields<float> &fields)
{
    const size_t pitch = (size_t)v.pitch, ghosts = 2 * (size_t)reach;
    relay_memory memory = {{}, {pitch, v.n[1] + ghosts, v.n[2] + ghosts}, sizeof(float), pitch, v.plane};
    for (int c = 0; c < 6; c++) {
        memory.first[c] = fields.field[c] - RELAY_MARGIN - (size_t)reach * pitch - (size_t)reach * v.plane;
    }
    return memory;
}

static inline relay_memory relay_memory_of(const device_volume<float> &v, int reach, const half_fields &fields)
{
    const size_t pitch = (size_t)v.pitch;
    relay_memory memory = {{}, {pitch, (size_t)v.n[1], (size_t)v.n[2]}, sizeof(uint16_t), pitch, v.plane};
    (void)reach;
    for (int c = 0; c < 6; c++) {
        memory.first[c] = fields.field[c];
    }
    return memory;
}

pw_status relay_maps_create(const relay_memory &memory, int reach, relay_maps *maps, pw_error *error);

/* Moves h and E of one run on by the steps of a pass, those beside metal too, and does what the pass's events say. */
pw_status volume_relay(const device_volume<float> &volume, int reach, const volume_fields<float> &fields,
                       const relay_maps &maps, const relay_pass &pass, cudaStream_t stream, pw_error *error);

/* The same with fields in 16 bits (half/relay_half.cu). */
pw_status volume_relay(const device_volume<float> &volume, int reach, const half_fields &fields, const relay_maps &maps,
                       const relay_pass &pass, cudaStream_t stream, pw_error *error);

/* What an engine keeps for its runs; in double there are none. */
template <typename Real, typename Kept = Real> struct volume_relays {
    std::vector<relay_maps> maps;
    std::vector<relay_pass> passes;
    std::vector<pass_events<Real>> events;
    int most = 1; /* steps of a pass */

    /* Passes of single steps have no events, and leave what E gains beside metal to the kernels after them: that comes
     * after what tilted walls add. */
    pw_status create(const struct problem *p, const device_volume<Real> &volume, int first,
                     const std::vector<volume_fields<Real, Kept>> &fields, device_memory *memory, pw_error *error)
    {
        if constexpr (std::is_same<Real, float>::value) {
            relay_metal metal = {};
            TRY(p->metal_row_count > 0 ? relay_metal_create(p, !relay_is_single(p), memory, &metal, error) : PW_OK);
            for (const volume_fields<Real, Kept> &own : fields) {
                relay_pass pass = {};
                pass.metal = metal;
                maps.push_back({});
                TRY(relay_maps_create(relay_memory_of(volume, p->reach, own), p->reach, &maps.back(), error));
                TRY(device_array(memory, &pass.ticket, 1, "tasks", error));
                TRY(device_array(memory, &pass.progress, relay_words(volume.n, p->reach, most), "progress of tiles",
                                 error));
                passes.push_back(pass);
            }
            std::vector<int> rows;
            return relay_is_single(p)
                       ? PW_OK
                       : pass_events_create(p, first, (int)fields.size(), most, memory, &rows, &events, error);
        }
        return PW_OK;
    }

    /* Steps number `step` to `step` + `steps` - 1 of a run. */
    pw_status go(const pass_given<Real> &given, int reach, const volume_fields<Real, Kept> &fields, int run,
                 int64_t step, int steps, cudaStream_t stream, pw_error *error)
    {
        if constexpr (std::is_same<Real, float>::value) {
            relay_pass &pass = passes[(size_t)run];
            pass.shape = relay_shape_of(given.volume.n, reach, steps);
            pass.rest = given.rest;
            pass.launch++;
            pass.steps = steps;
            pass.step = step;
            pass.events.highest = -1;
            if (!events.empty()) {
                pass.events = events[(size_t)run];
                pass.source = given.source;
            }
            TRY(volume_relay(given.volume, reach, fields, maps[(size_t)run], pass, stream, error));
            pass.first += relay_blocks(pass);
            return events.empty() ? PW_OK
                                  : pass_probe(given.receivers, pass.events, steps, given.record, stream, error);
        }
        return fail(error, PW_USAGE, "steps as one launch are for single precision");
    }
};

#endif
