/* Dispersive nodes on the device: their chunks, their kernel, and their states in and out (pole_nodes.h). Thread t of
 * the kernel owns node t of the chunks, in run blockIdx.y: it reads what the node remembers, puts the answer in the
 * place of the value that the step has left in the field, and writes what the node will remember. No two threads touch
 * the same node, and none reads a neighbour. */
#include "kernels/poles/pole_nodes.h"

#include <map>
#include <tuple>

#include "kernels/common/events.h"

namespace
{

enum { POLE_THREADS = 128 };

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

/* Nodes of a chunk are alike in these: component, Debye poles, other poles. */
typedef std::tuple<int, int, int> kind;

struct located_node {
    size_t place;
    uint32_t medium, number; /* number: in the order of the spans */
};

std::map<kind, std::vector<located_node>> nodes_by_kind(const struct problem *problem, const pole_layout &layout)
{
    std::map<kind, std::vector<located_node>> kinds;
    const int64_t nodes = problem_nodes(problem), nx = problem->axis[0].count, ny = problem->axis[1].count;
    uint32_t number = 0;
    for (int64_t s = 0; s < problem->pole_span_count; s++) {
        const struct pole_span *span = &problem->pole_spans[s];
        const struct pole_medium *medium = &problem->pole_media[span->medium];
        const int64_t node = span->place % nodes;
        const size_t place =
            (size_t)(node / nx / ny) * layout.plane + (size_t)(node / nx % ny) * layout.pitch + (size_t)(node % nx);
        std::vector<located_node> &alike =
            kinds[{(int)(span->place / nodes), medium->relaxations, medium->oscillators}];
        for (int n = 0; n < span->count; n++) {
            alike.push_back({place + (size_t)n, (uint32_t)span->medium, number++});
        }
    }
    return kinds;
}

/* Chunks of 32 nodes of a kind each, in order of place. */
template <typename Real>
void fill_chunks(const std::map<kind, std::vector<located_node>> &kinds, pole_nodes<Real> *poles,
                 std::vector<pole_node> *nodes)
{
    size_t states = 0;
    for (const auto &entry : kinds) {
        const auto [component, relaxations, oscillators] = entry.first;
        for (const located_node &node : entry.second) {
            const size_t own = poles->chunks.size();
            const bool begin = &node == entry.second.data() || nodes->size() == POLE_CHUNK * own ||
                               node.place - poles->chunks.back().first >= NO_POLE_MEDIUM;
            if (begin) {
                nodes->resize(POLE_CHUNK * own, {0, NO_POLE_MEDIUM});
                poles->chunks.push_back({node.place, states, component, relaxations, oscillators});
                states += (size_t)POLE_CHUNK * (size_t)(1 + relaxations + 2 * oscillators);
            }
            poles->slot[node.number] = (uint32_t)nodes->size();
            nodes->push_back({(uint32_t)(node.place - poles->chunks.back().first), node.medium});
        }
        nodes->resize(POLE_CHUNK * poles->chunks.size(), {0, NO_POLE_MEDIUM});
    }
    poles->device.run_states = states;
}

uint64_t node_count(const struct problem *problem)
{
    uint64_t nodes = 0;
    for (int64_t s = 0; s < problem->pole_span_count; s++) {
        nodes += (uint64_t)problem->pole_spans[s].count;
    }
    return nodes;
}

/* Calls action(number of the node's state on the device, of it in struct run_state) for every number of a run. */
template <typename Real, typename Action>
void for_every_state(const struct problem *problem, const pole_nodes<Real> &poles, const Action &action)
{
    size_t number = 0;
    for (int64_t s = 0; s < problem->pole_span_count; s++) {
        const struct pole_span *span = &problem->pole_spans[s];
        const int states = pole_medium_states(&problem->pole_media[span->medium]);
        for (int n = 0; n < span->count; n++, number++) {
            const uint32_t slot = poles.slot[number];
            const size_t own = poles.chunks[slot / POLE_CHUNK].state + slot % POLE_CHUNK;
            for (int m = 0; m < states; m++) {
                action(own + (size_t)m * POLE_CHUNK, (size_t)span->state + (size_t)m * span->count + n);
            }
        }
    }
}

/* ---- the kernels ------------------------------------------------------------------------------------------------- */

template <typename Real>
__global__ void __launch_bounds__(POLE_THREADS)
    pole_kernel(const device_poles<Real> p, const pole_fields<Real> f, int first)
{
    const int own = blockIdx.x * POLE_THREADS + threadIdx.x, lane = threadIdx.x % POLE_CHUNK;
    if (own / POLE_CHUNK >= p.count) {
        return;
    }
    const pole_chunk chunk = p.chunks[own / POLE_CHUNK];
    const pole_node node = p.nodes[own];
    if (node.medium == NO_POLE_MEDIUM) {
        return;
    }
    const device_pole_medium<Real> medium = p.media[node.medium];
    const pole_law<Real> law = {p.steps + medium.first, chunk.relaxations, chunk.oscillators};
    const size_t place = blockIdx.y * f.between + chunk.first + node.beyond;
    Real *const begin = p.states + (first + blockIdx.y) * p.run_states + chunk.state + lane, *const state =
                                                                                                 begin + POLE_CHUNK;
    const Real before = *begin, left = f.u[chunk.component][place];
    const Real history = pole_history<Real>(law, medium.half * before, state, POLE_CHUNK);
    const Real value = cell_answer(left, history, medium.keep, medium.take);
    f.u[chunk.component][place] = value;
    if (f.e != NULL) {
        f.e[place] += value - left;
    }
    *begin = value;
    pole_remember<Real>(law, value + before, state, POLE_CHUNK, state, POLE_CHUNK);
}

/* A block a run. */
template <typename Real>
__global__ void pole_probe_kernel(const pole_probes probes, const Real *e, size_t between,
                                  const device_events<Real> events, int64_t step)
{
    Real *row = record_row(events, blockIdx.x, step);
    for (int k = threadIdx.x; k < probes.count; k += blockDim.x) {
        row[probes.slot[k]] = e[blockIdx.x * between + probes.place[k]];
    }
}

} // namespace

