/* The step in three dimensions: two kernels, one for h and one for E, in either precision. A block of 64 x 4 threads
 * owns as many columns of the grid and goes up LEVELS levels of them; thread (x, y) owns column (i, j):
 *
 *        z ^                  The two components that are differenced along z stay in registers, 2 REACH values
 *     k+R  |  o  <- loaded    each: of every level one value is loaded of each. Differences along x and y are read
 *      k   |  X               through the first-level cache, where the block's neighbours have them too. E and h
 *     k-R  |  o               are changed in place: a kernel reads only the fields that it does not write.
 *
 * In the absorber each derivative passes its filter, whose state the thread owns that owns the place. Places that a
 * difference wants beyond a wall are images (problem/image.h). Then what tilted faces add, from the curl of h, which E
 * does not change any more; then sources, probes and samples. */
#include "kernels/volume/volume.h"

#include "problem/image.h"

namespace
{

enum { WIDE = 64, TALL = 4, LEVELS = 24, PROBE_THREADS = 256 };

/* Number of a filter among an axis's four: that of the derivative of this component along it (solver.h). */
__device__ constexpr int filter_number(int axis, int component)
{
    return (component % 3 - axis + 3) % 3 - 1 + (component < 3 ? 0 : 2);
}

/* Which of an axis's filters stands at place i; -1: none. */
template <typename Real> __device__ int filter_slot(const device_volume<Real> &v, int axis, int i)
{
    int begin = v.n[axis] - v.high[axis];
    return i < v.low[axis] ? i : i >= begin ? v.low[axis] + i - begin : -1;
}

/* What a kernel reads of a field it does not write: loads may go ahead of stores. */
template <typename Real> __device__ __forceinline__ Real fetch(const Real *from)
{
    return __ldg(from);
}

/* A value on a line of places, or its image. */
template <typename Real>
__device__ Real imaged(const Real *line, ptrdiff_t stride, int i, int n, bool half, bool symmetric)
{
    if ((unsigned)i < (unsigned)n) { /* places on a wall are zero in the arrays, too */
        return fetch(line + i * stride);
    }
    struct image at = image_of(i, n, half, symmetric);
    Real value = fetch(line + at.place * stride);
    return at.sign == 0 ? Real(0) : at.sign < 0 ? -value : value;
}

/* The derivative between `low` and the next place, all of whose places are in the grid. */
template <int REACH, typename Real>
__device__ __forceinline__ Real near_derivative(const device_volume<Real> &v, const Real *low, ptrdiff_t stride)
{
    Real sum = cell_curl(fetch(low), fetch(low + stride));
#pragma unroll
    for (int l = 1; l < REACH; l++) {
        sum = cell_curl_add(sum, v.tap[l], fetch(low - l * stride), fetch(low + (l + 1) * stride));
    }
    return sum;
}

/* The derivative along x or y at place i: of E at i + 1/2, of h at i. `line` is place 0. */
template <int REACH, typename Real>
__device__ Real line_derivative(const device_volume<Real> &v, int axis, const Real *line, ptrdiff_t stride, int i,
                                bool of_h)
{
    const int low = of_h ? i - 1 : i, n = v.n[axis];
    if (low - REACH + 1 >= 0 && low + REACH < n) {
        return near_derivative<REACH>(v, line + low * stride, stride);
    }
    bool symmetric = v.symmetric[axis];
    Real sum =
        cell_curl(imaged(line, stride, low, n, of_h, symmetric), imaged(line, stride, low + 1, n, of_h, symmetric));
    for (int l = 1; l < REACH; l++) {
        sum = cell_curl_add(sum, v.tap[l], imaged(line, stride, low - l, n, of_h, symmetric),
                            imaged(line, stride, low + 1 + l, n, of_h, symmetric));
    }
    return sum;
}

/* The same along z from the values in registers, of which number REACH - 1 and REACH are the nearest. */
template <int REACH, typename Real>
__device__ Real window_derivative(const device_volume<Real> &v, const Real (&window)[2 * REACH])
{
    Real sum = cell_curl(window[REACH - 1], window[REACH]);
#pragma unroll
    for (int l = 1; l < REACH; l++) {
        sum = cell_curl_add(sum, v.tap[l], window[REACH - 1 - l], window[REACH + l]);
    }
    return sum;
}

/* Where a thread is. */
struct column {
    int i, j, k;
    int slot[3]; /* of filters */
};

/* A derivative through its filter, if there is one. */
template <typename Real>
__device__ Real filtered(const device_volume<Real> &v, const volume_fields<Real> &f, const column &at, int axis,
                         int component, Real value)
{
    const int slot = at.slot[axis];
    if (slot < 0) {
        return value;
    }
    const int filters = v.low[axis] + v.high[axis], place = axis == 0 ? at.i : axis == 1 ? at.j : at.k;
    const size_t number = axis == 0   ? ((size_t)at.k * v.n[1] + at.j) * filters + slot
                          : axis == 1 ? ((size_t)at.k * filters + slot) * v.n[0] + at.i
                                      : ((size_t)slot * v.n[1] + at.j) * v.n[0] + at.i;
    auto filter = (component < 3 ? v.half : v.node)[axis][place];
    return cell_filter(value, filter.x, filter.y, f.filter[axis][filter_number(axis, component)] + number);
}

/* One component of a set, E (0) or h (3), at the thread's column. */
template <typename Real> __device__ Real *column_of(const device_volume<Real> &v, Real *field, const column &at)
{
    return field + (size_t)at.j * v.pitch + at.i;
}

/* The three derivatives pairs of the curl of set SET at level k, given the windows of its x and y components. */
template <int REACH, int SET, typename Real> struct curl {
    Real first[3], second[3];

    __device__ curl(const device_volume<Real> &v, const volume_fields<Real> &f, const column &at,
                    const Real (&window_x)[2 * REACH], const Real (&window_y)[2 * REACH])
    {
        const size_t level = (size_t)at.k * v.plane;
        const Real *x = f.field[SET] + level, *y = f.field[SET + 1] + level, *z = f.field[SET + 2] + level;
        const size_t row = (size_t)at.j * v.pitch;
        const bool h = SET == 3;
        first[0] = along(v, f, at, 1, 2, line_derivative<REACH>(v, 1, z + at.i, v.pitch, at.j, h));
        second[0] = along(v, f, at, 2, 1, window_derivative<REACH>(v, window_y));
        first[1] = along(v, f, at, 2, 0, window_derivative<REACH>(v, window_x));
        second[1] = along(v, f, at, 0, 2, line_derivative<REACH>(v, 0, z + row, 1, at.i, h));
        first[2] = along(v, f, at, 0, 1, line_derivative<REACH>(v, 0, y + row, 1, at.i, h));
        second[2] = along(v, f, at, 1, 0, line_derivative<REACH>(v, 1, x + at.i, v.pitch, at.j, h));
    }

  private:
    __device__ Real along(const device_volume<Real> &v, const volume_fields<Real> &f, const column &at, int axis,
                          int component, Real value)
    {
        return filtered(v, f, at, axis, SET + component, value);
    }
};

/* Fills the window of a column for the level `k` and what it will move on to. */
template <int REACH, typename Real> struct climbing_window {
    const Real *line; /* level 0 of the column */
    int next;         /* the level that is loaded next */
    Real value[2 * REACH];

    __device__ climbing_window(const device_volume<Real> &v, const Real *column, int k, bool of_h)
        : line(column), next(of_h ? k - REACH : k - REACH + 1)
    {
        for (int m = 0; m + 1 < 2 * REACH; m++) {
            value[m + 1] = load(v, of_h);
        }
    }
    __device__ Real load(const device_volume<Real> &v, bool of_h)
    {
        return imaged(line, (ptrdiff_t)v.plane, next++, v.n[2], of_h, v.symmetric[2]);
    }
    __device__ void climb(const device_volume<Real> &v, bool of_h)
    {
#pragma unroll
        for (int m = 0; m + 1 < 2 * REACH; m++) {
            value[m] = value[m + 1];
        }
        value[2 * REACH - 1] = load(v, of_h);
    }
};

/* The media of a column, which many levels share: asked for again only where the layer is another. */
template <typename Real> struct column_media {
    int layer[3];
    typename pair_of<Real>::type medium[3];

    __device__ column_media() : layer{-1, -1, -1}, medium{}
    {
    }
    __device__ __forceinline__ void climb(const device_volume<Real> &v, int k, size_t here)
    {
#pragma unroll
        for (int c = 0; c < 3; c++) {
            const int own = __ldg(v.layer[c] + k);
            if (own != layer[c]) { /* the same for all threads */
                layer[c] = own;
                medium[c] = v.coefficients[v.index[(size_t)own * v.plane + here]];
            }
        }
    }
};

/* The place's three components from the derivatives; `old` was asked for early. */
template <int SET, typename Real>
__device__ __forceinline__ void move_on(const volume_fields<Real> &f, size_t place, const Real (&old)[3],
                                        const Real (&first)[3], const Real (&second)[3],
                                        const column_media<Real> &media)
{
#pragma unroll
    for (int c = 0; c < 3; c++) {
        f.field[3 - SET + c][place] =
            SET == 0 ? cell_magnetic(old[c], first[c], second[c])
                     : cell_increment(old[c], first[c] - second[c], media.medium[c].x, media.medium[c].y);
    }
}

/* Levels at.k to end - 1 wherever they are: with filters and images. */
template <int REACH, int SET, typename Real>
__device__ __noinline__ void edge_levels(const device_volume<Real> &v, const volume_fields<Real> &f, column at, int end)
{
    const bool h = SET == 3;
    const size_t here = (size_t)at.j * v.pitch + at.i;
    column_media<Real> media;
    climbing_window<REACH, Real> x(v, f.field[SET] + here, at.k, h), y(v, f.field[SET + 1] + here, at.k, h);
    for (; at.k < end; at.k++) {
        x.climb(v, h);
        y.climb(v, h);
        at.slot[2] = filter_slot(v, 2, at.k);
        const size_t place = (size_t)at.k * v.plane + here;
        const Real old[3] = {f.field[3 - SET][place], f.field[4 - SET][place], f.field[5 - SET][place]};
        if (SET == 3) {
            media.climb(v, at.k, here);
        }
        const curl<REACH, SET, Real> d(v, f, at, x.value, y.value);
        move_on<SET>(f, place, old, d.first, d.second, media);
    }
}

/* The same where no place is an image, and no filter stands but, in a LAYER, along z. */
template <int REACH, int SET, bool LAYER, typename Real>
__device__ __forceinline__ void inner_levels(const device_volume<Real> &v, const volume_fields<Real> &f, column at,
                                             int end)
{
    constexpr int before = SET == 3 ? 1 : 0; /* h stands half a place lower */
    const size_t here = (size_t)at.j * v.pitch + at.i;
    const ptrdiff_t pitch = v.pitch, plane = (ptrdiff_t)v.plane;
    column_media<Real> media;
    Real window_x[2 * REACH], window_y[2 * REACH];
    size_t place = (size_t)at.k * v.plane + here;
#pragma unroll
    for (int m = 0; m + 1 < 2 * REACH; m++) {
        const ptrdiff_t level = (m - REACH + 1 - before) * plane;
        window_x[m + 1] = fetch(f.field[SET] + place + level);
        window_y[m + 1] = fetch(f.field[SET + 1] + place + level);
    }
    for (; at.k < end; at.k++, place += v.plane) {
        const Real *x = f.field[SET] + place, *y = f.field[SET + 1] + place, *z = f.field[SET + 2] + place;
        const Real old[3] = {f.field[3 - SET][place], f.field[4 - SET][place], f.field[5 - SET][place]};
#pragma unroll
        for (int m = 0; m + 1 < 2 * REACH; m++) {
            window_x[m] = window_x[m + 1];
            window_y[m] = window_y[m + 1];
        }
        window_x[2 * REACH - 1] = fetch(x + (REACH - before) * plane);
        window_y[2 * REACH - 1] = fetch(y + (REACH - before) * plane);
        if (SET == 3) {
            media.climb(v, at.k, here);
        }
        Real up_x = window_derivative<REACH>(v, window_x), up_y = window_derivative<REACH>(v, window_y);
        if (LAYER) {
            at.slot[2] = filter_slot(v, 2, at.k);
            up_x = filtered(v, f, at, 2, SET, up_x);
            up_y = filtered(v, f, at, 2, SET + 1, up_y);
        }
        const Real first[3] = {near_derivative<REACH>(v, z - before * pitch, pitch), up_x,
                               near_derivative<REACH>(v, y - before, 1)};
        const Real second[3] = {up_y, near_derivative<REACH>(v, z - before, 1),
                                near_derivative<REACH>(v, x - before * pitch, pitch)};
        move_on<SET>(f, place, old, first, second, media);
    }
}

/* Places first .. end - 1 of an axis see neither filter nor image. */
struct inner_range {
    int first, end;
};
template <int REACH, typename Real> __device__ inner_range inner_of(const device_volume<Real> &v, int axis)
{
    return {max(v.low[axis], REACH), min(v.n[axis] - v.high[axis], v.n[axis] - REACH)};
}

/* SET 0: the curl of E moves h on; SET 3: the curl of h moves E on. */
template <int REACH, int SET, typename Real>
__global__ void __launch_bounds__(WIDE *TALL, REACH <= 2 && sizeof(Real) == 4 ? 4 : 2)
    volume_kernel(const __grid_constant__ device_volume<Real> v, const __grid_constant__ volume_fields<Real> f)
{
    column at = {(int)(blockIdx.x * WIDE + threadIdx.x), (int)(blockIdx.y * TALL + threadIdx.y),
                 (int)blockIdx.z * LEVELS};
    if (at.i >= v.n[0] || at.j >= v.n[1]) {
        return;
    }
    const int end = min(at.k + LEVELS, v.n[2]);
    const inner_range x = inner_of<REACH>(v, 0), y = inner_of<REACH>(v, 1), z = inner_of<REACH>(v, 2);
    at.slot[0] = filter_slot(v, 0, at.i);
    at.slot[1] = filter_slot(v, 1, at.j);
    if (at.i < x.first || at.i >= x.end || at.j < y.first || at.j >= y.end) {
        edge_levels<REACH, SET>(v, f, at, end);
        return;
    }
    /* From below: images, the lower layer, the middle, the upper layer, images. Most blocks have one of them. */
    const int ends[] = {REACH, z.first, z.end, v.n[2] - REACH, v.n[2]};
    for (int part = 0; at.k < end; part++) {
        const int to = min(ends[part], end);
        if (at.k >= to) {
            continue;
        }
        if (part == 2) {
            inner_levels<REACH, SET, false>(v, f, at, to);
        } else if (part == 1 || part == 3) {
            inner_levels<REACH, SET, true>(v, f, at, to);
        } else {
            edge_levels<REACH, SET>(v, f, at, to);
        }
        at.k = to;
    }
}

/* Component c of the curl of h at a place outside the absorber. */
template <int REACH, typename Real>
__device__ Real point_curl(const device_volume<Real> &v, const volume_fields<Real> &f, int c, size_t offset)
{
    const ptrdiff_t stride[3] = {1, v.pitch, (ptrdiff_t)v.plane};
    const int next = (c + 1) % 3, last = (c + 2) % 3;
    Real sum[2];
    const Real *line[2] = {f.field[3 + last] + offset, f.field[3 + next] + offset};
    const ptrdiff_t step[2] = {stride[next], stride[last]};
    for (int d = 0; d < 2; d++) {
        sum[d] = cell_curl(line[d][-step[d]], line[d][0]);
        for (int l = 1; l < REACH; l++) {
            sum[d] = cell_curl_add(sum[d], v.tap[l], line[d][-(1 + l) * step[d]], line[d][l * step[d]]);
        }
    }
    return sum[0] - sum[1];
}

/* A thread a place. */
template <int REACH, typename Real>
__global__ void tensor_kernel(device_volume<Real> v, volume_fields<Real> f, device_tensors<Real> tensors)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= tensors.count) {
        return;
    }
    const tensor_place place = tensors.places[p];
    const ptrdiff_t stride[3] = {1, v.pitch, (ptrdiff_t)v.plane};
    Real *e = f.field[place.component] + place.node;
    Real value = *e;
    for (int g = place.first; g < place.first + place.count; g++) {
        const tensor_gain<Real> gain = tensors.gains[g];
        Real low = point_curl<REACH>(v, f, gain.from, (size_t)(gain.node - stride[gain.from]));
        Real high = point_curl<REACH>(v, f, gain.from, (size_t)gain.node);
        value = cell_tensor(value, gain.quarter, low, high);
    }
    *e = value;
}

