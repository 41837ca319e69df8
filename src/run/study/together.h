/* How many variants are solved at a time: as many as the threads of the CPU, and at each moment as fit into memory.
 *
 * Of several devices each has variants of its own, those beside each other as ever; a grid that has no room on one is
 * cut for all of them.
 *
 * A variant on one core needs no barriers, and is nearest to its cache; so variants get fewer threads each rather than
 * waiting for each other. Where they do not divide evenly, a variant has several. */
#pragma once

#include "api/study/variants.h"
#include "backend/compute.h"
#include "discretize/setup.h"

#include <pthread.h>

struct together {
    int members, threads;   /* variants at a time; threads of each */
    struct compute compute; /* of most problems: "auto" may take another backend for one of them */
    uint64_t host;          /* bytes that all may take together; 0: not known */
    int devices;            /* at least 1, each with its bytes, as `host` */
    uint64_t device[PW_DEVICE_LIMIT];
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t left;
    uint64_t host_taken, device_taken[PW_DEVICE_LIMIT];
    int inside; /* variants that hold memory */
};

/* What a variant holds while it is solved. */
struct together_room {
    uint64_t host, device; /* bytes */
    int place;             /* of the chosen devices, its own; -1: all of them, or the only one */
};

/* For `count` variants. PW_NO_RESOURCE: a backend that is not there. Free with together_free. */
pw_status together_plan(int count, const pw_variants_options *options, struct together *together, pw_error *error);
void together_free(struct together *together);

/* Waits until the run of `setup` on `compute` finds room beside the others, or is alone, and takes what it needs, until
 * together_leave. */
void together_enter(struct together *together, const struct setup *setup, const struct compute *compute,
                    struct together_room *room);
void together_leave(struct together *together, const struct together_room *room);
