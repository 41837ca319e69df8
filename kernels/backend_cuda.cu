/* The CUDA backend: owns the device memory of a group of runs, reads and writes it, and is the backend's table. Leaves
 * out: stepping (engine_advance.cu), which rung a problem takes (solver.cu), and cutting the domain into boxes
 * (boxes.cu). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/engine.h"
#include "kernels/resident/wide_resident.h"
#include "kernels/tuning.h"

namespace
{

struct cuda_state {
    engine<float> *single;
    engine<double> *twice; /* one of the two is NULL */
};

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Bytes of the device that are left to the driver. */
const uint64_t KEPT_FREE = 64u << 20;

/* Bytes on the device for `runs` runs without their spectra; the shared part is the medium, the tables and the boxes.
 */
uint64_t device_bytes(const struct problem *p, int runs)
{
    uint64_t real = p->precision == PW_SINGLE ? 4 : 8, pitch = (uint64_t)field_pitch(p),
             cells = pitch * (uint64_t)p->axis[1].count;
    uint64_t states = 4 * (uint64_t)problem_layer(p) * ((uint64_t)p->axis[1].count + pitch);
    uint64_t a_run = 2 * real * (2 * cells + states) + real * (uint64_t)p->steps * (uint64_t)p->probe_count;
    for (int s = 0; s < p->source_count && s < 1; s++) {
        a_run += 16 * (uint64_t)p->sources[s].count + 8 * (uint64_t)p->steps;
    }
    return (uint64_t)runs * a_run + 2 * cells + cells / 256 + 2 * real * (uint64_t)p->coefficient_count;
}

/* What the spectra may take of `available` bytes. */
uint64_t spectra_room(const struct problem *p, int runs, uint64_t available)
{
    uint64_t taken = device_bytes(p, runs) + KEPT_FREE;
    return available > taken ? available - taken : 0;
}

/* Says what is needed and what would fit, before anything is allocated. */
pw_status check_memory(const struct problem *problem, int runs, pw_error *error)
{
    size_t available = 0, total = 0;
    CUDA_TRY(cudaMemGetInfo(&available, &total));
    uint64_t need =
        device_bytes(problem, runs) + spectra_plan_for(problem, runs, spectra_room(problem, runs, available)).device;
    if (need + KEPT_FREE <= available) {
        return PW_OK;
    }
    double per_cell = (double)need / ((double)problem->axis[0].count * problem->axis[1].count);
    double side = sqrt(0.95 * (double)available / per_cell);
    return fail(
        error, PW_NO_RESOURCE,
        "the device has %.2f GB free and %d run%s of %d x %d cells with %d frequencies at %d x %d points need %.2f GB; "
        "about %.0f x %.0f cells would fit as it is, or use fewer frequencies, a larger spacing of the spectra or "
        "fewer steps between fewer probes",
        available / 1e9, runs, runs == 1 ? "" : "s", problem->axis[0].count, problem->axis[1].count,
        problem->spectra.frequency_count, problem->spectra.columns, problem->spectra.rows, need / 1e9, side, side);
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
    return device_copy(&engine->memory, to, (const pair *)values.data(), (size_t)count, "absorber profiles", error);
}

