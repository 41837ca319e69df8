/* The devices that this process solves on, as its user has chosen them (api/backend.h): a grid is cut into a part for
 * each. There is one choice a process, as there is one set of ranks (mpi/ranks.h). */
#ifndef DEVICES_H
#define DEVICES_H

#include "backend/parts/crew.h"

struct devices {
    int count; /* 0: nothing was chosen */
    int number[PART_DEVICES];
    uint64_t memory; /* bytes of a device that may be used; 0: what is free */
};

const struct devices *devices_chosen(void);

/* From now on this thread solves on the chosen device `place` alone, 0 .. count-1; -1: on all of them again. */
void devices_keep_to(int place);

/* Whether a backend can do what was chosen; PW_USAGE with what to do instead. */
pw_status devices_check(const struct backend *backend, pw_error *error);

/* Whether so many runs have no room on the device, or not in the memory that was chosen: then *turns, and *plan says
 * how parts of the grid take turns there. */
pw_status devices_plan_turns(const struct backend *backend, const struct problem *problem, int runs, bool *turns,
                             struct turn_plan *plan, pw_error *error);

/* How many transmitters are solved at a time, each on a device of its own: one for each of several devices, if there
 * are as many transmitters and each device has room for the grid; else *together is 1, and a grid is cut for all
 * devices. */
pw_status devices_spread(const struct backend *backend, const struct problem *problem, int *together, pw_error *error);

/* Bytes that a run at this place, 0 .. count-1, may take of its device, which is selected; a device that was named
 * several times is divided among its places. */
pw_status devices_room(const struct backend *backend, int place, uint64_t *bytes, pw_error *error);

/* How many different ones were chosen, at least 1. */
int devices_distinct(void);

/* Puts the chosen devices into the options of parts. */
void devices_fill(struct part_options *part);

#endif
