/* What a block of a relay has in shared memory where fields are kept in 16 bits: boxes of levels as they come from
 * memory, several turns of them; and of the field that is differenced levels in single precision, as steps want them:
 * the last ones of the first two components, and two of the third. */
#ifndef HALF_TILE_H
#define HALF_TILE_H

#include "kernels/volume/half/volume_half.h"
#include "kernels/volume/quad.h"
#include "kernels/volume/relay/relay_tile.h"
#include "kernels/volume/volume_curl.h"

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
    /* Units that are decoded in a turn: up to where those of x, y and z are. */
    static constexpr int units_x = box_x / HALF_UNIT, units_y = units_x + box_y / HALF_UNIT,
                         units = units_y + pitch * high / HALF_UNIT;
    static constexpr size_t shared = 4 * (size_t)values + 2 * (size_t)stages * boxes + 16 * (size_t)stages +
                                     8 * (size_t)(stages + TOLD_TURNS + 1) + 2 * (size_t)units;
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
    uint16_t *source;         /* (units): what a unit of a level is decoded from (source_of_unit) */
};

/* ---- units ---- */

/* What the bits of a unit's values are multiplied by, and what is added: 2^23 + 2^15 makes the sums integers. */
struct half_scale {
    float step, zero;
};

/* `change`: the sign bit is changed. `kept`: bits of the step that stay, all or none. */
__device__ __forceinline__ half_scale half_scale_of(const uint4 &words, uint32_t kept = ~0u, uint32_t change = 0)
{
    const half_unit unit = {{words.x, words.y, words.z, words.w}};
    const float step = half_float(((half_exponent_of(&unit) << 23) & kept) ^ change);
    return {step, -8421376.0f * step};
}

/* The two places of a word, exactly (half.h). */
__device__ __forceinline__ float2 half_pair(uint32_t word, const half_scale &scale)
{
    const uint32_t twice = word & HALF_VALUES;
    return {__fmaf_rn(__uint_as_float(__byte_perm(twice, 0x4b000000, 0x7610)), scale.step, scale.zero),
            __fmaf_rn(__uint_as_float(__byte_perm(twice, 0x4b000000, 0x7632)), scale.step, scale.zero)};
}

__device__ __forceinline__ quad<float> half_quad(uint32_t low, uint32_t high, const half_scale &scale)
{
    const float2 first = half_pair(low, scale), second = half_pair(high, scale);
    return {{first.x, first.y, second.x, second.y}};
}

/* The larger magnitude, or no number if either is none. */
__device__ __forceinline__ float larger_magnitude(float a, float b)
{
    float larger = 0;
#if __CUDA_ARCH__ >= 800
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(fabsf(a)), "f"(fabsf(b)));
#endif
    return larger;
}

/* Four places as two words of a unit, whose other four the neighbour lane has: all lanes of the warp come here. */
__device__ __forceinline__ uint2 half_words(const quad<float> &value)
{
    float largest =
        larger_magnitude(larger_magnitude(value.x[0], value.x[1]), larger_magnitude(value.x[2], value.x[3]));
    largest = larger_magnitude(largest, __shfl_xor_sync(0xffffffffu, largest, 1));
    const uint32_t exponent = half_exponent(half_bits(largest));
    const float to_mantissa = half_float((253 - exponent) << 23);
    const bool number = exponent - 1 < HALF_MOST; /* neither nothing nor no number */
    const uint32_t marks = exponent * 0x1001 >> 2 * (threadIdx.x & 1);
    uint32_t word[2];
#pragma unroll
    for (int w = 0; w < 2; w++) {
        const uint32_t both = __byte_perm(half_mantissa(value.x[2 * w], to_mantissa),
                                          half_mantissa(value.x[2 * w + 1], to_mantissa), 0x5410);
        word[w] = ((number ? both << 1 : 0) & HALF_VALUES) | (marks >> w & ~HALF_VALUES);
    }
    return {word[0], word[1]};
}

/* ---- a level ---- */

/* What a unit in single precision is decoded from: the number of a unit of the turn's boxes, and whether the sign is
 * changed; or nothing, as nobody looks there; or it is zero. Places beyond the walls of y have the values of their
 * images, which lie in the box too, since the grid is at least two reaches wide. Those beyond the walls of x come after
 * all others (images_along_x). */
enum : uint16_t { SOURCE_UNIT = 0x3ff, SOURCE_NONE = 0x1000, SOURCE_ZERO = 0x2000, SOURCE_CHANGED = 0x8000 };

/* The same of a row of a box: HIGH rows from row j on. */
template <int REACH, int SET, int HIGH>
__device__ __forceinline__ uint16_t source_of_row(const device_volume<float> &v, int row, int j)
{
    if (j + row >= 0 && j + row < v.n[1]) {
        return (uint16_t)row;
    }
    if (j + row < -REACH || j + row >= v.n[1] + REACH) {
        return SOURCE_NONE;
    }
    const struct image image = image_of(j + row, v.n[1], SET == 3, v.symmetric[1]);
    const int source = image.place - j;
    if (image.sign == 0) {
        return SOURCE_ZERO;
    }
    if (source < 0 || source >= HIGH) {
        return SOURCE_NONE;
    }
    return (uint16_t)(source | (image.sign < 0 ? SOURCE_CHANGED : 0));
}

