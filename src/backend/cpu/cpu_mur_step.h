/* The nodes near the edges of one run in one precision; included twice by
 * cpu_engine.c. */

#include "backend/mur_nodes.h"

FAST_FMA static void CELL(mur_step_nodes)(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step)
{
    const REAL *before = run->ez[step & 1];
    REAL *after = run->ez[(step + 1) & 1];
    const struct CELL(mur_step) own = {.plan = &grid->mur,
                                       .rates = grid->mur_rates,
                                       .medium = grid->problem->coefficient_index,
                                       .e = before,
                                       .before = run->increment,
                                       .v = run->increment,
                                       .medium_pitch = grid->nx,
                                       .e_pitch = grid->stride,
                                       .v_pitch = grid->stride,
                                       .memory = run->edges};
    CELL(mur_increments)(&own);
    for (int part = 0; part < MUR_AREAS; part++) {
        const struct mur_area area = mur_area(own.plan, part);
        for (int j = area.first[1]; j < area.end[1]; j++) {
            for (int i = area.first[0]; i < area.end[0]; i++) {
                ptrdiff_t n = j * grid->stride + i;
                after[n] = before[n] + own.v[n];
            }
        }
    }
}
