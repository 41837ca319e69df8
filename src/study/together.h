/* How many variants are solved at a time: as many as the threads of the CPU, and at each moment as fit into memory.
 *
 * A variant on one core needs no barriers, and is nearest to its cache; so variants get fewer threads each rather than
 * waiting for each other. Where they do not divide evenly, a variant has several. */
#ifndef TOGETHER_H
#define TOGETHER_H

#include "backend/backend.h"
#include "discretize/setup.h"
#include "study/variants.h"

#include <pthread.h>

struct together {
    int members, threads;          /* variants at a time; threads of each */
    const char *name;              /* of the backend as asked for */
    const struct backend *backend; /* of most problems, borrowed */
    uint64_t host, device;         /* bytes that all may take together; 0: not known */
    pthread_mutex_t lock;          /* of what follows */
    pthread_cond_t left;
    uint64_t host_taken, device_taken;
    int inside; /* variants that hold memory */
};

/* For `count` variants. PW_NO_RESOURCE: a backend that is not there. Free with together_free. */
pw_status together_plan(int count, const struct variants_options *options, struct together *together, pw_error *error);
void together_free(struct together *together);

/* How many transmitters of a set-up one stepper takes. */
int together_ensemble(const struct together *together, const struct setup *setup);

/* Waits until the run of `setup` finds room beside the others, or is alone, and takes what it needs; the same numbers
 * are given back with together_leave. */
void together_enter(struct together *together, const struct setup *setup, uint64_t *host, uint64_t *device);
void together_leave(struct together *together, uint64_t host, uint64_t device);

#endif
