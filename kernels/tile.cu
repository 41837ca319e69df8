/* A rectangle of the grid in shared memory, advanced several steps: absorber, walls, sources and probes included.
 * Used in two ways: tile_pass() takes a list of boxes, loads each with a halo of steps * rings nodes and writes the box back (the frame
 * around the register walks, and patches around sources and probes); resident_advance() keeps one box on every multiprocessor and
 * exchanges halos through L2 with its neighbours (small grids). Leaves out: double precision.
 *
 * In shared memory: Ez twice (old and new), the increment, and in tiles that touch an absorber zone the filtered first differences
 * and the filter states. Beyond the PEC walls Ez and the differences have image nodes, written by whoever writes the original. */
#include "device.h"
#include "tuning.h"

namespace
{

__host__ __device__ __forceinline__ int round_up(int value, int unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Layout of a tile; the same on host and device. */
struct shape {
    int x0, x1, y0, y1;     /* nodes held: box and halo, clipped to the domain */
    int left, bottom;       /* node of element 0 (may be < 0) */
    int pitch, rows;        /* elements */
    int x_low, x_high;      /* layer columns held, low and high end */
    int y_low, y_high;      /* layer rows held */
    bool zone_x, zone_y;    /* some node lies in a zone */
    bool wall;              /* images are needed */

    __host__ __device__ int field() const
    {
        return pitch * rows;
    }
    __host__ __device__ int x_state() const
    {
        return round_up((x_low + x_high) * (y1 - y0), 4);
    }
    __host__ __device__ int y_state() const
    {
        return (y_low + y_high) * pitch;
    }
    __host__ __device__ size_t bytes() const
    {
        size_t zones = (zone_x ? 1 : 0) + (zone_y ? 1 : 0);
        return sizeof(float) * ((3 + zones) * (size_t)field() + 2 * (size_t)x_state() + 2 * (size_t)y_state());
    }
};

__host__ __device__ __forceinline__ int overlap(int a0, int a1, int b0, int b1)
{
    int low = a0 > b0 ? a0 : b0, high = a1 < b1 ? a1 : b1;
    return high > low ? high - low : 0;
}

__host__ __device__ inline shape make_shape(int nx, int ny, int layer, int zone, int rings, const box &b, int halo)
{
    shape s;
    s.x0 = b.x0 - halo > 0 ? b.x0 - halo : 0;
    s.x1 = b.x1 + halo < nx ? b.x1 + halo : nx;
    s.y0 = b.y0 - halo > 0 ? b.y0 - halo : 0;
    s.y1 = b.y1 + halo < ny ? b.y1 + halo : ny;
    int guard = round_up(rings, 4); /* here `rings` is 2 reach - 1: what the two differences in a zone look at */
    s.left = (s.x0 & ~3) - guard;
    s.pitch = round_up(s.x1 + 3 - s.left, 4) + guard;
    s.bottom = s.y0 - rings;
    s.rows = s.y1 + rings + 3 - s.bottom; /* bands of up to four rows may read three rows more */
    s.x_low = overlap(s.x0, s.x1, 0, layer);
    s.x_high = overlap(s.x0, s.x1, nx - layer, nx);
    s.y_low = overlap(s.y0, s.y1, 0, layer);
    s.y_high = overlap(s.y0, s.y1, ny - layer, ny);
    s.zone_x = overlap(s.x0, s.x1, 0, zone) > 0 || overlap(s.x0, s.x1, nx - zone, nx) > 0;
    s.zone_y = overlap(s.y0, s.y1, 0, zone) > 0 || overlap(s.y0, s.y1, ny - zone, ny) > 0;
    s.wall = s.x0 == 0 || s.y0 == 0 || s.x1 == nx || s.y1 == ny;
    return s;
}

struct tile {
    shape s;
    float *e, *next; /* old and new Ez */
    float *v, *gx, *gy, *xh, *xn, *yh, *yn;

    __device__ __forceinline__ int at(int x, int y) const
    {
        return (y - s.bottom) * s.pitch + (x - s.left);
    }
    /* Compact filter state places; x must lie in a layer. */
    __device__ __forceinline__ int x_state(int x, int y, int nx, int layer) const
    {
        int low = x < layer ? x - s.x0 : s.x_low + x - max(s.x0, nx - layer);
        return (y - s.y0) * (s.x_low + s.x_high) + low;
    }
    __device__ __forceinline__ int y_state(int x, int y, int ny, int layer) const
    {
        int low = y < layer ? y - s.y0 : s.y_low + y - max(s.y0, ny - layer);
        return low * s.pitch + (x - s.left);
    }
};

__device__ tile make_tile(const shape &s, float *memory)
{
    tile t;
    t.s = s;
    t.e = memory;
    t.next = memory + s.field();
    t.v = memory + 2 * s.field();
    float *next = memory + 3 * s.field();
    t.gx = next;
    next += s.zone_x ? s.field() : 0;
    t.gy = next;
    next += s.zone_y ? s.field() : 0;
    t.xh = next;
    t.xn = t.xh + s.x_state();
    t.yh = t.xn + s.x_state();
    t.yn = t.yh + s.y_state();
    return t;
}

/* The images of node x of an axis of n within `depth` beyond the walls: odd, f(position, sign). */
template <class Put> __device__ __forceinline__ void odd_images(int x, int n, int depth, Put put)
{
    if (x > 0 && x <= depth) {
        put(-x, -1.0f);
    }
    if (n - x <= depth && x > 0) {
        put(2 * n - x, -1.0f);
    }
    if (n <= depth) { /* images of images, on tiny grids */
        for (int p = 2 * n; p - x <= n + depth || p - n <= depth; p += 2 * n) {
            if (p + x <= n - 1 + depth && x > 0) {
                put(p + x, 1.0f);
            }
            if (p + 2 * n - x <= n - 1 + depth && x > 0) {
                put(p + 2 * n - x, -1.0f);
            }
            if (x - p >= -depth && x > 0) {
                put(x - p, 1.0f);
            }
            if (-x - p >= -depth && x > 0) {
                put(-x - p, -1.0f);
            }
        }
    }
}

/* The images of half node x (at x+1/2): even about both walls. */
template <class Put> __device__ __forceinline__ void even_images(int x, int n, int depth, Put put)
{
    if (-1 - x >= -depth) {
        put(-1 - x);
    }
    if (2 * n - 1 - x < n + depth) {
        put(2 * n - 1 - x);
    }
    if (n <= depth) {
        for (int p = 2 * n; p - x <= n + 2 * depth; p += 2 * n) {
            if (p + x < n + depth) {
                put(p + x);
            }
            if (p + 2 * n - 1 - x < n + depth) {
                put(p + 2 * n - 1 - x);
            }
            if (x - p >= -depth) {
                put(x - p);
            }
            if (-1 - x - p >= -depth) {
                put(-1 - x - p);
            }
        }
    }
}

/* Stores Ez of a node and its images beyond the walls. */
__device__ __forceinline__ void put_e(const tile &t, float *e, int x, int y, float value, int nx, int ny, int depth)
{
    e[t.at(x, y)] = value;
    if (t.s.wall) {
        odd_images(x, nx, depth, [&](int at, float sign) { e[t.at(at, y)] = sign * value; });
        odd_images(y, ny, depth, [&](int at, float sign) { e[t.at(x, at)] = sign * value; });
    }
}

/* Calls work(x, y) for the nodes of a rectangle, spread over the threads of the block. */
template <class Work> __device__ __forceinline__ void each_node(int x0, int x1, int y0, int y1, Work work)
{
    int width = x1 - x0, count = width * (y1 - y0);
    if (width <= 0 || y1 <= y0) {
        return;
    }
    float inverse = 1.0f / (float)width;
    for (int k = threadIdx.x; k < count; k += blockDim.x) {
        int row = (int)(((float)k + 0.5f) * inverse); /* exact: count < 2^20 */
        work(x0 + k - row * width, y0 + row);
    }
}

struct rectangle {
    int x0, x1, y0, y1;
};

/* First differences with their filters, for the nodes of `c` that lie in a zone of x. Rows of c only; halves as far as needed. */
template <int REACH>
__device__ void halves_x(const tile &t, const device_problem<float> &p, const float *e, const rectangle &c)
{
    for (int side = 0; side < 2; side++) {
        int n0 = side == 0 ? c.x0 : max(c.x0, max(p.nx - p.zone, p.zone)), n1 = side == 0 ? min(c.x1, p.zone) : c.x1;
        if (n1 <= n0) {
            continue;
        }
        int h0 = max(n0 - REACH, 0), h1 = min(n1 + REACH - 1, p.nx);
        if (side == 1) { /* halves that the low side has done already */
            h0 = max(h0, c.x0 < p.zone ? min(min(c.x1, p.zone) + REACH - 1, p.nx) : 0);
        }
        each_node(h0, h1, c.y0, c.y1, [&](int x, int y) {
            int at = t.at(x, y);
            float sum = cell_difference(p.difference[0], e[at], e[at + 1]);
#pragma unroll
            for (int l = 1; l < REACH; l++) {
                sum = cell_difference_add(sum, p.difference[l], e[at - l], e[at + 1 + l]);
            }
            if (x < p.layer || x >= p.nx - p.layer) {
                float2 filter = __ldg(&p.x_half[x]);
                if (filter.x != 1.0f || filter.y != 1.0f) {
                    sum = cell_filter(sum, filter.x, filter.y, &t.xh[t.x_state(x, y, p.nx, p.layer)]);
                }
            }
            t.gx[at] = sum;
            even_images(x, p.nx, REACH, [&](int image) { t.gx[t.at(image, y)] = sum; });
        });
    }
}

template <int REACH>
__device__ void halves_y(const tile &t, const device_problem<float> &p, const float *e, const rectangle &c)
{
    int pitch = t.s.pitch;
    for (int side = 0; side < 2; side++) {
        int n0 = side == 0 ? c.y0 : max(c.y0, max(p.ny - p.zone, p.zone)), n1 = side == 0 ? min(c.y1, p.zone) : c.y1;
        if (n1 <= n0) {
            continue;
        }
        int h0 = max(n0 - REACH, 0), h1 = min(n1 + REACH - 1, p.ny);
        if (side == 1) {
            h0 = max(h0, c.y0 < p.zone ? min(min(c.y1, p.zone) + REACH - 1, p.ny) : 0);
        }
        each_node(c.x0, c.x1, h0, h1, [&](int x, int y) {
            int at = t.at(x, y);
            float sum = cell_difference(p.difference[0], e[at], e[at + pitch]);
#pragma unroll
            for (int l = 1; l < REACH; l++) {
                sum = cell_difference_add(sum, p.difference[l], e[at - l * pitch], e[at + (1 + l) * pitch]);
            }
            if (y < p.layer || y >= p.ny - p.layer) {
                float2 filter = __ldg(&p.y_half[y]);
                if (filter.x != 1.0f || filter.y != 1.0f) {
                    sum = cell_filter(sum, filter.x, filter.y, &t.yh[t.y_state(x, y, p.ny, p.layer)]);
                }
            }
            t.gy[at] = sum;
            even_images(y, p.ny, REACH, [&](int image) { t.gy[t.at(x, image)] = sum; });
        });
    }
}

template <int RINGS> __device__ __forceinline__ float line_of(const device_problem<float> &p, const float *e, int step)
{
    float sum = cell_line(p.centre, e[0], e[-step], e[step]);
#pragma unroll
    for (int m = 2; m <= RINGS; m++) {
        sum = cell_line_add(sum, p.ring[m - 1], e[-m * step], e[m * step]);
    }
    return sum;
}

template <int REACH> __device__ __forceinline__ float second_of(const device_problem<float> &p, const float *g, int step)
{
    float sum = cell_difference(p.difference[0], g[-step], g[0]);
#pragma unroll
    for (int l = 1; l < REACH; l++) {
        sum = cell_difference_add(sum, p.difference[l], g[-(1 + l) * step], g[l * step]);
    }
    return sum;
}

/* New values of the nodes of a rectangle that lies in a zone of x or of y. */
template <int REACH, int RINGS>
__device__ void advance_zone(const tile &t, const device_problem<float> &p, const float *e, float *next, int x0, int x1,
                             int y0, int y1)
{
    each_node(x0, x1, y0, y1, [&](int x, int y) {
        int at = t.at(x, y);
        float lap_x, lap_y;
        if (x < p.zone || x >= p.nx - p.zone) {
            lap_x = second_of<REACH>(p, t.gx + at, 1);
            if (x < p.layer || x >= p.nx - p.layer) {
                float2 filter = __ldg(&p.x_node[x]);
                if (filter.x != 1.0f || filter.y != 1.0f) {
                    lap_x = cell_filter(lap_x, filter.x, filter.y, &t.xn[t.x_state(x, y, p.nx, p.layer)]);
                }
            }
        } else {
            lap_x = line_of<RINGS>(p, e + at, 1);
        }
        if (y < p.zone || y >= p.ny - p.zone) {
            lap_y = second_of<REACH>(p, t.gy + at, t.s.pitch);
            if (y < p.layer || y >= p.ny - p.layer) {
                float2 filter = __ldg(&p.y_node[y]);
                if (filter.x != 1.0f || filter.y != 1.0f) {
                    lap_y = cell_filter(lap_y, filter.x, filter.y, &t.yn[t.y_state(x, y, p.ny, p.layer)]);
                }
            }
        } else {
            lap_y = line_of<RINGS>(p, e + at, t.s.pitch);
        }
        float2 coefficients = __ldg(&p.palette[__ldg(&p.material[(size_t)y * p.pitch + x])]);
        float v = cell_increment(t.v[at], lap_x + lap_y, coefficients.x, coefficients.y);
        t.v[at] = v;
        put_e(t, next, x, y, e[at] + v, p.nx, p.ny, 2 * REACH - 1);
    });
}

/* One quad of one row: its neighbours west and east from shared memory, those south and north from the window. */
template <int R> struct quad_row {
    static constexpr int SIDE = (R + 3) / 4;
    float x[4 * (2 * SIDE + 1)];

    __device__ __forceinline__ void load(const float *centre)
    {
        if (R == 1) {
            *(float4 *)(x + 4) = *(const float4 *)centre;
            x[3] = centre[-1];
            x[8] = centre[4];
        } else {
#pragma unroll
            for (int q = 0; q < 2 * SIDE + 1; q++) {
                *(float4 *)(x + 4 * q) = *(const float4 *)(centre + 4 * (q - SIDE));
            }
        }
    }
    __device__ __forceinline__ float get(int k) const /* k relative to the quad's first node */
    {
        return x[4 * SIDE + k];
    }
};

/* New values of the nodes of a rectangle outside of every zone: a thread takes 4 columns and BAND rows. */
template <int REACH, int RINGS, int BAND>
__device__ void advance_inner(const tile &t, const device_problem<float> &p, const float *e, float *next, const rectangle &c)
{
    constexpr int R = RINGS;
    if (c.x1 <= c.x0 || c.y1 <= c.y0) {
        return;
    }
    int first = c.x0 & ~3, quads = (c.x1 - first + 3) / 4, bands = (c.y1 - c.y0 + BAND - 1) / BAND, pitch = t.s.pitch;
    float inverse = 1.0f / (float)quads;
    float2 air = __ldg(&p.palette[0]);
    for (int item = threadIdx.x; item < quads * bands; item += blockDim.x) {
        int band = (int)(((float)item + 0.5f) * inverse);
        int x = first + 4 * (item - band * quads), y = c.y0 + band * BAND;
        const float *centre = e + t.at(x, y);
        float window[BAND + 2 * R][4];
#pragma unroll
        for (int k = 0; k < BAND + 2 * R; k++) {
            *(float4 *)window[k] = *(const float4 *)(centre + (k - R) * pitch);
        }
        bool whole = x >= c.x0 && x + 4 <= c.x1 && !t.s.wall;
#pragma unroll
        for (int b = 0; b < BAND; b++) {
            if (y + b >= c.y1) {
                break;
            }
            quad_row<R> row;
            row.load(centre + b * pitch);
            float lap[4];
#pragma unroll
            for (int k = 0; k < 4; k++) {
                lap[k] = cell_cross(p.centre2, row.get(k), row.get(k - 1), row.get(k + 1),
                                    window[b + R - 1][k], window[b + R + 1][k]);
#pragma unroll
                for (int m = 2; m <= R; m++) {
                    lap[k] = cell_cross_add(lap[k], p.ring[m - 1], row.get(k - m), row.get(k + m),
                                            window[b + R - m][k], window[b + R + m][k]);
                }
            }
            ushort4 material = __ldg((const ushort4 *)(p.material + (size_t)(y + b) * p.pitch + x));
            float2 coefficients[4] = {air, air, air, air};
            if ((material.x | material.y | material.z | material.w) != 0) {
                coefficients[0] = __ldg(&p.palette[material.x]);
                coefficients[1] = __ldg(&p.palette[material.y]);
                coefficients[2] = __ldg(&p.palette[material.z]);
                coefficients[3] = __ldg(&p.palette[material.w]);
            }
            int at = t.at(x, y + b);
            float v[4], updated[4];
            if (whole) {
                *(float4 *)v = *(const float4 *)(t.v + at);
            }
#pragma unroll
            for (int k = 0; k < 4; k++) {
                bool mine = whole || (x + k >= c.x0 && x + k < c.x1);
                if (!whole && mine) {
                    v[k] = t.v[at + k];
                }
                v[k] = cell_increment(v[k], lap[k], coefficients[k].x, coefficients[k].y);
                updated[k] = row.get(k) + v[k];
                if (!whole && mine) {
                    t.v[at + k] = v[k];
                    put_e(t, next, x + k, y + b, updated[k], p.nx, p.ny, 2 * REACH - 1);
                }
            }
            if (whole) {
                *(float4 *)(t.v + at) = *(const float4 *)v;
                *(float4 *)(next + at) = *(const float4 *)updated;
            }
        }
    }
}

/* The nodes whose values are right after a step when `margin` rings of halo are left. */
__device__ __forceinline__ rectangle valid(const shape &s, const box &b, int margin)
{
    return {max(b.x0 - margin, s.x0), min(b.x1 + margin, s.x1), max(b.y0 - margin, s.y0), min(b.y1 + margin, s.y1)};
}

/* One step on the nodes of `c`; afterwards t.e is the new field. Ends with the block in step. */
template <int REACH, int RINGS>
__device__ void advance_tile(tile &t, const device_problem<float> &p, const rectangle &c)
{
    const float *e = t.e;
    float *next = t.next;
    rectangle inner = {max(c.x0, p.zone), min(c.x1, p.nx - p.zone), max(c.y0, p.zone), min(c.y1, p.ny - p.zone)};
    if (t.s.zone_x || t.s.zone_y) {
        if (t.s.zone_x) {
            halves_x<REACH>(t, p, e, c);
        }
        if (t.s.zone_y) {
            halves_y<REACH>(t, p, e, c);
        }
        __syncthreads();
        int low = min(c.x1, max(c.x0, p.zone)), high = max(low, min(c.x1, p.nx - p.zone));
        int bottom = min(c.y1, max(c.y0, p.zone)), top = max(bottom, min(c.y1, p.ny - p.zone));
        advance_zone<REACH, RINGS>(t, p, e, next, c.x0, low, c.y0, c.y1);
        advance_zone<REACH, RINGS>(t, p, e, next, high, c.x1, c.y0, c.y1);
        advance_zone<REACH, RINGS>(t, p, e, next, low, high, c.y0, bottom);
        advance_zone<REACH, RINGS>(t, p, e, next, low, high, top, c.y1);
    }
    advance_inner<REACH, RINGS, REACH == 1 ? 2 : 4>(t, p, e, next, inner);
    __syncthreads();
    t.next = t.e;
    t.e = next;
}

/* Sources and probes after a step; e is the new field. */
__device__ void tile_events(const tile &t, const device_problem<float> &p, const device_events<float> &events, const box &b,
                            int run, float *e, int64_t step, const rectangle &c, int depth)
{
    if (b.near_source) {
        const device_source source = events.sources[run];
        if (step < source.steps) {
            for (int k = threadIdx.x; k < source.count; k += blockDim.x) {
                int64_t node = source.node[k];
                int x = (int)(node % p.nx), y = (int)(node / p.nx);
                if (x >= c.x0 && x < c.x1 && y >= c.y0 && y < c.y1) {
                    int at = t.at(x, y);
                    float value = e[at];
                    cell_source((float)source.weight[k], (float)source.drive[step], source.hard, &t.v[at], &value);
                    put_e(t, e, x, y, value, p.nx, p.ny, depth);
                }
            }
        }
        __syncthreads();
    }
    float *row = events.record + run * events.record_stride + (size_t)(step - events.record_first) * events.probe_count;
    for (int k = b.probe_first + threadIdx.x; k < b.probe_first + b.probe_count; k += blockDim.x) {
        row[events.probe_slot[k]] = e[t.at(events.probe_x[k], events.probe_y[k])];
    }
}

/* Fields of one run. */
__device__ device_fields<float> run_fields(const device_problem<float> &p, const device_fields<float> &f, int run)
{
    return {f.e + run * p.cells,          f.v + run * p.cells,          f.x_half + run * p.x_states,
            f.x_node + run * p.x_states, f.y_half + run * p.y_states, f.y_node + run * p.y_states};
}

/* Reads the nodes of the tile that `wanted(x, y)` asks for. Past L1: other multiprocessors may have written them just now. */
template <class Wanted>
__device__ void load_tile(const tile &t, const device_problem<float> &p, const device_fields<float> &f, float *e, Wanted wanted)
{
    const shape &s = t.s;
    each_node(s.x0, s.x1, s.y0, s.y1, [&](int x, int y) {
        if (!wanted(x, y)) {
            return;
        }
        size_t from = (size_t)y * p.pitch + x;
        t.v[t.at(x, y)] = __ldcg(f.v + from);
        put_e(t, e, x, y, __ldcg(f.e + from), p.nx, p.ny, 2 * p.reach - 1);
        if (x < p.layer || x >= p.nx - p.layer) {
            size_t state = (size_t)y * 2 * p.layer + layer_index(x, p.nx, p.layer);
            int to = t.x_state(x, y, p.nx, p.layer);
            t.xh[to] = __ldcg(f.x_half + state);
            t.xn[to] = __ldcg(f.x_node + state);
        }
        if (y < p.layer || y >= p.ny - p.layer) {
            size_t state = (size_t)layer_index(y, p.ny, p.layer) * p.pitch + x;
            int to = t.y_state(x, y, p.ny, p.layer);
            t.yh[to] = __ldcg(f.y_half + state);
            t.yn[to] = __ldcg(f.y_node + state);
        }
    });
}

template <class Wanted>
__device__ void store_tile(const tile &t, const device_problem<float> &p, const device_fields<float> &f, const float *e,
                           const box &b, Wanted wanted)
{
    each_node(b.x0, b.x1, b.y0, b.y1, [&](int x, int y) {
        if (!wanted(x, y)) {
            return;
        }
        size_t to = (size_t)y * p.pitch + x;
        int at = t.at(x, y);
        __stcg(f.v + to, t.v[at]);
        __stcg(f.e + to, e[at]);
        if (x < p.layer || x >= p.nx - p.layer) {
            size_t state = (size_t)y * 2 * p.layer + layer_index(x, p.nx, p.layer);
            int from = t.x_state(x, y, p.nx, p.layer);
            __stcg(f.x_half + state, t.xh[from]);
            __stcg(f.x_node + state, t.xn[from]);
        }
        if (y < p.layer || y >= p.ny - p.layer) {
            size_t state = (size_t)layer_index(y, p.ny, p.layer) * p.pitch + x;
            int from = t.y_state(x, y, p.ny, p.layer);
            __stcg(f.y_half + state, t.yh[from]);
            __stcg(f.y_node + state, t.yn[from]);
        }
    });
}

__device__ void clear_tile(const tile &t, float *memory)
{
    int count = (int)(t.s.bytes() / sizeof(float));
    for (int k = threadIdx.x; k < count; k += blockDim.x) {
        memory[k] = 0.0f;
    }
    __syncthreads();
}

template <int REACH, int RINGS>
__global__ void __launch_bounds__(TILE_THREADS) tile_kernel(device_problem<float> p, device_fields<float> in,
                                                            device_fields<float> out, device_events<float> events,
                                                            const box *boxes, int64_t step, int steps)
{
    extern __shared__ float4 shared_memory[];
    float *memory = (float *)shared_memory;
    constexpr int R = 2 * REACH - 1;
    box b = boxes[blockIdx.x];
    int run = blockIdx.y;
    tile t = make_tile(make_shape(p.nx, p.ny, p.layer, p.zone, R, b, steps * R), memory);
    clear_tile(t, memory);
    load_tile(t, p, run_fields(p, in, run), t.e, [](int, int) { return true; });
    __syncthreads();
    for (int k = 0; k < steps; k++) {
        rectangle c = valid(t.s, b, (steps - 1 - k) * R);
        advance_tile<REACH, RINGS>(t, p, c);
        tile_events(t, p, events, b, run, t.e, step + k, c, R);
    }
    __syncthreads();
    store_tile(t, p, run_fields(p, out, run), t.e, b, [](int, int) { return true; });
}

/* Waits until every neighbour has published round `round`. */
__device__ void await_neighbours(const unsigned *flags, int column, int row, int columns, int rows, unsigned round)
{
    if (threadIdx.x < 9) {
        int x = column + (int)threadIdx.x % 3 - 1, y = row + (int)threadIdx.x / 3 - 1;
        if (x >= 0 && x < columns && y >= 0 && y < rows) {
            const unsigned *flag = flags + (y * columns + x);
            unsigned seen;
            do {
                asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
            } while (seen < round);
        }
    }
    __syncthreads();
}

/* Writes the box's nodes of the spectra lattice when a sample is due after `steps` steps. */
__device__ void sample_tile(const tile &t, const resident_plan &plan, const box &b, const float *e, int64_t steps)
{
    const device_spectra &s = plan.spectra;
    if (plan.samples == NULL || steps % s.every != 0) {
        return;
    }
    float *row = plan.samples + (size_t)(steps / s.every - 1 - plan.sample_first) * s.cells;
    int c0 = max(0, (b.x0 - s.x0 + s.spacing - 1) / s.spacing), c1 = min(s.columns, (b.x1 - 1 - s.x0 + s.spacing) / s.spacing);
    int r0 = max(0, (b.y0 - s.y0 + s.spacing - 1) / s.spacing), r1 = min(s.rows, (b.y1 - 1 - s.y0 + s.spacing) / s.spacing);
    each_node(b.x0 <= s.x0 ? 0 : c0, b.x1 <= s.x0 ? 0 : c1, b.y0 <= s.y0 ? 0 : r0, b.y1 <= s.y0 ? 0 : r1, [&](int column, int line) {
        row[(size_t)line * s.columns + column] = e[t.at(s.x0 + column * s.spacing, s.y0 + line * s.spacing)];
    });
}

template <int REACH, int RINGS>
__global__ void __launch_bounds__(REACH == 1 ? RESIDENT_THREADS : RESIDENT_THREADS_WIDE) resident_kernel(device_problem<float> p, device_fields<float> even,
                                                                    device_fields<float> odd, device_events<float> events,
                                                                    resident_plan plan, int64_t step, int64_t steps)
{
    extern __shared__ float4 shared_memory[];
    float *memory = (float *)shared_memory;
    constexpr int R = 2 * REACH - 1;
    box b = plan.boxes[blockIdx.x];
    int column = blockIdx.x % plan.columns, row = blockIdx.x / plan.columns, halo = plan.depth * R;
    tile t = make_tile(make_shape(p.nx, p.ny, p.layer, p.zone, R, b, halo), memory);
    clear_tile(t, memory);
    load_tile(t, p, even, t.e, [](int, int) { return true; });
    __syncthreads();
    unsigned round = 0;
    for (int64_t done = 0; done < steps;) {
        int depth = (int)min((int64_t)plan.depth, steps - done);
        for (int k = 0; k < depth; k++) {
            rectangle c = valid(t.s, b, (depth - 1 - k) * R);
            advance_tile<REACH, RINGS>(t, p, c);
            tile_events(t, p, events, b, 0, t.e, step + done + k, c, R);
            sample_tile(t, plan, b, t.e, step + done + k + 1);
        }
        done += depth;
        round++;
        const device_fields<float> &to = round % 2 == 1 ? odd : even;
        bool last = done >= steps;
        __syncthreads();
        store_tile(t, p, to, t.e, b, [&](int x, int y) {
            return last || x < b.x0 + halo || x >= b.x1 - halo || y < b.y0 + halo || y >= b.y1 - halo;
        });
        if (last) {
            break;
        }
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(plan.flags + blockIdx.x), "r"(round) : "memory");
        }
        await_neighbours(plan.flags, column, row, plan.columns, plan.rows, round);
        load_tile(t, p, to, t.e, [&](int x, int y) {
            bool in_x = x >= b.x0 && x < b.x1, in_y = y >= b.y0 && y < b.y1;
            return plan.depth == 1 ? in_x != in_y : !(in_x && in_y);
        });
        __syncthreads();
    }
}

