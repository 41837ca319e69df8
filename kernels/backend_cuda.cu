/* The CUDA backend: owns the device memory of a group of runs and drives the kernels. Leaves out: the kernels, which rung of them a
 * problem takes (rung.cu), and cutting the domain into boxes (boxes.cu). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "device.h"
#include "rung.h"
#include "small_yee.h"
#include "tuning.h"

namespace
{

template <typename Real> struct engine {
    const struct problem *problem;
    int first, count;
    int64_t step;
    int now; /* fields[now] is the state */
    struct choice choice;
    device_problem<Real> device;
    device_fields<Real> fields[2];
    device_events<Real> events;
    device_spectra spectra;
    Real *samples, *sums, *weights; /* (runs, SPECTRA_SAMPLES, cells), (runs, F, cells, 2), (SPECTRA_SAMPLES, F, 2) */
    int pending;                    /* samples not yet added */
    double *partial;                /* (ENERGY_BLOCKS) */
    box_set set;
    box *boxes; /* device */
    uint8_t *skip;
    unsigned *flags;
    size_t shared_bytes;
    int processors;
    cudaStream_t stream, side;
    cudaEvent_t begun, ended;
    std::vector<void *> owned; /* device memory */
    std::vector<device_source> sources;
};

struct cuda_state {
    engine<float> *single;
    engine<double> *twice; /* one of the two is NULL */
};

/* ---- memory ------------------------------------------------------------------------------------------------------ */

int pitch_of(const struct problem *problem)
{
    return (problem->nx + 31) / 32 * 32;
}

/* Bytes on the device for `runs` runs; the shared part is the medium, the tables and the boxes. */
uint64_t device_bytes(const struct problem *p, int runs)
{
    uint64_t real = p->precision == PW_SINGLE ? 4 : 8, pitch = (uint64_t)pitch_of(p), cells = pitch * (uint64_t)p->ny;
    uint64_t lattice = (uint64_t)p->spectra.rows * (uint64_t)p->spectra.columns;
    uint64_t frequencies = (uint64_t)p->spectra.frequency_count;
    uint64_t states = 4 * (uint64_t)p->layer * ((uint64_t)p->ny + pitch);
    uint64_t a_run = 2 * real * (2 * cells + states) + real * (uint64_t)p->steps * (uint64_t)p->probe_count;
    if (frequencies > 0) {
        a_run += real * lattice * (2 * frequencies + SPECTRA_SAMPLES);
    }
    for (int s = 0; s < p->source_count && s < 1; s++) {
        a_run += 16 * (uint64_t)p->sources[s].count + 8 * (uint64_t)p->steps;
    }
    return (uint64_t)runs * a_run + 2 * cells + cells / 256 + 2 * real * (uint64_t)p->palette_count +
           2 * real * SPECTRA_SAMPLES * frequencies;
}

template <typename Real, typename T>
pw_status device_array(engine<Real> *engine, T **array, size_t count, const char *what, pw_error *error)
{
    void *memory = NULL;
    size_t bytes = std::max<size_t>(count, 1) * sizeof(T);
    engine->owned.reserve(engine->owned.size() + 1); /* afterwards nothing may come between the memory and its owner */
    cudaError_t status = cudaMalloc(&memory, bytes);
    if (status != cudaSuccess) {
        (void)cudaGetLastError();
        return fail(error, PW_NO_RESOURCE, "CUDA: cudaMalloc of %zu bytes for %s failed: %s", bytes, what,
                    cudaGetErrorString(status));
    }
    engine->owned.push_back(memory);
    *array = (T *)memory;
    CUDA_TRY(cudaMemset(memory, 0, bytes));
    return PW_OK;
}

template <typename Real, typename T>
pw_status device_copy(engine<Real> *engine, const T **array, const T *from, size_t count, const char *what,
                      pw_error *error)
{
    T *memory = NULL;
    TRY(device_array(engine, &memory, count, what, error));
    CUDA_TRY(cudaMemcpy(memory, from, count * sizeof(T), cudaMemcpyHostToDevice));
    *array = memory;
    return PW_OK;
}

