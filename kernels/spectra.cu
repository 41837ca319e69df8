/* Running spectra on the device: snapshots of the lattice, several groups of which (spectra.h) are added to all frequencies at once, so that
 * the sums are read and written once per call and not once per group. Also the energy. Leaves out: when to sample, and the weights
 * (spectra_store.cu). */
#include <cuda_pipeline.h>

#include "device.h"
#include "tuning.h"

namespace
{

template <typename Real>
__global__ void sample_kernel(const Real *e, size_t field_stride, int pitch, device_spectra s, Real *samples,
                              size_t sample_stride)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (column < s.columns) {
        samples[blockIdx.z * sample_stride + (size_t)(s.first_row + row) * s.pitch + s.lead + column] =
            e[blockIdx.z * field_stride + (size_t)(s.y0 + row * s.spacing) * pitch + s.x0 + column * s.spacing];
    }
}

/* 16 bytes of neighbouring cells, one thread's, and as many frequencies as its registers hold. */
template <typename Real> struct piece_of;
template <> struct piece_of<float> {
    typedef float4 type;
    static constexpr int cells = 4, frequencies = 8;
};
template <> struct piece_of<double> {
    typedef double2 type;
    static constexpr int cells = 2, frequencies = 4;
};

/* Asynchronously to shared memory, through L1: the groups of a block read the same samples. */
template <typename Piece> __device__ __forceinline__ void copy_piece(Piece *to, const Piece *from)
{
#if __CUDA_ARCH__ >= 800
    unsigned place = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(place), "l"(from) : "memory");
#else
    *to = *from;
#endif
}

/* A block's share of the product: warps that hold the same cells and neighbouring frequencies, FREQUENCY_LANES times OWN each, and so many
 * of these as make PRODUCT_WARPS. Half of a warp's lanes have the same cells: then shared memory is read half as often. */
enum {
    PRODUCT_WARPS = 4,
    CELL_LANES = 16,
    FREQUENCY_LANES = 32 / CELL_LANES,
    STAGE_PAIRS = 4, /* pairs of samples that are awaited at once; divides the pairs of any group */
    STAGES = 3       /* the one being read and those under way */
};

/* One thread's share: its sums of neighbouring cells at a few frequencies stay in registers through all groups. */
template <typename Real> struct product {
    typedef typename pair_of<Real>::type pair;
    typedef typename piece_of<Real>::type piece;
    static constexpr int CELLS = piece_of<Real>::cells, OWN = piece_of<Real>::frequencies;
    pair sum[OWN][CELLS];
    Real even[OWN][CELLS], odd[OWN][CELLS];

    /* Two pieces a frequency; `plane` values apart. */
    __device__ __forceinline__ void load(const Real *place, size_t plane, int own)
    {
#pragma unroll
        for (int f = 0; f < OWN; f++) {
            const piece *at = (const piece *)(place + f * plane);
            *(piece *)&sum[f][0] = f < own ? __ldcs(at) : piece{};
            *(piece *)&sum[f][CELLS / 2] = f < own ? __ldcs(at + 1) : piece{};
        }
    }

    __device__ __forceinline__ void store(Real *place, size_t plane, int own) const
    {
#pragma unroll
        for (int f = 0; f < OWN; f++) {
            piece *at = (piece *)(place + f * plane);
            if (f < own) {
                __stcs(at, *(const piece *)&sum[f][0]);
                __stcs(at + 1, *(const piece *)&sum[f][CELLS / 2]);
            }
        }
    }

    /* A pair of samples, the group's first or another. */
    template <bool FIRST>
    __device__ __forceinline__ void add(const piece &early, const piece &late, const pair *weights)
    {
        Real before[CELLS], after[CELLS];
        *(piece *)before = early;
        *(piece *)after = late;
        pair w[OWN];
#pragma unroll
        for (int f = 0; f < OWN; f++) {
            w[f] = weights[f];
        }
#pragma unroll
        for (int k = 0; k < CELLS; k++) {
            Real total = before[k] + after[k], difference = after[k] - before[k];
#pragma unroll
            for (int f = 0; f < OWN; f++) {
                even[f][k] = FIRST ? cell_pair(total, w[f].x) : cell_pair_add(even[f][k], total, w[f].x);
            }
#pragma unroll
            for (int f = 0; f < OWN; f++) {
                odd[f][k] = FIRST ? cell_pair(difference, w[f].y) : cell_pair_add(odd[f][k], difference, w[f].y);
            }
        }
    }

    /* The group is whole. */
    __device__ __forceinline__ void turn(const pair *turns)
    {
#pragma unroll
        for (int f = 0; f < OWN; f++) {
            pair by = turns[f];
#pragma unroll
            for (int k = 0; k < CELLS; k++) {
                sum[f][k].x = cell_spectrum_real(sum[f][k].x, even[f][k], odd[f][k], by.x, by.y);
                sum[f][k].y = cell_spectrum_imaginary(sum[f][k].y, even[f][k], odd[f][k], by.x, by.y);
            }
        }
    }
};

