/* The step in three dimensions: two kernels, one for h and one for E, in either precision. A block of threads owns
 * a rectangle of columns of the grid and goes up some levels of them; thread (x, y) owns four columns beside each
 * other, a quad, so that what it loads and stores comes in sixteen bytes:
 *
 *        z ^                        The two components that are differenced along z stay in registers, 2 REACH levels
 *     k+R  |  oooo  <- loaded       each: of every level one quad is loaded of each. Differences along x and y are
 *      k   |  XXXX                  read through the first-level cache, where the block's neighbours have them too.
 *     k-R  |  oooo                  E and h are changed in place: a kernel reads only the fields it does not write.
 *
 * Where nothing changes along z (FLAT) there is one level, differences along z are zero, and Ex, Ey and hz alone move.
 *
 * What a difference wants beyond a wall are ghosts, filled before each kernel with the images (problem/image.h). In the
 * absorber each derivative passes its filter, whose state the thread owns that owns the place: along y and z whole
 * warps do, along x the lanes whose quad touches the layer. Beyond the last place of a row a quad may write into the
 * ghosts, which are filled again before they are read. */
#include <algorithm>

#include "kernels/tuning.h"
#include "kernels/volume/quad.h"
#include "kernels/volume/volume.h"

#include "problem/image.h"

