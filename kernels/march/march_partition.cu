/* Dividing the grid between a march and the boxes beside it: a border along absorber and walls, and patches around
 * sources and probes. Host only. Leaves out: what a box does (yee_border.cu, wide_border.cu, tile.cu), and the division
 * of a wide stencil's border (wide_border_tables.cu). */
#include <algorithm>
#include <tuple>

#include "kernels/common/events.h"
#include "kernels/march/march.h"
#include "kernels/resident/wide_resident.h"
#include "kernels/tuning.h"

namespace
{

void mark(box_set *set, int run, int x0, int x1, int y0, int y1)
{
    x0 = std::max(x0, set->x0);
    x1 = std::min(x1, set->x1);
    y0 = std::max(y0, set->y0);
    y1 = std::min(y1, set->y1);
    for (int y = y0 / PATCH; y1 > y0 && y <= (y1 - 1) / PATCH; y++) {
        for (int x = x0 / PATCH; x1 > x0 && x <= (x1 - 1) / PATCH; x++) {
            set->skip[(size_t)run * set->skip_run_stride + y * set->skip_pitch + x] = 1;
        }
    }
}

/* Whether a box steps nodes beside metal in a pass. */
bool sees_metal(const box_request &request, const box &b)
{
    const struct problem *p = request.problem;
    const struct metal_row *const end = p->metal_rows + p->metal_row_count;
    const int halo = request.depth * tile_reach(p), nx = p->axis[0].count;
    const int64_t left = std::max(0, b.x0 - halo), right = std::min(nx, b.x1 + halo);
    for (int64_t y = std::max(0, b.y0 - halo); y < std::min(p->axis[1].count, b.y1 + halo); y++) {
        const struct metal_row *row =
            std::lower_bound((const struct metal_row *)p->metal_rows, end, y * nx + left,
                             [](const struct metal_row &a, int64_t place) { return a.place < place; });
        if (row != end && row->place < y * nx + right) {
            return true;
        }
    }
    return false;
}

/* Patches that see metal leave the maps of all runs: they are done in shared memory, for all runs together. */
void take_metal_apart(const box_request &request, box_set *set)
{
    for (int k = 0; k < set->skip_run_stride; k++) {
        const int x = k % set->skip_pitch * PATCH, y = k / set->skip_pitch * PATCH;
        const box b = {std::max(x, set->x0), std::max(y, set->y0), std::min(x + PATCH, set->x1),
                       std::min(y + PATCH, set->y1)};
        bool any = false;
        for (int r = 0; r < request.count; r++) {
            any = any || set->skip[(size_t)r * set->skip_run_stride + k] != 0;
        }
        if (any && sees_metal(request, b)) {
            for (int r = 0; r < request.count; r++) {
                set->skip[(size_t)r * set->skip_run_stride + k] = 0;
            }
            set->beside_metal.push_back(b);
        }
    }
}

/* Patches wherever a source can be felt within a pass, and around every probe: for every run its own, or the same for
 * all. */
void mark_patches(const box_request &request, bool own, box_set *set)
{
    const struct problem *p = request.problem;
    int rows = (p->axis[1].count + PATCH - 1) / PATCH, maps = own ? request.count : 1;
    set->skip_pitch = (p->axis[0].count + PATCH - 1) / PATCH;
    set->skip_run_stride = own ? set->skip_pitch * rows : 0;
    set->skip.assign((size_t)set->skip_pitch * rows * maps, 0);
    int felt = (request.depth - 1) * p->laplacian_taps; /* no filter of the absorber comes between */
    for (int r = 0; r < request.count; r++) {
        const struct source *s = &p->sources[request.first + r];
        for (int64_t k = 0; k < s->count; k++) {
            grid_node at = node_at(s->node[k], p->axis[0].count);
            mark(set, own ? r : 0, at.x - felt, at.x + felt + 1, at.y - felt, at.y + felt + 1);
        }
        for (int k = 0; k < p->probe_count; k++) {
            grid_node at = node_at(p->probes[k].node, p->axis[0].count);
            mark(set, own ? r : 0, at.x, at.x + 1, at.y, at.y + 1);
        }
    }
    if (own && p->metal_row_count > 0) {
        take_metal_apart(request, set);
    }
}

void add_patches(const box_request &request, box_set *set)
{
    for (size_t k = 0; k < set->skip.size(); k++) {
        if (set->skip[k] != 0) {
            int x = (int)(k % set->skip_pitch) * PATCH, y = (int)(k / set->skip_pitch) * PATCH;
            add_pieces(request, std::max(x, set->x0), std::min(x + PATCH, set->x1), std::max(y, set->y0),
                       std::min(y + PATCH, set->y1), PATCH, &set->boxes);
        }
    }
}

/* Adds a rectangle in pieces along x or along y, as long as blocks of this kind can take; false when they do not suit.
 * `whole`: from wall to wall, where the outer pieces have a halo on one side only. */
bool add_yee_strip(const box_request &request, enum border_kind kind, const box &area, bool along_x,
                   std::vector<box> *boxes)
{
    const struct problem *p = request.problem;
    int size[2], from = along_x ? area.x0 : area.y0, to = along_x ? area.x1 : area.y1,
                 n = along_x ? p->axis[0].count : p->axis[1].count;
    yee_border_size(kind, &size[0], &size[1]);
    int most = size[along_x ? 0 : 1], inner = most - 2 * request.depth;
    std::vector<int> ends = {from};
    std::vector<box> pieces;
    if (inner <= 0) {
        return false;
    }
    if (from == 0 && to == n && n > most) {
        int border = std::min(most - request.depth, n / 2), rest = n - 2 * border;
        int count = (rest + inner - 1) / inner;
        for (int k = 0; k <= count; k++) {
            ends.push_back(border + (count > 0 ? (int)((int64_t)rest * k / count) : 0));
        }
    } else if (from > 0 || to < n) {
        int count = (to - from + inner - 1) / inner;
        for (int k = 1; k < count; k++) {
            ends.push_back(from + (int)((int64_t)(to - from) * k / count));
        }
    }
    ends.push_back(to);
    for (size_t k = 0; k + 1 < ends.size(); k++) {
        box b = area;
        (along_x ? b.x0 : b.y0) = ends[k];
        (along_x ? b.x1 : b.y1) = ends[k + 1];
        b.kind = kind;
        if (b.x1 > b.x0 && b.y1 > b.y0) {
            if (!yee_border_suits(p, kind, b, request.depth)) {
                return false;
            }
            pieces.push_back(b);
        }
    }
    boxes->insert(boxes->end(), pieces.begin(), pieces.end());
    return true;
}

void swap_probes(box_set *a, box_set *b)
{
    std::swap(a->probe_x, b->probe_x);
    std::swap(a->probe_y, b->probe_y);
    std::swap(a->probe_slot, b->probe_slot);
}

/* Boxes in registers know no metal: along walls those that see some, and patches that were taken apart, are done in
 * shared memory instead. */
void put_metal_in_tiles(const box_request &request, box_set *set)
{
    typedef std::tuple<int, int, int, int> area;
    std::vector<area> areas;
    size_t kept = 0;
    for (const box &b : set->beside_metal) {
        areas.push_back(area(b.x0, b.x1, b.y0, b.y1));
    }
    for (size_t k = 0; k < set->boxes.size(); k++) {
        const box b = set->boxes[k];
        if (sees_metal(request, b)) {
            areas.push_back(area(b.x0, b.x1, b.y0, b.y1));
            continue;
        }
        set->boxes[kept] = b;
        if (!set->pass_boxes.empty()) {
            set->pass_boxes[kept] = set->pass_boxes[k];
        }
        kept++;
    }
    set->boxes.resize(kept);
    set->pass_boxes.resize(std::min(kept, set->pass_boxes.size()));
    std::sort(areas.begin(), areas.end());
    areas.erase(std::unique(areas.begin(), areas.end()), areas.end());
    box_set tiles = {};
    for (const area &a : areas) {
        const int x0 = std::get<0>(a), x1 = std::get<1>(a), y0 = std::get<2>(a), y1 = std::get<3>(a);
        for (int r = 0; r < request.count; r++) {
            mark(set, r, x0, x1, y0, y1);
        }
        add_pieces(request, x0, x1, y0, y1, BORDER_LENGTH, &tiles.boxes);
    }
    swap_probes(set, &tiles); /* those of these boxes come behind the others' */
    place_events(request, &tiles);
    swap_probes(set, &tiles);
    set->beside_metal = tiles.boxes;
}

/* The patches of one run. */
bool add_yee_patches(const box_request &request, const box_set &set, int run, std::vector<box> *boxes)
{
    const uint8_t *skip = set.skip.data() + (size_t)run * set.skip_run_stride;
    for (int k = 0; k < set.skip_run_stride; k++) {
        int x = k % set.skip_pitch * PATCH, y = k / set.skip_pitch * PATCH;
        box b = {std::max(x, set.x0), std::max(y, set.y0), std::min(x + PATCH, set.x1), std::min(y + PATCH, set.y1)};
        if (skip[k] == 0 || b.x1 <= b.x0 || b.y1 <= b.y0) {
            continue;
        }
        b.kind = BORDER_PATCH;
        if (!yee_border_suits(request.problem, BORDER_PATCH, b, request.depth)) {
            return false;
        }
        boxes->push_back(b);
    }
    return true;
}

} // namespace

