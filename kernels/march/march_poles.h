/* Dispersive nodes of a march (poles/pole_quads.h). A thread steps those of its own quad, row after row: what their
 * poles remember stands in shared memory while the row is under way, from the time it comes (fetch) until it goes
 * (store), in a ring of rows for each warp, of which a thread touches its own part alone:
 *
 *     a row      media of each lane's four nodes, number of its quad | plane 0 of their states | plane 1 | ...
 *
 * A step of a quad is in two parts: prepare() looks up what is needed, before the quad's own step; finish() gives
 * increments and fields their answers. A lane whose quad has no dispersive node leaves both out. Leaves out: which row
 * is where in the ring. */
#ifndef MARCH_POLES_H
#define MARCH_POLES_H

#include <cuda_pipeline.h>

#include "kernels/common/quad.h"
#include "kernels/poles/pole_answer.h"
#include "kernels/poles/pole_quads.h"

/* Which nodes a march steps beside plain ones. */
enum {
    NO_POLES,
    DEBYE_POLES, /* one Debye pole a medium */
    ANY_POLES
};

enum {
    POLE_ROW_HEAD = 512,  /* bytes of a row in the ring: its quads' media and numbers, */
    POLE_ROW_PLANE = 512, /* and each plane of their states */
    POLE_PLANE = POLE_ROW_PLANE / sizeof(float)
};

/* Shared memory of a warp whose ring has so many rows; 0 planes: it has no dispersive nodes. */
__host__ __device__ constexpr unsigned pole_warp_bytes(int rows, int planes)
{
    return planes > 0 ? rows * (unsigned)(POLE_ROW_HEAD + POLE_ROW_PLANE * planes) : 0;
}

/* Numbers of the media of a quad, for media of one Debye pole: a thread keeps those that it needed last, since along a
 * wall they are the same from row to row. */
struct pole_media {
    uint2 of = {0, 0}; /* no medium, whose numbers these are: */
    float keep[4] = {1, 1, 1, 1}, take[4] = {0, 0, 0, 0}, half[4] = {0, 0, 0, 0}, field[4] = {0, 0, 0, 0},
          rate[4] = {0, 0, 0, 0};
    float history[4]; /* of numbers that are not kept */
};

