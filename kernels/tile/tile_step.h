/* One step of a tile in shared memory: outside of every absorber region by quads of columns, inside by columns of nodes
 * with their filters, then sources and probes. The same arithmetic as everywhere (cell.h). Leaves out: where the tile
 * comes from and goes to. */
#ifndef TILE_STEP_H
#define TILE_STEP_H

#include "kernels/tile/tile.h"

/* Spreads columns over the threads: work(x, y, step) takes the nodes (x, y), (x, y + step), ... below y1. */
template <class Work> __device__ __forceinline__ void each_column(int x0, int x1, int y0, int y1, Work work)
{
    int width = x1 - x0;
    if (width <= 0 || y1 <= y0) {
        return;
    }
    int rows = max(1, (int)blockDim.x / width);
    for (int c = threadIdx.x; c < width * rows; c += blockDim.x) {
        int row = c / width;
        work(x0 + c - row * width, y0 + row, rows);
    }
}

/* A filter of a half node or node, with the place of its state; `on` is false outside of the layers. */
struct placed_filter {
    device_filter<float> values;
    bool on;
};

__device__ __forceinline__ placed_filter filter_at(const device_filter<float> *filters, int i, int n, int layer,
                                                   int low_layer)
{
    if (i < 0 || (i >= low_layer && i < n - layer)) {
        return {{1.0f, 1.0f, 0.0f, 0.0f}, false};
    }
    float4 f = __ldg((const float4 *)(filters + i));
    return {{f.x, f.y, f.z, f.w}, true};
}

/* Stores the new increment and Ez of a node. */
__device__ __forceinline__ void finish_node(const tile &t, const device_problem<float> &p, int x, int y, int at,
                                            float e, float lap, int depth)
{
    float2 coefficients = __ldg(&p.coefficients[__ldg(&p.coefficient_index[(size_t)y * p.pitch + x])]);
    float v = cell_increment(t.v[at], lap, coefficients.x, coefficients.y), value = e + v;
    t.v[at] = v;
    if (x <= depth || y <= depth || p.nx - x <= depth || p.ny - y <= depth) {
        put_e(t, p, t.next, x, y, value, depth);
    } else {
        t.next[at] = value;
    }
}

/* Ez of a node and of its neighbours along an axis. */
struct three_nodes {
    float low, centre, high;
};

/* yee: both differences at once; a node filters the two half nodes beside it and keeps the state of the one above it.
 */
__device__ __forceinline__ float filtered_pair(float a, const three_nodes &line, const placed_filter &below,
                                               const placed_filter &above, float below_state, float above_state,
                                               float *above_next, bool at_wall)
{
    float g_high = cell_difference(a, line.centre, line.high);
    if (above.on) {
        g_high = cell_filter(g_high, above.values, &above_state);
        *above_next = above_state;
    }
    float g_low = cell_difference(a, line.low, line.centre);
    if (below.on) {
        g_low = cell_filter(g_low, below.values, &below_state);
    }
    g_low = at_wall ? g_high : g_low; /* even about the wall */
    return cell_difference(a, g_low, g_high);
}

template <bool IN_X, bool IN_Y>
__device__ __forceinline__ void yee_region(const tile &t, const device_problem<float> &p, int x0, int x1, int y0,
                                           int y1)
{
    const float *e = t.e;
    float a = p.difference[0];
    int pitch = t.s.pitch, x_width = t.s.x_low + t.s.x_high;
    each_column(x0, x1, y0, y1, [&](int x, int y, int step) {
        placed_filter left, right, node;
        if (IN_X) {
            left = filter_at(p.x_half, x - 1, p.nx, p.layer, p.low_layer[0]);
            right = filter_at(p.x_half, x, p.nx, p.layer, p.low_layer[0]);
            node = filter_at(p.x_node, x, p.nx, p.layer, p.low_layer[0]);
        }
        int at = t.at(x, y), xs = IN_X && right.on ? t.x_state(x, y, p) : 0;
        int left_xs = IN_X && left.on ? t.x_state(x - 1, y, p) : 0;
        for (; y < y1; y += step, at += step * pitch, xs += step * x_width, left_xs += step * x_width) {
            float centre = e[at], lap_x, lap_y;
            if (IN_X) {
                lap_x = filtered_pair(a, {e[at - 1], centre, e[at + 1]}, left, right, left.on ? t.xh[left_xs] : 0.0f,
                                      right.on ? t.xh[xs] : 0.0f, t.xh_next + xs, x == 0);
                if (node.on) {
                    lap_x = cell_filter(lap_x, node.values, t.xn + xs);
                }
            } else {
                lap_x = cell_line(p.centre, centre, e[at - 1], e[at + 1]);
            }
            if (IN_Y) {
                placed_filter below = filter_at(p.y_half, y - 1, p.ny, p.layer, p.low_layer[1]),
                              above = filter_at(p.y_half, y, p.ny, p.layer, p.low_layer[1]);
                placed_filter here = filter_at(p.y_node, y, p.ny, p.layer, p.low_layer[1]);
                int ys = above.on ? t.y_state(x, y, p) : 0;
                int below_ys = below.on ? t.y_state(x, y - 1, p) : 0;
                lap_y =
                    filtered_pair(a, {e[at - pitch], centre, e[at + pitch]}, below, above,
                                  below.on ? t.yh[below_ys] : 0.0f, above.on ? t.yh[ys] : 0.0f, t.yh_next + ys, y == 0);
                if (here.on) {
                    lap_y = cell_filter(lap_y, here.values, t.yn + ys);
                }
            } else {
                lap_y = cell_line(p.centre, centre, e[at - pitch], e[at + pitch]);
            }
            finish_node(t, p, x, y, at, centre, lap_x + lap_y, 1);
        }
    });
}

