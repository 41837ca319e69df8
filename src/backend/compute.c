/* Reading what a simulation is computed on, and whether there is such. */
#include "backend/compute.h"

#include "backend/parts/crew.h"
#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ----------------------------------------------------------------------------------------------------- */

enum { MOST_PARTS = 1 << 20 }; /* along an axis */

/* How a grid is cut: "2x3" or "2x3x1", along x, y and z. */
static bool parse_cut(const char *text, int parts[3])
{
    const char *next = text;
    for (int axes = 0; axes < 3; axes++) {
        char *end = NULL;
        errno = 0;
        long number = isdigit((unsigned char)*next) ? strtol(next, &end, 10) : 0;
        if (number < 1 || number > MOST_PARTS || errno != 0) {
            return false;
        }
        parts[axes] = (int)number;
        next = end;
        if (*next == '\0' && axes > 0) {
            parts[2] = axes == 1 ? 1 : parts[2];
            return true;
        }
        if (*next++ != 'x') {
            return false;
        }
    }
    return false;
}

static pw_status read_cut(const char *text, int count, struct cut_request *cut, pw_error *error)
{
    *cut = (struct cut_request){.count = count};
    if (text == NULL) {
        return PW_OK;
    }
    bool good = parse_cut(text, cut->parts);
    return good && (int64_t)cut->parts[0] * cut->parts[1] * cut->parts[2] == count
               ? PW_OK
               : fail(error, PW_USAGE,
                      "the cut '%s' is not one into %d parts, one for each rank: parts along x, y and, in three "
                      "dimensions, z, as in 1x%d",
                      text, count, count);
}

int pw_device_count(void)
{
    char device[256];
    return backend_cuda.probe(device, sizeof device, NULL) == PW_OK ? backend_cuda.devices->count() : 0;
}

/* Bytes free on all devices: as many on each as on the first. */
static uint64_t devices_free(void)
{
    const int count = pw_device_count();
    return count > 0 ? (uint64_t)count * backend_cuda.device_free() : 0;
}

/* Whoever plans what is to be solved knows no devices, and asks how much memory they have. */
__attribute__((constructor)) static void devices_tell(void)
{
    memory_look_beside(devices_free);
}

/* Whether the machine has the devices; the first is selected. */
static pw_status check_devices(const pw_compute *asked, pw_error *error)
{
    char device[256];
    TRY(backend_cuda.probe(device, sizeof device, error));
    const int there = backend_cuda.devices->count();
    for (int d = 0; d < asked->device_count; d++) {
        FAIL_IF(asked->devices[d] < 0 || asked->devices[d] >= there, error, PW_NO_RESOURCE,
                "devices: there %s %d GPU%s on this machine, and the first is number 0: there is none of "
                "number %d",
                there == 1 ? "is" : "are", there, there == 1 ? "" : "s", asked->devices[d]);
    }
    return backend_cuda.devices->select(asked->device_count > 0 ? asked->devices[0] : 0, error);
}

/* What of the choice does not go together. */
static pw_status check_choice(const pw_compute *asked, pw_error *error)
{
    const bool ranks = asked->ranks != NULL && asked->ranks->joined != NULL;
    FAIL_IF(asked->device_count < 0 || asked->device_count > PW_DEVICE_LIMIT, error, PW_USAGE,
            "%d devices: allowed are 0 to %d", asked->device_count, PW_DEVICE_LIMIT);
    FAIL_IF(asked->threads < 0, error, PW_USAGE, "%d threads: allowed are 0, which means all, and more",
            asked->threads);
    FAIL_IF(asked->device_count > 0 && ranks, error, PW_USAGE,
            "devices are chosen for one process: under mpirun the ranks of a machine take its GPUs in turn");
    return asked->device_memory > 0 && (asked->device_count > 1 || ranks)
               ? fail(error, PW_USAGE, "device memory is chosen for one device alone: leave it out, or the others")
               : PW_OK;
}

pw_status pw_compute_check(const pw_compute *compute, pw_error *error)
{
    TRY(check_choice(compute, error));
    if (compute->device_count == 0 && compute->device_memory == 0) {
        return PW_OK;
    }
    TRY(check_devices(compute, error));
    const double free = (double)backend_cuda.device_free();
    return (double)compute->device_memory > free
               ? fail(error, PW_NO_RESOURCE, "device memory: %.3g GB are wanted, and %.3g GB are free on the device",
                      (double)compute->device_memory / 1e9, free / 1e9)
               : PW_OK;
}

bool pw_compute_falls_back(const pw_compute *compute, pw_error *reason)
{
    char device[128];
    const char *name = compute != NULL && compute->backend != NULL ? compute->backend : "auto";
    return strcmp(name, "auto") == 0 && backend_cuda.solvers[0] != NULL &&
           backend_cuda.probe(device, sizeof device, reason) != PW_OK;
}