template <int POLES> struct march_poles {
    const device_pole_quads &q;
    char *own;           /* the lane's place 0 of the ring */
    const int &x;        /* the lane's first column */
    unsigned run_number; /* whose states */

    /* `memory`: pole_warp_bytes, 16 bytes aligned. */
    __device__ __forceinline__ march_poles(const device_pole_quads &quads, char *memory, const int &column,
                                           unsigned number_of_run)
        : q(quads), own(memory + 16 * (threadIdx.x % 32)), x(column), run_number(number_of_run)
    {
    }

    __device__ __forceinline__ size_t run() const
    {
        return run_number * q.run_states;
    }
    __device__ __forceinline__ unsigned row_bytes() const
    {
        return pole_warp_bytes(1, planes());
    }
    __device__ __forceinline__ const pole_group *group(int y) const
    {
        return q.groups + (size_t)y * q.group_pitch + (x >> 7);
    }

    /* The group of the lane's quad in row y; asking ahead brings it into the first-level cache. */
    __device__ __forceinline__ uint2 ask(int y) const
    {
        return __ldg((const uint2 *)group(y));
    }
    __device__ __forceinline__ void ask_ahead(int y) const
    {
        asm volatile("prefetch.global.L1 [%0];" ::"l"(group(y)));
    }

    /* Starts to fetch the quad of a row into place `slot` of the ring; answers whether it has dispersive nodes. */
    __device__ __forceinline__ unsigned fetch(int slot, uint2 group_of_row) const
    {
        const int shift = x >> 2 & 31; /* the lane's quad in its group */
        const unsigned kept = group_of_row.x >> shift & 1u;
        if (kept != 0) {
            const unsigned number = group_of_row.y + __popc(group_of_row.x & ((1u << shift) - 1));
            *this->number(slot) = number;
            __pipeline_memcpy_async(media(slot), q.media + 4 * (size_t)number, 8);
            float *to = states(slot);
            const float *from = q.in + run() + 4 * (size_t)number;
            for (int m = 0; m < planes(); m++, to += POLE_PLANE, from += 4 * (size_t)q.count) {
                __pipeline_memcpy_async(to, from, 16);
            }
        }
        return kept;
    }

    /* Of the lane's quad of the row in place `slot`; each lane has 16 bytes of every part but the first two, which
     * share theirs. */
    __device__ __forceinline__ uint2 *media(int slot) const
    {
        return (uint2 *)(own + slot * row_bytes());
    }
    __device__ __forceinline__ unsigned *number(int slot) const
    {
        return (unsigned *)(own + slot * row_bytes() + 8);
    }
    __device__ __forceinline__ float *states(int slot) const
    {
        return (float *)(own + slot * row_bytes() + POLE_ROW_HEAD);
    }
    __device__ __forceinline__ int planes() const
    {
        return POLES == DEBYE_POLES ? 1 : q.planes;
    }
    __device__ __forceinline__ const float4 *numbers(uint2 of, int k) const
    {
        const unsigned pair = k < 2 ? of.x : of.y;
        return (const float4 *)(q.numbers + (k % 2 == 0 ? pair & 0xffffu : pair >> 16));
    }

    /* Before the step of a quad of which what is remembered stands in place `slot`, `before` being its increments.
     * KEEP: `last` is kept from row to row; else it is asked for anew, without a test to wait for. */
    template <bool KEEP>
    __device__ __forceinline__ void prepare(bool kept, int slot, const quad &before, pole_media &last,
                                            quad &state) const
    {
        if (POLES == DEBYE_POLES && kept) {
            const uint2 of = *media(slot);
            state = load_quad(states(slot));
            if (!KEEP || of.x != last.of.x || of.y != last.of.y) {
                last.of = of;
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    const float4 n = __ldg(numbers(of, k));
                    const float2 pole = __ldg((const float2 *)(numbers(of, k) + 1));
                    last.keep[k] = n.x;
                    last.take[k] = n.y;
                    last.half[k] = n.z;
                    last.field[k] = pole.x;
                    last.rate[k] = pole.y;
                    if (!KEEP) {
                        last.history[k] = cell_relaxation_history(n.z * before.x[k], pole.y, state.x[k]);
                    }
                }
            }
        }
    }

    /* After it: v and e get their answers. */
    template <bool KEEP>
    __device__ __forceinline__ void finish(bool kept, int slot, const quad &before, const pole_media &last, quad &state,
                                           quad &v, quad &e) const
    {
        if (POLES == DEBYE_POLES && kept) {
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const float history =
                    KEEP ? cell_relaxation_history(last.half[k] * before.x[k], last.rate[k], state.x[k])
                         : last.history[k];
                const float value = cell_answer(v.x[k], history, last.keep[k], last.take[k]);
                e.x[k] += value - v.x[k];
                v.x[k] = value;
                state.x[k] = cell_relaxation(value + before.x[k], last.field[k], last.rate[k], state.x[k]);
            }
            store_quad(states(slot), state);
        } else if (kept) {
            const uint2 of = *media(slot);
#pragma unroll
            for (int k = 0; k < 4; k++) {
                float *const state = states(slot) + k;
                const float4 n = __ldg(numbers(of, k));
                const int counts = __float_as_int(n.w), first = __float_as_int(__ldg(&numbers(of, k)[1].w));
                const pole_law<float> law = {q.steps + first, counts & 0xffff, counts >> 16};
                const float history = pole_history<float>(law, n.z * before.x[k], state, POLE_PLANE);
                const float value = cell_answer(v.x[k], history, n.x, n.y);
                e.x[k] += value - v.x[k];
                v.x[k] = value;
                pole_remember<float>(law, value + before.x[k], state, POLE_PLANE, state, POLE_PLANE);
            }
        }
    }

    /* Writes what the poles of the lane's quad remember. */
    __device__ __forceinline__ void store(bool kept, int slot) const
    {
        if (kept) {
            const float *from = states(slot);
            float *to = q.out + run() + 4 * (size_t)*number(slot);
            for (int m = 0; m < planes(); m++, to += 4 * (size_t)q.count, from += POLE_PLANE) {
                store_quad(to, load_quad(from));
            }
        }
    }
};

/* Where nothing is dispersive. */
template <> struct march_poles<NO_POLES> {
    __device__ __forceinline__ march_poles(const device_pole_quads &, char *, int, unsigned)
    {
    }
    __device__ __forceinline__ void store(bool, int) const
    {
    }
};

#endif
