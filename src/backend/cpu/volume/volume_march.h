/* The inner loops of the CPU solvers of maxwell3d as the rest of the room sees them: rows of a plane z = k advanced by
 * half a step, h or E. volume_march.c is compiled once per instruction set. This header also fixes the layout of the
 * arrays; it allocates nothing.
 *
 * Layout. Every field is kept once, in place: the order of rows makes sure that each reads what it must
 * (volume_tile.h). The six rows Ex, Ey, Ez, hx, hy, hz of a pair (j, k) lie one after the other, `stride` values each,
 * a record of `pitch` values; records go along y, then along z. A row has COLUMN_BLOCK ghosts between itself and the
 * next: the images about the walls of x on both sides. The images about the walls of y and z are other rows, or their
 * negatives, which are made when they are read.
 *
 * Columns are taken in whole blocks. The coefficients ca and cb of a block are a pair of COLUMN_BLOCK values in a pool
 * that holds every different block once; a row of a layer knows the numbers of its blocks. So the air, which is most of
 * a building, stays in the first-level cache. Columns beyond nx have ca = cb = 0.
 *
 * A tap is a place whose value is copied after a step: for a probe, or for a sample of the spectra. */
#pragma once

#include "backend/cpu/poles/pole_groups.h"
#include "problem/image.h"
#include "problem/problem.h"

/* Rows of E or of h in a record; images that a row may need, each of so many rows. */
enum { COLUMN_BLOCK = 16, FIELD_ROWS = 3, IMAGES = 4 * REACH_LIMIT };

/* What stands along z at a plane: no filter, filters, or it is the one plane of a grid in which nothing changes along
 * z.
 */
enum { OPEN_Z, FILTERED_Z, FLAT_Z };

/* What happens in a row, so that most rows need not look. */
enum { EVENT_SOURCE = 1, EVENT_TENSOR = 2, EVENT_PROBE = 4, EVENT_SAMPLE = 8, EVENT_POLE = 16, EVENT_METAL = 32 };

/* Of the columns -1, -2, ... and nx, nx + 1, ... */
struct volume_images {
    struct image low[REACH_LIMIT], high[REACH_LIMIT];
};

struct volume_taps {
    int64_t count;
    int64_t *place; /* (count), owned: ascending */
    int32_t *to;    /* (count), owned: where its value goes */
};

/* What one place of E gains from one tensor node: a quarter of its coefficient times the sum of two curls of h. */
struct volume_tensor {
    int64_t place, order; /* order: the node's number in the problem */
    int64_t node;
    int from, to; /* components: to gains from the curl of from */
    double quarter;
};

struct volume_grid {
    const struct problem *problem; /* borrowed */
    int nx, ny, nz, reach;
    int depth;  /* how far rows look along y: the reach, and more beside metal (problem_depth) */
    bool flat;  /* nothing changes along z: one plane, of which Ex, Ey and hz alone are not zero */
    int padded; /* columns rounded up to whole blocks */
    ptrdiff_t stride, pitch, plane;
    /* Columns 0..x_low-1 and x_high..padded-1, whole blocks, pass the filters along x: x_width of them, one side after
     * the other in the states. */
    int x_low, x_high, x_width;
    struct volume_images x_images[2]; /* of E, at nodes; of h, at half places */
    /* (padded/COLUMN_BLOCK, 3, COLUMN_BLOCK): gain, pole, feed at half places, at nodes; 1, 1, 0 without a filter. */
    void *x_profile[2];
    void *zeros; /* (FIELD_ROWS, stride): E on a wall */
    int64_t pool_count;
    void *pool;       /* (pool_count, 2, COLUMN_BLOCK): ca, cb */
    uint32_t *blocks; /* (layer_count, ny, padded/COLUMN_BLOCK) */
    /* The most frequent block of one medium that loses nothing: the air. ca is 1, and nothing is fetched for it. A
     * number that no block has where there is none. */
    uint32_t usual_block;
    double usual_cb;
    uint8_t *events; /* (nz, ny) */
    struct volume_taps probes, samples;
    struct volume_tensor *tensors; /* (tensor_count), owned, by place */
    int64_t tensor_count;
    ptrdiff_t *metal_from;    /* (metal_term_count), owned: where in the fields each term of the problem stands */
    struct pole_groups poles; /* owned: of the rows of Ex, then of Ey and Ez, each one block of columns */
};

struct volume_run {
    const struct source *source; /* borrowed */
    void *fields;                /* column 0 of Ex of record (0, 0); (nz, ny, 6, stride) */
    /* Filters of an axis as in struct run_state, the four of a block of columns side by side. */
    void *filter_x;            /* (nz, ny, x_width/COLUMN_BLOCK, 4, COLUMN_BLOCK) */
    void *filter_y, *filter_z; /* (nz, y filters, padded/COLUMN_BLOCK, 4, COLUMN_BLOCK), (z filters, ny, likewise) */
    void *tapped;              /* (tap_slots, probe taps) */
    void *samples;             /* (group, points) */
    void *spectra;             /* (frequency_count, points, 2) */
    void *probes;              /* (steps, probe_count) */
    void *poles;               /* (poles.state_count) */
};

/* Rows j_first..j_last-1 of plane k in one step. */
struct volume_rows {
    int64_t step;
    int k, j_first, j_last;
    int tap_slot;    /* where the values of the probes' taps go */
    int sample_slot; /* likewise of the spectra; -1: no sample is due */
    void *images;    /* (IMAGES, FIELD_ROWS, stride): scratch */
};

typedef void volume_rows_function(const struct volume_grid *grid, const struct volume_run *run,
                                  const struct volume_rows *rows);

/* What one instruction set offers, by pw_precision. */
struct volume_marcher {
    /* Rows of h, its images along x and taps; and rows of E by its diagonal media, where there are no tensor nodes with
     * finish_e. Row by row in turns, so that E finds h in the first-level cache: E of row j - depth + 1 after h of row
     * j. Either may be no rows. */
    void (*march[2])(const struct volume_grid *grid, const struct volume_run *run, const struct volume_rows *h,
                     const struct volume_rows *e);
    volume_rows_function *finish_e[2]; /* tensor nodes, sources, images along x, taps */
    volume_rows_function *mirror[2];   /* the images along x alone, of E and h */
};

extern const struct volume_marcher volume_march_baseline, volume_march_avx2, volume_march_avx512;
