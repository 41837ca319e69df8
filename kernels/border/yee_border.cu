/* The border of absorber and walls beside a march of yee, and the patches around sources and probes. A block takes a
 * box with its halo for a pass of T steps, steps it alone, and writes back what the box owns.
 *
 * Thread mapping: block b takes boxes b, b + gridDim.x, ... A block has WIDE warps side by side and HIGH above each
 * other. Warp w has row h = w / WIDE of the warps and place (w % WIDE + rotation(h)) % WIDE in it; lane i of it has the
 * column of R = Shape::rows nodes
 *
 *     x = left + 32 place + i,     y = bottom + h R ... bottom + h R + R - 1
 *
 * with their fields, coefficients and filter states in registers. A pass over a box, drawn in one dimension for T = 3:
 *
 *     loaded            |---halo---|======= own =======|---halo---|
 *     right at step 1       |------|===================|------|
 *     right at step 2           |--|===================|--|
 *     right at step 3              |===================|
 *     stored                       |===================|
 *
 * Every step computes all nodes of the thread grid, but one halo ring more holds garbage, because its neighbours beyond
 * the box are missing. After T steps the garbage has just not reached what the box owns. The halo is computed by every
 * box that needs it, and nothing is exchanged within a pass. Ez alone goes through shared memory, in two fields that
 * change roles at every step, so that a step needs one barrier:
 *
 *     read the four neighbours in one field | compute in registers | write the other field | barrier | change roles
 *
 * Warps choose among four loops by whether their nodes lie in an absorber region of x, of y, of both or of none. Of the
 * first box of a block, everything that no pass changes is loaded before the previous pass has ended
 * (launch_dependent). Leaves out: dividing the border into boxes, and boxes whose warps begin inside a layer (the
 * filtered difference to the west comes from the lane before). */
#include <algorithm>

#include "kernels/border/yee_border_shape.h"
#include "kernels/common/dependent_launch.h"
#include "kernels/common/events.h"
#include "kernels/common/lattice.h"
#include "kernels/common/opaque_value.h"

namespace
{

/* What the kernel is given. */
struct pass_arguments {
    const device_problem<float> &problem;
    const device_fields<float> &in, &out;
    const device_events<float> &events;
    const resident_plan &plan;
    int64_t step, steps;
};

/* By how many places the warps of a row are rotated, so that the warps above each other in the block fall on all four
 * schedulers (warp modulo 4). */
template <typename Shape> __device__ __forceinline__ int warp_rotation(int row)
{
    return Shape::wide == 2 ? row / 2 : Shape::wide == 4 ? row : 0;
}

/* What a thread knows for the whole pass. */
template <typename Shape> struct border_place {
    const box *own;
    int left, bottom; /* node of the thread grid's corner */
    int x, y;         /* the thread's first node */
    int lane;
    int probe_first, probe_count;
    unsigned live;                  /* bit r: row r lies in the domain and within T of what the box owns */
    unsigned owned;                 /* bit r: the box owns row r */
    float *now;                     /* Ez of the thread's first node, in the field that is read next */
    const filter_pair *row_filters; /* element 0 is the row under the thread's first */
    const float *weights;           /* of sources; row r is element r threads */
    unsigned driven;                /* bit r: row r has a source */
};

/* Fields and coefficients of a column. */
template <typename Shape> struct border_column {
    static constexpr int R = Shape::rows;
    float e[R], v[R], ca[R], cb[R];
};

/* Filter states of a column in an absorber region. Members that a loop does not use cost no registers. */
template <typename Shape> struct border_states {
    static constexpr int R = Shape::rows;
    float x_half[R], x_node[R], y_half[R], y_node[R];
    float below; /* y_half of the row under the first */
};

/* Loads the fields and filter states of the rows wanted. */
template <typename Shape, bool X_FILTERS, bool Y_FILTERS>
__device__ __forceinline__ void load_nodes(const border_place<Shape> &at, const device_problem<float> &p,
                                           const device_fields<float> &f, unsigned wanted, border_column<Shape> &c,
                                           border_states<Shape> &s)
{
    if (wanted == 0) {
        return;
    }
    int x = opaque_value(at.x), y = opaque_value(at.y), xs = X_FILTERS ? layer_index(x, p.nx, p.layer) : -1;
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
        if (X_FILTERS) {
            fetch_if(&s.x_half[r], x_half, here && xs >= 0);
            fetch_if(&s.x_node[r], x_node, here && xs >= 0);
            x_half += 2 * p.layer;
            x_node += 2 * p.layer;
        }
        if (Y_FILTERS) {
            int ys = layer_index(y + r, p.ny, p.layer);
            fetch_if(&s.y_half[r], f.y_half + (ptrdiff_t)ys * p.pitch + x, here && ys >= 0);
            fetch_if(&s.y_node[r], f.y_node + (ptrdiff_t)ys * p.pitch + x, here && ys >= 0);
        }
    }
    if (Y_FILTERS) {
        int ys = y > 0 ? layer_index(y - 1, p.ny, p.layer) : -1;
        fetch_if(&s.below, f.y_half + (ptrdiff_t)ys * p.pitch + x, (wanted & 1u) != 0 && ys >= 0);
    }
}

