/* The kernel of a relay (relay.h). A pass has two roles a step, h's and E's, one after the other. A block goes up the
 * levels of one tile of columns and moves the field of a role on there; tasks are taken in order, those of a role some
 * tiles behind those of the one before (RELAY_DELAY), so that few blocks wait long:
 *
 *      level ^      a role's tile        A warp copies, as boxes of a level: the field that is differenced, with
 *            |   ################        what is around the tile, and what is moved on. The other warps step: they
 *            |   ................  some  wait for a level's boxes, each thread moves four columns on, and says that
 *            |   ................  levels the boxes may be written over. A role asks for no level before the one
 *            |      |                    before it is `reach` farther there and beside: blocks tell how far they are.
 *            |   +--v------------+
 *            |   | the next one's|       Tiles of a role begin earlier than those of the one before along every axis,
 *            |   +---------------+       so that they want of it their own tile and those before, and never one that
 *                                        begins later: a block waits for blocks that have begun, and none waits for
 *                                        a later role.
 *
 * In place: what a block writes has been read by the role before it, for which it waited. Beside walls blocks write the
 * images too (problem/image.h); those of E that the first role finds are filled before. */
#include "kernels/common/cuda_check.h"
#include "kernels/volume/relay/relay.h"
#include "kernels/volume/relay/relay_rows.h"
#include "kernels/volume/relay/relay_tasks.h"
#include "kernels/volume/relay/relay_walls.h"

