/* What a block of a relay has in shared memory where fields are kept in 16 bits: boxes of levels as they come from
 * memory, several turns of them; and of the field that is differenced levels in single precision, as steps want them:
 * the last ones of the first two components, and two of the third. */
#ifndef HALF_TILE_H
#define HALF_TILE_H

#include "kernels/volume/half/volume_half.h"
#include "kernels/volume/quad.h"
#include "kernels/volume/relay/relay_tile.h"

#include "problem/image.h"

template <int REACH, bool METAL> struct half_tile {
    typedef relay_tile<REACH> single;
    static constexpr int lanes = single::lanes, rows = single::rows, threads = single::threads, pitch = single::pitch,
                         high = single::high;
    static constexpr int below = 2 * REACH - 1; /* levels that come before a tile's first turn */
    /* Values of a level in single precision. One level more than a turn reads: some warps are at the next one. */
    static constexpr int x = single::x, y = single::y, z = single::z, bare = single::bare, depth = 2 * REACH + 1;
    static constexpr int values = depth * (x + y) + 2 * z + (METAL ? 3 * bare : 0);
    /* Places of a turn's boxes: of the three components that are differenced, and of those that are moved on. */
    static constexpr int box_x = RELAY_WIDTH * high, box_y = pitch * rows, box_z = (pitch * high + 63) / 64 * 64,
                         boxes = box_x + box_y + box_z + 3 * bare;
    static constexpr int stages = METAL ? 2 : REACH == 2 ? 4 : 3; /* turns of boxes */
    static constexpr size_t shared =
        4 * (size_t)values + 2 * (size_t)stages * boxes + 16 * (size_t)stages + 8 * (size_t)(stages + TOLD_TURNS + 1);
    static constexpr unsigned column_bytes = 2u * (box_x + box_y), level_bytes = 2u * (pitch * high + 3 * bare);
    static_assert(shared <= RELAY_SHARED, "more shared memory than a block may have");
    static_assert(box_x % 64 == 0 && box_y % 64 == 0 && bare % 64 == 0 && values % 32 == 0, "copies go to lines");
};

struct half_rings {
    float *x, *y, *z, *moved; /* moved: beside metal alone */
    uint16_t *boxes;          /* (stages, boxes) */
    int *bounds;              /* (stages, 4): rows beside metal of a turn (relay_rows.h) */
    uint64_t *full;           /* (stages): the boxes of a turn have come */
    uint64_t *done;           /* (TOLD_TURNS): all warps have stepped a turn */
    int *told;                /* turns that others know of */
};

/* ---- units ---- */

/* What the bits of a unit's values are multiplied by, and what is added: 2^23 + 2^15 makes the sums integers. */
struct half_scale {
    float step, zero;
};

__device__ __forceinline__ half_scale half_scale_of(const uint4 &words, int sign)
{
    const half_unit unit = {{words.x, words.y, words.z, words.w}};
    const float step = half_float(half_exponent_of(&unit) << 23);
    const float own = sign < 0 ? -step : sign == 0 ? 0.0f : step;
    return {own, -8421376.0f * own};
}

/* The two places of a word, exactly (half.h). */
__device__ __forceinline__ float2 half_pair(uint32_t word, const half_scale &scale)
{
    const uint32_t twice = (word & 0xfffefffe) ^ 0x80008000;
    return {__fmaf_rn(__uint_as_float(__byte_perm(twice, 0x4b000000, 0x7610)), scale.step, scale.zero),
            __fmaf_rn(__uint_as_float(__byte_perm(twice, 0x4b000000, 0x7632)), scale.step, scale.zero)};
}

__device__ __forceinline__ quad<float> half_quad(uint32_t low, uint32_t high, const half_scale &scale)
{
    const float2 first = half_pair(low, scale), second = half_pair(high, scale);
    return {{first.x, first.y, second.x, second.y}};
}

