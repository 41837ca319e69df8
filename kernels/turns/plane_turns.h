/* An engine of two dimensions whose turn comes (turn_engine.h). */
#ifndef PLANE_TURNS_H
#define PLANE_TURNS_H

#include "kernels/engine.h"
#include "kernels/turns/turn_engine.h"

template <typename Real> struct plane_turns : turn_engine {
    engine<Real> *own; /* borrowed */

    explicit plane_turns(engine<Real> *borrowed) : own(borrowed)
    {
    }
    void begin() override
    {
        own->now = 0;
        for (int k = 0; k < 2; k++) {
            own->fields[k].e = own->own_e[k];
        }
    }
    pw_status advance(int64_t steps, pw_error *error) override
    {
        return engine_advance(own, steps, error);
    }
    int64_t step() const override
    {
        return own->step;
    }
    patch_bases bases(int run) const override
    {
        return engine_patch_bases(own, run);
    }
    patch_place place(struct patch_row *row) const override
    {
        return engine_patch_place(own, row);
    }
    device_patches *patches() override
    {
        return &own->patches;
    }
    cudaStream_t stream() const override
    {
        return own->stream;
    }
    turn_samples samples(int run) const override
    {
        return turn_samples_of(own->spectra, run);
    }
    int waiting() const override
    {
        return own->spectra.pending;
    }
    turn_record record(int run) const override
    {
        return {(char *)(own->events.record + run * own->events.record_stride),
                (size_t)own->problem->probe_count * sizeof(Real)};
    }
    pw_status energy(int run, const struct patch &box, double *sum, pw_error *error) override
    {
        return engine_energy(own, run, box, sum, error);
    }
    pw_status read_spectra(int run, int first, int count, double *out, pw_error *error) override
    {
        return engine_read_spectra(own, run, first, count, out, error);
    }
    pw_status read_samples(int run, int first, int count, double *out, pw_error *error) override
    {
        return engine_read_samples(own, run, first, count, out, error);
    }
    pw_status load(int run, const struct run_state *from, pw_error *error) override
    {
        return engine_load(own, run, from, error);
    }
};

#endif
