/* How a pass of several steps is divided among blocks: tiles of columns, slabs of levels. */
#include <algorithm>
#include <functional>
#include <queue>

#include "kernels/tuning.h"
#include "kernels/volume/sweep/sweep_filters.h"

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

/* The tiles of a strip of columns from x on, between two levels, along y: the walls of which axes are in a tile decides
 * how many rows it has. */
void add_tiles(const device_volume<float> &v, int steps, sweep_task strip, std::vector<sweep_task> *tasks)
{
    const int first = std::max(strip.z0 - steps, 0), levels = strip.z1 + 2 * steps - first, inner = strip.walls,
              n = v.n[1];
    for (int done = 0; done < n;) {
        sweep_task task = strip;
        task.y = std::max(done - steps, 0);
        task.rows = std::min(sweep_rows(steps, inner), n - task.y);
        if (at_wall(v, 1, task.y, task.y + task.rows)) {
            task.walls = inner >= 4 ? 7 : inner | 2;
            task.rows = std::min(sweep_rows(steps, task.walls), n - task.y);
        }
        while (sweep_bytes(v, task, steps, levels) > SWEEP_SHARED) { /* deep layers */
            task.rows = (task.rows - 1) / 2 * 2;
        }
        task.y0 = done;
        task.y1 = done = task.y + task.rows == n ? n : task.y + task.rows - steps;
        tasks->push_back(task);
    }
}

/* The levels at a wall or in its layer apart from the others, which are so many slabs. */
std::vector<int> cuts_of(const device_volume<float> &v, int steps, int slabs)
{
    const int low = std::max(v.low[2], 1) + steps, inner = v.n[2] - low - std::max(v.high[2], 1) - steps;
    std::vector<int> cuts = {0};
    for (int s = 0; s <= slabs && inner > 0; s++) {
        cuts.push_back(low + (int)((int64_t)inner * s / slabs));
    }
    cuts.push_back(v.n[2]);
    return cuts;
}

/* How long it takes: a slab begins with levels that only its march needs. */
int64_t length_of(const sweep_task &task, int steps)
{
    static const int LEVEL[8] = SWEEP_LEVEL_NS;
    return (int64_t)(task.z1 + steps + 2 - std::max(task.z0 - steps, 0)) * LEVEL[task.walls];
}

std::vector<sweep_task> tasks_of(const device_volume<float> &v, int steps, int slabs)
{
    const std::vector<sweep_span> across = spans_of(v.n[0], WIDTH, CELLS);
    const std::vector<int> cuts = cuts_of(v, steps, slabs);
    std::vector<sweep_task> tasks;
    for (size_t cut = 0; cut + 1 < cuts.size(); cut++) {
        const bool bottom_or_top = at_wall(v, 2, std::max(cuts[cut] - steps, 0), cuts[cut + 1] + steps);
        for (const sweep_span &x : across) {
            const int walls = (bottom_or_top ? 4 : 0) | (at_wall(v, 0, x.begin, x.begin + WIDTH) ? 1 : 0);
            add_tiles(v, steps, {x.begin, 0, x.own_begin, x.own_end, 0, 0, cuts[cut], cuts[cut + 1], 0, walls}, &tasks);
        }
    }
    std::stable_sort(tasks.begin(), tasks.end(), [steps](const sweep_task &a, const sweep_task &b) {
        return sweep_kind(a) != sweep_kind(b) ? sweep_kind(a) < sweep_kind(b)
                                              : length_of(a, steps) > length_of(b, steps);
    });
    return tasks;
}

/* When the last multiprocessor is done with tasks that each take the next of as soon as they are free. */
int64_t end_of(const std::vector<sweep_task> &tasks, int steps, int processors)
{
    std::priority_queue<int64_t, std::vector<int64_t>, std::greater<int64_t>> free;
    int64_t last = 0;
    for (const sweep_task &task : tasks) {
        int64_t begin = 0;
        if ((int)free.size() == processors) {
            begin = free.top();
            free.pop();
        }
        free.push(begin + length_of(task, steps));
        last = std::max(last, begin + length_of(task, steps));
    }
    return last;
}

} // namespace

bool sweep_divides(int layer)
{
    return 2 * layer + 5 * SWEEP_STEPS <= LEVELS;
}

std::vector<sweep_task> sweep_tasks(const device_volume<float> &v, int steps)
{
    const int inner = v.n[2] - std::max(v.low[2], 1) - std::max(v.high[2], 1) - 2 * steps,
              fewest = std::max(inner, 0) / (LEVELS - 4 * steps) + 1;
    std::vector<sweep_task> best;
    for (int slabs = fewest; slabs <= fewest + 16 && (slabs == fewest || inner / slabs >= 2 * steps); slabs++) {
        std::vector<sweep_task> own = tasks_of(v, steps, slabs);
        if (best.empty() || end_of(own, steps, v.processors) < end_of(best, steps, v.processors)) {
            best.swap(own);
        }
    }
    return best;
}
