/* The order in which a thread marches its part of the grid; which part that is, cpu_schedule.c decides. The part is cut
 * along y into tiles that lean to the left of the time axis, each level `lag` rows lower than the one before, so that a
 * tile needs only the tile before it. Inside a tile the march goes from left to right, the levels again leaning, by
 * BLOCK_COLUMNS a level: the rows of a tile over a few hundred columns are all that has to stay in cache, however wide
 * the grid. Any such order gives the same bits (cpu_march.h). */
#include "backend/cpu/cpu_tile.h"

static int ceil_divide(int a, int b)
{
    return (a + b - 1) / b;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

bool cpu_window_clip(const struct cpu_grid *grid, const struct cpu_window *window, int64_t step,
                     struct cpu_block *block)
{
    /* One lag more than the front has moved, and whole blocks: then the gradients of an absorber region, which a block
     * decides a little ahead of its nodes, are zero outside too. */
    int64_t grown = (step + 1 - window->step + 1) * grid->lag;
    int64_t row_first = window->row_first - grown, row_last = window->row_last + grown;
    int64_t column_first = window->column_first - grown - BLOCK_COLUMNS, column_last = window->column_last + grown;
    column_first = column_first <= 0 ? 0 : column_first / BLOCK_COLUMNS * BLOCK_COLUMNS;
    column_last = (column_last / BLOCK_COLUMNS + 1) * BLOCK_COLUMNS;
    block->row_first = row_first > block->row_first ? (int)row_first : block->row_first;
    block->row_last = row_last < block->row_last ? (int)row_last : block->row_last;
    block->column_first = column_first > block->column_first ? (int)column_first : block->column_first;
    block->column_last = column_last < block->column_last ? (int)column_last : block->column_last;
    return block->row_first < block->row_last && block->column_first < block->column_last;
}

/* The slot that the sample of this step goes to; -1: the step takes none. */
static int sample_slot(const struct cpu_job *job, int64_t step)
{
    const struct spectra *spectra = &job->grid->problem->spectra;
    if (spectra->frequency_count == 0 || (step + 1) % spectra->every != 0) {
        return -1;
    }
    return (int)(((step + 1) / spectra->every - 1) % job->grid->sample_slots);
}

/* All levels of a piece of a tile. */
static void march_piece(const struct cpu_job *job, const struct cpu_tiling *tiling, const struct cpu_part *part,
                        int tile, int piece)
{
    const struct cpu_grid *grid = job->grid;
    for (int level = 0; level < part->levels; level++) {
        int row = part->low + tile * tiling->rows - level * grid->lag;
        int column = piece * tiling->columns - level * BLOCK_COLUMNS;
        struct cpu_block block = {.row_first = most(row, part->low + level * part->low_slope),
                                  .row_last = least(row + tiling->rows, part->high + level * part->high_slope),
                                  .column_first = most(column, 0),
                                  .column_last = least(column + tiling->columns, grid->padded),
                                  .ahead = level == 0 ? tiling->columns : 0};
        int64_t step = part->step + level;
        if (block.row_first < block.row_last && block.column_first < block.column_last &&
            cpu_window_clip(grid, &job->window, step, &block)) {
            job->marcher->advance[grid->variant][grid->problem->precision](grid, job->run, step, sample_slot(job, step),
                                                                           &block);
        }
    }
}

void cpu_part_march(const struct cpu_job *job, const struct cpu_tiling *tiling, const struct cpu_part *part)
{
    const struct cpu_grid *grid = job->grid;
    int last = part->levels - 1;
    /* The rows and columns that the part and the window have in common at any level, and the pieces that cross them. */
    struct cpu_block all = {.row_first = least(part->low, part->low + last * part->low_slope),
                            .row_last = most(part->high, part->high + last * part->high_slope),
                            .column_last = grid->padded};
    if (!cpu_window_clip(grid, &job->window, part->step + last, &all)) {
        return;
    }
    int first_piece = all.column_first / tiling->columns;
    int pieces = ceil_divide(all.column_last + last * BLOCK_COLUMNS, tiling->columns);
    int rows = most(part->high, part->high + last * (part->high_slope + grid->lag)) - part->low;
    for (int tile = 0; tile < ceil_divide(rows, tiling->rows); tile++) {
        for (int piece = first_piece; piece < pieces; piece++) {
            march_piece(job, tiling, part, tile, piece);
        }
    }
}
