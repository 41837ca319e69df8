/* Groups of 256 samples of many frequencies (src/problem/spectra/spectra.h): a fast Fourier transform of a node's
 * samples, all of it on the chip, and of each frequency a short sum over its bins. A block has CELLS nodes of run
 * blockIdx.y; a thread has one of them, cell = threadIdx.x % CELLS, and part threadIdx.x / CELLS, a sixteenth, of what
 * is to be done there:
 *
 *        memory                   shared memory, 16 x 16 complex values of each node               memory
 *        samples 0 .. 255        columns                rows                  bins -4 .. 260       X(f), four
 *        of a node               +--+--+--+             +-----------+         +-----------+        frequencies
 *          as 128 complex  -->   |  |  |  |   -->       +-----------+   -->   | | | | | | |  -->   a quad: +=
 *          values, times         |  |  |  |   rotated   +-----------+  split_ +-----------+        phase (sum of
 *          the window            +--+--+--+             +-----------+   bins                       8 or 16 bins)
 *                                a part each            a part each           parts share          quads shared
 *
 * Barriers stand between the stages. What it reads and writes, samples once and sums once in 256 samples, sets the
 * pace. Leaves out: groups of few frequencies (spectra.cu). */
#include "kernels/spectra/spectra_kernels.h"
#include "kernels/tuning.h"
#include "problem/spectra/spectra.h"