template <int REACH, int RINGS>
pw_status launch_tiles(const device_problem<float> &p, const device_fields<float> &in, const device_fields<float> &out,
                       const device_events<float> &events, const box *boxes, int box_count, size_t shared_bytes, int64_t step,
                       int steps, int runs, cudaStream_t stream, pw_error *error)
{
    CUDA_TRY(cudaFuncSetAttribute(tile_kernel<REACH, RINGS>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes));
    tile_kernel<REACH, RINGS><<<dim3(box_count, runs), TILE_THREADS, shared_bytes, stream>>>(p, in, out, events, boxes, step, steps);
    CUDA_LAUNCHED("tile_kernel");
    return PW_OK;
}

template <int REACH, int RINGS>
pw_status launch_resident(const device_problem<float> &problem, const device_fields<float> fields[2],
                          const device_events<float> &events, const resident_plan &plan, int64_t step, int64_t steps,
                          cudaStream_t stream, pw_error *error)
{
    device_problem<float> p = problem;
    device_fields<float> even = fields[0], odd = fields[1];
    device_events<float> e = events;
    resident_plan r = plan;
    void *arguments[] = {&p, &even, &odd, &e, &r, &step, &steps};
    CUDA_TRY(cudaFuncSetAttribute(resident_kernel<REACH, RINGS>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)plan.shared_bytes));
    CUDA_TRY(cudaMemsetAsync(plan.flags, 0, sizeof(unsigned) * plan.columns * plan.rows, stream));
    CUDA_TRY(cudaLaunchCooperativeKernel((const void *)resident_kernel<REACH, RINGS>, dim3(plan.columns * plan.rows),
                                         dim3(REACH == 1 ? RESIDENT_THREADS : RESIDENT_THREADS_WIDE), arguments, plan.shared_bytes, stream));
    return PW_OK;
}

} // namespace