/* Stores them. */
template <typename Shape, bool X_FILTERS, bool Y_FILTERS>
__device__ __forceinline__ void store_nodes(const border_place<Shape> &at, const device_problem<float> &p,
                                            const device_fields<float> &f, unsigned wanted,
                                            const border_column<Shape> &c, const border_states<Shape> &s)
{
    if (wanted == 0) {
        return;
    }
    int x = opaque_value(at.x), y = opaque_value(at.y), xs = X_FILTERS ? layer_index(x, p.nx, p.layer) : -1;
#pragma unroll
    for (int r = 0; r < Shape::rows; r++) {
        if ((wanted >> r & 1u) != 0) {
            size_t n = (size_t)(y + r) * p.pitch + x;
            __stcg(f.e + n, c.e[r]);
            __stcg(f.v + n, c.v[r]);
            if (X_FILTERS && xs >= 0) {
                size_t m = (size_t)(y + r) * 2 * p.layer + xs;
                __stcg(f.x_half + m, s.x_half[r]);
                __stcg(f.x_node + m, s.x_node[r]);
            }
            int ys = Y_FILTERS ? layer_index(y + r, p.ny, p.layer) : -1;
            if (Y_FILTERS && ys >= 0) {
                size_t m = (size_t)ys * p.pitch + x;
                __stcg(f.y_half + m, s.y_half[r]);
                __stcg(f.y_node + m, s.y_node[r]);
            }
        }
    }
}

/* Element of border_place.weights that belongs to node (i, j) of the thread grid. */
template <typename Shape> __device__ __forceinline__ int element_of(int i, int j)
{
    int high = j / Shape::rows, row = j % Shape::rows;
    int wide = (i / 32 - warp_rotation<Shape>(high) % Shape::wide + Shape::wide) % Shape::wide;
    return row * Shape::threads + (high * Shape::wide + wide) * 32 + i % 32;
}

/* Writes Ez of the rows wanted into shared memory. The images beyond the low walls are odd; beyond the high walls zeros
 * stay. */
template <typename Shape>
__device__ __forceinline__ void share(const border_place<Shape> &at, float *to, unsigned wanted,
                                      const border_column<Shape> &c)
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

