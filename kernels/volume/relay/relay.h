/* A step in three dimensions as one launch: blocks that move h on and blocks that move E on run beside each other. E
 * follows h some levels below, while what both want is still in the second-level cache, so that memory gives and takes
 * every field about once a step, where two kernels, one after the other, read h and E twice. The fields are in place
 * and nothing is computed twice. For single precision and the schemes that reach farther than yee. Leaves out: the
 * kernel (relay.cu). */
#ifndef RELAY_H
#define RELAY_H

#include <cuda.h>
#include <cuda_runtime.h>

#include <vector>

#include "kernels/common/device_memory.h"
#include "kernels/tuning.h"
#include "kernels/volume/volume.h"

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
    RELAY_SHIFT = 32,     /* columns by which tiles of E begin before those of h: a line of memory */
    RELAY_STRIDE = 32,    /* from one tile's progress to the next, so that each has a line of memory of its own */
    RELAY_SHARED = 231680 /* bytes of shared memory that the blocks of some scheme want */
};

/* Rows of a tile, as many as the shared memory holds; and how many turns ahead the copies are. */
constexpr int relay_rows(int reach)
{
    return reach <= 2 ? 28 : reach <= 4 ? 24 : reach == 5 ? 20 : 16;
}
constexpr int relay_ahead(int reach)
{
    return reach <= 3 ? 2 : 1;
}

/* Where the fields lie, for copies of boxes of one level: with what is around a tile, and without. */
struct relay_maps {
    CUtensorMap around[6], bare[6];
};

/* Tiles along each axis, of h and of E alike; levels of a tile. */
struct relay_shape {
    int tiles[3], levels;
};

struct relay_pass {
    relay_shape shape;
    device_rest rest;
    unsigned *ticket;   /* the next block's task */
    unsigned *progress; /* (tiles): up to which level h has been moved on */
    unsigned launch;    /* number of this one, from 1 on: tickets and progress go on from launch to launch */
};

/* Tiles of E begin earlier than those of h along every axis, by RELAY_SHIFT or by reach - 1. */
static inline relay_shape relay_shape_of(const int n[3], int reach)
{
    const int rows = relay_rows(reach), lag = reach - 1, levels = n[2] + lag;
    const int slabs = levels > RELAY_LEVELS ? (levels + RELAY_LEVELS / 2) / RELAY_LEVELS : 1;
    relay_shape shape;
    shape.levels = (levels + slabs - 1) / slabs;
    shape.tiles[0] = (n[0] + RELAY_SHIFT + RELAY_WIDTH - 1) / RELAY_WIDTH;
    shape.tiles[1] = (n[1] + lag + rows - 1) / rows;
    shape.tiles[2] = (levels + shape.levels - 1) / shape.levels;
    return shape;
}

pw_status relay_maps_create(const device_volume<float> &volume, int reach, const volume_fields<float> &fields,
                            relay_maps *maps, pw_error *error);

/* Moves h and E of one run on by a step, as volume_step does where no h is beside metal. */
pw_status volume_relay(const device_volume<float> &volume, int reach, const volume_fields<float> &fields,
                       const relay_maps &maps, const relay_pass &pass, cudaStream_t stream, pw_error *error);

/* What an engine keeps for its runs; in double there are none. */
template <typename Real> struct volume_relays {
    std::vector<relay_maps> maps;
    std::vector<relay_pass> passes;

    pw_status create(const device_volume<Real> &volume, int reach, const std::vector<volume_fields<Real>> &fields,
                     device_memory *memory, pw_error *error)
    {
        if constexpr (std::is_same<Real, float>::value) {
            relay_pass pass = {relay_shape_of(volume.n, reach), {}, NULL, NULL, 0};
            const size_t tiles = (size_t)pass.shape.tiles[0] * pass.shape.tiles[1] * pass.shape.tiles[2];
            for (const volume_fields<float> &own : fields) {
                maps.push_back({});
                TRY(relay_maps_create(volume, reach, own, &maps.back(), error));
                TRY(device_array(memory, &pass.ticket, 1, "tasks", error));
                TRY(device_array(memory, &pass.progress, RELAY_STRIDE * tiles, "progress of tiles", error));
                passes.push_back(pass);
            }
        }
        return PW_OK;
    }

    pw_status step(const device_volume<Real> &volume, int reach, const volume_fields<Real> &fields, int run,
                   const device_rest &rest, cudaStream_t stream, pw_error *error)
    {
        if constexpr (std::is_same<Real, float>::value) {
            relay_pass &pass = passes[(size_t)run];
            pass.launch++;
            pass.rest = rest;
            return volume_relay(volume, reach, fields, maps[(size_t)run], pass, stream, error);
        }
        return fail(error, PW_USAGE, "a step as one launch is for single precision");
    }
};

#endif
