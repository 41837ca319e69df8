/* One step of a patch of a wide stencil, for wide_block.h: 4 columns and 3 rows a thread, thread to patch as
 * wide_place.h says. The patch's own nodes are in registers; Ez of the whole block is in shared memory, with a margin
 * for halo and images (wide_shape.h). What a thread reads for TAPS = 3 Laplacian taps; `o` are its own nodes:
 *
 *               | | | |                  TAPS rows before the patch, one quad each
 *               | | | |
 *               | | | |
 *        <- - - o o o o - - ->           TAPS columns to either side, fetched as whole quads
 *        <- - - o o o o - - ->
 *        <- - - o o o o - - ->
 *               | | | |                  TAPS rows after the patch
 *               | | | |
 *               | | | |
 *
 * The order of the operations is that of cell.h. Leaves out: the filters of the absorber (wide_filter.h), which thread
 * has which patch (warp_roles.h), and the exchange with other blocks (wide_halo.h). */
#ifndef WIDE_STEP_H
#define WIDE_STEP_H

#include "kernels/common/opaque_value.h"
#include "kernels/common/quad.h"
#include "kernels/wide/wide_place.h"

/* Fields of a patch, and the coefficient indices of its nodes, two 16-bit indices in a word (the lower column in the
 * low half): the coefficients of twelve nodes would not fit into the registers. */
struct wide_patch {
    float e[PATCH_ROWS][4], v[PATCH_ROWS][4];
    unsigned index_pairs[2 * PATCH_ROWS];
};

/* Stores a row of the patch. */
__device__ __forceinline__ void store_row(const wide_place &at, int r, float *to, const float (&row)[4])
{
    if (at.whole()) {
        put_quad(to, row);
    } else {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (at.has(4 * r + k)) {
                to[k] = row[k];
            }
        }
    }
}

/* The Laplacian of both axes at once. `b` is Ez of the patch's first node; neighbours are fetched tap by tap. */
template <int TAPS, int P>
__device__ __forceinline__ void patch_cross(const device_problem<float> &p, const float *b,
                                            const float (&e)[PATCH_ROWS][4], float (&lap)[PATCH_ROWS][4])
{
    constexpr int SIDE = (TAPS + 3) / 4, C = 4 * SIDE, R = PATCH_ROWS;
    float x[R][4 * (2 * SIDE + 1)], y[R + 2 * TAPS][4];
#pragma unroll
    for (int r = 0; r < R; r++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            x[r][C + k] = y[TAPS + r][k] = e[r][k];
        }
    }
#pragma unroll
    for (int m = 1; m <= TAPS; m++) {
        if (m % 4 == 1) {
#pragma unroll
            for (int r = 0; r < R; r++) {
                get_quad(x[r] + C - m - 3, b + r * P - m - 3);
                get_quad(x[r] + C + m + 3, b + r * P + m + 3);
            }
        }
        get_quad(y[TAPS - m], b - m * P);
        get_quad(y[TAPS + R - 1 + m], b + (R - 1 + m) * P);
#pragma unroll
        for (int r = 0; r < R; r++) {
#pragma unroll
            for (int k = 0; k < 4; k++) {
                float west = x[r][C + k - m], east = x[r][C + k + m], south = y[TAPS + r - m][k],
                      north = y[TAPS + r + m][k];
                lap[r][k] = m == 1 ? cell_cross(p.centre2, e[r][k], west, east, south, north)
                                   : cell_cross_add(lap[r][k], p.laplacian[m - 1], west, east, south, north);
            }
        }
    }
}

/* The second difference along one axis alone. */
template <int TAPS, int P>
__device__ __forceinline__ void patch_line_x(const device_problem<float> &p, const float *b,
                                             const float (&e)[PATCH_ROWS][4], float (&lap)[PATCH_ROWS][4])
{
    constexpr int SIDE = (TAPS + 3) / 4, C = 4 * SIDE;
#pragma unroll
    for (int r = 0; r < PATCH_ROWS; r++) {
        float x[4 * (2 * SIDE + 1)];
#pragma unroll
        for (int q = 0; q <= 2 * SIDE; q++) {
            get_quad(x + 4 * q, b + r * P + 4 * (q - SIDE));
        }
#pragma unroll
        for (int k = 0; k < 4; k++) {
            lap[r][k] = cell_line(p.centre, e[r][k], x[C + k - 1], x[C + k + 1]);
#pragma unroll
            for (int m = 2; m <= TAPS; m++) {
                lap[r][k] = cell_line_add(lap[r][k], p.laplacian[m - 1], x[C + k - m], x[C + k + m]);
            }
        }
    }
}