/* ---- in and out -------------------------------------------------------------------------------------------------- */

uint64_t pole_nodes_device_bytes(const struct problem *problem, int runs)
{
    if (problem->pole_span_count == 0) {
        return 0;
    }
    const uint64_t real = problem->precision == PW_SINGLE ? 4 : 8, nodes = node_count(problem);
    return (uint64_t)runs * real * (uint64_t)problem->pole_state_count + sizeof(pole_node) * nodes +
           sizeof(pole_chunk) * (nodes / POLE_CHUNK) +
           sizeof(device_pole_medium<double>) * (uint64_t)problem->pole_medium_count +
           sizeof(device_pole_step<double>) * (uint64_t)problem->pole_step_count;
}

uint64_t pole_nodes_host_bytes(const struct problem *problem)
{
    const uint64_t nodes = node_count(problem);
    return sizeof(uint32_t) * nodes + sizeof(pole_chunk) * (nodes / POLE_CHUNK);
}

template <typename Real>
pw_status pole_nodes_create(const struct problem *problem, const pole_layout &layout, int runs, device_memory *memory,
                            pole_nodes<Real> *poles, pw_error *error)
{
    if (problem->pole_span_count == 0) {
        return PW_OK;
    }
    device_poles<Real> *d = &poles->device;
    std::vector<pole_node> nodes;
    poles->slot.resize(node_count(problem));
    for (int64_t s = 0, number = 0; s < problem->pole_span_count; number += problem->pole_spans[s++].count) {
        poles->first.push_back((size_t)number);
    }
    fill_chunks(nodes_by_kind(problem, layout), poles, &nodes);
    std::vector<device_pole_medium<Real>> media(problem->pole_medium_count);
    for (size_t m = 0; m < media.size(); m++) {
        const struct pole_medium *medium = &problem->pole_media[m];
        media[m] = {(Real)medium->keep, (Real)medium->take, (Real)medium->half, medium->first};
    }
    std::vector<device_pole_step<Real>> steps(problem->pole_step_count);
    for (size_t s = 0; s < steps.size(); s++) {
        const struct pole_step *step = &problem->pole_steps[s];
        steps[s] = {(Real)step->field, (Real)step->polarisation, (Real)step->current};
    }
    d->count = (int)poles->chunks.size();
    TRY(device_copy(memory, &d->chunks, (const pole_chunk *)poles->chunks.data(), poles->chunks.size(),
                    "dispersive nodes", error));
    TRY(device_copy(memory, &d->nodes, (const pole_node *)nodes.data(), nodes.size(), "dispersive nodes", error));
    TRY(device_copy(memory, &d->media, (const device_pole_medium<Real> *)media.data(), media.size(), "dispersive media",
                    error));
    TRY(device_copy(memory, &d->steps, (const device_pole_step<Real> *)steps.data(), steps.size(), "dispersive media",
                    error));
    return device_array(memory, &d->states, (size_t)runs * d->run_states, "dispersive nodes", error);
}

