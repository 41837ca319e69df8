/* Stepping an engine: batches of steps by the solver's stepping, with the samples of the spectra. Leaves out: the
 * passes (NAME_solver.cu in a solver's folder), and what happens between advances (engine_state.cu). */
#include <algorithm>

#include "kernels/engine.h"

/* The state may lie where the last sample is. It stays: that place is a group or more behind the next to be written. */
template <typename Real> pw_status engine_flush(engine<Real> *engine, pw_error *error)
{
    return spectra_flush(&engine->spectra, engine->step / engine->spectra.shape.every, engine->stream, error);
}

namespace
{

/* Steps of the next batch: up to the next sample, or, where the solver takes samples itself, up to as many as there is
 * room for. */
template <typename Real> int64_t batch_steps(const engine<Real> *engine, int64_t steps)
{
    if (engine->problem->spectra.frequency_count == 0) {
        return steps;
    }
    int64_t every = engine->spectra.shape.every;
    int64_t samples = engine->solver->takes_samples ? engine->spectra.plan.block - engine->spectra.pending : 1;
    return std::min(steps, samples * every - engine->step % every);
}

template <typename Real> pw_status take_sample(engine<Real> *engine, pw_error *error)
{
    spectra_store<Real> *s = &engine->spectra;
    if (!engine->solver->takes_samples && !s->shape.as_fields) {
        sample_place<Real> to = {s->samples + s->pending * s->shape.cells, s->plan.block * s->shape.cells};
        TRY(spectra_sample(engine->device, s->shape, engine->fields[engine->now].e, to, engine->count, engine->stream,
                           error));
    }
    s->pending++;
    return s->pending == s->plan.block ? engine_flush(engine, error) : PW_OK;
}

} // namespace

template <typename Real> pw_status engine_advance(engine<Real> *engine, int64_t steps, pw_error *error)
{
    const struct problem *p = engine->problem;
    TRY(solver_check_advance(p, engine->step, steps, error));
    int64_t every = engine->spectra.shape.every;
    while (steps > 0) {
        int64_t part = batch_steps(engine, steps), start = engine->step;
        engine->taken = start / every;
        pw_status status = engine->solver->advance(engine, part, error);
        engine->step = start; /* passes count on the way */
        TRY(status);
        engine->step += part;
        steps -= part;
        for (int64_t s = start / every; p->spectra.frequency_count > 0 && s < engine->step / every; s++) {
            TRY(take_sample(engine, error));
        }
    }
    CUDA_TRY(cudaStreamSynchronize(engine->stream));
    return PW_OK;
}

template pw_status engine_advance<float>(engine<float> *, int64_t, pw_error *);
template pw_status engine_advance<double>(engine<double> *, int64_t, pw_error *);
template pw_status engine_flush<float>(engine<float> *, pw_error *);
template pw_status engine_flush<double>(engine<double> *, pw_error *);
