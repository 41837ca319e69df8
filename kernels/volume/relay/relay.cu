/* The kernel of a relay (relay.h). A block goes up the levels of one tile of columns and moves on h there, or E; tasks
 * are taken in order, for each tile first h's, then E's:
 *
 *      level ^      h of a tile              A warp copies, as boxes of a level: the field that is differenced, with
 *            |   ################  stored    what is around the tile, and what is moved on. The other warps step: they
 *            |   ................  2 REACH   wait for a level's boxes, each thread moves four columns on, and says that
 *            |   ................  levels    the boxes may be written over. E asks for no level before h is `reach`
 *            |      |                        farther there and beside: blocks tell how far h is.
 *            |   +--v------------+
 *            |   |  E, shifted   |           E's tiles begin earlier than h's along every axis, so that they want h of
 *            |   +---------------+           their own tile and of those before it, and never of one that begins later:
 *                                            a block waits for blocks that have begun, and none waits for E.
 *
 * In place: E at a place is written when all h that are made of it have been, and these are the h that it is made of.
 * Beside walls the blocks of h write the images of h too (problem/image.h); those of E are filled before. */
#include <climits>

#include "kernels/common/cuda_check.h"
#include "kernels/volume/relay/relay.h"
#include "kernels/volume/relay/relay_copies.h"
#include "kernels/volume/volume_curl.h"

