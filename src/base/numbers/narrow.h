/* Converts arrays between double and float, in place. Widening is exact; narrowing is exact for values that came from
 * floats. */
#pragma once

#include <stddef.h>
#include <string.h>

/* `count` doubles become as many floats, in the first half of the array: range by range, so that what a range writes
 * has been read before. */
static inline void narrow_values(double *values, size_t count)
{
    for (size_t first = 0, end = 1; first < count; first = end, end *= 2) {
        end = end < count ? end : count;
#pragma omp parallel for schedule(static) if (end - first > 65536)
        for (size_t n = first; n < end; n++) {
            float value = (float)values[n];
            memcpy((char *)values + n * sizeof value, &value, sizeof value);
        }
    }
}

/* `count` floats at the start of the array become as many doubles, from the last range on. */
static inline void widen_values(double *values, size_t count)
{
    for (size_t end = count, first; end > 0; end = first) {
        first = end > 1 ? (end + 1) / 2 : 0;
#pragma omp parallel for schedule(static) if (end - first > 65536)
        for (size_t n = first; n < end; n++) {
            float value;
            memcpy(&value, (const char *)values + n * sizeof value, sizeof value);
            values[n] = (double)value;
        }
    }
}
