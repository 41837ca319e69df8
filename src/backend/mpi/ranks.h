/* The processes that mpirun has started, as a channel and a halo between the parts that they step. Rank 0 runs the
 * program as ever; the others do what it commands (parts/channel.h). Everything of MPI stands in ranks_mpi.c; a program
 * that is built without it has ranks_absent.c. */
#pragma once

#include "api/backend.h"
#include "backend/parts/channel.h"

struct ranks {
    struct rank_channel channel;
    int here;               /* ranks on this machine */
    int threads;            /* of this rank */
    char disagreement[800]; /* why these ranks cannot work together; "": they can */
};

/* Joins the processes that were started together. PW_NO_RESOURCE when this program has been built without MPI. */
pw_status ranks_join(struct ranks *ranks, pw_error *error);
/* After that nothing of the channel may be used. */
void ranks_leave(void);
/* "Open MPI 4.1.4", or why there is none. */
const char *ranks_library(void);
