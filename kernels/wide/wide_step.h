/* The step of a patch of a wide stencil, 4 columns and 3 rows a thread, for wide_block.h. The patch's own nodes are in
 * registers, Ez of the block in shared memory, with a margin for halo and images. Order of operations: cell.h. Leaves
 * out: the filters of the absorber (wide_filter.h), who has which patch (warp_roles.h), and what comes in from other
 * blocks (wide_halo.h). */
#ifndef SMALL_WIDE_STEP_H
#define SMALL_WIDE_STEP_H

#include "kernels/wide/wide_shape.h"

/* What a thread knows of its patch for the whole batch. */
struct wide_place {
    unsigned corner; /* x of the first node in the low half, y in the high one */
    unsigned
        bits;    /* nodes that exist, bit 4 row + column; columns in a zone << 12; rows in a zone << 16; walls << 20 */
    float *base; /* first Ez of the first node; the other fields lie behind it, wide_shape */

    __device__ __forceinline__ int x() const
    {
        return (int)(corner & 0xffffu);
    }
    __device__ __forceinline__ int y() const
    {
        return (int)(corner >> 16);
    }
    __device__ __forceinline__ bool on() const
    {
        return (bits & 0xfffu) != 0;
    }
    __device__ __forceinline__ bool has(int node) const
    {
        return (bits >> node & 1u) != 0;
    }
    __device__ __forceinline__ bool whole() const
    {
        return (bits & 0xfffu) == 0xfffu;
    }
    __device__ __forceinline__ unsigned region_x() const
    {
        return bits >> 12 & 0xfu;
    }
    __device__ __forceinline__ unsigned region_y() const
    {
        return bits >> 16 & 7u;
    }
    /* All of the warp. */
    __device__ __forceinline__ bool in_air() const
    {
        return (bits >> 24 & 1u) != 0;
    }
    /* Images: 1 low x, 2 high x, 4 low y, 8 high y. */
    __device__ __forceinline__ unsigned walls() const
    {
        return bits >> 20 & 0xfu;
    }
};

/* Fields of a patch, and its materials two by two: coefficients of its nodes would not fit into the registers. */
struct wide_patch {
    float e[PATCH_ROWS][4], v[PATCH_ROWS][4];
    unsigned index_pairs[2 * PATCH_ROWS];
};

__device__ __forceinline__ void get_quad(float *to, const float *from)
{
    float4 q = *(const float4 *)from;
    to[0] = q.x;
    to[1] = q.y;
    to[2] = q.z;
    to[3] = q.w;
}

__device__ __forceinline__ void put_quad(float *to, const float *from)
{
    *(float4 *)to = make_float4(from[0], from[1], from[2], from[3]);
}

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

/* Both axes at once; b: Ez of the patch's first node. Neighbours are fetched ring by ring. */
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

/* One axis alone. */
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

/* Masks of the nodes of a patch in a zone of x and of y. */
__device__ __forceinline__ unsigned region_nodes_x(const wide_place &at)
{
    return at.region_x() * 0x111u;
}

__device__ __forceinline__ unsigned region_nodes_y(const wide_place &at)
{
    return (at.region_y() & 1u) * 0x00fu + (at.region_y() >> 1 & 1u) * 0x0f0u + (at.region_y() >> 2) * 0xf00u;
}

/* In `lap`, the cross where the patch has nodes in no zone: for those in one zone alone the other axis, for those in
 * both nothing. */
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
#pragma unroll
        for (int k = 0; k < 4 * PATCH_ROWS; k++) {
            lap[k / 4][k % 4] = ((in_y & ~in_x) >> k & 1u) != 0 ? line[k / 4][k % 4] : lap[k / 4][k % 4];
        }
    }
    if ((in_x & ~in_y) != 0) {
        float line[PATCH_ROWS][4];
        patch_line_y<TAPS, P>(p, now, e, line);
#pragma unroll
        for (int k = 0; k < 4 * PATCH_ROWS; k++) {
            lap[k / 4][k % 4] = ((in_x & ~in_y) >> k & 1u) != 0 ? line[k / 4][k % 4] : lap[k / 4][k % 4];
        }
    }
}

/* Adds what the filters have left in shared memory for the first node at `lap_x` and `lap_y`. */
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

/* New increments and Ez. */
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
            unsigned pair = c.index_pairs[k];
            asm volatile("" : "+r"(pair)); /* or the compiler keeps twelve addresses for the whole batch */
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

/* Odd images of a patch at a wall, `depth` rows deep; in x more than is read does no harm. */
template <int P>
__device__ __forceinline__ void share_images(const wide_place &at, const device_problem<float> &p, float *to, int depth,
                                             const float (&e)[PATCH_ROWS][4])
{
    constexpr int R = PATCH_ROWS;
    if ((at.walls() & 1u) != 0) {
        float *image = to - 2 * at.x();
        bool wall = at.x() == 0; /* node 0 is its own image */
#pragma unroll
        for (int k = 0; k < 4 * R; k++) {
            if (k % 4 > 0 || !wall) {
                image[k / 4 * P - k % 4] = -e[k / 4][k % 4];
            }
        }
    }
    if ((at.walls() & 2u) != 0) {
        int left = p.nx - at.x();
        float *image = to + 2 * left;
#pragma unroll
        for (int k = 0; k < 4 * R; k++) {
            if (k % 4 < left) {
                image[k / 4 * P - k % 4] = -e[k / 4][k % 4];
            }
        }
    }
    if ((at.walls() & 12u) != 0) {
        bool low = (at.walls() & 4u) != 0;
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

/* Ez of the patch for its own block. */
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
