/* Small grids of yee stay on the chip: every block keeps a tile, every thread some of its nodes, with their fields,
 * medium and filter states in registers for the whole batch of steps. Lanes exchange Ez by shuffles, warps through
 * shared memory with one barrier a step, tiles through L2 (yee_halo.h), all at every step. Warps choose among loops by
 * whether they have filters along the lanes, along the stack, along both or none. Leaves out: cutting the grid into
 * tiles (yee_partition.cu), the division of a tile (yee_tile.h), the arithmetic (yee_step.h), the wide stencils
 * (wide_resident.cu). */
#include "kernels/common/lattice.h"
#include "kernels/resident/yee_place.h"
#include "kernels/resident/yee_state.h"

namespace
{

/* Probes that are more than the block has threads, after `steps` steps. */
__device__ __noinline__ void record_others(const device_events<float> &events, int64_t steps, unsigned odd)
{
    const tile_memory *m = block_memory();
    const tile_block &w = m->block;
    size_t row = (size_t)(steps - 1 - events.record_first) * events.probe_count;
    for (int k = (int)threadIdx.x + w.threads; k < w.own.probe_count; k += w.threads) {
        int n = w.own.probe_first + k;
        events.record[row + events.probe_slot[n]] = m->shown[odd][slot_of(w, events.probe_x[n], events.probe_y[n])];
    }
}

/* The warp's part of the sample after `steps` steps, along x. */
template <int LANE, int R> __device__ __noinline__ void sample(const resident_plan &plan, int64_t steps, unsigned odd)
{
    constexpr int WIDE = 32 * LANE;
    const tile_memory *m = block_memory();
    const tile_block &w = m->block;
    const device_spectra &s = plan.spectra;
    float *to = plan.samples + (size_t)(steps / s.every - 1 - plan.sample_first) * s.cells;
    const float *shown = m->shown[odd] + threadIdx.x / 32 * 32;
    bool turned = (w.own.kind & TILE_TURNED) != 0;
    int first = w.s0 + w.stack.start((int)threadIdx.x / 32), end = min(first + R, w.s1);
    int l1 = min(w.l1, w.l0 - 1 + WIDE);
    visit_lattice(s, turned ? first : w.l0, turned ? end : l1, turned ? w.l0 : first, turned ? l1 : end,
                  (int)threadIdx.x % 32, 32, [&](int x, int y, size_t at) {
                      int r = (turned ? x : y) - first, position = (turned ? y : x) - w.l0 + 1;
                      to[at] = shown[(r * LANE + position % LANE) * TILE_THREADS + position / LANE];
                  });
}

template <int LANE> __device__ __forceinline__ void get_row(float (&to)[LANE], const float *from)
{
    if (LANE == 2) {
        float2 both = *(const float2 *)from;
        to[0] = both.x;
        to[LANE - 1] = both.y;
    } else {
        to[0] = *from;
    }
}

template <int LANE> __device__ __forceinline__ void put_row(float *to, const float (&from)[LANE])
{
    if (LANE == 2) {
        *(float2 *)to = make_float2(from[0], from[LANE - 1]);
    } else {
        *to = from[0];
    }
}

/* The block's barrier: of the warps that have rows. */
__device__ __forceinline__ void meet(int threads)
{
    asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
}

/* Ez beyond the first and last row: of the warps there, or the odd image about the low wall. */
template <int LANE, int R>
__device__ __forceinline__ void get_beyond(const tile_place &at, const float *seen, tile_nodes<LANE, R> &c)
{
    get_row<LANE>(c.before, seen - EDGE_ROW);
    get_row<LANE>(c.after, seen + 2 * EDGE_ROW);
    if (at.first == 0) {
#pragma unroll
        for (int k = 0; k < LANE; k++) {
            c.before[k] = -c.e[1][k];
        }
    }
}

/* The odd images about the low wall along the lanes. */
template <int LANE, int R> __device__ __forceinline__ void mirror(tile_nodes<LANE, R> &c)
{
#pragma unroll
    for (int r = 0; r < R; r++) {
        float inside = __shfl_down_sync(0xffffffffu, c.e[r][0], 2 / LANE);
        c.e[r][0] = threadIdx.x % 32 == 0 ? -inside : c.e[r][0];
    }
}

/* The parts of both columns that need not wait. */
template <int ROWS, bool LZ, bool SZ, int LANE, int R>
__device__ __forceinline__ void advance_columns(const device_problem<float> &p, const tile_place &at,
                                                tile_nodes<LANE, R> &c)
{
    advance_early<0, ROWS, LZ, SZ>(p, at, c);
    if (LANE == 2) {
        advance_early<LANE - 1, ROWS, LZ, SZ>(p, at, c);
    }
}

/* What drives a warp's nodes, and what is known of a step when it begins. */
struct tile_drive {
    unsigned driven;
    bool near, hard;
    float amplitude;
    const float *weights;
};

/* Increments that had to wait, and the new Ez of these rows. */
template <int ROWS, bool LZ, bool SZ, int LANE, int R>
__device__ __forceinline__ void finish(const device_problem<float> &p, const tile_place &at, const tile_drive &drive,
                                       tile_nodes<LANE, R> &c)
{
    advance_late<ROWS, LZ, SZ>(p, at, c);
    settle<ROWS>(c);
    if (drive.near) {
        drive_nodes<ROWS>(c, drive.driven, drive.weights, drive.amplitude, drive.hard);
    }
}

/* One step, in the order in which others wait for it. ENDS: the warp has an end, whose row waits for packets. */
template <bool ENDS, bool LZ, bool SZ, int LANE, int R>
__device__ __forceinline__ void advance(const device_problem<float> &p, const tile_place &at, const tile_mail &mail,
                                        const tile_drive &drive, unsigned set, unsigned number, tile_nodes<LANE, R> &c)
{
    tile_news<LANE, R> news;
    ask<ENDS>(mail, at, news);
    if (LZ) {
        lane_halves(p, c);
    }
    advance_columns<ENDS ? INNER : ALL, LZ, SZ>(p, at, c);
    await<ENDS>(mail, at, news, c, number);
    if (ENDS) {
        advance_columns<OUTER, LZ, SZ>(p, at, c);
        finish<OUTER, LZ, SZ>(p, at, drive, c);
        post_end(mail, at, c, set, number + 1);
    }
    finish<ENDS ? INNER : ALL, LZ, SZ>(p, at, drive, c);
    post_side(mail, c, set, number + 1);
}

/* The whole batch of a warp. Every kind passes the same barriers. */
template <int LANE, int R, bool LZ, bool SZ, bool ENDS>
__device__ __forceinline__ void run_rows(const device_problem<float> &p, const device_fields<float> &from,
                                         const device_fields<float> &to, const device_events<float> &events,
                                         const resident_plan &plan, int64_t step, unsigned steps)
{
    tile_memory *m = block_memory();
    const tile_block &w = m->block;
    tile_place at = place_rows(m, p.zone);
    tile_mail mail = address_mail(w, at, plan, p);
    bool turned = (w.own.kind & TILE_TURNED) != 0, image = w.l0 == 0;
    int threads = w.threads;
    unsigned set = w.set;
    tile_nodes<LANE, R> c;
    start_nodes<LANE, R, LZ, SZ>(at, turned, p, from, c);
    float *edges = m->edges;
    int edge = ((int)threadIdx.x / 32 + 1) * 2 * EDGE_ROW + (int)threadIdx.x % 32 * LANE; /* next to be written */
    put_row<LANE>(edges + edge, c.e[0]);
    put_row<LANE>(edges + edge + EDGE_ROW, c.e[R - 1]);
    edge ^= EDGE_SET;
    post_side(mail, c, set, 1);
    if (ENDS) {
        post_end(mail, at, c, set, 1);
    }
    turn_over<ENDS>(mail, set);
    tile_drive drive = {m->driven[threadIdx.x], false, events.sources->hard, 0, m->weights + threadIdx.x};
    drive.near = __any_sync(0xffffffffu, drive.driven != 0);
    bool shows = __any_sync(0xffffffffu, m->probed[threadIdx.x] != 0);
    const double *waveform = events.sources->drive + step,
                 *waveform_end = events.sources->drive + events.sources->steps;
    double amplitude = drive.near ? *waveform : 0;
    unsigned every = plan.samples != NULL ? (unsigned)plan.spectra.every : 0;
    unsigned sampled = every > 0 ? every - (unsigned)(step % every) : 0; /* the next step to sample */
    bool records = (int)threadIdx.x / 32 * 32 < w.own.probe_count, crowded = w.own.probe_count > threads;
    int probe = -1; /* of this thread: where it is shown, and where in the record */
    float *probe_to = events.record;
    if ((int)threadIdx.x < w.own.probe_count) {
        int k = w.own.probe_first + (int)threadIdx.x;
        probe = slot_of(w, events.probe_x[k], events.probe_y[k]);
        probe_to += (size_t)(step - events.record_first) * events.probe_count + events.probe_slot[k];
    }
    meet(threads);
    for (unsigned n = 1; n <= steps; n++) {
        get_beyond(at, edges + (edge ^ EDGE_SET), c);
        if (LZ && image) {
            mirror(c);
        }
        if (drive.near) {
            drive.amplitude = (float)amplitude;
            if (++waveform < waveform_end) { /* in time for the next step */
                amplitude = __ldg(waveform);
            }
        }
        advance<ENDS, LZ, SZ>(p, at, mail, drive, set, n, c);
        turn_over<ENDS>(mail, set);
        put_row<LANE>(edges + edge, c.e[0]);
        put_row<LANE>(edges + edge + EDGE_ROW, c.e[R - 1]);
        edge ^= EDGE_SET;
        if (shows || n == sampled) {
#pragma unroll
            for (int k = 0; k < R * LANE; k++) {
                m->shown[n & 1u][k * TILE_THREADS + threadIdx.x] = c.e[k / LANE][k % LANE];
            }
        }
        meet(threads);
        if (records || n == sampled) {
            if (probe >= 0) {
                *probe_to = m->shown[n & 1u][probe];
                probe_to += events.probe_count;
            }
            if (crowded) {
                record_others(events, step + n, n & 1u);
            }
            if (n == sampled) {
                sample<LANE, R>(plan, step + n, n & 1u);
                sampled += every;
            }
        }
    }
    move_nodes<LANE, R, LZ, SZ, true>(at, turned, p, to, c);
}

__global__ void __launch_bounds__(TILE_THREADS, 1)
    small_kernel(const __grid_constant__ device_problem<float> p, const __grid_constant__ device_fields<float> from,
                 const __grid_constant__ device_fields<float> to, const __grid_constant__ device_events<float> events,
                 const __grid_constant__ resident_plan plan, int64_t step, unsigned steps)
{
    tile_memory *m = block_memory();
    for (int k = (int)threadIdx.x; k < 2 * EDGE_SET; k += TILE_THREADS) {
        m->edges[k] = 0;
    }
    m->driven[threadIdx.x] = m->probed[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        fill_block(&m->block, p, plan);
    }
    __syncthreads();
    const tile_block &w = m->block;
    bool turned = (w.own.kind & TILE_TURNED) != 0;
    for (int k = (int)threadIdx.x; k < TILE_HEIGHT + 8; k += TILE_THREADS) {
        int s = w.s0 + k - 1;
        m->filters[k] = turned ? filters_at(p.x_half, p.x_node, s, p.nx) : filters_at(p.y_half, p.y_node, s, p.ny);
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
    if (w.stack.in_zone(warp)) {
        plain ? RUN(2, ZONE_ROWS, false, true) : single ? RUN(1, ZONE_ROWS, true, true) : RUN(2, ZONE_ROWS, true, true);
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
    return 4 * (size_t)set_bytes(ny, tiles, columns) / sizeof(unsigned); /* the sets begin at a multiple of both */
}

pw_status yee_resident_advance(const device_problem<float> &problem, const device_fields<float> fields[2],
                               const device_events<float> &events, const resident_plan &plan, int64_t step,
                               int64_t steps, cudaStream_t stream, pw_error *error)
{
    if (steps == 0) {
        return PW_OK;
    }
    device_problem<float> p = problem;
    device_fields<float> from = fields[0], to = fields[steps % 2];
    device_events<float> e = events;
    resident_plan r = plan;
    unsigned count = (unsigned)steps;
    int tiles = plan.box_count;
    void *arguments[] = {&p, &from, &to, &e, &r, &step, &count};
    const void *kernel = (const void *)small_kernel;
    TRY(allow_shared_memory<small_kernel>(error));
    /* No packet of an earlier batch may pass for one of this. */
    CUDA_TRY(
        cudaMemsetAsync(plan.packets, 0, sizeof(unsigned) * yee_resident_words(p.ny, tiles, plan.columns), stream));
    /* Cooperative: all blocks run at once, or the launch fails; they wait for each other. */
    CUDA_TRY(
        cudaLaunchCooperativeKernel(kernel, dim3(tiles), dim3(TILE_THREADS), arguments, sizeof(tile_memory), stream));
    return PW_OK;
}
