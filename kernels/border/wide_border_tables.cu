/* Dividing what a march of a wide stencil leaves out into boxes for the blocks of wide_border.cu: pieces of the border
 * as long as a block can take, and patches around sources and probes. Also the tables by which the threads of a block
 * know what to do. The order of the pieces around the march's region:
 *
 *     +-----+------------------+-----+
 *     | end | end    ...   end | end |   ends go from wall to wall, with the corners
 *     +-----+------------------+-----+
 *     |side |  +--+            |side |
 *     |     |  |  | patch      |     |   patches stand above each other as far as a block takes them
 *     +-----+  +--+            +-----+
 *     |side |   march's region |side |
 *     +-----+------------------+-----+
 *     | end | end    ...   end | end |
 *     +-----+------------------+-----+
 *
 * Host only. Leaves out: where the march's region lies and which of its nodes are patches, and what a block does
 * (wide_border.cu). */
#include <algorithm>
#include <array>
#include <map>

#include "kernels/common/events.h"
#include "kernels/resident/wide_resident.h"
#include "kernels/tuning.h"
#include "kernels/wide/warp_roles.h"
#include "kernels/wide/wide_stencils.h"

namespace
{

typedef wide_pass_tile Shape;

/* Nodes from each end whose Laplacian is filtered (problem_in_absorber_region). */
int region_of(const struct problem *p)
{
    return problem_layer(p) > 0 ? problem_layer(p) + p->reach : 0;
}

int round_to(int value, int unit)
{
    return (value + unit - 1) / unit * unit;
}

/* What the patches of a box must cover on an axis of n nodes of which the box owns b0..b1: enough to compute `halo`
 * nodes on either side, and at a wall the absorber region with the half nodes that its filters use. */
void cover_axis(const struct problem *p, int b0, int b1, int n, int unit, int halo, int *t0, int *t1)
{
    int border = problem_layer(p) > 0 ? problem_layer(p) + 2 * p->reach : 0;
    *t0 = std::max(0, b0 - halo);
    *t0 = unit == 4 ? *t0 & ~3 : *t0;
    *t1 = b1 == n ? n : std::max(b1 + halo, *t0 == 0 ? border : 0);
    if (b1 == n) {
        *t0 = std::min(*t0, std::max(0, n - border));
        *t0 = unit == 4 ? *t0 & ~3 : *t0;
    }
    *t1 = std::min(n, *t0 + round_to(*t1 - *t0, unit));
}

wide_axis axis_x(const struct problem *p, const box &tile)
{
    return make_axis(tile.x0, tile.x1, p->axis[0].count, 4, region_of(p), p->reach);
}

wide_axis axis_y(const struct problem *p, const box &tile)
{
    return make_axis(tile.y0, tile.y1, p->axis[1].count, PATCH_ROWS, region_of(p), p->reach);
}

/* What the patches of a box cover; false when a block cannot hold it. */
bool cover(const box_request &request, const box &own, box *tile)
{
    const struct problem *p = request.problem;
    int halo = (request.depth - 1) * p->laplacian_taps, region = region_of(p);
    cover_axis(p, own.x0, own.x1, p->axis[0].count, 4, halo, &tile->x0, &tile->x1);
    cover_axis(p, own.y0, own.y1, p->axis[1].count, PATCH_ROWS, halo, &tile->y0, &tile->y1);
    /* A block has the whole of an absorber region across the axis, or nothing of it. */
    auto apart = [&](int b0, int b1, int t0, int t1, int n) {
        return (t0 == 0 || b0 - halo >= region) && (t1 == n || b1 + halo <= n - region);
    };
    if (!apart(own.x0, own.x1, tile->x0, tile->x1, p->axis[0].count) ||
        !apart(own.y0, own.y1, tile->y0, tile->y1, p->axis[1].count) || tile->x1 - tile->x0 > Shape::width ||
        tile->y1 - tile->y0 > Shape::height) {
        return false;
    }
    warp_roles r = assign_warp_roles(axis_x(p, *tile), axis_y(p, *tile), Shape::warps);
    return r.owners + r.in_x + r.in_y <= Shape::warps;
}

bool fits(const box_request &request, const box &own)
{
    box tile = {};
    return own.x1 > own.x0 && own.y1 > own.y0 && cover(request, own, &tile);
}

/* Longest piece of the area along an axis, from its beginning or back from its end, that fits a block; 0: none does. */
int longest(const box_request &request, const box &area, bool along_x, bool from_end, int unit)
{
    int from = along_x ? area.x0 : area.y0, to = along_x ? area.x1 : area.y1;
    int most = std::min(along_x ? Shape::width : Shape::height, to - from);
    for (int length = most; length > 0; length--) {
        box b = area;
        int end_at = from_end ? to - length : from + length;
        if (end_at % unit != 0 && length < to - from) {
            continue;
        }
        (from_end ? (along_x ? b.x0 : b.y0) : (along_x ? b.x1 : b.y1)) = end_at;
        if (fits(request, b)) {
            return length;
        }
    }
    return 0;
}

/* Adds an area in pieces of at most `most` nodes along an axis, divided at multiples of `unit` from its beginning;
 * false when a piece does not fit. */
bool add_pieces(const box_request &request, const box &area, bool along_x, int most, int unit, std::vector<box> *boxes)
{
    int from = along_x ? area.x0 : area.y0, to = along_x ? area.x1 : area.y1;
    if (most < unit) {
        return to <= from;
    }
    int count = (to - from + most - 1) / most, each = std::min(most, round_to((to - from + count - 1) / count, unit));
    for (int at = from; at < to; at += each) {
        box b = area;
        (along_x ? b.x0 : b.y0) = at;
        (along_x ? b.x1 : b.y1) = std::min(at + each, to);
        if (!fits(request, b)) {
            return false;
        }
        boxes->push_back(b);
    }
    return true;
}

/* Adds a side of the border, between the ends; all pieces are alike. */
bool add_side(const box_request &request, const box &side, std::vector<box> *boxes)
{
    int halo = (request.depth - 1) * request.problem->laplacian_taps, most = longest(request, side, false, false, 1);
    int whole = (most + 2 * halo) / PATCH_ROWS * PATCH_ROWS - 2 * halo; /* a whole number of patches */
    most = whole > 0 && whole < side.y1 - side.y0 ? whole : most;
    return add_pieces(request, side, false, most, 1, boxes);
}

/* Adds an end of the border, from wall to wall with the corners. */
bool add_end(const box_request &request, const box &end, std::vector<box> *boxes)
{
    int low = longest(request, end, true, false, 4), high = longest(request, end, true, true, 4);
    box middle = end;
    if (low == 0 || high == 0 || low + high >= end.x1) {
        return false;
    }
    middle.x0 = low;
    middle.x1 = end.x1 - high;
    boxes->push_back({0, end.y0, low, end.y1});
    boxes->push_back({end.x1 - high, end.y0, end.x1, end.y1});
    return add_pieces(request, middle, true, longest(request, middle, true, false, 4) & ~3, 4, boxes);
}

/* Adds the patches of one run, as many above each other as fit a block. */
bool add_patches(const box_request &request, const box_set &set, int run, std::vector<box> *boxes)
{
    const uint8_t *skip = set.skip.data() + (size_t)run * set.skip_run_stride;
    int columns = set.skip_pitch, rows = set.skip_run_stride / columns;
    for (int column = 0; column < columns; column++) {
        box b = {};
        for (int row = 0; row <= rows; row++) {
            int x = column * PATCH, y = row * PATCH;
            box here = {std::max(x, set.x0), std::max(y, set.y0), std::min(x + PATCH, set.x1),
                        std::min(y + PATCH, set.y1)};
            bool wanted = row < rows && skip[row * columns + column] != 0 && here.x1 > here.x0 && here.y1 > here.y0;
            box both = here;
            both.y0 = b.y0;
            if (wanted && b.y1 > b.y0 && fits(request, both)) {
                b = both;
                continue;
            }
            if (b.y1 > b.y0) {
                boxes->push_back(b);
                b = {};
            }
            if (wanted && !fits(request, here)) {
                return false;
            }
            b = wanted ? here : b;
        }
    }
    return true;
}

/* Tables of orders that exist already. Orders depend on nothing but the size of the tile, what of it is owned, and the
 * walls that it touches. */
typedef std::map<std::array<int, 10>, int> known_tables;

/* The order of a thread: which nodes the box owns, and for how many steps before the end nobody needs the patch. What
 * lies d nodes beside the box is needed until ceil(d / taps) steps before the end. A filter is needed as far across its
 * axis as its absorber region is. */
wide_order order_for(const struct problem *p, const box &own, const box &tile, const wide_task &task)
{
    int region = region_of(p), x0 = tile.x0 + 4 * task.quad, y0 = tile.y0 + PATCH_ROWS * task.group;
    int depth = image_depth(task, problem_layer(p), p->reach, p->laplacian_taps);
    wide_order order = {pack_task(task), place_bits(task, tile, p->axis[0].count, p->axis[1].count, region, depth), 0,
                        0};
    for (int k = 0; k < 4 * PATCH_ROWS; k++) {
        int x = x0 + k % 4, y = y0 + k / 4;
        bool owned = (order.bits >> k & 1u) != 0 && x >= own.x0 && x < own.x1 && y >= own.y0 && y < own.y1;
        order.owned |= owned ? 1u << k : 0u;
    }
    int x = task.role == FILTERS_X ? 0 : std::max(own.x0 - x0 - 3, x0 - own.x1 + 1),
        y = task.role == FILTERS_Y ? 0 : std::max(own.y0 - y0 - PATCH_ROWS + 1, y0 - own.y1 + 1);
    bool on = (order.bits & ALL_NODES) != 0;
    order.beside = on ? (unsigned)((std::max(std::max(x, y), 0) + p->laplacian_taps - 1) / p->laplacian_taps) : 1000u;
    return order;
}

int orders_for(const struct problem *p, const box &own, const box &tile, known_tables *known, box_set *set)
{
    std::array<int, 10> key = {tile.x1 - tile.x0, tile.y1 - tile.y0,
                               tile.x0 == 0,      tile.x1 == p->axis[0].count,
                               tile.y0 == 0,      tile.y1 == p->axis[1].count,
                               own.x0 - tile.x0,  own.x1 - tile.x0,
                               own.y0 - tile.y0,  own.y1 - tile.y0};
    auto found = known->find(key);
    if (found != known->end()) {
        return found->second;
    }
    int table = (int)(set->orders.size() / Shape::threads);
    warp_roles roles = assign_warp_roles(axis_x(p, tile), axis_y(p, tile), Shape::warps);
    for (int thread = 0; thread < Shape::threads; thread++) {
        set->orders.push_back(order_for(p, own, tile, find_task(roles, thread)));
    }
    for (auto warp = set->orders.end() - Shape::threads; warp != set->orders.end(); warp += 32) {
        unsigned least = std::min_element(warp, warp + 32, [](const wide_order &a, const wide_order &b) {
                             return a.beside < b.beside;
                         })->beside;
        std::for_each(warp, warp + 32, [least](wide_order &order) { order.beside = least; });
    }
    (*known)[key] = table;
    return table;
}

/* Gives the driven nodes of a box to the threads that own them, in a table of its own. */
void place_driven(const struct problem *p, const struct source *source, wide_pass_box *b, box_set *set)
{
    const box &tile = b->tile;
    size_t orders = 0, weights = 0;
    std::vector<int> owner;
    for (int64_t k = 0; k < source->count; k++) {
        grid_node node = node_at(source->node[k], p->axis[0].count);
        int x = node.x - tile.x0, y = node.y - tile.y0;
        if (x < 0 || x >= tile.x1 - tile.x0 || y < 0 || y >= tile.y1 - tile.y0) {
            continue;
        }
        if (owner.empty()) {
            owner.assign(Shape::quads * Shape::groups, 0);
            orders = set->orders.size();
            weights = set->weights.size();
            set->orders.resize(orders + Shape::threads);
            set->weights.resize(weights + 4 * PATCH_ROWS * Shape::threads);
            for (int thread = 0; thread < Shape::threads; thread++) {
                const wide_order &order = set->orders[(size_t)b->orders * Shape::threads + thread];
                wide_task task = unpack_task(order.task);
                set->orders[orders + thread] = order;
                if (task.on && task.role == OWNS) {
                    owner[task.group * Shape::quads + task.quad] = thread;
                }
            }
            b->orders = (int)(orders / Shape::threads);
            b->weights = (int)(weights / (4 * PATCH_ROWS * Shape::threads));
        }
        int thread = owner[y / PATCH_ROWS * Shape::quads + x / 4], bit = y % PATCH_ROWS * 4 + x % 4;
        set->orders[orders + thread].task |= 1u << (ORDER_DRIVEN + bit);
        set->weights[weights + (size_t)bit * Shape::threads + thread] = (float)source->weight[k];
    }
}

/* Counts the threads of the box that meet at the barriers of the filters (wide_block.h). */
void count_barrier_threads(const box_set &set, wide_pass_box *b)
{
    for (int warp = 0; warp < Shape::warps; warp++) {
        auto order = set.orders.begin() + (ptrdiff_t)b->orders * Shape::threads + 32 * warp;
        bool region = std::any_of(order, order + 32, [](const wide_order &o) {
            wide_task task = unpack_task(o.task);
            return task.on && task.role == OWNS && task.kind != OUTSIDE;
        });
        enum wide_role role = unpack_task(order->task).role;
        bool filters = role == FILTERS_X || role == FILTERS_Y;
        b->filter_threads += filters ? 32 : 0;
        b->region_threads += filters || region ? 32 : 0;
    }
}

/* Fills in set->pass_boxes and the tables; the probes are in their boxes already. */
void make_tables(const box_request &request, box_set *set)
{
    known_tables known;
    for (const box &own : set->boxes) {
        wide_pass_box b = {own, {}, 0, -1, 0, 0};
        cover(request, own, &b.tile);
        b.orders = orders_for(request.problem, own, b.tile, &known, set);
        count_barrier_threads(*set, &b);
        place_driven(request.problem, &request.problem->sources[request.first + own.run], &b, set);
        set->pass_boxes.push_back(b);
    }
}

} // namespace

bool wide_border_cut(const box_request &request, box_set *set)
{
    const struct problem *p = request.problem;
    if (!wide_stencil_is_compiled(p) || Shape::shared_bytes > request.shared_limit) {
        return false;
    }
    const box sides[2] = {{0, set->y0, set->x0, set->y1}, {set->x1, set->y0, p->axis[0].count, set->y1}};
    const box ends[2] = {{0, 0, p->axis[0].count, set->y0}, {0, set->y1, p->axis[0].count, p->axis[1].count}};
    for (int r = 0; r < request.count; r++) {
        size_t before = set->boxes.size();
        bool suit = add_patches(request, *set, r, &set->boxes);
        for (int k = 0; k < 2; k++) {
            suit = suit && add_end(request, ends[k], &set->boxes) && add_side(request, sides[k], &set->boxes);
        }
        if (!suit) {
            set->boxes.clear();
            return false;
        }
        std::for_each(set->boxes.begin() + (ptrdiff_t)before, set->boxes.end(), [r](box &b) { b.run = r; });
    }
    place_probes(p, set);
    make_tables(request, set);
    return true;
}
