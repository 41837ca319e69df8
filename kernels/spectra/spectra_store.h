/* Running spectra of several runs: samples of Ez are gathered on the device and added to all frequencies a block,
 * several groups of samples (src/problem/spectra/spectra.h), at a time. The sums stay on the device when they fit; else
 * they lie in pinned host memory and pass over the device a few frequencies at a time, once a block. Leaves out: who
 * takes the samples, and the kernels (spectra.cu). */
#ifndef SPECTRA_STORE_H
#define SPECTRA_STORE_H

#include "backend/backend.h"
#include "kernels/common/device_memory.h"
#include "kernels/spectra/spectra_kernels.h"

enum { LANDING_VALUES = 1 << 22 }; /* at least a row */

/* How many samples and frequencies are held on the device. */
struct spectra_plan {
    int block;       /* samples added at once: whole groups */
    int held;        /* frequencies of the sums on the device at a time; all of them when they fit */
    uint64_t device; /* bytes, but for weights */
    uint64_t host;   /* bytes of pinned memory: zero when the sums fit the device */
    bool in_turns;   /* the samples that wait between advances lie on the host, too */
};

/* The fastest plan for `room` bytes on the device; the smallest one when none fits (then plan.device > room). */
spectra_plan spectra_plan_for(const struct problem *problem, int runs, uint64_t room);

/* The plan for an engine that shares its memory with others: groups one by one, and on the host what outlasts a turn.
 */
spectra_plan spectra_plan_in_turns(const struct problem *problem, int runs);

template <typename Real> struct spectra_store {
    const struct problem *problem;
    int runs, pending; /* samples not yet added */
    device_spectra shape;
    spectra_plan plan;
    Real *samples;                     /* (runs, block, cells) */
    Real *sums;                        /* (runs, F, cells, 2), or two buffers (held, cells, 2) beside `host` */
    Real *host;                        /* (runs, F, cells, 2), pinned; NULL when the sums are on the device */
    Real *waiting;                     /* (runs, block, cells), pinned, in `host`; NULL unless plan.in_turns */
    Real *landing;                     /* (LANDING_VALUES), pinned: what is read comes through it; NULL until then */
    std::vector<Real> weights, phases; /* spectra_weights, and (block/group, F, 2), on the host */
    transform_tables<Real> tables;     /* of transformed groups, for `held` frequencies after the other */
    std::vector<transform_quad<Real>> quads;
    cudaStream_t ways[2];
    cudaEvent_t ready, passed[2];

    Real *run_samples(int run) const
    {
        return samples != NULL ? samples + (size_t)run * plan.block * shape.cells : NULL;
    }
    /* Where samples wait between advances. */
    Real *run_waiting(int run) const
    {
        return waiting != NULL ? waiting + (size_t)run * plan.block * shape.cells : run_samples(run);
    }
};

template <typename Real>
pw_status spectra_create(const struct problem *problem, int runs, const spectra_plan &plan, device_memory *memory,
                         spectra_store<Real> *store, pw_error *error);
template <typename Real> void spectra_free(spectra_store<Real> *store);

/* Adds the pending samples, the last of which is number `taken` - 1 of the whole run, as far as they are whole groups.
 * The rest moves to the front. */
template <typename Real>
pw_status spectra_flush(spectra_store<Real> *store, int64_t taken, cudaStream_t stream, pw_error *error);

/* After a flush and a synchronisation: rows of the lattice, of the sums as (F, row_count, columns, 2), of the pending
 * samples as (pending, row_count, columns). */
template <typename Real>
pw_status spectra_read(spectra_store<Real> *store, int run, int row_first, int row_count, double *out, pw_error *error);
template <typename Real>
pw_status spectra_read_samples(spectra_store<Real> *store, int run, int row_first, int row_count, double *out,
                               pw_error *error);

/* Takes what a saved run has: all of the sums, and the samples that wait at its step. */
template <typename Real>
pw_status spectra_load(spectra_store<Real> *store, int run, const struct run_state *from, pw_error *error);

#endif
