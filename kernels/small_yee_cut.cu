/* Dividing a small grid of yee among the blocks of small_yee.cu, and whether a box of a walk's frame fits one. Host only. */
#include <algorithm>

#include "small_yee_shape.h"

namespace
{

/* One axis cut into `count` parts, the outer two `border` nodes wide; held: warps or rows of warps that compute. */
struct cut {
    int count, border;
    int held, held_border, zone; /* units of an inner and an outer part, and those of the latter in the zone */
};

/* Ways to cut n nodes for blocks of `units` units of `unit` nodes, halo included. */
std::vector<cut> ways_to_cut(int n, int zone, int units, int unit, int depth, int most)
{
    std::vector<cut> ways;
    int size = units * unit, in_zone = (zone + unit - 1) / unit;
    if (n <= size) {
        int held = (n + unit - 1) / unit;
        ways.push_back({1, n, held, held, std::min(held, 2 * in_zone)});
    }
    for (int count = 2; count <= most; count++) {
        for (int held = 1; held <= units; held++) {
            int border = count == 2 ? (n + 1) / 2 : std::min(held * unit - depth, n / count);
            int inner = count == 2 ? 0 : (n - 2 * border + count - 3) / (count - 2);
            int least = count == 2 ? n - border : (n - 2 * border) / (count - 2);
            if (n <= size || border < depth || border > held * unit - depth || inner > size - 2 * depth ||
                (count > 2 && least < depth)) {
                continue;
            }
            ways.push_back({count, border, (inner + 2 * depth + unit - 1) / unit, held, std::min(held, in_zone)});
        }
    }
    return ways;
}

std::vector<int> ends_of(const cut &way, int n)
{
    std::vector<int> ends = {0};
    for (int k = 1; k < way.count; k++) {
        int inner = n - 2 * way.border;
        ends.push_back(way.count == 2 ? way.border : way.border + (int)((int64_t)inner * (k - 1) / (way.count - 2)));
    }
    ends.push_back(n);
    return ends;
}

/* Issue slots of a block a step, in nodes a warp: measured weights of warps in zones (validation/performance.md). */
double block_cost(int wide, int zone_x, int high, int zone_y)
{
    return (wide - zone_x) * (high - zone_y) + 3.0 * zone_x * (high - zone_y) + 2.5 * (wide - zone_x) * zone_y +
           4.5 * zone_x * zone_y;
}

/* A warp must not begin beyond a node of a layer (its first lane would need that node's filtered difference). */
bool warps_suit(const std::vector<int> &ends, const struct problem *p, int width, int depth)
{
    for (size_t k = 0; k + 1 < ends.size(); k++) {
        int left = ends[k] == 0 ? 0 : ends[k + 1] == p->nx ? p->nx - width : ends[k] - depth;
        for (int x = left + 32; p->layer > 0 && x < std::min(ends[k + 1] + depth, p->nx); x += 32) {
            if (x > ends[k] - depth && layer_index(x - 1, p->nx, p->layer) >= 0) {
                return false;
            }
        }
    }
    return true;
}

template <typename Shape> bool cut_for(const box_request &request, int processors, box_set *set, double *cost)
{
    const struct problem *p = request.problem;
    int depth = request.depth, zone = p->layer > 0 ? p->layer + p->reach : 0;
    if (p->reach != 1 || depth < 1 || Shape::shared_bytes > request.shared_limit) {
        return false;
    }
    std::vector<int> best_x, best_y;
    for (const cut &x : ways_to_cut(p->nx, zone, Shape::wide, 32, depth, processors)) {
        std::vector<int> ends = ends_of(x, p->nx);
        if (!warps_suit(ends, p, Shape::width, depth)) {
            continue;
        }
        for (const cut &y :
             ways_to_cut(p->ny, zone, Shape::height / Shape::rows, Shape::rows, depth, processors / x.count)) {
            double most = block_cost(x.held_border, x.zone, y.held_border, y.zone);
            most = std::max(most, x.count > 2 ? block_cost(x.held, 0, y.held_border, y.zone) : 0);
            most = std::max(most, y.count > 2 ? block_cost(x.held_border, x.zone, y.held, 0) : 0);
            most = Shape::rows * std::max(most, x.count > 2 && y.count > 2 ? block_cost(x.held, 0, y.held, 0) : 0);
            if (best_x.empty() || most < *cost) {
                *cost = most;
                best_x = ends;
                best_y = ends_of(y, p->ny);
            }
        }
    }
    if (best_x.empty() || best_y.empty()) {
        return false;
    }
    *set = {};
    set->columns = (int)best_x.size() - 1;
    set->rows = (int)best_y.size() - 1;
    for (int n = 0; n < set->columns * set->rows; n++) {
        box b = {};
        b.x0 = best_x[n % set->columns];
        b.x1 = best_x[n % set->columns + 1];
        b.y0 = best_y[n / set->columns];
        b.y1 = best_y[n / set->columns + 1];
        b.near_source = 1;
        set->boxes.push_back(b);
    }
    place_probes(p, set);
    return true;
}

} // namespace

bool small_cut(const box_request &request, int processors, int variant, box_set *set, double *cost)
{
#define CUT(...) cut_for<__VA_ARGS__>(request, processors, set, cost)
    BY_SHAPE(variant, CUT)
#undef CUT
}

void small_frame_size(enum small_frame frame, int *width, int *height)
{
    static const int sizes[FRAME_KINDS][2] = {{side_shape::width, side_shape::height},
                                              {end_shape::width, end_shape::height},
                                              {patch_shape::width, patch_shape::height}};
    *width = sizes[frame][0];
    *height = sizes[frame][1];
}

bool small_frame_suits(const struct problem *p, enum small_frame frame, const box &b, int depth)
{
    int width = 0, height = 0;
    small_frame_size(frame, &width, &height);
    int left = b.x0 == 0 ? 0 : b.x1 == p->nx ? p->nx - width : b.x0 - depth, bottom = std::max(0, b.y0 - depth);
    if (left < 0 || (b.x0 > 0 && left > b.x0 - depth) || std::min(b.x1 + depth, p->nx) > left + width ||
        std::min(b.y1 + depth, p->ny) > bottom + height) {
        return false;
    }
    for (int x = left + 32; p->layer > 0 && x < std::min(b.x1 + depth, p->nx); x += 32) {
        if (x > b.x0 - depth && layer_index(x - 1, p->nx, p->layer) >= 0) {
            return false;
        }
    }
    return true;
}
