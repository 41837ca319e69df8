/* Memory left on this machine, from /proc and from the control group. */
#include "base/memory.h"

#include <stdio.h>
#include <unistd.h>

/* The number in a file of the control group, or UINT64_MAX when the file says "max" or does not exist. */
static uint64_t read_limit(const char *path)
{
    unsigned long long value = UINT64_MAX;
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        if (fscanf(file, "%llu", &value) != 1) {
            value = UINT64_MAX;
        }
        fclose(file);
    }
    return value;
}

static uint64_t machine_available(void)
{
    unsigned long long kilobytes = 0;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "r");
    if (file != NULL) {
        while (fgets(line, sizeof line, file) != NULL && sscanf(line, "MemAvailable: %llu", &kilobytes) != 1) {
        }
        fclose(file);
    }
    return (uint64_t)kilobytes * 1024;
}

static uint64_t limit; /* bytes of this process; 0: none */

void pw_memory_limit(uint64_t bytes)
{
    limit = bytes;
}

/* Bytes that this process holds. */
static uint64_t held(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL) {
        pages = fscanf(file, "%*u %llu", &pages) == 1 ? pages : 0;
        fclose(file);
    }
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t memory_available(void)
{
    uint64_t available = machine_available();
    uint64_t most = read_limit("/sys/fs/cgroup/memory.max"), used = read_limit("/sys/fs/cgroup/memory.current");
    if (most != UINT64_MAX && used != UINT64_MAX) {
        uint64_t left = most > used ? most - used : 0;
        available = available == 0 || left < available ? left : available;
    }
    if (limit > 0) {
        const uint64_t own = held(), left = limit > own ? limit - own : 1;
        available = available == 0 || left < available ? left : available;
    }
    return available;
}

pw_status memory_check(double bytes, const char *what, const char *advice, pw_error *error)
{
    double available = (double)memory_available();
    if (available > 0 && bytes > MEMORY_MARGIN * available) {
        return fail(error, PW_NO_RESOURCE, "not enough memory: %s needs %.2f GB, %.2f GB are free; %s", what,
                    bytes * 1e-9, available * 1e-9, advice);
    }
    return PW_OK;
}

INTERFACE_NAME(pw_memory_available, memory_available);
INTERFACE_NAME(pw_memory_check, memory_check);
