/* Marks a function of plain loops to be compiled for several instruction sets, chosen at load time, where compiler and
 * sanitizers can do that. By feature: "arch=haswell" would match Intel's Haswell alone, and leave all others with a
 * call of fmaf() for each cell. */
#ifndef FAST_FMA_H
#define FAST_FMA_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&               \
    !defined(__SANITIZE_THREAD__)
#define FAST_FMA __attribute__((target_clones("avx512f", "fma", "default")))
#else
#define FAST_FMA
#endif
#define INLINE static inline __attribute__((always_inline))

#endif
