/* What the ends of the grid have in front of them (setup.h). */
#include "discretize/setup.h"

int setup_absorber_cells(const struct setup *setup, int axis, int end)
{
    const struct grid_choice *grid = &setup->scenario->grid;
    return end == 0 && grid->symmetric[axis] ? 0 : absorber_cells_at(&grid->absorber, axis, end);
}
