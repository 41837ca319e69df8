/* How a thread waits for another one's work: busy for some microseconds, then giving the core away, then asleep. On a
 * loaded machine the other one may not have a core at all, and a thread that looks again and again keeps it from one.
 */
#pragma once

#include <sched.h>
#include <time.h>

/* Between the looks number `look` and the next, from 0. */
static inline void patience_wait(int look)
{
    enum { BUSY = 1000, POLITE = 1200 };
    if (look < BUSY) {
#ifdef __x86_64__
        __builtin_ia32_pause();
#endif
    } else if (look < POLITE) {
        sched_yield();
    } else {
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
}