/* Says what is needed and what would fit, before anything is allocated. */
pw_status check_memory(const struct problem *problem, int runs, pw_error *error)
{
    size_t available = 0, total = 0;
    CUDA_TRY(cudaMemGetInfo(&available, &total));
    uint64_t need = device_bytes(problem, runs);
    if (need + (64u << 20) <= available) {
        return PW_OK;
    }
    double per_cell = (double)need / ((double)problem->nx * problem->ny);
    double side = sqrt(0.95 * (double)available / per_cell);
    return fail(
        error, PW_NO_RESOURCE,
        "the device has %.2f GB free and %d run%s of %d x %d cells with %d frequencies at %d x %d points need %.2f GB; "
        "about %.0f x %.0f cells would fit as it is, or use fewer frequencies, a larger spacing of the spectra or "
        "fewer steps between fewer probes",
        available / 1e9, runs, runs == 1 ? "" : "s", problem->nx, problem->ny, problem->spectra.frequency_count,
        problem->spectra.columns, problem->spectra.rows, need / 1e9, side, side);
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

template <typename Real>
pw_status copy_filters(engine<Real> *engine, const typename pair_of<Real>::type **to,
                       const struct absorber_filter *from, int count, pw_error *error)
{
    typedef typename pair_of<Real>::type pair;
    std::vector<pair> values(count);
    for (int k = 0; k < count; k++) {
        values[k].x = from != NULL ? (Real)from[k].gain : Real(1);
        values[k].y = from != NULL ? (Real)from[k].pole : Real(1);
    }
    return device_copy(engine, to, (const pair *)values.data(), (size_t)count, "absorber profiles", error);
}

template <typename Real> pw_status create_medium(engine<Real> *engine, pw_error *error)
{
    typedef typename pair_of<Real>::type pair;
    const struct problem *p = engine->problem;
    device_problem<Real> *d = &engine->device;
    d->nx = p->nx;
    d->ny = p->ny;
    d->pitch = pitch_of(p);
    d->layer = p->layer;
    d->reach = p->reach;
    d->rings = p->ring_count;
    d->zone = p->layer > 0 ? p->layer + p->reach : 0;
    d->cells = (size_t)d->pitch * d->ny;
    d->x_states = (size_t)d->ny * 2 * d->layer;
    d->y_states = (size_t)2 * d->layer * d->pitch;
    d->centre = (Real)p->centre;
    d->centre2 = (Real)(2 * p->centre);
    for (int l = 0; l < p->reach; l++) {
        d->difference[l] = (Real)p->difference[l];
    }
    for (int m = 0; m < p->ring_count; m++) {
        d->ring[m] = (Real)p->ring[m];
    }
    std::vector<pair> palette(p->palette_count);
    for (int k = 0; k < p->palette_count; k++) {
        palette[k].x = (Real)p->retention[k];
        palette[k].y = (Real)p->coupling[k];
    }
    d->palette_count = p->palette_count;
    TRY(device_copy(engine, &d->palette, (const pair *)palette.data(), palette.size(), "the palette", error));
    uint16_t *material = NULL;
    TRY(device_array(engine, &material, d->cells, "the materials", error));
    CUDA_TRY(cudaMemcpy2D(material, 2 * (size_t)d->pitch, p->material, 2 * (size_t)p->nx, 2 * (size_t)p->nx, p->ny,
                          cudaMemcpyHostToDevice));
    d->material = material;
    TRY(copy_filters(engine, &d->x_half, p->x_half, p->nx, error));
    TRY(copy_filters(engine, &d->x_node, p->x_node, p->nx, error));
    TRY(copy_filters(engine, &d->y_half, p->y_half, p->ny, error));
    return copy_filters(engine, &d->y_node, p->y_node, p->ny, error);
}

template <typename Real> pw_status create_fields(engine<Real> *engine, pw_error *error)
{
    size_t cells = engine->device.cells * engine->count, x = engine->device.x_states * engine->count,
           y = engine->device.y_states * engine->count;
    for (device_fields<Real> &f : engine->fields) {
        TRY(device_array(engine, &f.e, cells, "Ez", error));
        TRY(device_array(engine, &f.v, cells, "the increments", error));
        TRY(device_array(engine, &f.x_half, x, "absorber states", error));
        TRY(device_array(engine, &f.x_node, x, "absorber states", error));
        TRY(device_array(engine, &f.y_half, y, "absorber states", error));
        TRY(device_array(engine, &f.y_node, y, "absorber states", error));
    }
    return PW_OK;
}

template <typename Real> pw_status create_events(engine<Real> *engine, pw_error *error)
{
    const struct problem *p = engine->problem;
    for (int r = 0; r < engine->count; r++) {
        const struct source *s = &p->sources[engine->first + r];
        device_source d = {};
        d.hard = s->hard;
        d.count = (int)s->count;
        d.steps = p->steps;
        TRY(device_copy(engine, &d.node, (const int64_t *)s->node, (size_t)s->count, "source nodes", error));
        TRY(device_copy(engine, &d.weight, (const double *)s->weight, (size_t)s->count, "source weights", error));
        TRY(device_copy(engine, &d.drive, (const double *)s->drive, (size_t)p->steps, "waveforms", error));
        engine->sources.push_back(d);
    }
    device_events<Real> *e = &engine->events;
    TRY(device_copy(engine, &e->sources, (const device_source *)engine->sources.data(), engine->sources.size(),
                    "sources", error));
    e->probe_count = p->probe_count;
    e->record_stride = (size_t)p->steps * p->probe_count;
    e->record_first = 0;
    TRY(device_array(engine, &e->record, e->record_stride * engine->count, "the probes' record", error));
    size_t probes = engine->set.probe_slot.size();
    TRY(device_copy(engine, &e->probe_x, (const int *)engine->set.probe_x.data(), probes, "probes", error));
    TRY(device_copy(engine, &e->probe_y, (const int *)engine->set.probe_y.data(), probes, "probes", error));
    return device_copy(engine, &e->probe_slot, (const int *)engine->set.probe_slot.data(), probes, "probes", error);
}

template <typename Real> pw_status create_spectra(engine<Real> *engine, pw_error *error)
{
    const struct spectra *s = &engine->problem->spectra;
    TRY(device_array(engine, &engine->partial, ENERGY_BLOCKS, "the energy", error));
    if (s->frequency_count == 0) {
        engine->spectra.every = 1;
        return PW_OK;
    }
    engine->spectra = {};
    engine->spectra.frequency_count = s->frequency_count;
    engine->spectra.x0 = s->x0;
    engine->spectra.y0 = s->y0;
    engine->spectra.spacing = s->spacing;
    engine->spectra.columns = s->columns;
    engine->spectra.rows = s->rows;
    engine->spectra.every = s->every;
    engine->spectra.cells = (size_t)s->columns * s->rows;
    size_t cells = engine->spectra.cells * engine->count, frequencies = (size_t)s->frequency_count;
    TRY(device_array(engine, &engine->samples, cells * SPECTRA_SAMPLES, "snapshots", error));
    TRY(device_array(engine, &engine->weights, 2 * frequencies * SPECTRA_SAMPLES, "spectra weights", error));
    return device_array(engine, &engine->sums, 2 * cells * frequencies, "spectra", error);
}

template <typename Real> pw_status create_boxes(engine<Real> *engine, pw_error *error)
{
    box_set *set = &engine->set;
    engine->shared_bytes = 0;
    device_problem<float> shape = {};
    shape.nx = engine->device.nx;
    shape.ny = engine->device.ny;
    shape.layer = engine->device.layer;
    shape.reach = engine->device.reach;
    for (const box &b : set->boxes) {
        engine->shared_bytes =
            std::max(engine->shared_bytes, tile_bytes(shape, b, engine->choice.depth * (2 * shape.reach - 1)));
    }
    const box *boxes = NULL;
    const uint8_t *skip = NULL;
    TRY(device_copy(engine, &boxes, (const box *)set->boxes.data(), set->boxes.size(), "boxes", error));
    TRY(device_copy(engine, &skip, (const uint8_t *)set->skip.data(), set->skip.size(), "patches", error));
    engine->boxes = (box *)boxes;
    engine->skip = (uint8_t *)skip;
    return device_array(engine, &engine->flags, set->boxes.size(), "flags", error);
}

template <typename Real> pw_status choose(engine<Real> *engine, const struct backend_options *options, pw_error *error)
{
    const struct problem *p = engine->problem;
    int shared = 0, device = 0;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&engine->processors, cudaDevAttrMultiProcessorCount, device));
    CUDA_TRY(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    box_request request = {p, engine->first, engine->count, 1, (size_t)shared - 1024};
    return choose_rung(request, options, engine->processors, &engine->choice, &engine->set, error);
}