namespace
{

/* What happens at single places of a level that has been moved on: what the source adds to E, and what probes hear. */
template <int REACH, int SET>
__device__ __forceinline__ void end_level(const device_volume<float> &v, const volume_fields<float> &f,
                                          const relay_pass &pass, const relay_task &own, int k)
{
    const pass_events<float> &events = pass.events;
    const int lane = threadIdx.x % 32, step = own.role / 2;
    const int right = own.i + RELAY_WIDTH, back = own.j + relay_tile<REACH>::rows;
    const auto offset = [&](const pass_place &at) {
        return (ptrdiff_t)at.k * (ptrdiff_t)v.plane + (ptrdiff_t)at.j * v.pitch + at.i;
    };
    if (SET == 3 && k >= events.lowest && k <= events.highest) {
        const float drive = (float)pass.source.drive[pass.step + step];
        for (int n = lane; n < pass.source.count; n += 32) {
            const pass_place at = events.driven[n];
            if (at.k == k && at.i >= own.i && at.i < right && at.j >= own.j && at.j < back) {
                const ptrdiff_t stride[3] = {1, v.pitch, (ptrdiff_t)v.plane};
                const int place[3] = {at.i, at.j, at.k};
                float *to = f.field[at.component] + offset(at), value = __ldcg(to);
                cell_dipole(pass.source.weights[n], drive, pass.source.hard, &value);
                *to = value;
                for (int a = 0; a < 3; a++) {
                    if (a != at.component) {
                        images_along<REACH, SET>(v, a, place[a], [&](int distance, bool odd) {
                            to[distance * stride[a]] = odd ? -value : value;
                        });
                    }
                }
            }
        }
        __syncwarp();
    }
    if (events.heard_count > 0) {
        const int *row = events.rows + (size_t)k * v.n[1];
        const int end = row[min(back, v.n[1])];
        for (int n = row[max(own.j, 0)] + lane; n < end; n += 32) {
            const pass_place at = events.heard[n];
            if ((at.component < 3) == (SET == 3) && at.i >= own.i && at.i < right) {
                events.values[(size_t)step * events.heard_count + events.slot[n]] =
                    __ldcg(f.field[at.component] + offset(at));
            }
        }
        __syncwarp();
    }
}

/* ---- the warp that copies ---- */

template <int REACH, int SET, bool METAL>
__device__ __forceinline__ void copy_levels(const device_volume<float> &v, const relay_maps &maps,
                                            const relay_pass &pass, const relay_task &own, const relay_rings &ring)
{
    typedef relay_tile<REACH> shape;
    constexpr int before = SET == 3 ? 1 : 0, top = REACH - before, below = 2 * REACH - 1;
    const int lane = threadIdx.x % 32;

    /* In the maps a field begins RELAY_MARGIN columns and REACH rows and levels before its first place. */
    const int i = own.i + RELAY_MARGIN, j = own.j + REACH, j_high = own.j + 1 - before;
    const cache_policy policy = policy_of(pass, own);
    const auto copy_columns = [&](int slot, int level, uint64_t *barrier) {
        copy_box(ring.x + slot * shape::x, &maps.around[SET], i, j_high, level + REACH, barrier, policy);
        copy_box(ring.y + slot * shape::y, &maps.around[SET + 1], own.i, j, level + REACH, barrier, policy);
    };
    relay_wait wait = begin_waiting<REACH>(v, pass, own);
    if (lane == 0) {
        shared_barrier_expect(ring.begun, shape::column_bytes * below);
        for (int m = 0; m < below; m++) {
            copy_columns(m, own.begin + top - below + m, ring.begun);
        }
    }
    int slot = below, stage = 0, bound = METAL ? metal_bound<REACH, SET>(v, pass.metal, own.i, own.j, own.begin) : 0;
    for (int k = own.begin; k < own.end; k++) {
        const int turn = k - own.begin, before_it = turn - shape::stages;
        if (before_it >= 0) {
            shared_barrier_wait(&ring.done[before_it % TOLD_TURNS], before_it / TOLD_TURNS);
        }
        while (*(volatile int *)ring.told <= turn - TOLD_TURNS) { /* no warp is a round ahead of the one that tells */
            __nanosleep(50);
        }
        wait.await_level(k + top + 1);
        if (METAL) {
            hand_bounds_on(bound, ring.bounds + 4 * stage);
        }
        if (lane == 0) {
            uint64_t *barrier = &ring.full[stage];
            shared_barrier_expect(barrier, shape::column_bytes + shape::level_bytes);
            copy_columns(slot, k + top, barrier);
            copy_box(ring.z + stage * shape::z, &maps.around[SET + 2], own.i, j_high, k + REACH, barrier, policy);
            for (int c = 0; c < 3; c++) {
                copy_box(ring.moved + (3 * stage + c) * shape::bare, &maps.bare[3 - SET + c], i, j, k + REACH, barrier,
                         policy);
            }
        }
        if (METAL) {
            ask_metal_rows<REACH>(pass.metal, bound);
            bound = metal_bound<REACH, SET>(v, pass.metal, own.i, own.j, min(k + 1, own.end - 1));
        }
        __syncwarp(); /* no lane is a round behind: phases are told apart by their parity */
        slot = slot + 1 == shape::depth ? 0 : slot + 1;
        stage = stage + 1 == shape::stages ? 0 : stage + 1;
    }
}

/* ---- the warp that tells ---- */

template <int REACH, int SET>
__device__ __forceinline__ void tell_levels(const device_volume<float> &v, const volume_fields<float> &f,
                                            const relay_pass &pass, const relay_task &own, const relay_rings &ring)
{
    const int lane = threadIdx.x % 32, turns = own.end - own.begin;
    const bool leads = is_followed(pass, own);
    unsigned *const progress = progress_of(pass, own);
    const unsigned zero = pass.launch * (unsigned)(v.n[2] + 1);
    for (int told = 0; told < turns;) {
        const int first = told;
        do {
            shared_barrier_wait(&ring.done[told % TOLD_TURNS], told / TOLD_TURNS);
            end_level<REACH, SET>(v, f, pass, own, own.begin + told);
            told++;
        } while (told < turns && told - first < TOLD_TURNS - 1 &&
                 shared_barrier_test(&ring.done[told % TOLD_TURNS], told / TOLD_TURNS));
        if (lane == 0) {
            *(volatile int *)ring.told = told;
            if (leads) {
                word_write(progress, zero + own.begin + told);
            }
        }
        __syncwarp();
    }
}

/* ---- the warps that step ---- */

template <int REACH, int SET, bool METAL>
__device__ __forceinline__ void step_levels(const device_volume<float> &v, const volume_fields<float> &f,
                                            const relay_pass &pass, const relay_task &own, const relay_rings &ring)
{
    typedef relay_tile<REACH> shape;
    constexpr int before = SET == 3 ? 1 : 0, centre = REACH - 1 + before;
    const int lane = threadIdx.x % shape::lanes, row = threadIdx.x / shape::lanes;
    column at = {own.i + 4 * lane, own.j + row, own.begin};
    const bool inside = at.i >= 0 && at.i < v.n[0] && at.j >= 0 && at.j < v.n[1];
    const bool beside_wall = at.i < REACH || at.i + 4 > v.n[0] - REACH || at.j < REACH || at.j >= v.n[1] - REACH;
    at.layer_x = at.i < v.low[0] || at.i + 4 > v.n[0] - v.high[0];
    at.slot_y = inside ? filter_slot(v, 1, at.j) : -1;
    const bool stores_images = SET == 0 || is_followed(pass, own); /* the next pass fills those of E itself */
    const cache_policy policy = policy_of(pass, own);
    ptrdiff_t place = (ptrdiff_t)at.k * (ptrdiff_t)v.plane + (ptrdiff_t)at.j * v.pitch + at.i;
    /* Where it is in a tile, and in the boxes of x, y and z. */
    const int seat = row * RELAY_WIDTH + 4 * lane, seat_x = seat + centre * RELAY_WIDTH,
              seat_y = row * shape::pitch + RELAY_MARGIN + 4 * lane, seat_z = seat_y + centre * shape::pitch;
    const auto read = [](const float *from) { return load_quad(from); };
    const auto wrapped = [](int slot) { return slot < shape::depth ? slot : slot - shape::depth; };
    column_media<float> media;
    if (inside && SET == 3) {
        media.look(v, at, at.k);
    }
    int slot = 0, stage = 0, round = 0; /* slot: of the lowest level that is wanted */
    shared_barrier_wait(ring.begun, 0);
#pragma unroll 1
    for (; at.k < own.end; at.k++, place += (ptrdiff_t)v.plane) {
        if (inside && SET == 3) {
            media.take(v);
        }
        if (inside && at.k + 1 < own.end) {
            ask_states<SET>(v, f, at);
        }
        const bool images = stores_images && (beside_wall || at.k < REACH || at.k >= v.n[2] - REACH);
        const auto store = [&](int c, const quad<float> &moved) {
            float *to = f.field[3 - SET + c] + place;
            store_inside(to, moved, v.n[0] - at.i, policy);
            if (images) {
                store_images<REACH, SET>(v, to, c, at, moved);
            }
        };
        float *const held = ring.moved + 3 * stage * shape::bare + seat;
        shared_barrier_wait(&ring.full[stage], round);
        const int4 bounds = METAL ? *(const int4 *)(ring.bounds + 4 * stage) : make_int4(0, 0, 0, 0);
        const bool beside_metal = METAL && (bounds.x < bounds.y || bounds.z < bounds.w);
        if (inside) {
            const float *x = ring.x + wrapped(slot + centre) * shape::x + seat_x,
                        *y = ring.y + wrapped(slot + centre) * shape::y + seat_y,
                        *z = ring.z + stage * shape::z + seat_z;
            quad<float> window_x[2 * REACH], window_y[2 * REACH];
#pragma unroll
            for (int m = 0; m < 2 * REACH; m++) {
                window_x[m] = load_quad(ring.x + wrapped(slot + m) * shape::x + seat_x);
                window_y[m] = load_quad(ring.y + wrapped(slot + m) * shape::y + seat_y);
            }
            const quad<float> middle = load_quad(z);
            curl<float> d;
            d.first[0] = across_rows<REACH, before>(v, z, shape::pitch, middle, read);
            d.second[1] = along_row<REACH, before>(v, z, middle, read);
            d.second[2] = across_rows<REACH, before>(v, x, RELAY_WIDTH, window_x[centre], read);
            d.first[2] = along_row<REACH, before>(v, y, window_y[centre], read);
            d.first[1] = line_derivative<REACH>(v, window_x);
            d.second[0] = line_derivative<REACH>(v, window_y);
            at.slot_z = filter_slot(v, 2, at.k);
            filter_curl<SET, false>(v, f, at, d);
            const auto moved = [&](int c) { return moved_quad<SET>(load_quad(held + c * shape::bare), d, c, media); };
            if (beside_metal) {
#pragma unroll
                for (int c = 0; c < 3; c++) {
                    store_quad(held + c * shape::bare, moved(c));
                }
            } else {
#pragma unroll
                for (int c = 0; c < 3; c++) {
                    store(c, moved(c));
                }
            }
        }
        if (beside_metal) {
            meet_to_step<REACH>();
            add_metal_rows<REACH, SET, shape::depth>(
                pass.metal, bounds,
                {ring.x, ring.y, ring.z + stage * shape::z, ring.moved + 3 * stage * shape::bare, slot}, own.j);
            meet_to_step<REACH>();
            fence_shared();
#pragma unroll 1
            for (int c = 0; c < 3 && inside; c++) {
                store(c, load_quad(held + c * shape::bare));
            }
        }
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            shared_barrier_come(&ring.done[(at.k - own.begin) % TOLD_TURNS]);
        }
        if (inside && SET == 3 && at.k + 1 < own.end) {
            media.look(v, at, at.k + 1);
        }
        slot = slot + 1 == shape::depth ? 0 : slot + 1;
        stage = stage + 1 == shape::stages ? 0 : stage + 1;
        round += stage == 0 ? 1 : 0;
    }
}

