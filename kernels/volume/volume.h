/* Three dimensions on the device (maxwell3d, problem.h): what the kernels see of a problem, and the steps. The six
 * fields are in place: 24 bytes a cell in single precision, and 2 of indices for every column of a layer. Around them
 * lie ghosts, REACH places on every side, which hold the images about the walls, so that no difference asks where it
 * is. Leaves out: who allocates and how far a run is (volume_engine.h). */
#ifndef VOLUME_KERNELS_H
#define VOLUME_KERNELS_H

#include <cstdint>
#include <type_traits>

#include "kernels/common/device.h"

/* The immutable part, passed to kernels by value. Axis a has n[a] cells and low[a] + high[a] filters. */
template <typename Real> struct device_volume {
    typedef typename pair_of<Real>::type pair;
    int n[3], low[3], high[3];
    int pitch;     /* from row to row of a field, a multiple of 8; ghosts lie between the rows */
    size_t plane;  /* from level to level */
    int width;     /* from row to row of indices and of filter states along y and z: n[0], up to a multiple of 8 */
    int filters_x; /* from row to row of filter states along x, a multiple of 4 */
    int high_x;    /* where those of the high layer begin in a row: places of a quad are beside each other in it too */
    bool symmetric[3];
    bool flat;             /* nothing changes along z, which has one level: Ex, Ey and hz alone are not zero */
    int processors;        /* multiprocessors, among which a step is divided */
    Real tap[REACH_LIMIT]; /* relative to the first */
    const device_filter<Real> *half[3], *node[3]; /* (n[a]) */
    const uint16_t *index;                        /* (layers, n[1], width) */
    const int *layer[3];                          /* (n[2]) of Ex, Ey, Ez */
    const pair *coefficients;                     /* ca, cb */
};

/* Which of an axis's filters stands at place i; -1: none. */
template <typename Real> __device__ __forceinline__ int filter_slot(const device_volume<Real> &v, int axis, int i)
{
    const int begin = v.n[axis] - v.high[axis], first = axis == 0 ? v.high_x : v.low[axis];
    return i < v.low[axis] ? i : i >= begin ? first + i - begin : -1;
}

/* One run. */
template <typename Real, typename Kept = Real> struct volume_fields {
    Kept *field[6];     /* place (0, 0, 0) of Ex, Ey, Ez, hx, hy, hz; rows and levels are pitch and plane apart */
    Real *filter[3][4]; /* as struct run_state has them, in rows of `width` along y and z */
};

/* One whose fields are kept in 16 bits a value, by units of eight places (half/). */
typedef volume_fields<float, uint16_t> half_fields;

/* Which bricks of REST_BRICK x REST_BRICK columns are to be stepped, `width` of them along x; NULL: all. */
enum { REST_BRICK = 64 };
struct device_rest {
    const uint8_t *stepped;
    int width;
};

__device__ __forceinline__ bool is_at_rest(const device_rest &rest, int i, int j)
{
    return rest.stepped != NULL && !rest.stepped[j / REST_BRICK * rest.width + i / REST_BRICK];
}

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
/* Places beside metal (problem.h): of Ex and Ey those before `magnetic`, of hz the others. */
struct metal_place {
    device_place own;
    int first, count; /* of the terms */
};
template <typename Real> struct device_metal {
    const metal_place *rows; /* (count) */
    const device_place *places;
    const Real *weights; /* both of all terms */
    int magnetic, count;
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

/* Hands the reach to `call` as a constant, for which there are kernels: call(std::integral_constant<int, REACH>()). */
template <typename Call> pw_status with_reach(int reach, const Call &call, pw_error *error)
{
    switch (reach) {
    case 1:
        return call(std::integral_constant<int, 1>());
    case 2:
        return call(std::integral_constant<int, 2>());
    case 3:
        return call(std::integral_constant<int, 3>());
    case 4:
        return call(std::integral_constant<int, 4>());
    case 5:
        return call(std::integral_constant<int, 5>());
    case 7:
        return call(std::integral_constant<int, 7>());
    default:
        return fail(error, PW_USAGE, "no kernel in three dimensions for a reach of %d", reach);
    }
}

/* Fills what lies around E (set 0) or h (set 3) with the images about the walls. */
template <typename Real>
pw_status volume_ghosts(const device_volume<Real> &volume, int reach, int set, const volume_fields<Real> &fields,
                        cudaStream_t stream, pw_error *error);

/* Moves h and E of one run on by a step, h beside metal too, but for what follows. */
template <typename Real>
pw_status volume_step(const device_volume<Real> &volume, int reach, const volume_fields<Real> &fields,
                      const device_rest &rest, const device_metal<Real> &metal, cudaStream_t stream, pw_error *error);

/* What h or E gains beside metal. */
template <typename Real>
pw_status volume_metal(const volume_fields<Real> &fields, const device_metal<Real> &metal, bool magnetic,
                       cudaStream_t stream, pw_error *error);

/* What tilted faces add to E. */
template <typename Real>
pw_status volume_tensors(const device_volume<Real> &volume, int reach, const volume_fields<Real> &fields,
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
