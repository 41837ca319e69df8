/* A value about which the compiler knows nothing: a barrier against what it would rather do with registers. */
#ifndef OPAQUE_VALUE_H
#define OPAQUE_VALUE_H

/* The same value, as if it came from somewhere else. Inside a loop, what is derived from it is derived anew in every
 * iteration instead of being held in registers throughout; outside, it is held instead of being derived anew. */
template <typename Word> __device__ __forceinline__ Word opaque_value(Word value)
{
    static_assert(sizeof(Word) == 4, "one register");
    asm volatile("" : "+r"(value));
    return value;
}

#endif
