/* Fields that are kept in 16 bits a value (`grid.storage: half`): block floating point, compiled by the C compiler and
 * by nvcc.
 *
 * Eight places beside each other along x, from a multiple of eight on, are a unit of 16 bytes. A value has 15 bits of
 * its own, a mantissa from -16383 to 16383 with 16384 added; the lowest of its 16 bits is one bit of the unit's
 * exponent:
 *
 *      place     0        1        2        3        4        5        6        7
 *              +-------+-+-------+-+-------+-+-------+-+-------+-+-------+-+-------+-+-------+-+
 *              | m0    |.| m1    |.| m2    |.| m3    |.| m4    |.| m5    |.| m6    |.| m7    |.|
 *              +-------+-+-------+-+-------+-+-------+-+-------+-+-------+-+-------+-+-------+-+
 *     bit of the exponent 0        4         1         5         2         6         3         7
 *
 * Two places are a word, so the bits of word q are those of the exponent at q and at q + 4. A value is
 *
 *      2 m 2^(exponent - 127)
 *
 * The exponent is the least at which the largest magnitude of the unit fits, so that its rounding error is at most
 * half of 2^(exponent - 126): 2^-14 to 2^-15 of the largest. Values are rounded to the nearest, ties to the even one.
 * Where the largest is under about 2^-112, all of the unit is zero, and so are all of its bits; from about 2^117 on, or
 * where a value is no number, all of it is no number, which the watch over growing runs sees. Every operation is exact
 * but the rounding itself, so that it does not matter whether a compiler fuses them. There is no negative zero.
 *
 * After each half step all that a solver keeps of h or E is rounded in this way, when everything of the half step has
 * been added: rows beside metal, sources. Filters, probes, spectra and the energy see rounded fields. What the
 * absorber's filters remember is not rounded. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define HALF_FUNCTION static __host__ __device__ __forceinline__
#else
#define HALF_FUNCTION static inline __attribute__((always_inline))
#endif

enum {
    HALF_UNIT = 8,              /* places of a unit */
    HALF_LEAST = 14,            /* exponents of the unit are those of float, less this */
    HALF_MOST = 230,            /* the largest exponent of numbers */
    HALF_NO_NUMBER = 255,       /* the exponent of a unit that holds something else */
    HALF_MAGNITUDE = 0x7fffffff /* bits of a float but its sign */
};

/* 1.5 times 2^23: adding it to a number of a smaller magnitude than 2^22 rounds that to an integer. */
#define HALF_INTEGER 12582912.0f

/* What is added to mantissas, and what rounds a number and adds it. */
#define HALF_OFFSET             16384
#define HALF_INTEGER_AND_OFFSET 12599296.0f

HALF_FUNCTION uint32_t half_bits(float value)
{
#ifdef __CUDA_ARCH__
    return __float_as_uint(value);
#else
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
#endif
}

HALF_FUNCTION float half_float(uint32_t bits)
{
#ifdef __CUDA_ARCH__
    return __uint_as_float(bits);
#else
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
#endif
}

/* The exponent of a unit whose largest magnitude has these bits, of which the sign is 0. Bits of numbers go up with
 * them, and what is no number is above all. */
HALF_FUNCTION uint32_t half_exponent(uint32_t largest)
{
    const int exponent = (int)((largest + 0x200) >> 23) - HALF_LEAST; /* 0x200: where rounding carries */
    return exponent < 1 ? 0 : exponent > HALF_MOST ? HALF_NO_NUMBER : (uint32_t)exponent;
}

/* What values are multiplied by to give mantissas, and mantissas to give values. */
HALF_FUNCTION float half_to_mantissa(uint32_t exponent)
{
    return exponent == 0 || exponent == HALF_NO_NUMBER ? 0.0f : half_float((253 - exponent) << 23);
}

HALF_FUNCTION float half_from_mantissa(uint32_t exponent)
{
    return exponent == 0 ? 0.0f : half_float(exponent == HALF_NO_NUMBER ? 0x7fc00000u : (exponent + 1) << 23);
}

