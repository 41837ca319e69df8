/* Boxes in shared memory: each is loaded with a halo of as many nodes as the steps of the pass reach, advanced, and
 * written back. They do grids that suit neither the chip nor a march, and what the register marches leave out where
 * blocks with their nodes in registers do not suit (boxes_around_march): absorber, walls, and patches around sources
 * and probes. Leaves out: the step itself (tile_step.h). */
#include "kernels/tile/tile_step.h"

namespace
{

/* One block a multiprocessor for the widest stencils, whose halo fills the shared memory: then of more threads with
 * fewer rows each. */
constexpr int tile_threads(int reach)
{
    return reach >= 5 ? 2 * TILE_THREADS : TILE_THREADS;
}

template <int REACH, int RINGS>
__global__ void __launch_bounds__(tile_threads(REACH))
    tile_kernel(device_problem<float> p, device_fields<float> in, device_fields<float> out, device_events<float> events,
                const box *boxes, int64_t step, int steps)
{
    extern __shared__ float4 shared_memory[];
    float *memory = (float *)shared_memory;
    constexpr int D = 2 * REACH - 1, BAND = REACH == 1 || REACH >= 5 ? 2 : 4;
    device_trigger_dependent_launch();
    box b = boxes[blockIdx.x];
    int run = blockIdx.y;
    tile t = make_tile(make_layout(p.nx, p.ny, p.layer, REACH, b, steps * D), memory);
    clear_tile(t, memory);
    load_tile(t, p, run_fields(p, in, run));
    __syncthreads();
    own_events own = find_events(t, p, events, b, run, step);
    for (int k = 0; k < steps; k++) {
        rectangle c = valid(t.s, b, (steps - 1 - k) * D);
        advance_tile<REACH, RINGS, BAND>(t, p, c);
        tile_events(t, p, events, b, run, step + k, c, own);
    }
    __syncthreads();
    store_tile(t, p, run_fields(p, out, run), b);
}

template <int REACH, int RINGS>
pw_status launch_tiles(const device_problem<float> &p, const device_fields<float> &in, const device_fields<float> &out,
                       const device_events<float> &events, const box *boxes, int box_count, size_t shared_bytes,
                       int64_t step, int steps, int runs, cudaStream_t stream, pw_error *error)
{
    TRY((allow_shared_memory<tile_kernel<REACH, RINGS>>(error)));
    tile_kernel<REACH, RINGS>
        <<<dim3(box_count, runs), tile_threads(REACH), shared_bytes, stream>>>(p, in, out, events, boxes, step, steps);
    CUDA_LAUNCHED("tile_kernel");
    return PW_OK;
}

} // namespace

size_t tile_bytes(const device_problem<float> &problem, const box &b, int halo)
{
    return make_layout(problem.nx, problem.ny, problem.layer, problem.reach, b, halo).bytes();
}

pw_status tile_pass(const device_problem<float> &problem, const device_fields<float> &in,
                    const device_fields<float> &out, const device_events<float> &events, const box *boxes,
                    int box_count, size_t shared_bytes, int64_t step, int steps, int runs, cudaStream_t stream,
                    pw_error *error)
{
#define LAUNCH(reach, rings)                                                                                           \
    launch_tiles<reach, rings>(problem, in, out, events, boxes, box_count, shared_bytes, step, steps, runs, stream,    \
                               error)
    BY_SCHEME(problem, LAUNCH)
#undef LAUNCH
}
