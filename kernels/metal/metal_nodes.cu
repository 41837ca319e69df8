/* Nodes beside metal after a step of all nodes (metal_nodes.h). A thread owns a node of run blockIdx.y: it has the
 * increment that the step left, adds its row over Ez before the step, and makes the new Ez once more. */
#include "kernels/metal/metal_nodes.h"

#include "kernels/common/cuda_check.h"

namespace
{

constexpr int METAL_THREADS = 128;

template <typename Real>
__global__ void __launch_bounds__(METAL_THREADS)
    metal_kernel(device_problem<Real> p, metal_nodes<Real> metal, device_fields<Real> in, device_fields<Real> out)
{
    const int own = blockIdx.x * METAL_THREADS + threadIdx.x;
    if (own >= metal.count) {
        return;
    }
    const metal_node node = metal.nodes[own];
    const size_t at = blockIdx.y * p.cells + (size_t)node.y * p.pitch + node.x;
    Real v = out.v[at];
    for (int t = node.first; t < node.first + node.count; t++) {
        const metal_apart<Real> term = metal.terms[t];
        v = cell_term(v, term.weight, in.e[at + (ptrdiff_t)term.dy * p.pitch + term.dx]);
    }
    out.v[at] = v;
    out.e[at] = in.e[at] + v;
}

} // namespace

std::vector<metal_node> metal_nodes_list(const struct problem *problem)
{
    const int64_t nx = problem->axis[0].count;
    const bool tm2d = problem->formulation == FORMULATION_TM2D;
    std::vector<metal_node> nodes;
    for (int64_t r = 0; tm2d && r < problem->metal_row_count; r++) {
        const struct metal_row *row = &problem->metal_rows[r];
        nodes.push_back({(int)(row->place % nx), (int)(row->place / nx), (int)row->first, row->count});
    }
    return nodes;
}

uint64_t metal_nodes_device_bytes(const struct problem *problem)
{
    return problem->formulation == FORMULATION_TM2D
               ? sizeof(metal_node) * (uint64_t)problem->metal_row_count +
                     sizeof(metal_apart<double>) * (uint64_t)problem->metal_term_count
               : 0;
}

template <typename Real>
pw_status metal_nodes_create(const struct problem *problem, device_memory *memory, metal_nodes<Real> *metal,
                             pw_error *error)
{
    const std::vector<metal_node> nodes = metal_nodes_list(problem);
    const int64_t nx = problem->axis[0].count;
    metal->count = (int)nodes.size();
    if (nodes.empty()) {
        return PW_OK;
    }
    std::vector<metal_apart<Real>> terms(problem->metal_term_count);
    for (const metal_node &node : nodes) {
        for (int t = node.first; t < node.first + node.count; t++) {
            const struct metal_term *term = &problem->metal_terms[t];
            terms[t] = {(int16_t)(term->place % nx - node.x), (int16_t)(term->place / nx - node.y), (Real)term->weight};
        }
    }
    TRY(device_copy(memory, &metal->nodes, nodes.data(), nodes.size(), "nodes beside metal", error));
    return device_copy(memory, &metal->terms, (const metal_apart<Real> *)terms.data(), terms.size(),
                       "nodes beside metal", error);
}

template <typename Real>
pw_status metal_nodes_step(const device_problem<Real> &problem, const metal_nodes<Real> &metal, const pass<Real> &pass,
                           pw_error *error)
{
    if (metal.count == 0) {
        return PW_OK;
    }
    const dim3 blocks((metal.count + METAL_THREADS - 1) / METAL_THREADS, pass.runs);
    metal_kernel<Real><<<blocks, METAL_THREADS, 0, pass.stream>>>(problem, metal, pass.in, pass.out);
    CUDA_LAUNCHED("metal_kernel");
    return PW_OK;
}

template pw_status metal_nodes_create<float>(const struct problem *, device_memory *, metal_nodes<float> *, pw_error *);
template pw_status metal_nodes_create<double>(const struct problem *, device_memory *, metal_nodes<double> *,
                                              pw_error *);
template pw_status metal_nodes_step<float>(const device_problem<float> &, const metal_nodes<float> &,
                                           const pass<float> &, pw_error *);
template pw_status metal_nodes_step<double>(const device_problem<double> &, const metal_nodes<double> &,
                                            const pass<double> &, pw_error *);
