/* What a block of yee_resident.cu and its threads know for the whole batch: the tile, its shared memory, which nodes a
 * thread has, where its halo slots lie, and which nodes are driven or have a probe. Leaves out: fields and filter
 * states (yee_state.h). */
#ifndef YEE_PLACE_H
#define YEE_PLACE_H

#include "kernels/common/events.h"
#include "kernels/resident/yee_halo.h"
#include "kernels/resident/yee_resident.h"

/* What a block knows for the whole batch; lies in shared memory. */
struct tile_block {
    box own;
    tile_stack stack;
    int n, rows_n;      /* nodes of the grid on the lanes' axis and on the stack's axis */
    int l0, l1, s0, s1; /* the tile on these axes: l0..l1 along the lanes, s0..s1 along the stack */
    int threads;        /* threads of the warps that have rows */
    int tiles;
    unsigned parity_bytes; /* bytes between the two parts of the halo buffer */
};

/* Shared memory has the first and last row of every warp twice, for even and for odd steps: one bit of the index tells
 * the two apart. */
constexpr int EDGE_ROW = 64, EDGE_PARITY = 2048, SHARED_NODES = TILE_NODES * TILE_THREADS;

static_assert((TILE_WARPS + 2) * 2 * EDGE_ROW <= EDGE_PARITY, "room for every warp's edges");

/* Shared memory of a block. */
struct tile_memory {
    float edges[2 * EDGE_PARITY];         /* Ez of the first and last row of every warp, at even and at odd steps */
    filter_pair filters[TILE_HEIGHT + 8]; /* along the stack; element 0 belongs to the row before the first */
    float weights[SHARED_NODES];          /* of sources: node k of a thread is element k TILE_THREADS + thread */
    float observed[2][SHARED_NODES]; /* Ez of warps with probes, and of all at a sample; laid out as the weights are */
    unsigned driven[TILE_THREADS], probed[TILE_THREADS];
    tile_block block;
};

__device__ __forceinline__ tile_memory *block_memory()
{
    extern __shared__ float4 shared_memory[];
    return (tile_memory *)shared_memory;
}

/* Element of tile_memory.weights that belongs to node (x, y) of the tile. */
__device__ __forceinline__ int element_of(const tile_block &w, int x, int y)
{
    bool transposed = (w.own.kind & TILE_TRANSPOSED) != 0;
    int lane_nodes = tile_lane_nodes(w.own.kind), position = (transposed ? y : x) - w.l0 + 1,
        row = (transposed ? x : y) - w.s0;
    int warp = w.stack.warp_of(row), node = (row - w.stack.start(warp)) * lane_nodes + position % lane_nodes;
    return node * TILE_THREADS + 32 * warp + position / lane_nodes;
}

__device__ inline void fill_block(tile_block *w, const device_problem<float> &p, const resident_plan &plan)
{
    const box b = plan.boxes[blockIdx.x];
    bool transposed = (b.kind & TILE_TRANSPOSED) != 0;
    w->own = b;
    w->l0 = transposed ? b.y0 : b.x0;
    w->l1 = transposed ? b.y1 : b.x1;
    w->s0 = transposed ? b.x0 : b.y0;
    w->s1 = transposed ? b.x1 : b.y1;
    w->n = transposed ? p.ny : p.nx;
    w->rows_n = transposed ? p.nx : p.ny;
    w->stack = make_stack(b.kind, w->s0, w->s1, w->rows_n, p.absorber_region);
    w->threads = 32 * w->stack.warps();
    w->tiles = (int)gridDim.x;
    w->parity_bytes = halo_parity_bytes(p.ny, w->tiles, plan.columns);
}

/* Marks for every thread which of its nodes are driven, with what weights, and whether it has probes. */
__device__ inline void mark_nodes(tile_memory *m, const device_problem<float> &p, const device_events<float> &events)
{
    const tile_block &w = m->block;
    const device_source &source = *events.sources;
    for (int k = (int)threadIdx.x; k < source.count; k += TILE_THREADS) {
        grid_node node = node_at(source.node[k], p.nx);
        if (node.x >= w.own.x0 && node.x < w.own.x1 && node.y >= w.own.y0 && node.y < w.own.y1) {
            int element = element_of(w, node.x, node.y);
            m->weights[element] = (float)source.weight[k];
            atomicOr(m->driven + element % TILE_THREADS, 1u << element / TILE_THREADS);
        }
    }
    for (int k = (int)threadIdx.x; k < w.own.probe_count; k += TILE_THREADS) {
        int element = element_of(w, events.probe_x[w.own.probe_first + k], events.probe_y[w.own.probe_first + k]);
        m->probed[element % TILE_THREADS] = 1;
    }
}

