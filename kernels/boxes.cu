/* Cutting the domain into boxes: a frame of tiles along the walls and absorber, patches around sources and probes, and the even division
 * of a small grid over the multiprocessors. Host code. Leaves out: what a box does (tile.cu). */
#include "boxes.h"

#include <algorithm>

#include "tuning.h"

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
    shape.nx = p->nx;
    shape.ny = p->ny;
    shape.layer = p->layer;
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

/* Marks near_source, and sorts the probes to their boxes. */
void place_events(const box_request &request, box_set *set)
{
    const struct problem *p = request.problem;
    int halo = request.depth * reach_of_tile(p);
    for (box &b : set->boxes) {
        for (int r = request.first; r < request.first + request.count && !b.near_source; r++) {
            const struct source *s = &p->sources[r];
            for (int64_t k = 0; k < s->count && !b.near_source; k++) {
                int x = (int)(s->node[k] % p->nx), y = (int)(s->node[k] / p->nx);
                b.near_source = x >= b.x0 - halo && x < b.x1 + halo && y >= b.y0 - halo && y < b.y1 + halo;
            }
        }
    }
    std::vector<std::vector<int>> own(set->boxes.size());
    for (int k = 0; k < p->probe_count; k++) {
        int x = (int)(p->probe_node[k] % p->nx), y = (int)(p->probe_node[k] / p->nx);
        for (size_t n = 0; n < set->boxes.size(); n++) {
            const box &b = set->boxes[n];
            if (x >= b.x0 && x < b.x1 && y >= b.y0 && y < b.y1) {
                own[n].push_back(k);
                break;
            }
        }
    }
    for (size_t n = 0; n < set->boxes.size(); n++) {
        set->boxes[n].probe_first = (int)set->probe_slot.size();
        set->boxes[n].probe_count = (int)own[n].size();
        for (int k : own[n]) {
            set->probe_slot.push_back(k);
            set->probe_x.push_back((int)(p->probe_node[k] % p->nx));
            set->probe_y.push_back((int)(p->probe_node[k] / p->nx));
        }
    }
}

void mark(box_set *set, int x0, int x1, int y0, int y1)
{
    x0 = std::max(x0, set->x0);
    x1 = std::min(x1, set->x1);
    y0 = std::max(y0, set->y0);
    y1 = std::min(y1, set->y1);
    for (int y = y0 / PATCH; y1 > y0 && y <= (y1 - 1) / PATCH; y++) {
        for (int x = x0 / PATCH; x1 > x0 && x <= (x1 - 1) / PATCH; x++) {
            set->skip[(size_t)y * set->skip_pitch + x] = 1;
        }
    }
}

