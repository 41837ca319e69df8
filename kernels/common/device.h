/* What the kernels see of a problem, and what the launchers of the rooms are called. Arrays of several runs lie one
 * after another; fields have rows of `pitch` elements. Leaves out: who allocates (backend_cuda.cu) and how large tiles
 * are (tuning.h). */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern "C" {
#include "problem/problem.h"
}
#include "kernels/common/cuda_check.h"

/* The arithmetic of a cell, overloaded on the precision. */
#define CELL(name) name
#define REAL       float
#define FMA        fmaf
#include "problem/cell.h"
#include "spectra/transform.h"
#undef REAL
#undef FMA
#define REAL double
#define FMA  fma
#include "problem/cell.h"
#include "spectra/transform.h"
#undef REAL
#undef FMA

template <typename Real> struct pair_of;
template <> struct pair_of<float> {
    typedef float2 type;
};
template <> struct pair_of<double> {
    typedef double2 type;
};

/* The immutable part, passed to kernels by value. */
template <typename Real> struct device_problem {
    typedef typename pair_of<Real>::type pair;
    int nx, ny, pitch;
    int layer, reach, rings;
    int zone;     /* nodes from each end whose L is two differences (problem_in_absorber_region); 0 without absorber */
    size_t cells; /* pitch ny: between the runs of a field */
    size_t x_states, y_states; /* ny 2 layer, 2 layer pitch: between the runs of filter states */
    Real difference[REACH_LIMIT], centre, centre2, ring[LAPLACIAN_LIMIT];
    const uint16_t *material; /* (ny, pitch), entry 0 beyond nx */
    const pair *palette;      /* (ca, cb) */
    int palette_count;
    const pair *x_half, *x_node, *y_half, *y_node; /* (gain, pole) per node of the axis */
};

/* Elements from row to row of a field. */
inline int field_pitch(const struct problem *problem)
{
    return (problem->axis[0].count + 31) / 32 * 32;
}

/* The state of all runs at one time. */
template <typename Real> struct device_fields {
    Real *e, *v;           /* (runs, ny, pitch) */
    Real *x_half, *x_node; /* (runs, ny, 2 layer) */
    Real *y_half, *y_node; /* (runs, 2 layer, pitch) */
};

/* Those of one run. */
__host__ __device__ __forceinline__ device_fields<float> run_fields(const device_problem<float> &p,
                                                                    const device_fields<float> &f, int run)
{
    return {f.e + run * p.cells,         f.v + run * p.cells,         f.x_half + run * p.x_states,
            f.x_node + run * p.x_states, f.y_half + run * p.y_states, f.y_node + run * p.y_states};
}

struct device_source {
    bool hard;
    int count;
    int64_t steps;        /* length of drive; nothing is driven later */
    const int64_t *node;  /* (count), j nx + i */
    const double *weight; /* (count) */
    const double *drive;  /* (steps) */
};

/* Sources and probes of all runs. */
template <typename Real> struct device_events {
    const device_source *sources; /* (runs) */
    int probe_count;
    const int *probe_x, *probe_y,
        *probe_slot;      /* (probe_count), sorted by box where boxes are used; slot: place in a record */
    Real *record;         /* (runs, capacity, probe_count) */
    size_t record_stride; /* between runs */
    int64_t record_first; /* step whose values are record row 0 */
};

/* An output rectangle of a shared-memory tile. */
struct box {
    int x0, y0, x1, y1;
    int probe_first, probe_count; /* its probes in device_events */
    int near_source;              /* a driven node may lie in its halo */
    int run,
        kind; /* of yee_border_pass; of yee_resident.cu: column and kind of tile; elsewhere a box serves every run */
};

/* Filter state index of node or half node i of an axis of n: low layer first, then the high one; -1 outside. */
__host__ __device__ __forceinline__ int layer_index(int i, int n, int layer)
{
    return i < layer ? i : (i >= n - layer ? i - (n - layer) + layer : -1);
}

/* Loads past L1 where wanted, without a branch: all of a thread's loads are under way before the first is waited for.
 */
__device__ __forceinline__ void fetch_if(float *to, const float *from, bool wanted)
{
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.cg.f32 %0, [%1]; }"
                 : "+f"(*to)
                 : "l"(from), "r"((unsigned)wanted)
                 : "memory");
}

/* The lattice of the spectra: planes of rows of `pitch`; its columns from `lead` on, its rows from `first_row` on; what
 * lies beside them is not read. */
