/* Memory left on this machine, from /proc and from the control group. */
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

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

/* The line "name: 12345 kB" of a file of /proc, in bytes. */
static uint64_t read_bytes(const char *path, const char *name)
{
    unsigned long long kilobytes = 0;
    char line[128];
    const size_t length = strlen(name);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, length) == 0 && sscanf(line + length, ": %llu", &kilobytes) == 1) {
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return (uint64_t)kilobytes * 1024;
}

uint64_t memory_resident(void)
{
    return read_bytes("/proc/self/status", "VmRSS");
}

uint64_t memory_peak(void)
{
    return read_bytes("/proc/self/status", "VmHWM");
}

uint64_t memory_available(void)
{
    uint64_t available = read_bytes("/proc/meminfo", "MemAvailable");
    uint64_t most = read_limit("/sys/fs/cgroup/memory.max"), used = read_limit("/sys/fs/cgroup/memory.current");
    if (most != UINT64_MAX && used != UINT64_MAX) {
        uint64_t left = most > used ? most - used : 0;
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