template <int REACH, bool METAL>
__global__ void __launch_bounds__(relay_tile<REACH>::threads + 64, 1)
    relay_kernel(const __grid_constant__ device_volume<float> v, const __grid_constant__ volume_fields<float> f,
                 const __grid_constant__ relay_maps maps, const __grid_constant__ relay_pass pass)
{
    typedef relay_tile<REACH> shape;
    extern __shared__ __align__(128) float pool[];
    relay_rings ring;
    ring.x = pool;
    ring.y = ring.x + shape::depth * shape::x;
    ring.z = ring.y + shape::depth * shape::y;
    ring.moved = ring.z + shape::stages * shape::z;
    ring.bounds = (int *)(pool + shape::values);
    ring.full = (uint64_t *)(ring.bounds + 4 * shape::stages);
    ring.done = ring.full + shape::stages;
    ring.begun = ring.done + TOLD_TURNS;
    ring.told = (int *)(ring.begun + 1);
    int *ticket = ring.told + 1;
    if (threadIdx.x == 0) {
        *ticket = (int)(atomicAdd(pass.ticket, 1u) - pass.first);
        for (int s = 0; s < shape::stages; s++) {
            shared_barrier_create(&ring.full[s], 1);
        }
        for (int s = 0; s < TOLD_TURNS; s++) {
            shared_barrier_create(&ring.done[s], shape::threads / 32);
        }
        shared_barrier_create(ring.begun, 1);
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
pw_status launch_relay(const device_volume<float> &v, const volume_fields<float> &f, const relay_maps &maps,
                       const relay_pass &pass, cudaStream_t stream, pw_error *error)
{
    const unsigned blocks = relay_blocks(pass);
    TRY(volume_ghosts(v, REACH, 0, f, stream, error));
    TRY((allow_shared_memory<relay_kernel<REACH, METAL>>(error)));
    relay_kernel<REACH, METAL>
        <<<blocks, relay_tile<REACH>::threads + 64, relay_tile<REACH>::shared, stream>>>(v, f, maps, pass);
    CUDA_LAUNCHED("relay_kernel");
    return PW_OK;
}

#if RELAY_BUILT
typedef decltype(&cuTensorMapEncodeTiled) encode_function;

template <int REACH>
pw_status create_maps(const relay_memory &memory, encode_function encode, relay_maps *maps, pw_error *error)
{
    typedef relay_tile<REACH> shape;
    const cuuint64_t size[3] = {memory.size[0], memory.size[1], memory.size[2]};
    const cuuint64_t stride[2] = {memory.value * memory.row, memory.value * memory.level};
    const cuuint32_t unit[3] = {1, 1, 1}, bare[3] = {RELAY_WIDTH, shape::rows, 1};
    const cuuint32_t around[3][3] = {
        {RELAY_WIDTH, shape::high, 1}, {shape::pitch, shape::rows, 1}, {shape::pitch, shape::high, 1}};
    const CUtensorMapDataType type =
        memory.value == sizeof(float) ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32 : CU_TENSOR_MAP_DATA_TYPE_UINT16;
    const auto create = [&](int c, const cuuint32_t *box, CUtensorMap *map) {
        return encode(map, type, 3, memory.first[c], size, stride, box, unit, CU_TENSOR_MAP_INTERLEAVE_NONE,
                      CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
    };
    for (int c = 0; c < 6; c++) {
        if (!create(c, around[c % 3], &maps->around[c]) || !create(c, bare, &maps->bare[c])) {
            return fail(error, PW_NO_RESOURCE, "CUDA: cuTensorMapEncodeTiled failed");
        }
    }
    return PW_OK;
}
#endif

} // namespace

pw_status relay_maps_create(const relay_memory &memory, int reach, relay_maps *maps, pw_error *error)
{
#if RELAY_BUILT
    void *entry = NULL;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    CUDA_TRY(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found));
#else
    CUDA_TRY(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &found));
#endif
    if (found != cudaDriverEntryPointSuccess || entry == NULL) {
        return fail(error, PW_NO_RESOURCE, "CUDA: the driver has no cuTensorMapEncodeTiled");
    }
    return with_reach(
        reach, [&](auto own) { return create_maps<decltype(own)::value>(memory, (encode_function)entry, maps, error); },
        error);
#else
    (void)memory, (void)reach, (void)maps;
    return fail(error, PW_USAGE, "this was built by a toolkit before CUDA 12");
#endif
}

pw_status volume_relay(const device_volume<float> &volume, int reach, const volume_fields<float> &fields,
                       const relay_maps &maps, const relay_pass &pass, cudaStream_t stream, pw_error *error)
{
    return with_reach(
        reach,
        [&](auto own) {
            constexpr int taps = decltype(own)::value;
            return pass.metal.first != NULL ? launch_relay<taps, true>(volume, fields, maps, pass, stream, error)
                                            : launch_relay<taps, false>(volume, fields, maps, pass, stream, error);
        },
        error);
}