template <typename Real> __global__ void dipole_kernel(volume_fields<Real> f, device_dipole<Real> source, int64_t step)
{
    for (int s = threadIdx.x; s < source.count; s += blockDim.x) {
        const device_place place = source.places[s];
        cell_dipole(source.weights[s], (Real)source.drive[step], source.hard, f.field[place.component] + place.offset);
    }
}

/* A block a probe: the values are fetched at once, and added by one thread in order. */
template <typename Real>
__global__ void probe_kernel(volume_fields<Real> f, device_receivers<Real> receivers, Real *out)
{
    __shared__ Real values[PROBE_THREADS];
    const int probe = blockIdx.x, first = receivers.first[probe], end = receivers.first[probe + 1];
    Real sum = 0;
    for (int begin = first; begin < end; begin += PROBE_THREADS) {
        const int own = begin + (int)threadIdx.x, some = min(end - begin, (int)PROBE_THREADS);
        if (own < end) {
            const device_place place = receivers.places[own];
            values[threadIdx.x] = f.field[place.component][place.offset];
        }
        __syncthreads();
        for (int s = 0; threadIdx.x == 0 && s < some; s++) {
            sum = receivers.weighted[probe] ? cell_probe_add(sum, receivers.weights[begin + s], values[s]) : values[s];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[probe] = sum;
    }
}

template <typename Real>
__global__ void sample_kernel(volume_fields<Real> f, const device_place *places, size_t count, Real *out)
{
    for (size_t p = blockIdx.x * (size_t)blockDim.x + threadIdx.x; p < count; p += (size_t)gridDim.x * blockDim.x) {
        out[p] = f.field[places[p].component][places[p].offset];
    }
}

template <int REACH, typename Real>
pw_status launch_step(const device_volume<Real> &v, const volume_fields<Real> &f, const device_tensors<Real> &tensors,
                      cudaStream_t stream, pw_error *error)
{
    const dim3 threads(WIDE, TALL);
    const dim3 blocks((v.n[0] + WIDE - 1) / WIDE, (v.n[1] + TALL - 1) / TALL, (v.n[2] + LEVELS - 1) / LEVELS);
    volume_kernel<REACH, 0, Real><<<blocks, threads, 0, stream>>>(v, f);
    volume_kernel<REACH, 3, Real><<<blocks, threads, 0, stream>>>(v, f);
    CUDA_LAUNCHED("volume_kernel");
    if (tensors.count > 0) {
        tensor_kernel<REACH, Real><<<(tensors.count + 127) / 128, 128, 0, stream>>>(v, f, tensors);
        CUDA_LAUNCHED("tensor_kernel");
    }
    return PW_OK;
}

} // namespace