template <typename Real> pw_status create_medium(engine<Real> *engine, pw_error *error)
{
    typedef typename pair_of<Real>::type pair;
    const struct problem *p = engine->problem;
    device_problem<Real> *d = &engine->device;
    d->nx = p->axis[0].count;
    d->ny = p->axis[1].count;
    d->pitch = field_pitch(p);
    d->layer = problem_layer(p);
    d->reach = p->reach;
    d->rings = p->laplacian_taps;
    d->zone = problem_layer(p) > 0 ? problem_layer(p) + p->reach : 0;
    d->cells = (size_t)d->pitch * d->ny;
    d->x_states = (size_t)d->ny * 2 * d->layer;
    d->y_states = (size_t)2 * d->layer * d->pitch;
    d->centre = (Real)p->centre;
    d->centre2 = (Real)(2 * p->centre);
    for (int l = 0; l < p->reach; l++) {
        d->difference[l] = (Real)p->difference[l];
    }
    for (int m = 0; m < p->laplacian_taps; m++) {
        d->ring[m] = (Real)p->laplacian[m];
    }
    std::vector<pair> palette(p->coefficient_count);
    for (int k = 0; k < p->coefficient_count; k++) {
        palette[k].x = (Real)problem_coefficient(p, k)[COEFFICIENT_CA];
        palette[k].y = (Real)problem_coefficient(p, k)[COEFFICIENT_CB];
    }
    d->palette_count = p->coefficient_count;
    TRY(device_copy(&engine->memory, &d->palette, (const pair *)palette.data(), palette.size(), "the palette", error));
    uint16_t *material = NULL;
    TRY(device_array(&engine->memory, &material, d->cells, "the materials", error));
    CUDA_TRY(cudaMemcpy2D(material, 2 * (size_t)d->pitch, p->coefficient_index, 2 * (size_t)p->axis[0].count,
                          2 * (size_t)p->axis[0].count, p->axis[1].count, cudaMemcpyHostToDevice));
    d->material = material;
    TRY(copy_filters(engine, &d->x_half, p->axis[0].half, p->axis[0].count, error));
    TRY(copy_filters(engine, &d->x_node, p->axis[0].node, p->axis[0].count, error));
    TRY(copy_filters(engine, &d->y_half, p->axis[1].half, p->axis[1].count, error));
    return copy_filters(engine, &d->y_node, p->axis[1].node, p->axis[1].count, error);
}

template <typename Real> pw_status create_fields(engine<Real> *engine, pw_error *error)
{
    size_t cells = engine->device.cells * engine->count, x = engine->device.x_states * engine->count,
           y = engine->device.y_states * engine->count;
    for (device_fields<Real> &f : engine->fields) {
        TRY(device_array(&engine->memory, &f.e, cells, "Ez", error));
        TRY(device_array(&engine->memory, &f.v, cells, "the increments", error));
        TRY(device_array(&engine->memory, &f.x_half, x, "absorber states", error));
        TRY(device_array(&engine->memory, &f.x_node, x, "absorber states", error));
        TRY(device_array(&engine->memory, &f.y_half, y, "absorber states", error));
        TRY(device_array(&engine->memory, &f.y_node, y, "absorber states", error));
        engine->own_e[&f - engine->fields] = f.e;
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
        TRY(device_copy(&engine->memory, &d.node, (const int64_t *)s->node, (size_t)s->count, "source nodes", error));
        TRY(device_copy(&engine->memory, &d.weight, (const double *)s->weight, (size_t)s->count, "source weights",
                        error));
        TRY(device_copy(&engine->memory, &d.drive, (const double *)s->drive, (size_t)p->steps, "waveforms", error));
        engine->sources.push_back(d);
    }
    device_events<Real> *e = &engine->events;
    TRY(device_copy(&engine->memory, &e->sources, (const device_source *)engine->sources.data(), engine->sources.size(),
                    "sources", error));
    e->probe_count = p->probe_count;
    e->record_stride = (size_t)p->steps * p->probe_count;
    e->record_first = 0;
    TRY(device_array(&engine->memory, &e->record, e->record_stride * engine->count, "the probes' record", error));
    size_t probes = engine->set.probe_slot.size();
    TRY(device_copy(&engine->memory, &e->probe_x, (const int *)engine->set.probe_x.data(), probes, "probes", error));
    TRY(device_copy(&engine->memory, &e->probe_y, (const int *)engine->set.probe_y.data(), probes, "probes", error));
    return device_copy(&engine->memory, &e->probe_slot, (const int *)engine->set.probe_slot.data(), probes, "probes",
                       error);
}