/* ---- advancing --------------------------------------------------------------------------------------------------- */

template <typename Real> pw_status plain_steps(engine<Real> *engine, int64_t steps, pw_error *error)
{
    for (int64_t k = 0; k < steps; k++) {
        TRY(plain_step(engine->device, engine->fields[engine->now], engine->fields[1 - engine->now], engine->events,
                       engine->step + k, engine->count, engine->stream, error));
        engine->now = 1 - engine->now;
    }
    return PW_OK;
}

/* Rows per task so that the tasks fill the device evenly and are long against what they recompute. */
int rows_per_task(int rows, int strips, int recomputed, int at_once)
{
    int best = rows;
    double least = 0;
    for (int waves = 1; waves <= 16; waves++) {
        int chunks = std::max(1, waves * at_once / strips);
        int height = (rows + chunks - 1) / chunks;
        int tasks = strips * ((rows + height - 1) / height);
        double time = (double)((tasks + at_once - 1) / at_once) * (height + recomputed);
        if (least == 0 || time < least) {
            least = time;
            best = height;
        }
    }
    return best;
}

pw_status walk_pass(engine<float> *engine, int depth, pw_error *error)
{
    const struct problem *p = engine->problem;
    walk_plan plan = {};
    plan.x0 = engine->set.x0;
    plan.x1 = engine->set.x1;
    plan.y0 = engine->set.y0;
    plan.y1 = engine->set.y1;
    plan.runs = engine->count;
    plan.variant = engine->choice.variant;
    plan.skip = engine->skip;
    plan.skip_pitch = engine->set.skip_pitch;
    int columns = walk_columns(p, depth), strips = (plan.x1 - plan.x0 + columns - 1) / columns * engine->count;
    int at_once = engine->processors *
                  (p->reach == 1 ? yee_walk_warps(depth, plan.variant) : wide_walk_blocks(p->ring_count, depth));
    plan.rows =
        rows_per_task(plan.y1 - plan.y0, strips, p->reach == 1 ? depth + 6 : 2 * depth * p->ring_count, at_once);
    const device_fields<float> &in = engine->fields[engine->now], &out = engine->fields[1 - engine->now];
    CUDA_TRY(cudaEventRecord(engine->begun, engine->stream));
    CUDA_TRY(cudaStreamWaitEvent(engine->side, engine->begun, 0));
    TRY(tile_pass(engine->device, in, out, engine->events, engine->boxes, (int)engine->set.boxes.size(),
                  engine->shared_bytes, engine->step, depth, engine->count, engine->side, error));
    CUDA_TRY(cudaEventRecord(engine->ended, engine->side));
    if (p->reach == 1) {
        TRY(yee_walk(engine->device, in, out, plan, depth, engine->stream, error));
    } else {
        TRY(wide_walk(engine->device, in, out, plan, depth, engine->stream, error));
    }
    CUDA_TRY(cudaStreamWaitEvent(engine->stream, engine->ended, 0));
    return PW_OK;
}

