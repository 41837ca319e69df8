/* See volume_half.h. */
#include "kernels/volume/half/volume_half.h"

#include <vector>

namespace
{

enum { SUM_THREADS = 256 };

/* Rows go round the blocks; a block's threads add up in a fixed order. */
__global__ void energy_kernel(const uint16_t *first, energy_extent extent, double *partial)
{
    __shared__ double sums[SUM_THREADS];
    double sum = 0;
    for (int row = blockIdx.x; row < extent.ny * extent.levels; row += gridDim.x) {
        const uint16_t *line = first + row / extent.ny * extent.plane + (size_t)(row % extent.ny) * extent.pitch;
        for (int i = threadIdx.x; i < extent.nx; i += blockDim.x) {
            const double value = (double)half_at(line + i);
            sum += value * value;
        }
    }
    sums[threadIdx.x] = sum;
    for (int half = SUM_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sums[0];
    }
}

__global__ void sample_kernel(const half_fields f, const device_place *places, size_t count, float *out)
{
    for (size_t p = blockIdx.x * (size_t)blockDim.x + threadIdx.x; p < count; p += (size_t)gridDim.x * blockDim.x) {
        out[p] = half_at(f.field[places[p].component] + places[p].offset);
    }
}

} // namespace

pw_status energy_sum(const energy_extent &extent, const uint16_t *first, double *partial, double *energy,
                     cudaStream_t stream, pw_error *error)
{
    double host[ENERGY_BLOCKS];
    energy_kernel<<<ENERGY_BLOCKS, SUM_THREADS, 0, stream>>>(first, extent, partial);
    CUDA_LAUNCHED("energy_kernel");
    CUDA_TRY(cudaMemcpyAsync(host, partial, sizeof host, cudaMemcpyDeviceToHost, stream));
    CUDA_TRY(cudaStreamSynchronize(stream));
    *energy = 0;
    for (double part : host) {
        *energy += part;
    }
    return PW_OK;
}

pw_status volume_sample(const half_fields &fields, const device_place *places, size_t count, float *out,
                        cudaStream_t stream, pw_error *error)
{
    const unsigned blocks = (unsigned)((count + 255) / 256 < 1024 ? (count + 255) / 256 : 1024);
    sample_kernel<<<blocks, 256, 0, stream>>>(fields, places, count, out);
    CUDA_LAUNCHED("sample_kernel");
    return PW_OK;
}

pw_status read_values(const uint16_t *from, size_t pitch, double *to, size_t width, size_t height, pw_error *error)
{
    std::vector<half_unit> level(pitch / HALF_UNIT * height);
    CUDA_TRY(cudaMemcpy(level.data(), from, level.size() * sizeof(half_unit), cudaMemcpyDefault));
    for (size_t row = 0; row < height; row++) {
        for (size_t i = 0; i < width; i++) {
            const half_unit *unit = &level[row * (pitch / HALF_UNIT) + i / HALF_UNIT];
            to[row * width + i] = (double)half_decode(unit, (int)(i % HALF_UNIT));
        }
    }
    return PW_OK;
}

pw_status write_values(uint16_t *to, size_t pitch, const double *from, size_t width, size_t height, pw_error *error)
{
    std::vector<half_unit> level(pitch / HALF_UNIT * height);
    for (size_t row = 0; row < height; row++) {
        for (size_t first = 0; first < width; first += HALF_UNIT) {
            float value[HALF_UNIT] = {};
            for (size_t i = first; i < std::min(width, first + HALF_UNIT); i++) {
                value[i - first] = (float)from[row * width + i];
            }
            level[row * (pitch / HALF_UNIT) + first / HALF_UNIT] = half_encode(value);
        }
    }
    CUDA_TRY(cudaMemcpy(to, level.data(), level.size() * sizeof(half_unit), cudaMemcpyDefault));
    return PW_OK;
}
