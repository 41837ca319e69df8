/* The CPU engine's inner loops in one precision, included twice by cpu_march.c with REAL a vector, SCALAR its element
 * and INTEGER an integer of the same size. Order of work in a block: slopes of the absorber zones it decides, nodes
 * beside and away from the zones, sources, probes and snapshot, images about the walls. What is here binds the parts
 * together. */

typedef SCALAR CELL(unaligned) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(SCALAR)), may_alias));
typedef INTEGER CELL(mask) __attribute__((vector_size(VECTOR_BYTES)));

#define LANES ((int)(VECTOR_BYTES / sizeof(SCALAR)))

/* The stencil, every coefficient in all lanes. */
struct CELL(pattern) {
    REAL centre, centre2, ring[LAPLACIAN_LIMIT], difference[REACH_LIMIT];
};

INLINE REAL CELL(load)(const SCALAR *from)
{
    return (REAL) * (const CELL(unaligned) *)from;
}

INLINE void CELL(store)(SCALAR *to, REAL value)
{
    *(CELL(unaligned) *)to = (CELL(unaligned))value;
}

INLINE REAL CELL(spread)(double value)
{
    return (SCALAR)value - (REAL){0};
}

INLINE REAL CELL(choose)(CELL(mask) mask, REAL yes, REAL no)
{
    return (REAL)((mask & (CELL(mask))yes) | (~mask & (CELL(mask))no));
}

static void CELL(fill_pattern)(const struct problem *problem, struct CELL(pattern) * pattern)
{
    pattern->centre = CELL(spread)(problem->centre);
    pattern->centre2 = CELL(spread)(2 * problem->centre);
    for (int m = 0; m < problem->laplacian_taps; m++) {
        pattern->ring[m] = CELL(spread)(problem->laplacian[m]);
    }
    for (int l = 0; l < problem->reach; l++) {
        pattern->difference[l] = CELL(spread)(problem->difference[l]);
    }
}

#include "backend/cpu/march_events.h"
#include "backend/cpu/march_open.h"
#include "backend/cpu/march_spectra.h"
#include "backend/cpu/march_transform.h"

#include "backend/cpu/march_absorber.h" /* uses what stands above */

/* All of a block: the zones it touches, then the open nodes. */
INLINE void CELL(march_block)(const struct cpu_grid *grid, const struct CELL(pattern) * pattern, int reach, int rings,
                              const struct cpu_run *run, int64_t step, const struct cpu_block *block)
{
    struct cpu_block rows = *block;
    CELL(slopes_y)(grid, pattern, reach, run, step, block);
    for (int s = 0; s < grid->side_count; s++) {
        CELL(slopes_x)(grid, pattern, reach, run, step, block, s);
    }
    while (rows.row_first < rows.row_last && problem_in_absorber_region(grid->problem, rows.row_first, grid->ny)) {
        CELL(march_row)(grid, pattern, reach, rings, run, step, rows.row_first++, block);
    }
    while (rows.row_first < rows.row_last && problem_in_absorber_region(grid->problem, rows.row_last - 1, grid->ny)) {
        CELL(march_row)(grid, pattern, reach, rings, run, step, --rows.row_last, block);
    }
    CELL(march_rows)(grid, pattern, reach, rings, run, step, &rows);
}

static void CELL(advance_block)(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step, int snapshot,
                                const struct cpu_block *block)
{
    const struct problem *problem = grid->problem;
    struct CELL(pattern) pattern;
    CELL(fill_pattern)(problem, &pattern);
    if (block->ahead > 0) {
        CELL(fetch_ahead)(grid, run, step, block);
    }
    if (grid->zone == 0) {
        CELL(march_open)(grid, &pattern, run, step, block);
    } else if (problem->reach == 1) { /* known to the compiler: the loops over taps and rings vanish */
        CELL(march_block)(grid, &pattern, 1, 1, run, step, block);
    } else {
        CELL(march_block)(grid, &pattern, problem->reach, problem->laplacian_taps, run, step, block);
    }
    CELL(drive)(grid, run, step, block);
    CELL(record)(grid, run, step, snapshot, block);
    CELL(mirror)(grid, run, step, block);
}

static void CELL(add_spectra)(const struct cpu_grid *grid, const struct cpu_run *run, const struct cpu_groups *groups,
                              int64_t first, int64_t last)
{
    (spectra_transformed(&grid->problem->spectra) ? CELL(add_transformed) : CELL(add_folded))(grid, run, groups, first,
                                                                                              last);
}

#undef LANES
