/* The CPU solvers' inner loops in one precision, included twice by cpu_march.c with REAL a vector, SCALAR its element
 * and INTEGER an integer of the same size. Order of work in a block: gradients of the absorber regions that it decides,
 * nodes in the regions and outside them, sources, probes and sample, images about the walls. This file binds the parts
 * together. */

typedef SCALAR CELL(unaligned) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(SCALAR)), may_alias));
typedef INTEGER CELL(mask) __attribute__((vector_size(VECTOR_BYTES)));

#define LANES ((int)(VECTOR_BYTES / sizeof(SCALAR)))

/* The stencil, every coefficient in all lanes. */
struct CELL(stencil) {
    REAL centre, centre2, tap[LAPLACIAN_LIMIT], difference[REACH_LIMIT];
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

static void CELL(fill_stencil)(const struct problem *problem, struct CELL(stencil) * stencil)
{
    stencil->centre = CELL(spread)(problem->centre);
    stencil->centre2 = CELL(spread)(2 * problem->centre);
    for (int m = 0; m < problem->laplacian_taps; m++) {
        stencil->tap[m] = CELL(spread)(problem->laplacian[m]);
    }
    for (int l = 0; l < problem->reach; l++) {
        stencil->difference[l] = CELL(spread)(problem->difference[l]);
    }
}

/* One step of one block, as the functions below hand it on. A local of advance_narrow and advance_wide: it never leaves
 * what is inlined there, so `reach`, `taps` and `march_open` are literals of the narrow march. */
struct CELL(march) {
    const struct cpu_grid *grid;
    const struct cpu_run *run;
    const struct cpu_block *block;
    const struct CELL(stencil) * stencil;
    int64_t step;
    int reach, taps; /* of the first difference and of L */
    void (*march_open)(const struct cpu_grid *grid, const struct CELL(stencil) * stencil, const struct cpu_run *run,
                       int64_t step, const struct cpu_block *block);
};

#include "backend/cpu/march/march_events.h"
#include "backend/cpu/march/march_open.h"
#include "backend/cpu/march/march_spectra.h"
#include "backend/cpu/march/march_transform.h"

#include "backend/cpu/march/march_absorber.h" /* uses what stands above */

/* All nodes of a block: the absorber regions that it touches, then the open nodes. */
INLINE void CELL(march_nodes)(const struct CELL(march) * march)
{
    const struct cpu_grid *grid = march->grid;
    const struct axis *y = &grid->problem->axis[1];
    struct cpu_block rows = *march->block;
    if (grid->region == 0) {
        march->march_open(grid, march->stencil, march->run, march->step, march->block);
        return;
    }
    CELL(gradients_y)(march);
    for (int s = 0; s < grid->side_count; s++) {
        CELL(gradients_x)(march, s);
    }
    while (rows.row_first < rows.row_last && problem_in_absorber_region(grid->problem, y, rows.row_first)) {
        CELL(march_row)(march, rows.row_first++);
    }
    while (rows.row_first < rows.row_last && problem_in_absorber_region(grid->problem, y, rows.row_last - 1)) {
        CELL(march_row)(march, --rows.row_last);
    }
    CELL(march_rows)(march, &rows);
}

static void CELL(finish_block)(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step, int slot,
                               const struct cpu_block *block)
{
    if (grid->problem->metal_row_count > 0) {
        CELL(add_metal)(grid, run, step, block);
    }
    CELL(drive)(grid, run, step, block);
    if (grid->poles.count > 0) {
        CELL(add_poles)(grid, run, step, block);
    }
    CELL(record)(grid, run, step, slot, block);
    CELL(mirror)(grid, run, step, block);
}

/* Schemes of reach 1. */
static void CELL(advance_narrow)(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step, int slot,
                                 const struct cpu_block *block)
{
    struct CELL(stencil) stencil;
    CELL(fill_stencil)(grid->problem, &stencil);
    if (block->ahead > 0) {
        CELL(fetch_ahead)(grid, run, step, block);
    }
    CELL(march_nodes)
    (&(struct CELL(march)){grid, run, block, &stencil, step, 1, 1, CELL(march_open_narrow)});
    CELL(finish_block)(grid, run, step, slot, block);
}

/* Schemes of any greater reach. */
static void CELL(advance_wide)(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step, int slot,
                               const struct cpu_block *block)
{
    struct CELL(stencil) stencil;
    CELL(fill_stencil)(grid->problem, &stencil);
    if (block->ahead > 0) {
        CELL(fetch_ahead)(grid, run, step, block);
    }
    CELL(march_nodes)
    (&(struct CELL(march)){grid, run, block, &stencil, step, grid->problem->reach, grid->problem->laplacian_taps,
                           CELL(march_open_wide)});
    CELL(finish_block)(grid, run, step, slot, block);
}

static void CELL(add_spectra)(const struct cpu_grid *grid, const struct cpu_run *run, const struct cpu_groups *groups,
                              int64_t first, int64_t last)
{
    (spectra_transformed(&grid->problem->spectra) ? CELL(add_transformed) : CELL(add_folded))(grid, run, groups, first,
                                                                                              last);
}

#undef LANES
