/* Converts arrays between double and float, in place. Widening is exact; narrowing is exact for values that came from
 * floats. */
#pragma once

#include <stddef.h>
#include <string.h>

/* `count` doubles become as many floats, in the first half of the array. */
static inline void narrow_values(double *values, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        float value = (float)values[n];
        memcpy((char *)values + n * sizeof value, &value, sizeof value);
    }
}

/* `count` floats at the start of the array become as many doubles; from the end on, so that no float is overwritten
 * before it is read. */
static inline void widen_values(double *values, size_t count)
{
    for (size_t n = count; n-- > 0;) {
        float value;
        memcpy(&value, (const char *)values + n * sizeof value, sizeof value);
        values[n] = (double)value;
    }
}
