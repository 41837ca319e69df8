/* How the CPU solvers share a run between threads. Steps are taken in slabs of several levels, and the rows are cut
 * into bands. In a slab every band is first marched by itself, a row range that narrows by `lag` at each level on every
 * side where there is a neighbour: a wedge. What is left open between two bands widens in the same measure, and is
 * filled once both are done:
 *
 *     level  3   /~~~~~~\ fill /~~~~~~\ fill /~~~~~~~
 *            2  / wedge  \    / wedge  \    /
 *            1 /          \  /          \  /
 *            0 ~~~~~~~~~~~~\/~~~~~~~~~~~~\/~~~~~~~~~~
 *
 * So no wedge waits for another of its slab, and threads meet only at the borders of bands: a fill waits for its two
 * wedges, a wedge of the next slab for the two fills beside it. Parts are taken in that order by whatever thread is
 * free. */
#include "backend/cpu/cpu_schedule.h"

#include "base/patience.h"

#include <omp.h>
#include <stdatomic.h>

struct schedule {
    const struct cpu_job *job;
    int64_t slabs;
    int bands;
    int *border;       /* (bands + 1), owned: rows between bands, the walls first and last */
    atomic_char *done; /* (slabs, parts), owned: which parts are done; in a slab the wedges, then the fills */
};

/* Rows from a wall that no border's wedge or fill may enter: the y region with the rows that its gradients read, and
 * the originals of images. */
static int wall_rows(const struct cpu_grid *grid)
{
    return grid->region + 2 * grid->problem->reach + grid->lag;
}

/* Rows by which a side of a wedge moves in a slab. */
static int side_rows(const struct cpu_grid *grid, int levels)
{
    return (levels - 1) * grid->lag;
}

int cpu_schedule_bands(const struct cpu_grid *grid, int rows, int levels)
{
    int side = side_rows(grid, levels), outer = side + wall_rows(grid), inner = 2 * side + grid->lag;
    return rows < 2 * outer ? 1 : 2 + (rows - 2 * outer) / inner;
}

/* Borders between the rows the wave may have reached by the end, so that all wedges have as many nodes: the outer two
 * have but one side. */
static void cut_bands(struct schedule *schedule, const struct cpu_tiling *tiling, int levels)
{
    const struct cpu_job *job = schedule->job;
    const struct cpu_grid *grid = job->grid;
    struct cpu_block all = {.row_last = grid->ny, .column_last = grid->padded};
    (void)cpu_window_clip(grid, &job->window, job->step + job->steps - 1, &all);
    int rows = all.row_last - all.row_first, bands = cpu_schedule_bands(grid, rows, levels);
    bands = bands < tiling->bands ? bands : tiling->bands;
    int side = side_rows(grid, levels), outer = side + wall_rows(grid);
    int half = side / 2, inner = (rows + 2 * half) / bands; /* of the wedges' rows in the mean of the levels */
    int first = inner - half > outer ? inner - half : outer, room = rows - (bands - 2) * (2 * side + grid->lag);
    first = 2 * first < room ? first : room / 2;
    schedule->bands = bands;
    schedule->border[0] = 0;
    schedule->border[bands] = grid->ny;
    for (int b = 1; b < bands; b++) {
        int between = bands > 2 ? (int)((int64_t)(b - 1) * (rows - 2 * first) / (bands - 2)) : 0;
        schedule->border[b] = all.row_first + (bands > 2 ? first + between : rows / 2);
    }
}

static void wait_for(const struct schedule *schedule, int64_t slab, int part)
{
    const atomic_char *done = &schedule->done[slab * (2 * schedule->bands - 1) + part];
    for (int look = 0; atomic_load_explicit(done, memory_order_acquire) == 0; look++) {
        patience_wait(look);
    }
}

static void wait_for_neighbours(const struct schedule *schedule, int64_t slab, int part)
{
    int bands = schedule->bands;
    if (part >= bands) { /* the fill between two wedges */
        wait_for(schedule, slab, part - bands);
        wait_for(schedule, slab, part - bands + 1);
    } else if (slab > 0 && bands == 1) {
        wait_for(schedule, slab - 1, 0);
    } else if (slab > 0) {
        wait_for(schedule, slab - 1, part > 0 ? bands + part - 1 : bands);
        wait_for(schedule, slab - 1, part < bands - 1 ? bands + part : 2 * bands - 2);
    }
}

static void march_part(const struct schedule *schedule, const struct cpu_tiling *tiling, int64_t slab, int part)
{
    const struct cpu_job *job = schedule->job;
    int bands = schedule->bands, lag = job->grid->lag;
    int64_t first = job->steps * slab / schedule->slabs, last = job->steps * (slab + 1) / schedule->slabs;
    struct cpu_part march = {.step = job->step + first, .levels = (int)(last - first)};
    if (part < bands) {
        march.low = schedule->border[part];
        march.high = schedule->border[part + 1];
        march.low_slope = part > 0 ? lag : 0;
        march.high_slope = part < bands - 1 ? -lag : 0;
    } else {
        march.low = march.high = schedule->border[part - bands + 1];
        march.low_slope = -lag;
        march.high_slope = lag;
    }
    cpu_part_march(job, tiling, &march);
}

/* Whoever waits does so for a part that a thread already works on. */
static void march_all(const struct schedule *schedule, const struct cpu_tiling *tiling)
{
    int parts = 2 * schedule->bands - 1;
    atomic_llong next = 0;
    int threads = schedule->bands < tiling->threads ? schedule->bands : tiling->threads;
#pragma omp parallel num_threads(threads)
    {
        for (int64_t k = atomic_fetch_add(&next, 1); k < schedule->slabs * parts; k = atomic_fetch_add(&next, 1)) {
            wait_for_neighbours(schedule, k / parts, (int)(k % parts));
            march_part(schedule, tiling, k / parts, (int)(k % parts));
#ifdef __x86_64__
            __builtin_ia32_sfence(); /* samples are stored past the caches */
#endif
            atomic_store_explicit(&schedule->done[k], 1, memory_order_release);
        }
    }
}

pw_status cpu_schedule_advance(const struct cpu_job *job, const struct cpu_tiling *tiling, pw_error *error)
{
    struct schedule schedule = {.job = job, .slabs = (job->steps + tiling->levels - 1) / tiling->levels};
    if (job->steps == 0) {
        return PW_OK;
    }
    size_t parts = (size_t)schedule.slabs * (2 * (size_t)tiling->bands - 1);
    schedule.border = allocate((size_t)tiling->bands + 1, sizeof *schedule.border, "the list of bands", error);
    schedule.done = allocate(parts, sizeof *schedule.done, "the list of parts", error);
    pw_status status = schedule.border == NULL || schedule.done == NULL ? PW_NO_RESOURCE : PW_OK;
    if (status == PW_OK) {
        cut_bands(&schedule, tiling, (int)((job->steps + schedule.slabs - 1) / schedule.slabs));
        march_all(&schedule, tiling);
    }
    FREE_ALL(schedule.border, schedule.done);
    return status;
}
