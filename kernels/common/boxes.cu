/* Cutting the domain into boxes: tiles everywhere, or a frame along the walls and absorber and patches around sources
 * and probes. Host only. Leaves out: what a box does (tile.cu, yee_border.cu, wide_border.cu), and small grids
 * (yee_partition.cu, wide_partition.cu). */
#include "kernels/common/boxes.h"

#include <algorithm>

#include "kernels/resident/wide_resident.h"
#include "kernels/tuning.h"

namespace
{

int reach_of_tile(const struct problem *problem)
{
    return 2 * problem->reach - 1;
}

size_t bytes_of(const box_request &request, const box &b)
{
    const struct problem *p = request.problem;
    device_problem<float> shape = {};
    shape.nx = p->axis[0].count;
    shape.ny = p->axis[1].count;
    shape.layer = problem_layer(p);
    shape.reach = p->reach;
    return tile_bytes(shape, b, request.depth * reach_of_tile(p));
}

/* Adds a rectangle in pieces of about `length`, halved until every piece fits the shared memory. */
void add_pieces(const box_request &request, int x0, int x1, int y0, int y1, int length, std::vector<box> *boxes)
{
    if (x1 <= x0 || y1 <= y0) {
        return;
    }
    size_t before = boxes->size(), largest = request.shared_limit + 1;
    for (; length >= 4 && largest > request.shared_limit; length = length / 8 * 4) {
        boxes->resize(before);
        largest = 0;
        for (int y = y0; y < y1; y += length) {
            for (int x = x0; x < x1; x += length) {
                box b = {};
                b.x0 = x;
                b.x1 = std::min(x + length, x1);
                b.y0 = y;
                b.y1 = std::min(y + length, y1);
                boxes->push_back(b);
                largest = std::max(largest, bytes_of(request, b));
            }
        }
    }
}

bool driven_near(const struct problem *p, const struct source *s, const box &b, int halo)
{
    for (int64_t k = 0; k < s->count; k++) {
        int x = (int)(s->node[k] % p->axis[0].count), y = (int)(s->node[k] / p->axis[0].count);
        if (x >= b.x0 - halo && x < b.x1 + halo && y >= b.y0 - halo && y < b.y1 + halo) {
            return true;
        }
    }
    return false;
}

/* Sources and probes to their boxes. */
void place_events(const box_request &request, box_set *set)
{
    const struct problem *p = request.problem;
    int halo = request.depth * reach_of_tile(p);
    for (box &b : set->boxes) {
        for (int r = 0; r < request.count && !b.near_source; r++) {
            b.near_source = (!set->framed || r == b.run) && driven_near(p, &p->sources[request.first + r], b, halo);
        }
    }
    place_probes(p, set);
}

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

/* Patches wherever a source can be felt within a pass, and around every probe: for every run its own, or the same for
 * all. */
void mark_patches(const box_request &request, bool own, box_set *set)
{
    const struct problem *p = request.problem;
    int rows = (p->axis[1].count + PATCH - 1) / PATCH, maps = own ? request.count : 1;
    set->skip_pitch = (p->axis[0].count + PATCH - 1) / PATCH;
    set->skip_run_stride = own ? set->skip_pitch * rows : 0;
    set->skip.assign((size_t)set->skip_pitch * rows * maps, 0);
    int felt = (request.depth - 1) * p->laplacian_taps; /* no filter of a zone comes between */
    for (int r = 0; r < request.count; r++) {
        const struct source *s = &p->sources[request.first + r];
        for (int64_t k = 0; k < s->count; k++) {
            int x = (int)(s->node[k] % p->axis[0].count), y = (int)(s->node[k] / p->axis[0].count);
            mark(set, own ? r : 0, x - felt, x + felt + 1, y - felt, y + felt + 1);
        }
        for (int k = 0; k < p->probe_count; k++) {
            int x = (int)(p->probes[k].node % p->axis[0].count), y = (int)(p->probes[k].node / p->axis[0].count);
            mark(set, own ? r : 0, x, x + 1, y, y + 1);
        }
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
bool add_frame(const box_request &request, enum border_kind frame, const box &area, bool along_x,
               std::vector<box> *boxes)
{
    const struct problem *p = request.problem;
    int size[2], from = along_x ? area.x0 : area.y0, to = along_x ? area.x1 : area.y1,
                 n = along_x ? p->axis[0].count : p->axis[1].count;
    yee_border_size(frame, &size[0], &size[1]);
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
        b.kind = frame;
        if (b.x1 > b.x0 && b.y1 > b.y0) {
            if (!yee_border_suits(p, frame, b, request.depth)) {
                return false;
            }
            pieces.push_back(b);
        }
    }
    boxes->insert(boxes->end(), pieces.begin(), pieces.end());
    return true;
}

/* The patches of one run. */
bool add_small_patches(const box_request &request, const box_set &set, int run, std::vector<box> *boxes)
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

/* The frame and the patches in blocks of yee_border.cu; false when some of it does not suit them. */
bool frame_of_small(const box_request &request, box_set *set)
{
    const struct problem *p = request.problem;
    const box sides[2] = {{0, set->y0, set->x0, set->y1}, {set->x1, set->y0, p->axis[0].count, set->y1}};
    const box ends[2] = {{0, 0, p->axis[0].count, set->y0}, {0, set->y1, p->axis[0].count, p->axis[1].count}};
    mark_patches(request, true, set);
    for (int r = 0; r < request.count; r++) {
        size_t before = set->boxes.size();
        bool suits = add_small_patches(request, *set, r, &set->boxes);
        for (int k = 0; k < 2; k++) {
            suits = suits && add_frame(request, BORDER_END, ends[k], true, &set->boxes) &&
                    (add_frame(request, BORDER_SIDE, sides[k], false, &set->boxes) ||
                     add_frame(request, BORDER_PATCH, sides[k], false, &set->boxes));
        }
        if (!suits) {
            set->boxes.clear();
            return false;
        }
        std::for_each(set->boxes.begin() + (ptrdiff_t)before, set->boxes.end(), [r](box &b) { b.run = r; });
    }
    set->framed = true;
    return true;
}

/* The same in blocks of wide_border.cu. */
bool frame_of_wide(const box_request &request, box_set *set)
{
    mark_patches(request, true, set);
    set->framed = wide_border_cut(request, set);
    return set->framed;
}

} // namespace

void place_probes(const struct problem *p, box_set *set)
{
    for (box &b : set->boxes) {
        b.probe_first = (int)set->probe_slot.size();
        for (int k = 0; k < p->probe_count; k++) {
            int x = (int)(p->probes[k].node % p->axis[0].count), y = (int)(p->probes[k].node / p->axis[0].count);
            if (x >= b.x0 && x < b.x1 && y >= b.y0 && y < b.y1) {
                set->probe_slot.push_back(k);
                set->probe_x.push_back(x);
                set->probe_y.push_back(y);
            }
        }
        b.probe_count = (int)set->probe_slot.size() - b.probe_first;
    }
}

bool boxes_around_march(const box_request &request, int columns, box_set *set)
{
    const struct problem *p = request.problem;
    *set = {};
    /* Every node that the march computes on the way must lie outside the zone; every node it reads, in the domain. */
    int zone = problem_layer(p) > 0 ? problem_layer(p) + p->reach : 0;
    int frame = std::max(zone + (request.depth - 1) * p->laplacian_taps, request.depth * p->laplacian_taps);
    frame = (std::max(frame, (request.depth * p->laplacian_taps + 3) / 4 * 4) + 3) / 4 * 4;
    set->x0 = set->y0 = frame;
    set->x1 = (p->axis[0].count - frame) & ~3;
    set->y1 = p->axis[1].count - frame;
    if (set->x1 - set->x0 < columns || set->y1 <= set->y0) {
        return false;
    }
    if (p->reach > 1 && frame_of_wide(request, set)) {
        return true;
    }
    if (p->reach == 1 && frame_of_small(request, set)) {
        place_events(request, set);
        return true;
    }
    mark_patches(request, false, set);
    add_patches(request, set); /* first: they come on top of the march's own time at the end */
    add_pieces(request, 0, p->axis[0].count, 0, set->y0, BORDER_LENGTH, &set->boxes);
    add_pieces(request, 0, p->axis[0].count, set->y1, p->axis[1].count, BORDER_LENGTH, &set->boxes);
    add_pieces(request, 0, set->x0, set->y0, set->y1, BORDER_LENGTH, &set->boxes);
    add_pieces(request, set->x1, p->axis[0].count, set->y0, set->y1, BORDER_LENGTH, &set->boxes);
    place_events(request, set);
    return true;
}

bool boxes_everywhere(const box_request &request, box_set *set)
{
    *set = {};
    add_pieces(request, 0, request.problem->axis[0].count, 0, request.problem->axis[1].count, PATCH, &set->boxes);
    place_events(request, set);
    /* Boxes at a zone need more than those in the middle. */
    for (const box &b : set->boxes) {
        if (bytes_of(request, b) > request.shared_limit) {
            return false;
        }
    }
    return true;
}
