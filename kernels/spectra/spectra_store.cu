/* The memory and the passes of the running spectra (spectra_store.h). */
#include "kernels/spectra/spectra_store.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "kernels/tuning.h"
#include "problem/spectra/spectra.h"

namespace
{

size_t whole_lines(size_t cells, size_t line)
{
    return (cells + line - 1) / line * line;
}

/* Samples of a lattice of nearly all nodes of one run lie in planes laid out as Ez is: the state after a pass is the
 * sample then, and nobody copies it. */
bool kept_as_fields(const struct problem *p, int runs)
{
    const struct spectra *s = &p->spectra;
    double all = (double)field_pitch(p) * p->axis[1].count;
    return runs == 1 && p->formulation == FORMULATION_TM2D && s->spacing == 1 &&
           (double)s->columns * s->rows >= 0.9 * all;
}

device_spectra shape_of(const struct problem *p, int runs)
{
    const struct spectra *s = &p->spectra;
    device_spectra d = {};
    d.every = 1;
    if (s->frequency_count == 0) {
        return d;
    }
    d.frequency_count = s->frequency_count;
    d.group = spectra_group(s);
    d.x0 = s->x0;
    d.y0 = s->y0;
    d.spacing = s->spacing;
    d.columns = s->columns;
    d.rows = s->rows;
    d.every = s->every;
    d.as_fields = kept_as_fields(p, runs);
    if (d.as_fields) {
        d.lead = d.x0;
        d.first_row = d.y0;
        d.pitch = field_pitch(p);
    } else {
        d.lead =
            s->spacing == 1 && s->sheet_count == 0 ? s->x0 % 4 : 0; /* quads of nodes are quads of the lattice too */
        d.pitch =
            s->sheet_count > 0 ? 1 : (int)whole_lines((size_t)(d.lead + s->columns), p->precision == PW_SINGLE ? 8 : 4);
    }
    d.cells = whole_lines((size_t)d.pitch * (d.as_fields ? p->axis[1].count : s->rows), SPECTRA_CELLS);
    return d;
}

/* Beyond this many samples the sums, which pass through memory once a block, no longer matter: beside the samples
 * themselves, or of many frequencies beside the arithmetic. Nor do more than a run takes, but a group at least. */
int preferred_block(const struct problem *p)
{
    const struct spectra *s = &p->spectra;
    int64_t block = s->frequency_count < 8 ? SPECTRA_BLOCK / 4 : SPECTRA_BLOCK;
    while (block > spectra_group(s) && block > spectra_samples(s, p->steps)) {
        block /= 2;
    }
    return (int)block;
}

/* Values between the frequencies of the sums. */
template <typename Real> size_t plane(const spectra_store<Real> *store)
{
    return 2 * store->shape.cells;
}

/* Sums of a run from frequency f on, on whichever side they live. */
template <typename Real> Real *sums_of(const spectra_store<Real> *store, int run, int f)
{
    return (store->host != NULL ? store->host : store->sums) +
           ((size_t)run * store->shape.frequency_count + f) * plane(store);
}

/* Quads of as many frequencies as are added together. */
int quads_of(int frequencies)
{
    return (frequencies + 3) / 4;
}

/* Frequencies by their bins, four at a time, and the weights of all bins that any of the four wants, zero where one
 * does not: that changes no bit of its sum. */
template <typename Real> pw_status create_tables(spectra_store<Real> *store, device_memory *memory, pw_error *error)
{
    int taps = spectra_taps(store->problem->precision), frequencies = store->shape.frequency_count;
    auto row = [&](int f) { return store->weights.data() + TRANSFORM_FREQUENCIES + f * (taps + 2); };
    std::vector<transform_weights<Real>> bins;
    for (int begun = 0; begun < frequencies; begun += store->plan.held) {
        std::vector<int> order(std::min(store->plan.held, frequencies - begun));
        std::iota(order.begin(), order.end(), begun);
        std::sort(order.begin(), order.end(), [&](int a, int b) { return row(a)[taps] < row(b)[taps]; });
        for (size_t k = 0; k < order.size(); k += 4) {
            transform_quad<Real> quad = {};
            int some = (int)std::min<size_t>(4, order.size() - k);
            quad.first = (int)row(order[k])[taps];
            quad.count = (int)row(order[k + some - 1])[taps] + taps - quad.first;
            quad.weights = (int)bins.size();
            bins.resize(bins.size() + quad.count);
            std::fill_n(quad.frequency, 4, -1);
            for (int f = 0; f < some; f++) {
                const Real *own = row(order[k + f]);
                quad.frequency[f] = order[k + f] - begun;
                quad.sign[f] = own[taps + 1];
                for (int t = 0; t < taps; t++) {
                    bins[quad.weights + (int)own[taps] - quad.first + t].of[f] = own[t];
                }
            }
            store->quads.push_back(quad);
        }
    }
    TRY(device_copy(memory, &store->tables.weights, store->weights.data(), TRANSFORM_FREQUENCIES,
                    "weights of the spectra", error));
    TRY(device_copy(memory, &store->tables.bins, bins.data(), bins.size(), "weights of the spectra", error));
    return device_copy(memory, &store->tables.quads, store->quads.data(), store->quads.size(), "weights of the spectra",
                       error);
}

/* Gives the quads the phases of the group that is added next. */
template <typename Real> pw_status rotate_quads(spectra_store<Real> *store, cudaStream_t stream, pw_error *error)
{
    int together = quads_of(store->plan.held);
    for (size_t q = 0; q < store->quads.size(); q++) {
        transform_quad<Real> &quad = store->quads[q];
        for (int k = 0; k < 4 && quad.frequency[k] >= 0; k++) {
            const Real *phase = store->phases.data() + 2 * (quad.frequency[k] + (int)q / together * store->plan.held);
            quad.phase[k] = {phase[0], phase[1]};
        }
    }
    CUDA_TRY(cudaMemcpyAsync((void *)store->tables.quads, store->quads.data(),
                             store->quads.size() * sizeof store->quads[0], cudaMemcpyHostToDevice, stream));
    return PW_OK;
}

/* Groups of samples of all runs, for the sums of all frequencies where they lie on the device. */
template <typename Real> spectra_batch<Real> whole_batch(const spectra_store<Real> *store, int groups)
{
    spectra_batch<Real> batch = {store->shape, store->runs, groups, 0, store->shape.frequency_count};
    batch.samples = store->samples;
    batch.sample_run_stride = store->plan.block * store->shape.cells;
    batch.sums = store->sums;
    return batch;
}

template <typename Real>
pw_status add_groups(const spectra_store<Real> *store, spectra_batch<Real> batch, cudaStream_t stream, pw_error *error)
{
    batch.sum_run_stride = batch.frequencies * plane(store);
    if (spectra_transformed(&store->problem->spectra)) {
        transform_tables<Real> tables = store->tables;
        tables.quads += batch.first / store->plan.held * quads_of(store->plan.held);
        return spectra_transform(batch, tables, quads_of(batch.frequencies), stream, error);
    }
    return spectra_accumulate(batch, store->weights.data(), store->phases.data(), stream, error);
}

/* By two buffers: while one's frequencies are added, the other's travel. */
template <typename Real>
pw_status pass_over_host(spectra_store<Real> *store, int groups, cudaStream_t stream, pw_error *error)
{
    int frequencies = store->shape.frequency_count, half = 0;
    CUDA_TRY(cudaEventRecord(store->ready, stream));
    for (cudaStream_t way : store->ways) {
        CUDA_TRY(cudaStreamWaitEvent(way, store->ready, 0));
    }
    for (int run = 0; run < store->runs; run++) {
        for (int f = 0; f < frequencies; f += store->plan.held, half ^= 1) {
            int here = std::min(store->plan.held, frequencies - f);
            size_t bytes = here * plane(store) * sizeof(Real);
            Real *buffer = store->sums + half * store->plan.held * plane(store), *home = sums_of(store, run, f);
            cudaStream_t way = store->ways[half];
            CUDA_TRY(cudaMemcpyAsync(buffer, home, bytes, cudaMemcpyHostToDevice, way));
            spectra_batch<Real> batch = whole_batch(store, groups);
            batch.runs = 1;
            batch.samples = store->run_samples(run);
            batch.first = f;
            batch.frequencies = here;
            batch.sums = buffer;
            TRY(add_groups(store, batch, way, error));
            CUDA_TRY(cudaMemcpyAsync(home, buffer, bytes, cudaMemcpyDeviceToHost, way));
        }
    }
    for (int k = 0; k < 2; k++) { /* the samples may be written again only then */
        CUDA_TRY(cudaEventRecord(store->passed[k], store->ways[k]));
        CUDA_TRY(cudaStreamWaitEvent(stream, store->passed[k], 0));
    }
    return PW_OK;
}

} // namespace

