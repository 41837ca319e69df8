/* A solver whose grid is cut into parts: those of this process, and those of other processes behind a channel. To the
 * rest of the program it is a solver like any other, and its bits are those of the solver that steps the parts. */
#pragma once

#include "backend/backend.h"
#include "backend/parts/channel.h"
#include "backend/parts/crew.h"

/* What stepper_create needs to cut a grid (struct backend_options). */
struct parted_options {
    struct cut_request cut;
    const struct rank_channel *channel; /* NULL: all parts in this process */
};

/* The stepper of a problem in parts. The problem is borrowed, the options are not. */
pw_status parted_create(const struct problem *problem, const struct parted_options *options,
                        const struct part_options *part, struct stepper **stepper, pw_error *error);

/* The cut of a stepper that parted_create has made, NULL for any other. */
const struct cut *parted_cut(const struct stepper *stepper);
/* Where the time of the process that steps the part has gone, of such a stepper. */
pw_status parted_clock(struct stepper *stepper, int part, struct part_clock *clock, pw_error *error);
