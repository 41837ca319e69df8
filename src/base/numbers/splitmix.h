/* Random numbers that are the same on every machine: the generator splitmix64 (Steele, Lea and Flood 2014). */
#pragma once

#include <stdint.h>

/* Each bit of the value decides about every bit of the result (a hash by David Stafford). */
static inline uint64_t splitmix_hash(uint64_t value)
{
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

/* Number `index` of the sequence that begins with the hash of 0: for threads that share the work. */
static inline uint64_t splitmix_at(uint64_t index)
{
    return splitmix_hash(index * 0x9e3779b97f4a7c15u);
}

/* The next of the sequence; any state will do to begin with. */
static inline uint64_t splitmix_next(uint64_t *state)
{
    return splitmix_hash(*state += 0x9e3779b97f4a7c15u);
}

/* As a number of [0, 1). */
static inline double splitmix_unit(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}