/* One step of a column. `x_filter`: of the thread's x. */
template <typename Shape, bool X_FILTERS, bool Y_FILTERS>
__device__ __forceinline__ void advance(const border_place<Shape> &at, const device_problem<float> &p,
                                        border_column<Shape> &c, border_states<Shape> &s, const filter_pair &x_filter,
                                        bool x_region, unsigned y_region)
{
    constexpr int R = Shape::rows, P = Shape::pitch;
    const float *b = at.now;
    const float a = p.difference[0];
    float south = b[-P], top = b[R * P], g_south = 0;
    if (Y_FILTERS) {
        g_south = cell_filter_half(cell_difference(a, south, c.e[0]), at.row_filters[0], &s.below);
    }
#pragma unroll
    for (int r = 0; r < R; r++) {
        float e = c.e[r], north = r < R - 1 ? c.e[r < R - 1 ? r + 1 : r] : top, west = b[r * P - 1],
              east = b[r * P + 1];
        float lap = cell_cross(p.centre2, e, west, east, south, north);
        float lap_x = X_FILTERS || Y_FILTERS ? cell_line(p.centre, e, west, east) : 0, lap_y = lap_x;
        if (X_FILTERS) {
            float g = cell_filter_half(cell_difference(a, e, east), x_filter, &s.x_half[r]);
            float g_west = __shfl_up_sync(0xffffffffu, g, 1);
            g_west = at.lane == 0 ? cell_difference(a, west, e) : g_west; /* outside the layer: no filter */
            g_west = at.x == 0 ? g : g_west;                              /* even about the wall */
            float filtered = cell_filter_node(cell_difference(a, g_west, g), x_filter, &s.x_node[r]);
            lap_x = x_region ? filtered : lap_x;
        }
        bool row_in_region = Y_FILTERS && (y_region >> r & 1u) != 0;
        if (X_FILTERS || Y_FILTERS) {
            lap_y = cell_line(p.centre, e, south, north);
        }
        if (Y_FILTERS) {
            filter_pair filter = at.row_filters[r + 1];
            float g = cell_filter_half(cell_difference(a, e, north), filter, &s.y_half[r]);
            if (r == 0 && at.y == 0) {
                g_south = g;
            }
            float filtered = cell_filter_node(cell_difference(a, g_south, g), filter, &s.y_node[r]);
            lap_y = row_in_region ? filtered : lap_y;
            g_south = g;
        }
        if (X_FILTERS || Y_FILTERS) {
            lap = (X_FILTERS && x_region) || row_in_region ? lap_x + lap_y : lap;
        }
        c.v[r] = cell_increment(c.v[r], lap, c.ca[r], c.cb[r]);
        c.e[r] = e + c.v[r];
        south = e;
    }
}

/* Records the probes for which the block has no thread, after `steps` steps; `field` is node (left, bottom). */
template <typename Shape>
__device__ __noinline__ void record_remaining_probes(int left, int bottom, const box *own,
                                                     const device_events<float> &events, const float *field,
                                                     int64_t steps)
{
    size_t row = own->run * events.record_stride + (size_t)(steps - 1 - events.record_first) * events.probe_count;
    for (int k = (int)threadIdx.x + Shape::threads; k < own->probe_count; k += Shape::threads) {
        int n = own->probe_first + k;
        events.record[row + events.probe_slot[n]] =
            field[(events.probe_y[n] - bottom) * Shape::pitch + events.probe_x[n] - left];
    }
}

/* Takes the sample of the spectra after `steps` steps. */
template <typename Shape>
__device__ __noinline__ void sample(int left, int bottom, const box *of, const resident_plan &plan, const float *field,
                                    int64_t steps)
{
    const box own = *of;
    const device_spectra &s = plan.spectra;
    float *to =
        plan.samples + own.run * plan.sample_run_stride + (size_t)(steps / s.every - 1 - plan.sample_first) * s.cells;
    sample_box<Shape::pitch, Shape::threads>(s, own, field, left, bottom, to);
}