bool yee_border_partition(const box_request &request, box_set *set)
{
    const struct problem *p = request.problem;
    const box sides[2] = {{0, set->y0, set->x0, set->y1}, {set->x1, set->y0, p->axis[0].count, set->y1}};
    const box ends[2] = {{0, 0, p->axis[0].count, set->y0}, {0, set->y1, p->axis[0].count, p->axis[1].count}};
    mark_patches(request, true, set);
    for (int r = 0; r < request.count; r++) {
        size_t before = set->boxes.size();
        bool suits = add_yee_patches(request, *set, r, &set->boxes);
        for (int k = 0; k < 2; k++) {
            suits = suits && add_yee_strip(request, BORDER_END, ends[k], true, &set->boxes) &&
                    (add_yee_strip(request, BORDER_SIDE, sides[k], false, &set->boxes) ||
                     add_yee_strip(request, BORDER_PATCH, sides[k], false, &set->boxes));
        }
        if (!suits) {
            set->boxes.clear();
            return false;
        }
        std::for_each(set->boxes.begin() + (ptrdiff_t)before, set->boxes.end(), [r](box &b) { b.run = r; });
    }
    set->border_in_registers = true;
    place_events(request, set);
    return true;
}

bool wide_border_partition(const box_request &request, box_set *set)
{
    mark_patches(request, true, set);
    set->border_in_registers = wide_border_cut(request, set);
    return set->border_in_registers;
}

