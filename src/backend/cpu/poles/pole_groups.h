/* Dispersive nodes as the CPU solvers step them (physics.md section 10): eight neighbouring columns of a row at a time,
 * whatever their media are. Beside the faces of walls each column has a medium of its own, so that the problem's spans
 * are mostly of one node; in groups of eight they are stepped as vectors all the same.
 *
 * A group begins at a multiple of eight columns and belongs to one block of columns, so that its idle lanes, nodes
 * without poles or beyond the grid, may be written as they were: their numbers make the step leave them alone. What a
 * group is made of, eight media, is its pattern; walls have few patterns, and their numbers stay in cache. Leaves out:
 * the step itself (pole_lanes.h), and the poles' law (problem/poles/pole.h). */
#pragma once

#include "backend/patch.h"
#include "backend/solver.h"

enum { POLE_LANES = 8 };

struct pole_group {
    int column; /* of its first lane */
    int pattern;
    int64_t state; /* (pole_pattern_states, POLE_LANES): as of one node, lane beside lane */
};

/* The poles of a pattern are as many as its richest lane has; of the others some do nothing. */
struct pole_pattern {
    int relaxations, oscillators;
    int64_t first; /* of its numbers, in rows of POLE_LANES: keep, take, half; field and polarisation of each Debye
                      pole; field, polarisation and current of each other pole */
    int media[POLE_LANES]; /* of the problem; -1: idle */
};

struct pole_groups {
    struct pole_group *group; /* (count), owned: by row, then by column */
    int64_t *first; /* (rows, columns/block) + 1, owned: the first group in that block of columns or after it */
    int64_t count, state_count;
    int block, blocks;            /* columns of a block, blocks of a row */
    struct pole_pattern *pattern; /* (pattern_count), owned */
    int pattern_count;
    void *numbers; /* in the precision of the problem, owned */
};

/* Numbers that the groups of a run remember, idle lanes included. */
int64_t pole_groups_states(const struct problem *problem);

/* About how many bytes the groups take, in `places` blocks of columns of all rows. */
uint64_t pole_groups_size(const struct problem *problem, uint64_t places);

/* Groups of a problem whose rows, one component after the other, are divided into blocks of `block` columns, a multiple
 * of POLE_LANES, `blocks` of them. All is NULL where no node is dispersive. After a failure pole_groups_free frees what
 * there is. */
pw_status pole_groups_create(const struct problem *problem, int block, int blocks, struct pole_groups *groups,
                             pw_error *error);
void pole_groups_free(struct pole_groups *groups);

/* Place in the states of a run of the first value of a row of a patch; lowers row->count to what lies in its group. */
int64_t pole_groups_place(const struct problem *problem, const struct pole_groups *groups, struct patch_row *row);

static inline int pole_pattern_states(const struct pole_pattern *pattern)
{
    return 1 + pattern->relaxations + 2 * pattern->oscillators;
}