pw_status resident_steps(engine<float> *engine, int64_t steps, pw_error *error)
{
    resident_plan plan = {};
    small_plan small = {};
    small.boxes = plan.boxes = engine->boxes;
    small.columns = plan.columns = engine->set.columns;
    small.rows = plan.rows = engine->set.rows;
    small.depth = plan.depth = engine->choice.depth;
    small.variant = engine->choice.variant;
    small.flags = engine->flags;
    small.spectra = engine->spectra;
    plan.shared_bytes = engine->shared_bytes;
    plan.flags = engine->flags;
    plan.spectra = engine->spectra;
    small.sample_first = plan.sample_first = engine->step / engine->spectra.every - engine->pending;
    const device_problem<float> &d = engine->device;
    for (int r = 0; r < engine->count; r++) {
        device_fields<float> own[2];
        for (int k = 0; k < 2; k++) {
            const device_fields<float> &f = engine->fields[k == 0 ? engine->now : 1 - engine->now];
            own[k] = {f.e + r * d.cells,         f.v + r * d.cells,         f.x_half + r * d.x_states,
                      f.x_node + r * d.x_states, f.y_half + r * d.y_states, f.y_node + r * d.y_states};
        }
        device_events<float> events = engine->events;
        events.sources += r;
        events.record += r * events.record_stride;
        plan.samples =
            engine->samples != NULL ? engine->samples + (size_t)r * SPECTRA_SAMPLES * engine->spectra.cells : NULL;
        small.samples = plan.samples;
        TRY(engine->choice.rung == RUNG_SMALL
                ? small_advance(d, own, events, small, engine->step, steps, engine->stream, error)
                : resident_advance(d, own, events, plan, engine->step, steps, engine->stream, error));
    }
    int64_t rounds = (steps + plan.depth - 1) / plan.depth;
    engine->now = rounds % 2 == 1 ? 1 - engine->now : engine->now;
    return PW_OK;
}

