/* The lock of HDF5 (api/hdf5.h). */
#include "api/hdf5.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void lock_make(void)
{
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

bool pw_hdf5_lock(double seconds)
{
    struct timespec until;
    pthread_once(&once, lock_make);
    if (!isfinite(seconds)) {
        return pthread_mutex_lock(&lock) == 0;
    }
    clock_gettime(CLOCK_REALTIME, &until);
    const double end = (double)until.tv_nsec * 1e-9 + seconds;
    until.tv_sec += (time_t)end;
    until.tv_nsec = (long)((end - floor(end)) * 1e9);
    return pthread_mutex_timedlock(&lock, &until) == 0;
}

void pw_hdf5_unlock(void)
{
    pthread_mutex_unlock(&lock);
}
