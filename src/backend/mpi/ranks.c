/* How a program joins the processes that mpirun has started (api/backend.h). */
#include "backend/mpi/ranks.h"

#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the launchers of Open MPI, of MPICH and Slurm's own (srun --mpi=pmi2) tell the processes that they start. */
static const struct launcher {
    const char *count, *rank;
} LAUNCHERS[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, {"PMI_SIZE", "PMI_RANK"}};

static int number_in(const char *name)
{
    const char *text = getenv(name);
    return text != NULL ? (int)strtol(text, NULL, 10) : 0;
}

/* PMIx, as srun --mpi=pmix has it, tells the rank alone. */
static int launched_by_slurm(int *rank)
{
    if (getenv("PMIX_RANK") == NULL) {
        return 1;
    }
    int tasks = number_in("SLURM_STEP_NUM_TASKS");
    *rank = number_in("PMIX_RANK");
    return tasks > 1 ? tasks : 1;
}

int pw_ranks_launched(int *rank)
{
    for (size_t l = 0; l < sizeof LAUNCHERS / sizeof LAUNCHERS[0]; l++) {
        int count = number_in(LAUNCHERS[l].count);
        if (count > 1) {
            *rank = number_in(LAUNCHERS[l].rank);
            return count;
        }
    }
    *rank = 0;
    return launched_by_slurm(rank);
}

static struct ranks joined; /* MPI knows one world a process */

static void leave(void)
{
    if (joined.channel.rank == 0 && joined.disagreement[0] == '\0') {
        channel_dismiss(&joined.channel);
    }
    ranks_leave();
}

/* Threads are as many as this rank's share of the processors, unless OMP_NUM_THREADS says otherwise. */
static void share_processors(void)
{
    if (getenv("OMP_NUM_THREADS") == NULL) {
        omp_set_num_threads(joined.threads);
    }
}

/* An mpirun of one MPI cannot start programs of another: each of them finds itself alone. */
static void compare_counts(int launched)
{
    if (joined.channel.count != launched) {
        snprintf(joined.disagreement, sizeof joined.disagreement,
                 "%d processes were started together, but to %s, with which this planwave has been built, they are %d: "
                 "start them by the mpirun of that MPI (with Slurm: srun --mpi=pmix or --mpi=pmi2, whichever suits it)",
                 launched, ranks_library(), joined.channel.count);
    }
}

pw_status pw_ranks_begin(pw_ranks *ranks, pw_error *error)
{
    int rank, count = pw_ranks_launched(&rank);
    *ranks = (pw_ranks){.rank = rank, .count = count, .here = 1, .threads = omp_get_max_threads()};
    if (count <= 1) {
        return PW_OK;
    }
    TRY(ranks_join(&joined, error));
    compare_counts(count);
    share_processors();
    if (joined.disagreement[0] != '\0') { /* rank 0 says so, the others are over at once */
        joined.channel.rank = rank;
        *ranks = (pw_ranks){.rank = rank, .count = count, .here = 1, .threads = omp_get_max_threads()};
        return atexit(leave) != 0 || rank == 0 ? fail(error, PW_NO_RESOURCE, "%s", joined.disagreement) : PW_OK;
    }
    *ranks = (pw_ranks){.rank = joined.channel.rank,
                        .count = joined.channel.count,
                        .here = joined.here,
                        .threads = omp_get_max_threads(),
                        .joined = &joined};
    FAIL_IF(atexit(leave) != 0, error, PW_NO_RESOURCE, "cannot see to it that the other ranks are told of the end");
    return PW_OK;
}

pw_status pw_ranks_serve(pw_error *error)
{
    if (joined.disagreement[0] != '\0') {
        return PW_OK;
    }
    /* Rank 0 decides when to end: it may want to save what the others hold. */
    const int ignored[] = {SIGINT, SIGTERM, SIGUSR1, SIGHUP, SIGXCPU};
    for (size_t s = 0; s < sizeof ignored / sizeof ignored[0]; s++) {
        FAIL_IF(signal(ignored[s], SIG_IGN) == SIG_ERR, error, PW_NO_RESOURCE, "cannot leave signals to rank 0");
    }
    return channel_serve(&joined.channel, error);
}

const char *pw_ranks_library(void)
{
    return ranks_library();
}
