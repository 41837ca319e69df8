/* An engine of three dimensions whose turn comes (turn_engine.h). */
#ifndef VOLUME_TURNS_H
#define VOLUME_TURNS_H

#include "kernels/turns/turn_engine.h"
#include "kernels/volume/volume_engine.h"

template <typename Real> struct volume_turns : turn_engine {
    volume_engine<Real> *own; /* borrowed */

    explicit volume_turns(volume_engine<Real> *borrowed) : own(borrowed)
    {
    }
    void begin() override
    {
    }
    pw_status advance(int64_t steps, pw_error *error) override
    {
        return own->advance(steps, error);
    }
    int64_t step() const override
    {
        return own->step;
    }
    patch_bases bases(int run) const override
    {
        return own->patch_bases_of(run);
    }
    patch_place place(struct patch_row *row) const override
    {
        return own->patch_place_of(row);
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
        return {(char *)own->record_of(run, 0), (size_t)own->problem->probe_count * sizeof(Real)};
    }
    pw_status energy(int run, const struct patch &box, double *sum, pw_error *error) override
    {
        return own->energy(run, box, sum, error);
    }
    pw_status read_spectra(int run, int first, int count, double *out, pw_error *error) override
    {
        return own->read_spectra(run, first, count, out, error);
    }
    pw_status read_samples(int run, int first, int count, double *out, pw_error *error) override
    {
        return own->read_samples(run, first, count, out, error);
    }
    pw_status load(int run, const struct run_state *from, pw_error *error) override
    {
        return own->load(run, from, error);
    }
};

#endif