namespace
{

constexpr int lines(int values) /* in whole lines of shared memory */
{
    return (values + 31) / 32 * 32;
}

/* What a block has in shared memory. Of the three components of the field that is differenced the first is so along y
 * and z, the second along x and z, the third along x and y, and so are their boxes. */
template <int REACH> struct tile {
    static constexpr int lanes = RELAY_WIDTH / 4, rows = relay_rows(REACH), threads = lanes * rows;
    static constexpr int pitch = RELAY_WIDTH + 2 * RELAY_MARGIN, high = rows + 2 * REACH - 1;
    static constexpr int x = lines(RELAY_WIDTH * high), y = lines(pitch * rows), z = lines(pitch * high),
                         bare = RELAY_WIDTH * rows;
    static constexpr int stages = relay_ahead(REACH) + 1; /* levels of z and of what is moved on */
    static constexpr int depth = 2 * REACH - 1 + stages;  /* levels of x and y */
    static constexpr int values = depth * (x + y) + stages * (z + 3 * bare);
    static constexpr size_t shared = 4 * (size_t)values + 8 * (2 * stages + 2);
    static constexpr unsigned column_bytes = 4u * (RELAY_WIDTH * high + pitch * rows),
                              level_bytes = 4u * (pitch * high + 3 * bare);
    static_assert(shared <= RELAY_SHARED, "more shared memory than a block may have");
};

struct rings {
    float *x, *y, *z, *moved;
    uint64_t *full, *empty; /* (stages): the boxes of a turn have come, all warps are done with them */
    uint64_t *begun;        /* the levels below the first turn's have come */
};

struct task {
    int place[3];         /* of its tile among the tiles */
    int i, j, begin, end; /* its first place, its levels */
};

/* ---- the warp that copies ---- */

template <int REACH, int SET>
__device__ __forceinline__ void copy_levels(const device_volume<float> &v, const relay_maps &maps,
                                            const relay_pass &pass, const task &own, const rings &ring)
{
    typedef tile<REACH> shape;
    constexpr int before = SET == 3 ? 1 : 0, top = REACH - before, below = 2 * REACH - 1;
    const int lane = threadIdx.x % 32, slab = own.place[2], levels = pass.shape.levels;
    const int row = pass.shape.tiles[0], plane = row * pass.shape.tiles[1];
    const unsigned zero = pass.launch * (unsigned)(v.n[2] + 1);
    unsigned *const progress = pass.progress + RELAY_STRIDE * (size_t)(own.place[1] * row + own.place[0]);

    /* Waits until h of a slab's tile, and of those to the left, in front and both, has come to level `wanted`. */
    const auto await = [&](int which, int wanted) {
        const int left = lane & 1, front = lane >> 1;
        const bool asks = lane < 4 && own.place[0] >= left && own.place[1] >= front;
        const unsigned *at = progress + (ptrdiff_t)RELAY_STRIDE * (which * plane - (asks ? front * row + left : 0));
        int least;
        while ((least = warp_least(asks ? (int)(word_read(at) - zero) : INT_MAX)) < wanted) {
            __nanosleep(100);
        }
        fence_copies();
        return least;
    };
    int seen = SET == 0 || slab * levels >= v.n[2] ? INT_MAX : 0;
    const auto await_level = [&](int wanted) {
        wanted = min(wanted, min((slab + 1) * levels, v.n[2]));
        if (seen < wanted) {
            seen = await(slab, wanted);
        }
    };

    /* In the maps a field begins RELAY_MARGIN columns and REACH rows and levels before its first place. */
    const int i = own.i + RELAY_MARGIN, j = own.j + REACH, j_high = own.j + 1 - before;
    const auto copy_columns = [&](int slot, int level, uint64_t *barrier) {
        copy_box(ring.x + slot * shape::x, &maps.around[SET], i, j_high, level + REACH, barrier);
        copy_box(ring.y + slot * shape::y, &maps.around[SET + 1], own.i, j, level + REACH, barrier);
    };
    if (SET == 3 && slab > 0) {
        (void)await(slab - 1, min(slab * levels, v.n[2]));
    }
    await_level(own.begin + REACH);
    if (lane == 0) {
        shared_barrier_expect(ring.begun, shape::column_bytes * below);
        for (int m = 0; m < below; m++) {
            copy_columns(m, own.begin + top - below + m, ring.begun);
        }
    }
    int slot = below, stage = 0, round = 0;
    for (int k = own.begin; k < own.end; k++) {
        if (round > 0) {
            shared_barrier_wait(&ring.empty[stage], round - 1);
        }
        await_level(k + REACH);
        if (lane == 0) {
            uint64_t *barrier = &ring.full[stage];
            shared_barrier_expect(barrier, shape::column_bytes + shape::level_bytes);
            copy_columns(slot, k + top, barrier);
            copy_box(ring.z + stage * shape::z, &maps.around[SET + 2], own.i, j_high, k + REACH, barrier);
            for (int c = 0; c < 3; c++) {
                copy_box(ring.moved + (3 * stage + c) * shape::bare, &maps.bare[3 - SET + c], i, j, k + REACH, barrier);
            }
            if (SET == 0 && round > 0) {
                word_write(progress + RELAY_STRIDE * (size_t)(slab * plane), zero + k - shape::stages + 1);
            }
        }
        __syncwarp(); /* no lane is a round behind: phases are told apart by their parity */
        slot = slot + 1 == shape::depth ? 0 : slot + 1;
        stage = stage + 1 == shape::stages ? 0 : stage + 1;
        round += stage == 0 ? 1 : 0;
    }
    if (SET == 0) {
        const int turns = own.end - own.begin;
        for (int turn = max(turns - shape::stages, 0); turn < turns; turn++) {
            shared_barrier_wait(&ring.empty[turn % shape::stages], turn / shape::stages);
        }
        if (lane == 0) {
            word_write(progress + RELAY_STRIDE * (size_t)(slab * plane), zero + own.end);
        }
    }
}

/* ---- the warps that step ---- */

/* What the filters of the next level remember comes into the second-level cache. */
template <int SET>
__device__ __forceinline__ void ask_states(const device_volume<float> &v, const volume_fields<float> &f,
                                           const column &at)
{
    constexpr int own = SET == 0 ? 0 : 2;
    const auto ask_both = [&](int axis, size_t place) {
        ask(f.filter[axis][own] + place);
        ask(f.filter[axis][own + 1] + place);
    };
    const int k = at.k + 1, slot = filter_slot(v, 2, k);
    if (slot >= 0) {
        ask_both(2, ((size_t)slot * v.n[1] + at.j) * v.width + at.i);
    }
    if (at.slot_y >= 0) {
        ask_both(1, ((size_t)k * (v.low[1] + v.high[1]) + at.slot_y) * v.width + at.i);
    }
    if (at.layer_x) {
        ask_both(0, ((size_t)k * v.n[1] + at.j) * v.filters_x + max(filter_slot(v, 0, at.i), 0));
    }
}

/* The images of a quad of h about the walls that it is near: about a PEC wall what stands at half nodes is even, about
 * a PMC wall, at the low end, it is odd. */
template <int REACH>
__device__ __forceinline__ void store_images(const device_volume<float> &v, float *to, int component, const column &at,
                                             const quad<float> &value)
{
    quad<float> odd;
#pragma unroll
    for (int p = 0; p < 4; p++) {
        odd.x[p] = -value.x[p];
    }
    if (component != 2 && at.k < REACH) {
        store_quad(to - (2 * at.k + 1) * (ptrdiff_t)v.plane, v.symmetric[2] ? odd : value);
    }
    if (component != 2 && at.k >= v.n[2] - REACH) {
        store_quad(to + (2 * (v.n[2] - at.k) - 1) * (ptrdiff_t)v.plane, value);
    }
    if (component != 1 && at.j < REACH) {
        store_quad(to - (2 * at.j + 1) * v.pitch, v.symmetric[1] ? odd : value);
    }
    if (component != 1 && at.j >= v.n[1] - REACH) {
        store_quad(to + (2 * (v.n[1] - at.j) - 1) * v.pitch, value);
    }
#pragma unroll
    for (int p = 0; p < 4; p++) {
        const int i = at.i + p;
        if (component != 0 && i < REACH) {
            to[p - (2 * i + 1)] = v.symmetric[0] ? odd.x[p] : value.x[p];
        }
        if (component != 0 && i >= v.n[0] - REACH && i < v.n[0]) {
            to[p + 2 * (v.n[0] - i) - 1] = value.x[p];
        }
    }
}

/* A quad of which some places may lie beyond the end of the row, where the images are. */
__device__ __forceinline__ void store_inside(float *to, const quad<float> &value, int places)
{
    if (places >= 4) {
        store_quad(to, value);
        return;
    }
#pragma unroll
    for (int p = 0; p < 3; p++) {
        if (p < places) {
            to[p] = value.x[p];
        }
    }
}

template <int REACH, int SET>
__device__ __forceinline__ void step_levels(const device_volume<float> &v, const volume_fields<float> &f,
                                            const task &own, const rings &ring)
{
    typedef tile<REACH> shape;
    constexpr int before = SET == 3 ? 1 : 0, centre = REACH - 1 + before;
    const int lane = threadIdx.x % shape::lanes, row = threadIdx.x / shape::lanes;
    column at = {own.i + 4 * lane, own.j + row, own.begin};
    const bool inside = at.i >= 0 && at.i < v.n[0] && at.j >= 0 && at.j < v.n[1];
    const bool beside_wall = at.i < REACH || at.i + 4 > v.n[0] - REACH || at.j < REACH || at.j >= v.n[1] - REACH;
    at.layer_x = at.i < v.low[0] || at.i + 4 > v.n[0] - v.high[0];
    at.slot_y = inside ? filter_slot(v, 1, at.j) : -1;
    ptrdiff_t place = (ptrdiff_t)at.k * (ptrdiff_t)v.plane + (ptrdiff_t)at.j * v.pitch + at.i;
    /* Where it is in a tile, and in the boxes of x, y and z. */
    const int seat = row * RELAY_WIDTH + 4 * lane, seat_x = seat + centre * RELAY_WIDTH,
              seat_y = row * shape::pitch + RELAY_MARGIN + 4 * lane, seat_z = seat_y + centre * shape::pitch;
    const auto read = [](const float *from) { return load_quad(from); };
    const auto wrapped = [](int slot) { return slot < shape::depth ? slot : slot - shape::depth; };
    column_media<float> media;
    int slot = 0, stage = 0, round = 0; /* slot: of the lowest level that is wanted */
    shared_barrier_wait(ring.begun, 0);
#pragma unroll 1
    for (; at.k < own.end; at.k++, place += (ptrdiff_t)v.plane) {
        if (inside && SET == 3) {
            media.climb(v, at);
        }
        if (inside && at.k + 1 < own.end) {
            ask_states<SET>(v, f, at);
        }
        shared_barrier_wait(&ring.full[stage], round);
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
            const bool images = SET == 0 && (beside_wall || at.k < REACH || at.k >= v.n[2] - REACH);
#pragma unroll
            for (int c = 0; c < 3; c++) {
                const quad<float> old = load_quad(ring.moved + (3 * stage + c) * shape::bare + seat);
                const quad<float> moved = moved_quad<SET>(old, d, c, media);
                float *to = f.field[3 - SET + c] + place;
                store_inside(to, moved, v.n[0] - at.i);
                if (images) {
                    store_images<REACH>(v, to, c, at, moved);
                }
            }
        }
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            shared_barrier_come(&ring.empty[stage]);
        }
        slot = slot + 1 == shape::depth ? 0 : slot + 1;
        stage = stage + 1 == shape::stages ? 0 : stage + 1;
        round += stage == 0 ? 1 : 0;
    }
}

