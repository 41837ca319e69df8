/* Which bricks of columns are at rest (volume_rest.h). A block looks at some levels of a brick, all threads at quads of
 * its rows one after the other; where everything is known already, or nothing can have come, it leaves at once. */
#include "kernels/volume/quad.h"
#include "kernels/volume/rest/volume_rest.h"

namespace
{

enum { LOOK_THREADS = 256, LOOK_LEVELS = 8 };

/* Whether some of four places are not zero. Of units that are zero all bits are. */
template <typename Real> __device__ __forceinline__ bool is_moving(const Real *at)
{
    const quad<Real> values = load_quad(at);
    return values.x[0] != 0 || values.x[1] != 0 || values.x[2] != 0 || values.x[3] != 0;
}
__device__ __forceinline__ bool is_moving(const uint16_t *at)
{
    const uint2 words = *(const uint2 *)at;
    return (words.x | words.y) != 0;
}

template <typename Real, typename Kept>
__global__ void __launch_bounds__(LOOK_THREADS)
    look_kernel(const __grid_constant__ device_volume<Real> v, const __grid_constant__ volume_fields<Real, Kept> f,
                const rest_bricks bricks, bool all)
{
    const int brick = blockIdx.y * bricks.nx + blockIdx.x;
    const bool known = bricks.active[brick] || (!all && !bricks.stepped[brick]);
    if (__syncthreads_or(known)) { /* blocks of other levels may be writing it: all threads agree on what they saw */
        return;
    }
    const int across = REST_BRICK / 4, i = blockIdx.x * REST_BRICK + threadIdx.x % across * 4,
              first = blockIdx.y * REST_BRICK + threadIdx.x / across, end = min((blockIdx.y + 1) * REST_BRICK, v.n[1]),
              top = min((blockIdx.z + 1) * LOOK_LEVELS, v.n[2]);
    bool some = false;
    for (int k = blockIdx.z * LOOK_LEVELS; k < top && i < v.n[0]; k++) {
        for (int j = first; j < end; j += LOOK_THREADS / across) {
            for (int c = 0; c < 6; c++) {
                some = some || is_moving(f.field[c] + (size_t)k * v.plane + (size_t)j * v.pitch + i);
            }
        }
    }
    if (__syncthreads_or(some) && threadIdx.x == 0) {
        bricks.active[brick] = 1;
    }
}

/* A thread a brick. */
__global__ void spread_kernel(const rest_bricks bricks)
{
    const int brick = blockIdx.x * blockDim.x + threadIdx.x, x = brick % bricks.nx, y = brick / bricks.nx;
    if (y >= bricks.ny) {
        return;
    }
    uint8_t some = 0;
    for (int j = max(y - 1, 0); j <= min(y + 1, bricks.ny - 1); j++) {
        for (int i = max(x - 1, 0); i <= min(x + 1, bricks.nx - 1); i++) {
            some |= bricks.active[j * bricks.nx + i];
        }
    }
    bricks.stepped[brick] = some;
}

} // namespace

pw_status rest_spread(const rest_bricks &bricks, cudaStream_t stream, pw_error *error)
{
    spread_kernel<<<(bricks.nx * bricks.ny + LOOK_THREADS - 1) / LOOK_THREADS, LOOK_THREADS, 0, stream>>>(bricks);
    CUDA_LAUNCHED("spread_kernel");
    return PW_OK;
}

template <typename Real, typename Kept>
static pw_status look(const device_volume<Real> &volume, const volume_fields<Real, Kept> &fields,
                      const rest_bricks &bricks, bool all, cudaStream_t stream, pw_error *error)
{
    const dim3 blocks(bricks.nx, bricks.ny, (volume.n[2] + LOOK_LEVELS - 1) / LOOK_LEVELS);
    look_kernel<Real, Kept><<<blocks, LOOK_THREADS, 0, stream>>>(volume, fields, bricks, all);
    CUDA_LAUNCHED("look_kernel");
    return rest_spread(bricks, stream, error);
}

template <typename Real>
pw_status rest_look(const device_volume<Real> &volume, const volume_fields<Real> &fields, const rest_bricks &bricks,
                    bool all, cudaStream_t stream, pw_error *error)
{
    return look(volume, fields, bricks, all, stream, error);
}

pw_status rest_look(const device_volume<float> &volume, const half_fields &fields, const rest_bricks &bricks, bool all,
                    cudaStream_t stream, pw_error *error)
{
    return look(volume, fields, bricks, all, stream, error);
}

#define INSTANTIATE(Real)                                                                                              \
    template pw_status rest_look<Real>(const device_volume<Real> &, const volume_fields<Real> &, const rest_bricks &,  \
                                       bool, cudaStream_t, pw_error *);
INSTANTIATE(float)
INSTANTIATE(double)
