/* Memory left on this machine, from /proc and from the control group. */
#include "base/memory.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
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

static uint64_t limit; /* bytes; 0: none */

uint64_t memory_available(void)
{
    uint64_t available = read_bytes("/proc/meminfo", "MemAvailable");
    uint64_t most = read_limit("/sys/fs/cgroup/memory.max"), used = read_limit("/sys/fs/cgroup/memory.current");
    if (most != UINT64_MAX && used != UINT64_MAX) {
        uint64_t left = most > used ? most - used : 0;
        available = available == 0 || left < available ? left : available;
    }
    if (limit > 0) {
        available = available == 0 || limit < available ? limit : available;
    }
    return available;
}

static uint64_t (*beside)(void);

void memory_look_beside(uint64_t (*look)(void))
{
    beside = look;
}

uint64_t memory_beside(void)
{
    return beside != NULL ? beside() : 0;
}

/* "2GB", "1.5 GiB", "800MB"; false: another text, or more bytes than any machine has. */
static bool scan_bytes(const char *text, uint64_t *bytes)
{
    static const struct {
        const char *name;
        double bytes;
    } UNITS[] = {{"kB", 1e3},     {"MB", 1e6},     {"GB", 1e9},    {"TB", 1e12},
                 {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}};
    char *end = NULL;
    const double number = isdigit((unsigned char)*text) ? strtod(text, &end) : 0;
    if (!(number > 0)) {
        return false;
    }
    end += strspn(end, " ");
    for (size_t u = 0; u < sizeof UNITS / sizeof UNITS[0]; u++) {
        if (strcmp(end, UNITS[u].name) == 0) {
            const double all = number * UNITS[u].bytes;
            *bytes = all <= 1e18 ? (uint64_t)all : 0;
            return *bytes >= 1000;
        }
    }
    return false;
}

pw_status memory_parse(const char *text, const char *option, uint64_t *bytes, pw_error *error)
{
    return scan_bytes(text, bytes)
               ? PW_OK
               : fail(error, PW_USAGE,
                      "%s '%s': it is a number over zero and kB, MB, GB, TB, KiB, MiB or GiB, as in 2GB; at least 1kB, "
                      "at most 1000000TB",
                      option, text);
}

pw_status memory_check(double bytes, const char *what, const char *advice, pw_error *error)
{
    double available = (double)memory_available();
    FAIL_IF(available > 0 && bytes > MEMORY_MARGIN * available, error, PW_NO_RESOURCE,
            "not enough memory: %s needs %.2f GB, %.2f GB are %s; %s", what, bytes * 1e-9, available * 1e-9,
            available == (double)limit ? "allowed" : "free", advice);
    return PW_OK;
}

pw_status pw_memory_limit(const char *text, pw_error *error)
{
    uint64_t bytes = 0;
    if (text != NULL) {
        TRY(memory_parse(text, "--memory", &bytes, error));
    }
    limit = bytes;
    return PW_OK;
}

INTERFACE_NAME(pw_memory_parse, memory_parse);
INTERFACE_NAME(pw_memory_available, memory_available);
INTERFACE_NAME(pw_memory_check, memory_check);
