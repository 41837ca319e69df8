/* Making an engine: how much memory it takes, the medium, the fields, sources and probes. Leaves out: the partition and
 * what a solver holds for it (stepping.create), and the memory of the spectra (spectra_store.cu). */
#include <algorithm>

#include "kernels/common/device_room.h"
#include "kernels/engine.h"
#include "kernels/metal/metal_quads.h"
#include "kernels/tuning.h"

namespace
{

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Bytes of the device that are left to the driver. */
const uint64_t KEPT_FREE = 64u << 20;

/* Dispersive nodes, by whichever of the two ways (engine.h) takes more, and half as many again in boxes' lists. */
uint64_t poles_bytes(const struct problem *p, int runs)
{
    const uint64_t nodes = pole_nodes_device_bytes(p, runs);
    return p->pole_span_count > 0 ? std::max(nodes, pole_quads_device_bytes(p, runs)) + nodes / 2 * 3 : 0;
}

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
    return (uint64_t)runs * a_run + 2 * cells + cells / 256 + 2 * real * (uint64_t)p->coefficient_count +
           poles_bytes(p, runs) + mur_edges_device_bytes(p, runs) + metal_nodes_device_bytes(p) +
           metal_quads_device_bytes(p);
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
pw_status copy_filters(engine<Real> *engine, const device_filter<Real> **to, const struct absorber_filter *from,
                       int count, pw_error *error)
{
    std::vector<device_filter<Real>> values(count);
    for (int k = 0; k < count; k++) {
        values[k] = filter_for_device<Real>(from != NULL ? from[k] : absorber_filter{1, 1, 0});
    }
    return device_copy(&engine->memory, to, values.data(), values.size(), "absorber profiles", error);
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
    d->laplacian_taps = p->laplacian_taps;
    d->absorber_region = problem_layer(p) > 0 ? problem_layer(p) + p->reach : 0;
    for (int a = 0; a < 2; a++) {
        d->symmetric[a] = p->axis[a].low.symmetric;
        d->low_layer[a] = d->symmetric[a] ? 0 : d->layer;
        d->low_region[a] = d->symmetric[a] ? 0 : d->absorber_region;
    }
    d->cells = (size_t)d->pitch * d->ny;
    d->x_states = (size_t)d->ny * 2 * d->layer;
    d->y_states = (size_t)2 * d->layer * d->pitch;
    d->centre = (Real)p->centre;
    d->centre2 = (Real)(2 * p->centre);
    for (int l = 0; l < p->reach; l++) {
        d->difference[l] = (Real)p->difference[l];
    }
    for (int m = 0; m < p->laplacian_taps; m++) {
        d->laplacian[m] = (Real)p->laplacian[m];
    }
    std::vector<pair> values(p->coefficient_count);
    for (int k = 0; k < p->coefficient_count; k++) {
        values[k].x = (Real)problem_coefficient(p, k)[COEFFICIENT_CA];
        values[k].y = (Real)problem_coefficient(p, k)[COEFFICIENT_CB];
    }
    d->coefficient_count = p->coefficient_count;
    TRY(device_copy(&engine->memory, &d->coefficients, (const pair *)values.data(), values.size(), "coefficients",
                    error));
    uint16_t *index = NULL;
    TRY(device_array(&engine->memory, &index, d->cells, "coefficient indices", error));
    CUDA_TRY(cudaMemcpy2D(index, 2 * (size_t)d->pitch, p->coefficient_index, 2 * (size_t)p->axis[0].count,
                          2 * (size_t)p->axis[0].count, p->axis[1].count, cudaMemcpyHostToDevice));
    device_keep(&engine->memory);
    d->coefficient_index = index;
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
        d.further = s->further;
        if (d.further > 0) {
            TRY(device_copy(&engine->memory, &d.further_weight, (const double *)s->further_weight,
                            (size_t)s->further * (size_t)s->count, "source weights", error));
            TRY(device_copy(&engine->memory, &d.further_drive, (const double *)s->further_drive,
                            (size_t)s->further * (size_t)p->steps, "waveforms", error));
        }
        engine->sources.push_back(d);
    }
    device_events<Real> *e = &engine->events;
    TRY(device_copy(&engine->memory, &e->sources, (const device_source *)engine->sources.data(), engine->sources.size(),
                    "sources", error));
    e->probe_count = p->probe_count;
    e->record_stride = (size_t)p->steps * p->probe_count;
    e->record_first = 0;
    TRY(device_array(&engine->memory, &e->record, e->record_stride * engine->count, "the probes' record", error));
    size_t probes = engine->solver->set.probe_slot.size();
    TRY(device_copy(&engine->memory, &e->probe_x, (const int *)engine->solver->set.probe_x.data(), probes, "probes",
                    error));
    TRY(device_copy(&engine->memory, &e->probe_y, (const int *)engine->solver->set.probe_y.data(), probes, "probes",
                    error));
    return device_copy(&engine->memory, &e->probe_slot, (const int *)engine->solver->set.probe_slot.data(), probes,
                       "probes", error);
}

