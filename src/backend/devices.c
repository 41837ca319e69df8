/* Reading which devices are chosen, and whether there are such. */
#include "backend/devices.h"

#include "api/backend.h"
#include "backend/mpi/ranks.h"
#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct devices chosen;
static _Thread_local struct devices kept_to; /* count 0: this thread solves on all that were chosen */

const struct devices *devices_chosen(void)
{
    return kept_to.count > 0 ? &kept_to : &chosen;
}

void devices_keep_to(int place)
{
    kept_to = (struct devices){0};
    if (place >= 0 && place < chosen.count) {
        kept_to = (struct devices){.count = 1, .number = {chosen.number[place]}, .memory = chosen.memory};
    }
}

/* A number of at most three digits, and what follows it. */
static bool read_number(const char **text, int *number)
{
    char *end = NULL;
    if (!isdigit((unsigned char)**text)) {
        return false;
    }
    errno = 0;
    long value = strtol(*text, &end, 10);
    *text = end;
    *number = (int)value;
    return errno == 0 && value < 1000;
}

/* "all", "2" (so many), "0,2" (these). */
static bool read_devices(const char *text, int there, struct devices *devices)
{
    const char *next = text;
    int number = 0;
    *devices = (struct devices){0};
    if (strcmp(text, "all") == 0) {
        devices->count = there < PART_DEVICES ? there : PART_DEVICES;
    } else if (strchr(text, ',') == NULL) {
        bool good = read_number(&next, &number) && *next == '\0' && number > 0;
        devices->count = number;
        if (!good || number > PART_DEVICES) {
            return false;
        }
    } else {
        for (bool more = true; more; more = *next++ == ',') {
            if (devices->count == PART_DEVICES || !read_number(&next, &number)) {
                return false;
            }
            devices->number[devices->count++] = number;
        }
        return next[-1] == '\0';
    }
    for (int d = 0; d < devices->count; d++) {
        devices->number[d] = d;
    }
    return true;
}

static pw_status check_numbers(const struct devices *devices, const char *text, int there, pw_error *error)
{
    for (int d = 0; d < devices->count; d++) {
        if (devices->number[d] >= there) {
            return fail(error, PW_NO_RESOURCE,
                        "--devices %s: there %s %d GPU%s on this machine, and the first is number 0: there is none of "
                        "number %d",
                        text, there == 1 ? "is" : "are", there, there == 1 ? "" : "s", devices->number[d]);
        }
    }
    return PW_OK;
}

pw_status pw_devices_use(const char *text, pw_error *error)
{
    char device[256];
    int rank;
    struct devices wanted;
    if (pw_ranks_launched(&rank) > 1) {
        return fail(error, PW_USAGE,
                    "--devices is for one process: under mpirun the ranks of a machine take its GPUs in turn");
    }
    if (!read_devices(text, 1, &wanted)) {
        return fail(error, PW_USAGE,
                    "--devices '%s': allowed are all, how many (2), or numbers of GPUs with commas between (0,1); at "
                    "most %d, and one may be named twice",
                    text, PART_DEVICES);
    }
    TRY(backend_cuda.probe(device, sizeof device, error));
    const int there = backend_cuda.devices->count();
    (void)read_devices(text, there, &wanted);
    TRY(check_numbers(&wanted, text, there, error));
    chosen = wanted;
    return PW_OK;
}

pw_status pw_devices_memory(const char *text, pw_error *error)
{
    char device[256];
    double bytes = 0;
    TRY(memory_parse(text, "--device-memory", &bytes, error));
    TRY(backend_cuda.probe(device, sizeof device, error));
    const double there = (double)backend_cuda.device_free();
    if (bytes > there) {
        return fail(error, PW_NO_RESOURCE, "--device-memory %s: %.3g GB are free on the device", text, there / 1e9);
    }
    chosen.memory = (uint64_t)bytes;
    return PW_OK;
}

pw_status devices_check(const struct backend *backend, pw_error *error)
{
    const struct devices *own = devices_chosen();
    const char *option = own->memory > 0 ? "--device-memory" : own->count > 0 ? "--devices" : NULL;
    int rank;
    if (option != NULL && backend->devices == NULL) {
        return fail(error, PW_USAGE,
                    "%s is for GPUs, and this runs on the backend '%s': leave it out, or use --backend cuda", option,
                    backend->name);
    }
    return own->memory > 0 && (own->count > 1 || pw_ranks_launched(&rank) > 1)
               ? fail(error, PW_USAGE, "--device-memory is for one device alone: leave it out, or the others")
               : PW_OK;
}

pw_status devices_plan_turns(const struct backend *backend, const struct problem *problem, int runs, bool *turns,
                             struct turn_plan *plan, pw_error *error)
{
    const uint64_t reserve = (uint64_t)384 << 20; /* for the driver, and what travels */
    uint64_t host = 0, wanted = 0;
    const struct devices *own = devices_chosen();
    *turns = false;
    if (backend->turns == NULL || own->count > 1) {
        return PW_OK;
    }
    TRY(backend->devices->select(own->count > 0 ? own->number[0] : 0, error));
    backend_memory(backend, problem, runs, &host, &wanted);
    const uint64_t there = backend->device_free(), free = there > reserve ? there - reserve : 0;
    if (there == 0) {
        return fail(error, PW_NO_RESOURCE, "CUDA: cudaMemGetInfo does not tell how much memory of the device is free");
    }
    const uint64_t usable = own->memory > 0 && own->memory < free ? own->memory : free;
    if (wanted <= usable) {
        return PW_OK;
    }
    *turns = true;
    const struct turn_request request = {runs, usable};
    return backend->turns->plan(problem, &request, plan, error);
}

pw_status devices_room(const struct backend *backend, int place, uint64_t *bytes, pw_error *error)
{
    const struct devices *own = devices_chosen();
    const int number = own->count > 0 ? own->number[place] : 0;
    int times = 0;
    for (int other = 0; other < own->count; other++) {
        times += own->number[other] == number;
    }
    TRY(backend->devices->select(number, error));
    *bytes = (uint64_t)(MEMORY_MARGIN * (double)backend->device_free()) / (uint64_t)(times > 1 ? times : 1);
    return PW_OK;
}

pw_status devices_spread(const struct backend *backend, const struct problem *problem, int *together, pw_error *error)
{
    const struct devices *own = devices_chosen();
    const int transmitters = problem->source_count;
    uint64_t host = 0, wanted = 0;
    *together = 1;
    if (backend->devices == NULL || own->count < 2 || transmitters < own->count) {
        return PW_OK;
    }
    const int liked = backend_ensemble(backend, problem), share = transmitters / own->count;
    backend_memory(backend, problem, liked < share ? liked : share, &host, &wanted);
    const double there = (double)memory_available();
    bool room = there <= 0 || (double)host * own->count < MEMORY_MARGIN * there;
    for (int d = 0; d < own->count && room; d++) {
        uint64_t bytes = 0;
        TRY(devices_room(backend, d, &bytes, error));
        room = wanted < bytes;
    }
    *together = room ? own->count : 1;
    return backend->devices->select(own->number[0], error);
}

int devices_distinct(void)
{
    const struct devices *own = devices_chosen();
    int distinct = 0;
    for (int d = 0; d < own->count; d++) {
        bool again = false;
        for (int before = 0; before < d; before++) {
            again = again || own->number[before] == own->number[d];
        }
        distinct += !again;
    }
    return distinct > 0 ? distinct : 1;
}

void devices_fill(struct part_options *part)
{
    const struct devices *own = devices_chosen();
    part->device_count = own->count;
    memcpy(part->device, own->number, sizeof part->device);
}
