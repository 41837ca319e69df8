/* The rectangle of the grid that tile.cu advances in shared memory: its layout, loading and storing, and the images
 * beyond the walls. Ez twice (old and new), the increment, the filter states, and for the wide stencils the filtered
 * first differences where an absorber region needs them. Leaves out: the steps themselves (tile_step.h). */
#ifndef TILE_H
#define TILE_H

#include "kernels/common/device.h"
#include "kernels/tuning.h"

__host__ __device__ __forceinline__ int round_up(int value, int unit)
{
    return (value + unit - 1) / unit * unit;
}

__host__ __device__ __forceinline__ int overlap(int a0, int a1, int b0, int b1)
{
    int low = a0 > b0 ? a0 : b0, high = a1 < b1 ? a1 : b1;
    return high > low ? high - low : 0;
}

/* Whether filtered first differences are made anew by both nodes beside them, as yee does it, and not stored: then the
 * states of half nodes are held twice, old and new, like Ez. */
__host__ __device__ constexpr bool remakes_differences(int reach)
{
    return reach == 1;
}

/* Layout of a tile; the same on host and device. */
struct tile_layout {
    int x0, x1, y0, y1;      /* nodes held: box and halo, clipped to the domain */
    int left, bottom;        /* node of element 0 of Ez (may be < 0) */
    int pitch, rows;         /* elements */
    int x_low, x_high;       /* layer columns held, low and high end */
    int y_low, y_high;       /* layer rows held */
    bool region_x, region_y; /* some node lies in an absorber region */
    bool wall;               /* images are needed */
    bool twice;              /* half states twice instead of differences (yee) */
    int gx_left, gx_pitch;   /* first differences in x: (y1 - y0, gx_pitch) from half node gx_left */
    int gy_bottom, gy_rows;  /* in y: (gy_rows, pitch) from half node gy_bottom */

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
    __host__ __device__ int gx() const
    {
        return twice ? x_state() : region_x ? round_up(gx_pitch * (y1 - y0), 4) : 0;
    }
    __host__ __device__ int gy() const
    {
        return twice ? y_state() : region_y ? pitch * gy_rows : 0;
    }
    __host__ __device__ size_t bytes() const
    {
        return sizeof(float) * (3 * (size_t)field() + gx() + gy() + 2 * (size_t)x_state() + 2 * (size_t)y_state());
    }
};

/* Half nodes that the absorber regions of an axis, `low_region` nodes at its low end, need among those of nodes a0 <= i
 * < a1: one end only when the other is out of sight. */
__host__ __device__ inline void difference_range(int a0, int a1, int n, int low_region, int region, int reach,
                                                 int *first, int *count)
{
    bool low = a0<low_region, high = a1> n - region;
    int from = low ? a0 : n - region, to = high ? a1 : low_region;
    from -= reach;
    to += reach;
    *first = from;
    *count = (low || high) && to > from ? to - from : 0;
}

/* What a layout depends on beside its box. */
struct tile_grid {
    int nx, ny, layer, reach;
    int low_layer[2]; /* at the low ends of x and y: `layer`, or 0 at a symmetry plane */
};

__host__ __device__ inline tile_layout make_layout(const tile_grid &g, const box &b, int halo)
{
    tile_layout s;
    const int nx = g.nx, ny = g.ny, layer = g.layer, reach = g.reach, depth = 2 * reach - 1,
              region = layer > 0 ? layer + reach : 0, low_x = g.low_layer[0] > 0 ? region : 0,
              low_y = g.low_layer[1] > 0 ? region : 0;
    s.x0 = b.x0 - halo > 0 ? b.x0 - halo : 0;
    s.x1 = b.x1 + halo < nx ? b.x1 + halo : nx;
    s.y0 = b.y0 - halo > 0 ? b.y0 - halo : 0;
    s.y1 = b.y1 + halo < ny ? b.y1 + halo : ny;
    /* Quads of four columns read a little beyond what is needed, and so do bands of four rows; images need `depth`. */
    s.left = (s.x0 & ~3) - (s.x0 == 0 ? round_up(depth, 4) : 4);
    s.pitch = round_up(s.x1 + (s.x1 == nx ? round_up(depth, 4) + 4 : 8) - s.left, 4);
    s.bottom = s.y0 - (s.y0 == 0 ? depth : 0);
    s.rows = s.y1 + (s.y1 == ny ? depth : 0) + 4 - s.bottom;
    s.x_low = overlap(s.x0, s.x1, 0, g.low_layer[0]);
    s.x_high = overlap(s.x0, s.x1, nx - layer, nx);
    s.y_low = overlap(s.y0, s.y1, 0, g.low_layer[1]);
    s.y_high = overlap(s.y0, s.y1, ny - layer, ny);
    s.region_x = overlap(s.x0, s.x1, 0, low_x) > 0 || overlap(s.x0, s.x1, nx - region, nx) > 0;
    s.region_y = overlap(s.y0, s.y1, 0, low_y) > 0 || overlap(s.y0, s.y1, ny - region, ny) > 0;
    s.wall = s.x0 == 0 || s.y0 == 0 || s.x1 == nx || s.y1 == ny;
    s.twice = remakes_differences(reach);
    difference_range(s.x0, s.x1, nx, low_x, region, reach, &s.gx_left, &s.gx_pitch);
    if (s.gx_pitch > 0) { /* aligned, with a quad to spare at both ends */
        int end = s.gx_left + s.gx_pitch + 8;
        s.gx_left = (s.gx_left - 4) & ~3;
        s.gx_pitch = round_up(end - s.gx_left, 4);
    }
    difference_range(s.y0, s.y1, ny, low_y, region, reach, &s.gy_bottom, &s.gy_rows);
    return s;
}

