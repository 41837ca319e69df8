/* The plain step: one kernel a step, everything from global memory, either precision. Thread (x, y) of a grid of blocks
 * of 64 x 4 owns node (x, y) of run blockIdx.z, whatever lies there:
 *
 *                  Ez[n]                         Ez[n+1]
 *          . . . . . o . . . . .         . . . . . . . . . . .
 *          . . . . . o . . . . .         . . . . . . . . . . .       o  read by the thread: as many neighbours on
 *          . . . o o o o o . . .   -->   . . . . . X . . . . .          every side as the stencil has Laplacian taps
 *          . . . . . o . . . . .         . . . . . . . . . . .       X  written by the thread
 *          . . . . . o . . . . .         . . . . . . . . . . .
 *
 * In the absorber region the filtered first differences are recomputed by every node that needs them; the node i owns
 * the filter state of the half node i+1/2. Afterwards one block a run adds the sources and records the probes. Leaves
 * out: shared memory, and registers that hold what neighbours need. The other solvers are checked against this one and
 * against the reference. */
#include "kernels/plain/plain.h"

#include "kernels/common/events.h"
#include "problem/image.h"

namespace
{

template <typename Real> struct axis {
    const Real *e; /* node 0 of the line */
    size_t stride;
    int n, node;
    bool symmetric;            /* the low wall is a PMC */
    int low_layer, low_region; /* of device_problem */
    const device_filter<Real> *half, *nodes;
    const Real *half_state; /* state of index 0; stride as given */
    size_t state_stride;
};

/* Node i, or image of a node (image.h). */
template <typename Real> __device__ Real mirrored(const axis<Real> &a, int i)
{
    if ((unsigned)i < (unsigned)a.n) {
        return a.e[(size_t)i * a.stride];
    }
    const struct image image = image_of(i, a.n, false, a.symmetric);
    Real value = a.e[(size_t)image.place * a.stride];
    return image.sign == 0 ? Real(0) : image.sign < 0 ? -value : value;
}

/* Whether L of node i is two differences along the axis. */
template <typename Real> __device__ bool in_region(const axis<Real> &a, int i, int region)
{
    return region > 0 && (i < a.low_region || i >= a.n - region);
}

/* There is no filter here. */
template <typename Real> __device__ bool passes_all(const device_filter<Real> &filter)
{
    return filter.gain == Real(1) && filter.pole == Real(1) && filter.feed == Real(0);
}

/* First difference at half node h (image of one, if need be) after its filter; *state gets the new filter state. */
template <int REACH, typename Real>
__device__ Real half_value(const device_problem<Real> &p, const axis<Real> &a, int h, Real *state)
{
    struct image image = {h, 1};
    if ((unsigned)h >= (unsigned)a.n) {
        image = image_of(h, a.n, true, a.symmetric);
    }
    const int m = image.place;
    Real sum = cell_difference(p.difference[0], mirrored(a, m), mirrored(a, m + 1));
#pragma unroll
    for (int l = 1; l < REACH; l++) {
        sum = cell_difference_add(sum, p.difference[l], mirrored(a, m - l), mirrored(a, m + 1 + l));
    }
    int index = layer_index(m, a.n, p.layer, a.low_layer);
    if (index >= 0) {
        const device_filter<Real> filter = a.half[m];
        *state = a.half_state[(size_t)index * a.state_stride];
        sum = passes_all(filter) ? sum : cell_filter(sum, filter, state);
    }
    return image.sign < 0 ? -sum : sum;
}

/* Second difference of one axis in its absorber region, before the node filter; *state: new state of the half node
 * owned by this node. */
template <int REACH, typename Real>
__device__ Real region_difference(const device_problem<Real> &p, const axis<Real> &a, Real *state)
{
    Real ignored = 0;
    Real high = half_value<REACH>(p, a, a.node, state), low = half_value<REACH>(p, a, a.node - 1, &ignored);
    Real sum = cell_difference(p.difference[0], low, high);
    for (int l = 1; l < REACH; l++) {
        low = half_value<REACH>(p, a, a.node - 1 - l, &ignored);
        high = half_value<REACH>(p, a, a.node + l, &ignored);
        sum = cell_difference_add(sum, p.difference[l], low, high);
    }
    return sum;
}

template <int TAPS, typename Real>
__device__ Real line_difference(const device_problem<Real> &p, const axis<Real> &a, Real e)
{
    Real sum = cell_line(p.centre, e, mirrored(a, a.node - 1), mirrored(a, a.node + 1));
#pragma unroll
    for (int m = 2; m <= TAPS; m++) {
        sum = cell_line_add(sum, p.laplacian[m - 1], mirrored(a, a.node - m), mirrored(a, a.node + m));
    }
    return sum;
}

/* One axis: in its absorber region with filters, whose new states are written to out_half and out_node; else the plain
 * line. */
template <int REACH, int TAPS, typename Real>
__device__ Real axis_lap(const device_problem<Real> &p, const axis<Real> &a, Real e, const Real *in_node,
                         Real *out_half, Real *out_node)
{
    if (!in_region(a, a.node, p.absorber_region)) {
        return line_difference<TAPS>(p, a, e);
    }
    Real state = 0;
    Real lap = region_difference<REACH>(p, a, &state);
    int index = layer_index(a.node, a.n, p.layer, a.low_layer);
    if (index >= 0) {
        out_half[(size_t)index * a.state_stride] = state;
        state = in_node[(size_t)index * a.state_stride];
        const device_filter<Real> filter = a.nodes[a.node];
        if (!passes_all(filter)) {
            lap = cell_filter(lap, filter, &state);
        }
        out_node[(size_t)index * a.state_stride] = state;
    }
    return lap;
}

/* The plain cross of a node from which every node of it is in the domain. */
template <int TAPS, typename Real> __device__ Real inner_cross(const device_problem<Real> &p, const Real *at, Real e)
{
    ptrdiff_t row = p.pitch;
    Real lap = cell_cross(p.centre2, e, at[-1], at[1], at[-row], at[row]);
#pragma unroll
    for (int m = 2; m <= TAPS; m++) {
        lap = cell_cross_add(lap, p.laplacian[m - 1], at[-m], at[m], at[-m * row], at[m * row]);
    }
    return lap;
}

template <int REACH, int TAPS, typename Real>
__global__ void plain_kernel(device_problem<Real> p, device_fields<Real> in, device_fields<Real> out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, run = blockIdx.z;
    if (i >= p.nx || j >= p.ny) {
        return;
    }
    const Real *field = in.e + run * p.cells;
    size_t here = (size_t)j * p.pitch + i, there = run * p.cells + here;
    Real e = field[here];
    size_t xs = run * p.x_states + (size_t)j * 2 * p.layer, ys = run * p.y_states + i;
    axis<Real> x = {field + (size_t)j * p.pitch,
                    1,
                    p.nx,
                    i,
                    p.symmetric[0],
                    p.low_layer[0],
                    p.low_region[0],
                    p.x_half,
                    p.x_node,
                    in.x_half + xs,
                    1};
    axis<Real> y = {field + i,      (size_t)p.pitch, p.ny,     j,        p.symmetric[1],
                    p.low_layer[1], p.low_region[1], p.y_half, p.y_node, in.y_half + ys,
                    (size_t)p.pitch};
    Real lap;
    if (in_region(x, i, p.absorber_region) || in_region(y, j, p.absorber_region)) {
        Real lap_x = axis_lap<REACH, TAPS>(p, x, e, in.x_node + xs, out.x_half + xs, out.x_node + xs);
        Real lap_y = axis_lap<REACH, TAPS>(p, y, e, in.y_node + ys, out.y_half + ys, out.y_node + ys);
        lap = lap_x + lap_y;
    } else if (i >= TAPS && i < p.nx - TAPS && j >= TAPS && j < p.ny - TAPS) {
        lap = inner_cross<TAPS>(p, field + here, e);
    } else {
        lap = cell_cross(p.centre2, e, mirrored(x, i - 1), mirrored(x, i + 1), mirrored(y, j - 1), mirrored(y, j + 1));
        for (int m = 2; m <= TAPS; m++) {
            lap = cell_cross_add(lap, p.laplacian[m - 1], mirrored(x, i - m), mirrored(x, i + m), mirrored(y, j - m),
                                 mirrored(y, j + m));
        }
    }
    auto coefficients = p.coefficients[p.coefficient_index[here]];
    Real v = cell_increment(in.v[there], lap, coefficients.x, coefficients.y);
    out.v[there] = v;
    out.e[there] = e + v;
}

/* After the step: sources, then probes. One block a run. */
template <typename Real>
__global__ void plain_events(device_problem<Real> p, device_fields<Real> out, device_events<Real> events, int64_t step)
{
    int run = blockIdx.x;
    Real *e = out.e + run * p.cells, *v = out.v + run * p.cells;
    const device_source source = events.sources[run];
    if (step < source.steps) {
        for (int k = threadIdx.x; k < source.count; k += blockDim.x) {
            grid_node node = node_at(source.node[k], p.nx);
            size_t at = (size_t)node.y * p.pitch + (size_t)node.x;
            cell_source((Real)source.weight[k], (Real)source.drive[step], source.hard, &v[at], &e[at]);
            for (int64_t r = 0; r < source.further; r++) {
                cell_source((Real)source.further_weight[r * source.count + k],
                            (Real)source.further_drive[r * source.steps + step], false, &v[at], &e[at]);
            }
        }
    }
    __syncthreads();
    Real *row = record_row(events, run, step);
    for (int k = threadIdx.x; k < events.probe_count; k += blockDim.x) {
        row[events.probe_slot[k]] = e[(size_t)events.probe_y[k] * p.pitch + events.probe_x[k]];
    }
}

template <int REACH, int TAPS, typename Real>
pw_status launch_plain(const device_problem<Real> &p, const pass<Real> &pass, pw_error *error)
{
    dim3 threads(64, 4);
    dim3 blocks((p.nx + 63) / 64, (p.ny + 3) / 4, pass.runs);
    plain_kernel<REACH, TAPS, Real><<<blocks, threads, 0, pass.stream>>>(p, pass.in, pass.out);
    CUDA_LAUNCHED("plain_kernel");
    return PW_OK;
}

/* A kernel for every scheme, with the Laplacian taps that it has in single precision and in double. */
template <typename Real>
pw_status launch_scheme(const device_problem<Real> &problem, const pass<Real> &pass, pw_error *error)
{
    switch (100 * problem.reach + problem.laplacian_taps) {
#define CASE(reach, taps)                                                                                              \
    case 100 * reach + taps:                                                                                           \
        return launch_plain<reach, taps>(problem, pass, error);
        CASE(1, 1)
        CASE(2, 3)
        CASE(3, 5)
        CASE(4, 7)
        CASE(5, 7)
        CASE(5, 9)
        CASE(7, 9)
        CASE(7, 12)
#undef CASE
    default:
        return fail(error, PW_USAGE, "no plain kernel for a reach of %d with %d Laplacian taps", problem.reach,
                    problem.laplacian_taps);
    }
}

} // namespace

template <typename Real>
pw_status plain_step(const device_problem<Real> &problem, const metal_nodes<Real> &metal, const pass<Real> &pass,
                     pw_error *error)
{
    TRY(launch_scheme(problem, pass, error));
    TRY(metal_nodes_step(problem, metal, pass, error));
    plain_events<Real><<<pass.runs, 128, 0, pass.stream>>>(problem, pass.out, pass.events, pass.step);
    CUDA_LAUNCHED("plain_events");
    return PW_OK;
}

template pw_status plain_step<float>(const device_problem<float> &, const metal_nodes<float> &, const pass<float> &,
                                     pw_error *);
template pw_status plain_step<double>(const device_problem<double> &, const metal_nodes<double> &, const pass<double> &,
                                      pw_error *);
