/* Running spectra on the device: samples of the lattice, several groups of which (src/problem/spectra/spectra.h) are
 * added to all frequencies at once, so that the sums are read and written once per call and not once per group. Also
 * the energy.
 *
 * The product: a thread owns CELLS neighbouring cells of the lattice at OWN frequencies, blockIdx.y is the run; lane l
 * of a warp has cells first + CELLS l, and so on. The thread's sums stay in registers while the samples of all groups
 * pass through shared memory, AHEAD pairs ahead:
 *
 *        samples (time)          shared memory, a ring        registers                       sums
 *        0 ----------- early        +--+--+--+--+
 *        1 ---------      ...  -->  |p |p1|p2|p3|   --> even, odd [OWN][CELLS]   --phase->   X(f) [OWN][CELLS]
 *        ...                        +--+--+--+--+       += (early + late) cos           once a group
 *        2 PAIRS-1 --- late                             += (late - early) (-sin)
 *
 * Weights and phases are arguments of the kernel. Leaves out: when to sample, and the weights (spectra_store.cu);
 * groups of many frequencies (spectra_transform.cu). */
#include <algorithm>
#include <cuda_pipeline.h>

#include "kernels/spectra/spectra_kernels.h"
#include "kernels/tuning.h"

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

/* Frequencies of a launch and cells of a thread: as many as its registers have room for, with the sums and the group
 * under way. */
template <typename Real, int PAIRS> struct product_shape {
    static constexpr int OWN = sizeof(Real) == 4 && PAIRS > 4 ? 16 : 8;
    static constexpr int CELLS = 128 / (OWN * (int)sizeof(Real));
    static constexpr int GROUPS = SPECTRA_BLOCK / (2 * PAIRS); /* of a launch, at most */
};

enum { PRODUCT_THREADS = 128 };

/* Weights are arguments of the kernel and come through uniform registers: shared memory, which gives a warp one
 * register a cycle even when all lanes want the same, would set the pace. Weights of more frequencies at a time would
 * not stay in the first constant cache. */
template <typename Real, int PAIRS> struct product_weights {
    typedef product_shape<Real, PAIRS> shape;
    typedef typename pair_of<Real>::type pair;
    pair pairs[PAIRS][shape::OWN]; /* cosine, -sine */
    pair phases[shape::GROUPS][shape::OWN];
};

/* 16 bytes. */
template <typename Real> struct piece_of;
template <> struct piece_of<float> {
    typedef float4 type;
};
template <> struct piece_of<double> {
    typedef double2 type;
};

/* 16 bytes, past the first cache. */
__device__ __forceinline__ void copy_piece(void *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    unsigned place = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(from) : "memory");
#else
    *(float4 *)to = *(const float4 *)from;
#endif
}

/* One thread's share of the product: sums of neighbouring cells at a few frequencies, in registers through all groups.
 */
template <typename Real, int PAIRS> struct product {
    typedef typename pair_of<Real>::type pair;
    typedef typename piece_of<Real>::type piece;
    static constexpr int OWN = product_shape<Real, PAIRS>::OWN, CELLS = product_shape<Real, PAIRS>::CELLS;
    static constexpr int PER = sizeof(piece) / sizeof(pair);
    __align__(16) pair sum[OWN][CELLS];
    Real even[OWN][CELLS], odd[OWN][CELLS];

    __device__ __forceinline__ void load(const pair *place, size_t plane, int frequencies)
    {
#pragma unroll
        for (int f = 0; f < OWN; f++) {
#pragma unroll
            for (int k = 0; k < CELLS; k += PER) {
                *(piece *)&sum[f][k] = f < frequencies ? __ldcs((const piece *)(place + f * plane + k)) : piece{};
            }
        }
    }

    __device__ __forceinline__ void store(pair *place, size_t plane, int frequencies) const
    {
#pragma unroll
        for (int f = 0; f < OWN; f++) {
#pragma unroll
            for (int k = 0; k < CELLS; k += PER) {
                if (f < frequencies) {
                    __stcs((piece *)(place + f * plane + k), *(const piece *)&sum[f][k]);
                }
            }
        }
    }

    /* A pair of samples, number p of its group. */
    __device__ __forceinline__ void add(const Real *early, const Real *late,
                                        const product_weights<Real, PAIRS> &weights, int p)
    {
        Real total[CELLS], difference[CELLS];
#pragma unroll
        for (int k = 0; k < CELLS; k++) {
            total[k] = early[k] + late[k];
            difference[k] = late[k] - early[k];
        }
#pragma unroll
        for (int f = 0; f < OWN; f++) {
            pair w = weights.pairs[p][f];
#pragma unroll
            for (int k = 0; k < CELLS; k++) {
                even[f][k] = p == 0 ? cell_pair(total[k], w.x) : cell_pair_add(even[f][k], total[k], w.x);
                odd[f][k] = p == 0 ? cell_pair(difference[k], w.y) : cell_pair_add(odd[f][k], difference[k], w.y);
            }
        }
    }

    /* Group g is whole. */
    __device__ __forceinline__ void close_group(const product_weights<Real, PAIRS> &weights, int g)
    {
#pragma unroll
        for (int f = 0; f < OWN; f++) {
            pair by = weights.phases[g][f];
#pragma unroll
            for (int k = 0; k < CELLS; k++) {
                sum[f][k].x = cell_spectrum_real(sum[f][k].x, even[f][k], odd[f][k], by.x, by.y);
                sum[f][k].y = cell_spectrum_imaginary(sum[f][k].y, even[f][k], odd[f][k], by.x, by.y);
            }
        }
    }
};

