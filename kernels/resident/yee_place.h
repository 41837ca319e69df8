/* What a block of yee_resident.cu and its warps know for the whole batch: the tile, its memory on the chip, which rows
 * a warp has, where its packets lie, and which of its nodes are driven or watched. Leaves out: fields and filter states
 * (yee_state.h). */
#ifndef SMALL_YEE_PLACE_H
#define SMALL_YEE_PLACE_H

#include "kernels/resident/yee_halo.h"
#include "kernels/resident/yee_resident.h"

/* What a block knows for the whole batch; in shared memory. */
struct tile_block {
    box own;
    tile_stack stack;
    int n, rows_n;      /* nodes of the lanes' axis and of the stack's */
    int l0, l1, s0, s1; /* the tile on these axes */
    int threads;        /* of the warps that have rows */
    int tiles;
    unsigned set; /* bytes from one set of packets to the other */
};

/* Edges of two steps, told apart by one bit of the index. */
constexpr int EDGE_ROW = 64, EDGE_SET = 2048, SHARED_NODES = TILE_NODES * TILE_THREADS;

static_assert((TILE_WARPS + 2) * 2 * EDGE_ROW <= EDGE_SET, "room for every warp's edges");

/* Memory of a block. */
struct tile_memory {
    float edges[2 * EDGE_SET];       /* Ez of the first and last row of every warp, of even and of odd steps */
    float4 filters[TILE_HEIGHT + 8]; /* along the stack; element 0 is before the first row */
    float weights[SHARED_NODES];     /* of sources: a thread's node k at k threads */
    float shown[2][SHARED_NODES];    /* Ez of warps with probes, and for samples */
    unsigned driven[TILE_THREADS], probed[TILE_THREADS];
    tile_block block;
};

__device__ __forceinline__ tile_memory *block_memory()
{
    extern __shared__ float4 shared_memory[];
    return (tile_memory *)shared_memory;
}

/* Element of tile_memory.weights of a node of the tile. */
__device__ __forceinline__ int slot_of(const tile_block &w, int x, int y)
{
    bool turned = (w.own.kind & TILE_TURNED) != 0;
    int lane_nodes = tile_lane_nodes(w.own.kind), position = (turned ? y : x) - w.l0 + 1, row = (turned ? x : y) - w.s0;
    int warp = w.stack.warp_of(row), node = (row - w.stack.start(warp)) * lane_nodes + position % lane_nodes;
    return node * TILE_THREADS + 32 * warp + position / lane_nodes;
}

__device__ inline void fill_block(tile_block *w, const device_problem<float> &p, const resident_plan &plan)
{
    const box b = plan.boxes[blockIdx.x];
    bool turned = (b.kind & TILE_TURNED) != 0;
    w->own = b;
    w->l0 = turned ? b.y0 : b.x0;
    w->l1 = turned ? b.y1 : b.x1;
    w->s0 = turned ? b.x0 : b.y0;
    w->s1 = turned ? b.x1 : b.y1;
    w->n = turned ? p.ny : p.nx;
    w->rows_n = turned ? p.nx : p.ny;
    w->stack = make_stack(b.kind, w->s0, w->s1, w->rows_n, p.zone);
    w->threads = 32 * w->stack.warps();
    w->tiles = (int)gridDim.x;
    w->set = set_bytes(p.ny, w->tiles, plan.columns);
}

/* Tells the threads which of their nodes are driven, with what weights, and which have probes. */
__device__ inline void mark_nodes(tile_memory *m, const device_problem<float> &p, const device_events<float> &events)
{
    const tile_block &w = m->block;
    const device_source &source = *events.sources;
    for (int k = (int)threadIdx.x; k < source.count; k += TILE_THREADS) {
        int x = (int)(source.node[k] % p.nx), y = (int)(source.node[k] / p.nx);
        if (x >= w.own.x0 && x < w.own.x1 && y >= w.own.y0 && y < w.own.y1) {
            int slot = slot_of(w, x, y);
            m->weights[slot] = (float)source.weight[k];
            atomicOr(m->driven + slot % TILE_THREADS, 1u << slot / TILE_THREADS);
        }
    }
    for (int k = (int)threadIdx.x; k < w.own.probe_count; k += TILE_THREADS) {
        int slot = slot_of(w, events.probe_x[w.own.probe_first + k], events.probe_y[w.own.probe_first + k]);
        m->probed[slot % TILE_THREADS] = 1;
    }
}

