/* Dividing the grid into boxes of shared memory, and sources and probes among boxes of any kind. Host only. Leaves out:
 * what a box does (tile.cu), what goes on beside a march (march_partition.cu), and grids that stay on the chip
 * (yee_partition.cu, wide_partition.cu). */
#include "kernels/common/boxes.h"

#include <algorithm>

#include "kernels/common/events.h"
#include "kernels/tile/tile_boxes.h"
#include "kernels/tuning.h"

namespace
{

bool driven_near(const struct problem *p, const struct source *s, const box &b, int halo)
{
    for (int64_t k = 0; k < s->count; k++) {
        grid_node at = node_at(s->node[k], p->axis[0].count);
        if (at.x >= b.x0 - halo && at.x < b.x1 + halo && at.y >= b.y0 - halo && at.y < b.y1 + halo) {
            return true;
        }
    }
    return false;
}

/* The whole grid; false when even small boxes do not fit the shared memory. */
bool cover_grid(const box_request &request, std::vector<box> *boxes)
{
    add_pieces(request, 0, request.problem->axis[0].count, 0, request.problem->axis[1].count, PATCH, boxes);
    /* Boxes at an absorber need more than those in the middle. */
    return std::all_of(boxes->begin(), boxes->end(), [&](const box &b) {
        return tile_bytes(request.problem, b, request.depth) <= request.shared_limit;
    });
}

} // namespace

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
                largest = std::max(largest, tile_bytes(request.problem, b, request.depth));
            }
        }
    }
}

/* Sources and probes to their boxes. */
void place_events(const box_request &request, box_set *set)
{
    const struct problem *p = request.problem;
    int halo = request.depth * tile_reach(p);
    for (box &b : set->boxes) {
        for (int r = 0; r < request.count && !b.near_source; r++) {
            b.near_source =
                (!set->border_in_registers || r == b.run) && driven_near(p, &p->sources[request.first + r], b, halo);
        }
    }
    place_probes(p, set);
}

void place_probes(const struct problem *p, box_set *set)
{
    for (box &b : set->boxes) {
        b.probe_first = (int)set->probe_slot.size();
        for (int k = 0; k < p->probe_count; k++) {
            grid_node at = node_at(p->probes[k].node, p->axis[0].count);
            if (at.x >= b.x0 && at.x < b.x1 && at.y >= b.y0 && at.y < b.y1) {
                set->probe_slot.push_back(k);
                set->probe_x.push_back(at.x);
                set->probe_y.push_back(at.y);
            }
        }
        b.probe_count = (int)set->probe_slot.size() - b.probe_first;
    }
}

bool boxes_everywhere(const box_request &request, box_set *set)
{
    *set = {};
    bool fit = cover_grid(request, &set->boxes);
    if (fit) {
        place_events(request, set);
    }
    return fit;
}

bool boxes_everywhere_fit(const box_request &request)
{
    std::vector<box> boxes;
    return cover_grid(request, &boxes);
}