pw_status fast_steps(engine<float> *engine, int64_t steps, pw_error *error)
{
    if (rung_samples(engine->choice.rung)) {
        return resident_steps(engine, steps, error);
    }
    int64_t start = engine->step, end = start + steps;
    pw_status status = PW_OK;
    while (engine->step < end && status == PW_OK) {
        int64_t left = end - engine->step;
        int depth = (int)std::min<int64_t>(left, engine->choice.depth);
        if (engine->choice.rung == RUNG_WALK) {
            depth = walk_depth(engine->problem, left, engine->choice.depth);
            status = walk_pass(engine, depth, error);
        } else {
            status = tile_pass(engine->device, engine->fields[engine->now], engine->fields[1 - engine->now],
                               engine->events, engine->boxes, (int)engine->set.boxes.size(), engine->shared_bytes,
                               engine->step, depth, engine->count, engine->stream, error);
        }
        engine->now = 1 - engine->now;
        engine->step += depth;
    }
    engine->step = start; /* the caller counts */
    return status;
}

pw_status some_steps(engine<float> *engine, int64_t steps, pw_error *error)
{
    return engine->choice.rung == RUNG_PLAIN ? plain_steps(engine, steps, error) : fast_steps(engine, steps, error);
}

pw_status some_steps(engine<double> *engine, int64_t steps, pw_error *error)
{
    return plain_steps(engine, steps, error);
}

/* Adds the pending samples to the sums. */
template <typename Real> pw_status flush_spectra(engine<Real> *engine, pw_error *error)
{
    if (engine->pending == 0) {
        return PW_OK;
    }
    size_t values = 2 * (size_t)engine->spectra.frequency_count * engine->pending;
    std::vector<double> exact(values);
    std::vector<Real> rounded(values);
    int64_t samples = engine->step / engine->spectra.every;
    spectra_weights(engine->problem, samples - engine->pending, engine->pending, exact.data());
    for (size_t k = 0; k < values; k++) {
        rounded[k] = (Real)exact[k];
    }
    /* Pageable memory: the copy has left it when the call returns. */
    CUDA_TRY(cudaMemcpyAsync(engine->weights, rounded.data(), values * sizeof(Real), cudaMemcpyHostToDevice,
                             engine->stream));
    TRY(spectra_accumulate(engine->spectra, engine->samples, SPECTRA_SAMPLES * engine->spectra.cells, engine->pending,
                           engine->weights, engine->sums, 2 * engine->spectra.frequency_count * engine->spectra.cells,
                           engine->count, engine->stream, error));
    engine->pending = 0;
    return PW_OK;
}

template <typename Real> pw_status take_sample(engine<Real> *engine, pw_error *error)
{
    if (!rung_samples(engine->choice.rung)) {
        TRY(spectra_sample(engine->device, engine->spectra, engine->fields[engine->now].e,
                           engine->samples + engine->pending * engine->spectra.cells,
                           SPECTRA_SAMPLES * engine->spectra.cells, engine->count, engine->stream, error));
    }
    engine->pending++;
    return engine->pending == SPECTRA_SAMPLES ? flush_spectra(engine, error) : PW_OK;
}

template <typename Real> pw_status engine_advance(engine<Real> *engine, int64_t steps, pw_error *error)
{
    const struct problem *p = engine->problem;
    if (steps < 0 || engine->step + steps > p->steps) {
        return fail(error, PW_USAGE, "cannot advance %lld steps from step %lld: the problem has %lld", (long long)steps,
                    (long long)engine->step, (long long)p->steps);
    }
    bool spectra = p->spectra.frequency_count > 0;
    int64_t every = engine->spectra.every;
    while (steps > 0) {
        int64_t part = steps;
        if (spectra && rung_samples(engine->choice.rung)) { /* it samples by itself, as many as there is room for */
            part = std::min(part, (SPECTRA_SAMPLES - engine->pending) * every - engine->step % every);
        } else if (spectra) {
            part = std::min(part, every - engine->step % every);
        }
        TRY(some_steps(engine, part, error));
        int64_t before = engine->step / every;
        engine->step += part;
        steps -= part;
        for (int64_t s = before; spectra && s < engine->step / every; s++) {
            TRY(take_sample(engine, error));
        }
    }
    CUDA_TRY(cudaStreamSynchronize(engine->stream));
    return PW_OK;
}

/* ---- reading, saving, loading ------------------------------------------------------------------------------------ */

template <typename Real>
pw_status read_values(const Real *from, size_t pitch, double *to, size_t width, size_t height, pw_error *error)
{
    if (width == 0 || height == 0) {
        return PW_OK;
    }
    std::vector<Real> host(width * height);
    CUDA_TRY(cudaMemcpy2D(host.data(), width * sizeof(Real), from, pitch * sizeof(Real), width * sizeof(Real), height,
                          cudaMemcpyDeviceToHost));
    for (size_t k = 0; k < host.size(); k++) {
        to[k] = (double)host[k];
    }
    return PW_OK;
}