struct tile {
    tile_layout s;
    float *e, *next; /* old and new Ez */
    float *v, *gx, *gy;
    float *xh, *xh_next, *xn; /* filter states; the _next are used by yee only */
    float *yh, *yh_next, *yn;

    __device__ __forceinline__ int at(int x, int y) const
    {
        return (y - s.bottom) * s.pitch + (x - s.left);
    }
    __device__ __forceinline__ int at_gx(int x, int y) const
    {
        return (y - s.y0) * s.gx_pitch + (x - s.gx_left);
    }
    __device__ __forceinline__ int at_gy(int x, int y) const
    {
        return (y - s.gy_bottom) * s.pitch + (x - s.left);
    }
    /* Compact filter state places; the node must lie in a layer. */
    __device__ __forceinline__ int x_state(int x, int y, const device_problem<float> &p) const
    {
        int low = x < p.low_layer[0] ? x - s.x0 : s.x_low + x - max(s.x0, p.nx - p.layer);
        return (y - s.y0) * (s.x_low + s.x_high) + low;
    }
    __device__ __forceinline__ int y_state(int x, int y, const device_problem<float> &p) const
    {
        int low = y < p.low_layer[1] ? y - s.y0 : s.y_low + y - max(s.y0, p.ny - p.layer);
        return low * s.pitch + (x - s.left);
    }
};

__device__ inline tile make_tile(const tile_layout &s, float *memory)
{
    tile t;
    t.s = s;
    t.e = memory;
    t.next = t.e + s.field();
    t.v = t.next + s.field();
    t.gx = t.xh_next = t.v + s.field();
    t.gy = t.yh_next = t.gx + s.gx();
    t.xh = t.gy + s.gy();
    t.xn = t.xh + s.x_state();
    t.yh = t.xn + s.x_state();
    t.yn = t.yh + s.y_state();
    return t;
}

/* The images of node x of an axis of n within `depth` beyond the walls, put(position, sign): odd, but even about a
 * symmetry plane, from which the other wall is further than `depth`. Images of the walls stay zero. */
