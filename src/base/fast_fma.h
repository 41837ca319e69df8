/* FAST_FMA marks a function of plain loops to be compiled for several instruction sets, one of which is chosen when the
 * program is loaded. FAST_VECTORS does so for loops without fused multiply-adds. On other processors, and where the
 * compiler or a sanitizer cannot do that, both mark nothing. The sets are named by feature:
 * "arch=haswell" would match Intel's Haswell alone, and every other processor would call fmaf() once per cell. */
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&               \
    !defined(__SANITIZE_THREAD__)
#define FAST_FMA     __attribute__((target_clones("avx512f", "fma", "default")))
#define FAST_VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FAST_FMA
#define FAST_VECTORS
#endif
#define INLINE static inline __attribute__((always_inline))
