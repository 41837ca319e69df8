/* Vectors of one instruction set for the CPU solvers' inner loops: the compiler's own (vector_size), so that cell.h
 * serves as it stands; only the fused multiply-add, which must not be left to contraction, is written as an intrinsic.
 */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

/* With a check of every operand in these functions the compiler would take minutes; checks of addresses stay on. */
#define INLINE        static inline __attribute__((always_inline, no_sanitize("undefined")))
#define CELL_FUNCTION INLINE

#if defined(__AVX512F__)
enum { VECTOR_BYTES = 64 };
#elif defined(__AVX2__)
enum { VECTOR_BYTES = 32 };
#else
enum { VECTOR_BYTES = 16 };
#endif
typedef float vector_single __attribute__((vector_size(VECTOR_BYTES)));
typedef double vector_double __attribute__((vector_size(VECTOR_BYTES)));

#if defined(__AVX512F__)
INLINE vector_single fma_single(vector_single a, vector_single b, vector_single c)
{
    return (vector_single)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
INLINE vector_double fma_double(vector_double a, vector_double b, vector_double c)
{
    return (vector_double)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
#elif defined(__AVX2__)
INLINE vector_single fma_single(vector_single a, vector_single b, vector_single c)
{
    return (vector_single)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
INLINE vector_double fma_double(vector_double a, vector_double b, vector_double c)
{
    return (vector_double)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
#else
/* One lane at a time, through the library where the processor has no such instruction. These two are called, not
 * inlined: the library is called either way, and volume_march.c takes half as long to compile. */
#define CALLED static __attribute__((noinline, no_sanitize("undefined")))
CALLED vector_single fma_single(vector_single a, vector_single b, vector_single c)
{
    for (int k = 0; k < 4; k++) {
        c[k] = fmaf(a[k], b[k], c[k]);
    }
    return c;
}
CALLED vector_double fma_double(vector_double a, vector_double b, vector_double c)
{
    for (int k = 0; k < 2; k++) {
        c[k] = fma(a[k], b[k], c[k]);
    }
    return c;
}
#undef CALLED
#endif

/* Stores past the caches; what reads it must come after a fence. */
#if defined(__AVX512F__)
INLINE void stream_single(float *to, vector_single value)
{
    _mm512_stream_ps(to, (__m512)value);
}
INLINE void stream_double(double *to, vector_double value)
{
    _mm512_stream_pd(to, (__m512d)value);
}
#elif defined(__AVX2__)
INLINE void stream_single(float *to, vector_single value)
{
    _mm256_stream_ps(to, (__m256)value);
}
INLINE void stream_double(double *to, vector_double value)
{
    _mm256_stream_pd(to, (__m256d)value);
}
#else
INLINE void stream_single(float *to, vector_single value)
{
    memcpy(to, &value, sizeof value);
}
INLINE void stream_double(double *to, vector_double value)
{
    memcpy(to, &value, sizeof value);
}
#endif

/* The vector m elements after (east) or before (west) the one at `at`: shifted out of it and its neighbour, where that
 * is cheaper than reading across cache lines. m is a literal. */
#if defined(__AVX512F__)
#define east_single(at, here, next, m) ((vector_single)_mm512_alignr_epi32((__m512i)(next), (__m512i)(here), m))
#define west_single(at, here, last, m) ((vector_single)_mm512_alignr_epi32((__m512i)(here), (__m512i)(last), 16 - (m)))
#define east_double(at, here, next, m)                                                                                 \
    ((m) < 8 ? (vector_double)_mm512_alignr_epi64((__m512i)(next), (__m512i)(here), (m)&7) : load_double((at) + (m)))
#define west_double(at, here, last, m)                                                                                 \
    ((m) < 8 ? (vector_double)_mm512_alignr_epi64((__m512i)(here), (__m512i)(last), (8 - (m)) & 7)                     \
             : load_double((at) - (m)))
#else
#define east_single(at, here, next, m) ((void)(next), load_single((at) + (m)))
#define west_single(at, here, last, m) ((void)(last), load_single((at) - (m)))
#define east_double(at, here, next, m) ((void)(next), load_double((at) + (m)))
#define west_double(at, here, last, m) ((void)(last), load_double((at) - (m)))
#endif

/* The first node of `count` ascending ones that is not below `node`. */
static int64_t lower_bound(const int64_t *nodes, int64_t count, int64_t node)
{
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (nodes[middle] < node) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The arithmetic of one node (sources), then of vectors. */
#define REAL       float
#define FMA        fmaf
#define CELL(name) name##_node_single
#include "problem/cell.h"
#undef REAL
#undef FMA
#undef CELL
#define REAL       double
#define FMA        fma
#define CELL(name) name##_node_double
#include "problem/cell.h"
#undef REAL
#undef FMA
#undef CELL
#define CELL_VECTORS

/* Vectors of at most eight lanes, which groups of dispersive nodes have (backend/cpu/poles/pole_lanes.h). */
#if defined(__AVX512F__)
typedef float vector_eight __attribute__((vector_size(32)));
INLINE vector_eight fma_eight(vector_eight a, vector_eight b, vector_eight c)
{
    return (vector_eight)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
#define REAL       vector_eight
#define FMA        fma_eight
#define CELL(name) name##_eight
#include "problem/cell.h"
#undef REAL
#undef FMA
#undef CELL
typedef vector_eight pole_vector_single;
#define POLE_SINGLE(name) name##_eight
#else
typedef vector_single pole_vector_single;
#define POLE_SINGLE(name) name##_single
#endif
typedef vector_double pole_vector_double;
#define POLE_DOUBLE(name) name##_double
