/* Options that say what a run is computed on: backend, devices and their memory. */
#include "program/tool.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A number of at most three digits, and what follows it. */
static bool read_device(const char **text, int *number)
{
    char *end = NULL;
    long value = isdigit((unsigned char)**text) ? strtol(*text, &end, 10) : 1000;
    *text = end;
    *number = (int)value;
    return value < 1000;
}

/* "all", "2" (so many), "0,2" (these). */
static bool read_devices(const char *text, pw_compute *compute)
{
    const char *next = text;
    int number = 0;
    compute->device_count = 0;
    if (strchr(text, ',') == NULL) {
        if (strcmp(text, "all") == 0) {
            const int there = pw_device_count(); /* where there are none, asking for the first says so */
            number = there < 1 ? 1 : there < PW_DEVICE_LIMIT ? there : PW_DEVICE_LIMIT;
        } else if (!read_device(&next, &number) || *next != '\0' || number < 1 || number > PW_DEVICE_LIMIT) {
            return false;
        }
        for (; compute->device_count < number; compute->device_count++) {
            compute->devices[compute->device_count] = compute->device_count;
        }
        return true;
    }
    for (bool more = true; more; more = *next++ == ',') {
        if (compute->device_count == PW_DEVICE_LIMIT || !read_device(&next, &number)) {
            return false;
        }
        compute->devices[compute->device_count++] = number;
    }
    return next[-1] == '\0';
}

static pw_status check_compute(const struct option_entry *entry, const char *text, const pw_compute *compute)
{
    pw_error error = {{0}};
    pw_status status = pw_compute_check(compute, &error);
    if (status != PW_OK) {
        complain("--%s %s: %s", entry->name, text, error.message);
    }
    return status;
}

pw_status option_take_devices(const struct option_line *line, const struct option_entry *entry,
                              char *text) /* NOLINT(readability-non-const-parameter): the type of option_entry.take */
{
    return read_devices(text, entry->value)
               ? check_compute(entry, text, entry->value)
               : complain_usage(line->command,
                                "--devices '%s': allowed are all, how many (2), or numbers of GPUs with commas between "
                                "(0,1); at most %d, and one may be named twice",
                                text, PW_DEVICE_LIMIT);
}

pw_status option_take_device_memory(const struct option_line *line, const struct option_entry *entry,
                                    char *text) /* NOLINT(readability-non-const-parameter): as above */
{
    pw_compute *compute = entry->value;
    pw_error error = {{0}};
    return pw_memory_parse(text, "--device-memory", &compute->device_memory, &error) == PW_OK
               ? check_compute(entry, text, compute)
               : complain_usage(line->command, "%s", error.message);
}

void tell_fallback(const char *backend)
{
    int rank = 0;
    pw_error reason = {{0}};
    const pw_compute compute = {.backend = backend};
    if (pw_compute_falls_back(&compute, &reason) && (pw_ranks_launched(&rank) < 2 || rank == 0)) {
        complain("computing on the CPU, because %s", reason.message);
    }
}
