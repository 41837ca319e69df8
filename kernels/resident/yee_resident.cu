/* Yee on a grid that stays on the chip. Every block keeps one tile, every thread some nodes of it with their fields,
 * coefficients and filter states in registers, for a whole batch of steps.
 *
 * Thread mapping: block b has tile plan.boxes[b]; its warp w has rows stack.start(w) ... of the tile, R of them; lane i
 * has columns l0 - 1 + LANE i + k, k < LANE (yee_tile.h draws a tile). LANE is 1 or 2. In transposed tiles rows are x.
 *
 * What moves in one step, between registers (A), shared memory (B) and the halo buffer in L2 (C):
 *
 *             tile                      |                        neighbouring tile
 *      +-------------------------+      |
 *      | warp 0  o o o o o o o o-|--(C)-|-> sides: first and last node of every row, two rows at once
 *      |         | first and     |      |
 *      |        (B) last row     |      |   (A) lanes of a warp exchange Ez by shuffles
 *      |         |               |      |   (B) warps exchange their first and last row in shared memory, written for
 *      | warp 1  o-o-(A)-o-o-o-o-|--(C)-|-> step n + 1 at the end of step n: one barrier a step
 *      |         |               |      |   (C) tiles exchange their edges through L2 (yee_halo.h)
 *      |        ...              |
 *      | warp w  o o o o o o o o |
 *      +---------|---------------+
 *               (C) ends: all nodes of the outermost row
 *
 *      time ->   load slots | inner rows | poll slots | outer rows, send ends | inner rows, send sides | (B) | barrier
 *
 * Warps choose among loops by whether they have filters along the lanes, along the stack, along both or none. Leaves
 * out: dividing the grid into tiles (yee_partition.cu) and a tile among warps (yee_tile.h), the arithmetic
 * (yee_step.h), and the wide stencils (wide_resident.cu). */
#include "kernels/common/cooperative_launch.h"
#include "kernels/common/events.h"
#include "kernels/common/lattice.h"
#include "kernels/resident/yee_place.h"
#include "kernels/resident/yee_state.h"