spectra_plan spectra_plan_for(const struct problem *p, int runs, uint64_t room)
{
    spectra_plan plan = {};
    int frequencies = p->spectra.frequency_count;
    if (frequencies == 0) {
        plan.block = 1;
        return plan;
    }
    uint64_t real = p->precision == PW_SINGLE ? 4 : 8, lattice = shape_of(p, runs).cells * real;
    uint64_t sums = 2 * lattice * (uint64_t)frequencies * (uint64_t)runs;
    int group = spectra_group(&p->spectra);
    auto samples = [&](int block) { return lattice * (uint64_t)runs * (uint64_t)block; };
    plan.held = frequencies;
    for (plan.block = preferred_block(p); plan.block >= group; plan.block /= 2) {
        plan.device = samples(plan.block) + sums;
        if (plan.device <= room) {
            return plan;
        }
    }
    plan.host = sums;
    for (plan.block = preferred_block(p); plan.block > group; plan.block /= 2) {
        if (samples(plan.block) + 4 * lattice <= room) {
            break;
        }
    }
    uint64_t left = room > samples(plan.block) ? (room - samples(plan.block)) / (4 * lattice) : 0;
    plan.held = (int)std::min<uint64_t>(std::max<uint64_t>(left, 1), frequencies);
    plan.device = samples(plan.block) + 4 * lattice * (uint64_t)plan.held;
    return plan;
}

