/* The absorber's filters in a pass of several steps (volume_sweep.cu). */
#ifndef SWEEP_FILTERS_H
#define SWEEP_FILTERS_H

#include "kernels/volume/sweep_parts.h"

/* What filters remember of one place between two steps of a pass: by axis, set (h, E) and which of two derivatives. */
template <int STEPS> struct carried {
    four state[2][STEPS > 1 ? STEPS - 1 : 1][12];
};

/* The filters of step S of the pass at a quad of the set SET: h (0) or E (1). Along an axis stand those of the next
 * component and of the next but one, in cyclic order (solver.h). The states of one axis are asked for before the
 * derivatives are there; few places have others. */
template <int S, int STEPS, int SET, int MASK> struct sweep_filters {
    const device_volume<float> &v;
    const sweep_pass<float> &pass;
    const sweep_column &at;
    const sweep_profiles &profiles;
    carried<STEPS> &kept;
    const int p, parity;
    int early; /* the axis; 3: none */
    four state[2];

    __device__ __forceinline__ sweep_filters(const device_volume<float> &volume, const sweep_pass<float> &own,
                                             const sweep_column &column, const sweep_profiles &all,
                                             carried<STEPS> &between, int level, int odd)
        : v(volume), pass(own), at(column), profiles(all), kept(between), p(level), parity(odd), early(3), state{}
    {
        early = stands(0) ? 0 : stands(1) ? 1 : stands(2) ? 2 : 3;
        if (early < 3) {
            load(early);
            if (S == 1 && p + 1 < v.n[2] && (early < 2 || p + 1 < v.low[2] || p >= v.n[2] - v.high[2])) {
                const size_t levels = early == 0   ? (size_t)v.n[1] * v.filters_x
                                      : early == 1 ? (size_t)(v.low[1] + v.high[1]) * v.width
                                                   : (size_t)v.n[1] * v.width;
                const size_t next = place(early) + levels;
                ask(pass.in.filter[early][2 * SET] + next);
                ask(pass.in.filter[early][2 * SET + 1] + next);
            }
        }
    }

    __device__ __forceinline__ bool stands(int a) const
    {
        return (MASK >> a & 1) != 0 && at.inside && ((MASK & 4) == 0 || (p >= 0 && p < v.n[2])) &&
               (a == 0   ? at.layer_x != 0
                : a == 1 ? at.slot_y >= 0
                         : filter_slot(v, 2, p) >= 0);
    }

    __device__ __forceinline__ size_t place(int a) const
    {
        return a == 0   ? ((size_t)p * v.n[1] + at.j) * v.filters_x + at.slot_x
               : a == 1 ? ((size_t)p * (v.low[1] + v.high[1]) + at.slot_y) * v.width + at.i
                        : ((size_t)filter_slot(v, 2, p) * v.n[1] + at.j) * v.width + at.i;
    }

    __device__ __forceinline__ void load(int a)
    {
#pragma unroll
        for (int d = 0; d < 2; d++) {
            if (S > 1) {
                state[d] = kept.state[parity ^ 1][S > 1 ? S - 2 : 0][4 * a + 2 * SET + d];
                continue;
            }
            state[d] = load_quad(pass.in.filter[a][2 * SET + d] + place(a));
        }
    }

    __device__ __forceinline__ void keep(int a, bool own) const
    {
#pragma unroll
        for (int d = 0; d < 2; d++) {
            if (S < STEPS) {
                kept.state[parity][S < STEPS ? S - 1 : 0][4 * a + 2 * SET + d] = state[d];
                continue;
            }
            if (own) {
                store_quad(pass.out.filter[a][2 * SET + d] + place(a), state[d]);
            }
        }
    }

    __device__ __forceinline__ void apply(sweep_curl &d, bool own)
    {
#pragma unroll
        for (int a = 0; a < 3; a++) {
            if (!stands(a)) {
                continue;
            }
            if (a != early) {
                load(a);
            }
            four &first = d.first[(a + 2) % 3], &second = d.second[(a + 1) % 3];
            four number[3]; /* gain, pole, feed */
#pragma unroll
            for (int n = 0; n < 3; n++) {
                number[n] = profiles.x[SET][n][threadIdx.x % LANES];
#pragma unroll
                for (int c = 0; c < CELLS && a > 0; c++) {
                    number[n].x[c] = profiles.y[SET][n][threadIdx.x / LANES];
                }
            }
            device_filter<float> level = {};
            if (a == 2) {
                level = (SET == 0 ? v.half : v.node)[2][p];
            }
#pragma unroll
            for (int c = 0; c < CELLS; c++) {
                const device_filter<float> filter =
                    a == 2 ? level : device_filter<float>{number[0].x[c], number[1].x[c], number[2].x[c]};
                if (a > 0 || (at.layer_x >> c & 1) != 0) {
                    first.x[c] = cell_filter(first.x[c], filter, &state[0].x[c]);
                    second.x[c] = cell_filter(second.x[c], filter, &state[1].x[c]);
                }
            }
            keep(a, own);
        }
    }
};

struct no_filters {
    template <typename... Given> __device__ __forceinline__ explicit no_filters(Given &&...)
    {
    }
    __device__ __forceinline__ void apply(sweep_curl &, bool)
    {
    }
};

#endif