template <typename Real>
pw_status write_values(Real *to, size_t pitch, const double *from, size_t width, size_t height, pw_error *error)
{
    if (width == 0 || height == 0) {
        return PW_OK;
    }
    std::vector<Real> host(width * height);
    for (size_t k = 0; k < host.size(); k++) {
        host[k] = (Real)from[k];
    }
    CUDA_TRY(cudaMemcpy2D(to, pitch * sizeof(Real), host.data(), width * sizeof(Real), width * sizeof(Real), height,
                          cudaMemcpyHostToDevice));
    return PW_OK;
}

template <typename Real>
pw_status engine_read_spectra(engine<Real> *engine, int run, int row_first, int row_count, double *out, pw_error *error)
{
    TRY(flush_spectra(engine, error));
    CUDA_TRY(cudaStreamSynchronize(engine->stream));
    size_t columns = engine->spectra.columns, cells = engine->spectra.cells;
    int frequencies = engine->problem->spectra.frequency_count;
    const Real *from = engine->sums + (size_t)run * 2 * frequencies * cells + 2 * (size_t)row_first * columns;
    return read_values(from, 2 * cells, out, 2 * (size_t)row_count * columns, (size_t)frequencies, error);
}

template <typename Real> pw_status engine_save(engine<Real> *engine, int run, struct snapshot *to, pw_error *error)
{
    const device_problem<Real> &d = engine->device;
    const device_fields<Real> &f = engine->fields[engine->now];
    size_t nx = d.nx, ny = d.ny, layers = 2 * (size_t)d.layer, pitch = d.pitch;
    to->step = engine->step;
    TRY(read_values(f.e + run * d.cells, pitch, to->ez, nx, ny, error));
    TRY(read_values(f.v + run * d.cells, pitch, to->increment, nx, ny, error));
    TRY(read_values(f.x_half + run * d.x_states, layers, to->x_half, layers, ny, error));
    TRY(read_values(f.x_node + run * d.x_states, layers, to->x_node, layers, ny, error));
    TRY(read_values(f.y_half + run * d.y_states, pitch, to->y_half, nx, layers, error));
    TRY(read_values(f.y_node + run * d.y_states, pitch, to->y_node, nx, layers, error));
    if (to->spectra != NULL && engine->problem->spectra.frequency_count > 0) {
        TRY(engine_read_spectra(engine, run, 0, engine->spectra.rows, to->spectra, error));
    }
    if (to->probes != NULL) {
        size_t probes = engine->problem->probe_count;
        TRY(read_values(engine->events.record + run * engine->events.record_stride, probes, to->probes, probes,
                        (size_t)engine->step, error));
    }
    return PW_OK;
}

template <typename Real>
pw_status engine_load(engine<Real> *engine, int run, const struct snapshot *from, pw_error *error)
{
    const device_problem<Real> &d = engine->device;
    const device_fields<Real> &f = engine->fields[engine->now];
    size_t nx = d.nx, ny = d.ny, layers = 2 * (size_t)d.layer, pitch = d.pitch;
    TRY(flush_spectra(engine, error)); /* of the other runs */
    CUDA_TRY(cudaStreamSynchronize(engine->stream));
    TRY(write_values(f.e + run * d.cells, pitch, from->ez, nx, ny, error));
    TRY(write_values(f.v + run * d.cells, pitch, from->increment, nx, ny, error));
    TRY(write_values(f.x_half + run * d.x_states, layers, from->x_half, layers, ny, error));
    TRY(write_values(f.x_node + run * d.x_states, layers, from->x_node, layers, ny, error));
    TRY(write_values(f.y_half + run * d.y_states, pitch, from->y_half, nx, layers, error));
    TRY(write_values(f.y_node + run * d.y_states, pitch, from->y_node, nx, layers, error));
    if (from->spectra != NULL && engine->problem->spectra.frequency_count > 0) {
        size_t values = 2 * engine->spectra.cells * engine->spectra.frequency_count;
        TRY(write_values(engine->sums + run * values, values, from->spectra, values, 1, error));
    }
    if (from->probes != NULL) {
        size_t probes = engine->problem->probe_count;
        TRY(write_values(engine->events.record + run * engine->events.record_stride, probes, from->probes, probes,
                         (size_t)from->step, error));
    }
    engine->step = from->step;
    CUDA_TRY(cudaDeviceSynchronize());
    return PW_OK;
}

/* ---- lifetime ---------------------------------------------------------------------------------------------------- */

