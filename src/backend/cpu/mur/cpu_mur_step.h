/* The nodes near the edges of one run in one precision; included twice by cpu_mur.c. */

#include "backend/mur_nodes.h"

FAST_FMA static void CELL(mur_step_nodes)(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step)
{
    const REAL *before = run->ez[step & 1];
    REAL *after = run->ez[(step + 1) & 1];
    const struct CELL(mur_step) own = {.problem = grid->problem,
                                       .plan = mur_plan(grid->problem),
                                       .e = before,
                                       .v = run->increment,
                                       .e_pitch = grid->stride,
                                       .v_pitch = grid->stride,
                                       .memory = run->edges};
    CELL(mur_increments)(&own);
    for (int j = 0; j < grid->ny; j++) {
        for (int i = 0; i < grid->nx; i++) {
            if (mur_takes(&own.plan, i, j)) {
                ptrdiff_t n = j * grid->stride + i;
                after[n] = before[n] + own.v[n];
            }
        }
    }
}