namespace
{

enum { PARTS = 16 };

template <typename Real, int CELLS> struct transform_block {
    static constexpr int TAPS = sizeof(Real) == 4 ? 8 : 16, HALF = TAPS / 2, THREADS = PARTS * CELLS;
    static constexpr int BLOCKS = 1024 / THREADS * 4 / (int)sizeof(Real); /* that a multiprocessor is to hold */
    typedef typename pair_of<Real>::type pair;
    typedef pair bins[TRANSFORM_SAMPLES + TAPS + 1][CELLS]; /* bin k at HALF + k, images about 0 and 256 beside */
};

/* The first transforms: of samples 32 apart, into rows of bins by column. */
template <typename Real, int CELLS>
__device__ __forceinline__ void transform_columns(const Real *samples, size_t plane, const Real *weights,
                                                  const Real root[3], int part,
                                                  typename transform_block<Real, CELLS>::bins &bins, int cell)
{
    typedef typename pair_of<Real>::type pair;
    const pair *window = (const pair *)(weights + TRANSFORM_WINDOW) + part;
    const pair *rotation = (const pair *)(weights + TRANSFORM_ROTATIONS) + 16 * part;
    const Real *from = samples + 2 * part * plane;
    Real re[16], im[16];
#pragma unroll
    for (int a = 0; a < 8; a++) {
        re[(a + 12) % 16] = __ldcs(from + 32 * a * plane);
        im[(a + 12) % 16] = __ldcs(from + (32 * a + 1) * plane);
    }
#pragma unroll
    for (int a = 0; a < 8; a++) {
        pair by = window[16 * a];
        re[(a + 12) % 16] = re[(a + 12) % 16] * by.x;
        im[(a + 12) % 16] = im[(a + 12) % 16] * by.y;
    }
    transform_16_ends(re, im, root);
#pragma unroll
    for (int c = 0; c < 16; c++) {
        int at = 4 * (c % 4) + c / 4;
        if (c > 0) {
            pair by = rotation[c];
            rotate(&re[at], &im[at], by.x, by.y);
        }
        bins[16 * c + part][cell] = pair{re[at], im[at]};
    }
}

/* The second ones, across, into their order. */
template <typename Real, int CELLS>
__device__ __forceinline__ void transform_rows(const Real root[3], int part,
                                               typename transform_block<Real, CELLS>::bins &bins, int cell)
{
    typedef transform_block<Real, CELLS> shape;
    Real re[16], im[16];
#pragma unroll
    for (int b = 0; b < 16; b++) {
        re[b] = bins[16 * part + b][cell].x;
        im[b] = bins[16 * part + b][cell].y;
    }
    transform_16(re, im, root);
    __syncthreads(); /* all have read */
#pragma unroll
    for (int d = 0; d < 16; d++) {
        bins[shape::HALF + part + 16 * d][cell] =
            typename shape::pair{re[4 * (d % 4) + d / 4], im[4 * (d % 4) + d / 4]};
    }
}

/* From the transform of pairs to that of the samples, with images. */
template <typename Real, int CELLS>
__device__ __forceinline__ void split(const Real *weights, int part, typename transform_block<Real, CELLS>::bins &bins,
                                      int cell)
{
    typedef transform_block<Real, CELLS> shape;
    typedef typename shape::pair pair;
    constexpr int HALF = shape::HALF, LAST = TRANSFORM_SAMPLES;
    for (int k = part; k <= LAST / 2; k += PARTS) {
        pair by = ((const pair *)(weights + TRANSFORM_SPLITS))[k];
        pair low = bins[HALF + k][cell], high = k == 0 ? low : bins[HALF + LAST - k][cell];
        split_bins(&low.x, &low.y, &high.x, &high.y, by.x, by.y);
        bins[HALF + LAST - k][cell] = high;
        bins[HALF + k][cell] = low;
        if (k > 0 && k <= HALF) {
            bins[HALF - k][cell] = pair{low.x, -low.y};
            bins[HALF + LAST + k][cell] = pair{high.x, -high.y};
        }
    }
}

/* Two neighbouring cells of sums, or of a bin. */
template <typename Real> struct __align__(16) two_cells
{
    typename pair_of<Real>::type of[2];
};

__device__ __forceinline__ two_cells<float> fetch_two(const float2 *from)
{
    float4 both = __ldcs((const float4 *)from);
    return {{{both.x, both.y}, {both.z, both.w}}};
}

__device__ __forceinline__ two_cells<double> fetch_two(const double2 *from)
{
    return {{__ldcs(from), __ldcs(from + 1)}};
}

__device__ __forceinline__ void store_two(float2 *to, const two_cells<float> &both)
{
    __stcs((float4 *)to, make_float4(both.of[0].x, both.of[0].y, both.of[1].x, both.of[1].y));
}

__device__ __forceinline__ void store_two(double2 *to, const two_cells<double> &both)
{
    __stcs(to, both.of[0]);
    __stcs(to + 1, both.of[1]);
}

/* Adds the bins to a quad's sums. */
template <typename Real, int CELLS>
__device__ __forceinline__ void add_quad(const transform_quad<Real> &quad, const transform_weights<Real> *weights,
                                         const typename transform_block<Real, CELLS>::bins &bins, int cell,
                                         size_t plane, typename pair_of<Real>::type *sums)
{
    typedef typename pair_of<Real>::type pair;
    two_cells<Real> sum[4];
    Real even[4][2] = {}, odd[4][2] = {};
#pragma unroll
    for (int f = 0; f < 4; f++) {
        sum[f] = quad.frequency[f] >= 0 ? fetch_two(sums + quad.frequency[f] * plane) : two_cells<Real>{};
    }
    weights += quad.weights;
    const pair(*bin)[CELLS] = &bins[transform_block<Real, CELLS>::HALF + quad.first];
#pragma unroll 2
    for (int k = 0; k < quad.count; k++) {
        two_cells<Real> value = *(const two_cells<Real> *)&bin[k][cell];
        transform_weights<Real> weight = weights[k];
#pragma unroll
        for (int f = 0; f < 4; f++) {
#pragma unroll
            for (int c = 0; c < 2; c++) {
                even[f][c] = cell_pair_add(even[f][c], value.of[c].x, weight.of[f]);
                odd[f][c] = cell_pair_add(odd[f][c], value.of[c].y, weight.of[f]);
            }
        }
    }
#pragma unroll
    for (int f = 0; f < 4; f++) {
#pragma unroll
        for (int c = 0; c < 2; c++) {
            Real signed_odd = quad.sign[f] * odd[f][c];
            pair was = sum[f].of[c], by = quad.phase[f];
            sum[f].of[c] = {cell_spectrum_real(was.x, even[f][c], signed_odd, by.x, by.y),
                            cell_spectrum_imaginary(was.y, even[f][c], signed_odd, by.x, by.y)};
        }
        if (quad.frequency[f] >= 0) {
            store_two(sums + quad.frequency[f] * plane, sum[f]);
        }
    }
}

/* Adds a group of samples of a run to sums of its frequencies. */
template <typename Real, int CELLS>
__global__ void __launch_bounds__(PARTS *CELLS, transform_block<Real, CELLS>::BLOCKS)
    transform_kernel(size_t plane, const Real *samples, size_t sample_run_stride,
                     const __grid_constant__ transform_tables<Real> tables, int quad_count, Real *sums,
                     size_t sum_run_stride)
{
    const Real *weights = tables.weights;
    typedef transform_block<Real, CELLS> shape;
    extern __shared__ double2 shared_bins[];
    typename shape::bins &bins = *(typename shape::bins *)shared_bins;
    int cell = threadIdx.x % CELLS, part = threadIdx.x / CELLS;
    size_t place = (size_t)blockIdx.x * CELLS + cell;
    const Real root[3] = {weights[TRANSFORM_ROOTS], weights[TRANSFORM_ROOTS + 1], weights[TRANSFORM_ROOTS + 2]};
    transform_columns<Real, CELLS>(samples + blockIdx.y * sample_run_stride + place, plane, weights, root, part, bins,
                                   cell);
    __syncthreads();
    transform_rows<Real, CELLS>(root, part, bins, cell);
    __syncthreads();
    split<Real, CELLS>(weights, part, bins, cell);
    __syncthreads();
    int two = 2 * (threadIdx.x % (CELLS / 2));
    auto *to = (typename shape::pair *)(sums + blockIdx.y * sum_run_stride) + (size_t)blockIdx.x * CELLS + two;
    for (int q = threadIdx.x / (CELLS / 2); q < quad_count; q += 2 * PARTS) {
        add_quad<Real, CELLS>(tables.quads[q], tables.bins, bins, two, plane, to);
    }
}

template <int CELLS, typename Real>
pw_status launch(const spectra_batch<Real> &batch, const transform_tables<Real> &tables, int quads, cudaStream_t stream,
                 pw_error *error)
{
    typedef transform_block<Real, CELLS> shape;
    static_assert(SPECTRA_CELLS % CELLS == 0, "a plane is whole blocks");
    TRY((allow_shared_memory<transform_kernel<Real, CELLS>>(error)));
    dim3 blocks((unsigned)(batch.shape.cells / CELLS), batch.runs);
    transform_kernel<Real, CELLS><<<blocks, shape::THREADS, sizeof(typename shape::bins), stream>>>(
        batch.shape.cells, batch.samples, batch.sample_run_stride, tables, quads, batch.sums, batch.sum_run_stride);
    CUDA_LAUNCHED("transform_kernel");
    return PW_OK;
}

} // namespace

template <typename Real>
pw_status spectra_transform(const spectra_batch<Real> &batch, const transform_tables<Real> &tables, int quads,
                            cudaStream_t stream, pw_error *error)
{
    constexpr int CELLS = 128 / sizeof(Real); /* a line of memory; devices with 64 kB of shared memory hold fewer */
    int device = 0, most = 0;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    bool fits = sizeof(typename transform_block<Real, CELLS>::bins) <= (size_t)most;
    return (fits ? launch<CELLS, Real> : launch<8, Real>)(batch, tables, quads, stream, error);
}

#define INSTANTIATE(Real)                                                                                              \
    template pw_status spectra_transform<Real>(const spectra_batch<Real> &, const transform_tables<Real> &, int,       \
                                               cudaStream_t, pw_error *);
INSTANTIATE(float)
INSTANTIATE(double)
