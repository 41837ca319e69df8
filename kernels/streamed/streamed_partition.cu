/* Dividing a grid among the blocks of streamed.cu: the partition whose busiest block is least busy by a model, among
 * those whose blocks fit the shared memory. Host only. Leaves out: the ways to divide an axis (axis_partition.cu), and
 * what a block does. */
#include <algorithm>
#include <cmath>

#include "kernels/streamed/streamed.h"
#include "kernels/wide/axis_partition.h"

namespace
{

/* Cycles of a step of so many patches. */
double patches_cost(int patches)
{
    int rounds = (patches + STREAMED_THREADS - 1) / STREAMED_THREADS;
    return STREAMED_ROUND_CYCLES * rounds + 0.01 * STREAMED_PATCHES_CYCLES * patches;
}

/* Whether a block can hold a tile; *cost: of its step, in cycles by a model (validation/performance.md). */
template <typename Shape> bool block_suits(const wide_axis &x, const wide_axis &y, size_t limit, double *cost)
{
    streamed_layout l = lay_out_streamed<Shape>(x, y, limit);
    *cost = patches_cost(l.patches) + (l.filters > 0 ? STREAMED_REGION_CYCLES : 0) +
            0.01 * STREAMED_FILTERED_CYCLES * l.filters;
    return x.filtered() <= Shape::zone_quads && l.rounds <= Shape::rounds &&
           l.filters <= Shape::filter_rounds * Shape::threads && l.fits;
}

/* Patches along the axis of the largest part. */
int largest(const axis_partition &way)
{
    int most = 0;
    for (const wide_axis &part : way.kinds) {
        most = std::max(most, part.size);
    }
    return most;
}

/* The same for all blocks of a lattice, each for less than `least`: the most. */
template <typename Shape>
bool lattice_suits(const axis_partition &x, const axis_partition &y, size_t limit, double least, double *cost)
{
    *cost = 0;
    for (const wide_axis &a : x.kinds) {
        for (const wide_axis &b : y.kinds) {
            double own = 0;
            if (!block_suits<Shape>(a, b, limit, &own) || own >= least) {
                return false;
            }
            *cost = std::max(*cost, own);
        }
    }
    return true;
}

template <typename Shape>
lattice_choice best_lattice(const struct problem *p, const lattice_question &asked, int border,
                            const int least_parts[2])
{
    const int nx = p->axis[0].count, ny = p->axis[1].count, end = std::max(border, (int)STREAMED_LEAST);
    std::vector<axis_partition> across =
        axis_partitions(p, nx, 4, Shape::width, STREAMED_LEAST, end, asked.processors / least_parts[1]);
    std::vector<axis_partition> along =
        axis_partitions(p, ny, PATCH_ROWS, Shape::height, STREAMED_LEAST, end, asked.processors / least_parts[0]);
    const axis_partition *best_x = NULL, *best_y = NULL;
    double least = HUGE_VAL;
    for (const axis_partition &x : across) {
        for (const axis_partition &y : along) {
            double cost = 0;
            if (x.count() * y.count() <= asked.processors && (asked.region == 0 || (x.count() > 1 && y.count() > 1)) &&
                patches_cost(largest(x) * largest(y)) < least &&
                lattice_suits<Shape>(x, y, asked.shared_limit, least, &cost)) {
                least = cost;
                best_x = &x;
                best_y = &y;
            }
        }
    }
    lattice_choice choice = {asked, best_x != NULL, {}, {}};
    if (best_x != NULL && best_y != NULL) {
        choice.x = *best_x;
        choice.y = *best_y;
    }
    return choice;
}

template <typename Shape> bool partition_of(const box_request &request, int processors, box_set *set)
{
    static thread_local lattice_choice last = {};
    const struct problem *p = request.problem;
    const lattice_question asked = lattice_asked(request, processors);
    const int nx = p->axis[0].count, ny = p->axis[1].count;
    /* A part at a wall has its absorber region and the half nodes there, and with its halo everything that these reach;
     * its filtered differences have room for one wall an axis. */
    int border = asked.region > 0 ? asked.region + std::max(p->reach, 2 * p->reach - 1 - p->laplacian_taps) : 0;
    const int least[2] = {(nx + Shape::width - 1) / Shape::width, (ny + Shape::height - 1) / Shape::height};
    if (std::min(nx, ny) < 2 * std::max(border, (int)STREAMED_LEAST) || least[0] * least[1] > processors) {
        return false;
    }
    if (!(last.asked == asked)) {
        last = best_lattice<Shape>(p, asked, border, least);
    }
    if (last.found) {
        place_lattice(p, last.x, last.y, set);
    }
    return last.found;
}

} // namespace

bool streamed_partition(const box_request &request, int processors, box_set *set)
{
    const struct problem *p = request.problem;
#define PARTITION(REACH, TAPS)                                                                                         \
    if (p->reach == REACH && p->laplacian_taps == TAPS) {                                                              \
        return partition_of<streamed_shape<REACH, TAPS>>(request, processors, set);                                    \
    }
    WIDE_STENCILS(PARTITION)
#undef PARTITION
    return false;
}
