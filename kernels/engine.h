/* A group of runs on the device: what backend_cuda.cu owns and engine_advance.cu moves on. */
#ifndef ENGINE_H
#define ENGINE_H

#include "kernels/resident/wide_resident.h"
#include "kernels/solver.h"
#include "kernels/spectra/spectra_store.h"

/* How a pass is divided (engine_advance.cu). */
struct pass_plan {
    int frame_blocks, rows; /* boxes at a time; rows of a march's task, 0: not planned yet */
};
enum { PASS_DEPTH_LIMIT = 16 };

template <typename Real> struct engine {
    const struct problem *problem;
    int first, count;
    int64_t step;
    int now; /* fields[now] is the state */
    struct choice choice;
    device_problem<Real> device;
    device_fields<Real> fields[2]; /* their Ez may lie where a sample of the spectra belongs */
    Real *own_e[2];                /* else it lies here */
    device_events<Real> events;
    spectra_store<Real> spectra;
    double *partial; /* (ENERGY_BLOCKS) */
    box_set set;
    bool samples_itself;  /* the spectra's samples come from the kernels that step, at any step */
    int64_t taken;        /* samples when the batch under way began */
    box *boxes;           /* device */
    wide_pass_plan frame; /* of a wide stencil */
    uint8_t *skip;
    unsigned *packets; /* of rung small */
    size_t shared_bytes;
    int processors;
    cudaStream_t stream;
    pass_plan passes[PASS_DEPTH_LIMIT + 1]; /* by depth; made when first needed */
    device_memory memory;
    std::vector<device_source> sources;
};

/* Steps all runs; samples of the spectra are taken on the way. */
template <typename Real> pw_status engine_advance(engine<Real> *engine, int64_t steps, pw_error *error);

/* Adds the groups of samples that are whole. */
template <typename Real> pw_status engine_flush(engine<Real> *engine, pw_error *error);

#endif