namespace
{

enum {
    AHEAD = 1 /* levels by which the second-level cache is asked before a level is loaded */
};

/* Threads of a block; and blocks that share a multiprocessor: what the windows leave of its registers. Neighbours along
 * y that a block does not own come from the second-level cache, which is the busiest of all, so blocks of far-reaching
 * stencils are as high as can be. */
constexpr int threads_of(int reach, size_t value)
{
    return value == sizeof(double) ? (reach <= 2 ? 256 : 128) : reach <= 2 ? 256 : reach <= 4 ? 384 : 256;
}
constexpr int blocks_of(int reach, size_t value)
{
    return value == sizeof(double) || reach > 2 ? 1 : 2;
}

/* Two derivatives along y or z through their filters, whose states are at the same place of two arrays: those of a row
 * or a level stand at all of its places. */
template <typename Real>
__device__ __forceinline__ void filter_quads(quad<Real> &first, quad<Real> &second, const device_filter<Real> &filter,
                                             Real *const *state, size_t place)
{
    quad<Real> held = load_quad(state[0] + place), other = load_quad(state[1] + place);
#pragma unroll
    for (int c = 0; c < 4; c++) {
        first.x[c] = cell_filter(first.x[c], filter, &held.x[c]);
        second.x[c] = cell_filter(second.x[c], filter, &other.x[c]);
    }
    store_quad(state[0] + place, held);
    store_quad(state[1] + place, other);
}

/* Two along x, places from `i` on, of which some have no filter; the row's states begin at `row`. All of what is wanted
 * is asked for before the first is waited for. */
template <typename Real>
__device__ __forceinline__ void filter_rows(const device_volume<Real> &v, quad<Real> &first, quad<Real> &second,
                                            const device_filter<Real> *filters, Real *const *state, size_t row, int i)
{
    device_filter<Real> filter[4];
    Real held[4], other[4];
    int slot[4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
        slot[c] = i + c < v.n[0] ? filter_slot(v, 0, i + c) : -1;
        const int there = max(slot[c], 0);
        filter[c] = filters[min(i + c, v.n[0] - 1)];
        held[c] = state[0][row + there];
        other[c] = state[1][row + there];
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
        if (slot[c] >= 0) {
            first.x[c] = cell_filter(first.x[c], filter[c], &held[c]);
            second.x[c] = cell_filter(second.x[c], filter[c], &other[c]);
            state[0][row + slot[c]] = held[c];
            state[1][row + slot[c]] = other[c];
        }
    }
}

/* Whether component c of the set that is moved on, h (SET 0) or E (SET 3), ever is anything but zero. */
template <int SET, bool FLAT> __device__ constexpr bool moves(int c)
{
    return !FLAT || (SET == 0) == (c == 2);
}

/* Where a thread is. */
struct column {
    int i, j, k;
    bool layer_x; /* some place of the quad is in the absorber's layer of x */
    int slot_y, slot_z;
};

/* The derivatives of a set's curl at a quad, as cell_magnetic and cell_increment want them. */
template <typename Real> struct curl {
    quad<Real> first[3], second[3];
};

/* Every derivative of the set SET through its filter. Along an axis stand those of the next component and of the next
 * but one, in cyclic order (solver.h). */
template <int SET, bool FLAT, typename Real>
__device__ __forceinline__ void filter_curl(const device_volume<Real> &v, const volume_fields<Real> &f,
                                            const column &at, curl<Real> &d)
{
    constexpr int own = SET == 0 ? 0 : 2;
    const auto *const *profile = SET == 0 ? v.half : v.node;
    if (!FLAT && at.slot_z >= 0) {
        const size_t place = ((size_t)at.slot_z * v.n[1] + at.j) * v.width + at.i;
        filter_quads(d.first[1], d.second[0], profile[2][at.k], f.filter[2] + own, place);
    }
    if (at.slot_y >= 0) {
        const size_t place = ((size_t)at.k * (v.low[1] + v.high[1]) + at.slot_y) * v.width + at.i;
        filter_quads(d.first[0], d.second[2], profile[1][at.j], f.filter[1] + own, place);
    }
    if (at.layer_x) {
        const size_t row = ((size_t)at.k * v.n[1] + at.j) * v.filters_x;
        filter_rows(v, d.first[2], d.second[1], profile[0], f.filter[0] + own, row, at.i);
    }
}

/* The derivative along y or z of a line of 2 REACH quads. */
template <int REACH, typename Real>
__device__ __forceinline__ quad<Real> line_derivative(const device_volume<Real> &v, const quad<Real> (&line)[2 * REACH])
{
    quad<Real> sum;
#pragma unroll
    for (int c = 0; c < 4; c++) {
        sum.x[c] = cell_curl(line[REACH - 1].x[c], line[REACH].x[c]);
#pragma unroll
        for (int l = 1; l < REACH; l++) {
            sum.x[c] = cell_curl_add(sum.x[c], v.tap[l], line[REACH - 1 - l].x[c], line[REACH + l].x[c]);
        }
    }
    return sum;
}

/* Along y at the quad `at`, whose own value is `own`. BEFORE: rows that the line begins earlier, 1 for h, which stands
 * half a place lower. */
template <int REACH, int BEFORE, typename Real>
__device__ __forceinline__ quad<Real> across_rows(const device_volume<Real> &v, const Real *at, const quad<Real> &own)
{
    quad<Real> line[2 * REACH];
#pragma unroll
    for (int m = 0; m < 2 * REACH; m++) {
        const int row = m - REACH + 1 - BEFORE;
        line[m] = row == 0 ? own : fetch_quad(at + (ptrdiff_t)row * v.pitch);
    }
    return line_derivative<REACH>(v, line);
}

/* Along x. */
template <int REACH, int BEFORE, typename Real>
__device__ __forceinline__ quad<Real> along_row(const device_volume<Real> &v, const Real *at, const quad<Real> &own)
{
    constexpr int left = (REACH - 1 + BEFORE + 3) / 4, right = (REACH - BEFORE + 3) / 4;
    Real row[4 * (left + 1 + right)];
#pragma unroll
    for (int m = -left; m <= right; m++) {
        const quad<Real> some = m == 0 ? own : fetch_quad(at + 4 * m);
#pragma unroll
        for (int c = 0; c < 4; c++) {
            row[4 * (m + left) + c] = some.x[c];
        }
    }
    quad<Real> sum;
#pragma unroll
    for (int c = 0; c < 4; c++) {
        const int low = 4 * left + c - BEFORE;
        sum.x[c] = cell_curl(row[low], row[low + 1]);
#pragma unroll
        for (int l = 1; l < REACH; l++) {
            sum.x[c] = cell_curl_add(sum.x[c], v.tap[l], row[low - l], row[low + 1 + l]);
        }
    }
    return sum;
}

/* The media of a quad of columns, which many levels share: asked for again only where the layer is another. */
template <typename Real> struct column_media {
    typedef typename pair_of<Real>::type pair;
    int layer[3];
    pair medium[3][4];

    __device__ column_media() : layer{-1, -1, -1}, medium{}
    {
    }
    __device__ __forceinline__ void climb(const device_volume<Real> &v, const column &at)
    {
#pragma unroll
        for (int c = 0; c < 3; c++) {
            const int own = __ldg(v.layer[c] + at.k);
            if (own != layer[c]) { /* the same for all threads */
                layer[c] = own;
                const ushort4 index = *(const ushort4 *)(v.index + ((size_t)own * v.n[1] + at.j) * v.width + at.i);
                medium[c][0] = v.coefficients[index.x];
                medium[c][1] = v.coefficients[index.y];
                medium[c][2] = v.coefficients[index.z];
                medium[c][3] = v.coefficients[index.w];
            }
        }
    }
};

/* The quad of zeros. */
template <typename Real> __device__ __forceinline__ quad<Real> zero_quad()
{
    quad<Real> zero;
#pragma unroll
    for (int c = 0; c < 4; c++) {
        zero.x[c] = 0;
    }
    return zero;
}

/* SET 0: the curl of E moves h on; SET 3: the curl of h moves E on. */
template <int REACH, int SET, bool FLAT, typename Real>
__global__ void __launch_bounds__(threads_of(REACH, sizeof(Real)), blocks_of(REACH, sizeof(Real)))
    volume_kernel(const __grid_constant__ device_volume<Real> v, const __grid_constant__ volume_fields<Real> f,
                  const device_rest rest, const int levels)
{
    constexpr int before = SET == 3 ? 1 : 0, centre = REACH - 1 + before;
    column at = {4 * (int)(blockIdx.x * blockDim.x + threadIdx.x), (int)(blockIdx.y * blockDim.y + threadIdx.y),
                 (int)blockIdx.z * levels};
    if (at.i >= v.n[0] || at.j >= v.n[1] || is_at_rest(rest, at.i, at.j)) {
        return;
    }
    const int end = min(at.k + levels, v.n[2]);
    at.layer_x = at.i < v.low[0] || at.i + 4 > v.n[0] - v.high[0];
    at.slot_y = filter_slot(v, 1, at.j);
    const ptrdiff_t plane = (ptrdiff_t)v.plane;
    size_t place = (size_t)at.k * v.plane + (size_t)at.j * v.pitch + at.i;
    quad<Real> window_x[2 * REACH], window_y[2 * REACH];
#pragma unroll
    for (int m = 0; m + 1 < 2 * REACH && !FLAT; m++) {
        const Real *from = f.field[SET] + place + (m - REACH + 1 - before) * plane;
        window_x[m + 1] = fetch_quad(from);
        window_y[m + 1] = fetch_quad(f.field[SET + 1] + (from - f.field[SET]));
    }
    column_media<Real> media;
#pragma unroll 1
    for (; at.k < end; at.k++, place += v.plane) {
        const Real *x = f.field[SET] + place, *y = f.field[SET + 1] + place, *z = f.field[SET + 2] + place;
#pragma unroll
        for (int m = 0; m + 1 < 2 * REACH && !FLAT; m++) {
            window_x[m] = window_x[m + 1];
            window_y[m] = window_y[m + 1];
        }
        if (!FLAT) {
            window_x[2 * REACH - 1] = fetch_quad(x + (REACH - before) * plane);
            window_y[2 * REACH - 1] = fetch_quad(y + (REACH - before) * plane);
        } else if (SET == 0) {
            window_x[centre] = fetch_quad(x);
            window_y[centre] = fetch_quad(y);
        }
        const quad<Real> own = FLAT && SET == 0 ? zero_quad<Real>() : fetch_quad(z);
        quad<Real> old[3];
#pragma unroll
        for (int c = 0; c < 3; c++) {
            old[c] = moves<SET, FLAT>(c) ? load_quad(f.field[3 - SET + c] + place) : zero_quad<Real>();
        }
        if (!FLAT && at.k + REACH + AHEAD < v.n[2]) {
            ask(x + (REACH - before + AHEAD) * plane);
            ask(y + (REACH - before + AHEAD) * plane);
            ask(z + AHEAD * plane);
#pragma unroll
            for (int c = 0; c < 3; c++) {
                ask(f.field[3 - SET + c] + place + AHEAD * plane);
            }
        }
        if (SET == 3) {
            media.climb(v, at);
        }
        curl<Real> d;
        const quad<Real> zero = zero_quad<Real>();
        d.first[0] = moves<SET, FLAT>(0) ? across_rows<REACH, before>(v, z, own) : zero;
        d.second[1] = moves<SET, FLAT>(1) ? along_row<REACH, before>(v, z, own) : zero;
        d.second[2] = moves<SET, FLAT>(2) ? across_rows<REACH, before>(v, x, window_x[centre]) : zero;
        d.first[2] = moves<SET, FLAT>(2) ? along_row<REACH, before>(v, y, window_y[centre]) : zero;
        d.first[1] = FLAT ? zero : line_derivative<REACH>(v, window_x);
        d.second[0] = FLAT ? zero : line_derivative<REACH>(v, window_y);
        at.slot_z = filter_slot(v, 2, at.k);
        filter_curl<SET, FLAT>(v, f, at, d);
#pragma unroll
        for (int c = 0; c < 3; c++) {
            if (!moves<SET, FLAT>(c)) {
                continue;
            }
            quad<Real> moved;
#pragma unroll
            for (int p = 0; p < 4; p++) {
                moved.x[p] = SET == 0 ? cell_magnetic(old[c].x[p], d.first[c].x[p], d.second[c].x[p])
                                      : cell_increment(old[c].x[p], d.first[c].x[p] - d.second[c].x[p],
                                                       media.medium[c][p].x, media.medium[c][p].y);
            }
            store_quad(f.field[3 - SET + c] + place, moved);
        }
    }
}

/* Ghosts along one axis of one component: a thread a ghost. Differences of a component are taken along the two axes
 * that it does not point along. */
template <typename Real>
__global__ void ghost_kernel(const __grid_constant__ device_volume<Real> v,
                             const __grid_constant__ volume_fields<Real> f, int reach, int set)
{
    const int axis = blockIdx.y / 2, component = (axis + 1 + blockIdx.y % 2) % 3;
    const int next = axis == 0 ? 1 : 0, last = axis == 2 ? 1 : 2;
    const ptrdiff_t stride[3] = {1, v.pitch, (ptrdiff_t)v.plane};
    const size_t area = (size_t)v.n[next] * v.n[last], count = 2 * reach * area;
    for (size_t g = blockIdx.x * (size_t)blockDim.x + threadIdx.x; g < count; g += (size_t)gridDim.x * blockDim.x) {
        /* Along x the ghosts of a row go together, else those of a plane. */
        const int number = axis == 0 ? (int)(g % (2 * reach)) : (int)(g / area);
        const size_t spot = axis == 0 ? g / (2 * reach) : g % area;
        const int ghost = number < reach ? -1 - number : v.n[axis] + number - reach;
        Real *line = f.field[set + component] + (ptrdiff_t)(spot % v.n[next]) * stride[next] +
                     (ptrdiff_t)(spot / v.n[next]) * stride[last];
        const struct image image = image_of(ghost, v.n[axis], set == 3, v.symmetric[axis]);
        const Real value = line[image.place * stride[axis]];
        line[ghost * stride[axis]] = image.sign == 0 ? Real(0) : image.sign < 0 ? -value : value;
    }
}

template <typename Real>
pw_status fill_ghosts(const device_volume<Real> &v, int reach, int set, const volume_fields<Real> &f,
                      cudaStream_t stream, pw_error *error)
{
    /* Where nothing changes along z nobody looks there. */
    ghost_kernel<Real><<<dim3(256, v.flat ? 4 : 6), 256, 0, stream>>>(v, f, reach, set);
    CUDA_LAUNCHED("ghost_kernel");
    return PW_OK;
}

int over(int count, int part)
{
    return (count + part - 1) / part;
}

/* How a step is divided among blocks. Rows of 16 quads leave few lanes beyond the end of a row, and a block's
 * neighbours along y lie in its cache; rows of 32 suit a grid of one such row, and very large ones with short reaches.
 * A block goes up so few levels that ten blocks come to each place that a multiprocessor has for one, since those at an
 * absorber take twice as long as others, but not so few that the levels at which a window begins cost more. */
struct division {
    dim3 threads, blocks;
    int levels;
};

division divide(const int n[3], int reach, int threads, int places)
{
    const bool large = reach <= 2 && (double)n[0] * n[1] * n[2] > VOLUME_LARGE_CELLS;
    const int wide = n[0] <= 4 * 32 || large ? 32 : 16, most = large ? 32 : reach <= 2 ? 12 : 24;
    division own = {dim3(wide, threads / wide), dim3(), 0};
    own.blocks = dim3(over(n[0], 4 * wide), over(n[1], (int)own.threads.y));
    own.levels = std::clamp((int)((double)n[2] * own.blocks.x * own.blocks.y / places / 10), 4, most);
    own.blocks.z = over(n[2], own.levels);
    return own;
}

template <int REACH, bool FLAT, typename Real>
pw_status launch_step(const device_volume<Real> &v, const volume_fields<Real> &f, const device_rest &rest,
                      const device_metal<Real> &metal, cudaStream_t stream, pw_error *error)
{
    const division own =
        divide(v.n, REACH, threads_of(REACH, sizeof(Real)), v.processors * blocks_of(REACH, sizeof(Real)));
    TRY(fill_ghosts(v, REACH, 0, f, stream, error));
    volume_kernel<REACH, 0, FLAT, Real><<<own.blocks, own.threads, 0, stream>>>(v, f, rest, own.levels);
    TRY(volume_metal(f, metal, true, stream, error));
    TRY(fill_ghosts(v, REACH, 3, f, stream, error));
    volume_kernel<REACH, 3, FLAT, Real><<<own.blocks, own.threads, 0, stream>>>(v, f, rest, own.levels);
    CUDA_LAUNCHED("volume_kernel");
    return PW_OK;
}

} // namespace

template <typename Real>
pw_status volume_step(const device_volume<Real> &volume, int reach, const volume_fields<Real> &fields,
                      const device_rest &rest, const device_metal<Real> &metal, cudaStream_t stream, pw_error *error)
{
    return with_reach(
        reach,
        [&](auto own) {
            constexpr int taps = decltype(own)::value;
            return volume.flat ? launch_step<taps, true>(volume, fields, rest, metal, stream, error)
                               : launch_step<taps, false>(volume, fields, rest, metal, stream, error);
        },
        error);
}

#define INSTANTIATE(Real)                                                                                              \
    template pw_status volume_step<Real>(const device_volume<Real> &, int, const volume_fields<Real> &,                \
                                         const device_rest &, const device_metal<Real> &, cudaStream_t, pw_error *);
INSTANTIATE(float)
INSTANTIATE(double)
