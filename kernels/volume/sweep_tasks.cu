/* How a pass of several steps is divided among blocks: tiles of columns, slabs of levels. */
#include <algorithm>
#include <cmath>

#include "kernels/volume/sweep_parts.h"

namespace
{

/* Where the tiles of an axis begin and what they own: all but a margin, which ends at the walls. */
struct sweep_span {
    int begin, own_begin, own_end;
};

std::vector<sweep_span> spans_of(int n, int size, int margin)
{
    std::vector<sweep_span> spans;
    for (int begin = 0;; begin += size - 2 * margin) {
        const bool last = begin + size >= n;
        spans.push_back({begin, begin == 0 ? 0 : begin + margin, last ? n : begin + size - margin});
        if (last) {
            return spans;
        }
    }
}

bool at_wall(const device_volume<float> &v, int axis, int begin, int end)
{
    return begin < std::max(v.low[axis], 1) || end > v.n[axis] - std::max(v.high[axis], 1);
}

int walls_of(const device_volume<float> &v, const sweep_task &task, int steps)
{
    return (at_wall(v, 0, task.x, task.x + WIDTH) ? 1 : 0) | (at_wall(v, 1, task.y, task.y + ROWS) ? 2 : 0) |
           (at_wall(v, 2, std::max(task.z0 - steps, 0), task.z1 + steps) ? 4 : 0);
}

/* The levels at a wall or in its layer apart from the others; of these so many slabs that the multiprocessors end
 * together; each costs levels that are computed twice. */
std::vector<int> cuts_of(const device_volume<float> &v, int steps, size_t columns)
{
    const int low = std::max(v.low[2], 1) + steps, high = std::max(v.high[2], 1) + steps, inner = v.n[2] - low - high;
    if (inner <= 0) {
        return {0, v.n[2]};
    }
    const int fewest = inner / (LEVELS - 4 * steps) + 1, most = std::max(inner / 16, fewest);
    int slabs = fewest;
    double least = HUGE_VAL;
    for (int some = fewest; some <= most; some++) {
        const double rounds = std::ceil((double)columns * some / v.processors);
        const double cost = rounds * (std::ceil((double)inner / some) + 2 * steps + 3);
        slabs = cost < least ? some : slabs;
        least = std::min(cost, least);
    }
    std::vector<int> cuts = {0};
    for (int s = 0; s <= slabs; s++) {
        cuts.push_back(low + (int)((int64_t)inner * s / slabs));
    }
    cuts.push_back(v.n[2]);
    return cuts;
}

/* How long it takes, compared with others. */
int length_of(const sweep_task &task)
{
    return (task.walls == 0 ? 2 : task.walls < 3 || task.walls == 4 ? 3 : 4) * (task.z1 - task.z0);
}

} // namespace

bool sweep_divides(int layer)
{
    return 2 * layer + 5 * SWEEP_STEPS <= LEVELS;
}

std::vector<sweep_task> sweep_tasks(const device_volume<float> &v, int steps)
{
    const std::vector<sweep_span> across = spans_of(v.n[0], WIDTH, CELLS), along = spans_of(v.n[1], ROWS, steps);
    const std::vector<int> cuts = cuts_of(v, steps, across.size() * along.size());
    std::vector<sweep_task> tasks;
    for (size_t cut = 0; cut + 1 < cuts.size(); cut++) {
        for (const sweep_span &y : along) {
            for (const sweep_span &x : across) {
                sweep_task task = {x.begin,   y.begin,   x.own_begin,   x.own_end, y.own_begin,
                                   y.own_end, cuts[cut], cuts[cut + 1], 0};
                task.walls = walls_of(v, task, steps);
                tasks.push_back(task);
            }
        }
    }
    std::stable_sort(tasks.begin(), tasks.end(),
                     [](const sweep_task &a, const sweep_task &b) { return length_of(a) > length_of(b); });
    return tasks;
}