/* After all other memory. */
template <typename Real> pw_status create_spectra(engine<Real> *engine, pw_error *error)
{
    size_t available = 0, total = 0;
    TRY(device_array(&engine->memory, &engine->partial, ENERGY_BLOCKS, "the energy", error));
    CUDA_TRY(cudaMemGetInfo(&available, &total));
    uint64_t room = available > KEPT_FREE ? available - KEPT_FREE : 0;
    return spectra_create(engine->problem, engine->count, room, &engine->memory, &engine->spectra, error);
}

/* What the blocks of a wide stencil's frame are told, on the device. */
template <typename Real> pw_status create_frame(engine<Real> *engine, pw_error *error)
{
    const box_set &set = engine->set;
    wide_pass_plan *plan = &engine->frame;
    plan->box_count = (int)set.boxes.size();
    plan->air = make_float2((float)problem_coefficient(engine->problem, 0)[COEFFICIENT_CA],
                            (float)problem_coefficient(engine->problem, 0)[COEFFICIENT_CB]);
    TRY(device_copy(&engine->memory, &plan->orders, set.orders.data(), set.orders.size(), "the frame's tables", error));
    TRY(device_copy(&engine->memory, &plan->weights, set.weights.data(), set.weights.size(), "sources in the frame",
                    error));
    return device_copy(&engine->memory, &plan->boxes, set.pass_boxes.data(), set.pass_boxes.size(), "the frame's boxes",
                       error);
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
    TRY(device_copy(&engine->memory, &boxes, (const box *)set->boxes.data(), set->boxes.size(), "boxes", error));
    TRY(device_copy(&engine->memory, &skip, (const uint8_t *)set->skip.data(), set->skip.size(), "patches", error));
    engine->boxes = (box *)boxes;
    engine->skip = (uint8_t *)skip;
    if (set->framed && shape.reach > 1) {
        TRY(create_frame(engine, error));
    }
    if (engine->choice.rung != SOLVER_RESIDENT) {
        return PW_OK;
    }
    int count = (int)set->boxes.size();
    size_t words = shape.reach > 1 ? wide_resident_words(count) : yee_resident_words(shape.ny, count, set->columns);
    return device_array(&engine->memory, &engine->packets, words, "packets", error);
}

template <typename Real> pw_status choose(engine<Real> *engine, const struct backend_options *options, pw_error *error)
{
    const struct problem *p = engine->problem;
    int shared = 0, device = 0;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&engine->processors, cudaDevAttrMultiProcessorCount, device));
    CUDA_TRY(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    box_request request = {p, engine->first, engine->count, 1, (size_t)shared - 1024};
    TRY(choose_rung(request, options, engine->processors, &engine->choice, &engine->set, error));
    engine->samples_itself = engine->choice.rung == SOLVER_RESIDENT || engine->set.framed;
    return PW_OK;
}

/* ---- reading, saving, loading ------------------------------------------------------------------------------------ */

template <typename Real>
pw_status engine_read_spectra(engine<Real> *engine, int run, int row_first, int row_count, double *out, pw_error *error)
{
    TRY(engine_flush(engine, error));
    CUDA_TRY(cudaStreamSynchronize(engine->stream));
    return spectra_read(&engine->spectra, run, row_first, row_count, out, error);
}

template <typename Real>
pw_status engine_read_samples(engine<Real> *engine, int run, int row_first, int row_count, double *out, pw_error *error)
{
    TRY(engine_flush(engine, error));
    CUDA_TRY(cudaStreamSynchronize(engine->stream));
    return spectra_read_samples(&engine->spectra, run, row_first, row_count, out, error);
}

template <typename Real> pw_status engine_save(engine<Real> *engine, int run, struct run_state *to, pw_error *error)
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
        TRY(engine_read_spectra(engine, run, 0, engine->spectra.shape.rows, to->spectra, error));
    }
    if (to->samples != NULL && engine->problem->spectra.frequency_count > 0) {
        TRY(engine_read_samples(engine, run, 0, engine->spectra.shape.rows, to->samples, error));
    }
    if (to->probes != NULL) {
        size_t probes = engine->problem->probe_count;
        TRY(read_values(engine->events.record + run * engine->events.record_stride, probes, to->probes, probes,
                        (size_t)engine->step, error));
    }
    return PW_OK;
}