/* All of a thread's cells at once. */
template <int CELLS, typename Real> __device__ __forceinline__ void load_cells(Real *to, const Real *from)
{
    if (CELLS * sizeof(Real) == 16) {
        *(typename piece_of<Real>::type *)to = *(const typename piece_of<Real>::type *)from;
    } else {
        *(typename pair_of<Real>::type *)to = *(const typename pair_of<Real>::type *)from;
    }
}

/* A warp's samples on their way, AHEAD pairs before they are needed. Its lanes copy 16 bytes each, first of the early
 * sample of a pair, then of the late one. */
template <typename Real, int PAIRS> struct sample_feed {
    static constexpr int CELLS = product_shape<Real, PAIRS>::CELLS, AHEAD = PAIRS < 8 ? PAIRS : 8;
    static constexpr int PIECE = 16 / (int)sizeof(Real), COPIES = 2 * CELLS / PIECE; /* values; of a lane, each pair */
    typedef Real buffer[AHEAD][2][32 * CELLS];                                       /* a ring of pairs */
    const Real *from[COPIES];
    ptrdiff_t apart[COPIES], group;
    int left;
    Real *to;

    __device__ __forceinline__ void begin(const Real *samples, size_t plane, int groups, buffer &own, int lane)
    {
        left = groups;
        group = 2 * PAIRS * (ptrdiff_t)plane;
        to = &own[0][0][lane * PIECE];
#pragma unroll
        for (int c = 0; c < COPIES; c++) {
            int at = (c * 32 + lane) * PIECE;
            bool late = at >= 32 * CELLS;
            from[c] = samples + at % (32 * CELLS) + (late ? (2 * PAIRS - 1) * plane : 0);
            apart[c] = late ? -(ptrdiff_t)plane : (ptrdiff_t)plane;
        }
    }

    /* Pairs come in order; this is number p of its group. */
    __device__ __forceinline__ void fetch(int p)
    {
        if (left > 0) {
#pragma unroll
            for (int c = 0; c < COPIES; c++) {
                copy_piece(to + (p % AHEAD * 2 * CELLS + c * PIECE) * 32, from[c]);
                from[c] += p + 1 < PAIRS ? apart[c] : group - (PAIRS - 1) * apart[c];
            }
            left -= p + 1 == PAIRS;
        }
        __pipeline_commit();
    }
};