/* The whole pass of a warp of one kind. Warps of all kinds pass the same barriers. */
template <typename Shape, bool X_FILTERS, bool Y_FILTERS>
__device__ void run_pass(border_place<Shape> &at, const pass_arguments &pass, float *origin)
{
    const device_problem<float> &p = pass.problem;
    const device_events<float> &events = pass.events;
    const resident_plan &plan = pass.plan;
    const int64_t step = pass.step, steps = pass.steps;
    constexpr int R = Shape::rows;
    border_column<Shape> c;
    border_states<Shape> s;
    unsigned y_region = 0;
#pragma unroll
    for (int r = 0; r < R; r++) {
        float2 medium = make_float2(0, 0); /* nodes out of reach stay zero */
        if ((at.live >> r & 1u) != 0) {
            medium = __ldg(&p.coefficients[p.coefficient_index[(size_t)(at.y + r) * p.pitch + at.x]]);
        }
        c.ca[r] = medium.x;
        c.cb[r] = medium.y;
        c.e[r] = c.v[r] = 0;
        s.x_half[r] = s.x_node[r] = s.y_half[r] = s.y_node[r] = 0;
        int y = at.y + r;
        y_region |= Y_FILTERS && (y < p.absorber_region || y >= p.ny - p.absorber_region) ? 1u << r : 0u;
    }
    s.below = 0;
    filter_pair x_filter = {{1, 1}, {1, 1}, {0, 0}};
    bool x_region = X_FILTERS && (at.x < p.absorber_region || at.x >= p.nx - p.absorber_region);
    if (X_FILTERS && at.x < p.nx) {
        x_filter = filters_at(p.x_half, p.x_node, at.x, p.nx);
    }
    device_wait_for_previous(); /* returns at once for later boxes */
    device_trigger_dependent_launch();
    load_nodes<Shape, X_FILTERS, Y_FILTERS>(at, p, run_fields(p, pass.in, at.own->run), at.live, c, s);
    share(at, at.now, at.live, c);
    bool warp_live = __any_sync(0xffffffffu, at.live != 0), warp_driven = __any_sync(0xffffffffu, at.driven != 0);
    const device_source *source = events.sources + at.own->run;
    const double *drive = source->drive;
    float amplitude = warp_driven ? (float)drive[step] : 0;
    bool hard = source->hard;
    int every = plan.samples != NULL ? plan.spectra.every : 0;
    int until_sample = every > 0 ? every - (int)(step % every) : 0;
    int other = Shape::field;
    int probe = -1; /* of this thread: its place in the field, and where it goes in the record */
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
            advance<Shape, X_FILTERS, Y_FILTERS>(at, p, c, s, x_filter, x_region, y_region);
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
            record_remaining_probes<Shape>(at.left, at.bottom, at.own, events, origin, n + 1);
        }
        if (every > 0 && --until_sample == 0) {
            sample<Shape>(at.left, at.bottom, at.own, plan, origin, n + 1);
            until_sample = every;
        }
    }
    store_nodes<Shape, X_FILTERS, Y_FILTERS>(at, p, run_fields(p, pass.out, at.own->run), at.owned, c, s);
}

/* Gives the sources' weights to the threads that hold their nodes. */
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
            int to = element_of<Shape>(i, j);
            weights[to] = (float)source.weight[k];
            atomicOr(driven + to % Shape::threads, 1u << to / Shape::threads);
        }
    }
    __syncthreads();
}

