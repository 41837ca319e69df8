/* The inner loops of the CPU solvers as the rest of the room sees them: one block of nodes advanced by one step.
 * cpu_march.c is compiled once per instruction set; each solver has its table of functions. This header also fixes the
 * layout of the arrays; it allocates nothing.
 *
 * Layout. Ez is kept twice: step s reads level s from ez[s & 1] and writes level s+1 to ez[(s+1) & 1], over level s-1.
 * A node of level s+1 needs level s within `lag` of it, and level s could only be made there after every reader of
 * level s-1 at the node. So any order of blocks that respects "everything within lag is at level s" is free of hazards.
 * Increments, filter states and gradients are kept once, in place.
 *
 * Rows are `stride` elements apart, an odd number of cache lines; ghost rows and columns around Ez hold its images
 * about the walls. Columns are taken in whole blocks of BLOCK_COLUMNS; coefficients beyond nx are zero.
 *
 * Words of this room:
 *   gradient   the first difference of Ez at a half node, filtered by the absorber; kept in the absorber regions alone
 *   side       the columns, in whole blocks, that hold the x region of one wall
 *   sample     Ez at every node of the spectra's lattice after one step; it waits in a slot until its group is added
 *   place      where a lattice node stands in the arrays of the spectra, which do not go row by row:
 *   patch      PATCH_ROWS x BLOCK_COLUMNS lattice nodes, one after the other; the sums of a patch lie together
 *   span       SPAN nodes of a patch; the sums of all frequencies of a span lie together
 *   panel      PANEL patches side by side; their samples lie together, so that the march stores long runs */
#pragma once

#include "backend/cpu/poles/pole_groups.h"
#include "problem/mur/mur.h"
#include "problem/problem.h"

enum {
    BLOCK_COLUMNS = 16, /* a block's columns are a multiple; also its shift to the left from one level to the next */
    LEFT_PAD = 16,      /* ghost columns before node 0 */
    RIGHT_PAD = 32,     /* ghost columns after the last block */
    PATCH_ROWS = 16,
    PATCH = PATCH_ROWS * BLOCK_COLUMNS, /* nodes */
    SPAN = 32,
    PANEL = 16,
    PANEL_PITCH = PANEL * PATCH + 16, /* from slot to slot of a panel: not a power of two, for the cache's sets */
    FOLDED_SAMPLES_MOST = 32,         /* of a folded group of samples (spectra.h) */
    GROUPS_AT_ONCE = 2, /* folded groups that are added together: sums pass through memory half as often */
    /* The gradients that a block decides lie this far right of its columns: reach - 1 <= 8 <= BLOCK_COLUMNS - reach. */
    GRADIENT_SHIFT = 8
};

/* The two ways to march: one Laplacian tap, where the rows above and below stay in registers, or several. Everything
 * that depends on it, here and in cpu_tiling.c, stands in a table with one entry for each. */
enum cpu_variant { CPU_NARROW, CPU_WIDE, CPU_VARIANT_COUNT };

/* Columns first..last-1 (whole blocks) that hold an x region of the absorber. Gradients and half filters are stored for
 * half nodes first-8 .. last+7, `width` of them; node filters for nodes first..last-1. Values in the run's precision.
 */
struct cpu_side {
    int first, last, width;
    void *half_gain, *half_pole, *half_feed; /* (width), owned */
    void *node_gain, *node_pole, *node_feed; /* (last-first), owned */
    void *mask; /* (last-first) integers of the precision's size, owned: -1 where the node is in the region, else 0 */
};

struct cpu_grid {
    const struct problem *problem; /* borrowed */
    enum cpu_variant variant;
    int nx, ny, padded; /* columns, rows; columns rounded up to whole blocks */
    int lag;            /* how far a level looks at the one before */
    int region;         /* nodes from a wall to the end of its absorber region: layer + reach; 0 without absorber */
    int low_region;     /* the same at the low end of x: 0 on a symmetry plane */
    ptrdiff_t stride;
    void *ca, *cb; /* node (0, 0) of (ny, stride) */
    struct cpu_side side[2];
    int side_count;    /* 0 without absorber, 1 when the x regions meet or x begins on a symmetry plane, else 2 */
    int gradient_rows; /* half rows kept at both ends of y, for the y regions; ny when they meet */
    /* Rows beside metal: those of row j of nodes are numbers metal_first[j] .. metal_first[j + 1] - 1 of the problem's.
     * Terms by how far they stand from their node in the arrays, with weights in the run's precision. */
    int64_t *metal_first;       /* (ny + 1), owned; empty without metal */
    int32_t *metal_apart;       /* (metal_term_count), owned */
    void *metal_weight;         /* (metal_term_count), owned */
    struct pole_groups poles;   /* owned */
    struct mur_plan mur;        /* edges that obey Mur's condition */
    struct mur_rate *mur_rates; /* (coefficient_count), owned; empty without such edges */
    int64_t *probe_node;        /* (probe_count), owned: ascending */
    int *probe_place;           /* (probe_count), owned: where it stands in the problem */
    int64_t probe_slots;        /* steps of the probes that are kept */
    int sample_slots;           /* whole groups: sample number s goes to slot s mod sample_slots */
    /* Lattice node (r, c) stands in row r and column lattice_shift + c of the patches, patch_columns of which lie side
     * by side. With a node in every column, the patches have the alignment of the grid's columns and whole blocks are
     * kept. */
    int lattice_shift, patch_columns;
    int64_t patch_count;   /* that are kept */
    int32_t *patch_number; /* (patches of the lattice), owned: among those that are kept, or -1; NULL: all are kept */
};