template <typename Real> void engine_destroy(engine<Real> *engine)
{
    if (engine == NULL) {
        return;
    }
    /* On the way out nothing can be done about a failure; the device's memory goes with the process at the latest. */
    for (void *memory : engine->owned) {
        (void)cudaFree(memory);
    }
    if (engine->begun != NULL) {
        (void)cudaEventDestroy(engine->begun);
    }
    if (engine->ended != NULL) {
        (void)cudaEventDestroy(engine->ended);
    }
    if (engine->stream != NULL) {
        (void)cudaStreamDestroy(engine->stream);
    }
    if (engine->side != NULL) {
        (void)cudaStreamDestroy(engine->side);
    }
    delete engine;
}

template <typename Real>
pw_status engine_fill(engine<Real> *engine, const struct backend_options *options, pw_error *error)
{
    TRY(check_memory(engine->problem, engine->count, error));
    CUDA_TRY(cudaStreamCreateWithFlags(&engine->stream, cudaStreamNonBlocking));
    CUDA_TRY(cudaStreamCreateWithFlags(&engine->side, cudaStreamNonBlocking));
    CUDA_TRY(cudaEventCreateWithFlags(&engine->begun, cudaEventDisableTiming));
    CUDA_TRY(cudaEventCreateWithFlags(&engine->ended, cudaEventDisableTiming));
    TRY(choose(engine, options, error));
    TRY(create_medium(engine, error));
    TRY(create_fields(engine, error));
    TRY(create_events(engine, error));
    TRY(create_spectra(engine, error));
    TRY(create_boxes(engine, error));
    CUDA_TRY(cudaDeviceSynchronize());
    return PW_OK;
}

template <typename Real>
pw_status engine_create(const struct problem *problem, int first, int count, const struct backend_options *options,
                        engine<Real> **out, pw_error *error)
{
    engine<Real> *made = new engine<Real>();
    made->problem = problem;
    made->first = first;
    made->count = count;
    pw_status status = cuda_guard([&] { return engine_fill(made, options, error); }, error);
    if (status != PW_OK) {
        engine_destroy(made);
        return status;
    }
    *out = made;
    return PW_OK;
}

} // namespace

/* ---- the table --------------------------------------------------------------------------------------------------- */

static pw_status cuda_probe(char *device, size_t size, pw_error *error)
{
    int count = 0;
    cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) {
        (void)cudaGetLastError();
        return fail(error, PW_NO_RESOURCE, "no NVIDIA GPU that CUDA can use (%s): check `nvidia-smi` and the driver",
                    status != cudaSuccess ? cudaGetErrorString(status) : "none found");
    }
    cudaDeviceProp properties;
    CUDA_TRY(cudaGetDeviceProperties(&properties, 0));
    snprintf(device, size, "%.80s, %d multiprocessors, %.0f GB", properties.name, properties.multiProcessorCount,
             (double)properties.totalGlobalMem / 1e9);
    return PW_OK;
}

static void cuda_memory(const struct problem *problem, int runs, uint64_t *host, uint64_t *device)
{
    *host = 0;
    *device = device_bytes(problem, runs);
}

static int cuda_group(const struct problem *problem)
{
    size_t available = 0, total = 0;
    if (cudaMemGetInfo(&available, &total) != cudaSuccess) {
        (void)cudaGetLastError();
        return 1;
    }
    double one = (double)device_bytes(problem, 1), cells = (double)problem->nx * problem->ny;
    int fit = (int)std::min(1000.0, 0.9 * (double)available / one), useful = (int)std::min(1000.0, GROUP_CELLS / cells);
    return std::max(1, std::min(std::min(fit, useful), problem->source_count));
}

static pw_status cuda_create(const struct problem *problem, int first, int count, const struct backend_options *options,
                             void **state, pw_error *error)
{
    char device[128];
    TRY(cuda_probe(device, sizeof device, error));
    return cuda_guard(
        [&]() -> pw_status {
            std::unique_ptr<cuda_state> made(new cuda_state());
            TRY(problem->precision == PW_SINGLE ? engine_create(problem, first, count, options, &made->single, error)
                                                : engine_create(problem, first, count, options, &made->twice, error));
            *state = made.release();
            return PW_OK;
        },
        error);
}

/* The action on the engine of this state's precision. */
template <typename Action> static pw_status for_engine(void *state, const Action &action, pw_error *error)
{
    cuda_state *own = (cuda_state *)state;
    return cuda_guard([&] { return own->single != NULL ? action(own->single) : action(own->twice); }, error);
}

static pw_status cuda_advance(void *state, int64_t steps, pw_error *error)
{
    return for_engine(
        state, [&](auto *engine) { return engine_advance(engine, steps, error); }, error);
}

