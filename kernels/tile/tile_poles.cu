/* Which dispersive nodes a box and its halo have, and memory for what they remember between the steps of a pass. Host
 * only. */
#include "kernels/tile/tile_boxes.h"

#include <algorithm>

namespace
{

/* Adds those that any step of the pass computes; spans come in order of rows. */
void add_nodes(const struct problem *problem, const box &b, int depth, const pole_quads &quads,
               std::vector<tile_pole> *nodes)
{
    const int64_t nx = problem->axis[0].count, ny = problem->axis[1].count;
    const int reach = tile_reach(problem), halo = (depth - 1) * reach;
    const int64_t left = std::max<int64_t>(b.x0 - halo, 0), right = std::min<int64_t>(b.x1 + halo, nx);
    const struct pole_span *const end = problem->pole_spans + problem->pole_span_count;
    for (int64_t y = std::max(b.y0 - halo, 0); y < std::min<int64_t>(b.y1 + halo, ny); y++) {
        const struct pole_span *span =
            std::partition_point(problem->pole_spans, (struct pole_span *)end,
                                 [&](const struct pole_span &s) { return s.place + s.count <= y * nx + left; });
        for (; span < end && span->place < y * nx + right; span++) {
            const int64_t from = std::max(span->place - y * nx, left),
                          to = std::min(span->place - y * nx + span->count, right);
            for (int64_t x = from; x < to; x++) {
                const size_t place = 4 * pole_quad_number(quads, (int)x, (int)y) + (size_t)x % 4;
                nodes->push_back(
                    {(uint32_t)place, (int16_t)(x - b.x0), (int16_t)(y - b.y0), (uint16_t)(span->medium + 1)});
            }
        }
    }
}

} // namespace

pw_status tile_boxes_take_poles(const struct problem *problem, const box_set &set, int depth, int runs,
                                const pole_quads &quads, device_memory *memory, tile_boxes *boxes, pw_error *error)
{
    std::vector<tile_pole> nodes;
    std::vector<int> first;
    for (const box &b : set.boxes) {
        first.push_back((int)nodes.size());
        add_nodes(problem, b, depth, quads, &nodes);
    }
    first.push_back((int)nodes.size());
    tile_poles *poles = &boxes->poles;
    poles->count = (int)nodes.size();
    TRY(device_copy(memory, &poles->nodes, (const tile_pole *)nodes.data(), nodes.size(), "dispersive nodes", error));
    TRY(device_copy(memory, &poles->first, (const int *)first.data(), first.size(), "dispersive nodes", error));
    return device_array(memory, &poles->scratch, (size_t)runs * (1 + quads.device.planes) * nodes.size(),
                        "dispersive nodes", error);
}
