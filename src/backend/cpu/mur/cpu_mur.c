/* See cpu_mur.h. The arithmetic is that of the reference (backend/mur_nodes.h); the march has left the increments of
 * these nodes as they were. No source, probe or point of the spectra is here (solver_takes_clear_edges). */
#include "backend/cpu/mur/cpu_mur.h"

#include "base/fast_fma.h"

#include <math.h>

#define TEMPLATE "backend/cpu/mur/cpu_mur_step.h"
#include "problem/precisions.h"

void cpu_mur_step(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step)
{
    (grid->problem->precision == PW_SINGLE ? mur_step_nodes_float : mur_step_nodes_double)(grid, run, step);
}