/* How a call divides its frequencies. */
struct product_shape {
    int first, frequencies;      /* those of the sums, which begin at `first` */
    int groups, group;           /* of samples; samples of one */
    int across;                  /* warps of a block that hold the same cells */
    const void *weights, *turns; /* (group/2, all frequencies, 2), (groups, all frequencies, 2) */
};

template <typename Real> __host__ __device__ constexpr int product_cells(int across)
{
    return PRODUCT_WARPS / across * CELL_LANES * product<Real>::CELLS;
}

/* Values of a row of `count` weights to shared memory, those of this block's frequencies; zero beyond the last. */
template <typename Pair>
__device__ __forceinline__ void stage_weights(Pair *to, const Pair *from, int rows, int width, int first, int last,
                                              int pitch)
{
    for (int k = threadIdx.x; k < rows * width; k += 32 * PRODUCT_WARPS) {
        int f = first + k % width;
        to[k] = f < last ? from[(size_t)(k / width) * pitch + f] : Pair{0, 0};
    }
}

/* Blocks of the same cells and neighbouring frequencies are neighbours, so that a sample comes from memory once and from L2 afterwards. */
template <typename Real>
__global__ void __launch_bounds__(32 * PRODUCT_WARPS, 3)
    accumulate_kernel(device_spectra s, const Real *samples, size_t sample_run_stride, product_shape shape, Real *sums,
                      size_t sum_run_stride)
{
    typedef typename product<Real>::pair pair;
    typedef typename product<Real>::piece piece;
    constexpr int CELLS = product<Real>::CELLS, OWN = product<Real>::OWN;
    extern __shared__ __align__(16) char shared[];
    __shared__ piece stage[STAGES][PRODUCT_WARPS][STAGE_PAIRS][2][CELL_LANES];
    int across = shape.across, width = across * FREQUENCY_LANES * OWN, pairs = shape.group / 2;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, tile = warp / across,
        turns = (shape.frequencies + width - 1) / width;
    int begin = (int)(blockIdx.x % turns) * width,
        in_block = (warp % across * FREQUENCY_LANES + lane / CELL_LANES) * OWN;
    int own = min(OWN, shape.frequencies - begin - in_block);
    bool idle = begin + warp % across * FREQUENCY_LANES * OWN >= shape.frequencies;
    size_t cell =
        (size_t)(blockIdx.x / turns) * product_cells<Real>(across) + (tile * CELL_LANES + lane % CELL_LANES) * CELLS;
    pair *weights = (pair *)shared, *turn_at = weights + pairs * width;
    int first = shape.first + begin, last = shape.first + shape.frequencies;
    stage_weights(weights, (const pair *)shape.weights, pairs, width, first, last, s.frequency_count);
    stage_weights(turn_at, (const pair *)shape.turns, shape.groups, width, first, last, s.frequency_count);
    Real *place = sums + blockIdx.y * sum_run_stride + (size_t)(begin + in_block) * 2 * s.cells + 2 * cell;
    product<Real> held;
    held.load(place, 2 * s.cells, own);

    /* The lower half of a warp fetches the earlier samples of its pairs, the upper half the later ones. */
    bool later = lane >= CELL_LANES;
    ptrdiff_t apart = later ? -(ptrdiff_t)s.cells : (ptrdiff_t)s.cells;
    const Real *from = samples + blockIdx.y * sample_run_stride + cell + (later ? (shape.group - 1) * s.cells : 0);
    int left = shape.groups, fetched = 0;
    auto fetch = [&](int slot) {
        for (int k = warp % across; k < STAGE_PAIRS && left > 0; k += across) {
            copy_piece(&stage[slot][tile][k][later][lane % CELL_LANES], (const piece *)(from + (fetched + k) * apart));
        }
        fetched += STAGE_PAIRS;
        if (fetched == pairs) {
            fetched = 0;
            left--;
            from += shape.group * s.cells;
        }
        __pipeline_commit();
    };
    for (int b = 0; b < STAGES - 1; b++) {
        fetch(b);
    }
    int now = 0;
    const pair *row = weights + in_block;
    for (int g = 0; g < shape.groups; g++) {
        for (int p = 0; p < pairs; p += STAGE_PAIRS) {
            __pipeline_wait_prior(STAGES - 2);
            __syncthreads(); /* all see this stage, and nobody reads the one before any more */
            fetch((now + STAGES - 1) % STAGES);
            const piece(*at)[2][CELL_LANES] = stage[now][tile];
            now = (now + 1) % STAGES;
            if (idle) {
                continue;
            }
            if (p == 0) {
                held.template add<true>(at[0][0][lane % CELL_LANES], at[0][1][lane % CELL_LANES], row);
            } else {
                held.template add<false>(at[0][0][lane % CELL_LANES], at[0][1][lane % CELL_LANES], row + p * width);
            }
#pragma unroll
            for (int k = 1; k < STAGE_PAIRS; k++) {
                held.template add<false>(at[k][0][lane % CELL_LANES], at[k][1][lane % CELL_LANES],
                                         row + (p + k) * width);
            }
        }
        held.turn(turn_at + g * width + in_block);
    }
    __pipeline_wait_prior(0);
    held.store(place, 2 * s.cells, own);
}