pw_status pole_probes_create(const struct problem *problem, const pole_layout &layout, device_memory *memory,
                             pole_probes *probes, pw_error *error)
{
    std::vector<size_t> places;
    std::vector<int> slots;
    const struct pole_span *spans = problem->pole_spans, *end = spans + problem->pole_span_count;
    for (int p = 0; p < problem->probe_count; p++) {
        const int64_t node = problem->probes[p].node;
        const struct pole_span *span = std::upper_bound(
            spans, end, node, [](int64_t wanted, const struct pole_span &some) { return wanted < some.place; });
        if (span > spans && node < span[-1].place + span[-1].count) {
            const grid_node at = node_at(node, problem->axis[0].count);
            places.push_back((size_t)at.y * layout.pitch + (size_t)at.x);
            slots.push_back(p);
        }
    }
    probes->count = (int)places.size();
    TRY(device_copy(memory, &probes->place, (const size_t *)places.data(), places.size(), "probes", error));
    return device_copy(memory, &probes->slot, (const int *)slots.data(), slots.size(), "probes", error);
}

template <typename Real>
pw_status pole_nodes_answer(const device_poles<Real> &poles, const pole_fields<Real> &fields, int first, int runs,
                            cudaStream_t stream, pw_error *error)
{
    if (poles.count > 0) {
        const unsigned warps = POLE_THREADS / POLE_CHUNK;
        const dim3 blocks((unsigned)(poles.count + warps - 1) / warps, runs);
        pole_kernel<Real><<<blocks, POLE_THREADS, 0, stream>>>(poles, fields, first);
        CUDA_LAUNCHED("pole_kernel");
    }
    return PW_OK;
}

template <typename Real>
pw_status pole_probes_record(const pole_probes &probes, const pass<Real> &pass, size_t between, pw_error *error)
{
    if (probes.count > 0) {
        pole_probe_kernel<Real>
            <<<pass.runs, 128, 0, pass.stream>>>(probes, pass.out.e, between, pass.events, pass.step);
        CUDA_LAUNCHED("pole_probe_kernel");
    }
    return PW_OK;
}

template <typename Real>
size_t pole_nodes_place(const struct problem *problem, const pole_nodes<Real> &poles, struct patch_row *row)
{
    const size_t node = (size_t)(row->i - row->span->place % problem->axis[0].count);
    const uint32_t *slot = poles.slot.data() + poles.first[row->span - problem->pole_spans] + node;
    int alike = 1;
    while (alike < row->count && slot[alike] == slot[0] + alike && slot[alike] % POLE_CHUNK != 0) {
        alike++;
    }
    row->count = alike;
    return poles.chunks[slot[0] / POLE_CHUNK].state + slot[0] % POLE_CHUNK + (size_t)row->state * POLE_CHUNK;
}

template <typename Real>
pw_status pole_nodes_read(const struct problem *problem, const pole_nodes<Real> &poles, int run, double *states,
                          pw_error *error)
{
    std::vector<Real> own(poles.device.run_states);
    CUDA_TRY(cudaMemcpy(own.data(), poles.device.states + run * own.size(), own.size() * sizeof(Real),
                        cudaMemcpyDeviceToHost));
    for_every_state(problem, poles, [&](size_t from, size_t to) { states[to] = (double)own[from]; });
    return PW_OK;
}

template <typename Real>
pw_status pole_nodes_write(const struct problem *problem, const pole_nodes<Real> &poles, int run, const double *states,
                           pw_error *error)
{
    std::vector<Real> own(poles.device.run_states);
    for_every_state(problem, poles, [&](size_t to, size_t from) { own[to] = (Real)states[from]; });
    CUDA_TRY(cudaMemcpy(poles.device.states + run * own.size(), own.data(), own.size() * sizeof(Real),
                        cudaMemcpyHostToDevice));
    return PW_OK;
}

#define INSTANTIATE(Real)                                                                                              \
    template pw_status pole_nodes_create<Real>(const struct problem *, const pole_layout &, int, device_memory *,      \
                                               pole_nodes<Real> *, pw_error *);                                        \
    template pw_status pole_nodes_answer<Real>(const device_poles<Real> &, const pole_fields<Real> &, int, int,        \
                                               cudaStream_t, pw_error *);                                              \
    template pw_status pole_probes_record<Real>(const pole_probes &, const pass<Real> &, size_t, pw_error *);          \
    template size_t pole_nodes_place<Real>(const struct problem *, const pole_nodes<Real> &, struct patch_row *);      \
    template pw_status pole_nodes_read<Real>(const struct problem *, const pole_nodes<Real> &, int, double *,          \
                                             pw_error *);                                                              \
    template pw_status pole_nodes_write<Real>(const struct problem *, const pole_nodes<Real> &, int, const double *,   \
                                              pw_error *);
INSTANTIATE(float)
INSTANTIATE(double)
