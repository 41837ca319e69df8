/* The sample of the spectra that falls on the middle step of a pass of yee_march.cu. Level DEPTH/2 of the march holds
 * Ez of that step row by row; a lane writes what it has of it on the lattice. A sample on the last step needs nothing:
 * Ez in memory is that sample then. */
#ifndef YEE_MARCH_SAMPLE_H
#define YEE_MARCH_SAMPLE_H

#include "kernels/common/quad.h"
#include "kernels/march/march.h"

/* What a march writes of the sample on its middle step. */
enum {
    NO_SAMPLE,
    QUAD_SAMPLE, /* of a lattice of all nodes */
    POINT_SAMPLE /* of any other */
};

/* Its nodes in a lane's columns and a task's rows, `low` to `high` - 1. Rows come in order from `from` on, which may
 * lie below `low`; leave(): whether a box writes the next ones here instead. */
template <int SAMPLE> struct middle_sample {
    __device__ middle_sample(const march_plan &, int, int, int, int, bool)
    {
    }
    __device__ __forceinline__ void leave(bool)
    {
    }
    __device__ __forceinline__ void take(int, const quad &, const device_spectra &)
    {
    }
};

template <> struct middle_sample<QUAD_SAMPLE> {
    int first;
    unsigned rows; /* from `first` on */
    unsigned open; /* as many unless they are left */
    float *to;     /* this lane's quad of the next row */

    __device__ middle_sample(const march_plan &plan, int x, int from, int low, int high, bool wanted)
    {
        const device_spectra &s = plan.spectra;
        int column = x - s.x0 + s.lead; /* beside the lattice lies room for the rest of a quad */
        bool on = wanted && column >= 0 && column < s.pitch;
        first = max(low, s.y0);
        open = rows = on ? (unsigned)max(0, min(high, s.y0 + s.rows) - first) : 0;
        to = plan.samples + blockIdx.y * plan.sample_run_stride + (ptrdiff_t)(s.first_row + from - s.y0) * s.pitch +
             column;
    }

    __device__ __forceinline__ void leave(bool left)
    {
        open = left ? 0 : rows;
    }

    __device__ __forceinline__ void take(int y, const quad &row, const device_spectra &s)
    {
        if ((unsigned)(y - first) < open) { /* not read before the block is full */
            __stcs((float4 *)to, make_float4(row.x[0], row.x[1], row.x[2], row.x[3]));
        }
        to += s.pitch;
    }
};

template <> struct middle_sample<POINT_SAMPLE> {
    int next, end;    /* the lattice's next row, and where its rows end */
    unsigned columns; /* bit k: node x + k is on the lattice and this lane's to write */
    unsigned open;    /* the same unless they are left */
    float *to;        /* first of them, next row */

    __device__ middle_sample(const march_plan &plan, int x, int, int low, int high, bool wanted) : columns(0)
    {
        const device_spectra &s = plan.spectra;
        int before = max(0, low - s.y0 + s.spacing - 1) / s.spacing, column = 0;
        next = s.y0 + before * s.spacing;
        end = min(high, s.y0 + s.rows * s.spacing);
#pragma unroll
        for (int k = 3; k >= 0; k--) {
            int i = x + k - s.x0;
            bool on = wanted && i >= 0 && i % s.spacing == 0 && i / s.spacing < s.columns;
            columns |= on ? 1u << k : 0u;
            column = on ? i / s.spacing : column;
        }
        open = columns;
        to = plan.samples + blockIdx.y * plan.sample_run_stride + (size_t)(s.first_row + before) * s.pitch + s.lead +
             column;
    }

    __device__ __forceinline__ void leave(bool left)
    {
        open = left ? 0 : columns;
    }

    __device__ __forceinline__ void take(int y, const quad &row, const device_spectra &s)
    {
        if (y != next || y >= end) {
            return;
        }
        float *at = to;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if ((open >> k & 1u) != 0) {
                *at++ = row.x[k];
            }
        }
        next += s.spacing;
        to += s.pitch;
    }
};

/* Whether a box writes the 32 rows around row y here instead. */
__device__ __forceinline__ bool patched(const march_plan &plan, int x, int y)
{
    return plan.skip != NULL &&
           plan.skip[blockIdx.y * plan.skip_run_stride + (y >> 5) * plan.skip_pitch + (x >> 5)] != 0;
}

#endif
