/* The absorber's filters in the absorber regions of a patch, for wide_block.h; one thread filters the same 4 x 3 nodes
 * as a thread that owns the patch. A step has two stages with a barrier between them: the filtered first differences go
 * into shared memory; the filtered second differences are taken from them and left there for the warps that own the
 * nodes. Leaves out: the step of the nodes themselves (wide_step.h). */
#ifndef WIDE_FILTER_H
#define WIDE_FILTER_H

#include "kernels/wide/wide_step.h"

/* States of the filters of a patch along one axis, at half nodes and at nodes. */
struct wide_states {
    float half[PATCH_ROWS][4], node[PATCH_ROWS][4];
};

/* The difference of a row at a quad: of Ez at the half nodes after its nodes (BACK = 0), or of a first difference at
 * the half nodes before its nodes (BACK = 1). */
template <int REACH, int BACK>
__device__ __forceinline__ void row_difference(const device_problem<float> &p, const float *b, float (&out)[4])
{
    constexpr int LOW = (REACH - 1 + BACK + 3) / 4, HIGH = (REACH + 3 - BACK) / 4, C = 4 * LOW - BACK;
    float x[4 * (LOW + 1 + HIGH)];
#pragma unroll
    for (int q = 0; q <= LOW + HIGH; q++) {
        get_quad(x + 4 * q, b + 4 * (q - LOW));
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        out[k] = cell_difference(p.difference[0], x[C + k], x[C + k + 1]);
#pragma unroll
        for (int l = 1; l < REACH; l++) {
            out[k] = cell_difference_add(out[k], p.difference[l], x[C + k - l], x[C + k + 1 + l]);
        }
    }
}

/* The difference along y, for all rows of the patch. */
template <int REACH, int BACK, int P>
__device__ __forceinline__ void column_difference(const device_problem<float> &p, const float *b,
                                                  float (&out)[PATCH_ROWS][4])
{
    constexpr int R = PATCH_ROWS, C = REACH - 1; /* y[C + r]: row r - BACK */
    float y[R + 2 * REACH - 1][4];
#pragma unroll
    for (int r = 0; r <= R; r++) {
        get_quad(y[C + r], b + (r - BACK) * P);
    }
#pragma unroll
    for (int l = 0; l < REACH; l++) {
        if (l > 0) {
            get_quad(y[C - l], b - (l + BACK) * P);
            get_quad(y[C + R + l], b + (R + l - BACK) * P);
        }
#pragma unroll
        for (int r = 0; r < R; r++) {
#pragma unroll
            for (int k = 0; k < 4; k++) {
                float low = y[C + r - l][k], high = y[C + r + 1 + l][k];
                out[r][k] = l == 0 ? cell_difference(p.difference[0], low, high)
                                   : cell_difference_add(out[r][k], p.difference[l], low, high);
            }
        }
    }
}

/* Filters the differences of a patch along x: column k has the filters filters[k], of the half node (PART 0) or of the
 * node (PART 1). */
template <int PART>
__device__ __forceinline__ void filter_columns(const filter_pair *filters, float (&d)[PATCH_ROWS][4],
                                               float (&state)[PATCH_ROWS][4])
{
#pragma unroll
    for (int k = 0; k < 4; k++) {
        filter_pair filter = filters[k];
#pragma unroll
        for (int r = 0; r < PATCH_ROWS; r++) {
            d[r][k] = PART == 0 ? cell_filter_half(d[r][k], filter, &state[r][k])
                                : cell_filter_node(d[r][k], filter, &state[r][k]);
        }
    }
}

/* Filters the differences of a patch along y: row r has the filters filters[r]. */
template <int PART>
__device__ __forceinline__ void filter_rows(const filter_pair *filters, float (&d)[PATCH_ROWS][4],
                                            float (&state)[PATCH_ROWS][4])
{
#pragma unroll
    for (int r = 0; r < PATCH_ROWS; r++) {
        filter_pair filter = filters[r];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            d[r][k] = PART == 0 ? cell_filter_half(d[r][k], filter, &state[r][k])
                                : cell_filter_node(d[r][k], filter, &state[r][k]);
        }
    }
}

