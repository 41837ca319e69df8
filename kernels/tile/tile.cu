/* Boxes in shared memory. A block takes a box with a halo of as many nodes as the steps of the pass reach, advances it
 * and writes the box back; every thread takes quads of columns, or columns of nodes in an absorber region, wherever in
 * the tile they come (tile_step.h). Block (b, r) has box b of run r. Each step computes one halo ring of 2 reach - 1
 * nodes less than the step before, and nodes outside of it hold garbage that is never read:
 *
 *      step
 *        4              |=== box ===|                    written back
 *        3           |=================|
 *        2        |=======================|              in shared memory, old and new Ez, with a barrier between steps
 *        1     |=============================|
 *        0  |===================================|        box and halo, read
 *           -------------------------------------> x
 *
 * Neighbouring boxes recompute each other's halos, so that blocks need not wait for each other. Boxes do grids that
 * suit neither the chip nor a march, and what a march leaves out where boxes in registers do not suit
 * (march_border.cu). Leaves out: the step itself (tile_step.h), sources and probes (tile_events.h), and dispersive
 * nodes (tile_poles.h). */
#include <algorithm>

#include "kernels/common/dependent_launch.h"
#include "kernels/tile/tile_boxes.h"
#include "kernels/tile/tile_events.h"
#include "kernels/tile/tile_metal.h"
#include "kernels/tile/tile_poles.h"
#include "kernels/tile/tile_step.h"

namespace
{

/* One block a multiprocessor for the widest stencils, whose halo fills the shared memory: then of more threads with
 * fewer rows each. */
constexpr int tile_threads(int reach)
{
    return reach >= 5 ? 2 * TILE_THREADS : TILE_THREADS;
}

/* The work of a block; after(tile, box, step of the pass, nodes that it computes).metal() steps the nodes beside metal,
 * and answer() dispersive ones. */
template <int REACH, int TAPS, typename After>
__device__ __forceinline__ void run_tile(const device_problem<float> &p, const device_fields<float> &in,
                                         const device_fields<float> &out, const device_events<float> &events,
                                         const box *boxes, int64_t step, int steps, const After &after)
{
    extern __shared__ float4 shared_memory[];
    float *memory = (float *)shared_memory;
    constexpr int D = 2 * REACH - 1, BAND = REACH == 1 || REACH >= 5 ? 2 : 4;
    device_trigger_dependent_launch();
    box b = boxes[blockIdx.x];
    int run = blockIdx.y;
    const tile_grid grid = {p.nx, p.ny, p.layer, REACH, {p.low_layer[0], p.low_layer[1]}};
    tile t = make_tile(make_layout(grid, b, steps * D), memory);
    clear_tile(t, memory);
    load_tile(t, p, run_fields(p, in, run));
    __syncthreads();
    own_events own = find_events(t, p, events, b, run, step);
    for (int k = 0; k < steps; k++) {
        rectangle c = valid(t.s, b, (steps - 1 - k) * D);
        advance_tile<REACH, TAPS, BAND>(t, p, c);
        after.metal(t, c);
        tile_sources(t, p, events, b, run, step + k, c, own);
        after.answer(t, b, k, c);
        tile_probes(t, events, b, run, step + k, own);
    }
    __syncthreads();
    store_tile(t, p, run_fields(p, out, run), b);
}

/* Neither metal nor dispersive nodes. */
struct after_nothing {
    __device__ __forceinline__ void metal(const tile &, const rectangle &) const
    {
    }
    __device__ __forceinline__ void answer(const tile &, const box &, int, const rectangle &) const
    {
    }
};

struct after_metal {
    const device_problem<float> &p;
    const tile_metal &nodes;

    __device__ __forceinline__ void metal(const tile &t, const rectangle &c) const
    {
        tile_metal_step(t, p, nodes, (int)blockIdx.x, c);
    }
    __device__ __forceinline__ void answer(const tile &, const box &, int, const rectangle &) const
    {
    }
};

struct after_poles {
    const device_problem<float> &p;
    const tile_poles &poles;
    const device_pole_quads &quads;
    const float *v;
    int steps;

