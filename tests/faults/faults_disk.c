/* A disk that fails: the functions of the C library that touch files, and a clock that runs when a test wants it to. */
#include "tests/faults/faults.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

struct fault_plan disk_faults;
static bool clock_runs;
static double fake_time;

static bool no_disk(int code)
{
    if (fault_is_due(&disk_faults)) {
        errno = code;
        return true;
    }
    return false;
}

void clock_run(bool on)
{
    clock_runs = on;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    unsigned mode = (flags & O_CREAT) != 0 ? va_arg(arguments, unsigned) : 0;
    va_end(arguments);
    return no_disk(EIO) ? -1 : __real_open(path, flags, mode);
}

/* A close that fails has closed all the same. */
int __real_close(int descriptor);
int __wrap_close(int descriptor);
int __wrap_close(int descriptor)
{
    bool failing = no_disk(EIO);
    int result = __real_close(descriptor);
    errno = failing ? EIO : errno;
    return failing ? -1 : result;
}

ssize_t __real_pwrite(int descriptor, const void *bytes, size_t size, off_t at);
ssize_t __wrap_pwrite(int descriptor, const void *bytes, size_t size, off_t at);
ssize_t __wrap_pwrite(int descriptor, const void *bytes, size_t size, off_t at)
{
    return no_disk(ENOSPC) ? -1 : __real_pwrite(descriptor, bytes, size, at);
}

int __real_ftruncate(int descriptor, off_t size);
int __wrap_ftruncate(int descriptor, off_t size);
int __wrap_ftruncate(int descriptor, off_t size)
{
    return no_disk(ENOSPC) ? -1 : __real_ftruncate(descriptor, size);
}

int __real_fsync(int descriptor);
int __wrap_fsync(int descriptor);
int __wrap_fsync(int descriptor)
{
    return no_disk(EIO) ? -1 : __real_fsync(descriptor);
}

int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to)
{
    return no_disk(EACCES) ? -1 : __real_rename(from, to);
}

int __real_clock_gettime(clockid_t clock, struct timespec *moment);
int __wrap_clock_gettime(clockid_t clock, struct timespec *moment);
int __wrap_clock_gettime(clockid_t clock, struct timespec *moment)
{
    if (!clock_runs) {
        return __real_clock_gettime(clock, moment);
    }
    fake_time += 0.25;
    moment->tv_sec = (time_t)fake_time;
    moment->tv_nsec = (long)((fake_time - (double)moment->tv_sec) * 1e9);
    return 0;
}

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode)
{
    return no_disk(EIO) ? NULL : __real_fopen(path, mode);
}

/* What the stream still held back does not fit on the disk. */
int __real_fclose(FILE *file);
int __wrap_fclose(FILE *file);
int __wrap_fclose(FILE *file)
{
    bool failing = no_disk(ENOSPC);
    int result = __real_fclose(file);
    errno = failing ? ENOSPC : errno;
    return failing ? EOF : result;
}
