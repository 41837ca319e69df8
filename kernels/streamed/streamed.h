/* Blocks that keep Ez of a tile in shared memory for a whole batch of steps, while the rest of its state goes through
 * the second-level cache: how large they are and how their memory is laid out, for host and device; and what
 * streamed.cu and streamed_partition.cu offer to the solver (streamed_solver.cu). */
#ifndef STREAMED_H
#define STREAMED_H

#include "kernels/resident/wide_resident.h"
#include "kernels/tuning.h"
#include "kernels/wide/wide_stencils.h"

/* A tile of at most `quads` x `groups` patches (wide_shape.h), in as many rounds as the block's threads need for them.
 * Ez in shared memory, with its margins: quads and groups of patches that cover what the stencil reaches. Images lie
 * there too; the last of them beyond a wall are read by nobody. */
template <int REACH, int TAPS> struct streamed_shape {
    static constexpr int reach = REACH, taps = TAPS;
    static constexpr int threads = STREAMED_THREADS, rounds = STREAMED_ROUNDS, filter_rounds = STREAMED_FILTER_ROUNDS;
    static constexpr int aside = (TAPS + 3) / 4, deep = (TAPS + PATCH_ROWS - 1) / PATCH_ROWS; /* quads, groups */
    static constexpr int quads = TAPS <= 4 ? 48 : 40, groups = TAPS <= 4 ? 96 : 76;
    static constexpr int width = 4 * quads, height = PATCH_ROWS * groups;
    /* Margins in nodes. */
    static constexpr int before = 4 * aside, beyond = before + 4, below = PATCH_ROWS * deep;
    static constexpr int above = below > TAPS ? below : TAPS + 1;
    /* An odd number of quads, and so are three rows: patches above each other fall on different banks. */
    static constexpr int pitch = before + width + beyond, origin = below * pitch + before;
    /* Filtered differences along x, of the quads at a wall alone, and of those that they reach to either side. */
    static constexpr int zone_margin = REACH <= 3 ? 1 : 2, zone_quads = zone_margin == 1 ? 7 : 9;
    static constexpr int zone_pitch = 4 * (zone_quads + 2 * zone_margin);
    static constexpr int slots_per_thread = (2 * TAPS * groups + 2 * deep * 4 * quads + threads - 1) / threads;
    static constexpr int halo_slots = slots_per_thread * threads;
    static_assert(pitch % 8 == 4 && zone_pitch % 8 == 4, "odd numbers of quads");
    static_assert(beyond >= TAPS + 4 && below >= REACH && above >= below, "room for images and filtered differences");
    static_assert((deep + 1) * quads < threads && (aside + 1) * groups < threads,
                  "a patch reads no patch that is a round further");
};

/* What a block keeps in global memory, a place for each of its threads and rounds, so that neighbouring lanes have
 * neighbouring places. */
struct streamed_store {
    static constexpr int places = STREAMED_ROUNDS * STREAMED_THREADS,
                         filtered = STREAMED_FILTER_ROUNDS * STREAMED_THREADS;
    float4 increments[places * PATCH_ROWS];
    float4 half[filtered * PATCH_ROWS], node[filtered * PATCH_ROWS];
    uint2 indices[places * PATCH_ROWS]; /* of the coefficients */
    float weights[places * 4 * PATCH_ROWS];
    unsigned driven[places]; /* a bit for each node of a patch that has a source */
};

/* The shared memory of a block, in bytes from its beginning. */
struct streamed_layout {
    int patches, rounds;         /* owned patches, and turns that the threads take at them */
    int filters_x, filters;      /* patches filtered along x, as a multiple of 32; and those along y behind them */
    int first_quad, first_group; /* of the patches that are filtered along x and along y */
    bool along_y;                /* patches above each other come one after another, else those beside each other */
    size_t gx, lap_x, gy, lap_y; /* filtered first and second differences */
    size_t x_filters, y_filters; /* (nodes of the axis) filter_pair */
    size_t words, filter_words;  /* what each thread's patches are */
    size_t states;               /* of the filters, if they stay on the chip, else they are in the store */
    bool states_stay;
    bool fits;
};

template <typename S>
__host__ __device__ inline streamed_layout lay_out_streamed(const wide_axis &x, const wide_axis &y, size_t limit)
{
    streamed_layout l = {};
    int across = x.filtered(), along = y.filtered(); /* quads and groups with filters */
    size_t rows = (size_t)PATCH_ROWS * y.size, zone = sizeof(float) * rows * S::zone_pitch,
           line = sizeof(float) * S::pitch;
    l.patches = x.size * y.size;
    l.rounds = (l.patches + S::threads - 1) / S::threads;
    l.filters_x = (across * y.size + 31) / 32 * 32;
    l.filters = l.filters_x + along * x.size;
    l.first_quad = x.low > 0 ? 0 : x.high;
    l.first_group = y.low > 0 ? 0 : y.high;
    l.along_y = across > 0 && along == 0;
    l.gx = line * (rows + S::below + S::above);
    l.lap_x = l.gx + (across > 0 ? zone : 0);
    l.gy = l.lap_x + (across > 0 ? zone : 0);
    l.lap_y = l.gy + (along > 0 ? line * (size_t)(PATCH_ROWS * along + 2 * S::below) : 0);
    l.x_filters = l.lap_y + line * (size_t)(PATCH_ROWS * along);
    l.y_filters = l.x_filters + sizeof(filter_pair) * 4 * (size_t)x.size;
    l.words = l.y_filters + sizeof(filter_pair) * rows;
    l.filter_words = l.words + sizeof(unsigned) * (size_t)(l.rounds * S::threads);
    l.states = (l.filter_words + sizeof(uint2) * (size_t)l.filters + 15) / 16 * 16;
    l.fits = l.states <= limit;
    l.states_stay = l.states + sizeof(float4) * 2 * PATCH_ROWS * (size_t)l.filters <= limit;
    return l;
}

/* Divides the grid among at most `processors` blocks; false when the grid or the stencil does not suit them. */
bool streamed_partition(const box_request &request, int processors, box_set *set);

/* Size of plan.halo_buffer in words of 4 bytes. */
size_t streamed_words(const struct problem *problem, int blocks);

/* Advances one run by `steps`; `shared_bytes` is what a block may have, and each has. On return the state is in
 * fields[0] when `steps` is even, else in fields[1]. */
pw_status streamed_advance(const device_problem<float> &problem, const device_fields<float> fields[2],
                           const device_events<float> &events, const resident_plan &plan, size_t shared_bytes,
                           int64_t step, int64_t steps, cudaStream_t stream, pw_error *error);

#endif
