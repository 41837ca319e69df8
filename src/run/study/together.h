/* How many variants are solved at a time: as many as the threads of the CPU, and at each moment as fit into memory.
 *
 * Of several devices each has variants of its own, those beside each other as ever; a grid that has no room on one is
 * cut for all of them.
 *
 * A variant on one core needs no barriers, and is nearest to its cache; so variants get fewer threads each rather than
 * waiting for each other. Where they do not divide evenly, a variant has several. */
#ifndef TOGETHER_H
#define TOGETHER_H

#include "api/variants.h"
#include "backend/backend.h"
#include "backend/devices.h"
#include "discretize/setup.h"

#include <pthread.h>

struct together {
    int members, threads;          /* variants at a time; threads of each */
    const char *name;              /* of the backend as asked for */
    const struct backend *backend; /* of most problems, borrowed */
    uint64_t host;                 /* bytes that all may take together; 0: not known */
    int devices;                   /* at least 1, each with its bytes, as `host` */
    uint64_t device[PART_DEVICES];
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t left;
    uint64_t host_taken, device_taken[PART_DEVICES];
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

/* How many transmitters of a set-up one stepper takes. */
int together_ensemble(const struct together *together, const struct setup *setup);

/* Waits until the run of `setup` finds room beside the others, or is alone, and takes what it needs, until
 * together_leave. The thread that calls keeps to the device that the run has got, if it has got one of several. */
void together_enter(struct together *together, const struct setup *setup, struct together_room *room);
void together_leave(struct together *together, const struct together_room *room);

#endif
