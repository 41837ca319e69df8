/* Reading, saving and loading the runs of an engine. */
#include "kernels/engine.h"

template <typename Real> pw_status engine_energy(engine<Real> *engine, int run, double *energy, pw_error *error)
{
    return energy_sum(engine->device, engine->fields[engine->now].e + run * engine->device.cells, engine->partial,
                      energy, engine->stream, error);
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

#define INSTANTIATE(Real)                                                                                              \
    template pw_status engine_energy<Real>(engine<Real> *, int, double *, pw_error *);                                 \
    template pw_status engine_read_field<Real>(engine<Real> *, int, double *, pw_error *);                             \
    template pw_status engine_read_probes<Real>(engine<Real> *, int, double *, pw_error *);                            \
    template pw_status engine_read_spectra<Real>(engine<Real> *, int, int, int, double *, pw_error *);                 \
    template pw_status engine_read_samples<Real>(engine<Real> *, int, int, int, double *, pw_error *);                 \
    template pw_status engine_save<Real>(engine<Real> *, int, struct run_state *, pw_error *);                         \
    template pw_status engine_load<Real>(engine<Real> *, int, const struct run_state *, pw_error *);
INSTANTIATE(float)
INSTANTIATE(double)