    __device__ __forceinline__ void metal(const tile &, const rectangle &) const
    {
    }
    __device__ __forceinline__ void answer(const tile &t, const box &own, int k, const rectangle &c) const
    {
        const tile_moment moment = {own, (int)blockIdx.x, (int)blockIdx.y, k, steps};
        tile_answer_poles(t, p, poles, quads, v, moment, c);
    }
};

template <int REACH, int TAPS>
__global__ void __launch_bounds__(tile_threads(REACH))
    tile_kernel(device_problem<float> p, device_fields<float> in, device_fields<float> out, device_events<float> events,
                const box *boxes, int64_t step, int steps)
{
    run_tile<REACH, TAPS>(p, in, out, events, boxes, step, steps, after_nothing{});
}

template <int REACH, int TAPS>
__global__ void __launch_bounds__(tile_threads(REACH))
    tile_metal_kernel(device_problem<float> p, device_fields<float> in, device_fields<float> out,
                      device_events<float> events, tile_boxes boxes, int64_t step, int steps)
{
    run_tile<REACH, TAPS>(p, in, out, events, boxes.boxes, step, steps, after_metal{p, boxes.metal});
    device_wait_for_previous(); /* whoever waits for this kernel waits for that one, too */
}

template <int REACH, int TAPS>
__global__ void __launch_bounds__(tile_threads(REACH))
    tile_poles_kernel(device_problem<float> p, device_fields<float> in, device_fields<float> out,
                      device_events<float> events, tile_boxes boxes, device_pole_quads quads, int64_t step, int steps)
{
    const float *v = run_fields(p, in, (int)blockIdx.y).v;
    run_tile<REACH, TAPS>(p, in, out, events, boxes.boxes, step, steps, after_poles{p, boxes.poles, quads, v, steps});
}

template <int REACH, int TAPS>
pw_status launch_tiles(const device_problem<float> &p, const pass<float> &pass, const tile_boxes &boxes,
                       pw_error *error)
{
    dim3 blocks(boxes.count, pass.runs);
    if (boxes.poles.first != NULL) {
        TRY((allow_shared_memory<tile_poles_kernel<REACH, TAPS>>(error)));
        tile_poles_kernel<REACH, TAPS><<<blocks, tile_threads(REACH), boxes.shared_bytes, pass.stream>>>(
            p, pass.in, pass.out, pass.events, boxes, pass.poles, pass.step, pass.steps);
        CUDA_LAUNCHED("tile_poles_kernel");
        return PW_OK;
    }
    if (boxes.metal.first != NULL && boxes.beside) {
        return launch_dependent<tile_metal_kernel<REACH, TAPS>>(
            "tile_metal_kernel", {blocks, tile_threads(REACH), boxes.shared_bytes}, pass.stream, error, p, pass.in,
            pass.out, pass.events, boxes, pass.step, pass.steps);
    }
    if (boxes.metal.first != NULL) {
        TRY((allow_shared_memory<tile_metal_kernel<REACH, TAPS>>(error)));
        tile_metal_kernel<REACH, TAPS><<<blocks, tile_threads(REACH), boxes.shared_bytes, pass.stream>>>(
            p, pass.in, pass.out, pass.events, boxes, pass.step, pass.steps);
        CUDA_LAUNCHED("tile_metal_kernel");
        return PW_OK;
    }
    TRY((allow_shared_memory<tile_kernel<REACH, TAPS>>(error)));
    tile_kernel<REACH, TAPS><<<blocks, tile_threads(REACH), boxes.shared_bytes, pass.stream>>>(
        p, pass.in, pass.out, pass.events, boxes.boxes, pass.step, pass.steps);
    CUDA_LAUNCHED("tile_kernel");
    return PW_OK;
}

} // namespace

size_t tile_bytes(const struct problem *p, const box &b, int depth)
{
    const int layer = problem_layer(p);
    const tile_grid grid = {p->axis[0].count,
                            p->axis[1].count,
                            layer,
                            p->reach,
                            {p->axis[0].low.symmetric ? 0 : layer, p->axis[1].low.symmetric ? 0 : layer}};
    return make_layout(grid, b, depth * tile_reach(p)).bytes();
}

pw_status tile_boxes_create(const struct problem *problem, const box_set &set, int depth, device_memory *memory,
                            tile_boxes *boxes, pw_error *error)
{
    boxes->count = (int)set.boxes.size();
    boxes->shared_bytes = 0;
    boxes->beside = false;
    boxes->poles = {};
    boxes->metal = {};
    for (const box &b : set.boxes) {
        boxes->shared_bytes = std::max(boxes->shared_bytes, tile_bytes(problem, b, depth));
    }
    return device_copy(memory, &boxes->boxes, set.boxes.data(), set.boxes.size(), "boxes", error);
}

pw_status tile_boxes_take_metal(const struct problem *problem, const box_set &set, int depth,
                                const metal_nodes<float> &metal, device_memory *memory, tile_boxes *boxes,
                                pw_error *error)
{
    const std::vector<metal_node> all = metal_nodes_list(problem);
    std::vector<metal_node> nodes;
    std::vector<int> first(1, 0);
    const int halo = depth * tile_reach(problem);
    for (const box &b : set.boxes) {
        const metal_node begin = {b.x0 - halo, b.y0 - halo, 0, 0};
        auto node = std::lower_bound(all.begin(), all.end(), begin,
                                     [](const metal_node &a, const metal_node &c) { return a.y < c.y; });
        for (; node != all.end() && node->y < b.y1 + halo; node++) {
            if (node->x >= b.x0 - halo && node->x < b.x1 + halo) {
                nodes.push_back(*node);
            }
        }
        first.push_back((int)nodes.size());
    }
    nodes.push_back({}); /* never empty */
    boxes->metal.terms = metal.terms;
    TRY(device_copy(memory, &boxes->metal.nodes, nodes.data(), nodes.size(), "nodes beside metal", error));
    return device_copy(memory, &boxes->metal.first, (const int *)first.data(), first.size(), "nodes beside metal",
                       error);
}

/* The schemes: yee, fd4, dd2 and fd6, fd8, dd3, dd4, with the taps that single precision uses (problem_set_stencil). */
pw_status tile_pass(const device_problem<float> &problem, const pass<float> &pass, const tile_boxes &boxes,
                    pw_error *error)
{
    switch (10 * problem.reach + problem.laplacian_taps) {
    case 11:
        return launch_tiles<1, 1>(problem, pass, boxes, error);
    case 23:
        return launch_tiles<2, 3>(problem, pass, boxes, error);
    case 35:
        return launch_tiles<3, 5>(problem, pass, boxes, error);
    case 47:
        return launch_tiles<4, 7>(problem, pass, boxes, error);
    case 57:
        return launch_tiles<5, 7>(problem, pass, boxes, error);
    case 79:
        return launch_tiles<7, 9>(problem, pass, boxes, error);
    default:
        return fail(error, PW_USAGE, "no tile kernel for a reach of %d with %d Laplacian taps", problem.reach,
                    problem.laplacian_taps);
    }
}
