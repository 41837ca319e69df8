/* Three dimensions on the device (maxwell3d, problem.h): what the kernels see of a problem, and the steps. Fields and
 * increments are in place: there is one copy of the six fields, 24 bytes a cell in single precision, and 6 of indices
 * for a column of layers alone. Leaves out: who allocates and how far a run is (volume_engine.cu). */
#ifndef VOLUME_KERNELS_H
#define VOLUME_KERNELS_H

#include "kernels/common/device.h"

/* The immutable part, passed to kernels by value. Axis a has n[a] cells and low[a] + high[a] filters. */
template <typename Real> struct device_volume {
    typedef typename pair_of<Real>::type pair;
    int n[3], low[3], high[3];
    int pitch;    /* from row to row of a field, a multiple of 32 */
    size_t plane; /* from level to level, pitch n[1] */
    bool symmetric[3];
    Real tap[REACH_LIMIT];         /* relative to the first */
    const pair *half[3], *node[3]; /* (n[a]) gain and pole; of a place without a filter 1 and 1 */
    const uint16_t *index;         /* (layers, n[1], pitch) */
    const int *layer[3];           /* (n[2]) of Ex, Ey, Ez */
    const pair *coefficients;      /* ca, cb */
};

/* One run. */
template <typename Real> struct volume_fields {
    Real *field[6];     /* (n[2], n[1], pitch): Ex, Ey, Ez, hx, hy, hz */
    Real *filter[3][4]; /* as struct run_state has them */
};

/* What one place gains from tensor nodes, one after the other: `count` of the list from `first` on. */
struct tensor_place {
    int component;
    int64_t node;
    int first, count;
};
template <typename Real> struct tensor_gain {
    Real quarter; /* of the tensor node's coefficient */
    int from;     /* component whose curl is asked, at the node and before it */
    int64_t node;
};
template <typename Real> struct device_tensors {
    const tensor_place *places;
    const tensor_gain<Real> *gains;
    int count; /* of places */
};

/* Sources, probes and the points of the spectra: places as offsets into a component's array. */
struct device_place {
    int component;
    size_t offset;
};
template <typename Real> struct device_dipole {
    const device_place *places; /* (count) */
    const Real *weights;
    const double *drive;
    int count;
    bool hard;
};
template <typename Real> struct device_receivers {
    const device_place *places; /* of all probes */
    const Real *weights;
    const int *first;     /* (count + 1) */
    const bool *weighted; /* (count): false: one place alone, without a weight */
    int count;
};

/* Step number `step` of one run, but for what is recorded. */
template <typename Real>
pw_status volume_step(const device_volume<Real> &volume, int reach, const volume_fields<Real> &fields,
                      const device_tensors<Real> &tensors, cudaStream_t stream, pw_error *error);

/* What the run's source adds in step number `step`. */
template <typename Real>
pw_status volume_drive(const volume_fields<Real> &fields, const device_dipole<Real> &source, int64_t step,
                       cudaStream_t stream, pw_error *error);

/* (count) values of the probes. */
template <typename Real>
pw_status volume_probe(const volume_fields<Real> &fields, const device_receivers<Real> &receivers, Real *out,
                       cudaStream_t stream, pw_error *error);

/* A sample of the spectra, (count). */
template <typename Real>
pw_status volume_sample(const volume_fields<Real> &fields, const device_place *places, size_t count, Real *out,
                        cudaStream_t stream, pw_error *error);

#endif
