/* The frame of absorber and walls beside a march of yee, and the patches around sources and probes: a block takes a box
 * with its halo for a pass of steps, every thread a column of ROWS nodes with their fields, medium and filter states in
 * registers. Ez alone goes through shared memory, twice, so that a step needs one barrier; the halo is recomputed.
 * Warps choose among four loops by whether their nodes lie in a zone of x, of y, of both or of none. Of the first box
 * of a block all that no pass changes is there before the pass before has ended (launch_beside). Leaves out: cutting
 * the frame into boxes (boxes.cu), and boxes whose warps begin inside a layer (the filtered difference to the west
 * comes from the lane before). */
#include <algorithm>

#include "kernels/border/yee_border_shape.h"
#include "kernels/common/lattice.h"

namespace
{

/* Warps are dealt so that those of one column or row of the block fall on all four schedulers (warp modulo 4). */
template <typename Shape> __device__ __forceinline__ int turned(int row)
{
    return Shape::wide == 2 ? row / 2 : Shape::wide == 4 ? row : 0;
}

/* What a block and its threads know for the whole batch. */
template <typename Shape> struct place {
    const box *own;
    int left, bottom; /* node of the thread grid's corner */
    int x, y;         /* the thread's first node */
    int lane;
    int probe_first, probe_count;
    unsigned live; /* bit r: row r is in the domain and within `depth` of what the block owns */
    unsigned owned;
    float *now;                /* Ez at the thread's first node, in the one field or the other */
    const float4 *row_filters; /* (gain, pole) half, node; element 0 is the row under the thread's first */
    const float *weights;      /* of sources, row r at r threads */
    unsigned driven;
};

template <typename Shape> struct column {
    static constexpr int R = Shape::rows;
    float e[R], v[R], ca[R], cb[R];
};

/* Filter states of a column in a zone; what a loop does not use costs nothing. */
template <typename Shape> struct states {
    static constexpr int R = Shape::rows;
    float x_half[R], x_node[R], y_half[R], y_node[R];
    float below; /* y_half of the row under the first */
};

/* The same value, but the compiler cannot know: keeps it from holding what is derived from it in registers through the
 * steps. */
__device__ __forceinline__ int fresh(int value)
{
    asm volatile("" : "+r"(value));
    return value;
}

template <typename Shape, bool ZX, bool ZY>
__device__ __forceinline__ void load_nodes(const place<Shape> &at, const device_problem<float> &p,
                                           const device_fields<float> &f, unsigned wanted, column<Shape> &c,
                                           states<Shape> &s)
{
    if (wanted == 0) {
        return;
    }
    int x = fresh(at.x), y = fresh(at.y), xs = ZX ? layer_index(x, p.nx, p.layer) : -1;
    const float *e = f.e + (size_t)y * p.pitch + x, *v = f.v + (size_t)y * p.pitch + x;
    const float *x_half = f.x_half + (ptrdiff_t)y * 2 * p.layer + xs,
                *x_node = f.x_node + (ptrdiff_t)y * 2 * p.layer + xs;
#pragma unroll
    for (int r = 0; r < Shape::rows; r++) {
        bool here = (wanted >> r & 1u) != 0;
        fetch_if(&c.e[r], e, here);
        fetch_if(&c.v[r], v, here);
        e += p.pitch;
        v += p.pitch;
        if (ZX) {
            fetch_if(&s.x_half[r], x_half, here && xs >= 0);
            fetch_if(&s.x_node[r], x_node, here && xs >= 0);
            x_half += 2 * p.layer;
            x_node += 2 * p.layer;
        }
        if (ZY) {
            int ys = layer_index(y + r, p.ny, p.layer);
            fetch_if(&s.y_half[r], f.y_half + (ptrdiff_t)ys * p.pitch + x, here && ys >= 0);
            fetch_if(&s.y_node[r], f.y_node + (ptrdiff_t)ys * p.pitch + x, here && ys >= 0);
        }
    }
    if (ZY) {
        int ys = y > 0 ? layer_index(y - 1, p.ny, p.layer) : -1;
        fetch_if(&s.below, f.y_half + (ptrdiff_t)ys * p.pitch + x, (wanted & 1u) != 0 && ys >= 0);
    }
}

template <typename Shape, bool ZX, bool ZY>
__device__ __forceinline__ void store_nodes(const place<Shape> &at, const device_problem<float> &p,
                                            const device_fields<float> &f, unsigned wanted, const column<Shape> &c,
                                            const states<Shape> &s)
{
    if (wanted == 0) {
        return;
    }
    int x = fresh(at.x), y = fresh(at.y), xs = ZX ? layer_index(x, p.nx, p.layer) : -1;
#pragma unroll
    for (int r = 0; r < Shape::rows; r++) {
        if ((wanted >> r & 1u) != 0) {
            size_t n = (size_t)(y + r) * p.pitch + x;
            __stcg(f.e + n, c.e[r]);
            __stcg(f.v + n, c.v[r]);
            if (ZX && xs >= 0) {
                size_t m = (size_t)(y + r) * 2 * p.layer + xs;
                __stcg(f.x_half + m, s.x_half[r]);
                __stcg(f.x_node + m, s.x_node[r]);
            }
            int ys = ZY ? layer_index(y + r, p.ny, p.layer) : -1;
            if (ZY && ys >= 0) {
                size_t m = (size_t)ys * p.pitch + x;
                __stcg(f.y_half + m, s.y_half[r]);
                __stcg(f.y_node + m, s.y_node[r]);
            }
        }
    }
}

/* Thread and row of a node of the thread grid, as an element of place.weights. */
template <typename Shape> __device__ __forceinline__ int slot_of(int i, int j)
{
    int high = j / Shape::rows, row = j % Shape::rows;
    int wide = (i / 32 - turned<Shape>(high) % Shape::wide + Shape::wide) % Shape::wide;
    return row * Shape::threads + (high * Shape::wide + wide) * 32 + i % 32;
}

/* Ez of the rows wanted into shared memory; the images beyond the low walls are odd, those beyond the high ones stay
 * zero. */
template <typename Shape>
__device__ __forceinline__ void share(const place<Shape> &at, float *to, unsigned wanted, const column<Shape> &c)
{
#pragma unroll
    for (int r = 0; r < Shape::rows; r++) {
        if ((wanted >> r & 1u) != 0) {
            to[r * Shape::pitch] = c.e[r];
        }
    }
    if (at.x == 1 && at.left == 0) {
#pragma unroll
        for (int r = 0; r < Shape::rows; r++) {
            if ((wanted >> r & 1u) != 0) {
                to[r * Shape::pitch - 2] = -c.e[r];
            }
        }
    }
    if (at.y == 0 && (wanted & 2u) != 0) {
        to[-Shape::pitch] = -c.e[1];
    }
}

/* One step of a column. Filters of the thread's x: (half gain, half pole, node gain, node pole). */
template <typename Shape, bool ZX, bool ZY>
__device__ __forceinline__ void advance(const place<Shape> &at, const device_problem<float> &p, column<Shape> &c,
                                        states<Shape> &s, float4 x_filter, bool x_zone, unsigned y_zone)
{
    constexpr int R = Shape::rows, P = Shape::pitch;
    const float *b = at.now;
    const float a = p.difference[0];
    float south = b[-P], top = b[R * P], g_south = 0;
    if (ZY) {
        float4 filter = at.row_filters[0];
        g_south = cell_filter(cell_difference(a, south, c.e[0]), filter.x, filter.y, &s.below);
    }
#pragma unroll
    for (int r = 0; r < R; r++) {
        float e = c.e[r], north = r < R - 1 ? c.e[r < R - 1 ? r + 1 : r] : top, west = b[r * P - 1],
              east = b[r * P + 1];
        float lap = cell_cross(p.centre2, e, west, east, south, north);
        float lap_x = ZX || ZY ? cell_line(p.centre, e, west, east) : 0, lap_y = lap_x;
        if (ZX) {
            float g = cell_filter(cell_difference(a, e, east), x_filter.x, x_filter.y, &s.x_half[r]);
            float g_west = __shfl_up_sync(0xffffffffu, g, 1);
            g_west = at.lane == 0 ? cell_difference(a, west, e) : g_west; /* not in the layer: no filter */
            g_west = at.x == 0 ? g : g_west;                              /* even about the wall */
            float filtered = cell_filter(cell_difference(a, g_west, g), x_filter.z, x_filter.w, &s.x_node[r]);
            lap_x = x_zone ? filtered : lap_x;
        }
        bool row_zone = ZY && (y_zone >> r & 1u) != 0;
        if (ZX || ZY) {
            lap_y = cell_line(p.centre, e, south, north);
        }
        if (ZY) {
            float4 filter = at.row_filters[r + 1];
            float g = cell_filter(cell_difference(a, e, north), filter.x, filter.y, &s.y_half[r]);
            if (r == 0 && at.y == 0) {
                g_south = g;
            }
            float filtered = cell_filter(cell_difference(a, g_south, g), filter.z, filter.w, &s.y_node[r]);
            lap_y = row_zone ? filtered : lap_y;
            g_south = g;
        }
        if (ZX || ZY) {
            lap = (ZX && x_zone) || row_zone ? lap_x + lap_y : lap;
        }
        c.v[r] = cell_increment(c.v[r], lap, c.ca[r], c.cb[r]);
        c.e[r] = e + c.v[r];
        south = e;
    }
}

/* Probes that are more than a block has threads, after `steps` steps; `field` is node (left, bottom). */
template <typename Shape>
__device__ __noinline__ void record_others(int left, int bottom, const box *own, const device_events<float> &events,
                                           const float *field, int64_t steps)
{
    size_t row = own->run * events.record_stride + (size_t)(steps - 1 - events.record_first) * events.probe_count;
    for (int k = (int)threadIdx.x + Shape::threads; k < own->probe_count; k += Shape::threads) {
        int n = own->probe_first + k;
        events.record[row + events.probe_slot[n]] =
            field[(events.probe_y[n] - bottom) * Shape::pitch + events.probe_x[n] - left];
    }
}

/* The sample of the spectra after `steps` steps. */
template <typename Shape>
__device__ __noinline__ void sample(int left, int bottom, const box *of, const resident_plan &plan, const float *field,
                                    int64_t steps)
{
    const box own = *of;
    const device_spectra &s = plan.spectra;
    float *to =
        plan.samples + own.run * plan.sample_run_stride + (size_t)(steps / s.every - 1 - plan.sample_first) * s.cells;
    visit_lattice(s, own.x0, own.x1, own.y0, own.y1, (int)threadIdx.x, Shape::threads,
                  [&](int x, int y, size_t at) { to[at] = field[(y - bottom) * Shape::pitch + x - left]; });
}

/* The whole pass, for warps of one kind. Every kind passes the same barriers. */
template <typename Shape, bool ZX, bool ZY>
__device__ void run_pass(place<Shape> &at, const device_problem<float> &p, const device_fields<float> &in,
                         const device_fields<float> &out, const device_events<float> &events, const resident_plan &plan,
                         float *origin, int64_t step, int64_t steps)
{
    constexpr int R = Shape::rows;
    column<Shape> c;
    states<Shape> s;
    unsigned y_zone = 0;
#pragma unroll
    for (int r = 0; r < R; r++) {
        float2 medium = make_float2(0, 0); /* nodes out of reach stay zero */
        if ((at.live >> r & 1u) != 0) {
            medium = __ldg(&p.palette[p.material[(size_t)(at.y + r) * p.pitch + at.x]]);
        }
        c.ca[r] = medium.x;
        c.cb[r] = medium.y;
        c.e[r] = c.v[r] = 0;
        s.x_half[r] = s.x_node[r] = s.y_half[r] = s.y_node[r] = 0;
        int y = at.y + r;
        y_zone |= ZY && (y < p.zone || y >= p.ny - p.zone) ? 1u << r : 0u;
    }
    s.below = 0;
    float4 x_filter = make_float4(1, 1, 1, 1);
    bool x_zone = ZX && (at.x < p.zone || at.x >= p.nx - p.zone);
    if (ZX && at.x < p.nx) {
        float2 half = __ldg(p.x_half + at.x), node = __ldg(p.x_node + at.x);
        x_filter = make_float4(half.x, half.y, node.x, node.y);
    }
    device_end_after_previous(); /* nothing to wait for in later boxes */
    device_trigger_dependent_launch();
    load_nodes<Shape, ZX, ZY>(at, p, run_fields(p, in, at.own->run), at.live, c, s);
    share(at, at.now, at.live, c);
    bool warp_live = __any_sync(0xffffffffu, at.live != 0), warp_driven = __any_sync(0xffffffffu, at.driven != 0);
    const device_source *source = events.sources + at.own->run;
    const double *drive = source->drive;
    float amplitude = warp_driven ? (float)drive[step] : 0;
    bool hard = source->hard;
    int every = plan.samples != NULL ? plan.spectra.every : 0;
    int until_sample = every > 0 ? every - (int)(step % every) : 0;
    int other = Shape::field;
    int probe = -1; /* of this thread: where in the field, and where in the record */
    float *probe_to = events.record;
    if ((int)threadIdx.x < at.probe_count) {
        int k = at.probe_first + (int)threadIdx.x;
        probe = (events.probe_y[k] - at.bottom) * Shape::pitch + events.probe_x[k] - at.left;
        probe_to += (size_t)(step - events.record_first) * events.probe_count + events.probe_slot[k] +
                    at.own->run * events.record_stride;
    }
    __syncthreads();
    for (int64_t n = step; n < step + steps; n++) {
        if (warp_live) {
            float following = 0;
            if (warp_driven) {
                following = (float)drive[n + 1 < source->steps ? n + 1 : n];
            }
            advance<Shape, ZX, ZY>(at, p, c, s, x_filter, x_zone, y_zone);
            if (warp_driven) {
#pragma unroll
                for (int r = 0; r < R; r++) {
                    if ((at.driven >> r & 1u) != 0) {
                        cell_source(at.weights[r * Shape::threads], amplitude, hard, &c.v[r], &c.e[r]);
                    }
                }
                amplitude = following;
            }
            share(at, at.now + other, ~0u, c);
        }
        at.now += other;
        origin += other;
        other = -other;
        __syncthreads();
        if (probe >= 0) {
            *probe_to = origin[probe];
            probe_to += events.probe_count;
        }
        if (at.probe_count > Shape::threads) {
            record_others<Shape>(at.left, at.bottom, at.own, events, origin, n + 1);
        }
        if (every > 0 && --until_sample == 0) {
            sample<Shape>(at.left, at.bottom, at.own, plan, origin, n + 1);
            until_sample = every;
        }
    }
    store_nodes<Shape, ZX, ZY>(at, p, run_fields(p, out, at.own->run), at.owned, c, s);
}

/* The sources' weights to the threads that hold their nodes. */
template <typename Shape>
__device__ void place_sources(const device_source &source, const box &b, const device_problem<float> &p, int left,
                              int bottom, int depth, float *weights, unsigned *driven)
{
    driven[threadIdx.x] = 0;
    __syncthreads();
    for (int k = (int)threadIdx.x; b.near_source && k < source.count; k += Shape::threads) {
        int64_t n = source.node[k];
        int x = (int)(n % p.nx), y = (int)(n / p.nx);
        if (x >= b.x0 - depth && x < b.x1 + depth && y >= b.y0 - depth && y < b.y1 + depth) {
            int i = x - left, j = y - bottom;
            int to = slot_of<Shape>(i, j);
            weights[to] = (float)source.weight[k];
            atomicOr(driven + to % Shape::threads, 1u << to / Shape::threads);
        }
    }
    __syncthreads();
}

/* The work of a block on a box. */
template <typename Shape>
__device__ __forceinline__ void run_box(const box *own, const device_problem<float> &p, const device_fields<float> &in,
                                        const device_fields<float> &out, const device_events<float> &events,
                                        const resident_plan &plan, int64_t step, int64_t steps)
{
    extern __shared__ float4 shared_memory[];
    constexpr int R = Shape::rows, P = Shape::pitch;
    float4 *row_filters = shared_memory;
    float *fields = (float *)(row_filters + Shape::height + 1), *weights = fields + 2 * Shape::field;
    unsigned *driven = (unsigned *)(weights + R * Shape::threads);
    place<Shape> at;
    const box b = *own;
    at.own = own;
    int T = plan.depth, warp = (int)threadIdx.x / 32;
    at.probe_first = b.probe_first;
    at.probe_count = b.probe_count;
    at.lane = (int)threadIdx.x % 32;
    at.left = b.x0 == 0 ? 0 : b.x1 == p.nx ? p.nx - Shape::width : b.x0 - T;
    at.bottom = max(0, b.y0 - T);
    for (int k = (int)threadIdx.x; k < 2 * Shape::field; k += Shape::threads) {
        fields[k] = 0;
    }
    for (int k = (int)threadIdx.x; k < Shape::height + 1; k += Shape::threads) {
        int y = at.bottom + k - 1;
        float2 one = make_float2(1, 1), half = y >= 0 && y < p.ny ? p.y_half[y] : one,
               node = y >= 0 && y < p.ny ? p.y_node[y] : one;
        row_filters[k] = make_float4(half.x, half.y, node.x, node.y);
    }
    place_sources<Shape>(events.sources[b.run], b, p, at.left, at.bottom, T, weights, driven);
    int high = warp / Shape::wide, wide = (warp % Shape::wide + turned<Shape>(high)) % Shape::wide;
    int i = 32 * wide + at.lane, j = high * R;
    at.x = at.left + i;
    at.y = at.bottom + j;
    at.driven = driven[threadIdx.x];
    at.weights = weights + threadIdx.x;
    at.row_filters = row_filters + j;
    at.now = fields + (j + 1) * P + i + 1;
    at.live = at.owned = 0;
    for (int r = 0; r < R; r++) {
        int x = at.x, y = at.y + r;
        bool live = x >= b.x0 - T && x < b.x1 + T && x < p.nx && y >= b.y0 - T && y < b.y1 + T && y < p.ny;
        bool owned = live && x >= b.x0 && x < b.x1 && y >= b.y0 && y < b.y1;
        at.live |= live ? 1u << r : 0u;
        at.owned |= owned ? 1u << r : 0u;
    }
    int y_end = at.y + R;
    bool zone_x = __any_sync(0xffffffffu, at.live != 0 && (at.x < p.zone || at.x >= p.nx - p.zone));
    bool zone_y = __any_sync(0xffffffffu, at.live != 0 && (at.y < p.zone || y_end > p.ny - p.zone));
    zone_x = zone_x && p.zone > 0;
    zone_y = zone_y && p.zone > 0;
    float *origin = fields + P + 1;
    if (zone_x && zone_y) {
        run_pass<Shape, true, true>(at, p, in, out, events, plan, origin, step, steps);
    } else if (zone_x) {
        run_pass<Shape, true, false>(at, p, in, out, events, plan, origin, step, steps);
    } else if (zone_y) {
        run_pass<Shape, false, true>(at, p, in, out, events, plan, origin, step, steps);
    } else {
        run_pass<Shape, false, false>(at, p, in, out, events, plan, origin, step, steps);
    }
}

/* Blocks share the boxes. */
__global__ void __launch_bounds__(BORDER_THREADS, 1)
    frame_kernel(const __grid_constant__ device_problem<float> p, const __grid_constant__ device_fields<float> in,
                 const __grid_constant__ device_fields<float> out, const __grid_constant__ device_events<float> events,
                 const __grid_constant__ resident_plan plan, int64_t step, int64_t steps)
{
    for (int n = (int)blockIdx.x; n < plan.box_count; n += (int)gridDim.x) {
        const box *own = plan.boxes + n;
        __syncthreads();
        if (own->kind == BORDER_SIDE) {
            run_box<side_shape>(own, p, in, out, events, plan, step, steps);
        } else if (own->kind == BORDER_END) {
            run_box<end_shape>(own, p, in, out, events, plan, step, steps);
        } else {
            run_box<patch_shape>(own, p, in, out, events, plan, step, steps);
        }
    }
}

} // namespace

