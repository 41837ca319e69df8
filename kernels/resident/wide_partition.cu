/* Dividing a grid among the blocks of wide_resident.cu: the partition whose busiest block is least busy by a model.
 * Host only. Leaves out: the ways to divide an axis (axis_partition.cu), and what a block does. */
#include <algorithm>
#include <cmath>

#include "kernels/resident/wide_resident.h"
#include "kernels/wide/axis_partition.h"
#include "kernels/wide/wide_stencils.h"

namespace
{

/* Cycles of a block's step, by a model of its accesses to shared memory (16 bytes a thread) and of the time that the
 * filters make other warps wait. Fitted to blocks of dd4 that run without waiting for their neighbours
 * (validation/performance.md). -1: the block would need more threads than it has. */
double block_cost(const wide_axis &x, const wide_axis &y, int reach, int taps, int warps)
{
    warp_roles r = assign_warp_roles(x, y, warps);
    if (r.owners + r.in_x + r.in_y > warps) {
        return -1;
    }
    int cross = 2 * taps + PATCH_ROWS * 2 * ((taps + 3) / 4) + 4, line = 2 * taps + 8;
    double accesses = ((r.patches[ACROSS] + r.patches[OUTSIDE]) * cross + r.patches[INSIDE] * line) / 32.0 +
                      (r.in_x + r.in_y) * (4.0 * reach + 8);
    return 1500 + 5.5 * accesses + (r.in_x + r.in_y > 0 ? 1500 : 0) + (r.in_x > 0 && r.in_y > 0 ? 1100 : 0);
}

/* Cost of the busiest block, or of one that costs as much as `limit`; -1 when some block would need too many threads.
 */
double busiest_cost(const axis_partition &x, const axis_partition &y, const struct problem *p, double limit)
{
    const int warps = wide_tile::warps;
    double most = 0;
    for (const wide_axis &a : x.kinds) {
        for (const wide_axis &b : y.kinds) {
            double cost = block_cost(a, b, p->reach, p->laplacian_taps, warps);
            if (cost < 0) {
                return -1;
            }
            most = std::max(most, cost);
            if (most >= limit) {
                return most;
            }
        }
    }
    return most;
}

lattice_choice best_lattice(const struct problem *p, const lattice_question &asked)
{
    typedef wide_tile Shape;
    /* A part at a wall has its absorber region and the half nodes there, and with its halo everything that these reach.
     */
    int border = asked.region > 0 ? asked.region + std::max(p->reach, 2 * p->reach - 1 - p->laplacian_taps) : 0;
    const axis_partition *best_x = NULL, *best_y = NULL;
    double least = HUGE_VAL;
    std::vector<axis_partition> across =
        axis_partitions(p, p->axis[0].count, 4, Shape::width, MARGIN_X, std::max(border, MARGIN_X), asked.processors);
    std::vector<axis_partition> along = axis_partitions(p, p->axis[1].count, PATCH_ROWS, Shape::height, MARGIN_Y,
                                                        std::max(border, MARGIN_Y), asked.processors);
    for (const axis_partition &x : across) {
        for (const axis_partition &y : along) {
            if (x.count() * y.count() > asked.processors) {
                continue;
            }
            double most = busiest_cost(x, y, p, least);
            if (most >= 0 && most < least) {
                least = most;
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

} // namespace

bool wide_resident_partition(const box_request &request, int processors, box_set *set)
{
    static thread_local lattice_choice last = {};
    const struct problem *p = request.problem;
    if (!wide_stencil_is_compiled(p) || wide_tile::shared_bytes > request.shared_limit ||
        std::min(p->axis[0].count, p->axis[1].count) < 2 * MARGIN_X) {
        return false;
    }
    const lattice_question asked = lattice_asked(request, processors);
    if (!(last.asked == asked)) {
        last = best_lattice(p, asked);
    }
    if (last.found) {
        place_lattice(p, last.x, last.y, set);
    }
    return last.found;
}

size_t wide_resident_words(int blocks)
{
    return blocks * wide_tile::global_bytes / sizeof(unsigned);
}