/* Wide stencils: first differences with their filters for the nodes of `c` in an absorber region of x; rows of c only.
 */
template <int REACH> __device__ void halves_x(const tile &t, const device_problem<float> &p, const rectangle &c)
{
    const float *e = t.e;
    int pitch = t.s.pitch, done = 0; /* halves up to here are done */
    for (int side = 0; side < 2; side++) {
        int n0 = side == 0 ? c.x0 : max(c.x0, max(p.nx - p.absorber_region, p.low_region[0])),
            n1 = side == 0 ? min(c.x1, p.low_region[0]) : c.x1;
        if (n1 <= n0) {
            continue;
        }
        int h0 = max(max(n0 - REACH, 0), done), h1 = min(n1 + REACH - 1, p.nx);
        done = h1;
        each_column(h0, h1, c.y0, c.y1, [&](int x, int y, int step) {
            placed_filter filter = filter_at(p.x_half, x, p.nx, p.layer, p.low_layer[0]);
            int at = t.at(x, y), g = t.at_gx(x, y), state = filter.on ? t.x_state(x, y, p) : 0;
            bool imaged = x < REACH || x >= p.nx - REACH;
            for (; y < c.y1;
                 y += step, at += step * pitch, g += step * t.s.gx_pitch, state += step * (t.s.x_low + t.s.x_high)) {
                float sum = cell_difference(p.difference[0], e[at], e[at + 1]);
#pragma unroll
                for (int l = 1; l < REACH; l++) {
                    sum = cell_difference_add(sum, p.difference[l], e[at - l], e[at + 1 + l]);
                }
                if (filter.on) {
                    sum = cell_filter(sum, filter.values, t.xh + state);
                }
                t.gx[g] = sum;
                if (imaged) {
                    even_images(x, p.nx, REACH, [&](int image) {
                        if (image >= t.s.gx_left && image < t.s.gx_left + t.s.gx_pitch) {
                            t.gx[t.at_gx(image, y)] = sum;
                        }
                    });
                }
            }
        });
    }
}

template <int REACH> __device__ void halves_y(const tile &t, const device_problem<float> &p, const rectangle &c)
{
    const float *e = t.e;
    int pitch = t.s.pitch, done = 0;
    for (int side = 0; side < 2; side++) {
        int n0 = side == 0 ? c.y0 : max(c.y0, max(p.ny - p.absorber_region, p.low_region[1])),
            n1 = side == 0 ? min(c.y1, p.low_region[1]) : c.y1;
        if (n1 <= n0) {
            continue;
        }
        int h0 = max(max(n0 - REACH, 0), done), h1 = min(n1 + REACH - 1, p.ny);
        done = h1;
        each_column(c.x0, c.x1, h0, h1, [&](int x, int y, int step) {
            int at = t.at(x, y), g = t.at_gy(x, y);
            for (; y < h1; y += step, at += step * pitch, g += step * pitch) {
                placed_filter filter = filter_at(p.y_half, y, p.ny, p.layer, p.low_layer[1]);
                float sum = cell_difference(p.difference[0], e[at], e[at + pitch]);
#pragma unroll
                for (int l = 1; l < REACH; l++) {
                    sum = cell_difference_add(sum, p.difference[l], e[at - l * pitch], e[at + (1 + l) * pitch]);
                }
                if (filter.on) {
                    sum = cell_filter(sum, filter.values, t.yh + t.y_state(x, y, p));
                }
                t.gy[g] = sum;
                if (y < REACH || y >= p.ny - REACH) {
                    even_images(y, p.ny, REACH, [&](int image) {
                        if (image >= t.s.gy_bottom && image < t.s.gy_bottom + t.s.gy_rows) {
                            t.gy[t.at_gy(x, image)] = sum;
                        }
                    });
                }
            }
        });
    }
}