bool tile_border_partition(const box_request &request, box_set *set)
{
    const struct problem *p = request.problem;
    mark_patches(request, false, set);
    add_patches(request, set); /* first: they come on top of the march's own time at the end */
    add_pieces(request, 0, p->axis[0].count, 0, set->y0, BORDER_LENGTH, &set->boxes);
    add_pieces(request, 0, p->axis[0].count, set->y1, p->axis[1].count, BORDER_LENGTH, &set->boxes);
    add_pieces(request, 0, set->x0, set->y0, set->y1, BORDER_LENGTH, &set->boxes);
    add_pieces(request, set->x1, p->axis[0].count, set->y0, set->y1, BORDER_LENGTH, &set->boxes);
    place_events(request, set);
    return true;
}

bool boxes_around_march(const box_request &request, const march_kernel &march, box_set *set)
{
    const struct problem *p = request.problem;
    int columns = march.columns(p->laplacian_taps, 1); /* shallower passes have wider strips */
    *set = {};
    /* Every node that the march computes on the way must lie outside the absorber region; every node it reads, in the
     * domain. */
    int region = problem_layer(p) > 0 ? problem_layer(p) + p->reach : 0, reached = request.depth * p->laplacian_taps;
    int border = std::max(region + reached - p->laplacian_taps, reached);
    border = (std::max(border, (reached + 3) / 4 * 4) + 3) / 4 * 4;
    set->x0 = set->y0 = border;
    set->x1 = (p->axis[0].count - border) & ~3;
    set->y1 = p->axis[1].count - border;
    /* Boxes in registers know no symmetry plane, those in shared memory do; the march itself sees neither wall. */
    const bool planes = p->axis[0].low.symmetric || p->axis[1].low.symmetric;
    if (set->x1 - set->x0 < columns || set->y1 <= set->y0) {
        return false;
    }
    if (planes || request.border_in_tiles || !march.border->partition(request, set)) {
        set->beside_metal.clear();
        return tile_border.partition(request, set);
    }
    if (p->metal_row_count > 0) {
        put_metal_in_tiles(request, set);
    }
    return true;
}
