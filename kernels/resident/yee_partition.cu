/* Dividing a grid of yee among the blocks of yee_resident.cu: the partition whose busiest scheduler is least busy. The
 * grid is divided into columns of tiles, and every column by itself; tiles at the walls of x are upright or transposed:
 *
 *      upright: lanes along x everywhere          transposed: lanes along y (T) beside the walls of x
 *      +------+--------+--------+------+          +---+--------+--------+---+
 *      |      |        |        |      |          |   |        |        |   |
 *      +------+        |        +------+          | T +--------+--------+ T |
 *      |      +--------+--------+      |          |   |        |        |   |
 *      +------+        |        +------+          +---+        |        +---+
 *      |      |        |        |      |          | T +--------+--------+ T |
 *      +------+--------+--------+------+          +---+--------+--------+---+
 *
 * Host only. Leaves out: the division of a tile among warps (yee_tile.h). */
#include <algorithm>

#include "kernels/resident/yee_resident.h"
#include "kernels/resident/yee_tile.h"

namespace
{

/* An axis along the lanes in parts: where they end, and box.kind of each. */
struct lane_partition {
    std::vector<int> ends, kinds;
};

/* An axis along the stack in parts: where they end. */
typedef std::vector<int> stack_partition;

/* Issue slots of a warp's step, counted from the machine code. */
double warp_cost(int kind, bool in_region, int rows)
{
    bool wall = (kind & TILE_WALL) != 0, single = (kind & TILE_SINGLE) != 0;
    return 80 + rows * (single ? (in_region ? 45 : 35) : wall ? (in_region ? 90 : 60) : in_region ? 45 : 18);
}

/* Issue slots of the busiest scheduler of a tile; warps are dealt to the schedulers in turn. Negative when the tile is
 * impossible: it would have more warps than a block has, or would end inside the grid with a warp that is not full. */
double tile_cost(int kind, int s0, int s1, int n, int region)
{
    tile_stack stack = make_stack(kind, s0, s1, n, region);
    int last = stack.warps() - 1;
    if (last >= TILE_WARPS || (s1 < n && stack.start(last) + stack.rows_of(last) != stack.size)) {
        return -1;
    }
    double busy[4] = {0, 0, 0, 0};
    for (int warp = 0; warp <= last; warp++) {
        busy[warp % 4] += warp_cost(kind, stack.in_region(warp), stack.rows_of(warp));
    }
    return *std::max_element(busy, busy + 4);
}

/* Adds `count` parts of odd widths, `nodes` nodes in all; false when they would be too wide or too narrow. */
bool add_parts(lane_partition *parts, int count, int nodes, int kind)
{
    if (count == 0 || nodes < 3 * count || nodes > (tile_width(kind) - 1) * count || (nodes - count) % 2 != 0) {
        return count == 0 && nodes == 0;
    }
    int pairs = (nodes - count) / 2;
    for (int k = 0; k < count; k++) {
        parts->ends.push_back(parts->ends.back() + 1 + 2 * (pairs / count + (k < pairs % count ? 1 : 0)));
        parts->kinds.push_back(kind);
    }
    return true;
}

/* Divides n nodes along the lanes into as few parts as possible. Parts beside walls hold the whole absorber region
 * there. Where a lane has two nodes, all parts but the last have odd widths, so that a neighbour's node comes to the
 * first node of a lane (yee_tile.h). */
bool partition_lanes(int n, int region, lane_partition *parts)
{
    int least = region > 0 ? region + 1 : 3; /* nodes beside another tile lie in no absorber region */
    int wall = least <= tile_width(TILE_SINGLE) ? TILE_WALL | TILE_SINGLE : TILE_WALL, other = region > 0 ? wall : 0;
    if (n <= tile_width(wall) || (n <= tile_width(TILE_WALL) && n < 2 * least)) {
        *parts = {{0, n}, {n <= tile_width(wall) ? wall : TILE_WALL}};
        return true;
    }
    int most = std::min(tile_width(wall), n - least), most_high = std::min(tile_width(other), n - least),
        step = (wall & TILE_SINGLE) != 0 ? 1 : 2;
    for (int count = 0; n >= 2 * least && count <= n / 3; count++) {
        if (n - most - most_high > (tile_width(0) - 1) * count) {
            continue;
        }
        for (int low = step == 2 ? (most - 1) | 1 : most; low >= least; low -= step) {
            for (int high = std::min(most_high, n - low); high >= least; high--) {
                *parts = {{0, low}, {wall}};
                if (low <= most && add_parts(parts, count, n - low - high, 0)) {
                    parts->ends.push_back(n);
                    parts->kinds.push_back(other);
                    return true;
                }
            }
        }
    }
    return false;
}

/* Divides n nodes along the stack into `count` parts, for tiles of one kind. Parts end with whole warps, have a warp
 * for each end, and at the walls hold the absorber regions. */
bool partition_stack(int n, int region, int count, int kind, stack_partition *parts, double *cost)
{
    int in_region = (region + REGION_ROWS - 1) / REGION_ROWS * REGION_ROWS;
    bool found = false;
    auto consider = [&](const stack_partition &ends) {
        double most = 0;
        for (size_t k = 0; k + 1 < ends.size(); k++) {
            double busy = tile_cost(kind, ends[k], ends[k + 1], n, region);
            if (busy < 0) {
                return;
            }
            most = std::max(most, busy);
        }
        if (!found || most < *cost) {
            found = true;
            *cost = most;
            *parts = ends;
        }
    };
    if (count == 1) {
        consider({0, n});
        return found;
    }
    for (int inner = 2 * STACK_ROWS; inner <= (count > 2 ? TILE_HEIGHT : 2 * STACK_ROWS); inner += REGION_ROWS) {
        for (int low = in_region > 0 ? in_region : 2 * REGION_ROWS; low <= TILE_HEIGHT; low += REGION_ROWS) {
            int left = n - low - (count - 2) * inner;
            if (left < std::max(region, 1) || left > TILE_HEIGHT) {
                continue;
            }
            stack_partition ends = {0, low};
            for (int k = 2; k < count; k++) {
                ends.push_back(ends.back() + inner);
            }
            ends.push_back(n);
            consider(ends);
        }
    }
    return found;
}

/* A grid in columns of tiles, each divided by itself. */
struct tiling {
    std::vector<int> x; /* where the columns end */
    std::vector<std::vector<int>> y, kinds;
    double cost;

