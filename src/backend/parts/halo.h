/* The exchange of regions between the parts of one grid: the only interface that knows where a neighbour lives. A part
 * declares its regions once, packs what a neighbour needs into their buffers, starts the exchange, may compute what
 * needs nothing of it meanwhile, finishes it, and unpacks. It never asks whether the neighbour is in the same memory,
 * on another device or on another machine.
 *
 * Buffers are declared before the first exchange, so that an implementation can register them or make persistent
 * requests of them. Regions are boxes of any shape, corners among them, so that one exchange does for all axes.
 *
 * Implementations: memory, for parts in one process (halo_memory.c); MPI (backend/mpi/). */
#pragma once

#include "problem/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a part and one neighbour send each other, in the layout of patch.h. */
struct halo_region {
    int neighbour; /* its number */
    size_t outgoing_bytes, incoming_bytes;
    const void *outgoing; /* borrowed until close */
    void *incoming;       /* borrowed until close */
};

struct halo {
    const char *name;
    /* The buffers of a region may be device memory, and `stream` then is a stream of that device. */
    bool reaches_device;
    void *context; /* of the implementation, borrowed: a communicator, the other devices */

    /* Declares regions of part `own` that are always exchanged together, one for each neighbour at most. All
     * parts open theirs before any starts. */
    pw_status (*open)(void *context, int own, const struct halo_region *regions, int count, void **exchange,
                      pw_error *error);
    /* Sends all regions of an exchange. On a device: after the work that `stream` holds so far; returns at once. On the
     * host, `stream` is NULL: `outgoing` may be read until finish returns. */
    pw_status (*start)(void *exchange, void *stream, pw_error *error);
    /* `incoming` of every region may be read: on the host when this returns, on a device by what is put on `stream`
     * after. Where parts take turns in one thread, all start before the first finishes. */
    pw_status (*finish)(void *exchange, void *stream, pw_error *error);
    void (*close)(void *exchange); /* NULL is allowed */
};

#ifdef __cplusplus
}
#endif