template <typename Real> pw_status create_poles(engine<Real> *engine, pw_error *error)
{
    if (engine->problem->pole_span_count > 0 && engine->solver->takes_poles) {
        return pole_quads_create(engine->problem, engine->device.pitch, engine->count, &engine->memory, &engine->quads,
                                 error);
    }
    const pole_layout layout = {(size_t)engine->device.pitch, engine->device.cells};
    TRY(pole_nodes_create(engine->problem, layout, engine->count, &engine->memory, &engine->poles, error));
    return pole_probes_create(engine->problem, layout, &engine->memory, &engine->answered, error);
}

/* After all other memory. */
template <typename Real> pw_status create_spectra(engine<Real> *engine, pw_error *error)
{
    size_t available = 0, total = 0;
    TRY(device_array(&engine->memory, &engine->partial, ENERGY_BLOCKS, "the energy", error));
    CUDA_TRY(cudaMemGetInfo(&available, &total));
    uint64_t room = available > KEPT_FREE ? available - KEPT_FREE : 0;
    const spectra_plan plan = engine->memory.arena != NULL ? spectra_plan_in_turns(engine->problem, engine->count)
                                                           : spectra_plan_for(engine->problem, engine->count, room);
    return spectra_create(engine->problem, engine->count, plan, &engine->memory, &engine->spectra, error);
}

template <typename Real> pw_status engine_fill(engine<Real> *engine, pw_error *error)
{
    int device = 0;
    TRY(engine->memory.arena != NULL ? PW_OK : check_memory(engine->problem, engine->count, error));
    CUDA_TRY(cudaStreamCreateWithFlags(&engine->stream, cudaStreamNonBlocking));
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&engine->processors, cudaDevAttrMultiProcessorCount, device));
    TRY(create_medium(engine, error));
    TRY(create_fields(engine, error));
    TRY(create_events(engine, error));
    TRY(create_poles(engine, error));
    TRY(mur_edges_create(engine->problem, engine->count, &engine->memory, &engine->edges, error));
    TRY(metal_nodes_create(engine->problem, &engine->memory, &engine->metal, error));
    TRY(engine->solver->create(engine, error));
    TRY(create_spectra(engine, error));
    CUDA_TRY(cudaDeviceSynchronize());
    return PW_OK;
}

} // namespace

template <typename Real>
pw_status engine_create(const struct solver_request *asked, std::unique_ptr<stepping<Real>> solver, engine<Real> **out,
                        pw_error *error)
{
    engine<Real> *made = new engine<Real>();
    made->problem = asked->problem;
    made->first = asked->first;
    made->count = asked->count;
    made->memory.arena = asked->arena;
    made->solver = std::move(solver);
    pw_status status = cuda_guard([&] { return engine_fill(made, error); }, error);
    if (status != PW_OK) {
        engine_destroy(made);
        return status;
    }
    *out = made;
    return PW_OK;
}

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

uint64_t engine_bytes_in_turns(const struct problem *problem, int runs)
{
    return device_bytes(problem, runs) + spectra_plan_in_turns(problem, runs).device;
}

void engine_memory(const struct problem *problem, int runs, uint64_t *host, uint64_t *device)
{
    spectra_plan spectra = spectra_plan_for(problem, runs, spectra_room(problem, runs, device_bytes_free()));
    const uint64_t nodes = pole_nodes_host_bytes(problem);
    *host = spectra.host + (nodes > 0 ? std::max(nodes, pole_quads_host_bytes(problem)) : 0);
    *device = device_bytes(problem, runs) + spectra.device;
}

int engine_ensemble(const struct problem *problem)
{
    uint64_t run_bytes = device_bytes(problem, 1) + spectra_plan_for(problem, 1, UINT64_MAX).device;
    return device_ensemble(problem, run_bytes, ENSEMBLE_CELLS);
}

#define INSTANTIATE(Real)                                                                                              \
    template pw_status engine_create<Real>(const struct solver_request *, std::unique_ptr<stepping<Real>>,             \
                                           engine<Real> **, pw_error *);                                               \
    template void engine_destroy<Real>(engine<Real> *);
INSTANTIATE(float)
INSTANTIATE(double)