spectra_plan spectra_plan_in_turns(const struct problem *p, int runs)
{
    enum { HELD = 16 };
    spectra_plan plan = {};
    plan.in_turns = true;
    plan.block = 1;
    if (p->spectra.frequency_count > 0) {
        const uint64_t real = p->precision == PW_SINGLE ? 4 : 8, lattice = shape_of(p, runs).cells * real;
        plan.block = spectra_group(&p->spectra);
        plan.held = std::min<int>(HELD, p->spectra.frequency_count);
        const uint64_t samples = lattice * (uint64_t)runs * (uint64_t)plan.block;
        plan.device = samples + 4 * lattice * (uint64_t)plan.held;
        plan.host = samples + 2 * lattice * (uint64_t)p->spectra.frequency_count * (uint64_t)runs;
    }
    return plan;
}

template <typename Real>
pw_status spectra_create(const struct problem *problem, int runs, const spectra_plan &plan, device_memory *memory,
                         spectra_store<Real> *store, pw_error *error)
{
    *store = {};
    store->problem = problem;
    store->runs = runs;
    store->shape = shape_of(problem, runs);
    store->plan = plan;
    size_t frequencies = (size_t)store->shape.frequency_count, block = (size_t)store->plan.block;
    if (frequencies == 0) {
        return PW_OK;
    }
    if (store->plan.host > 0) { /* before the device is full: the driver takes some of it for the host's pages, too */
        CUDA_TRY(cudaMallocHost((void **)&store->host, store->plan.host));
        memset(store->host, 0, store->plan.host);
        store->waiting = plan.in_turns ? store->host + runs * frequencies * plane(store) : NULL;
    }
    TRY(device_array(memory, &store->samples, runs * block * store->shape.cells, "samples of the spectra", error));
    std::vector<double> weights(spectra_weight_count(problem));
    spectra_weights(problem, weights.data());
    store->weights.assign(weights.begin(), weights.end());
    if (spectra_transformed(&problem->spectra)) {
        static_assert((int)SPECTRA_BLOCK == (int)TRANSFORM_SAMPLES, "one group at a time");
        TRY(create_tables(store, memory, error));
    }
    if (store->plan.host == 0) {
        return device_array(memory, &store->sums, runs * frequencies * plane(store), "spectra", error);
    }
    TRY(device_array(memory, &store->sums, 2 * (size_t)store->plan.held * plane(store), "spectra", error));
    CUDA_TRY(cudaEventCreateWithFlags(&store->ready, cudaEventDisableTiming));
    for (int k = 0; k < 2; k++) {
        CUDA_TRY(cudaStreamCreateWithFlags(&store->ways[k], cudaStreamNonBlocking));
        CUDA_TRY(cudaEventCreateWithFlags(&store->passed[k], cudaEventDisableTiming));
    }
    return PW_OK;
}