__device__ __forceinline__ tile_place place_rows(const tile_memory *m, int zone)
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
    at.bits = (at.lane <= 0 && last >= 0 ? 1u << 4 : 0u) |
              ((last == w.l0 && w.l0 > 0) || (last == w.l1 - 1 && w.l1 < w.n) ? 1u << 7 : 0u);
    for (int k = 0; k < lane_nodes; k++) {
        int l = at.lane + k;
        at.bits |= l >= w.l0 && l < w.l1 ? 1u << k : 0u;
        at.bits |= l >= w.l0 && (l < w.l1 || l == w.n) ? 32u << k : 0u;
        at.bits |= zone > 0 && (l < zone || l >= w.n - zone) ? 4u << k : 0u;
    }
    for (int r = 0; r < rows; r++) {
        int s = at.first + r;
        at.bits |= zone > 0 && (s < zone || s >= w.rows_n - zone) ? 1u << (8 + r) : 0u;
    }
    return at;
}

/* The packets of an edge: of what lies beyond it (theirs), or before it. */
__device__ __forceinline__ int packets_at(const tile_block &w, int ny, bool across_x, bool high, bool theirs)
{
    int me = (int)blockIdx.x;
    return across_x ? line_of(w.tiles, w.own.run - (high ? 0 : 1), high == theirs, ny)
                    : edge_of(theirs ? me + (high ? 1 : -1) : me, high != theirs);
}

__device__ __forceinline__ tile_mail address_mail(const tile_block &w, const tile_place &at, const resident_plan &plan,
                                                  const device_problem<float> &p)
{
    bool turned = (w.own.kind & TILE_TURNED) != 0;
    int lane = (int)threadIdx.x % 32, lane_nodes = tile_lane_nodes(w.own.kind), wide = w.l1 - w.l0;
    bool asks_low = w.l0 > 0 && lane == 0, asks_high = w.l1 < w.n && lane == (wide + 1) / lane_nodes,
         posts_low = w.l0 > 0 && lane == 1 / lane_nodes, posts_high = w.l1 < w.n && lane == wide / lane_nodes;
    bool low = at.first == w.s0 && w.s0 > 0; /* else the end is the high one, if it has one */
    /* Index of the thread's first node on an edge across the lanes, and across the stack. */
    int row = turned ? at.first - w.own.x0 : at.first, column = turned ? at.lane : at.lane - w.own.x0;
    int line_step = line_packets(p.ny);
    uint2 *packets = (uint2 *)(((uintptr_t)plan.packets + 2 * w.set - 1) & ~(uintptr_t)(2 * w.set - 1));
    tile_mail mail;
    mail.side = packets + packets_at(w, p.ny, !turned, asks_high || posts_high, true) + row;
    mail.end = packets + packets_at(w, p.ny, turned, !low, true) + column;
    mail.side_step = (asks_high || posts_high ? -1 : 1) * (turned ? EDGE_PACKETS : line_step);
    mail.end_step = (low ? 1 : -1) * (turned ? line_step : EDGE_PACKETS);
    mail.bits = (asks_low || asks_high ? 1u : 0u) | (posts_low || posts_high ? 2u : 0u) | (low ? 4u : 0u);
    for (int pair = 0; pair < STACK_ROWS / 2; pair++) {
        mail.wanted[pair] = (asks_low || asks_high) && 2 * pair < at.rows ? ~0u : 0u;
    }
    return mail;
}

#endif