__device__ __forceinline__ tile_place place_rows(const tile_memory *m, int region)
{
    const tile_block &w = m->block;
    int warp = (int)threadIdx.x / 32, lane_nodes = tile_lane_nodes(w.own.kind), start = w.stack.start(warp),
        rows = w.stack.rows_of(warp);
    tile_place at;
    at.lane = w.l0 - 1 + (int)threadIdx.x % 32 * lane_nodes;
    at.first = w.s0 + start;
    at.rows = min(rows, w.stack.size - start);
    at.filters = m->filters + start;
    int last = at.lane + lane_nodes - 1;
    at.bits = (at.lane <= 0 && last >= 0 ? 1u << PLACE_ON_WALL : 0u) |
              ((last == w.l0 && w.l0 > 0) || (last == w.l1 - 1 && w.l1 < w.n) ? 1u << PLACE_BESIDE : 0u);
    for (int k = 0; k < lane_nodes; k++) {
        int l = at.lane + k;
        at.bits |= l >= w.l0 && l < w.l1 ? 1u << (PLACE_OWNED + k) : 0u;
        at.bits |= l >= w.l0 && (l < w.l1 || l == w.n) ? 1u << (PLACE_SENT + k) : 0u;
        at.bits |= region > 0 && (l < region || l >= w.n - region) ? 1u << (PLACE_REGION_COLUMN + k) : 0u;
    }
    for (int r = 0; r < rows; r++) {
        int s = at.first + r;
        at.bits |= region > 0 && (s < region || s >= w.rows_n - region) ? 1u << (PLACE_REGION_ROW + r) : 0u;
    }
    return at;
}

/* First slot of an edge of the tile, across x or across y, at its low or high end: of the neighbour's nodes beyond it
 * (theirs), or of the own nodes before it. */
__device__ __forceinline__ int slots_at(const tile_block &w, int ny, bool across_x, bool high, bool theirs)
{
    int me = (int)blockIdx.x;
    return across_x ? first_line_slot(w.tiles, w.own.run - (high ? 0 : 1), high == theirs, ny)
                    : first_edge_slot(theirs ? me + (high ? 1 : -1) : me, high != theirs);
}

__device__ __forceinline__ tile_halo address_halo(const tile_block &w, const tile_place &at, const resident_plan &plan,
                                                  const device_problem<float> &p)
{
    bool transposed = (w.own.kind & TILE_TRANSPOSED) != 0;
    int lane = (int)threadIdx.x % 32, lane_nodes = tile_lane_nodes(w.own.kind), wide = w.l1 - w.l0;
    bool receives_low = w.l0 > 0 && lane == 0, receives_high = w.l1 < w.n && lane == (wide + 1) / lane_nodes,
         sends_low = w.l0 > 0 && lane == 1 / lane_nodes, sends_high = w.l1 < w.n && lane == wide / lane_nodes;
    bool low = at.first == w.s0 && w.s0 > 0; /* else the warp's end is the high one, if it has an end */
    /* Index of the thread's first node on an edge across the lanes, and on one across the stack. */
    int row = transposed ? at.first - w.own.x0 : at.first, column = transposed ? at.lane : at.lane - w.own.x0;
    int line_step = line_slots(p.ny);
    uint2 *slots =
        (uint2 *)(((uintptr_t)plan.halo_buffer + 2 * w.parity_bytes - 1) & ~(uintptr_t)(2 * w.parity_bytes - 1));
    tile_halo halo;
    halo.side = slots + slots_at(w, p.ny, !transposed, receives_high || sends_high, true) + row;
    halo.end = slots + slots_at(w, p.ny, transposed, !low, true) + column;
    halo.side_step = (receives_high || sends_high ? -1 : 1) * (transposed ? EDGE_SLOTS : line_step);
    halo.end_step = (low ? 1 : -1) * (transposed ? line_step : EDGE_SLOTS);
    halo.bits = (receives_low || receives_high ? HALO_RECEIVES : 0u) | (sends_low || sends_high ? HALO_SENDS : 0u) |
                (low ? HALO_LOW_END : 0u);
    for (int pair = 0; pair < STACK_ROWS / 2; pair++) {
        halo.pair_mask[pair] = (receives_low || receives_high) && 2 * pair < at.rows ? ~0u : 0u;
    }
    return halo;
}

#endif