template <int TAPS, int P>
__device__ __forceinline__ void patch_line_y(const device_problem<float> &p, const float *b,
                                             const float (&e)[PATCH_ROWS][4], float (&lap)[PATCH_ROWS][4])
{
    constexpr int R = PATCH_ROWS;
    float y[R + 2 * TAPS][4];
#pragma unroll
    for (int r = 0; r < R; r++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            y[TAPS + r][k] = e[r][k];
        }
    }
#pragma unroll
    for (int m = 1; m <= TAPS; m++) {
        get_quad(y[TAPS - m], b - m * P);
        get_quad(y[TAPS + R - 1 + m], b + (R - 1 + m) * P);
#pragma unroll
        for (int r = 0; r < R; r++) {
#pragma unroll
            for (int k = 0; k < 4; k++) {
                float low = y[TAPS + r - m][k], high = y[TAPS + r + m][k];
                lap[r][k] = m == 1 ? cell_line(p.centre, e[r][k], low, high)
                                   : cell_line_add(lap[r][k], p.laplacian[m - 1], low, high);
            }
        }
    }
}

/* Masks of the nodes of a patch in an absorber region of x and of y. */
__device__ __forceinline__ unsigned region_nodes_x(const wide_place &at)
{
    return at.region_x() * 0x111u;
}

__device__ __forceinline__ unsigned region_nodes_y(const wide_place &at)
{
    return (at.region_y() & 1u) * 0x00fu + (at.region_y() >> 1 & 1u) * 0x0f0u + (at.region_y() >> 2) * 0xf00u;
}

/* Replaces the Laplacian of `nodes`, a bit each. */
__device__ __forceinline__ void replace_nodes(unsigned nodes, const float (&by)[PATCH_ROWS][4],
                                              float (&lap)[PATCH_ROWS][4])
{
#pragma unroll
    for (int k = 0; k < 4 * PATCH_ROWS; k++) {
        lap[k / 4][k % 4] = (nodes >> k & 1u) != 0 ? by[k / 4][k % 4] : lap[k / 4][k % 4];
    }
}

/* Leaves in `lap` what is not filtered: the cross where the patch has nodes in no absorber region, the other axis for
 * nodes in one region alone, zero for nodes in both. */
template <int TAPS, int P>
__device__ __forceinline__ void patch_unfiltered(const wide_place &at, const device_problem<float> &p, const float *now,
                                                 const float (&e)[PATCH_ROWS][4], float (&lap)[PATCH_ROWS][4])
{
    unsigned in_x = region_nodes_x(at), in_y = region_nodes_y(at);
#pragma unroll
    for (int k = 0; k < 4 * PATCH_ROWS; k++) {
        lap[k / 4][k % 4] = ((in_x & in_y) >> k & 1u) != 0 ? 0.0f : lap[k / 4][k % 4];
    }
    if ((in_y & ~in_x) != 0) {
        float line[PATCH_ROWS][4];
        patch_line_x<TAPS, P>(p, now, e, line);
        replace_nodes(in_y & ~in_x, line, lap);
    }
    if ((in_x & ~in_y) != 0) {
        float line[PATCH_ROWS][4];
        patch_line_y<TAPS, P>(p, now, e, line);
        replace_nodes(in_x & ~in_y, line, lap);
    }
}

/* Adds the filtered second differences, which the warps that filter have left in shared memory for the patch's first
 * node at `lap_x` and `lap_y`. */