template <typename Real>
pw_status volume_step(const device_volume<Real> &volume, int reach, const volume_fields<Real> &fields,
                      const device_tensors<Real> &tensors, cudaStream_t stream, pw_error *error)
{
    switch (reach) {
#define CASE(own)                                                                                                      \
    case own:                                                                                                          \
        return launch_step<own>(volume, fields, tensors, stream, error);
        CASE(1)
        CASE(2)
        CASE(3)
        CASE(4)
        CASE(5)
        CASE(7)
#undef CASE
    default:
        return fail(error, PW_USAGE, "no kernel in three dimensions for a reach of %d", reach);
    }
}

template <typename Real>
pw_status volume_drive(const volume_fields<Real> &fields, const device_dipole<Real> &source, int64_t step,
                       cudaStream_t stream, pw_error *error)
{
    dipole_kernel<Real><<<1, 256, 0, stream>>>(fields, source, step);
    CUDA_LAUNCHED("dipole_kernel");
    return PW_OK;
}

template <typename Real>
pw_status volume_probe(const volume_fields<Real> &fields, const device_receivers<Real> &receivers, Real *out,
                       cudaStream_t stream, pw_error *error)
{
    if (receivers.count > 0) {
        probe_kernel<Real><<<receivers.count, PROBE_THREADS, 0, stream>>>(fields, receivers, out);
        CUDA_LAUNCHED("probe_kernel");
    }
    return PW_OK;
}