template <int TAPS> __device__ __forceinline__ float line_of(const device_problem<float> &p, const float *e, int step)
{
    float sum = cell_line(p.centre, e[0], e[-step], e[step]);
#pragma unroll
    for (int m = 2; m <= TAPS; m++) {
        sum = cell_line_add(sum, p.laplacian[m - 1], e[-m * step], e[m * step]);
    }
    return sum;
}

template <int REACH>
__device__ __forceinline__ float second_of(const device_problem<float> &p, const float *g, int step)
{
    float sum = cell_difference(p.difference[0], g[-step], g[0]);
#pragma unroll
    for (int l = 1; l < REACH; l++) {
        sum = cell_difference_add(sum, p.difference[l], g[-(1 + l) * step], g[l * step]);
    }
    return sum;
}

template <int REACH, int TAPS, bool IN_X, bool IN_Y>
__device__ __forceinline__ void wide_region(const tile &t, const device_problem<float> &p, int x0, int x1, int y0,
                                            int y1)
{
    int pitch = t.s.pitch;
    each_column(x0, x1, y0, y1, [&](int x, int y, int step) {
        placed_filter x_filter;
        if (IN_X) {
            x_filter = filter_at(p.x_node, x, p.nx, p.layer, p.low_layer[0]);
        }
        int at = t.at(x, y);
        for (; y < y1; y += step, at += step * pitch) {
            float lap_x, lap_y;
            if (IN_X) {
                lap_x = second_of<REACH>(p, t.gx + t.at_gx(x, y), 1);
                if (x_filter.on) {
                    lap_x = cell_filter(lap_x, x_filter.values, t.xn + t.x_state(x, y, p));
                }
            } else {
                lap_x = line_of<TAPS>(p, t.e + at, 1);
            }
            if (IN_Y) {
                placed_filter y_filter = filter_at(p.y_node, y, p.ny, p.layer, p.low_layer[1]);
                lap_y = second_of<REACH>(p, t.gy + t.at_gy(x, y), pitch);
                if (y_filter.on) {
                    lap_y = cell_filter(lap_y, y_filter.values, t.yn + t.y_state(x, y, p));
                }
            } else {
                lap_y = line_of<TAPS>(p, t.e + at, pitch);
            }
            finish_node(t, p, x, y, at, t.e[at], lap_x + lap_y, 2 * REACH - 1);
        }
    });
}

template <int REACH, int TAPS, bool IN_X, bool IN_Y>
__device__ __forceinline__ void region_part(const tile &t, const device_problem<float> &p, int x0, int x1, int y0,
                                            int y1)
{
    if (remakes_differences(REACH)) {
        yee_region<IN_X, IN_Y>(t, p, x0, x1, y0, y1);
    } else {
        wide_region<REACH, TAPS, IN_X, IN_Y>(t, p, x0, x1, y0, y1);
    }
}

/* One quad of one row with its neighbours west and east. */
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