/* Four places as two words of a unit, whose other four the neighbour lane has: all lanes of the warp come here. */
__device__ __forceinline__ uint2 half_words(const quad<float> &value)
{
    uint32_t largest = 0;
#pragma unroll
    for (int p = 0; p < 4; p++) {
        largest = max(largest, half_bits(value.x[p]) & HALF_MAGNITUDE);
    }
    largest = max(largest, __shfl_xor_sync(0xffffffffu, largest, 1));
    const uint32_t exponent = half_exponent(largest);
    const float to_mantissa = half_to_mantissa(exponent);
    const bool number = exponent != HALF_NO_NUMBER;
    const int q = 2 * (threadIdx.x & 1);
    uint32_t word[2];
#pragma unroll
    for (int w = 0; w < 2; w++) {
        const uint32_t low = half_twice(value.x[2 * w], to_mantissa),
                       high = half_twice(value.x[2 * w + 1], to_mantissa);
        word[w] = (number ? low | high << 16 : 0) | half_marks(exponent, q + w);
    }
    return {word[0], word[1]};
}

/* ---- a level ---- */

/* A box of one component: rows of WIDTH units from column i and row j on. ACROSS, ALONG: it is differenced along y, or
 * along x, so that places beyond the walls are asked for, which have the values of their images: these lie in the box
 * too, since the grid is at least two reaches wide. */
template <int SET, int WIDTH, int HIGH, bool ACROSS, bool ALONG>
__device__ __forceinline__ void decode_unit(const device_volume<float> &v, const uint16_t *from, float *to, int number,
                                            int i, int j, int sign)
{
    const int row = number / WIDTH, unit = number % WIDTH, at_i = i + HALF_UNIT * unit, at_j = j + row;
    int source = row;
    if (ACROSS && (at_j < 0 || at_j >= v.n[1])) {
        const struct image image = image_of(at_j, v.n[1], SET == 3, v.symmetric[1]);
        source = image.place - j;
        const bool there = source >= 0 && source < HIGH;
        sign = there ? sign * image.sign : 0;
        source = there ? source : row;
    }
    const uint4 *const units = (const uint4 *)from + source * WIDTH;
    float *const out = to + row * WIDTH * HALF_UNIT + unit * HALF_UNIT;
    if (ALONG && (at_i < 0 || at_i + HALF_UNIT > v.n[0])) {
#pragma unroll 1
        for (int c = 0; c < HALF_UNIT; c++) {
            int column = at_i + c - i, own = sign;
            if (at_i + c < 0 || at_i + c >= v.n[0]) {
                const struct image image = image_of(at_i + c, v.n[0], SET == 3, v.symmetric[0]);
                column = image.place - i;
                own = column >= 0 && column < HALF_UNIT * WIDTH ? sign * image.sign : 0;
                column = own == 0 ? 0 : column;
            }
            const half_scale scale = half_scale_of(units[column / HALF_UNIT], own);
            const float2 pair = half_pair(((const uint32_t *)units)[column / 2], scale);
            out[c] = column % 2 == 0 ? pair.x : pair.y;
        }
        return;
    }
    const uint4 words = units[unit];
    const half_scale scale = half_scale_of(words, sign);
    store_quad(out, half_quad(words.x, words.y, scale));
    store_quad(out + 4, half_quad(words.z, words.w, scale));
}

/* All boxes of a turn: x and y of a level, of which `sign` is that of its image, or 1; and z of another, unless the
 * turn steps nothing. */
template <int REACH, int SET, bool METAL, bool STEPS>
__device__ __forceinline__ void decode_level(const device_volume<float> &v, const uint16_t *boxes, float *x, float *y,
                                             float *z, int i, int j, int sign)
{
    typedef half_tile<REACH, METAL> shape;
    constexpr int narrow = RELAY_WIDTH / HALF_UNIT, wide = shape::pitch / HALF_UNIT, before = SET == 3 ? 1 : 0;
    constexpr int end_x = narrow * shape::high, end_y = end_x + wide * shape::rows,
                  end_z = end_y + (STEPS ? wide * shape::high : 0);
    const int j_high = j + 1 - before - REACH, i_wide = i - RELAY_MARGIN;
#pragma unroll 1
    for (int n = (int)threadIdx.x; n < end_z; n += shape::threads) {
        if (n < end_x) {
            decode_unit<SET, narrow, shape::high, true, false>(v, boxes, x, n, i, j_high, sign);
        } else if (n < end_y) {
            decode_unit<SET, wide, shape::rows, false, true>(v, boxes + shape::box_x, y, n - end_x, i_wide, j, sign);
        } else {
            decode_unit<SET, wide, shape::high, true, true>(v, boxes + shape::box_x + shape::box_y, z, n - end_y,
                                                            i_wide, j_high, 1);
        }
    }
}

#endif
