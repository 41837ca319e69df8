/* A relay (../relay/relay.h) over fields that are kept in 16 bits a value (src/problem/half.h): half the bytes between
 * memory, the second-level cache and the chip. Tiles, roles and waiting are those of ../relay/relay.cu. What differs is
 * what happens to a level:
 *
 *      boxes of units in memory
 *         |  bulk copies, some turns ahead, by a warp of its own
 *         v
 *      boxes of units in shared memory
 *         |  all threads turn them into single precision, once for whoever looks there, and meet; images about the
 *         |  walls are made on this way, so that memory holds none
 *         v
 *      levels in single precision
 *         |  each thread moves four columns on, whose old values it takes from the units itself, and two neighbour
 *         |  lanes agree on an exponent
 *         v
 *      units in memory
 *
 * A level is rounded once all of its half step is in it: rows beside metal and the source are added before. So sources
 * are the business of the threads that step, and the warp that tells hears probes alone. */
#include "kernels/common/cuda_check.h"
#include "kernels/volume/half/half_tile.h"
#include "kernels/volume/relay/relay.h"
#include "kernels/volume/relay/relay_rows.h"
#include "kernels/volume/relay/relay_tasks.h"

#include "problem/image.h"

namespace
{

/* The turns of a task: the first ones bring levels alone. */
template <int REACH> __device__ __forceinline__ int turns_of(const relay_task &own)
{
    return own.end - own.begin + 2 * REACH - 1;
}

/* ---- the warp that copies ---- */

template <int REACH, int SET, bool METAL>
__device__ __forceinline__ void copy_levels(const device_volume<float> &v, const relay_maps &maps,
                                            const relay_pass &pass, const relay_task &own, const half_rings &ring)
{
    typedef half_tile<REACH, METAL> shape;
    constexpr int before = SET == 3 ? 1 : 0, top = REACH - before;
    const int lane = threadIdx.x % 32, turns = turns_of<REACH>(own);
    const int i_wide = own.i - RELAY_MARGIN, j_high = own.j + 1 - before - REACH;
    const cache_policy policy = policy_of(pass, own);
    relay_wait wait = begin_waiting<REACH>(v, pass, own);
    int stage = 0, bound = METAL ? metal_bound<REACH, SET>(v, pass.metal, own.i, own.j, own.begin) : 0;
    for (int turn = 0; turn < turns; turn++) {
        const int k = own.begin - shape::below + turn, level = k + top, before_it = turn - shape::stages;
        const bool steps = k >= own.begin;
        if (before_it >= 0) {
            shared_barrier_wait(&ring.done[before_it % TOLD_TURNS], before_it / TOLD_TURNS);
        }
        while (*(volatile int *)ring.told <= turn - TOLD_TURNS) { /* no warp is a round ahead of the one that tells */
            __nanosleep(50);
        }
        wait.await_level(level + 1);
        if (METAL && steps) {
            hand_bounds_on(bound, ring.bounds + 4 * stage);
        }
        if (lane == 0) {
            uint64_t *barrier = &ring.full[stage];
            uint16_t *to = ring.boxes + stage * shape::boxes;
            const bool outside = level < 0 || level >= v.n[2];
            const int from = outside ? image_of(level, v.n[2], SET == 3, v.symmetric[2]).place : level;
            shared_barrier_expect(barrier, shape::column_bytes + (steps ? shape::level_bytes : 0));
            copy_box(to, &maps.around[SET], own.i, j_high, from, barrier, policy);
            copy_box(to + shape::box_x, &maps.around[SET + 1], i_wide, own.j, from, barrier, policy);
            if (steps) {
                to += shape::box_x + shape::box_y;
                copy_box(to, &maps.around[SET + 2], i_wide, j_high, k, barrier, policy);
                for (int c = 0; c < 3; c++) {
                    copy_box(to + shape::box_z + c * shape::bare, &maps.bare[3 - SET + c], own.i, own.j, k, barrier,
                             policy);
                }
            }
        }
        if (METAL && steps) {
            ask_metal_rows<REACH>(pass.metal, bound);
            bound = metal_bound<REACH, SET>(v, pass.metal, own.i, own.j, min(k + 1, own.end - 1));
        }
        __syncwarp(); /* no lane is a round behind: phases are told apart by their parity */
        stage = stage + 1 == shape::stages ? 0 : stage + 1;
    }
}

/* ---- the warp that tells ---- */

/* What probes hear at a level that has been moved on. */
template <int REACH, int SET>
__device__ __forceinline__ void hear_level(const device_volume<float> &v, const half_fields &f, const relay_pass &pass,
                                           const relay_task &own, int k)
{
    const pass_events<float> &events = pass.events;
    const int lane = threadIdx.x % 32, step = own.role / 2;
    if (events.heard_count > 0) {
        const int *row = events.rows + (size_t)k * v.n[1];
        const int end = row[min(own.j + relay_tile<REACH>::rows, v.n[1])];
        for (int n = row[max(own.j, 0)] + lane; n < end; n += 32) {
            const pass_place at = events.heard[n];
            if ((at.component < 3) == (SET == 3) && at.i >= own.i && at.i < own.i + RELAY_WIDTH) {
                const size_t place = (size_t)at.k * v.plane + (size_t)at.j * v.pitch + at.i;
                events.values[(size_t)step * events.heard_count + events.slot[n]] =
                    half_at(f.field[at.component] + place);
            }
        }
        __syncwarp();
    }
}

template <int REACH, int SET>
__device__ __forceinline__ void tell_levels(const device_volume<float> &v, const half_fields &f, const relay_pass &pass,
                                            const relay_task &own, const half_rings &ring)
{
    constexpr int below = 2 * REACH - 1;
    const int lane = threadIdx.x % 32, turns = turns_of<REACH>(own);
    const bool leads = is_followed(pass, own);
    unsigned *const progress = progress_of(pass, own);
    const unsigned zero = pass.launch * (unsigned)(v.n[2] + 1);
    for (int told = 0; told < turns;) {
        const int first = told;
        do {
            shared_barrier_wait(&ring.done[told % TOLD_TURNS], told / TOLD_TURNS);
            if (told >= below) {
                hear_level<REACH, SET>(v, f, pass, own, own.begin + told - below);
            }
            told++;
        } while (told < turns && told - first < TOLD_TURNS - 1 &&
                 shared_barrier_test(&ring.done[told % TOLD_TURNS], told / TOLD_TURNS));
        if (lane == 0) {
            *(volatile int *)ring.told = told;
            if (leads && told > below) {
                word_write(progress, zero + own.begin + told - below);
            }
        }
        __syncwarp();
    }
}

/* ---- the warps that step ---- */

__device__ __forceinline__ void store_words_for(uint16_t *to, const uint2 &words, cache_policy policy)
{
#if RELAY_RUNS
    asm volatile("st.global.L2::cache_hint.v2.b32 [%0], {%1, %2}, %3;" ::"l"(to), "r"(words.x), "r"(words.y),
                 "l"(policy)
                 : "memory");
#endif
}

/* What the source adds to the quads of E. */
__device__ __forceinline__ void drive_quads(const relay_pass &pass, const relay_task &own, const column &at,
                                            quad<float> (&moved)[3])
{
    const float drive = (float)pass.source.drive[pass.step + own.role / 2];
#pragma unroll 1
    for (int n = 0; n < pass.source.count; n++) {
        const pass_place place = pass.events.driven[n];
        if (place.k == at.k && place.j == at.j && place.i / 4 * 4 == at.i) {
#pragma unroll
            for (int c = 0; c < 3; c++) {
#pragma unroll
                for (int p = 0; p < 4; p++) {
                    float value = moved[c].x[p]; /* every one is computed: no array whose place is asked for */
                    cell_dipole(pass.source.weights[n], drive, pass.source.hard, &value);
                    moved[c].x[p] = place.component == c && place.i % 4 == p ? value : moved[c].x[p];
                }
            }
        }
    }
}

/* Whether the source drives something in the tile's columns. */
template <int REACH> __device__ __forceinline__ bool is_driven(const relay_pass &pass, const relay_task &own)
{
    const pass_events<float> &events = pass.events;
    return events.corner[0] < own.i + RELAY_WIDTH && events.end[0] > own.i &&
           events.corner[1] < own.j + relay_tile<REACH>::rows && events.end[1] > own.j;
}

/* Four columns of all components, moved on from what is in the boxes and levels of a turn. `x`, `y`: rings, in which
 * `slot` is the lowest level that is wanted; `seat`: of the quad in a tile. */
struct half_levels {
    const float *x, *y, *z;
    const uint16_t *held;
    int slot;
};

template <int REACH, int SET, bool METAL>
__device__ __forceinline__ void move_quads(const device_volume<float> &v, const half_fields &f, const half_levels &ring,
                                           const column &at, int lane, int row, const column_media<float> &media,
                                           quad<float> (&moved)[3])
{
    typedef half_tile<REACH, METAL> shape;
    constexpr int before = SET == 3 ? 1 : 0, centre = REACH - 1 + before;
    const int seat = row * RELAY_WIDTH + 4 * lane, seat_x = seat + centre * RELAY_WIDTH,
              seat_y = row * shape::pitch + RELAY_MARGIN + 4 * lane, seat_z = seat_y + centre * shape::pitch;
    const auto read = [](const float *from) { return load_quad(from); };
    const auto wrapped = [](int slot) { return slot < shape::depth ? slot : slot - shape::depth; };
    const float *x = ring.x + wrapped(ring.slot + centre) * shape::x + seat_x,
                *y = ring.y + wrapped(ring.slot + centre) * shape::y + seat_y, *z = ring.z + seat_z;
    quad<float> window_x[2 * REACH], window_y[2 * REACH];
#pragma unroll
    for (int m = 0; m < 2 * REACH; m++) {
        window_x[m] = load_quad(ring.x + wrapped(ring.slot + m) * shape::x + seat_x);
        window_y[m] = load_quad(ring.y + wrapped(ring.slot + m) * shape::y + seat_y);
    }
    const quad<float> middle = load_quad(z);
    curl<float> d;
    d.first[0] = across_rows<REACH, before>(v, z, shape::pitch, middle, read);
    d.second[1] = along_row<REACH, before>(v, z, middle, read);
    d.second[2] = across_rows<REACH, before>(v, x, RELAY_WIDTH, window_x[centre], read);
    d.first[2] = along_row<REACH, before>(v, y, window_y[centre], read);
    d.first[1] = line_derivative<REACH>(v, window_x);
    d.second[0] = line_derivative<REACH>(v, window_y);
    filter_curl<SET, false>(v, f, at, d);
#pragma unroll
    for (int c = 0; c < 3; c++) {
        const uint4 words = *(const uint4 *)(ring.held + c * shape::bare + seat / HALF_UNIT * HALF_UNIT);
        const half_scale scale = half_scale_of(words);
        const quad<float> old = lane % 2 == 0 ? half_quad(words.x, words.y, scale) : half_quad(words.z, words.w, scale);
        moved[c] = moved_quad<SET>(old, d, c, media);
    }
}

template <int REACH, int SET, bool METAL>
__device__ __forceinline__ void step_levels(const device_volume<float> &v, const half_fields &f, const relay_pass &pass,
                                            const relay_task &own, const half_rings &ring)
{
    typedef half_tile<REACH, METAL> shape;
    constexpr int before = SET == 3 ? 1 : 0, top = REACH - before;
    const int lane = threadIdx.x % shape::lanes, row = threadIdx.x / shape::lanes, turns = turns_of<REACH>(own);
    column at = {own.i + 4 * lane, own.j + row, own.begin - shape::below};
    const bool row_inside = at.j >= 0 && at.j < v.n[1], inside = row_inside && at.i >= 0 && at.i < v.n[0];
    const int unit = at.i - 4 * (lane % 2);
    const bool stores = row_inside && unit >= 0 && unit < v.n[0]; /* its unit is of the grid, if not all of the quad */
    const bool driven = SET == 3 && is_driven<REACH>(pass, own);
    const bool beside_x = own.i < RELAY_MARGIN || own.i + RELAY_WIDTH + RELAY_MARGIN > v.n[0];
    at.layer_x = at.i < v.low[0] || at.i + 4 > v.n[0] - v.high[0];
    at.slot_y = inside ? filter_slot(v, 1, at.j) : -1;
    const cache_policy policy = policy_of(pass, own);
    column_media<float> media;
    if (inside && SET == 3) {
        media.look(v, at, own.begin);
    }
    for (int n = (int)threadIdx.x; n < shape::units; n += shape::threads) {
        ring.source[n] = source_of_unit<REACH, SET, METAL>(v, n, own.i, own.j);
    }
    meet_to_step<REACH>();
    ptrdiff_t place = (ptrdiff_t)at.k * (ptrdiff_t)v.plane + (ptrdiff_t)at.j * v.pitch + at.i;
    int newest = 0, stage = 0, round = 0; /* newest: slot of the level that comes in this turn */
#pragma unroll 1
    for (int turn = 0; turn < turns; turn++, at.k++, place += (ptrdiff_t)v.plane) {
        const bool steps = turn >= shape::below;
        const int level = at.k + top;
        const uint16_t *const boxes = ring.boxes + stage * shape::boxes;
        float *const x = ring.x + newest * shape::x, *const y = ring.y + newest * shape::y,
                     *const z = ring.z + turn % 2 * shape::z;
        const bool outside = level < 0 || level >= v.n[2];
        const int sign = outside ? image_of(level, v.n[2], SET == 3, v.symmetric[2]).sign : 1;
        if (inside && steps && SET == 3) {
            media.take(v);
        }
        if (inside && steps && at.k + 1 < own.end) {
            ask_states<SET>(v, f, at);
        }
        shared_barrier_wait(&ring.full[stage], round);
        decode_level<REACH, SET, METAL>(ring, boxes, x, y, z, sign, steps);
        meet_to_step<REACH>();
        if (beside_x) {
            images_along_x<REACH, SET, METAL>(v, y, z, own.i);
            meet_to_step<REACH>();
        }
        if (steps) {
            const int slot = newest + 2 < shape::depth ? newest + 2 : newest + 2 - shape::depth;
            quad<float> moved[3] = {zero_quad<float>(), zero_quad<float>(), zero_quad<float>()};
            at.slot_z = filter_slot(v, 2, at.k);
            if (inside) {
                const uint16_t *const held = boxes + shape::box_x + shape::box_y + shape::box_z;
                move_quads<REACH, SET, METAL>(v, f, {ring.x, ring.y, z, held, slot}, at, lane, row, media, moved);
            }
            const int4 bounds = METAL ? *(const int4 *)(ring.bounds + 4 * stage) : make_int4(0, 0, 0, 0);
            if (METAL && (bounds.x < bounds.y || bounds.z < bounds.w)) {
                float *const own_quads = ring.moved + row * RELAY_WIDTH + 4 * lane;
#pragma unroll
                for (int c = 0; c < 3; c++) {
                    store_quad(own_quads + c * shape::bare, moved[c]);
                }
                meet_to_step<REACH>();
                add_metal_rows<REACH, SET, shape::depth>(pass.metal, bounds, {ring.x, ring.y, z, ring.moved, slot},
                                                         own.j);
                meet_to_step<REACH>();
#pragma unroll
                for (int c = 0; c < 3; c++) {
                    moved[c] = load_quad(own_quads + c * shape::bare);
                }
            }
            if (driven && at.k >= pass.events.lowest && at.k <= pass.events.highest) {
                drive_quads(pass, own, at, moved);
            }
            if (own.i + RELAY_WIDTH > v.n[0]) { /* beyond the end of the row a unit has zeros */
#pragma unroll
                for (int p = 0; p < 12; p++) {
                    moved[p / 4].x[p % 4] = at.i + p % 4 < v.n[0] ? moved[p / 4].x[p % 4] : 0;
                }
            }
#pragma unroll
            for (int c = 0; c < 3; c++) {
                const uint2 words = half_words(moved[c]);
                if (stores) {
                    store_words_for(f.field[3 - SET + c] + place, words, policy);
                }
            }
        }
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            shared_barrier_come(&ring.done[turn % TOLD_TURNS]);
        }
        if (inside && steps && SET == 3 && at.k + 1 < own.end) {
            media.look(v, at, at.k + 1);
        }
        newest = newest + 1 == shape::depth ? 0 : newest + 1;
        stage = stage + 1 == shape::stages ? 0 : stage + 1;
        round += stage == 0 ? 1 : 0;
    }
}