template <int P>
__device__ __forceinline__ void store_rows(const wide_place &at, float *to, const float (&rows)[PATCH_ROWS][4])
{
#pragma unroll
    for (int r = 0; r < PATCH_ROWS; r++) {
        store_row(at, r, to + r * P, rows[r]);
    }
}

/* Filtered first differences in x, and their even images beyond the walls, into rows of Q. The stores come last because
 * loads do not pass them. */
template <int REACH, int P, int Q = P>
__device__ __forceinline__ void first_differences_x(const wide_place &at, const device_problem<float> &p,
                                                    const filter_pair *filters, const float *now, float *to,
                                                    wide_states &s)
{
    float g[PATCH_ROWS][4];
#pragma unroll
    for (int r = 0; r < PATCH_ROWS; r++) {
        row_difference<REACH, 0>(p, now + r * P, g[r]);
    }
    filter_columns<0>(filters, g, s.half);
    store_rows<Q>(at, to, g);
    if ((at.walls() & WALL_LOW_X) != 0) {
#pragma unroll
        for (int r = 0; r < PATCH_ROWS; r++) {
            float turned[4] = {g[r][3], g[r][2], g[r][1], g[r][0]};
            put_quad(to + r * Q - 2 * at.x() - 4, turned);
        }
    }
    if ((at.walls() & WALL_HIGH_X) != 0) {
        int left = p.nx - at.x();
#pragma unroll
        for (int k = 0; k < 4 * PATCH_ROWS; k++) {
            if (k % 4 < left) {
                to[k / 4 * Q - k % 4 + 2 * left - 1] = g[k / 4][k % 4];
            }
        }
    }
}

template <int REACH, int P>
__device__ __forceinline__ void first_differences_y(const wide_place &at, const device_problem<float> &p,
                                                    const filter_pair *filters, const float *now, float *to,
                                                    wide_states &s)
{
    float g[PATCH_ROWS][4];
    column_difference<REACH, 0, P>(p, now, g);
    filter_rows<0>(filters, g, s.half);
    store_rows<P>(at, to, g);
    if ((at.walls() & (WALL_LOW_Y | WALL_HIGH_Y)) != 0) {
        bool low = (at.walls() & WALL_LOW_Y) != 0;
        int left = low ? -at.y() : p.ny - at.y(); /* rows to the wall */
#pragma unroll
        for (int r = 0; r < PATCH_ROWS; r++) {
            int beyond = low ? r - left : left - r - 1;
            if (beyond >= 0 && beyond < REACH) {
                put_quad(to + (2 * left - r - 1) * P, g[r]);
            }
        }
    }
}

/* Filtered second differences of a patch in an absorber region, to `out`. */
template <int REACH, int P>
__device__ __forceinline__ void second_differences_x(const wide_place &at, const device_problem<float> &p,
                                                     const filter_pair *filters, const float *g, float *out,
                                                     wide_states &s)
{
    float d[PATCH_ROWS][4];
#pragma unroll
    for (int r = 0; r < PATCH_ROWS; r++) {
        row_difference<REACH, 1>(p, g + r * P, d[r]);
    }
    filter_columns<1>(filters, d, s.node);
    store_rows<P>(at, out, d);
}

template <int REACH, int P>
__device__ __forceinline__ void second_differences_y(const wide_place &at, const device_problem<float> &p,
                                                     const filter_pair *filters, const float *g, float *out,
                                                     wide_states &s)
{
    float d[PATCH_ROWS][4];
    column_difference<REACH, 1, P>(p, g, d);
    filter_rows<1>(filters, d, s.node);
    store_rows<P>(at, out, d);
}

#endif