size_t tile_bytes(const device_problem<float> &problem, const box &b, int halo)
{
    return make_shape(problem.nx, problem.ny, problem.layer, problem.zone, 2 * problem.reach - 1, b, halo).bytes();
}

/* The schemes: yee, fd4, dd2 and fd6, fd8, dd3, dd4, with the rings that single precision uses (problem_set_stencil). */
#define BY_SCHEME(problem, call)                                                                                      \
    switch (10 * (problem).reach + (problem).rings) {                                                                 \
    case 11:                                                                                                          \
        return call(1, 1);                                                                                            \
    case 23:                                                                                                          \
        return call(2, 3);                                                                                            \
    case 35:                                                                                                          \
        return call(3, 5);                                                                                            \
    case 47:                                                                                                          \
        return call(4, 7);                                                                                            \
    case 57:                                                                                                          \
        return call(5, 7);                                                                                            \
    case 79:                                                                                                          \
        return call(7, 9);                                                                                            \
    default:                                                                                                          \
        return fail(error, PW_USAGE, "no tile kernel for a reach of %d with %d rings", (problem).reach,               \
                    (problem).rings);                                                                                 \
    }

pw_status tile_pass(const device_problem<float> &problem, const device_fields<float> &in, const device_fields<float> &out,
                    const device_events<float> &events, const box *boxes, int box_count, size_t shared_bytes, int64_t step,
                    int steps, int runs, cudaStream_t stream, pw_error *error)
{
#define LAUNCH(reach, rings)                                                                                                 \
    launch_tiles<reach, rings>(problem, in, out, events, boxes, box_count, shared_bytes, step, steps, runs, stream, error)
    BY_SCHEME(problem, LAUNCH)
#undef LAUNCH
}

pw_status resident_advance(const device_problem<float> &problem, const device_fields<float> fields[2],
                           const device_events<float> &events, const resident_plan &plan, int64_t step, int64_t steps,
                           cudaStream_t stream, pw_error *error)
{
#define LAUNCH(reach, rings) launch_resident<reach, rings>(problem, fields, events, plan, step, steps, stream, error)
    BY_SCHEME(problem, LAUNCH)
#undef LAUNCH
}