template <int P>
__device__ __forceinline__ void add_filtered(const wide_place &at, const float *lap_x, const float *lap_y,
                                             float (&lap)[PATCH_ROWS][4])
{
    if (at.region_x() != 0) {
#pragma unroll
        for (int r = 0; r < PATCH_ROWS; r++) {
            float d[4];
            get_quad(d, lap_x + r * P);
#pragma unroll
            for (int k = 0; k < 4; k++) {
                lap[r][k] = (at.region_x() >> k & 1u) != 0 ? lap[r][k] + d[k] : lap[r][k];
            }
        }
    }
    if (at.region_y() != 0) {
#pragma unroll
        for (int r = 0; r < PATCH_ROWS; r++) {
            float d[4];
            get_quad(d, lap_y + r * P);
#pragma unroll
            for (int k = 0; k < 4; k++) {
                lap[r][k] = (at.region_y() >> r & 1u) != 0 ? lap[r][k] + d[k] : lap[r][k];
            }
        }
    }
}

/* The new increments and the new Ez. */
__device__ __forceinline__ void advance_patch(const device_problem<float> &p, bool in_air, float2 air,
                                              const float (&lap)[PATCH_ROWS][4], wide_patch &c)
{
    if (in_air) {
#pragma unroll
        for (int k = 0; k < 4 * PATCH_ROWS; k++) {
            float &v = c.v[k / 4][k % 4];
            v = cell_increment(v, lap[k / 4][k % 4], air.x, air.y);
        }
    } else {
#pragma unroll
        for (int k = 0; k < 2 * PATCH_ROWS; k++) {
            unsigned pair = opaque_value(c.index_pairs[k]); /* or twelve addresses stay in registers for the batch */
            float2 low = __ldg(&p.coefficients[pair & 0xffffu]), high = __ldg(&p.coefficients[pair >> 16]);
            float *v = c.v[k / 2] + 2 * (k % 2);
            v[0] = cell_increment(v[0], lap[k / 2][2 * (k % 2)], low.x, low.y);
            v[1] = cell_increment(v[1], lap[k / 2][2 * (k % 2) + 1], high.x, high.y);
        }
    }
#pragma unroll
    for (int k = 0; k < 4 * PATCH_ROWS; k++) {
        c.e[k / 4][k % 4] = c.e[k / 4][k % 4] + c.v[k / 4][k % 4];
    }
}

/* Writes the odd images of a patch at a wall, `depth` rows deep. In x more images than are read do no harm. */
template <int P>
__device__ __forceinline__ void share_images(const wide_place &at, const device_problem<float> &p, float *to, int depth,
                                             const float (&e)[PATCH_ROWS][4])
{
    constexpr int R = PATCH_ROWS;
    if ((at.walls() & WALL_LOW_X) != 0) {
        float *image = to - 2 * at.x();
        bool wall = at.x() == 0; /* node 0 is its own image */
#pragma unroll
        for (int k = 0; k < 4 * R; k++) {
            if (k % 4 > 0 || !wall) {
                image[k / 4 * P - k % 4] = -e[k / 4][k % 4];
            }
        }
    }
    if ((at.walls() & WALL_HIGH_X) != 0) {
        int left = p.nx - at.x();
        float *image = to + 2 * left;
#pragma unroll
        for (int k = 0; k < 4 * R; k++) {
            if (k % 4 < left) {
                image[k / 4 * P - k % 4] = -e[k / 4][k % 4];
            }
        }
    }
    if ((at.walls() & (WALL_LOW_Y | WALL_HIGH_Y)) != 0) {
        bool low = (at.walls() & WALL_LOW_Y) != 0;
        int left = low ? -at.y() : p.ny - at.y(); /* rows to the wall */
        float *image = to + 2 * left * P;
#pragma unroll
        for (int r = 0; r < R; r++) {
            float odd[4] = {-e[r][0], -e[r][1], -e[r][2], -e[r][3]};
            int beyond = low ? r - left : left - r;
            if (beyond > 0 && beyond <= depth) {
                store_row(at, r, image - r * P, odd);
            }
        }
    }
}

/* Writes Ez of the patch into shared memory, for its own block. */
template <int P>
__device__ __forceinline__ void share_patch(const wide_place &at, const device_problem<float> &p, float *to, int depth,
                                            const float (&e)[PATCH_ROWS][4])
{
#pragma unroll
    for (int r = 0; r < PATCH_ROWS; r++) {
        store_row(at, r, to + r * P, e[r]);
    }
    if (at.walls() != 0) {
        share_images<P>(at, p, to, depth, e);
    }
}

#endif