struct device_spectra {
    int frequency_count, group, x0, y0, spacing, columns, rows, every;
    bool as_fields; /* a plane is laid out as Ez is */
    int pitch, lead, first_row;
    size_t cells; /* of a plane, a multiple of SPECTRA_CELLS */
};

/* Where the register marches work: output rows and columns, cut into tasks. */
struct march_plan {
    int x0, x1, y0, y1; /* output region; x0 and x1 multiples of 4 */
    int rows;           /* per task */
    int runs;
    int variant;         /* of the wide kernels, for benchmarks; 0: the best known */
    const uint8_t *skip; /* (runs, ny/32, skip_pitch) 1 where a box writes instead; NULL: nowhere */
    int skip_pitch, skip_run_stride;
    device_spectra spectra;
    float *
        samples; /* yee: (runs, ..., cells), the sample of the spectra that falls on the middle step; NULL: none does */
    size_t sample_run_stride;
};

/* plain.cu */
template <typename Real>
pw_status plain_step(const device_problem<Real> &problem, const device_fields<Real> &in, const device_fields<Real> &out,
                     const device_events<Real> &events, int64_t step, int runs, cudaStream_t stream, pw_error *error);

/* tile.cu: steps of the boxes from `in` to `out`. */
pw_status tile_pass(const device_problem<float> &problem, const device_fields<float> &in,
                    const device_fields<float> &out, const device_events<float> &events, const box *boxes,
                    int box_count, size_t shared_bytes, int64_t step, int steps, int runs, cudaStream_t stream,
                    pw_error *error);
size_t tile_bytes(const device_problem<float> &problem, const box &box, int halo);

/* yee_march.cu and wide_march.cu: `steps` must be one of the offered depths. */
int yee_march_depth(int64_t steps, int limit); /* largest depth <= steps and <= limit; 0: none */
pw_status yee_march(const device_problem<float> &problem, const device_fields<float> &in,
                    const device_fields<float> &out, const march_plan &plan, int depth, cudaStream_t stream,
                    pw_error *error);
int wide_march_depth(int rings, int64_t steps, int limit);
pw_status wide_march(const device_problem<float> &problem, const device_fields<float> &in,
                     const device_fields<float> &out, const march_plan &plan, int depth, cudaStream_t stream,
                     pw_error *error);
/* The same for a pass after `step` steps on whose middle and last steps alone samples may fall, taken every `every`
 * steps. */
int yee_march_sampled_depth(int64_t step, int64_t steps, int limit, int64_t every);
int yee_march_warps(int depth); /* on a multiprocessor at once */
int wide_march_blocks(int rings, int depth);
int yee_march_columns(int depth); /* narrowest output region */
int wide_march_columns(int rings, int depth);

/* spectra.cu */
template <typename Real>
pw_status spectra_sample(const device_problem<Real> &problem, const device_spectra &spectra, const Real *e,
                         Real *samples, size_t run_stride, int runs, cudaStream_t stream, pw_error *error);
/* Weights and turns (src/spectra.h) are on the host. */
template <typename Real>
pw_status spectra_accumulate(const device_spectra &spectra, const Real *samples, size_t sample_run_stride, int groups,
                             const Real *weights, const Real *turns, int first, int frequencies, Real *sums,
                             size_t sum_run_stride, int runs, cudaStream_t stream, pw_error *error);
/* spectra_transform.cu. Four frequencies of neighbouring bins: those that any of them wants are read once for all. */
template <typename Real> struct transform_quad {
    int first, count; /* bins */
    int weights;      /* of the first bin */
    int frequency[4]; /* -1: none */
    Real sign[4];     /* as spectra_weights has them */
    typename pair_of<Real>::type turn[4];
};
template <typename Real> struct __align__(16) transform_weights
{
    Real of[4]; /* of a bin in the quad's sums */
};
/* `weights`: the first TRANSFORM_FREQUENCIES of spectra_weights (src/spectra.h). */
template <typename Real> struct transform_tables {
    const Real *weights;
    const transform_weights<Real> *bins;
    const transform_quad<Real> *quads; /* all on the device */
};
template <typename Real>
pw_status spectra_transform(const device_spectra &spectra, const Real *samples, size_t sample_run_stride,
                            const transform_tables<Real> &tables, int quads, Real *sums, size_t sum_run_stride,
                            int runs, cudaStream_t stream, pw_error *error);
template <typename Real>
pw_status energy_sum(const device_problem<Real> &problem, const Real *e, double *partial, double *energy,
                     cudaStream_t stream, pw_error *error);
enum { ENERGY_BLOCKS = 512 };

#endif