template <typename Real> void spectra_free(spectra_store<Real> *store)
{
    for (int k = 0; k < 2; k++) {
        (void)(store->ways[k] != NULL && cudaStreamDestroy(store->ways[k]));
        (void)(store->passed[k] != NULL && cudaEventDestroy(store->passed[k]));
    }
    (void)(store->ready != NULL && cudaEventDestroy(store->ready));
    (void)(store->host != NULL && cudaFreeHost(store->host));
    (void)(store->landing != NULL && cudaFreeHost(store->landing));
}

template <typename Real>
pw_status spectra_flush(spectra_store<Real> *store, int64_t taken, cudaStream_t stream, pw_error *error)
{
    int frequencies = store->shape.frequency_count, group = store->shape.group;
    int groups = frequencies > 0 ? store->pending / group : 0, added = groups * group;
    if (groups == 0) {
        return PW_OK;
    }
    std::vector<double> phases(2 * (size_t)frequencies * groups);
    spectra_phases(store->problem, (taken - store->pending) / group, groups, phases.data());
    store->phases.assign(phases.begin(), phases.end());
    if (spectra_transformed(&store->problem->spectra)) {
        TRY(rotate_quads(store, stream, error));
    }
    if (store->host != NULL) {
        TRY(pass_over_host(store, groups, stream, error));
    } else {
        TRY(add_groups(store, whole_batch(store, groups), stream, error));
    }
    store->pending -= added;
    for (int run = 0; run < store->runs && store->pending > 0; run++) { /* fewer than a group: no overlap */
        Real *samples = store->run_samples(run);
        CUDA_TRY(cudaMemcpyAsync(samples, samples + added * store->shape.cells,
                                 store->pending * store->shape.cells * sizeof(Real), cudaMemcpyDeviceToDevice, stream));
    }
    return PW_OK;
}