/* Whether all of a tile is still at rest. Where some of it is, all is stepped: zeros stay zeros. */
__device__ __forceinline__ bool tile_at_rest(const device_volume<float> &v, const device_rest &rest, const task &own,
                                             int rows)
{
    const int right = min(own.i + RELAY_WIDTH, v.n[0]) - 1, back = min(own.j + rows, v.n[1]) - 1;
    for (int y = max(own.j, 0) / REST_BRICK; y <= back / REST_BRICK && rest.stepped != NULL; y++) {
        for (int x = max(own.i, 0) / REST_BRICK; x <= right / REST_BRICK; x++) {
            if (rest.stepped[y * rest.width + x]) {
                return false;
            }
        }
    }
    return rest.stepped != NULL;
}

template <int REACH>
__global__ void __launch_bounds__(tile<REACH>::threads + 32, 1)
    relay_kernel(const __grid_constant__ device_volume<float> v, const __grid_constant__ volume_fields<float> f,
                 const __grid_constant__ relay_maps maps, const __grid_constant__ relay_pass pass)
{
    typedef tile<REACH> shape;
    extern __shared__ __align__(128) float pool[];
    rings ring;
    ring.x = pool;
    ring.y = ring.x + shape::depth * shape::x;
    ring.z = ring.y + shape::depth * shape::y;
    ring.moved = ring.z + shape::stages * shape::z;
    ring.full = (uint64_t *)(pool + shape::values);
    ring.empty = ring.full + shape::stages;
    ring.begun = ring.empty + shape::stages;
    int *ticket = (int *)(ring.begun + 1);
    if (threadIdx.x == 0) {
        *ticket = (int)(atomicAdd(pass.ticket, 1u) - (pass.launch - 1) * gridDim.x);
        for (int s = 0; s < shape::stages; s++) {
            shared_barrier_create(&ring.full[s], 1);
            shared_barrier_create(&ring.empty[s], shape::threads / 32);
        }
        shared_barrier_create(ring.begun, 1);
        fence_copies();
    }
    __syncthreads();
    const int number = *ticket / 2, row = pass.shape.tiles[0], plane = row * pass.shape.tiles[1];
    const bool electric = *ticket % 2 == 1;
    const int lag = electric ? REACH - 1 : 0, levels = pass.shape.levels;
    task own = {{number % row, number % plane / row, number / plane}, 0, 0, 0, 0};
    own.i = own.place[0] * RELAY_WIDTH - (electric ? RELAY_SHIFT : 0);
    own.j = own.place[1] * shape::rows - lag;
    own.begin = max(own.place[2] * levels - lag, 0);
    own.end = min((own.place[2] + 1) * levels - lag, v.n[2]);
    if (own.i >= v.n[0] || own.j >= v.n[1] || own.begin >= own.end || tile_at_rest(v, pass.rest, own, shape::rows)) {
        if (!electric && threadIdx.x == 0) {
            const unsigned end = (unsigned)min((own.place[2] + 1) * levels, v.n[2]);
            word_write(pass.progress + RELAY_STRIDE * (size_t)number, pass.launch * (unsigned)(v.n[2] + 1) + end);
        }
        return;
    }
    if (threadIdx.x < shape::threads) {
        electric ? step_levels<REACH, 3>(v, f, own, ring) : step_levels<REACH, 0>(v, f, own, ring);
    } else {
        electric ? copy_levels<REACH, 3>(v, maps, pass, own, ring) : copy_levels<REACH, 0>(v, maps, pass, own, ring);
    }
}

