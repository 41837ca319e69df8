/* The one clock: seconds since a fixed moment; nobody can set it back. */
#pragma once

#include <time.h>

static inline double clock_seconds(void)
{
    struct timespec moment;
    clock_gettime(CLOCK_MONOTONIC, &moment);
    return (double)moment.tv_sec + 1e-9 * (double)moment.tv_nsec;
}