/* New values of the nodes of a rectangle outside of every absorber region: a thread takes 4 columns and BAND rows. */
template <int REACH, int TAPS, int BAND>
__device__ __forceinline__ void advance_inner(const tile &t, const device_problem<float> &p, const rectangle &c)
{
    constexpr int R = TAPS;
    if (c.x1 <= c.x0 || c.y1 <= c.y0) {
        return;
    }
    /* Where a layer is deep enough, absorber regions lie between this and the walls' images. */
    bool images = t.s.wall && (p.absorber_region <= 2 * REACH - 1 || p.symmetric[0] || p.symmetric[1]);
    int first = c.x0 & ~3, quads = (c.x1 - first + 3) / 4, bands = (c.y1 - c.y0 + BAND - 1) / BAND, pitch = t.s.pitch;
    float2 air = __ldg(&p.coefficients[0]);
    for (int item = threadIdx.x; item < quads * bands; item += blockDim.x) {
        int band = item / quads;
        int x = first + 4 * (item - band * quads), y = c.y0 + band * BAND;
        const float *centre = t.e + t.at(x, y);
        ushort4 indices[BAND];
#pragma unroll
        for (int b = 0; b < BAND; b++) {
            indices[b] = __ldg((const ushort4 *)(p.coefficient_index + (size_t)min(y + b, c.y1 - 1) * p.pitch + x));
        }
        float window[BAND + 2 * R][4];
#pragma unroll
        for (int k = 0; k < BAND + 2 * R; k++) {
            *(float4 *)window[k] = *(const float4 *)(centre + (k - R) * pitch);
        }
        bool whole = x >= c.x0 && x + 4 <= c.x1 && !images;
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
                lap[k] = cell_cross(p.centre2, row.get(k), row.get(k - 1), row.get(k + 1), window[b + R - 1][k],
                                    window[b + R + 1][k]);
#pragma unroll
                for (int m = 2; m <= R; m++) {
                    lap[k] = cell_cross_add(lap[k], p.laplacian[m - 1], row.get(k - m), row.get(k + m),
                                            window[b + R - m][k], window[b + R + m][k]);
                }
            }
            float2 coefficients[4] = {air, air, air, air};
            if ((indices[b].x | indices[b].y | indices[b].z | indices[b].w) != 0) {
                coefficients[0] = __ldg(&p.coefficients[indices[b].x]);
                coefficients[1] = __ldg(&p.coefficients[indices[b].y]);
                coefficients[2] = __ldg(&p.coefficients[indices[b].z]);
                coefficients[3] = __ldg(&p.coefficients[indices[b].w]);
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
                    if (images) {
                        put_e(t, p, t.next, x + k, y + b, updated[k], 2 * REACH - 1);
                    } else {
                        t.next[at + k] = updated[k];
                    }
                }
            }
            if (whole) {
                *(float4 *)(t.v + at) = *(const float4 *)v;
                *(float4 *)(t.next + at) = *(const float4 *)updated;
            }
        }
    }
}

template <class T> __device__ __forceinline__ void exchange(T &a, T &b)
{
    T c = a;
    a = b;
    b = c;
}

/* The nodes of `c` in absorber regions. */
template <int REACH, int TAPS>
__device__ __forceinline__ void advance_regions(const tile &t, const device_problem<float> &p, const rectangle &c)
{
    if (!t.s.region_x && !t.s.region_y) {
        return;
    }
    if (!remakes_differences(REACH)) {
        if (t.s.region_x) {
            halves_x<REACH>(t, p, c);
        }
        if (t.s.region_y) {
            halves_y<REACH>(t, p, c);
        }
        __syncthreads();
    }
    int left = min(c.x1, max(c.x0, p.low_region[0])), right = max(left, min(c.x1, p.nx - p.absorber_region));
    int bottom = min(c.y1, max(c.y0, p.low_region[1])), top = max(bottom, min(c.y1, p.ny - p.absorber_region));
    if (t.s.region_x && t.s.region_y) {
        region_part<REACH, TAPS, true, true>(t, p, c.x0, left, c.y0, bottom);
        region_part<REACH, TAPS, true, true>(t, p, right, c.x1, c.y0, bottom);
        region_part<REACH, TAPS, true, true>(t, p, c.x0, left, top, c.y1);
        region_part<REACH, TAPS, true, true>(t, p, right, c.x1, top, c.y1);
    }
    if (t.s.region_x) {
        region_part<REACH, TAPS, true, false>(t, p, c.x0, left, bottom, top);
        region_part<REACH, TAPS, true, false>(t, p, right, c.x1, bottom, top);
    }
    if (t.s.region_y) {
        region_part<REACH, TAPS, false, true>(t, p, left, right, c.y0, bottom);
        region_part<REACH, TAPS, false, true>(t, p, left, right, top, c.y1);
    }
}

/* One step on the nodes of `c`; afterwards t.e is the new field. Ends with the block in step. */
template <int REACH, int TAPS, int BAND>
__device__ __forceinline__ void advance_tile(tile &t, const device_problem<float> &p, const rectangle &c)
{
    advance_regions<REACH, TAPS>(t, p, c);
    advance_inner<REACH, TAPS, BAND>(t, p,
                                     {max(c.x0, p.low_region[0]), min(c.x1, p.nx - p.absorber_region),
                                      max(c.y0, p.low_region[1]), min(c.y1, p.ny - p.absorber_region)});
    __syncthreads();
    exchange(t.e, t.next);
    if (remakes_differences(REACH)) {
        exchange(t.xh, t.xh_next);
        exchange(t.yh, t.yh_next);
    }
}

#endif
