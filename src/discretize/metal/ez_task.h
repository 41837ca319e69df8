/* What the files of this room share while they make the rows beside metal: the nodes near metal with what is known of
 * them, and the links that metal lies on. */
#pragma once

#include "discretize/setup.h"
#include "medium/metal/ends/metal_solution.h"

enum {
    LINE = 2 * (2 * REACH_LIMIT - 1) + 1, /* nodes of a line that a row may see */
    MIDDLE = LINE / 2
};

/* The wave numbers at which a row is exact, over that of the band's centre: waves meet faces aslant. */

/* A node of a partial link: where the link begins, and of a pair both. */
enum { EZ_PARTIAL = 4 };

/* Cells around a corner, an end or a post whose nodes take their numbers from it. */
#define EZ_CORNER_REACH 2.5

/* A node near metal. */
struct beside {
    int i, j;
    bool row;                               /* its row differs from the usual one */
    bool face;                              /* it stands before the face, not aside of it */
    double distance;                        /* cells, to the face */
    struct metal_solution solution, before; /* what its numbers come from; the face's alone */
    double stiffness, share, face_share;    /* W, M; M of the face alone */
};

/* Two nodes on both sides of a sheet near its end, neighbours or with a held node between them, and what they answer
 * each other all the same: the part of the face between them that the sheet leaves open, over their distance. */
struct partial_link {
    int axis, i, j, length;
    double open;
};

struct rows_task {
    struct setup *setup;
    struct problem *problem;
    const struct raster_grid *grid;
    struct metal_edges edges; /* owned */
    int nx, ny, reach;
    double tap[REACH_LIMIT], scale; /* of the first difference in cells; what the problem divides its square by */
    double turn;                    /* k0 cell at the band's centre */
    double most;                    /* the stiffest row of the free grid */
    int32_t *slot;                  /* (ny, nx), owned: number of the node in `beside` + 1; 0: none */
    uint8_t *cut;                 /* (ny, nx), owned: 1 << axis: metal lies on the link to the next node; EZ_PARTIAL */
    struct partial_link *partial; /* (partial_count), owned: of such links, those that pass near the end of a sheet */
    int64_t partial_count;
    size_t partial_capacity;
    struct beside *beside; /* (count), owned */
    int64_t count;
    size_t capacity;
    bool weighted; /* differences along faces count as much as the volumes of their nodes */
};

static inline size_t ez_node_of(const struct rows_task *task, int i, int j)
{
    return (size_t)j * (size_t)task->nx + (size_t)i;
}

static inline bool ez_is_inside(const struct rows_task *task, int i, int j)
{
    return i >= 0 && j >= 0 && i < task->nx && j < task->ny;
}

static inline bool ez_is_held(const struct rows_task *task, int i, int j)
{
    const struct medium *medium = &task->setup->medium;
    return medium->palette[medium->index[ez_node_of(task, i, j)]].perfect_conductor;
}

/* ez_nodes.c: the free nodes near metal, each with its nearest face or post; in no order. */
pw_status ez_nodes_find(struct rows_task *task, pw_error *error);
/* Nodes near corners and ends take their solution from these. */
void ez_nodes_take_corners(struct rows_task *task);

/* ez_links.c: the links that metal lies on, when the nodes are in order; those near ends of sheets. */
pw_status ez_links_find(struct rows_task *task, pw_error *error);
/* Whether the row of a node may have terms along the axis. */
bool ez_may_have_terms(const struct rows_task *task, int axis, int i, int j);
/* The row of G^T G along the axis at node (i, j): out[MIDDLE + m] is the factor of the node m further on. Whether it
 * differs from the usual one. */
bool ez_line_row(const struct rows_task *task, int axis, int i, int j, double out[LINE]);
