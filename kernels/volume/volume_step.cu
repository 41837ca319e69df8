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
#include "kernels/volume/volume_curl.h"

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
            media.look(v, at, at.k);
            media.take(v);
        }
        curl<Real> d;
        const quad<Real> zero = zero_quad<Real>();
        const auto read = [](const Real *from) { return fetch_quad(from); };
        d.first[0] = moves<SET, FLAT>(0) ? across_rows<REACH, before>(v, z, v.pitch, own, read) : zero;
        d.second[1] = moves<SET, FLAT>(1) ? along_row<REACH, before>(v, z, own, read) : zero;
        d.second[2] = moves<SET, FLAT>(2) ? across_rows<REACH, before>(v, x, v.pitch, window_x[centre], read) : zero;
        d.first[2] = moves<SET, FLAT>(2) ? along_row<REACH, before>(v, y, window_y[centre], read) : zero;
        d.first[1] = FLAT ? zero : line_derivative<REACH>(v, window_x);
        d.second[0] = FLAT ? zero : line_derivative<REACH>(v, window_y);
        at.slot_z = filter_slot(v, 2, at.k);
        filter_curl<SET, FLAT>(v, f, at, d);
#pragma unroll
        for (int c = 0; c < 3; c++) {
            if (!moves<SET, FLAT>(c)) {
                continue;
            }
            const quad<Real> moved = moved_quad<SET>(old[c], d, c, media);
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
    TRY(volume_ghosts(v, REACH, 0, f, stream, error));
    volume_kernel<REACH, 0, FLAT, Real><<<own.blocks, own.threads, 0, stream>>>(v, f, rest, own.levels);
    TRY(volume_metal(f, metal, true, stream, error));
    TRY(volume_ghosts(v, REACH, 3, f, stream, error));
    volume_kernel<REACH, 3, FLAT, Real><<<own.blocks, own.threads, 0, stream>>>(v, f, rest, own.levels);
    CUDA_LAUNCHED("volume_kernel");
    return PW_OK;
}

} // namespace

template <typename Real>
pw_status volume_ghosts(const device_volume<Real> &v, int reach, int set, const volume_fields<Real> &f,
                        cudaStream_t stream, pw_error *error)
{
    /* Where nothing changes along z nobody looks there. */
    ghost_kernel<Real><<<dim3(256, v.flat ? 4 : 6), 256, 0, stream>>>(v, f, reach, set);
    CUDA_LAUNCHED("ghost_kernel");
    return PW_OK;
}

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
    template pw_status volume_ghosts<Real>(const device_volume<Real> &, int, int, const volume_fields<Real> &,         \
                                           cudaStream_t, pw_error *);                                                  \
    template pw_status volume_step<Real>(const device_volume<Real> &, int, const volume_fields<Real> &,                \
                                         const device_rest &, const device_metal<Real> &, cudaStream_t, pw_error *);
INSTANTIATE(float)
INSTANTIATE(double)