template <int REACH>
pw_status launch_relay(const device_volume<float> &v, const volume_fields<float> &f, const relay_maps &maps,
                       const relay_pass &pass, cudaStream_t stream, pw_error *error)
{
    const unsigned tiles = (unsigned)(pass.shape.tiles[0] * pass.shape.tiles[1] * pass.shape.tiles[2]);
    TRY(volume_ghosts(v, REACH, 0, f, stream, error));
    TRY((allow_shared_memory<relay_kernel<REACH>>(error)));
    relay_kernel<REACH><<<2 * tiles, tile<REACH>::threads + 32, tile<REACH>::shared, stream>>>(v, f, maps, pass);
    CUDA_LAUNCHED("relay_kernel");
    return PW_OK;
}

#if RELAY_BUILT
typedef decltype(&cuTensorMapEncodeTiled) encode_function;

template <int REACH>
pw_status create_maps(const device_volume<float> &v, const volume_fields<float> &f, encode_function encode,
                      relay_maps *maps, pw_error *error)
{
    typedef tile<REACH> shape;
    const cuuint64_t size[3] = {(cuuint64_t)v.pitch, (cuuint64_t)v.n[1] + 2 * REACH, (cuuint64_t)v.n[2] + 2 * REACH};
    const cuuint64_t stride[2] = {4 * (cuuint64_t)v.pitch, 4 * (cuuint64_t)v.plane};
    const cuuint32_t unit[3] = {1, 1, 1}, bare[3] = {RELAY_WIDTH, shape::rows, 1};
    const cuuint32_t around[3][3] = {
        {RELAY_WIDTH, shape::high, 1}, {shape::pitch, shape::rows, 1}, {shape::pitch, shape::high, 1}};
    const auto create = [&](int c, const cuuint32_t *box, CUtensorMap *map) {
        float *from = f.field[c] - RELAY_MARGIN - (ptrdiff_t)REACH * v.pitch - (ptrdiff_t)REACH * (ptrdiff_t)v.plane;
        return encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3, from, size, stride, box, unit,
                      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
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

pw_status relay_maps_create(const device_volume<float> &volume, int reach, const volume_fields<float> &fields,
                            relay_maps *maps, pw_error *error)
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
        reach,
        [&](auto own) {
            return create_maps<decltype(own)::value>(volume, fields, (encode_function)entry, maps, error);
        },
        error);
#else
    (void)volume, (void)reach, (void)fields, (void)maps;
    return fail(error, PW_USAGE, "this was built by a toolkit before CUDA 12");
#endif
}

pw_status volume_relay(const device_volume<float> &volume, int reach, const volume_fields<float> &fields,
                       const relay_maps &maps, const relay_pass &pass, cudaStream_t stream, pw_error *error)
{
    return with_reach(
        reach, [&](auto own) { return launch_relay<decltype(own)::value>(volume, fields, maps, pass, stream, error); },
        error);
}