/* Patches wherever a source can be felt within a pass, and around every probe. */
void mark_patches(const box_request &request, box_set *set)
{
    const struct problem *p = request.problem;
    set->skip_pitch = (p->nx + PATCH - 1) / PATCH;
    set->skip.assign((size_t)set->skip_pitch * ((p->ny + PATCH - 1) / PATCH), 0);
    int felt = (request.depth - 1) * reach_of_tile(p);
    for (int r = request.first; r < request.first + request.count; r++) {
        const struct source *s = &p->sources[r];
        for (int64_t k = 0; k < s->count; k++) {
            int x = (int)(s->node[k] % p->nx), y = (int)(s->node[k] / p->nx);
            mark(set, x - felt, x + felt + 1, y - felt, y + felt + 1);
        }
    }
    for (int k = 0; k < p->probe_count; k++) {
        int x = (int)(p->probe_node[k] % p->nx), y = (int)(p->probe_node[k] / p->nx);
        mark(set, x, x + 1, y, y + 1);
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

} // namespace

bool boxes_around_walk(const box_request &request, int columns, box_set *set)
{
    const struct problem *p = request.problem;
    *set = {};
    /* Every node that the walk computes on the way must lie outside the zone; every node it reads, in the domain. */
    int zone = p->layer > 0 ? p->layer + p->reach : 0;
    int frame = std::max(zone + (request.depth - 1) * p->ring_count, request.depth * p->ring_count);
    frame = (std::max(frame, (request.depth * p->ring_count + 3) / 4 * 4) + 3) / 4 * 4;
    set->x0 = set->y0 = frame;
    set->x1 = (p->nx - frame) & ~3;
    set->y1 = p->ny - frame;
    if (set->x1 - set->x0 < columns || set->y1 <= set->y0) {
        return false;
    }
    mark_patches(request, set);
    add_patches(request, set); /* first: they come on top of the walk's own time at the end */
    add_pieces(request, 0, p->nx, 0, set->y0, FRAME_LENGTH, &set->boxes);
    add_pieces(request, 0, p->nx, set->y1, p->ny, FRAME_LENGTH, &set->boxes);
    add_pieces(request, 0, set->x0, set->y0, set->y1, FRAME_LENGTH, &set->boxes);
    add_pieces(request, set->x1, p->nx, set->y0, set->y1, FRAME_LENGTH, &set->boxes);
    place_events(request, set);
    return true;
}

bool boxes_everywhere(const box_request &request, box_set *set)
{
    *set = {};
    add_pieces(request, 0, request.problem->nx, 0, request.problem->ny, PATCH, &set->boxes);
    place_events(request, set);
    /* Boxes at a zone need more than those in the middle. */
    for (const box &b : set->boxes) {
        if (bytes_of(request, b) > request.shared_limit) {
            return false;
        }
    }
    return true;
}

/* Cuts an axis into parts of equal weight, at multiples of `unit`; a node in a zone weighs more than one. */
static std::vector<int> cut_axis(int n, int zone, int parts, int unit, double weight)
{
    double total = n + 2.0 * std::min(zone, n / 2) * (weight - 1), passed = 0;
    std::vector<int> ends = {0};
    for (int i = 0; i < n && (int)ends.size() < parts; i++) {
        passed += i < zone || i >= n - zone ? weight : 1;
        if (passed >= total * (double)ends.size() / parts && (i + 1) % unit == 0 && i + 1 < n) {
            ends.push_back(i + 1);
        }
    }
    ends.push_back(n);
    return ends;
}

static int narrowest(const std::vector<int> &ends)
{
    int least = ends[1] - ends[0];
    for (size_t k = 1; k + 1 < ends.size(); k++) {
        least = std::min(least, ends[k + 1] - ends[k]);
    }
    return least;
}

static int widest(const std::vector<int> &ends)
{
    int most = 0;
    for (size_t k = 0; k + 1 < ends.size(); k++) {
        most = std::max(most, ends[k + 1] - ends[k]);
    }
    return most;
}

/* Nodes that the box in the middle computes in an average step of a round. */
static double computed(int width, int height, int depth, int reach)
{
    double work = 0;
    for (int k = 0; k < depth; k++) {
        work += (double)(width + 2 * k * reach) * (height + 2 * k * reach) / depth;
    }
    return work;
}

bool boxes_resident(const box_request &request, int processors, box_set *set, double *cost)
{
    const struct problem *p = request.problem;
    int reach = reach_of_tile(p), halo = request.depth * reach, zone = p->layer > 0 ? p->layer + p->reach : 0;
    std::vector<int> best_x, best_y;
    double weight = p->reach == 1 ? ZONE_WEIGHT : ZONE_WEIGHT_WIDE;
    for (int columns = 1; columns <= std::min(processors, (p->nx + 3) / 4); columns++) {
        std::vector<int> x = cut_axis(p->nx, zone, columns, 4, weight),
                         y = cut_axis(p->ny, zone, std::min(processors / columns, p->ny), 1, weight);
        bool wide = x.size() == 2 || narrowest(x) >= halo, high = y.size() == 2 || narrowest(y) >= halo;
        double work = computed(widest(x), widest(y), request.depth, reach);
        if (wide && high && (best_x.empty() || work < *cost)) {
            *cost = work;
            best_x = x;
            best_y = y;
        }
    }
    if (best_x.empty()) {
        return false;
    }
    *set = {};
    set->columns = (int)best_x.size() - 1;
    set->rows = (int)best_y.size() - 1;
    for (int row = 0; row < set->rows; row++) {
        for (int column = 0; column < set->columns; column++) {
            box b = {};
            b.x0 = best_x[column];
            b.x1 = best_x[column + 1];
            b.y0 = best_y[row];
            b.y1 = best_y[row + 1];
            if (bytes_of(request, b) > request.shared_limit) {
                return false;
            }
            set->boxes.push_back(b);
        }
    }
    place_events(request, set);
    return true;
}
