/* An engine of either kind as one whose turn comes: what is moved to and from the memory that it shares with others
 * (turns.cu). Its arrays on the device are in bases(), where place() finds rows. */
#ifndef TURN_ENGINE_H
#define TURN_ENGINE_H

#include <memory>

#include "kernels/patch/device_patch.h"
#include "kernels/spectra/spectra_store.h"

/* Samples of the spectra of a run: slots of the group on the device, and on the host while they wait. */
struct turn_samples {
    char *device, *host; /* NULL: it has no spectra */
    size_t bytes;        /* of a sample */
};

/* What receivers record of a run: a row a step. */
struct turn_record {
    char *device;
    size_t row_bytes;
};

struct turn_engine {
    virtual ~turn_engine() = default;
    /* What bases() names is where the state is brought. */
    virtual void begin() = 0;
    virtual pw_status advance(int64_t steps, pw_error *error) = 0;
    virtual int64_t step() const = 0;
    virtual patch_bases bases(int run) const = 0;
    virtual patch_place place(struct patch_row *row) const = 0;
    virtual device_patches *patches() = 0;
    virtual cudaStream_t stream() const = 0;
    virtual turn_samples samples(int run) const = 0;
    virtual int waiting() const = 0; /* samples */
    virtual turn_record record(int run) const = 0;
    /* After an advance. */
    virtual pw_status energy(int run, const struct patch &box, double *sum, pw_error *error) = 0;
    /* Of struct solver, without anything that is on the device between turns. */
    virtual pw_status read_spectra(int run, int first, int count, double *out, pw_error *error) = 0;
    virtual pw_status read_samples(int run, int first, int count, double *out, pw_error *error) = 0;
    virtual pw_status load(int run, const struct run_state *from, pw_error *error) = 0;
};

template <typename Real> turn_samples turn_samples_of(const spectra_store<Real> &store, int run)
{
    return store.waiting != NULL ? turn_samples{(char *)store.run_samples(run), (char *)store.run_waiting(run),
                                                store.shape.cells * sizeof(Real)}
                                 : turn_samples{NULL, NULL, 0};
}

/* Of a solver's state; NULL when that is none of the kind. */
std::unique_ptr<turn_engine> plane_turn_engine(void *state);
std::unique_ptr<turn_engine> volume_turn_engine(void *state);

#endif
