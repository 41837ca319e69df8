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
        samples[blockIdx.z * sample_stride + (size_t)row * s.pitch + s.lead + column] =
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

/* Cells of a block: LANES threads, two pieces each. GROUPS times as many threads share them, each group with its own frequencies. */
template <typename Real> __host__ __device__ constexpr int block_cells(int lanes)
{
    return 2 * lanes * piece_of<Real>::cells;
}

/* Sums stay in registers through all samples. The weights of a sample lie side by side in shared memory: a 16-byte load, the same for
 * a whole warp, serves four times as many multiply-adds as a thread has cells. Frequencies f0 .. f0 + frequencies - 1 go to `sums`, which
 * begins at f0. */
template <typename Real, int LANES, int GROUPS>
__global__ void __launch_bounds__(LANES *GROUPS, 3)
    accumulate_kernel(device_spectra s, const Real *samples, size_t sample_run_stride, int count, const Real *weights,
                      int f0, int frequencies, Real *sums, size_t sum_run_stride)
{
    typedef typename pair_of<Real>::type pair;
    typedef typename piece_of<Real>::type piece;
    constexpr int CELLS = piece_of<Real>::cells, OWN = piece_of<Real>::frequencies, ALL = OWN * GROUPS, AHEAD = 8;
    __shared__ __align__(16) pair staged[SPECTRA_BLOCK][ALL];
    __shared__ piece ahead[AHEAD][2][LANES * GROUPS]; /* each thread's own: no barrier, only order */
    int lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
    size_t cell[2];
    bool active[2];
    const piece *from[2];
    samples += blockIdx.y * sample_run_stride;
    sums += blockIdx.y * sum_run_stride;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        cell[h] = (size_t)blockIdx.x * block_cells<Real>(LANES) + (h * LANES + lane) * CELLS;
        active[h] = cell[h] < s.cells;
        cell[h] = active[h] ? cell[h] : 0;
        from[h] = (const piece *)(samples + cell[h]);
    }
    size_t step = s.cells / CELLS; /* between samples */
    for (int first = 0; first < frequencies; first += ALL) {
        int here = min(ALL, frequencies - first), own = min(OWN, here - group * OWN);
        __syncthreads();
        for (int k = threadIdx.x; k < count * ALL; k += LANES * GROUPS) {
            int b = k / ALL, f = k % ALL;
            staged[b][f] =
                f < here ? ((const pair *)weights)[(size_t)b * s.frequency_count + f0 + first + f] : pair{0, 0};
        }
        __syncthreads();
        if (own <= 0) {
            continue;
        }
        pair sum[OWN][2][CELLS];
        Real *place = sums + (size_t)(first + group * OWN) * 2 * s.cells;
#pragma unroll
        for (int f = 0; f < OWN; f++) {
#pragma unroll
            for (int h = 0; h < 4; h++) {
                const piece *at = (const piece *)(place + f * 2 * s.cells + 2 * cell[h / 2]) + h % 2;
                *(piece *)&sum[f][h / 2][h % 2 * CELLS / 2] = f < own ? __ldcs(at) : piece{};
            }
        }
        auto add = [&](const piece &low, const piece &high, int b) {
            Real value[2][CELLS];
            *(piece *)value[0] = low;
            *(piece *)value[1] = high;
#pragma unroll
            for (int f = 0; f < OWN; f++) {
                pair w = staged[b][group * OWN + f];
#pragma unroll
                for (int k = 0; k < 2 * CELLS; k++) {
                    pair *to = &sum[f][k / CELLS][k % CELLS];
                    to->x = cell_spectrum(to->x, value[k / CELLS][k % CELLS], w.x);
                    to->y = cell_spectrum(to->y, value[k / CELLS][k % CELLS], w.y);
                }
            }
        };
        const piece *next[2] = {from[0], from[1]};
        auto fetch = [&](int b) {
            if (b < count) {
                copy_piece(&ahead[b % AHEAD][0][threadIdx.x], next[0]);
                copy_piece(&ahead[b % AHEAD][1][threadIdx.x], next[1]);
                next[0] += step;
                next[1] += step;
            }
            __pipeline_commit();
        };
        for (int b = 0; b < AHEAD - 1; b++) {
            fetch(b);
        }
#pragma unroll 1 /* unrolled, fewer blocks fit a multiprocessor */
        for (int b = 0; b < count; b++) {
            fetch(b + AHEAD - 1);
            __pipeline_wait_prior(AHEAD - 1);
            add(ahead[b % AHEAD][0][threadIdx.x], ahead[b % AHEAD][1][threadIdx.x], b);
        }
        __pipeline_wait_prior(0);
#pragma unroll
        for (int f = 0; f < OWN; f++) {
#pragma unroll
            for (int h = 0; h < 4; h++) {
                if (f < own && active[h / 2]) {
                    piece *at = (piece *)(place + f * 2 * s.cells + 2 * cell[h / 2]) + h % 2;
                    __stcs(at, *(const piece *)&sum[f][h / 2][h % 2 * CELLS / 2]);
                }
            }
        }
    }
}

template <typename Real, int LANES, int GROUPS>
pw_status launch_accumulate(const device_spectra &s, const Real *samples, size_t sample_run_stride, int count,
                            const Real *weights, int first, int frequencies, Real *sums, size_t sum_run_stride,
                            int runs, cudaStream_t stream, pw_error *error)
{
    size_t cells = block_cells<Real>(LANES);
    dim3 blocks((unsigned)((s.cells + cells - 1) / cells), runs);
    accumulate_kernel<Real, LANES, GROUPS><<<blocks, LANES * GROUPS, 0, stream>>>(
        s, samples, sample_run_stride, count, weights, first, frequencies, sums, sum_run_stride);
    CUDA_LAUNCHED("accumulate_kernel");
    return PW_OK;
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
#define LAUNCH(lanes, groups)                                                                                          \
    launch_accumulate<Real, lanes, groups>(spectra, samples, sample_run_stride, sample_count, weights, first,          \
                                           frequencies, sums, sum_run_stride, runs, stream, error)
    int own = piece_of<Real>::frequencies;
    return frequencies <= own ? LAUNCH(128, 1) : frequencies <= 2 * own ? LAUNCH(64, 2) : LAUNCH(32, 4);
#undef LAUNCH
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
