/* The exchange of faces between the subdomains of one grid: the only interface that knows where a neighbour lives. A
 * solver packs the faces that a neighbour needs, calls halo_exchange, and unpacks what came back; it never asks whether
 * the neighbour is another thread, another device or another machine.
 *
 * There is one implementation, none, for a problem that is the whole grid: it has no neighbours, so there is no face to
 * exchange. */
#ifndef HALO_H
#define HALO_H

#include "problem/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One face of a subdomain. Both buffers hold `bytes` bytes of the solver's own layout, which the neighbour's solver
 * shares; they may lie on a device when the implementation says that it can reach it. */
struct halo_face {
    int axis, end; /* as subdomain.neighbour: end 0 is the low one */
    size_t bytes;
    const void *outgoing; /* borrowed */
    void *incoming;       /* borrowed */
};

struct halo {
    const char *name;
    bool reaches_device; /* the buffers of a face may be device memory */
    /* Exchanges all faces; returns when `incoming` of each may be read. */
    pw_status (*exchange)(void *context, const struct halo_face *faces, int count, pw_error *error);
    void *context; /* of the implementation, borrowed */
};

/* For a problem without neighbours; PW_USAGE when it is given a face all the same. */
extern const struct halo halo_none;

/* How many of its six faces a problem shares with a neighbour. */
int halo_face_count(const struct problem *problem);

#ifdef __cplusplus
}
#endif
#endif