template <class Put> __device__ __forceinline__ void node_images(int x, int n, bool symmetric, int depth, Put put)
{
    if (x > depth && n - x > depth) {
        return;
    }
    if (x > 0 && x <= depth) {
        put(-x, symmetric ? 1.0f : -1.0f);
    }
    if (n - x <= depth && x > 0) {
        put(2 * n - x, -1.0f);
    }
    if (n <= depth && x > 0) { /* images of images, on tiny grids */
        for (int p = 2 * n; p - x <= n + depth; p += 2 * n) {
            if (p + x < n + depth) {
                put(p + x, 1.0f);
            }
            if (p + 2 * n - x < n + depth) {
                put(p + 2 * n - x, -1.0f);
            }
            if (x - p >= -depth) {
                put(x - p, 1.0f);
            }
            if (-x - p >= -depth) {
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

/* Stores Ez of a node and its images beyond the walls, where the tile holds them. */
__device__ __forceinline__ void put_e(const tile &t, const device_problem<float> &p, float *e, int x, int y,
                                      float value, int depth)
{
    e[t.at(x, y)] = value;
    if (t.s.wall) {
        node_images(x, p.nx, p.symmetric[0], depth, [&](int at, float sign) {
            if ((at < 0 && t.s.x0 == 0) || (at >= p.nx && t.s.x1 == p.nx)) {
                e[t.at(at, y)] = sign * value;
            }
        });
        node_images(y, p.ny, p.symmetric[1], depth, [&](int at, float sign) {
            if ((at < 0 && t.s.y0 == 0) || (at >= p.ny && t.s.y1 == p.ny)) {
                e[t.at(x, at)] = sign * value;
            }
        });
    }
}

struct rectangle {
    int x0, x1, y0, y1;

    __device__ __forceinline__ int count() const
    {
        return (x1 - x0) * (y1 - y0);
    }
    /* Nodes numbered through along x. */
    __device__ __forceinline__ int2 node(int index) const
    {
        int width = x1 - x0, row = (int)(((float)index + 0.5f) / (float)width);
        return make_int2(x0 + index - row * width, y0 + row);
    }
};

/* Reads box and halo. Several loads are in flight at once; past L1, for the block reads none of it twice. */
__device__ inline void load_tile(const tile &t, const device_problem<float> &p, const device_fields<float> &f)
{
    constexpr int AHEAD = 4;
    rectangle nodes = {t.s.x0, t.s.x1, t.s.y0, t.s.y1};
    int count = nodes.count();
    for (int k0 = threadIdx.x; k0 < count; k0 += AHEAD * blockDim.x) {
        int2 n[AHEAD];
        float e[AHEAD], v[AHEAD];
#pragma unroll
        for (int a = 0; a < AHEAD; a++) {
            n[a] = nodes.node(min(k0 + a * (int)blockDim.x, count - 1));
            size_t from = (size_t)n[a].y * p.pitch + n[a].x;
            e[a] = __ldcg(f.e + from);
            v[a] = __ldcg(f.v + from);
        }
#pragma unroll
        for (int a = 0; a < AHEAD; a++) {
            if (k0 + a * (int)blockDim.x < count) {
                t.v[t.at(n[a].x, n[a].y)] = v[a];
                put_e(t, p, t.e, n[a].x, n[a].y, e[a], 2 * p.reach - 1);
            }
        }
    }
    if (t.s.x_low + t.s.x_high + t.s.y_low + t.s.y_high == 0) {
        return;
    }
    for (int k = threadIdx.x; k < count; k += blockDim.x) {
        int2 n = nodes.node(k);
        if (n.x < p.low_layer[0] || n.x >= p.nx - p.layer) {
            size_t state = (size_t)n.y * 2 * p.layer + layer_index(n.x, p.nx, p.layer, p.low_layer[0]);
            int to = t.x_state(n.x, n.y, p);
            t.xh[to] = __ldcg(f.x_half + state);
            t.xn[to] = __ldcg(f.x_node + state);
        }
        if (n.y < p.low_layer[1] || n.y >= p.ny - p.layer) {
            size_t state = (size_t)layer_index(n.y, p.ny, p.layer, p.low_layer[1]) * p.pitch + n.x;
            int to = t.y_state(n.x, n.y, p);
            t.yh[to] = __ldcg(f.y_half + state);
            t.yn[to] = __ldcg(f.y_node + state);
        }
    }
}

/* Writes the box. */
__device__ inline void store_tile(const tile &t, const device_problem<float> &p, const device_fields<float> &f,
                                  const box &b)
{
    rectangle nodes = {b.x0, b.x1, b.y0, b.y1};
    bool layers = t.s.x_low + t.s.x_high + t.s.y_low + t.s.y_high > 0;
    for (int k = threadIdx.x; k < nodes.count(); k += blockDim.x) {
        int2 n = nodes.node(k);
        size_t to = (size_t)n.y * p.pitch + n.x;
        int at = t.at(n.x, n.y);
        __stcg(f.v + to, t.v[at]);
        __stcg(f.e + to, t.e[at]);
        if (layers && (n.x < p.low_layer[0] || n.x >= p.nx - p.layer)) {
            size_t state = (size_t)n.y * 2 * p.layer + layer_index(n.x, p.nx, p.layer, p.low_layer[0]);
            int from = t.x_state(n.x, n.y, p);
            __stcg(f.x_half + state, t.xh[from]);
            __stcg(f.x_node + state, t.xn[from]);
        }
        if (layers && (n.y < p.low_layer[1] || n.y >= p.ny - p.layer)) {
            size_t state = (size_t)layer_index(n.y, p.ny, p.layer, p.low_layer[1]) * p.pitch + n.x;
            int from = t.y_state(n.x, n.y, p);
            __stcg(f.y_half + state, t.yh[from]);
            __stcg(f.y_node + state, t.yn[from]);
        }
    }
}

__device__ inline void clear_tile(const tile &t, float *memory)
{
    int count = (int)(t.s.bytes() / sizeof(float));
    for (int k = threadIdx.x; k < count; k += blockDim.x) {
        memory[k] = 0.0f;
    }
    __syncthreads();
}

/* The nodes whose values are right after a step when `margin` nodes of halo are left. */
__device__ __forceinline__ rectangle valid(const tile_layout &s, const box &b, int margin)
{
    return {max(b.x0 - margin, s.x0), min(b.x1 + margin, s.x1), max(b.y0 - margin, s.y0), min(b.y1 + margin, s.y1)};
}

#endif