pw_status compute_read(const pw_compute *asked, const struct problem *problem, struct compute *compute, pw_error *error)
{
    static const pw_compute usual = {0};
    asked = asked != NULL ? asked : &usual;
    const char *name = asked->backend != NULL ? asked->backend : "auto";
    *compute = (struct compute){.threads = asked->threads,
                                .count = asked->device_count,
                                .memory = asked->device_memory,
                                .ranks = asked->ranks != NULL ? asked->ranks->joined : NULL};
    compute->backend = problem != NULL ? backend_find_for(name, problem, error) : backend_find(name, error);
    TRY_MADE(compute->backend);
    const bool devices = asked->device_count != 0 || asked->device_memory > 0;
    FAIL_IF(devices && compute->backend->devices == NULL, error, PW_USAGE,
            "devices and their memory are chosen for GPUs, and this runs on the backend '%s': leave them out, "
            "or take the backend cuda",
            compute->backend->name);
    TRY(check_choice(asked, error));
    TRY(devices ? check_devices(asked, error) : PW_OK);
    memcpy(compute->number, asked->devices, (size_t)asked->device_count * sizeof *compute->number);
    TRY(read_cut(asked->cut, compute->ranks != NULL ? compute->ranks->channel.count : 1, &compute->cut, error));
    return compute_select(compute, error);
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

struct compute compute_at(const struct compute *compute, int place)
{
    struct compute own = *compute;
    if (place >= 0 && place < compute->count) {
        own.count = 1;
        own.number[0] = compute->number[place];
    }
    return own;
}

int compute_device(const struct compute *compute)
{
    return compute->count > 0 ? compute->number[0] : 0;
}

pw_status compute_select(const struct compute *compute, pw_error *error)
{
    const struct device_functions *devices = compute->backend->devices;
    return devices != NULL ? devices->select(compute_device(compute), error) : PW_OK;
}

pw_status compute_plan_turns(const struct compute *compute, const struct problem *problem, int runs, bool *turns,
                             struct turn_plan *plan, pw_error *error)
{
    const uint64_t reserve = (uint64_t)384 << 20; /* for the driver, and what travels */
    uint64_t host = 0, wanted = 0;
    *turns = false;
    if (compute->backend->turns == NULL || compute->count > 1) {
        return PW_OK;
    }
    TRY(compute_select(compute, error));
    backend_memory(compute->backend, problem, runs, &host, &wanted);
    const uint64_t there = compute->backend->device_free(), free = there > reserve ? there - reserve : 0;
    FAIL_IF(there == 0, error, PW_NO_RESOURCE,
            "CUDA: cudaMemGetInfo does not tell how much memory of the device is free");
    const uint64_t usable = compute->memory > 0 && compute->memory < free ? compute->memory : free;
    if (wanted <= usable) {
        return PW_OK;
    }
    *turns = true;
    const struct turn_request request = {runs, usable};
    return compute->backend->turns->plan(problem, &request, plan, error);
}

pw_status compute_room(const struct compute *compute, int place, uint64_t *bytes, pw_error *error)
{
    const struct compute own = compute_at(compute, place);
    const int number = compute_device(&own);
    int times = 0;
    for (int other = 0; other < compute->count; other++) {
        times += compute->number[other] == number;
    }
    TRY(compute_select(&own, error));
    *bytes = (uint64_t)(MEMORY_MARGIN * (double)compute->backend->device_free()) / (uint64_t)(times > 1 ? times : 1);
    return PW_OK;
}

pw_status compute_spread(const struct compute *compute, const struct problem *problem, int *together, pw_error *error)
{
    const int transmitters = problem->source_count;
    uint64_t host = 0, wanted = 0;
    *together = 1;
    if (compute->backend->devices == NULL || compute->count < 2 || transmitters < compute->count) {
        return PW_OK;
    }
    const int liked = backend_ensemble(compute->backend, problem), share = transmitters / compute->count;
    backend_memory(compute->backend, problem, liked < share ? liked : share, &host, &wanted);
    const double there = (double)memory_available();
    bool room = there <= 0 || (double)host * compute->count < MEMORY_MARGIN * there;
    for (int d = 0; d < compute->count && room; d++) {
        uint64_t bytes = 0;
        TRY(compute_room(compute, d, &bytes, error));
        room = wanted < bytes;
    }
    *together = room ? compute->count : 1;
    return compute_select(compute, error);
}

int compute_distinct(const struct compute *compute)
{
    int distinct = 0;
    for (int d = 0; d < compute->count; d++) {
        bool again = false;
        for (int before = 0; before < d; before++) {
            again = again || compute->number[before] == compute->number[d];
        }
        distinct += !again;
    }
    return distinct > 0 ? distinct : 1;
}

void compute_fill(const struct compute *compute, struct part_options *part)
{
    snprintf(part->backend, sizeof part->backend, "%s", compute->backend->name);
    part->threads = compute->threads;
    part->device_count = compute->count;
    memcpy(part->device, compute->number, sizeof part->device);
}