__device__ double block_sum(double value)
{
    __shared__ double partial[32];
    for (int step = 16; step > 0; step /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, step);
    }
    if (threadIdx.x % 32 == 0) {
        partial[threadIdx.x / 32] = value;
    }
    __syncthreads();
    double total = 0;
    for (int w = 0; threadIdx.x == 0 && w < (int)blockDim.x / 32; w++) {
        total += partial[w];
    }
    return total;
}

template <typename Real> __global__ void energy_kernel(const Real *e, int nx, int ny, int pitch, double *partial)
{
    double sum = 0;
    for (int j = blockIdx.x; j < ny; j += gridDim.x) {
        for (int i = threadIdx.x; i < nx; i += blockDim.x) {
            double value = (double)e[(size_t)j * pitch + i];
            sum += value * value;
        }
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
    }
}

} // namespace

template <typename Real>
pw_status spectra_sample(const device_problem<Real> &problem, const device_spectra &spectra, const Real *e,
                         Real *samples, size_t run_stride, int runs, cudaStream_t stream, pw_error *error)
{
    dim3 blocks((spectra.columns + 127) / 128, spectra.rows, runs);
    sample_kernel<Real><<<blocks, 128, 0, stream>>>(e, problem.cells, problem.pitch, spectra, samples, run_stride);
    CUDA_LAUNCHED("sample_kernel");
    return PW_OK;
}

template <typename Real>
pw_status spectra_accumulate(const device_spectra &spectra, const Real *samples, size_t sample_run_stride, int groups,
                             const Real *weights, const Real *turns, int first, int frequencies, Real *sums,
                             size_t sum_run_stride, int runs, cudaStream_t stream, pw_error *error)
{
    constexpr int in_warp = FREQUENCY_LANES * product<Real>::OWN;
    static_assert(SPECTRA_CELLS % product_cells<Real>(1) == 0, "a plane is whole blocks");
    product_shape shape = {first, frequencies, groups, spectra.group, 1, weights, turns};
    while (shape.across < PRODUCT_WARPS && shape.across * in_warp < frequencies) {
        shape.across *= 2;
    }
    int width = shape.across * in_warp, cells = product_cells<Real>(shape.across);
    size_t bytes = 2 * sizeof(Real) * (size_t)width * (spectra.group / 2 + groups);
    dim3 blocks((unsigned)(spectra.cells / cells * ((frequencies + width - 1) / width)), runs);
    accumulate_kernel<Real><<<blocks, 32 * PRODUCT_WARPS, bytes, stream>>>(spectra, samples, sample_run_stride, shape,
                                                                           sums, sum_run_stride);
    CUDA_LAUNCHED("accumulate_kernel");
    return PW_OK;
}

template <typename Real>
pw_status energy_sum(const device_problem<Real> &problem, const Real *e, double *partial, double *energy,
                     cudaStream_t stream, pw_error *error)
{
    double host[ENERGY_BLOCKS];
    energy_kernel<Real><<<ENERGY_BLOCKS, 256, 0, stream>>>(e, problem.nx, problem.ny, problem.pitch, partial);
    CUDA_LAUNCHED("energy_kernel");
    CUDA_TRY(cudaMemcpyAsync(host, partial, sizeof host, cudaMemcpyDeviceToHost, stream));
    CUDA_TRY(cudaStreamSynchronize(stream));
    *energy = 0;
    for (double part : host) {
        *energy += part;
    }
    return PW_OK;
}

#define INSTANTIATE(Real)                                                                                              \
    template pw_status spectra_sample<Real>(const device_problem<Real> &, const device_spectra &, const Real *,        \
                                            Real *, size_t, int, cudaStream_t, pw_error *);                            \
    template pw_status spectra_accumulate<Real>(const device_spectra &, const Real *, size_t, int, const Real *,       \
                                                const Real *, int, int, Real *, size_t, int, cudaStream_t,             \
                                                pw_error *);                                                           \
    template pw_status energy_sum<Real>(const device_problem<Real> &, const Real *, double *, double *, cudaStream_t,  \
                                        pw_error *);
INSTANTIATE(float)
INSTANTIATE(double)