namespace
{

/* What is read, on whichever side it lives: planes of rows. */
template <typename Real> struct planes {
    const Real *from;
    size_t pitch, stride;        /* values from row to row, and from plane to plane */
    size_t width, height, count; /* of a row, of a plane, of planes */
};

/* To `out`, from the landing, when that has come. */
template <typename Real> pw_status widen(const Real *landing, size_t count, double *out, pw_error *error)
{
    CUDA_TRY(cudaStreamSynchronize(cudaStreamPerThread));
#pragma omp parallel for schedule(static) if (count > 1 << 16)
    for (int64_t k = 0; k < (int64_t)count; k++) {
        out[k] = (double)landing[k];
    }
    return PW_OK;
}

/* (count, height, width). As much comes at once as lands: each copy that is waited for costs 30 us, and a row of all
 * frequencies is hundreds of copies. */
template <typename Real>
pw_status read_planes(spectra_store<Real> *store, const planes<Real> &asked, double *out, pw_error *error)
{
    if (asked.width == 0 || asked.height == 0 || asked.count == 0) {
        return PW_OK;
    }
    const size_t widest = 2 * (size_t)store->shape.columns, values = std::max<size_t>(LANDING_VALUES, widest),
                 room = values / asked.width; /* rows */
    size_t held = 0;
    if (store->landing == NULL) {
        CUDA_TRY(cudaMallocHost((void **)&store->landing, values * sizeof(Real)));
    }
    for (size_t p = 0; p < asked.count; p++) {
        for (size_t row = 0, some; row < asked.height; row += some) {
            if (held == room) {
                TRY(widen(store->landing, held * asked.width, out, error));
                out += held * asked.width;
                held = 0;
            }
            some = std::min(asked.height - row, room - held);
            CUDA_TRY(cudaMemcpy2DAsync(store->landing + held * asked.width, asked.width * sizeof(Real),
                                       asked.from + p * asked.stride + row * asked.pitch, asked.pitch * sizeof(Real),
                                       asked.width * sizeof(Real), some, cudaMemcpyDefault, cudaStreamPerThread));
            held += some;
        }
    }
    return widen(store->landing, held * asked.width, out, error);
}

} // namespace

template <typename Real>
pw_status spectra_read(spectra_store<Real> *store, int run, int row_first, int row_count, double *out, pw_error *error)
{
    const device_spectra &s = store->shape;
    const size_t pitch = 2 * (size_t)s.pitch, from = (size_t)(s.first_row + row_first) * pitch + 2 * (size_t)s.lead;
    return read_planes(store,
                       {sums_of(store, run, 0) + from, pitch, plane(store), 2 * (size_t)s.columns, (size_t)row_count,
                        (size_t)s.frequency_count},
                       out, error);
}

template <typename Real>
pw_status spectra_read_samples(spectra_store<Real> *store, int run, int row_first, int row_count, double *out,
                               pw_error *error)
{
    const device_spectra &s = store->shape;
    const size_t pitch = (size_t)s.pitch, from = (size_t)(s.first_row + row_first) * pitch + (size_t)s.lead;
    return read_planes(
        store,
        {store->run_waiting(run) + from, pitch, s.cells, (size_t)s.columns, (size_t)row_count, (size_t)store->pending},
        out, error);
}

template <typename Real>
pw_status spectra_load(spectra_store<Real> *store, int run, const struct run_state *from, pw_error *error)
{
    const device_spectra &s = store->shape;
    size_t corner = (size_t)s.first_row * s.pitch + s.lead, columns = (size_t)s.columns, rows = (size_t)s.rows;
    for (int f = 0; from->spectra != NULL && f < s.frequency_count; f++) {
        TRY(write_values(sums_of(store, run, f) + 2 * corner, 2 * (size_t)s.pitch,
                         from->spectra + f * rows * 2 * columns, 2 * columns, rows, error));
    }
    store->pending = spectra_waiting(&store->problem->spectra, from->step);
    for (int k = 0; from->samples != NULL && k < store->pending; k++) {
        TRY(write_values(store->run_waiting(run) + k * s.cells + corner, (size_t)s.pitch,
                         from->samples + k * rows * columns, columns, rows, error));
    }
    return PW_OK;
}

#define INSTANTIATE(Real)                                                                                              \
    template pw_status spectra_create<Real>(const struct problem *, int, const spectra_plan &, device_memory *,        \
                                            spectra_store<Real> *, pw_error *);                                        \
    template void spectra_free<Real>(spectra_store<Real> *);                                                           \
    template pw_status spectra_flush<Real>(spectra_store<Real> *, int64_t, cudaStream_t, pw_error *);                  \
    template pw_status spectra_read<Real>(spectra_store<Real> *, int, int, int, double *, pw_error *);                 \
    template pw_status spectra_read_samples<Real>(spectra_store<Real> *, int, int, int, double *, pw_error *);         \
    template pw_status spectra_load<Real>(spectra_store<Real> *, int, const struct run_state *, pw_error *);
INSTANTIATE(float)
INSTANTIATE(double)
