/* What happens in a block after its nodes have been advanced: rows beside metal, sources, poles of dispersive nodes,
 * probes, a sample for the spectra, images about the walls. Included by march_body.h, once per precision. */

/* Numbers of the rows beside metal in columns first..end-1 of row j. */
INLINE void CELL(metal_rows_in)(const struct cpu_grid *grid, int64_t j, int64_t first, int64_t end, int64_t found[2])
{
    const struct metal_row *rows = grid->problem->metal_rows;
    const int64_t wanted[2] = {j * grid->nx + first, j * grid->nx + end};
    for (int n = 0; n < 2; n++) {
        int64_t low = n == 0 ? grid->metal_first[j] : found[0], high = grid->metal_first[j + 1];
        while (low < high) {
            const int64_t middle = (low + high) / 2;
            if (rows[middle].place < wanted[n]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        found[n] = low;
    }
}

/* Nodes beside metal: their increment gains its row over Ez as it was, and the new Ez follows. */
static void CELL(add_metal)(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step,
                            const struct cpu_block *block)
{
    const SCALAR *weight = grid->metal_weight;
    for (int64_t j = block->row_first; j < block->row_last; j++) {
        int64_t found[2];
        if (grid->metal_first[j] == grid->metal_first[j + 1]) {
            continue;
        }
        CELL(metal_rows_in)(grid, j, block->column_first, block->column_last, found);
        for (int64_t r = found[0]; r < found[1]; r++) {
            const struct metal_row *row = &grid->problem->metal_rows[r];
            const int64_t n = j * grid->stride + row->place - j * grid->nx;
            const SCALAR *before = (const SCALAR *)run->ez[step & 1] + n;
            SCALAR v = ((SCALAR *)run->increment)[n];
            for (int64_t t = row->first; t < row->first + row->count; t++) {
                v = NODE(cell_term)(v, weight[t], before[grid->metal_apart[t]]);
            }
            ((SCALAR *)run->increment)[n] = v;
            ((SCALAR *)run->ez[(step + 1) & 1])[n] = before[0] + v;
        }
    }
}

static void CELL(drive)(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step,
                        const struct cpu_block *block)
{
    const struct source *source = run->source;
    int64_t nx = grid->nx, end = block->row_last * nx;
    for (int64_t s = lower_bound(source->node, source->count, block->row_first * nx);
         s < source->count && source->node[s] < end; s++) {
        int64_t i = source->node[s] % nx, n = source->node[s] / nx * grid->stride + i;
        if (i >= block->column_first && i < block->column_last) {
            SCALAR *v = (SCALAR *)run->increment + n, *e = (SCALAR *)run->ez[(step + 1) & 1] + n;
            NODE(cell_source)((SCALAR)source->weight[s], (SCALAR)source->drive[step], source->hard, v, e);
            for (int64_t r = 0; r < source->further; r++) {
                NODE(cell_source)
                ((SCALAR)source->further_weight[r * source->count + s],
                 (SCALAR)source->further_drive[r * grid->problem->steps + step], false, v, e);
            }
        }
    }
}

#include "backend/cpu/poles/pole_lanes.h"

static void CELL(add_poles)(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step,
                            const struct cpu_block *block)
{
    int64_t blocks = grid->padded / BLOCK_COLUMNS;
    for (int64_t j = block->row_first; j < block->row_last; j++) {
        CELL(answer_groups)
        (&grid->poles, j * blocks + block->column_first / BLOCK_COLUMNS,
         j * blocks + block->column_last / BLOCK_COLUMNS, (SCALAR *)run->increment + j * grid->stride,
         (SCALAR *)run->ez[(step + 1) & 1] + j * grid->stride, run->poles);
    }
}

INLINE SCALAR *CELL(sample_at)(const struct cpu_grid *grid, const struct cpu_run *run, int slot, int64_t place)
{
    return (SCALAR *)run->samples + cpu_sample_index(grid, slot, place);
}

/* A sample on a lattice with a node in every column: whole blocks, past the caches since they are read much later. */
static void CELL(take_all)(const struct cpu_grid *grid, const struct cpu_run *run, int slot,
                           const struct cpu_block *block, const SCALAR *after)
{
    const struct spectra *spectra = &grid->problem->spectra;
    int origin = spectra->x0 - grid->lattice_shift, end = origin + grid->patch_columns * BLOCK_COLUMNS;
    int left = block->column_first > origin ? block->column_first : origin;
    int right = block->column_last < end ? block->column_last : end;
    int row_first = block->row_first > spectra->y0 ? block->row_first - spectra->y0 : 0;
    int row_last = block->row_last - spectra->y0 < spectra->rows ? block->row_last - spectra->y0 : spectra->rows;
    for (int i = left; i < right; i += BLOCK_COLUMNS) {
        const SCALAR *from = after + spectra->y0 * grid->stride + i;
        for (int row = row_first; row < row_last;) {
            int last = (row / PATCH_ROWS + 1) * PATCH_ROWS < row_last ? (row / PATCH_ROWS + 1) * PATCH_ROWS : row_last;
            int64_t place = cpu_lattice_place(grid, row, i - spectra->x0);
            if (place < 0) {
                row = last;
                continue;
            }
            SCALAR *to = CELL(sample_at)(grid, run, slot, place);
            for (; row < last; row++, to += BLOCK_COLUMNS) {
                for (int k = 0; k < BLOCK_COLUMNS; k += LANES) {
                    CELL(stream)(to + k, CELL(load)(from + row * grid->stride + k));
                }
            }
        }
    }
}

/* A sample on a lattice with a node in every few columns. */
static void CELL(take_some)(const struct cpu_grid *grid, const struct cpu_run *run, int slot,
                            const struct cpu_block *block, const SCALAR *after)
{
    const struct spectra *spectra = &grid->problem->spectra;
    int spacing = spectra->spacing, x0 = spectra->x0, y0 = spectra->y0;
    int row = block->row_first > y0 ? (block->row_first - y0 + spacing - 1) / spacing : 0;
    int first = block->column_first > x0 ? (block->column_first - x0 + spacing - 1) / spacing : 0;
    int last = block->column_last > x0 ? (block->column_last - x0 + spacing - 1) / spacing : 0;
    last = last < spectra->columns ? last : spectra->columns;
    for (; row < spectra->rows && y0 + row * spacing < block->row_last; row++) {
        const SCALAR *from = after + (y0 + row * spacing) * grid->stride + x0;
        for (int c = first; c < last; c++) {
            const int64_t place = cpu_lattice_place(grid, row, c);
            if (place >= 0) {
                *CELL(sample_at)(grid, run, slot, place) = from[c * spacing];
            }
        }
    }
}

static void CELL(record)(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step, int slot,
                         const struct cpu_block *block)
{
    const struct problem *problem = grid->problem;
    const SCALAR *after = run->ez[(step + 1) & 1];
    int64_t nx = grid->nx, end = block->row_last * nx;
    SCALAR *recorded = (SCALAR *)run->probes + step % grid->probe_slots * problem->probe_count;
    for (int64_t p = lower_bound(grid->probe_node, problem->probe_count, block->row_first * nx);
         p < problem->probe_count && grid->probe_node[p] < end; p++) {
        int64_t i = grid->probe_node[p] % nx, j = grid->probe_node[p] / nx;
        if (i >= block->column_first && i < block->column_last) {
            recorded[grid->probe_place[p]] = after[j * grid->stride + i];
        }
    }
    if (slot >= 0 && problem->spectra.spacing == 1) {
        CELL(take_all)(grid, run, slot, block, after);
    } else if (slot >= 0) {
        CELL(take_some)(grid, run, slot, block, after);
    }
}

/* Image of Ez at node i of an axis: the node and the sign; sign 0 on the walls where Ez is zero. */
static int CELL(image)(int i, const struct axis *axis, SCALAR *sign)
{
    struct image image = image_of(i, axis->count, false, axis->low.symmetric);
    *sign = (SCALAR)image.sign;
    return image.place;
}

/* Ghosts of the new level whose originals the block holds: at the right wall with the last block, else as they come. */
static void CELL(mirror)(const struct cpu_grid *grid, const struct cpu_run *run, int64_t step,
                         const struct cpu_block *block)
{
    SCALAR *after = run->ez[(step + 1) & 1], sign;
    const struct axis *x = &grid->problem->axis[0], *y = &grid->problem->axis[1];
    bool right = block->column_last == grid->padded;
    for (int g = 1; block->column_first <= grid->lag && g <= grid->lag; g++) {
        int west = CELL(image)(-g, x, &sign);
        if (west >= block->column_first && west < block->column_last) {
            for (int j = block->row_first; j < block->row_last; j++) {
                after[j * grid->stride - g] = sign == 0 ? 0 : sign * after[j * grid->stride + west];
            }
        }
    }
    for (int g = 0; right && g <= grid->lag; g++) {
        int east = CELL(image)(grid->nx + g, x, &sign);
        for (int j = block->row_first; j < block->row_last; j++) {
            SCALAR *line = after + j * grid->stride;
            line[grid->nx + g] = sign == 0 ? 0 : sign * line[east];
        }
    }
    if (block->row_first > grid->lag && block->row_last < grid->ny - grid->lag) {
        return;
    }
    for (int g = -grid->lag; g <= grid->ny + grid->lag; g = g == -1 ? grid->ny : g + 1) {
        int j = CELL(image)(g, y, &sign);
        if (sign != 0 && j >= block->row_first && j < block->row_last) {
            for (int i = block->column_first; i < block->column_last; i++) {
                after[g * grid->stride + i] = sign * after[j * grid->stride + i];
            }
        }
    }
}
