/* The CPU engine's inner loops as the engine sees them: one block of nodes advanced by one step. cpu_march.c is
 * compiled once per instruction set; the engine chooses a table at run time. This header also fixes the layout of the
 * arrays; it allocates nothing.
 *
 * Layout. Ez is kept twice: step s reads level s from ez[s & 1] and writes level s+1 to ez[(s+1) & 1], over level s-1.
 * A node of level s+1 needs level s within `lag` of it, and level s could only be made there after every reader of
 * level s-1 at the node. So any order of blocks that respects "everything within lag is at level s" is free of hazards;
 * increments, filter states and slopes (the filtered first differences of the absorber) are kept once, in place.
 *
 * Rows are `stride` elements apart, an odd number of cache lines; ghost rows and columns around Ez hold its images
 * about the walls. Columns are taken in whole blocks of BLOCK_COLUMNS; coefficients beyond nx are zero. */
#ifndef CPU_WALK_H
#define CPU_WALK_H

#include "problem/problem.h"

enum {
    BLOCK_COLUMNS = 16, /* a block's columns are a multiple; also its shift to the left from one level to the next */
    LEFT_PAD = 16,      /* ghost columns before node 0 */
    RIGHT_PAD = 32,     /* ghost columns after the last block */
    GROUP_ROWS = 16,    /* places of the spectra come in groups of so many rows and BLOCK_COLUMNS columns, */
    GROUP = GROUP_ROWS * BLOCK_COLUMNS, /* whose sums lie together */
    SPAN = 32,                          /* in spans, all frequencies of one. Snapshots lie together for */
    SHELF = 16,                         /* groups side by side, so that the march stores long runs, */
    SHELF_PITCH = SHELF * GROUP + 16,   /* one after the other, not a power of two apart: for the cache's sets */
    FOLDED_SAMPLES_MOST = 32,           /* of a folded group of samples (spectra.h), of which */
    GROUPS_AT_ONCE = 2,                 /* so many are added together: sums pass through memory half as often */
    SLOPE_SHIFT = 8 /* slopes of a block lie this far right of its columns: reach - 1 <= 8 <= BLOCK_COLUMNS - reach */
};

/* Columns first..last-1 (whole blocks) that hold an x zone of the absorber. Slopes and half filters are stored for half
 * nodes first-8 .. last+7, `width` of them; node filters for nodes first..last-1. Values in the run's precision. */
struct cpu_side {
    int first, last, width;
    void *half_gain, *half_pole; /* (width), owned */
    void *node_gain, *node_pole; /* (last-first), owned */
    void *mask; /* (last-first) integers of the precision's size, owned: -1 where the node is in the zone, else 0 */
};

struct cpu_grid {
    const struct problem *problem; /* borrowed */
    int nx, ny, padded;            /* columns, rows; columns rounded up to whole blocks */
    int lag, zone;                 /* how far a level looks at the one before; layer + reach with an absorber, else 0 */
    ptrdiff_t stride;
    void *ca, *cb; /* node (0, 0) of (ny, stride) */
    struct cpu_side side[2];
    int side_count;      /* 0 without absorber, 1 when the zones meet, else 2 */
    int slope_rows;      /* half rows kept of the y zones; ny when they meet */
    int64_t *probe_node; /* (probe_count), owned: ascending */
    int *probe_place;    /* (probe_count), owned: where it stands in the problem */
    int snapshot_limit;  /* places of snapshots, whole groups: number s goes to place s mod snapshot_limit */
    /* Lattice node (r, c) stands in row r and column lattice_shift + c of the places of the spectra, which come in
     * groups, group_columns side by side. With a node in every column, places have the columns' alignment and whole
     * blocks are kept. */
    int lattice_shift, group_columns;
    int64_t group_count;
};

struct cpu_run {
    const struct source *source;  /* borrowed */
    void *ez[2], *increment;      /* node (0, 0) of (ny, stride); ez has its ghosts around */
    void *x_slope[2], *x_half[2]; /* per side (ny, width) */
    void *x_node[2];              /* per side (ny, last-first) */
    void *y_slope;                /* (slope_rows, stride) */
    void *y_half, *y_node;        /* (2 layer, stride) */
    void *probes;                 /* (steps, probe_count) */
    void *snapshots;              /* (shelves, snapshot limit, SHELF_PITCH): Ez for the spectra, not yet added */
    void *sums;                   /* (groups, GROUP / SPAN, frequency_count, 2, SPAN): the spectra */
};

/* Rows and columns of nodes; columns are multiples of BLOCK_COLUMNS. */
struct cpu_block {
    int row_first, row_last, column_first, column_last;
    int ahead; /* the march comes to the columns this much further on next, and they are not in cache yet; 0: nothing to
                  fetch */
};

/* Groups of snapshots to be added (spectra.h), `count` of them from `place` on, one if they are transformed; in the
 * run's precision, weights (of folded groups by frequency: (frequency_count, group/2, 2)), turns (count,
 * frequency_count, 2). */
struct cpu_groups {
    int place, count;
    const void *weights, *turns;
};

/* What one instruction set offers, by pw_precision. */
struct cpu_marcher {
    /* Advances the block from level `step` to step + 1: absorber, sources, probes, images about the walls; when
     * `snapshot` is not negative, its lattice nodes go there. */
    void (*advance[2])(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step, int snapshot,
                       const struct cpu_block *block);
    /* Fills the images of the level after `step` about the walls, as far as the block holds the originals; advance does
     * it itself. */
    void (*mirror[2])(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step,
                      const struct cpu_block *block);
    /* Adds groups of snapshots to the sums of groups of nodes first..last-1. */
    void (*add_spectra[2])(const struct cpu_grid *grid, const struct cpu_run *run, const struct cpu_groups *groups,
                           int64_t first, int64_t last);
};

extern const struct cpu_marcher cpu_march_baseline, cpu_march_avx2, cpu_march_avx512;

/* Index of the stored value that stands for half node h of an axis of n cells: first differences are even about the
 * walls. */
static inline int cpu_fold_half(int h, int n)
{
    int k = ((h % (2 * n)) + 2 * n) % (2 * n);
    return k < n ? k : 2 * n - 1 - k;
}

/* Place of lattice node (r, c): its group times GROUP and where it stands in the group. */
static inline int64_t cpu_lattice_place(const struct cpu_grid *grid, int r, int c)
{
    int column = grid->lattice_shift + c;
    int64_t group = (int64_t)(r / GROUP_ROWS) * grid->group_columns + column / BLOCK_COLUMNS;
    return group * GROUP + r % GROUP_ROWS * BLOCK_COLUMNS + column % BLOCK_COLUMNS;
}

/* Where a snapshot of a place stands. */
static inline int64_t cpu_snapshot_place(const struct cpu_grid *grid, int snapshot, int64_t place)
{
    int64_t row = place / (SHELF * GROUP) * grid->snapshot_limit + snapshot;
    return row * SHELF_PITCH + place % (SHELF * GROUP);
}

/* Row of y_slope that holds half row h, inside or an image. */
static inline int cpu_slope_row(const struct cpu_grid *grid, int h)
{
    int k = cpu_fold_half(h, grid->ny);
    return k < grid->slope_rows / 2 || grid->slope_rows == grid->ny ? k : k - (grid->ny - grid->slope_rows);
}

/* Row of y_half and y_node that holds row j of a layer; -1 where there is no filter. */
static inline int cpu_layer_row(const struct problem *problem, int j)
{
    int layer = problem_layer(problem), ny = problem->axis[1].count;
    return j < layer ? j : j >= ny - layer ? j - (ny - 2 * layer) : -1;
}

#endif
