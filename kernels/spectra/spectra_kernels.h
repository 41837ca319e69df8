/* Kernels of the running spectra: samples are taken (spectra.cu), and groups of samples are added to sums as a product
 * with weights (spectra.cu) or by a transform (spectra_transform.cu). Also the energy. */
#ifndef SPECTRA_KERNELS_H
#define SPECTRA_KERNELS_H

#include "kernels/common/device.h"

/* Where a sample of all runs belongs. */
template <typename Real> struct sample_place {
    Real *plane; /* of the first run, (cells) */
    size_t run_stride;
};

template <typename Real>
pw_status spectra_sample(const device_problem<Real> &problem, const device_spectra &spectra, const Real *e,
                         const sample_place<Real> &to, int runs, cudaStream_t stream, pw_error *error);

/* Whole groups of samples, and the sums that they are added to. */
template <typename Real> struct spectra_batch {
    device_spectra shape;
    int runs, groups;
    int first, frequencies; /* the sums belong to frequencies first .. first + frequencies - 1 */
    const Real *samples;    /* (runs, ..., cells) */
    size_t sample_run_stride;
    Real *sums; /* (runs, frequencies, cells, 2) */
    size_t sum_run_stride;
};

/* Weights and phases (src/problem/spectra/spectra.h) are on the host. */
template <typename Real>
pw_status spectra_accumulate(const spectra_batch<Real> &batch, const Real *weights, const Real *phases,
                             cudaStream_t stream, pw_error *error);

/* Four frequencies of neighbouring bins: bins that any of the four wants are read once for all. */
template <typename Real> struct transform_quad {
    int first, count; /* bins */
    int weights;      /* of the first bin */
    int frequency[4]; /* -1: none */
    Real sign[4];     /* as spectra_weights has them */
    typename pair_of<Real>::type phase[4];
};
template <typename Real> struct __align__(16) transform_weights
{
    Real of[4]; /* of a bin in the quad's sums */
};
/* `weights`: the first TRANSFORM_FREQUENCIES of spectra_weights (src/problem/spectra/spectra.h). */
template <typename Real> struct transform_tables {
    const Real *weights;
    const transform_weights<Real> *bins;
    const transform_quad<Real> *quads; /* all on the device */
};

/* One group; `quads` as many as the batch has frequencies for. */
template <typename Real>
pw_status spectra_transform(const spectra_batch<Real> &batch, const transform_tables<Real> &tables, int quads,
                            cudaStream_t stream, pw_error *error);

enum { ENERGY_BLOCKS = 512 };

/* Where a field lies: (levels, ny, nx), rows and levels `pitch` and `plane` elements apart. */
struct energy_extent {
    int nx, ny, levels, pitch;
    size_t plane;
};

/* `partial`: (ENERGY_BLOCKS) on the device. */
template <typename Real>
pw_status energy_sum(const energy_extent &extent, const Real *e, double *partial, double *energy, cudaStream_t stream,
                     pw_error *error);

#endif