template <int REACH, bool METAL>
__global__ void __launch_bounds__(half_tile<REACH, METAL>::threads + 64, 1)
    relay_half_kernel(const __grid_constant__ device_volume<float> v, const __grid_constant__ half_fields f,
                      const __grid_constant__ relay_maps maps, const __grid_constant__ relay_pass pass)
{
    typedef half_tile<REACH, METAL> shape;
    extern __shared__ __align__(128) float pool[];
    half_rings ring;
    ring.x = pool;
    ring.y = ring.x + shape::depth * shape::x;
    ring.z = ring.y + shape::depth * shape::y;
    ring.moved = ring.z + 2 * shape::z;
    ring.boxes = (uint16_t *)(pool + shape::values);
    ring.bounds = (int *)(ring.boxes + shape::stages * shape::boxes);
    ring.full = (uint64_t *)(ring.bounds + 4 * shape::stages);
    ring.done = ring.full + shape::stages;
    ring.told = (int *)(ring.done + TOLD_TURNS);
    int *ticket = ring.told + 1;
    ring.source = (uint16_t *)(ticket + 1);
    if (threadIdx.x == 0) {
        *ticket = (int)(atomicAdd(pass.ticket, 1u) - pass.first);
        for (int s = 0; s < shape::stages; s++) {
            shared_barrier_create(&ring.full[s], 1);
        }
        for (int s = 0; s < TOLD_TURNS; s++) {
            shared_barrier_create(&ring.done[s], shape::threads / 32);
        }
        *ring.told = 0;
        fence_barriers();
    }
    __syncthreads();
    relay_task own;
    if (!find_task<REACH>(v, pass, *ticket, &own)) {
        return;
    }
    const bool electric = own.role % 2 == 1;
    if (threadIdx.x >= shape::threads + 32) {
        electric ? tell_levels<REACH, 3>(v, f, pass, own, ring) : tell_levels<REACH, 0>(v, f, pass, own, ring);
    } else if (threadIdx.x >= shape::threads) {
        electric ? copy_levels<REACH, 3, METAL>(v, maps, pass, own, ring)
                 : copy_levels<REACH, 0, METAL>(v, maps, pass, own, ring);
    } else if (electric) {
        step_levels<REACH, 3, METAL>(v, f, pass, own, ring);
    } else {
        step_levels<REACH, 0, METAL>(v, f, pass, own, ring);
    }
}