/* A value as it is kept, in a unit of this exponent. */
HALF_FUNCTION float half_round(float value, uint32_t exponent)
{
    const float mantissa = (value * half_to_mantissa(exponent) + HALF_INTEGER) - HALF_INTEGER;
    return mantissa * half_from_mantissa(exponent);
}

/* ---- as it lies in memory ---- */

struct half_unit {
    uint32_t word[4]; /* places 2 q and 2 q + 1, the first in the lower half */
};

/* The bits of words that are of values; the others are of the exponent. */
#define HALF_VALUES 0xfffefffeu

/* The exponent's bits of word q, where they belong in that word. */
HALF_FUNCTION uint32_t half_marks(uint32_t exponent, int q)
{
    return exponent * 0x1001 >> q & ~HALF_VALUES;
}

HALF_FUNCTION uint32_t half_exponent_of(const struct half_unit *unit)
{
    const uint32_t marks = (unit->word[0] & 0x10001) | (unit->word[1] & 0x10001) << 1 | (unit->word[2] & 0x10001) << 2 |
                           (unit->word[3] & 0x10001) << 3;
    return (marks | marks >> 12) & 0xff;
}

/* The lowest 15 bits of this are the mantissa of a value, with its offset; bit 15 is zero. */
HALF_FUNCTION uint32_t half_mantissa(float value, float to_mantissa)
{
#ifdef __CUDA_ARCH__
    return half_bits(__fmaf_rn(value, to_mantissa, HALF_INTEGER_AND_OFFSET));
#else
    return half_bits(value * to_mantissa + HALF_INTEGER_AND_OFFSET);
#endif
}

HALF_FUNCTION struct half_unit half_encode(const float *value)
{
    uint32_t largest = 0;
    struct half_unit unit;
    for (int c = 0; c < HALF_UNIT; c++) {
        const uint32_t magnitude = half_bits(value[c]) & HALF_MAGNITUDE;
        largest = magnitude > largest ? magnitude : largest;
    }
    const uint32_t exponent = half_exponent(largest);
    const float to_mantissa = half_to_mantissa(exponent);
    const bool number = exponent != 0 && exponent != HALF_NO_NUMBER;
    for (int q = 0; q < 4; q++) {
        const uint32_t low = half_mantissa(value[2 * q], to_mantissa) & 0x7fff,
                       high = half_mantissa(value[2 * q + 1], to_mantissa) & 0x7fff;
        unit.word[q] = (number ? low << 1 | high << 17 : 0) | half_marks(exponent, q);
    }
    return unit;
}

/* A value, of which the lowest 16 bits of `bits` are those that are kept. */
HALF_FUNCTION float half_value(uint32_t bits, uint32_t exponent)
{
    const int mantissa = (int)(bits >> 1 & 0x7fff) - HALF_OFFSET;
    return exponent == 0 ? 0 : (float)mantissa * half_from_mantissa(exponent);
}

/* Place c of a unit. */
HALF_FUNCTION float half_decode(const struct half_unit *unit, int c)
{
    return half_value(unit->word[c / 2] >> (c % 2 * 16), half_exponent_of(unit));
}

/* Rounds `count` places of a row that begins at a multiple of eight; a last unit may have fewer. */
HALF_FUNCTION void half_round_row(float *row, int count)
{
    for (int first = 0; first < count; first += HALF_UNIT) {
        const int places = count - first < HALF_UNIT ? count - first : HALF_UNIT;
        float *const value = row + first;
        uint32_t largest = 0;
        for (int c = 0; c < places; c++) {
            const uint32_t magnitude = half_bits(value[c]) & HALF_MAGNITUDE;
            largest = magnitude > largest ? magnitude : largest;
        }
        const uint32_t exponent = half_exponent(largest);
        for (int c = 0; c < places; c++) {
            value[c] = half_round(value[c], exponent);
        }
    }
}