    void add(int end, const std::vector<int> &ends, const std::vector<int> &kind)
    {
        x.push_back(end);
        y.push_back(ends);
        kinds.push_back(kind);
    }
};

/* The best partition with all lanes along x; columns beside walls are divided otherwise than the others. */
bool partition_upright(const struct problem *p, int region, int processors, tiling *best)
{
    lane_partition across;
    if (!partition_lanes(p->axis[0].count, region, &across)) {
        return false;
    }
    int columns = (int)across.kinds.size(), plain = (int)std::count(across.kinds.begin(), across.kinds.end(), 0),
        beside = columns - plain;
    bool found = false;
    for (int few = 1; few <= processors && few <= p->axis[1].count;
         few++) { /* tiles in a column that is not beside a wall */
        stack_partition plain_ends;
        double plain_cost = 0;
        if (plain * few > processors ||
            (plain > 0 && !partition_stack(p->axis[1].count, region, few, 0, &plain_ends, &plain_cost))) {
            continue;
        }
        for (int many = few; plain * few + beside * many <= processors && many <= p->axis[1].count; many++) {
            stack_partition ends;
            double cost = 0;
            if (beside > 0 && !partition_stack(p->axis[1].count, region, many, across.kinds[0], &ends, &cost)) {
                continue;
            }
            tiling t = {{0}, {}, {}, std::max(cost, plain_cost)};
            if (found && t.cost >= best->cost) {
                continue;
            }
            for (int k = 0; k < columns; k++) {
                const stack_partition &own = across.kinds[k] == 0 ? plain_ends : ends;
                t.add(across.ends[k + 1], own, std::vector<int>(own.size() - 1, across.kinds[k]));
            }
            *best = t;
            found = true;
        }
        if (plain == 0) {
            break;
        }
    }
    return found;
}

/* How many tiles a column that is not beside a wall should have, at most `most`; 0: none is possible. */
int best_bands(const struct problem *p, int region, int most, stack_partition *best, double *least)
{
    int bands = 0;
    for (int count = 1; count <= most && count <= p->axis[1].count; count++) {
        stack_partition trial;
        double cost = 0;
        if (partition_stack(p->axis[1].count, region, count, 0, &trial, &cost) && (bands == 0 || cost < *least)) {
            bands = count;
            *least = cost;
            *best = trial;
        }
    }
    return bands;
}

/* Cost of the transposed tiles in columns s0..s1; negative when one of them is impossible. */
double side_cost(const std::vector<int> &kinds, int s0, int s1, int n, int region)
{
    double most = 0;
    for (int kind : kinds) {
        double busy = tile_cost(kind, s0, s1, n, region);
        most = busy < 0 || most < 0 ? -1 : std::max(most, busy);
    }
    return most;
}

/* The best partition with transposed tiles beside the walls at low and high x. */
bool partition_transposed(const struct problem *p, int region, int processors, tiling *best)
{
    lane_partition along;
    int n = p->axis[0].count, in_region = (region + REGION_ROWS - 1) / REGION_ROWS * REGION_ROWS;
    bool found = false;
    if (region == 0 || n < 2 * region || !partition_lanes(p->axis[1].count, region, &along)) {
        return false;
    }
    for (int &kind : along.kinds) {
        kind |= TILE_TRANSPOSED;
    }
    for (int count = 0; count <= processors; count++) {
        int rest = processors - 2 * (int)along.kinds.size();
        stack_partition ends;
        double middle = 0;
        int bands = count > 0 ? best_bands(p, region, rest / count, &ends, &middle) : 0;
        if (rest < 0 || (count > 0 && bands == 0)) {
            continue;
        }
        for (int low = in_region; low <= std::min(TILE_HEIGHT, n - region); low += REGION_ROWS) {
            for (int high = region; high <= std::min(TILE_HEIGHT, n - low); high++) {
                double west = side_cost(along.kinds, 0, low, n, region),
                       east = side_cost(along.kinds, n - high, n, n, region);
                tiling t = {{0}, {}, {}, std::max({middle, west, east})};
                lane_partition inner = {{low}, {}};
                if (west < 0 || east < 0 || (found && t.cost >= best->cost) ||
                    !add_parts(&inner, count, n - low - high, 0)) {
                    continue;
                }
                t.add(low, along.ends, along.kinds);
                for (int k = 0; k < count; k++) {
                    t.add(inner.ends[k + 1], ends, std::vector<int>(bands, 0));
                }
                t.add(n, along.ends, along.kinds);
                *best = t;
                found = true;
            }
        }
    }
    return found;
}

void place_boxes(const struct problem *p, const tiling &t, box_set *set)
{
    *set = {};
    set->columns = (int)t.y.size();
    for (int column = 0; column < set->columns; column++) {
        for (size_t k = 0; k + 1 < t.y[column].size(); k++) {
            box b = {};
            b.x0 = t.x[column];
            b.x1 = t.x[column + 1];
            b.y0 = t.y[column][k];
            b.y1 = t.y[column][k + 1];
            b.run = column;
            b.kind = t.kinds[column][k];
            set->boxes.push_back(b);
        }
    }
    place_probes(p, set);
}

} // namespace

bool yee_resident_partition(const box_request &request, int processors, box_set *set)
{
    const struct problem *p = request.problem;
    int region = problem_layer(p) > 0 ? problem_layer(p) + p->reach : 0;
    if (p->reach != 1 || yee_resident_shared_bytes() > request.shared_limit) {
        return false;
    }
    tiling upright, transposed;
    bool one = partition_upright(p, region, processors, &upright),
         other = partition_transposed(p, region, processors, &transposed);
    if (!one && !other) {
        return false;
    }
    place_boxes(p, !other || (one && upright.cost <= transposed.cost) ? upright : transposed, set);
    return true;
}