template <typename Real>
pw_status volume_sample(const volume_fields<Real> &fields, const device_place *places, size_t count, Real *out,
                        cudaStream_t stream, pw_error *error)
{
    const unsigned blocks = (unsigned)((count + 255) / 256 < 1024 ? (count + 255) / 256 : 1024);
    sample_kernel<Real><<<blocks, 256, 0, stream>>>(fields, places, count, out);
    CUDA_LAUNCHED("sample_kernel");
    return PW_OK;
}

#define INSTANTIATE(Real)                                                                                              \
    template pw_status volume_step<Real>(const device_volume<Real> &, int, const volume_fields<Real> &,                \
                                         const device_tensors<Real> &, cudaStream_t, pw_error *);                      \
    template pw_status volume_drive<Real>(const volume_fields<Real> &, const device_dipole<Real> &, int64_t,           \
                                          cudaStream_t, pw_error *);                                                   \
    template pw_status volume_probe<Real>(const volume_fields<Real> &, const device_receivers<Real> &, Real *,         \
                                          cudaStream_t, pw_error *);                                                   \
    template pw_status volume_sample<Real>(const volume_fields<Real> &, const device_place *, size_t, Real *,          \
                                           cudaStream_t, pw_error *);
INSTANTIATE(float)
INSTANTIATE(double)
