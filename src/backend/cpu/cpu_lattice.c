/* See cpu_lattice.h. */
#include "backend/cpu/cpu_lattice.h"

#include "problem/spectra/spectra.h"

/* Whether somebody reads a point of the patch. */
static bool patch_wanted(const struct cpu_grid *grid, int patch_row, int patch_column)
{
    const struct spectra *spectra = &grid->problem->spectra;
    const int row_end = (patch_row + 1) * PATCH_ROWS, column_end = (patch_column + 1) * BLOCK_COLUMNS;
    bool wanted = spectra->wanted == NULL;
    for (int r = patch_row * PATCH_ROWS; r < row_end && r < spectra->rows && !wanted; r++) {
        const bool *row = spectra->wanted + (ptrdiff_t)r * spectra->columns - grid->lattice_shift;
        for (int c = patch_column * BLOCK_COLUMNS; c < column_end && !wanted; c++) {
            wanted = c >= grid->lattice_shift && c < grid->lattice_shift + spectra->columns && row[c];
        }
    }
    return wanted;
}

int64_t cpu_lattice_number(const struct cpu_grid *grid, int32_t *number)
{
    const int rows = (grid->problem->spectra.rows + PATCH_ROWS - 1) / PATCH_ROWS;
    int32_t kept = 0;
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < grid->patch_columns; c++) {
            const bool wanted = patch_wanted(grid, r, c);
            if (number != NULL) {
                *number++ = wanted ? kept : -1;
            }
            kept += wanted;
        }
    }
    return kept;
}

void cpu_lattice_shape(struct cpu_grid *grid)
{
    const struct spectra *spectra = &grid->problem->spectra;
    if (spectra->frequency_count == 0) {
        return;
    }
    bool all = spectra->spacing == 1;
    grid->sample_slots = (spectra_transformed(spectra) ? 1 : GROUPS_AT_ONCE) * spectra_group(spectra);
    grid->lattice_shift = all ? spectra->x0 % BLOCK_COLUMNS : 0;
    grid->patch_columns = cpu_round_up(grid->lattice_shift + spectra->columns) / BLOCK_COLUMNS;
    grid->patch_count = cpu_lattice_number(grid, NULL);
}