template <typename Real> static pw_status engine_energy(engine<Real> *engine, int run, double *energy, pw_error *error)
{
    return energy_sum(engine->device, engine->fields[engine->now].e + run * engine->device.cells, engine->partial,
                      energy, engine->stream, error);
}

static pw_status cuda_energy(void *state, int run, double *energy, pw_error *error)
{
    return for_engine(
        state, [&](auto *engine) { return engine_energy(engine, run, energy, error); }, error);
}

template <typename Real> static pw_status engine_read_field(engine<Real> *engine, int run, double *ez, pw_error *error)
{
    const device_problem<Real> &d = engine->device;
    return read_values(engine->fields[engine->now].e + run * d.cells, d.pitch, ez, d.nx, d.ny, error);
}

static pw_status cuda_read_field(void *state, int run, double *ez, pw_error *error)
{
    return for_engine(
        state, [&](auto *engine) { return engine_read_field(engine, run, ez, error); }, error);
}

template <typename Real> static pw_status engine_read_probes(engine<Real> *engine, int run, double *ez, pw_error *error)
{
    size_t probes = engine->problem->probe_count;
    return read_values(engine->events.record + run * engine->events.record_stride, probes, ez, probes,
                       (size_t)engine->step, error);
}

static pw_status cuda_read_probes(void *state, int run, double *ez, pw_error *error)
{
    return for_engine(
        state, [&](auto *engine) { return engine_read_probes(engine, run, ez, error); }, error);
}

static pw_status cuda_read_spectra(void *state, int run, int row_first, int row_count, double *out, pw_error *error)
{
    return for_engine(
        state, [&](auto *engine) { return engine_read_spectra(engine, run, row_first, row_count, out, error); }, error);
}

static pw_status cuda_save(void *state, int run, struct snapshot *snapshot, pw_error *error)
{
    return for_engine(
        state, [&](auto *engine) { return engine_save(engine, run, snapshot, error); }, error);
}

static pw_status cuda_load(void *state, int run, const struct snapshot *snapshot, pw_error *error)
{
    return for_engine(
        state, [&](auto *engine) { return engine_load(engine, run, snapshot, error); }, error);
}

static void cuda_destroy(void *state)
{
    cuda_state *own = (cuda_state *)state;
    if (own != NULL) {
        engine_destroy(own->single);
        engine_destroy(own->twice);
        delete own;
    }
}

static uint64_t cuda_device_free(void)
{
    size_t available = 0, total = 0;
    if (cudaMemGetInfo(&available, &total) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return available;
}

/* Median of five copies of a large buffer, bytes read plus bytes written; 0 on failure. */
static double cuda_copy_bandwidth(void)
{
    size_t bytes = std::min<size_t>((size_t)2 << 30, cuda_device_free() / 4);
    void *from = NULL, *to = NULL;
    cudaEvent_t begun = NULL, ended = NULL;
    bool well = bytes > 0 && cudaMalloc(&from, bytes) == cudaSuccess && cudaMalloc(&to, bytes) == cudaSuccess &&
                cudaEventCreate(&begun) == cudaSuccess && cudaEventCreate(&ended) == cudaSuccess &&
                cudaMemset(from, 1, bytes) == cudaSuccess;
    float times[6] = {0};
    for (int k = 0; well && k < 6; k++) {
        well = cudaEventRecord(begun) == cudaSuccess &&
               cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice) == cudaSuccess &&
               cudaEventRecord(ended) == cudaSuccess && cudaEventSynchronize(ended) == cudaSuccess &&
               cudaEventElapsedTime(&times[k], begun, ended) == cudaSuccess;
    }
    (void)cudaFree(from);
    (void)cudaFree(to);
    (void)(begun != NULL && cudaEventDestroy(begun));
    (void)(ended != NULL && cudaEventDestroy(ended));
    (void)cudaGetLastError();
    std::sort(times + 1, times + 6); /* the first warms up */
    return well && times[3] > 0 ? 2.0 * (double)bytes / (times[3] * 1e-3) : 0;
}

extern "C" const struct backend backend_cuda = {
    .name = "cuda",
    .description = "NVIDIA GPU",
    .probe = cuda_probe,
    .memory = cuda_memory,
    .group = cuda_group,
    .create = cuda_create,
    .advance = cuda_advance,
    .energy = cuda_energy,
    .read_field = cuda_read_field,
    .read_probes = cuda_read_probes,
    .read_spectra = cuda_read_spectra,
    .save = cuda_save,
    .load = cuda_load,
    .destroy = cuda_destroy,
    .device_free = cuda_device_free,
    .copy_bandwidth = cuda_copy_bandwidth,
};
