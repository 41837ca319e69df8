/* Running spectra on the device: snapshots of the lattice, a block of which is added to all frequencies at once, so that the sums are read
 * and written once per block and not once per sample. Per cell and frequency the fused multiply-adds go in time order (cell_spectrum), so
 * the bits do not depend on the blocks. Also the energy. Leaves out: when to sample, and the weights (spectra_store.cu). */
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

/* 16 bytes of neighbouring cells; a thread takes two such pieces, and as many frequencies as its registers hold. */
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

enum { PRODUCT_THREADS = 128 }; /* a block: two pieces each */

/* One thread's share of the product: sums of neighbouring cells at a few frequencies, in registers through all samples. */
template <typename Real> struct product {
    typedef typename pair_of<Real>::type pair;
    typedef typename piece_of<Real>::type piece;
    static constexpr int CELLS = piece_of<Real>::cells, OWN = piece_of<Real>::frequencies;
    pair sum[OWN][2][CELLS];

    /* Of the piece h of frequency f at `place`: two pieces of sums. */
    __device__ __forceinline__ void load(const Real *place, size_t plane, size_t apart, int own)
    {
#pragma unroll
        for (int f = 0; f < OWN; f++) {
#pragma unroll
            for (int h = 0; h < 4; h++) {
                const piece *at = (const piece *)(place + f * plane + h / 2 * apart) + h % 2;
                *(piece *)&sum[f][h / 2][h % 2 * CELLS / 2] = f < own ? __ldcs(at) : piece{};
            }
        }
    }

    __device__ __forceinline__ void store(Real *place, size_t plane, size_t apart, int own) const
    {
#pragma unroll
        for (int f = 0; f < OWN; f++) {
#pragma unroll
            for (int h = 0; h < 4; h++) {
                piece *at = (piece *)(place + f * plane + h / 2 * apart) + h % 2;
                if (f < own) {
                    __stcs(at, *(const piece *)&sum[f][h / 2][h % 2 * CELLS / 2]);
                }
            }
        }
    }

    /* A sample of the thread's cells, times the weights of its frequencies, which come with real and imaginary part exchanged: then a sum
     * and its weight lie in different ones of the two banks of registers, and the value is kept from one multiply-add to the next. Else half
     * of them take two cycles. Without __syncwarp the compiler sorts them by weight, and values and sums collide. */
    __device__ __forceinline__ void add(const piece &low, const piece &high, const pair *weights)
    {
        Real value[2 * CELLS];
        *(piece *)value = low;
        *(piece *)(value + CELLS) = high;
        pair w[OWN];
#pragma unroll
        for (int f = 0; f < OWN; f++) {
            w[f] = weights[f];
        }
#pragma unroll
        for (int k = 0; k < 2 * CELLS; k++) {
            __syncwarp();
#pragma unroll
            for (int f = 0; f < OWN; f++) {
                pair *to = &sum[f][k / CELLS][k % CELLS];
                to->x = cell_spectrum(to->x, value[k], w[f].y);
                to->y = cell_spectrum(to->y, value[k], w[f].x);
            }
        }
    }
};

/* Blocks of the same cells and neighbouring frequencies are neighbours, so that a sample comes from memory once and from L2 afterwards.
 * The weights of a sample lie side by side in shared memory: a 16-byte load, the same for a whole warp, serves four times as many
 * multiply-adds as a thread has cells. Frequencies f0 .. f0 + frequencies - 1 go to `sums`, which begins at f0. */