namespace
{

/* Records the probes for which the block has no thread, after `steps` steps. */
__device__ __noinline__ void record_remaining_probes(const device_events<float> &events, int64_t steps, unsigned odd)
{
    const tile_memory *m = block_memory();
    const tile_block &w = m->block;
    size_t row = (size_t)(steps - 1 - events.record_first) * events.probe_count;
    for (int k = (int)threadIdx.x + w.threads; k < w.own.probe_count; k += w.threads) {
        int n = w.own.probe_first + k;
        events.record[row + events.probe_slot[n]] =
            m->observed[odd][element_of(w, events.probe_x[n], events.probe_y[n])];
    }
}

/* Writes the warp's nodes of the spectra's sample after `steps` steps; lanes go along x. */
template <int LANE, int R> __device__ __noinline__ void sample(const resident_plan &plan, int64_t steps, unsigned odd)
{
    constexpr int WIDE = 32 * LANE;
    const tile_memory *m = block_memory();
    const tile_block &w = m->block;
    const device_spectra &s = plan.spectra;
    float *to = plan.samples + (size_t)(steps / s.every - 1 - plan.sample_first) * s.cells;
    const float *observed = m->observed[odd] + threadIdx.x / 32 * 32;
    bool transposed = (w.own.kind & TILE_TRANSPOSED) != 0;
    int first = w.s0 + w.stack.start((int)threadIdx.x / 32), end = min(first + R, w.s1);
    int l1 = min(w.l1, w.l0 - 1 + WIDE);
    visit_lattice(s, transposed ? first : w.l0, transposed ? end : l1, transposed ? w.l0 : first, transposed ? l1 : end,
                  (int)threadIdx.x % 32, 32, [&](int x, int y, size_t at) {
                      int r = (transposed ? x : y) - first, position = (transposed ? y : x) - w.l0 + 1;
                      to[at] = observed[(r * LANE + position % LANE) * TILE_THREADS + position / LANE];
                  });
}

template <int LANE> __device__ __forceinline__ void load_row(float (&to)[LANE], const float *from)
{
    if (LANE == 2) {
        float2 both = *(const float2 *)from;
        to[0] = both.x;
        to[LANE - 1] = both.y;
    } else {
        to[0] = *from;
    }
}

template <int LANE> __device__ __forceinline__ void store_row(float *to, const float (&from)[LANE])
{
    if (LANE == 2) {
        *(float2 *)to = make_float2(from[0], from[LANE - 1]);
    } else {
        *to = from[0];
    }
}

/* The block's barrier, for the warps that have rows. */
__device__ __forceinline__ void sync_warps(int threads)
{
    asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
}

/* Loads Ez before the first row and after the last: of the neighbouring warps, or the odd image about the low wall. */
template <int LANE, int R>
__device__ __forceinline__ void load_beyond(const tile_place &at, const float *seen, tile_nodes<LANE, R> &c)
{
    load_row<LANE>(c.before, seen - EDGE_ROW);
    load_row<LANE>(c.after, seen + 2 * EDGE_ROW);
    if (at.first == 0) {
#pragma unroll
        for (int k = 0; k < LANE; k++) {
            c.before[k] = -c.e[1][k];
        }
    }
}

/* Sets the odd images about the low wall along the lanes. */
template <int LANE, int R> __device__ __forceinline__ void reflect_at_wall(tile_nodes<LANE, R> &c)
{
#pragma unroll
    for (int r = 0; r < R; r++) {
        float inside = __shfl_down_sync(0xffffffffu, c.e[r][0], 2 / LANE);
        c.e[r][0] = threadIdx.x % 32 == 0 ? -inside : c.e[r][0];
    }
}

/* Computes in both columns what need not wait for other tiles. */
template <int ROWS, bool LANE_FILTERS, bool STACK_FILTERS, int LANE, int R>
__device__ __forceinline__ void advance_columns(const device_problem<float> &p, const tile_place &at,
                                                tile_nodes<LANE, R> &c)
{
    advance_early<0, ROWS, LANE_FILTERS, STACK_FILTERS>(p, at, c);
    if (LANE == 2) {
        advance_early<LANE - 1, ROWS, LANE_FILTERS, STACK_FILTERS>(p, at, c);
    }
}

/* The sources of a thread: its driven nodes, whether any of the warp are, and the amplitude of this step. */
struct tile_sources {
    unsigned driven;
    bool near, hard;
    float amplitude;
    const float *weights;
};

/* Finishes these rows: the increments that had to wait, the new Ez, and the sources. */
template <int ROWS, bool LANE_FILTERS, bool STACK_FILTERS, int LANE, int R>
__device__ __forceinline__ void complete_rows(const device_problem<float> &p, const tile_place &at,
                                              const tile_sources &sources, tile_nodes<LANE, R> &c)
{
    advance_late<ROWS, LANE_FILTERS, STACK_FILTERS>(p, at, c);
    add_increments<ROWS>(c);
    if (sources.near) {
        drive_nodes<ROWS>(c, sources.driven, sources.weights, sources.amplitude, sources.hard);
    }
}

/* One step, in the order in which others wait for its results. ENDS: the warp has an end of the stack, whose outermost
 * row waits for the halo. */
template <bool ENDS, bool LANE_FILTERS, bool STACK_FILTERS, int LANE, int R>
__device__ __forceinline__ void advance(const device_problem<float> &p, const tile_place &at, const tile_halo &halo,
                                        const tile_sources &sources, unsigned parity_bytes, unsigned arrival,
                                        tile_nodes<LANE, R> &c)
{
    halo_arrivals<LANE, R> arrived;
    halo_load_all<ENDS>(halo, at, arrived);
    if (LANE_FILTERS) {
        difference_lanes(p, c);
    }
    advance_columns<ENDS ? INNER_ROWS : ALL_ROWS, LANE_FILTERS, STACK_FILTERS>(p, at, c);
    halo_receive<ENDS>(halo, at, arrived, c, arrival);
    if (ENDS) {
        advance_columns<OUTER_ROWS, LANE_FILTERS, STACK_FILTERS>(p, at, c);
        complete_rows<OUTER_ROWS, LANE_FILTERS, STACK_FILTERS>(p, at, sources, c);
        halo_send_end(halo, at, c, parity_bytes, arrival + 1);
    }
    complete_rows<ENDS ? INNER_ROWS : ALL_ROWS, LANE_FILTERS, STACK_FILTERS>(p, at, sources, c);
    halo_send_side(halo, c, parity_bytes, arrival + 1);
}

/* Writes the first and the last row of the warp for its neighbours; `edge` is the lane's place, in the part of the
 * shared memory that is written next. */
template <int LANE, int R>
__device__ __forceinline__ void share_edges(float *edges, int &edge, const tile_nodes<LANE, R> &c)
{
    store_row<LANE>(edges + edge, c.e[0]);
    store_row<LANE>(edges + edge + EDGE_ROW, c.e[R - 1]);
    edge ^= EDGE_PARITY;
}

/* The whole batch of a warp. All kinds of warps pass the same barriers. */
template <int LANE, int R, bool LANE_FILTERS, bool STACK_FILTERS, bool ENDS>
__device__ __forceinline__ void run_rows(const device_problem<float> &p, const device_fields<float> &from,
                                         const device_fields<float> &to, const device_events<float> &events,
                                         const resident_plan &plan, int64_t step, unsigned steps)
{
    tile_memory *m = block_memory();
    const tile_block &w = m->block;
    tile_place at = place_rows(m, p.absorber_region);
    tile_halo halo = address_halo(w, at, plan, p);
    bool transposed = (w.own.kind & TILE_TRANSPOSED) != 0, image = w.l0 == 0;
    int threads = w.threads;
    unsigned parity_bytes = w.parity_bytes;
    tile_nodes<LANE, R> c;
    start_nodes<LANE, R, LANE_FILTERS, STACK_FILTERS>(at, transposed, p, from, c);
    float *edges = m->edges;
    int edge = ((int)threadIdx.x / 32 + 1) * 2 * EDGE_ROW +
               (int)threadIdx.x % 32 * LANE; /* where the lane writes its first row next */
    share_edges(edges, edge, c);
    halo_send_side(halo, c, parity_bytes, 1);
    if (ENDS) {
        halo_send_end(halo, at, c, parity_bytes, 1);
    }
    halo_switch_parity<ENDS>(halo, parity_bytes);
    tile_sources sources = {m->driven[threadIdx.x], false, events.sources->hard, 0, m->weights + threadIdx.x};
    sources.near = __any_sync(0xffffffffu, sources.driven != 0);
    bool observes = __any_sync(0xffffffffu, m->probed[threadIdx.x] != 0);
    const double *waveform = events.sources->drive + step,
                 *waveform_end = events.sources->drive + events.sources->steps;
    double amplitude = sources.near ? *waveform : 0;
    unsigned every = plan.samples != NULL ? (unsigned)plan.spectra.every : 0;
    unsigned sampled = every > 0 ? every - (unsigned)(step % every) : 0; /* the next step after which a sample is due */
    bool records = (int)threadIdx.x / 32 * 32 < w.own.probe_count, more_probes = w.own.probe_count > threads;
    int probe = -1; /* of this thread: its element of `observed`, and where it goes in the record */
    float *probe_to = events.record;
    if ((int)threadIdx.x < w.own.probe_count) {
        int k = w.own.probe_first + (int)threadIdx.x;
        probe = element_of(w, events.probe_x[k], events.probe_y[k]);
        probe_to += (size_t)(step - events.record_first) * events.probe_count + events.probe_slot[k];
    }
    sync_warps(threads);
    for (unsigned n = 1; n <= steps; n++) {
        load_beyond(at, edges + (edge ^ EDGE_PARITY), c);
        if (LANE_FILTERS && image) {
            reflect_at_wall(c);
        }
        if (sources.near) {
            sources.amplitude = (float)amplitude;
            if (++waveform < waveform_end) { /* loaded in time for the next step */
                amplitude = __ldg(waveform);
            }
        }
        advance<ENDS, LANE_FILTERS, STACK_FILTERS>(p, at, halo, sources, parity_bytes, n, c);
        halo_switch_parity<ENDS>(halo, parity_bytes);
        share_edges(edges, edge, c);
        if (observes || n == sampled) {
#pragma unroll
            for (int k = 0; k < R * LANE; k++) {
                m->observed[n & 1u][k * TILE_THREADS + threadIdx.x] = c.e[k / LANE][k % LANE];
            }
        }
        sync_warps(threads);
        if (records || n == sampled) {
            if (probe >= 0) {
                *probe_to = m->observed[n & 1u][probe];
                probe_to += events.probe_count;
            }
            if (more_probes) {
                record_remaining_probes(events, step + n, n & 1u);
            }
            if (n == sampled) {
                sample<LANE, R>(plan, step + n, n & 1u);
                sampled += every;
            }
        }
    }
    move_nodes<LANE, R, LANE_FILTERS, STACK_FILTERS, true>(at, transposed, p, to, c);
}

/* Block: tile plan.boxes[blockIdx.x]. Warp: rows w.stack.start(warp) ... of the tile. Lane: columns
 * w.l0 - 1 + LANE lane + k, k < LANE. */
__global__ void __launch_bounds__(TILE_THREADS, 1)
    yee_resident_kernel(const __grid_constant__ device_problem<float> p,
                        const __grid_constant__ device_fields<float> from,
                        const __grid_constant__ device_fields<float> to,
                        const __grid_constant__ device_events<float> events, const __grid_constant__ resident_plan plan,
                        int64_t step, unsigned steps)
{
    tile_memory *m = block_memory();
    for (int k = (int)threadIdx.x; k < 2 * EDGE_PARITY; k += TILE_THREADS) {
        m->edges[k] = 0;
    }
    m->driven[threadIdx.x] = m->probed[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        fill_block(&m->block, p, plan);
    }
    __syncthreads();
    const tile_block &w = m->block;
    bool transposed = (w.own.kind & TILE_TRANSPOSED) != 0;
    for (int k = (int)threadIdx.x; k < TILE_HEIGHT + 8; k += TILE_THREADS) {
        int s = w.s0 + k - 1;
        m->filters[k] = transposed ? filters_at(p.x_half, p.x_node, s, p.nx) : filters_at(p.y_half, p.y_node, s, p.ny);
    }
    mark_nodes(m, p, events);
    __syncthreads();
    int warp = (int)threadIdx.x / 32;
    if (warp >= w.stack.warps()) {
        return;
    }
    int start = w.stack.start(warp), end = start + w.stack.rows_of(warp);
    bool ends = (start == 0 && w.s0 > 0) || (end >= w.stack.size && w.s1 < w.rows_n);
#define RUN(...)                                                                                                       \
    (ends ? run_rows<__VA_ARGS__, true>(p, from, to, events, plan, step, steps)                                        \
          : run_rows<__VA_ARGS__, false>(p, from, to, events, plan, step, steps))
    bool plain = (w.own.kind & TILE_WALL) == 0, single = (w.own.kind & TILE_SINGLE) != 0;
    if (w.stack.in_region(warp)) {
        plain    ? RUN(2, REGION_ROWS, false, true)
        : single ? RUN(1, REGION_ROWS, true, true)
                 : RUN(2, REGION_ROWS, true, true);
    } else if (plain) {
        RUN(2, STACK_ROWS, false, false);
    } else if (w.stack.rows == WALL_ROWS) {
        single ? RUN(1, WALL_ROWS, true, false) : RUN(2, WALL_ROWS, true, false);
    } else {
        single ? RUN(1, STACK_ROWS, true, false) : RUN(2, STACK_ROWS, true, false);
    }
#undef RUN
}

} // namespace

size_t yee_resident_shared_bytes()
{
    return sizeof(tile_memory);
}

size_t yee_resident_words(int ny, int tiles, int columns)
{
    return 4 * (size_t)halo_parity_bytes(ny, tiles, columns) /
           sizeof(unsigned); /* the parts begin at a multiple of their common size */
}

pw_status yee_resident_advance(const device_problem<float> &problem, const device_fields<float> fields[2],
                               const device_events<float> &events, const resident_plan &plan, int64_t step,
                               int64_t steps, cudaStream_t stream, pw_error *error)
{
    if (steps == 0) {
        return PW_OK;
    }
    /* No slot of an earlier batch may pass for one of this batch. */
    size_t words = yee_resident_words(problem.ny, plan.box_count, plan.columns);
    CUDA_TRY(cudaMemsetAsync(plan.halo_buffer, 0, sizeof(unsigned) * words, stream));
    return launch_cooperative<yee_resident_kernel>({dim3(plan.box_count), TILE_THREADS, sizeof(tile_memory)}, stream,
                                                   error, problem, fields[0], fields[steps % 2], events, plan, step,
                                                   (unsigned)steps);
}