/* Adds groups of 2 PAIRS samples of a run to `frequencies` of its sums. */
template <typename Real, int PAIRS>
__global__ void __launch_bounds__(PRODUCT_THREADS, 3)
    accumulate_kernel(size_t plane, const Real *samples, size_t sample_run_stride, int groups,
                      const __grid_constant__ product_weights<Real, PAIRS> weights, int frequencies, Real *sums,
                      size_t sum_run_stride)
{
    typedef product<Real, PAIRS> share;
    typedef sample_feed<Real, PAIRS> feed;
    typedef typename share::pair pair;
    constexpr int CELLS = share::CELLS, AHEAD = feed::AHEAD;
    __shared__ __align__(16) typename feed::buffer buffers[PRODUCT_THREADS / 32];
    int lane = threadIdx.x % 32;
    size_t first = ((size_t)blockIdx.x * PRODUCT_THREADS + threadIdx.x - lane) * CELLS;
    pair *place = (pair *)(sums + blockIdx.y * sum_run_stride) + first + lane * CELLS;
    typename feed::buffer &buffer = buffers[threadIdx.x / 32];
    share held;
    held.load(place, plane, frequencies);
    feed in;
    in.begin(samples + blockIdx.y * sample_run_stride + first, plane, groups, buffer, lane);
#pragma unroll
    for (int p = 0; p < AHEAD - 1; p++) {
        in.fetch(p);
    }
#pragma unroll 1
    for (int g = 0; g < groups; g++) {
#pragma unroll
        for (int p = 0; p < PAIRS; p++) {
            __pipeline_wait_prior(AHEAD - 2);
            __syncwarp(); /* all lanes' pieces are there, and the place of the pair before is free */
            in.fetch((p + AHEAD - 1) % PAIRS);
            __align__(16) Real early[CELLS], late[CELLS];
            load_cells<CELLS>(early, &buffer[p % AHEAD][0][lane * CELLS]);
            load_cells<CELLS>(late, &buffer[p % AHEAD][1][lane * CELLS]);
            held.add(early, late, weights, p);
        }
        held.close_group(weights, g);
    }
    __pipeline_wait_prior(0);
    held.store(place, plane, frequencies);
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

template <typename Real> __global__ void energy_kernel(const Real *e, energy_extent extent, double *partial)
{
    double sum = 0;
    for (int row = blockIdx.x; row < extent.ny * extent.levels; row += gridDim.x) {
        const Real *line = e + row / extent.ny * extent.plane + (size_t)(row % extent.ny) * extent.pitch;
        for (int i = threadIdx.x; i < extent.nx; i += blockDim.x) {
            double value = (double)line[i];
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
                         const sample_place<Real> &to, int runs, cudaStream_t stream, pw_error *error)
{
    dim3 blocks((spectra.columns + 127) / 128, spectra.rows, runs);
    sample_kernel<Real><<<blocks, 128, 0, stream>>>(e, problem.cells, problem.pitch, spectra, to.plane, to.run_stride);
    CUDA_LAUNCHED("sample_kernel");
    return PW_OK;
}

/* A few frequencies at a time: the samples pass once for each. */
template <int PAIRS, typename Real>
pw_status accumulate(const spectra_batch<Real> &batch, const Real *weights, const Real *phases, cudaStream_t stream,
                     pw_error *error)
{
    typedef product_shape<Real, PAIRS> shape;
    typedef typename pair_of<Real>::type pair;
    constexpr int cells = PRODUCT_THREADS * shape::CELLS;
    static_assert(SPECTRA_CELLS % cells == 0, "a plane is whole blocks");
    const device_spectra &s = batch.shape;
    product_weights<Real, PAIRS> own;
    dim3 blocks((unsigned)(s.cells / cells), batch.runs);
    for (int f = 0; f < batch.frequencies; f += shape::OWN) {
        int here = std::min((int)shape::OWN, batch.frequencies - f);
        own = {};
        for (int k = 0; k < here; k++) {
            size_t at = batch.first + f + k;
            for (int p = 0; p < PAIRS; p++) {
                own.pairs[p][k] = ((const pair *)weights)[p * (size_t)s.frequency_count + at];
            }
            for (int g = 0; g < batch.groups; g++) {
                own.phases[g][k] = ((const pair *)phases)[g * (size_t)s.frequency_count + at];
            }
        }
        accumulate_kernel<Real, PAIRS>
            <<<blocks, PRODUCT_THREADS, 0, stream>>>(s.cells, batch.samples, batch.sample_run_stride, batch.groups, own,
                                                     here, batch.sums + 2 * f * s.cells, batch.sum_run_stride);
        CUDA_LAUNCHED("accumulate_kernel");
    }
    return PW_OK;
}

template <typename Real>
pw_status spectra_accumulate(const spectra_batch<Real> &batch, const Real *weights, const Real *phases,
                             cudaStream_t stream, pw_error *error)
{
    auto run = batch.shape.group == 8    ? accumulate<4, Real>
               : batch.shape.group == 16 ? accumulate<8, Real>
                                         : accumulate<16, Real>;
    return run(batch, weights, phases, stream, error);
}

template <typename Real>
pw_status energy_sum(const energy_extent &extent, const Real *e, double *partial, double *energy, cudaStream_t stream,
                     pw_error *error)
{
    double host[ENERGY_BLOCKS];
    energy_kernel<Real><<<ENERGY_BLOCKS, 256, 0, stream>>>(e, extent, partial);
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
                                            const sample_place<Real> &, int, cudaStream_t, pw_error *);                \
    template pw_status spectra_accumulate<Real>(const spectra_batch<Real> &, const Real *, const Real *, cudaStream_t, \
                                                pw_error *);                                                           \
    template pw_status energy_sum<Real>(const energy_extent &, const Real *, double *, double *, cudaStream_t,         \
                                        pw_error *);
INSTANTIATE(float)
INSTANTIATE(double)
