/* Reading, saving and loading the runs of an engine. */
#include <array>

#include "kernels/engine.h"

template <typename Real>
pw_status engine_energy(engine<Real> *engine, int run, const struct patch &box, double *energy, pw_error *error)
{
    const device_problem<Real> &d = engine->device;
    const Real *e = engine->fields[engine->now].e + run * d.cells + (size_t)box.first[1] * d.pitch + box.first[0];
    return energy_sum({box.count[0], box.count[1], 1, d.pitch, d.cells}, e, engine->partial, energy, engine->stream,
                      error);
}

template <typename Real> pw_status engine_read_field(engine<Real> *engine, int run, double *ez, pw_error *error)
{
    const device_problem<Real> &d = engine->device;
    return read_values(engine->fields[engine->now].e + run * d.cells, d.pitch, ez, d.nx, d.ny, error);
}

template <typename Real> pw_status engine_read_probes(engine<Real> *engine, int run, double *ez, pw_error *error)
{
    size_t probes = engine->problem->probe_count;
    return read_values(engine->events.record + run * engine->events.record_stride, probes, ez, probes,
                       (size_t)engine->step, error);
}

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

/* One array of a run's state: rows of `width` values, `pitch` apart on the device; `host` NULL: left out. */
template <typename Real> struct saved_array {
    Real *device;
    size_t pitch;
    double *host;
    size_t width, height;
};

template <typename Real>
std::array<saved_array<Real>, 6> saved_arrays(const engine<Real> *engine, int run, const struct run_state *state)
{
    const device_problem<Real> &d = engine->device;
    const device_fields<Real> &f = engine->fields[engine->now];
    size_t nx = d.nx, ny = d.ny, layers = 2 * (size_t)d.layer, pitch = d.pitch;
    /* A symmetry plane has no layer: the states of the canonical arrays are those of the high end. */
    size_t x_idle = d.symmetric[0] ? d.layer : 0, y_idle = d.symmetric[1] ? d.layer : 0;
    size_t x = run * d.x_states + x_idle, y = run * d.y_states + y_idle * pitch;
    return {{{f.e + run * d.cells, pitch, state->ez, nx, ny},
             {f.v + run * d.cells, pitch, state->increment, nx, ny},
             {f.x_half + x, layers, state->x_half, layers - x_idle, ny},
             {f.x_node + x, layers, state->x_node, layers - x_idle, ny},
             {f.y_half + y, pitch, state->y_half, nx, layers - y_idle},
             {f.y_node + y, pitch, state->y_node, nx, layers - y_idle}}};
}

/* What dispersive nodes remember, by whoever steps them. Passes that step them are in single precision. */
template <typename Real> pw_status read_poles(engine<Real> *engine, int run, double *states, pw_error *error)
{
    return pole_nodes_read(engine->problem, engine->poles, run, states, error);
}
template <> pw_status read_poles(engine<float> *engine, int run, double *states, pw_error *error)
{
    const struct problem *p = engine->problem;
    const float *v = engine->fields[engine->now].v + run * engine->device.cells;
    return engine->solver->takes_poles ? pole_quads_read(p, engine->quads, run, engine->now, v, states, error)
                                       : pole_nodes_read(p, engine->poles, run, states, error);
}

template <typename Real> pw_status write_poles(engine<Real> *engine, int run, const double *states, pw_error *error)
{
    return pole_nodes_write(engine->problem, engine->poles, run, states, error);
}
template <> pw_status write_poles(engine<float> *engine, int run, const double *states, pw_error *error)
{
    const struct problem *p = engine->problem;
    const float *v = engine->fields[engine->now].v + run * engine->device.cells;
    return engine->solver->takes_poles ? pole_quads_write(p, engine->quads, run, engine->now, v, states, error)
                                       : pole_nodes_write(p, engine->poles, run, states, error);
}

template <typename Real> pw_status engine_save(engine<Real> *engine, int run, struct run_state *to, pw_error *error)
{
    to->step = engine->step;
    for (const saved_array<Real> &a : saved_arrays(engine, run, to)) {
        if (a.host != NULL) {
            TRY(read_values(a.device, a.pitch, a.host, a.width, a.height, error));
        }
    }
    if (to->poles != NULL) {
        TRY(read_poles(engine, run, to->poles, error));
    }
    const size_t edges = engine->edges.run_memory;
    if (to->edges != NULL) {
        TRY(read_values(engine->edges.memory + run * edges, edges, to->edges, edges, 1, error));
    }
    bool spectra = engine->problem->spectra.frequency_count > 0;
    if (to->spectra != NULL && spectra) {
        TRY(engine_read_spectra(engine, run, 0, engine->spectra.shape.rows, to->spectra, error));
    }
    if (to->samples != NULL && spectra) {
        TRY(engine_read_samples(engine, run, 0, engine->spectra.shape.rows, to->samples, error));
    }
    return to->probes != NULL ? engine_read_probes(engine, run, to->probes, error) : PW_OK;
}

template <typename Real>
pw_status engine_load(engine<Real> *engine, int run, const struct run_state *from, pw_error *error)
{
    TRY(solver_check_load(engine->problem, from, error));
    TRY(engine_flush(engine, error)); /* of the other runs */
    CUDA_TRY(cudaStreamSynchronize(engine->stream));
    engine->fields[engine->now].e = engine->own_e[engine->now]; /* not where a sample is that will be loaded */
    for (const saved_array<Real> &a : saved_arrays(engine, run, from)) {
        if (a.host != NULL) {
            TRY(write_values(a.device, a.pitch, a.host, a.width, a.height, error));
        }
    }
    if (from->poles != NULL) {
        TRY(write_poles(engine, run, from->poles, error));
    }
    const size_t edges = engine->edges.run_memory;
    if (from->edges != NULL) {
        TRY(write_values(engine->edges.memory + run * edges, edges, from->edges, edges, 1, error));
    }
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

#define INSTANTIATE(Real)                                                                                              \
    template pw_status engine_energy<Real>(engine<Real> *, int, const struct patch &, double *, pw_error *);           \
    template pw_status engine_read_field<Real>(engine<Real> *, int, double *, pw_error *);                             \
    template pw_status engine_read_probes<Real>(engine<Real> *, int, double *, pw_error *);                            \
    template pw_status engine_read_spectra<Real>(engine<Real> *, int, int, int, double *, pw_error *);                 \
    template pw_status engine_read_samples<Real>(engine<Real> *, int, int, int, double *, pw_error *);                 \
    template pw_status engine_save<Real>(engine<Real> *, int, struct run_state *, pw_error *);                         \
    template pw_status engine_load<Real>(engine<Real> *, int, const struct run_state *, pw_error *);
INSTANTIATE(float)
INSTANTIATE(double)
