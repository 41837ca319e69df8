/* Dividing a small grid of yee among the blocks of yee_resident.cu: the cut whose busiest scheduler is least busy. Host
 * only. */
#include <algorithm>

#include "kernels/resident/yee_resident.h"
#include "kernels/resident/yee_tile.h"

namespace
{

/* An axis along the lanes in parts: where they end, and box.kind of each. */
struct lane_cut {
    std::vector<int> ends, kinds;
};

/* An axis along the stack in parts. */
typedef std::vector<int> stack_cut;

/* Issue slots of a warp's step, counted from the machine code. */
double warp_cost(int kind, bool in_zone, int rows)
{
    bool wall = (kind & TILE_WALL) != 0, single = (kind & TILE_SINGLE) != 0;
    return 80 + rows * (single ? (in_zone ? 45 : 35) : wall ? (in_zone ? 90 : 60) : in_zone ? 45 : 18);
}

/* Of the busiest scheduler of a tile; warps take turns. Negative when the tile cannot be: more warps than a block has,
 * or a last one that is not full elsewhere than at the wall. */
double tile_cost(int kind, int s0, int s1, int n, int zone)
{
    tile_stack stack = make_stack(kind, s0, s1, n, zone);
    int last = stack.warps() - 1;
    if (last >= TILE_WARPS || (s1 < n && stack.start(last) + stack.rows_of(last) != stack.size)) {
        return -1;
    }
    double busy[4] = {0, 0, 0, 0};
    for (int warp = 0; warp <= last; warp++) {
        busy[warp % 4] += warp_cost(kind, stack.in_zone(warp), stack.rows_of(warp));
    }
    return *std::max_element(busy, busy + 4);
}

/* Adds `count` parts of odd widths, `nodes` in all; false when they would be too wide or too narrow. */
bool add_parts(lane_cut *cut, int count, int nodes, int kind)
{
    if (count == 0 || nodes < 3 * count || nodes > (tile_width(kind) - 1) * count || (nodes - count) % 2 != 0) {
        return count == 0 && nodes == 0;
    }
    int pairs = (nodes - count) / 2;
    for (int k = 0; k < count; k++) {
        cut->ends.push_back(cut->ends.back() + 1 + 2 * (pairs / count + (k < pairs % count ? 1 : 0)));
        cut->kinds.push_back(kind);
    }
    return true;
}

/* n nodes along the lanes in as few parts as can be: those beside walls hold their zones, and all but the last have odd
 * widths where a lane has two nodes, so that the neighbours' nodes come to the first node of a lane. */
bool cut_lanes(int n, int zone, lane_cut *cut)
{
    int least = zone > 0 ? zone + 1 : 3; /* what lies beside another tile is in no zone */
    int wall = least <= tile_width(TILE_SINGLE) ? TILE_WALL | TILE_SINGLE : TILE_WALL, other = zone > 0 ? wall : 0;
    if (n <= tile_width(wall) || (n <= tile_width(TILE_WALL) && n < 2 * least)) {
        *cut = {{0, n}, {n <= tile_width(wall) ? wall : TILE_WALL}};
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
                *cut = {{0, low}, {wall}};
                if (low <= most && add_parts(cut, count, n - low - high, 0)) {
                    cut->ends.push_back(n);
                    cut->kinds.push_back(other);
                    return true;
                }
            }
        }
    }
    return false;
}

/* n nodes along the stack in `count` parts, for tiles of one kind: parts end with whole warps and have a warp for each
 * end, at the walls they hold the zones. */
bool cut_stack(int n, int zone, int count, int kind, stack_cut *cut, double *cost)
{
    int in_zone = (zone + ZONE_ROWS - 1) / ZONE_ROWS * ZONE_ROWS;
    bool found = false;
    auto consider = [&](const stack_cut &ends) {
        double most = 0;
        for (size_t k = 0; k + 1 < ends.size(); k++) {
            double busy = tile_cost(kind, ends[k], ends[k + 1], n, zone);
            if (busy < 0) {
                return;
            }
            most = std::max(most, busy);
        }
        if (!found || most < *cost) {
            found = true;
            *cost = most;
            *cut = ends;
        }
    };
    if (count == 1) {
        consider({0, n});
        return found;
    }
    for (int inner = 2 * STACK_ROWS; inner <= (count > 2 ? TILE_HEIGHT : 2 * STACK_ROWS); inner += ZONE_ROWS) {
        for (int low = in_zone > 0 ? in_zone : 2 * ZONE_ROWS; low <= TILE_HEIGHT; low += ZONE_ROWS) {
            int left = n - low - (count - 2) * inner;
            if (left < std::max(zone, 1) || left > TILE_HEIGHT) {
                continue;
            }
            stack_cut ends = {0, low};
            for (int k = 2; k < count; k++) {
                ends.push_back(ends.back() + inner);
            }
            ends.push_back(n);
            consider(ends);
        }
    }
    return found;
}