/* Of unit number n, in a tile whose first place is (i, j). */
template <int REACH, int SET, bool METAL>
__device__ __forceinline__ uint16_t source_of_unit(const device_volume<float> &v, int n, int i, int j)
{
    typedef half_tile<REACH, METAL> shape;
    constexpr int narrow = RELAY_WIDTH / HALF_UNIT, wide = shape::pitch / HALF_UNIT;
    const int first = n < shape::units_x   ? 0
                      : n < shape::units_y ? shape::units_x
                                           : shape::units_y,
              width = n < shape::units_x ? narrow : wide, row = (n - first) / width, unit = (n - first) % width,
              at_i = i - (n < shape::units_x ? 0 : RELAY_MARGIN) + HALF_UNIT * unit;
    const bool across = n < shape::units_x || n >= shape::units_y; /* differenced along y too */
    const int j_first = across ? j + (SET == 3 ? 0 : 1) - REACH : j;
    const bool inside = j_first + row >= 0 && j_first + row < v.n[1];
    const unsigned source = across   ? source_of_row<REACH, SET, shape::high>(v, row, j_first)
                            : inside ? row
                                     : SOURCE_NONE;
    if (source == SOURCE_NONE || at_i + HALF_UNIT <= 0 || at_i >= v.n[0]) {
        return SOURCE_NONE;
    }
    return (uint16_t)(source == SOURCE_ZERO
                          ? SOURCE_ZERO
                          : (source & SOURCE_CHANGED) | (first + (source & SOURCE_UNIT) * width + unit));
}

/* All units of a turn: x and y of a level, of which `sign` is that of its image, or 1; and, where the turn steps, z of
 * another. Every other four lanes begin with the second half, so that no two lanes that store at once want one bank. */
template <int REACH, int SET, bool METAL>
__device__ __forceinline__ void decode_level(const half_rings &ring, const uint16_t *boxes, float *x, float *y,
                                             float *z, int sign, bool steps)
{
    typedef half_tile<REACH, METAL> shape;
    const uint32_t kept = sign == 0 ? 0 : ~0u, change = sign < 0 ? SOURCE_CHANGED : 0;
    const int end = steps ? shape::units : shape::units_y, late = threadIdx.x & 4;
#pragma unroll
    for (int first = 0; first < shape::units; first += shape::threads) {
        const int n = first + (int)threadIdx.x;
        const uint32_t source = n < end ? ring.source[n] : SOURCE_NONE;
        float *const to = (n < shape::units_x   ? x
                           : n < shape::units_y ? y - shape::units_x * HALF_UNIT
                                                : z - shape::units_y * HALF_UNIT) +
                          n * HALF_UNIT;
        const bool of_level = n < shape::units_y;
        if ((source & SOURCE_ZERO) != 0) {
            store_quad(to, zero_quad<float>());
            store_quad(to + 4, zero_quad<float>());
        } else if ((source & SOURCE_NONE) == 0) {
            const uint4 words = ((const uint4 *)boxes)[source & SOURCE_UNIT];
            const half_scale scale = half_scale_of(words, of_level ? kept : ~0u,
                                                   ((source ^ (of_level ? change : 0)) & SOURCE_CHANGED) << 16);
            const bool swapped = late != 0;
            store_quad(to + late, half_quad(swapped ? words.z : words.x, swapped ? words.w : words.y, scale));
            store_quad(to + (late ^ 4), half_quad(swapped ? words.x : words.z, swapped ? words.y : words.w, scale));
        }
    }
}

/* Images about the walls of x, of all rows of y and z that have been decoded. */
template <int REACH, int SET, bool METAL>
__device__ __forceinline__ void images_along_x(const device_volume<float> &v, float *y, float *z, int i)
{
    typedef half_tile<REACH, METAL> shape;
    const int begin = i - RELAY_MARGIN;
#pragma unroll 1
    for (int n = (int)threadIdx.x; n < 2 * REACH * (shape::rows + shape::high); n += shape::threads) {
        const int row = n / (2 * REACH), m = n % (2 * REACH), place = m < REACH ? -1 - m : v.n[0] + m - REACH;
        const struct image image = image_of(place, v.n[0], SET == 3, v.symmetric[0]);
        float *const line = row < shape::rows ? y + row * shape::pitch : z + (row - shape::rows) * shape::pitch;
        const bool there = image.place >= begin && image.place < begin + shape::pitch;
        if (place >= begin && place < begin + shape::pitch && (there || image.sign == 0)) {
            const float value = image.sign == 0 ? 0 : line[image.place - begin];
            line[place - begin] = image.sign < 0 ? 0 - value : value; /* a negative zero is none */
        }
    }
}

#endif
