/* Backends: what can solve on this machine, and which of it a simulation takes; and a forecast of what a run will take
 * before it starts. */
#ifndef PLANWAVE_BACKEND_H
#define PLANWAVE_BACKEND_H

#include "api/setup.h"

PW_C_BEGIN

typedef struct pw_backend_info {
    const char *name;        /* reference, cpu, cuda */
    const char *description; /* one line */
    bool available;
    char device[256]; /* what it would run on, or why it cannot and what to do about it */
} pw_backend_info;

size_t pw_backend_count(void);
/* `index` counts from 0 to pw_backend_count() - 1. */
pw_backend_info pw_backend_describe(size_t index);

/* ---- several processes, started by mpirun or srun ---- */

typedef struct pw_ranks {
    int rank, count;            /* this process, processes in all; 0 and 1 alone */
    int here;                   /* of them on this machine */
    int threads;                /* of this process, if nothing else is asked for */
    const struct ranks *joined; /* the library's own; NULL alone */
} pw_ranks;

/* How many processes a launcher of MPI has started this one with, by what it says in the environment; 1: none. */
int pw_ranks_launched(int *rank);

/* Joins the processes that were started together, once a process; they part at exit. Rank 0 then solves grids in parts,
 * one for each rank, where pw_compute.ranks says so, and every other rank calls pw_ranks_serve. PW_NO_RESOURCE when
 * planwave has been built without MPI. */
pw_status pw_ranks_begin(pw_ranks *ranks, pw_error *error);
/* For ranks other than 0: steps parts as rank 0 commands, until that ends. What asks for an end (SIGINT, SIGTERM,
 * SIGUSR1, SIGHUP, SIGXCPU) is left to rank 0. */
pw_status pw_ranks_serve(pw_error *error);
/* The MPI library of this program, "Open MPI v4.1.4", or "not in this build". */
const char *pw_ranks_library(void);

/* ---- what a simulation is computed on ---- */

/* GPUs that the backend cuda can use; 0: none. */
int pw_device_count(void);

enum { PW_DEVICE_LIMIT = 64 };

/* Zeros: the best backend of this machine, all its threads, its first GPU. Simulations of one process may differ in it
 * and run at the same time, each in a thread of its own; none changes the bits of a result in single precision. What is
 * pointed to must outlive the simulation. */
typedef struct pw_compute {
    const char
        *backend; /* "auto", "reference", "cpu" or "cuda"; NULL: auto, which is cuda where a GPU works, else cpu */
    int threads;  /* of the CPU; 0: all */
    /* GPUs by number, from 0; none: the first. As many transmitters are solved at a time, each on a GPU of its own;
     * where there are fewer, or a grid has no room on one GPU, it is cut into a part for each. A GPU that is named
     * twice has two of either. Not for ranks, which take the GPUs of their machine in turn. */
    int device_count;
    int devices[PW_DEVICE_LIMIT];
    /* Bytes of the GPU that may be used; 0: what is free. Grids that need more are solved in parts that take turns
     * there, with the same bits; that is for one GPU alone. */
    uint64_t device_memory;
    const pw_ranks *ranks; /* rank 0: which solve a grid together; NULL: this process alone */
    const char *cut;       /* of ranks: parts along x, y (and z), one for each, "2x3"; NULL: what is fastest */
} pw_compute;

/* Whether there is all that, now: PW_USAGE for what does not go together, PW_NO_RESOURCE for a GPU that is not there or
 * has not so much memory free. Whoever computes asks this, too, but for the free memory. */
pw_status pw_compute_check(const pw_compute *compute, pw_error *error);

/* Whether the choice "auto" is the CPU although this build has kernels for GPUs, because no GPU is usable here; then
 * why, in `reason`: "no NVIDIA driver was found: ...". False for any backend that was asked for, and in a build without
 * kernels. `compute` NULL: zeros. `reason` NULL: not told.
 *
 *     pw_error reason;
 *     if (pw_compute_falls_back(&compute, &reason)) {
 *         fprintf(stderr, "computing on the CPU, because %s\n", reason.message);
 *     }
 */
bool pw_compute_falls_back(const pw_compute *compute, pw_error *reason);

/* ---- what a run will take ---- */

typedef struct pw_forecast {
    const char *backend;               /* the one that "auto" means here */
    char device[128];                  /* what it runs on */
    uint64_t host_bytes, device_bytes; /* held at most, set-up included */
    uint64_t
        spectra_host_bytes; /* of host_bytes: spectra that do not fit the device and pass over it in parts; else 0 */
    uint64_t host_available, device_available; /* 0: not known */
    int ranks, parts[3];                       /* processes; parts of the grid along x, y, z, one for each. 1 alone */
    int depth;                                 /* steps between two exchanges of parts */
    int devices;                               /* over 1: GPUs of this process, a part of the grid for each */
    int together; /* over 1: transmitters at a time, each on a GPU of its own; those that are left have a part each */
    int turns;    /* parts that take turns on the device; 0: all of the grid is there */
    double link;  /* bytes a second between host and device, measured for these turns */
    uint64_t rank_bytes;       /* held at most by a rank other than 0 */
    uint64_t first_rank_bytes; /* by rank 0, which holds the set-up as well; 0 alone */
    uint64_t exchanged_bytes;  /* by the busiest part at an exchange, in and out */
    double overlap; /* cells that a part steps beyond its own, against those: what cutting costs, of the largest part */
    double exchange_share;        /* of the time, that is spent on exchanges of parts */
    double link_bytes_per_second; /* out and in together, of a rank while all exchange, as tried out; 0 alone */
    double cells_per_second;      /* timed on a small box with the scheme, precision and spectra of the set-up */
    double rest_share;            /* of all cells and steps, at rest and left out: the wave comes later */
    double seconds;               /* about: stepping all transmitters to the last step; writing not included */
} pw_forecast;

/* `compute` NULL: zeros. Takes a fraction of a second. PW_NO_RESOURCE, with the memory filled in and no time, when
 * there is not enough of it.
 */
pw_status pw_forecast_run(const pw_setup *setup, const pw_compute *compute, pw_forecast *forecast, pw_error *error);

PW_C_END

#endif
