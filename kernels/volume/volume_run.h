/* What the solver table asks of an engine in three dimensions, whatever its precision (volume_engine.h). */
#ifndef VOLUME_RUN_H
#define VOLUME_RUN_H

extern "C" {
#include "backend/solver.h"
}

/* A solver at work. */
struct volume_run {
    virtual ~volume_run() = default;
    virtual pw_status advance(int64_t steps, pw_error *error) = 0;
    virtual pw_status energy(int run, double *energy, pw_error *error) = 0;
    virtual pw_status read_field(int run, double *e, pw_error *error) = 0;
    virtual pw_status read_probes(int run, double *values, pw_error *error) = 0;
    virtual pw_status read_spectra(int run, int first, int count, double *out, pw_error *error) = 0;
    virtual pw_status read_samples(int run, int first, int count, double *out, pw_error *error) = 0;
    virtual pw_status save(int run, struct run_state *to, pw_error *error) = 0;
    virtual pw_status load(int run, const struct run_state *from, pw_error *error) = 0;
    virtual pw_status patch(int run, const struct patch *patch, void *values, bool store, pw_error *error) = 0;
};

#endif
