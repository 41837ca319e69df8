/* In place of ranks_mpi.c where planwave is built without MPI. */
#include "backend/mpi/ranks.h"

pw_status ranks_join(struct ranks *ranks, pw_error *error)
{
    (void)ranks;
    return fail(error, PW_NO_RESOURCE,
                "this planwave has been built without MPI, so that it cannot be started by mpirun: install "
                "libopenmpi-dev (or libmpich-dev), build it again with MPI=1, or start it without mpirun");
}

void ranks_leave(void)
{
}

const char *ranks_library(void)
{
    return "not in this build";
}
