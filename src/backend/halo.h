/* The exchange of faces between the subdomains of one grid: the only interface that knows where a neighbour lives. A
 * solver declares its faces once, packs what a neighbour needs into their buffers, starts the exchange, may compute
 * nodes that need nothing of it meanwhile, finishes it, and unpacks. It never asks whether the neighbour is another
 * thread, another device or another machine.
 *
 * Buffers are declared before the first exchange, so that an implementation can register them or make persistent
 * requests of them. Edges and corners need no message of their own: a solver exchanges the faces of one axis after
 * those of another, the later faces with the halo of the earlier ones in them.
 *
 * There is one implementation, none, for a problem that is the whole grid. It has no neighbours, so it refuses faces.
 */
#ifndef HALO_H
#define HALO_H

#include "problem/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One face of a subdomain. Both buffers hold `bytes` bytes in the layout of the solver, which the neighbour's solver
 * shares. What is sent from end 0 of an axis arrives at end 1 of the neighbour. */
struct halo_face {
    int axis, end; /* as subdomain.neighbour: end 0 is the low one */
    int neighbour; /* its rank */
    size_t bytes;
    const void *outgoing; /* borrowed until close */
    void *incoming;       /* borrowed until close */
};

struct halo {
    const char *name;
    bool reaches_device; /* the buffers of a face may be device memory, and `stream` then is a stream of that device */
    void *context;       /* of the implementation, borrowed: a communicator, the other devices */

    /* Declares faces that are always exchanged together. All subdomains open theirs in the same order. */
    pw_status (*open)(void *context, const struct halo_face *faces, int count, void **exchange, pw_error *error);
    /* Sends all faces of an exchange. On a device: after the work that `stream` holds so far; returns at once. On the
     * host, `stream` is NULL: `outgoing` may be read until finish returns. */
    pw_status (*start)(void *exchange, void *stream, pw_error *error);
    /* `incoming` of every face may be read: on the host when this returns, on a device by what is put on `stream`
     * after. */
    pw_status (*finish)(void *exchange, void *stream, pw_error *error);
    void (*close)(void *exchange); /* NULL is allowed */
};

/* For a problem without neighbours: open returns PW_USAGE when there is a face all the same. */
extern const struct halo halo_none;

/* How many of its six faces a problem shares with a neighbour. */
int halo_face_count(const struct problem *problem);

#ifdef __cplusplus
}
#endif
#endif
