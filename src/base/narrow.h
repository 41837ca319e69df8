/* Between doubles and floats, in place; exact for values that were floats once. */
#ifndef NARROW_H
#define NARROW_H

#include <stddef.h>
#include <string.h>

/* The first half of the array holds the floats afterwards. */
static inline void narrow_values(double *values, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        float value = (float)values[n];
        memcpy((char *)values + n * sizeof value, &value, sizeof value);
    }
}

static inline void widen_values(double *values, size_t count)
{
    for (size_t n = count; n-- > 0;) {
        float value;
        memcpy(&value, (const char *)values + n * sizeof value, sizeof value);
        values[n] = (double)value;
    }
}

#endif
