/* The parts of a cut grid that one process steps, and their exchange with the others. Each part is an ordinary problem
 * with an ordinary solver, which knows nothing of it. */
#pragma once

#include "backend/backend.h"
#include "backend/parts/cut.h"
#include "backend/parts/halo.h"

/* Which solver steps the parts, on how many threads; and the runs, the sources first .. first+count-1. */
struct part_options {
    char backend[32], solver[64]; /* solver "": the cheapest that is applicable */
    int threads, first, runs;
    /* Of parts in one process: part p is on device[p % device_count]. Without any, and where a process has one part,
     * the processes of a machine take its devices in turn. */
    int device_count, device[PW_DEVICE_LIMIT];
    uint64_t turn_memory; /* over zero: the parts take turns in so many bytes of one device */
    bool steps_all;       /* as struct backend_options has it */
    bool copies;          /* what is exchanged is copied between devices that could write into each other's memory */
};

/* What a part and one of its neighbours send each other, of all runs one after the other. */
struct part_link {
    int neighbour;
    struct patch outgoing, incoming;
    size_t outgoing_bytes, incoming_bytes; /* of a run */
    char *sent, *taken;                    /* (runs, bytes), owned */
};

struct part {
    int number;
    struct part_box box;
    struct problem problem; /* owned */
    struct stepper *stepper;
    struct part_link *links; /* (link_count), owned: to each neighbour */
    int link_count;
    void *exchange;
    void *queue; /* of its solver's device, while what it does is deferred (crew_deferred.h) */
};

/* Where the time of a crew went [s] since it was made. Packing is unpacking, too; travelling is waiting for the others,
 * too; bytes are those that went out and those that came in. Where parts do not wait for the host, the times are those
 * of the first part, and each exchange of a call takes as long as the last one of the call. */
struct part_clock {
    double stepping, packing, travelling;
    int64_t steps, exchanges, bytes;
};

struct part_crew {
    struct cut cut;
    struct halo halo;
    struct part *parts; /* (count), owned */
    int count, room, runs;
    int here;                               /* number of this process among those of this machine */
    int together;                           /* parts that step at the same time, each on its device */
    const struct device_functions *devices; /* where the solvers keep their fields; NULL: on the host */
    const struct turn_functions *turn;      /* NULL: all parts are there all the time */
    void *turns;                            /* owned */
    bool copies;                            /* as struct part_options has it */
    int64_t since;                          /* steps since the last exchange */
    struct part_clock clock;
};

/* A crew without parts yet, with room for `room` of them, that are stepped as `options` say. */
pw_status part_crew_create(const struct cut *cut, const struct halo *halo, const struct part_options *options, int room,
                           struct part_crew *crew, pw_error *error);
/* Its parts will take turns on a device, whose backend this is. */
pw_status part_crew_take_turns(struct part_crew *crew, const struct backend *backend, const struct problem *whole,
                               const struct part_options *options, pw_error *error);
/* A crew of zeros is allowed. */
void part_crew_free(struct part_crew *crew);

/* Adds part `number` with its problem, which is the crew's from now on, also after a failure. */
pw_status part_crew_add(struct part_crew *crew, int number, struct problem *problem, const struct part_options *options,
                        pw_error *error);

/* Steps, with an exchange whenever the overlaps are used up. After a failure the exchanges still take place, so that
 * nobody waits for ever. */
pw_status part_crew_advance(struct part_crew *crew, int64_t steps, pw_error *error);

/* Counts an exchange that has just been. */
static inline void part_crew_exchanged(struct part_crew *crew)
{
    for (int p = 0; p < crew->count; p++) {
        const struct part *part = &crew->parts[p];
        for (int l = 0; l < part->link_count; l++) {
            const size_t bytes = part->links[l].outgoing_bytes + part->links[l].incoming_bytes;
            crew->clock.bytes += (int64_t)((size_t)crew->runs * bytes);
        }
    }
    crew->clock.exchanges++;
    crew->since = 0;
}

/* A box of the whole grid as a patch of the part. */
struct patch patch_in_part(const struct part_box *box, const int first[3], const int end[3], uint32_t arrays);

/* The sum of squares of E over the part's own nodes: one number where the part's solver adds it up; else sums in the
 * order of energy_order.h, (planes, rows, components), or where the grid is cut along x (planes, rows, components,
 * blocks). The caller frees *sums, also after a failure. */
pw_status part_energy(const struct part_crew *crew, const struct part *part, int run, double **sums, size_t *count,
                      pw_error *error);

/* Bytes that the part sends and takes in at one exchange, for all runs. */
size_t part_exchange_bytes(const struct cut *cut, const struct problem *part, int number, int runs);
