/* How the process that holds the whole problem, rank 0, speaks with those that step parts of it, one each: it commands,
 * they answer. What parts send each other as they step goes through halo.h instead. */
#pragma once

#include "backend/parts/halo.h"
#include "backend/patch.h"

struct rank_channel {
    int rank, count; /* this process, processes in all */
    int here;        /* its number among those of this machine */
    void *context;
    void (*send)(void *context, int rank, const void *bytes, size_t size);
    /* Of the size that was sent; NULL: what comes is dropped. */
    void (*receive)(void *context, int rank, void *bytes, size_t size);
    /* Until rank 0 has sent something: without keeping a core busy. */
    void (*wait)(void *context);
    const struct halo *halo; /* between the parts */
};

/* For ranks other than 0: does what rank 0 commands, until it says that it is over. */
pw_status channel_serve(const struct rank_channel *channel, pw_error *error);
/* For rank 0: it is over. */
void channel_dismiss(const struct rank_channel *channel);