/* The work of a block on a box. */
template <typename Shape> __device__ __forceinline__ void run_box(const box *own, const pass_arguments &pass)
{
    const device_problem<float> &p = pass.problem;
    extern __shared__ float4 shared_memory[];
    constexpr int R = Shape::rows, P = Shape::pitch;
    filter_pair *row_filters = (filter_pair *)shared_memory;
    float *fields = (float *)(row_filters + Shape::height + 1), *weights = fields + 2 * Shape::field;
    unsigned *driven = (unsigned *)(weights + R * Shape::threads);
    border_place<Shape> at;
    const box b = *own;
    at.own = own;
    int T = pass.plan.depth, warp = (int)threadIdx.x / 32;
    at.probe_first = b.probe_first;
    at.probe_count = b.probe_count;
    at.lane = (int)threadIdx.x % 32;
    at.left = b.x0 == 0 ? 0 : b.x1 == p.nx ? p.nx - Shape::width : b.x0 - T;
    at.bottom = max(0, b.y0 - T);
    for (int k = (int)threadIdx.x; k < 2 * Shape::field; k += Shape::threads) {
        fields[k] = 0;
    }
    for (int k = (int)threadIdx.x; k < Shape::height + 1; k += Shape::threads) {
        row_filters[k] = filters_at(p.y_half, p.y_node, at.bottom + k - 1, p.ny);
    }
    place_sources<Shape>(pass.events.sources[b.run], b, p, at.left, at.bottom, T, weights, driven);
    int high = warp / Shape::wide, wide = (warp % Shape::wide + warp_rotation<Shape>(high)) % Shape::wide;
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
    bool region_x =
        __any_sync(0xffffffffu, at.live != 0 && (at.x < p.absorber_region || at.x >= p.nx - p.absorber_region));
    bool region_y =
        __any_sync(0xffffffffu, at.live != 0 && (at.y < p.absorber_region || y_end > p.ny - p.absorber_region));
    region_x = region_x && p.absorber_region > 0;
    region_y = region_y && p.absorber_region > 0;
    float *origin = fields + P + 1;
    if (region_x && region_y) {
        run_pass<Shape, true, true>(at, pass, origin);
    } else if (region_x) {
        run_pass<Shape, true, false>(at, pass, origin);
    } else if (region_y) {
        run_pass<Shape, false, true>(at, pass, origin);
    } else {
        run_pass<Shape, false, false>(at, pass, origin);
    }
}

/* Block: boxes blockIdx.x, blockIdx.x + gridDim.x, ... Thread: a column of Shape::rows nodes. */
__global__ void __launch_bounds__(BORDER_THREADS, 1)
    yee_border_kernel(const __grid_constant__ device_problem<float> p, const __grid_constant__ device_fields<float> in,
                      const __grid_constant__ device_fields<float> out,
                      const __grid_constant__ device_events<float> events, const __grid_constant__ resident_plan plan,
                      int64_t step, int64_t steps)
{
    const pass_arguments pass = {p, in, out, events, plan, step, steps};
    for (int n = (int)blockIdx.x; n < plan.box_count; n += (int)gridDim.x) {
        const box *own = plan.boxes + n;
        __syncthreads();
        if (own->kind == BORDER_SIDE) {
            run_box<side_shape>(own, pass);
        } else if (own->kind == BORDER_END) {
            run_box<end_shape>(own, pass);
        } else {
            run_box<patch_shape>(own, pass);
        }
    }
}

} // namespace

pw_status yee_border_pass(const device_problem<float> &problem, const pass<float> &pass, const resident_plan &plan,
                          int blocks, pw_error *error)
{
    constexpr size_t bytes =
        std::max(std::max(side_shape::shared_bytes, end_shape::shared_bytes), patch_shape::shared_bytes);
    return launch_dependent<yee_border_kernel>("yee_border_kernel", {dim3(blocks), BORDER_THREADS, bytes}, pass.stream,
                                               error, problem, pass.in, pass.out, pass.events, plan, pass.step,
                                               (int64_t)pass.steps);
}

void yee_border_size(enum border_kind kind, int *width, int *height)
{
    static const int sizes[BORDER_KINDS][2] = {{side_shape::width, side_shape::height},
                                               {end_shape::width, end_shape::height},
                                               {patch_shape::width, patch_shape::height}};
    *width = sizes[kind][0];
    *height = sizes[kind][1];
}

bool yee_border_suits(const struct problem *p, enum border_kind kind, const box &b, int depth)
{
    int width = 0, height = 0;
    yee_border_size(kind, &width, &height);
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