/* A grid in columns of tiles, each cut by itself. */
struct tiling {
    std::vector<int> x; /* ends of the columns */
    std::vector<std::vector<int>> y, kinds;
    double cost;

    void add(int end, const std::vector<int> &ends, const std::vector<int> &kind)
    {
        x.push_back(end);
        y.push_back(ends);
        kinds.push_back(kind);
    }
};

/* All lanes along x; columns beside walls are cut otherwise than the others. */
bool cut_upright(const struct problem *p, int zone, int processors, tiling *best)
{
    lane_cut across;
    if (!cut_lanes(p->axis[0].count, zone, &across)) {
        return false;
    }
    int columns = (int)across.kinds.size(), plain = (int)std::count(across.kinds.begin(), across.kinds.end(), 0),
        beside = columns - plain;
    bool found = false;
    for (int few = 1; few <= processors && few <= p->axis[1].count; few++) { /* tiles of a plain column */
        stack_cut plain_ends;
        double plain_cost = 0;
        if (plain * few > processors ||
            (plain > 0 && !cut_stack(p->axis[1].count, zone, few, 0, &plain_ends, &plain_cost))) {
            continue;
        }
        for (int many = few; plain * few + beside * many <= processors && many <= p->axis[1].count; many++) {
            stack_cut ends;
            double cost = 0;
            if (beside > 0 && !cut_stack(p->axis[1].count, zone, many, across.kinds[0], &ends, &cost)) {
                continue;
            }
            tiling t = {{0}, {}, {}, std::max(cost, plain_cost)};
            if (found && t.cost >= best->cost) {
                continue;
            }
            for (int k = 0; k < columns; k++) {
                const stack_cut &own = across.kinds[k] == 0 ? plain_ends : ends;
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

/* Turned tiles beside the walls at low and high x. */
bool cut_turned(const struct problem *p, int zone, int processors, tiling *best)
{
    lane_cut along;
    int in_zone = (zone + ZONE_ROWS - 1) / ZONE_ROWS * ZONE_ROWS;
    bool found = false;
    if (zone == 0 || p->axis[0].count < 2 * zone || !cut_lanes(p->axis[1].count, zone, &along)) {
        return false;
    }
    for (int &kind : along.kinds) {
        kind |= TILE_TURNED;
    }
    auto side_cost = [&](int s0, int s1) {
        double most = 0;
        for (int kind : along.kinds) {
            double busy = tile_cost(kind, s0, s1, p->axis[0].count, zone);
            most = busy < 0 || most < 0 ? -1 : std::max(most, busy);
        }
        return most;
    };
    for (int count = 0; count <= processors; count++) {
        int rest = processors - 2 * (int)along.kinds.size(), bands = 0;
        stack_cut ends;
        double middle = 0;
        for (int k = 1; count > 0 && k * count <= rest && k <= p->axis[1].count; k++) {
            stack_cut trial;
            double cost = 0;
            if (cut_stack(p->axis[1].count, zone, k, 0, &trial, &cost) && (bands == 0 || cost < middle)) {
                bands = k;
                middle = cost;
                ends = trial;
            }
        }
        if (rest < 0 || (count > 0 && bands == 0)) {
            continue;
        }
        for (int low = in_zone; low <= std::min(TILE_HEIGHT, p->axis[0].count - zone); low += ZONE_ROWS) {
            for (int high = zone; high <= std::min(TILE_HEIGHT, p->axis[0].count - low); high++) {
                double west = side_cost(0, low), east = side_cost(p->axis[0].count - high, p->axis[0].count);
                tiling t = {{0}, {}, {}, std::max({middle, west, east})};
                lane_cut inner = {{low}, {}};
                if (west < 0 || east < 0 || (found && t.cost >= best->cost) ||
                    !add_parts(&inner, count, p->axis[0].count - low - high, 0)) {
                    continue;
                }
                t.add(low, along.ends, along.kinds);
                for (int k = 0; k < count; k++) {
                    t.add(inner.ends[k + 1], ends, std::vector<int>(bands, 0));
                }
                t.add(p->axis[0].count, along.ends, along.kinds);
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
    int zone = problem_layer(p) > 0 ? problem_layer(p) + p->reach : 0;
    if (p->reach != 1 || yee_resident_shared_bytes() > request.shared_limit) {
        return false;
    }
    tiling upright, turned;
    bool one = cut_upright(p, zone, processors, &upright), other = cut_turned(p, zone, processors, &turned);
    if (!one && !other) {
        return false;
    }
    place_boxes(p, !other || (one && upright.cost <= turned.cost) ? upright : turned, set);
    return true;
}