struct cpu_run {
    const struct source *source;     /* borrowed */
    void *ez[2], *increment;         /* node (0, 0) of (ny, stride); ez has its ghosts around */
    void *x_gradient[2], *x_half[2]; /* per side (ny, width) */
    void *x_node[2];                 /* per side (ny, last-first) */
    void *y_gradient;                /* (gradient_rows, stride) */
    void *y_half, *y_node;           /* (filters of y, stride) */
    void *poles;                     /* (poles.state_count) */
    void *edges;                     /* (mur_memory) */
    void *probes;                    /* (probe_slots, probe_count) */
    void *samples;                   /* (panels, sample_slots, PANEL_PITCH): not yet added to the sums */
    void *sums;                      /* (patches, PATCH / SPAN, frequency_count, 2, SPAN): the spectra */
};

/* Rows and columns of nodes; columns are multiples of BLOCK_COLUMNS. */
struct cpu_block {
    int row_first, row_last, column_first, column_last;
    int ahead; /* the march comes to the columns this much further on next, and they are not in cache yet; 0: nothing to
                  fetch */
};

/* Whole groups of samples to be added (spectra.h), in slots first_slot.. : `count` of them, one if they are
 * transformed. In the run's precision: weights (folded groups by frequency: (frequency_count, group/2, 2)) and the
 * phase factors of the groups, (count, frequency_count, 2). */
struct cpu_groups {
    int first_slot, count;
    const void *weights, *phases;
};

/* Advances the block from level `step` to step + 1: absorber, sources, probes, images about the walls; when `slot` is
 * not negative, Ez at its lattice nodes goes into that slot. */
typedef void cpu_advance_function(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step, int slot,
                                  const struct cpu_block *block);

/* What one instruction set offers, by pw_precision. */
struct cpu_marcher {
    cpu_advance_function *advance[CPU_VARIANT_COUNT][2];
    /* Fills the images of the level after `step` about the walls, as far as the block holds the originals; advance does
     * it itself. */
    void (*mirror[2])(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step,
                      const struct cpu_block *block);
    /* Adds groups of samples to the sums of patches first..last-1. */
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

/* Place of lattice node (r, c): its patch times PATCH, plus its number in the patch; -1: its patch is not kept. */
static inline int64_t cpu_lattice_place(const struct cpu_grid *grid, int r, int c)
{
    int column = grid->lattice_shift + c;
    int64_t patch = (int64_t)(r / PATCH_ROWS) * grid->patch_columns + column / BLOCK_COLUMNS;
    patch = grid->patch_number != NULL ? grid->patch_number[patch] : patch;
    return patch < 0 ? -1 : patch * PATCH + r % PATCH_ROWS * BLOCK_COLUMNS + column % BLOCK_COLUMNS;
}

/* Index in run->samples of the sample in a slot at a place. */
static inline int64_t cpu_sample_index(const struct cpu_grid *grid, int slot, int64_t place)
{
    int64_t row = place / (PANEL * PATCH) * grid->sample_slots + slot;
    return row * PANEL_PITCH + place % (PANEL * PATCH);
}

/* Row of y_gradient that holds half row h, inside or an image. */
static inline int cpu_gradient_row(const struct cpu_grid *grid, int h)
{
    int k = cpu_fold_half(h, grid->ny);
    return k < grid->gradient_rows / 2 || grid->gradient_rows == grid->ny ? k : k - (grid->ny - grid->gradient_rows);
}

/* Row of y_half and y_node that holds row j of a layer; -1 where there is no filter. */
static inline int cpu_layer_row(const struct problem *problem, int j)
{
    return axis_filter_slot(&problem->axis[1], j);
}
