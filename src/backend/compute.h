/* What a simulation is computed on, read from what its caller wants (api/backend.h): the backend, threads, devices and
 * ranks. It is handed on to whoever computes, so that simulations of one process may differ in it. */
#pragma once

#include "backend/backend.h"
#include "backend/mpi/ranks.h"
#include "backend/parts/cut.h"

struct part_options;

struct compute {
    const struct backend *backend;
    int threads;                 /* 0: all */
    int count;                   /* devices; 0: none was chosen, which means the first */
    int number[PW_DEVICE_LIMIT]; /* (count): a grid is cut into a part for each */
    uint64_t memory;             /* bytes of a device that may be used; 0: what is free */
    const struct ranks *ranks;   /* NULL: this process alone */
    struct cut_request cut;      /* how rank 0 cuts grids */
};

/* `asked` NULL: what suits this machine; `problem` NULL: most problems. From now on this thread asks the first of the
 * devices. PW_USAGE: what does not go together; PW_NO_RESOURCE: a backend or a device that is not there. */
pw_status compute_read(const pw_compute *asked, const struct problem *problem, struct compute *compute,
                       pw_error *error);

/* The same on the device `place` alone, 0 .. count-1; -1: on all of them. */
struct compute compute_at(const struct compute *compute, int place);

/* The first of the devices; 0 where none was chosen. This thread asks it from now on. */
int compute_device(const struct compute *compute);
pw_status compute_select(const struct compute *compute, pw_error *error);

/* Whether so many runs have no room on the device, or not in the memory that was chosen: then *turns, and *plan says
 * how parts of the grid take turns there. */
pw_status compute_plan_turns(const struct compute *compute, const struct problem *problem, int runs, bool *turns,
                             struct turn_plan *plan, pw_error *error);

/* How many transmitters are solved at a time, each on a device of its own: one for each of several devices, if there
 * are as many transmitters and each device has room for the grid; else *together is 1, and a grid is cut for all
 * devices. */
pw_status compute_spread(const struct compute *compute, const struct problem *problem, int *together, pw_error *error);

/* Bytes that a run at this place, 0 .. count-1, may take of its device, which is selected; a device that was named
 * several times is divided among its places. */
pw_status compute_room(const struct compute *compute, int place, uint64_t *bytes, pw_error *error);

/* How many different devices there are, at least 1. */
int compute_distinct(const struct compute *compute);

/* Puts backend, threads and devices into the options of parts. */
void compute_fill(const struct compute *compute, struct part_options *part);