pw_status yee_border_pass(const device_problem<float> &problem, const device_fields<float> &in,
                          const device_fields<float> &out, const device_events<float> &events,
                          const resident_plan &plan, int blocks, int64_t step, int64_t steps, cudaStream_t stream,
                          pw_error *error)
{
    constexpr size_t bytes =
        std::max(std::max(side_shape::shared_bytes, end_shape::shared_bytes), patch_shape::shared_bytes);
    return launch_beside<frame_kernel>("frame_kernel", dim3(blocks), BORDER_THREADS, bytes, stream, error, problem, in,
                                       out, events, plan, step, steps);
}

void yee_border_size(enum border_kind frame, int *width, int *height)
{
    static const int sizes[BORDER_KINDS][2] = {{side_shape::width, side_shape::height},
                                               {end_shape::width, end_shape::height},
                                               {patch_shape::width, patch_shape::height}};
    *width = sizes[frame][0];
    *height = sizes[frame][1];
}

bool yee_border_suits(const struct problem *p, enum border_kind frame, const box &b, int depth)
{
    int width = 0, height = 0;
    yee_border_size(frame, &width, &height);
    int left = b.x0 == 0                  ? 0
               : b.x1 == p->axis[0].count ? p->axis[0].count - width
                                          : b.x0 - depth,
        bottom = std::max(0, b.y0 - depth);
    if (left < 0 || (b.x0 > 0 && left > b.x0 - depth) || std::min(b.x1 + depth, p->axis[0].count) > left + width ||
        std::min(b.y1 + depth, p->axis[1].count) > bottom + height) {
        return false;
    }
    for (int x = left + 32; problem_layer(p) > 0 && x < std::min(b.x1 + depth, p->axis[0].count); x += 32) {
        if (x > b.x0 - depth && layer_index(x - 1, p->axis[0].count, problem_layer(p)) >= 0) {
            return false;
        }
    }
    return true;
}