template <typename Real>
__global__ void __launch_bounds__(PRODUCT_THREADS, 3)
    accumulate_kernel(device_spectra s, const Real *samples, size_t sample_run_stride, int count, const Real *weights,
                      int f0, int frequencies, Real *sums, size_t sum_run_stride)
{
    typedef typename product<Real>::pair pair;
    typedef typename product<Real>::piece piece;
    constexpr int CELLS = product<Real>::CELLS, OWN = product<Real>::OWN, AHEAD = 8;
    constexpr int APART = PRODUCT_THREADS * CELLS; /* cells between a thread's two pieces */
    constexpr int STAGED = 64;                     /* samples whose weights are at hand */
    __shared__ __align__(16) pair staged[STAGED][OWN];
    __shared__ piece ahead[AHEAD][2][PRODUCT_THREADS]; /* each thread's own: no barrier, only order */
    int turns = (frequencies + OWN - 1) / OWN, first = (int)(blockIdx.x % turns) * OWN;
    int own = min(OWN, frequencies - first);
    size_t cell = (size_t)(blockIdx.x / turns) * 2 * APART + threadIdx.x * CELLS, step = s.cells;
    Real *place = sums + blockIdx.y * sum_run_stride + (size_t)first * 2 * step + 2 * cell;
    const Real *next = samples + blockIdx.y * sample_run_stride + cell;
    product<Real> held;
    held.load(place, 2 * step, 2 * APART, own);
    /* The ring of samples under way: a piece goes where the one before the last was read. */
    constexpr unsigned TURN = sizeof ahead[0], RING = sizeof ahead;
    char *ring = (char *)&ahead[0][0][threadIdx.x];
    unsigned at = 0;
    int left = count;
    auto fetch = [&](char *to) {
        if (left > 0) {
            copy_piece((piece *)to, (const piece *)next);
            copy_piece((piece *)to + PRODUCT_THREADS, (const piece *)(next + APART));
        }
        left--;
        next += step;
        __pipeline_commit();
    };
    for (int b = 0; b < AHEAD - 1; b++) {
        fetch(ring + b * TURN);
    }
    for (int begun = 0; begun < count; begun += STAGED) {
        int staged_here = min(STAGED, count - begun);
        __syncthreads();
        for (int k = threadIdx.x; k < staged_here * OWN; k += PRODUCT_THREADS) {
            int b = k / OWN, f = k % OWN;
            pair w = f < own ? ((const pair *)weights)[(size_t)(begun + b) * s.frequency_count + f0 + first + f]
                             : pair{0, 0};
            staged[b][f] = {w.y, w.x};
        }
        __syncthreads();
        const pair *row = staged[0];
#pragma unroll 1
        for (int b = cell < step ? staged_here : 0; b > 0;
             b--) { /* always so: but were it known, __syncwarp would be dropped */
            fetch(ring + ((at + RING - TURN) % RING));
            __pipeline_wait_prior(AHEAD - 1);
            const piece *now = (const piece *)(ring + at);
            held.add(now[0], now[PRODUCT_THREADS], row);
            at = (at + TURN) % RING;
            row += OWN;
        }
    }
    __pipeline_wait_prior(0);
    held.store(place, 2 * step, 2 * APART, own);
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
pw_status spectra_accumulate(const device_spectra &spectra, const Real *samples, size_t sample_run_stride,
                             int sample_count, const Real *weights, int first, int frequencies, Real *sums,
                             size_t sum_run_stride, int runs, cudaStream_t stream, pw_error *error)
{
    constexpr int cells = 2 * PRODUCT_THREADS * product<Real>::CELLS, own = product<Real>::OWN;
    static_assert(SPECTRA_CELLS % cells == 0, "a plane is whole blocks");
    dim3 blocks((unsigned)(spectra.cells / cells * ((frequencies + own - 1) / own)), runs);
    accumulate_kernel<Real><<<blocks, PRODUCT_THREADS, 0, stream>>>(spectra, samples, sample_run_stride, sample_count,
                                                                    weights, first, frequencies, sums, sum_run_stride);
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
    template pw_status spectra_accumulate<Real>(const device_spectra &, const Real *, size_t, int, const Real *, int,  \
                                                int, Real *, size_t, int, cudaStream_t, pw_error *);                   \
    template pw_status energy_sum<Real>(const device_problem<Real> &, const Real *, double *, double *, cudaStream_t,  \
                                        pw_error *);
INSTANTIATE(float)
INSTANTIATE(double)