template <int REACH, bool METAL>
pw_status launch_half(const device_volume<float> &v, const half_fields &f, const relay_maps &maps,
                      const relay_pass &pass, cudaStream_t stream, pw_error *error)
{
    typedef half_tile<REACH, METAL> shape;
    TRY((allow_shared_memory<relay_half_kernel<REACH, METAL>>(error)));
    relay_half_kernel<REACH, METAL>
        <<<relay_blocks(pass), shape::threads + 64, shape::shared, stream>>>(v, f, maps, pass);
    CUDA_LAUNCHED("relay_half_kernel");
    return PW_OK;
}

} // namespace

pw_status volume_relay(const device_volume<float> &volume, int reach, const half_fields &fields, const relay_maps &maps,
                       const relay_pass &pass, cudaStream_t stream, pw_error *error)
{
    return with_reach(
        reach,
        [&](auto own) {
            constexpr int taps = decltype(own)::value;
            if constexpr (taps >= 2 && taps <= HALF_REACH) {
                return pass.metal.first != NULL ? launch_half<taps, true>(volume, fields, maps, pass, stream, error)
                                                : launch_half<taps, false>(volume, fields, maps, pass, stream, error);
            } else {
                return fail(error, PW_USAGE, "no kernel with fields in 16 bits for a reach of %d", taps);
            }
        },
        error);
}
