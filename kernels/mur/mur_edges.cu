/* Edges that obey Mur's condition (mur_edges.h). Thread t of mur_near_kernel owns node t of the four strips along the
 * edges, as deep as the stencil reaches over them; thread t of mur_outermost_kernel owns node t along the four ends.
 * Both in run blockIdx.y, and the second begins when the first is over:
 *
 *     O O O O O O O O O O        O  reads Ez[n] of itself, of the next node inward and of the nodes beside both, and
 *     O N N N N N N N N O           v[n+1] of the next node inward; in a corner, of the next on the diagonal
 *     O N N N N N N N N O        N  reads Ez[n] as the step does, but for taps that would reach over the edge
 *     O N N . . . . N N O        .  the step's own
 *
 * Each writes v and Ez of its node alone, over what the step left there. */
#include "kernels/mur/mur_edges.h"

#include "problem/image.h"

/* The nodes, once per precision. */
#define CELL(name) name
namespace mur_single
{
#define REAL float
#define FMA  fmaf
#include "backend/mur_nodes.h"
#undef REAL
#undef FMA
} // namespace mur_single
namespace mur_double
{
#define REAL double
#define FMA  fma
#include "backend/mur_nodes.h"
#undef REAL
#undef FMA
} // namespace mur_double

namespace
{

enum { MUR_THREADS = 128 };

template <typename Real> struct step_of;
template <> struct step_of<float> {
    typedef mur_single::mur_step type;
};
template <> struct step_of<double> {
    typedef mur_double::mur_step type;
};

template <typename Real>
__device__ typename step_of<Real>::type step_of_run(const device_problem<Real> &p, const mur_edges<Real> &edges,
                                                    const device_fields<Real> &in, const device_fields<Real> &out,
                                                    int run)
{
    const ptrdiff_t pitch = p.pitch;
    const size_t first = run * p.cells;
    return {edges.plan,
            edges.rates,
            p.coefficient_index,
            in.e + first,
            in.v + first,
            out.v + first,
            pitch,
            pitch,
            pitch,
            edges.memory + run * edges.run_memory};
}

template <typename Real>
__global__ void __launch_bounds__(MUR_THREADS)
    mur_near_kernel(device_problem<Real> p, mur_edges<Real> edges, device_fields<Real> in, device_fields<Real> out)
{
    int own = blockIdx.x * MUR_THREADS + threadIdx.x;
    for (int part = 0; part < MUR_AREAS; part++) {
        const struct mur_area area = mur_area(edges.plan, part);
        const int columns = area.end[0] - area.first[0], nodes = columns * (area.end[1] - area.first[1]);
        if (own >= 0 && own < nodes) {
            const auto step = step_of_run(p, edges, in, out, blockIdx.y);
            const int i = area.first[0] + own % columns, j = area.first[1] + own / columns;
            const size_t n = blockIdx.y * p.cells + (size_t)j * p.pitch + i;
            mur_near(&step, i, j);
            out.e[n] = in.e[n] + out.v[n]; /* on an edge, until the other kernel comes */
        }
        own -= nodes;
    }
}

template <typename Real>
__global__ void __launch_bounds__(MUR_THREADS)
    mur_outermost_kernel(device_problem<Real> p, mur_edges<Real> edges, device_fields<Real> in, device_fields<Real> out)
{
    int at = blockIdx.x * MUR_THREADS + threadIdx.x;
    for (int end = 0; end < 4; end++) {
        const int axis = end / 2, along = edges.plan->count[1 - axis];
        if (edges.plan->order[axis][end % 2] == 0) {
            continue;
        }
        if (at >= 0 && at < along) {
            const auto step = step_of_run(p, edges, in, out, blockIdx.y);
            const int edge = end % 2 == 0 ? 0 : edges.plan->count[axis] - 1;
            const int i = axis == 0 ? edge : at, j = axis == 0 ? at : edge;
            const size_t n = blockIdx.y * p.cells + (size_t)j * p.pitch + i;
            if (mur_outermost(&step, axis, end % 2, at)) {
                out.e[n] = in.e[n] + out.v[n];
            }
        }
        at -= along;
    }
}

} // namespace

uint64_t mur_edges_device_bytes(const struct problem *problem, int runs)
{
    const uint64_t real = problem->precision == PW_SINGLE ? 4 : 8;
    return problem_has_mur(problem)
               ? (uint64_t)runs * real * (uint64_t)mur_memory(problem) +
                     sizeof(struct mur_rate) * (uint64_t)problem->coefficient_count + sizeof(struct mur_plan)
               : 0;
}

template <typename Real>
pw_status mur_edges_create(const struct problem *problem, int runs, device_memory *memory, mur_edges<Real> *edges,
                           pw_error *error)
{
    if (!problem_has_mur(problem)) {
        return PW_OK;
    }
    const struct mur_plan plan = mur_plan(problem);
    std::vector<struct mur_rate> rates(problem->coefficient_count);
    mur_rates(problem, rates.data());
    for (int part = 0; part < MUR_AREAS; part++) {
        const struct mur_area area = mur_area(&plan, part);
        edges->near += (area.end[0] - area.first[0]) * (area.end[1] - area.first[1]);
    }
    for (int end = 0; end < 4; end++) {
        edges->outermost += plan.order[end / 2][end % 2] > 0 ? plan.count[1 - end / 2] : 0;
    }
    edges->run_memory = (size_t)plan.memory;
    TRY(device_copy(memory, &edges->plan, &plan, 1, "the edges", error));
    TRY(device_copy(memory, &edges->rates, (const struct mur_rate *)rates.data(), rates.size(), "the edges", error));
    return device_array(memory, &edges->memory, (size_t)runs * edges->run_memory, "the edges", error);
}

template <typename Real>
pw_status mur_edges_step(const device_problem<Real> &problem, const mur_edges<Real> &edges, const pass<Real> &pass,
                         pw_error *error)
{
    if (edges.plan == NULL) {
        return PW_OK;
    }
    const dim3 near((unsigned)(edges.near + MUR_THREADS - 1) / MUR_THREADS, pass.runs),
        outermost((unsigned)(edges.outermost + MUR_THREADS - 1) / MUR_THREADS, pass.runs);
    mur_near_kernel<Real><<<near, MUR_THREADS, 0, pass.stream>>>(problem, edges, pass.in, pass.out);
    CUDA_LAUNCHED("mur_near_kernel");
    mur_outermost_kernel<Real><<<outermost, MUR_THREADS, 0, pass.stream>>>(problem, edges, pass.in, pass.out);
    CUDA_LAUNCHED("mur_outermost_kernel");
    return PW_OK;
}

#define INSTANTIATE(Real)                                                                                              \
    template pw_status mur_edges_create<Real>(const struct problem *, int, device_memory *, mur_edges<Real> *,         \
                                              pw_error *);                                                             \
    template pw_status mur_edges_step<Real>(const device_problem<Real> &, const mur_edges<Real> &, const pass<Real> &, \
                                            pw_error *);
INSTANTIATE(float)
INSTANTIATE(double)
