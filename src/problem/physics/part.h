/* A part of a grid as a problem of its own, with numbers that are all the whole grid's: coefficients, filters, drives,
 * frequencies. Sources are driven in the overlap too; receivers and points of the spectra are those at owned nodes.
 * Leaves out which parts a grid is cut into (backend/parts/cut.h). */
#pragma once

#include "problem/problem.h"

struct part_box {
    int own[3], own_end[3];     /* nodes that the part owns */
    int valid[3], valid_end[3]; /* those that are right after an exchange */
    int first[3], end[3];       /* all that it steps */
};

/* Where what a part records belongs in the whole problem. */
struct part_records {
    /* (problem.probe_count), owned: the probe, and which of its places, or -1 for all of it at once. Sums over places
     * of several parts are made of the single values. */
    struct part_probe {
        int probe, place;
    } * probes;
    int probe_count;
    /* Points of the spectra that lie one after the other here and there, ascending. */
    struct part_run {
        int64_t whole, own;
        int count;
    } * runs; /* (run_count), owned */
    int64_t run_count;
};

/* What is cut out of the whole. */
struct part_cut {
    const struct problem *whole;
    const struct part_box *box;
    int margin; /* nodes with filters that change nothing, at every cut side */
    struct part_records *records;
};

/* Into *part and *cut->records; both are freed by the caller, also after a failure. */
pw_status part_problem_create(const struct part_cut *cut, struct problem *part, pw_error *error);
void part_records_free(struct part_records *records);

/* ---- for those who cut ---- */

/* Node (i, j, k) of a place or node number, and its component. */
struct node_at {
    int component, at[3];
};

static inline struct node_at node_of(const struct problem *problem, int64_t place)
{
    const int64_t nodes = problem_nodes(problem), nx = problem->axis[0].count, ny = problem->axis[1].count;
    const int64_t node = place % nodes;
    return (struct node_at){(int)(place / nodes), {(int)(node % nx), (int)(node / nx % ny), (int)(node / nx / ny)}};
}

/* The number of a place of the whole grid in a part. */
static inline int64_t place_in_part(const struct problem *part, const struct part_box *box, const struct node_at *node)
{
    const int64_t nx = part->axis[0].count, ny = part->axis[1].count;
    const int64_t i = node->at[0] - box->first[0], j = node->at[1] - box->first[1], k = node->at[2] - box->first[2];
    return node->component * problem_nodes(part) + (k * ny + j) * nx + i;
}

static inline bool node_in(const struct node_at *node, const int first[3], const int end[3])
{
    for (int a = 0; a < 3; a++) {
        if (node->at[a] < first[a] || node->at[a] >= end[a]) {
            return false;
        }
    }
    return true;
}

/* PW_NO_RESOURCE unless there is room; what is copied is the same in every part. */
pw_status part_copy(void *to, const void *from, int64_t count, size_t size, pw_error *error);
pw_status part_room(void *to, int64_t count, size_t size, pw_error *error);
