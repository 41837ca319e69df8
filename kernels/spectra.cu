/* Running spectra on the device: snapshots of the lattice, a block of which is added to all frequencies at once, so that the sums are read
 * and written once per block and not once per sample. Per cell and frequency the fused multiply-adds go in time order (cell_spectrum), so
 * the bits do not depend on the blocks. Also the energy. Leaves out: when to sample, and the weights (backend_cuda.cu). */
#include "device.h"
#include "tuning.h"

namespace
{

constexpr int SPECTRA_THREADS = 128;

template <typename Real>
__global__ void sample_kernel(const Real *e, size_t field_stride, int pitch, device_spectra s, Real *samples,
                              size_t sample_stride)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (column < s.columns) {
        samples[blockIdx.z * sample_stride + (size_t)row * s.columns + column] =
            e[blockIdx.z * field_stride + (size_t)(s.y0 + row * s.spacing) * pitch + s.x0 + column * s.spacing];
    }
}

/* A thread takes one cell: its samples in registers, the weights (frequency, sample, 2) from shared memory, FREQUENCIES at a time. */
template <typename Real, int SAMPLES>
__global__ void __launch_bounds__(SPECTRA_THREADS)
    accumulate_kernel(const Real *samples, size_t sample_run_stride, size_t cells, int count, const Real *weights,
                      int frequency_count, Real *sums, size_t sum_run_stride)
{
    typedef typename pair_of<Real>::type pair;
    constexpr int FREQUENCIES = 16;
    __shared__ __align__(16) pair staged[FREQUENCIES][SAMPLES];
    size_t cell = (size_t)blockIdx.x * SPECTRA_THREADS + threadIdx.x;
    bool active = cell < cells;
    samples += blockIdx.y * sample_run_stride;
    pair *out = (pair *)(sums + blockIdx.y * sum_run_stride);
    Real own[SAMPLES];
#pragma unroll
    for (int b = 0; b < SAMPLES; b++) {
        own[b] = active && b < count ? __ldcs(samples + (size_t)b * cells + cell) : Real(0);
    }
    for (int f0 = 0; f0 < frequency_count; f0 += FREQUENCIES) {
        int here = min(FREQUENCIES, frequency_count - f0);
        __syncthreads();
        for (int k = threadIdx.x; k < here * SAMPLES; k += SPECTRA_THREADS) {
            int f = k / SAMPLES, b = k % SAMPLES;
            if (b < count) {
                staged[f][b] = ((const pair *)weights)[(size_t)b * frequency_count + f0 + f];
            }
        }
        __syncthreads();
        if (!active) {
            continue;
        }
#pragma unroll 2
        for (int f = 0; f < here; f++) {
            pair *place = out + (size_t)(f0 + f) * cells + cell;
            pair sum = *place;
            if (count == SAMPLES) {
#pragma unroll
                for (int b = 0; b < SAMPLES; b++) {
                    pair w = staged[f][b];
                    sum.x = cell_spectrum(sum.x, own[b], w.x);
                    sum.y = cell_spectrum(sum.y, own[b], w.y);
                }
            } else {
#pragma unroll
                for (int b = 0; b < SAMPLES; b++) {
                    if (b < count) {
                        pair w = staged[f][b];
                        sum.x = cell_spectrum(sum.x, own[b], w.x);
                        sum.y = cell_spectrum(sum.y, own[b], w.y);
                    }
                }
            }
            *place = sum;
        }
    }
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
                             int sample_count, const Real *weights, Real *sums, size_t sum_run_stride, int runs,
                             cudaStream_t stream, pw_error *error)
{
    dim3 blocks((unsigned)((spectra.cells + SPECTRA_THREADS - 1) / SPECTRA_THREADS), runs);
    accumulate_kernel<Real, SPECTRA_SAMPLES>
        <<<blocks, SPECTRA_THREADS, 0, stream>>>(samples, sample_run_stride, spectra.cells, sample_count, weights,
                                                 spectra.frequency_count, sums, sum_run_stride);
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
                                                Real *, size_t, int, cudaStream_t, pw_error *);                        \
    template pw_status energy_sum<Real>(const device_problem<Real> &, const Real *, double *, double *, cudaStream_t,  \
                                        pw_error *);
INSTANTIATE(float)
INSTANTIATE(double)
