/* What the kernels see of a problem. Arrays of several runs lie one after another; fields have rows of `pitch`
 * elements. Leaves out: who allocates (engine_create.cu) and how large tiles are (tuning.h). */
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
#include "problem/spectra/transform.h"
#undef REAL
#undef FMA
#define REAL double
#define FMA  fma
#include "problem/cell.h"
#include "problem/spectra/transform.h"
#undef REAL
#undef FMA

template <typename Real> struct pair_of;
template <> struct pair_of<float> {
    typedef float2 type;
};
template <> struct pair_of<double> {
    typedef double2 type;
};

/* A filter of the absorber (absorber.h): 1, 1, 0 where there is none. A multiple of 16 bytes, to be fetched at once. */
template <typename Real> struct alignas(16) device_filter {
    Real gain, pole, feed, unused;
};

template <typename Real> device_filter<Real> filter_for_device(const struct absorber_filter &from)
{
    return {(Real)from.gain, (Real)from.pole, (Real)from.feed, (Real)0};
}

template <typename Real>
__device__ __forceinline__ Real cell_filter(Real in, const device_filter<Real> &filter, Real *state)
{
    return cell_filter(in, filter.gain, filter.pole, filter.feed, state);
}

/* The filters of a row or a column of nodes in shared memory: (gain, pole) of its half node and of its node, and the
 * feeds of both. */
struct filter_pair {
    float2 half, node, feed;
};

__device__ __forceinline__ float cell_filter_half(float in, const filter_pair &filter, float *state)
{
    return cell_filter(in, filter.half.x, filter.half.y, filter.feed.x, state);
}

__device__ __forceinline__ float cell_filter_node(float in, const filter_pair &filter, float *state)
{
    return cell_filter(in, filter.node.x, filter.node.y, filter.feed.y, state);
}

/* Those of place i of an axis of n nodes; none beside it. */
__device__ __forceinline__ filter_pair filters_at(const device_filter<float> *half, const device_filter<float> *node,
                                                  int i, int n)
{
    if (i < 0 || i >= n) {
        return {{1, 1}, {1, 1}, {0, 0}};
    }
    return {{half[i].gain, half[i].pole}, {node[i].gain, node[i].pole}, {half[i].feed, node[i].feed}};
}

/* The immutable part, passed to kernels by value. */
template <typename Real> struct device_problem {
    typedef typename pair_of<Real>::type pair;
    int nx, ny, pitch;
    int layer, reach, laplacian_taps;
    /* Nodes from each end of an axis whose L is two differences (problem_in_absorber_region); 0 without absorber. */
    int absorber_region;
    /* The low wall of x, of y, is a PMC (image.h), and has no absorber; the states of its layer lie idle. What the low
     * ends have in place of `layer` and `absorber_region`: 0 at such a wall. */
    bool symmetric[2];
    int low_layer[2], low_region[2];
    size_t cells;              /* pitch ny: between the runs of a field */
    size_t x_states, y_states; /* ny 2 layer, 2 layer pitch: between the runs of filter states */
    Real difference[REACH_LIMIT], centre, centre2, laplacian[LAPLACIAN_LIMIT]; /* centre2: twice the centre */
    const uint16_t *coefficient_index;                                         /* (ny, pitch), 0 beyond nx */
    const pair *coefficients;                                                  /* (coefficient_count): ca, cb */
    int coefficient_count;
    const device_filter<Real> *x_half, *x_node, *y_half, *y_node; /* per node of the axis */
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

/* The fields of one run. */
__host__ __device__ __forceinline__ device_fields<float> run_fields(const device_problem<float> &p,
                                                                    const device_fields<float> &f, int run)
{
    return {f.e + run * p.cells,         f.v + run * p.cells,         f.x_half + run * p.x_states,
            f.x_node + run * p.x_states, f.y_half + run * p.y_states, f.y_node + run * p.y_states};
}

/* What drives a run. */
struct device_source {
    bool hard;
    int count;
    int64_t steps;        /* length of drive; nothing is driven later */
    const int64_t *node;  /* (count), j nx + i */
    const double *weight; /* (count) */
    const double *drive;  /* (steps) */
    /* More drives, each with weights of its own (struct source). */
    int further;
    const double *further_weight; /* (further, count) */
    const double *further_drive;  /* (further, steps) */
};

/* Sources and probes of all runs. */
template <typename Real> struct device_events {
    const device_source *sources; /* (runs) */
    int probe_count;
    const int *probe_x, *probe_y,
        *probe_slot;      /* (probe_count), sorted by box where boxes are used; slot: place in a row of the record */
    Real *record;         /* (runs, capacity, probe_count) */
    size_t record_stride; /* between runs */
    int64_t record_first; /* step whose values are record row 0 */
};

template <typename Real> struct device_pole_step;
struct pole_numbers;

/* 32 quads of a row of nodes: a bit for each that has dispersive nodes, and the number of the first such quad in this
 * group or behind it. */
struct pole_group {
    unsigned quads, first;
};

/* Dispersive nodes of a pass that steps them (poles/pole_quads.h). */
struct device_pole_quads {
    const pole_group *groups; /* (ny, group_pitch) */
    int group_pitch;
    const uint16_t *media;       /* (count, 4) */
    const pole_numbers *numbers; /* of the media */
    const device_pole_step<float> *steps;
    int count, planes;
    size_t run_states; /* planes count 4: between the runs of the states */
    bool debye;        /* no medium has more than one pole, a Debye pole */
    const float *in;   /* states where the pass begins */
    float *out;        /* and where it ends */
};

/* A pass: steps number `step` to `step` + `steps` - 1 of all runs, from the fields `in` to the fields `out`. */
template <typename Real> struct pass {
    device_fields<Real> in, out;
    device_events<Real> events;
    int64_t step;
    int steps, runs;
    cudaStream_t stream;
    device_pole_quads poles; /* count 0: none, or the pass does not step them */
};

/* A rectangle of nodes that a block owns: it writes them, and records their probes. */
struct box {
    int x0, y0, x1, y1;
    int probe_first, probe_count; /* its probes in device_events */
    int near_source;              /* a driven node may lie in its halo */
    /* In a border in registers, the box's only run, and enum border_kind; on the chip, column and kind of the tile of
     * yee_resident.cu. Other boxes serve every run. */
    int run, kind;
};

/* Filter state index of node or half node i of an axis of n: low layer first, then the high one; -1 outside. */
__host__ __device__ __forceinline__ int layer_index(int i, int n, int layer)
{
    return i < layer ? i : (i >= n - layer ? i - (n - layer) + layer : -1);
}

/* The same where the low layer is `low` nodes deep, as many as the high one or none. */
__host__ __device__ __forceinline__ int layer_index(int i, int n, int layer, int low)
{
    return i < low ? i : (i >= n - layer ? i - (n - layer) + layer : -1);
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

#endif