template <typename Real>
pw_status engine_load(engine<Real> *engine, int run, const struct run_state *from, pw_error *error)
{
    const device_problem<Real> &d = engine->device;
    device_fields<Real> &f = engine->fields[engine->now];
    size_t nx = d.nx, ny = d.ny, layers = 2 * (size_t)d.layer, pitch = d.pitch;
    TRY(engine_flush(engine, error)); /* of the other runs */
    CUDA_TRY(cudaStreamSynchronize(engine->stream));
    f.e = engine->own_e[engine->now]; /* not where a sample is that will be loaded */
    TRY(write_values(f.e + run * d.cells, pitch, from->ez, nx, ny, error));
    TRY(write_values(f.v + run * d.cells, pitch, from->increment, nx, ny, error));
    TRY(write_values(f.x_half + run * d.x_states, layers, from->x_half, layers, ny, error));
    TRY(write_values(f.x_node + run * d.x_states, layers, from->x_node, layers, ny, error));
    TRY(write_values(f.y_half + run * d.y_states, pitch, from->y_half, nx, layers, error));
    TRY(write_values(f.y_node + run * d.y_states, pitch, from->y_node, nx, layers, error));
    TRY(spectra_load(&engine->spectra, run, from, error));
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
    /* On the way out nothing can be done about a failure. */
    spectra_free(&engine->spectra);
    (void)(engine->stream != NULL && cudaStreamDestroy(engine->stream));
    delete engine;
}

template <typename Real>
pw_status engine_fill(engine<Real> *engine, const struct backend_options *options, pw_error *error)
{
    TRY(check_memory(engine->problem, engine->count, error));
    CUDA_TRY(cudaStreamCreateWithFlags(&engine->stream, cudaStreamNonBlocking));
    TRY(choose(engine, options, error));
    TRY(create_medium(engine, error));
    TRY(create_fields(engine, error));
    TRY(create_events(engine, error));
    TRY(create_boxes(engine, error));
    TRY(create_spectra(engine, error));
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
    size_t available = 0, total = 0;
    if (cudaMemGetInfo(&available, &total) != cudaSuccess) {
        (void)cudaGetLastError();
    }
    spectra_plan spectra = spectra_plan_for(problem, runs, spectra_room(problem, runs, available));
    *host = spectra.host;
    *device = device_bytes(problem, runs) + spectra.device;
}

static int cuda_group(const struct problem *problem)
{
    size_t available = 0, total = 0;
    if (cudaMemGetInfo(&available, &total) != cudaSuccess) {
        (void)cudaGetLastError();
        return 1;
    }
    double one = (double)(device_bytes(problem, 1) + spectra_plan_for(problem, 1, UINT64_MAX).device);
    double cells = (double)problem->axis[0].count * problem->axis[1].count;
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

static pw_status cuda_read_samples(void *state, int run, int row_first, int row_count, double *out, pw_error *error)
{
    return for_engine(
        state, [&](auto *engine) { return engine_read_samples(engine, run, row_first, row_count, out, error); }, error);
}

static pw_status cuda_save(void *state, int run, struct run_state *snapshot, pw_error *error)
{
    return for_engine(
        state, [&](auto *engine) { return engine_save(engine, run, snapshot, error); }, error);
}

static pw_status cuda_load(void *state, int run, const struct run_state *snapshot, pw_error *error)
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
    .read_samples = cuda_read_samples,
    .save = cuda_save,
    .load = cuda_load,
    .destroy = cuda_destroy,
    .device_free = cuda_device_free,
    .copy_bandwidth = cuda_copy_bandwidth,
};
