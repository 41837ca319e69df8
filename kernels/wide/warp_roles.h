/* Who does what in a block of wide_resident.cu or wide_border.cu: warps either own patches or filter them, in x or in
 * y; owners of patches in zones wait for the filters. The same on the host, which must know whether a block's threads
 * suffice. Leaves out: the doing (wide_block.h). */
#ifndef SMALL_WIDE_ROSTER_H
#define SMALL_WIDE_ROSTER_H

#include "kernels/wide/wide_shape.h"

enum wide_role { OWNS, FILTERS_X, FILTERS_Y, IDLE };

/* Patches that are alike are given out together: across a zone's end, in a zone, in none. */
enum { ACROSS, INSIDE, OUTSIDE, KINDS };

struct wide_segment {
    int begin, end, kind;
};

/* An axis of a block in patches. Filters are needed for `low` patches at its low end and from patch `high` on. */
struct wide_axis {
    int size, low, high, count;
    wide_segment segment[5];

    __host__ __device__ int filtered() const
    {
        return low + size - high;
    }
};

/* Of nodes b0..b1 of an axis of n in patches of `unit` nodes. Blocks that do not touch a wall have no nodes in its
 * zone, or such as they do not need. */
__host__ __device__ inline wide_axis make_axis(int b0, int b1, int n, int unit, int region, int reach)
{
    wide_axis axis = {(b1 - b0 + unit - 1) / unit, 0, 0, 0, {}};
    int deep = region + reach - 1;
    axis.high = axis.size;
    for (int u = 0; u < axis.size; u++) {
        int first = b0 + u * unit, end = first + unit < b1 ? first + unit : b1, inside = 0;
        for (int i = first; i < end; i++) {
            inside += (b0 == 0 && i < region) || (b1 == n && i >= n - region) ? 1 : 0;
        }
        int kind = inside == 0 ? OUTSIDE : inside == end - first ? INSIDE : ACROSS;
        if (u == 0 || kind != axis.segment[axis.count - 1].kind) {
            axis.segment[axis.count++] = {u, u, kind};
        }
        axis.segment[axis.count - 1].end = u + 1;
        if (region > 0 && ((b0 == 0 && first < deep) || (b1 == n && end > n - deep - 1))) {
            axis.low += axis.low == u ? 1 : 0;
            axis.high = axis.low <= u && axis.high == axis.size ? u : axis.high;
        }
    }
    return axis;
}

__host__ __device__ __forceinline__ int warps_for(int threads)
{
    return (threads + 31) / 32;
}

/* The warps of a block. Patches of each kind begin with a warp of their own where there are enough. */
struct warp_roles {
    wide_axis x, y;
    int patches[KINDS];
    int owners, in_x, in_y; /* warps */
    bool apart;
};

__host__ __device__ inline warp_roles assign_warp_roles(const wide_axis &x, const wide_axis &y, int warps)
{
    warp_roles r = {x, y, {0, 0, 0}, 0, 0, 0, false};
    for (int s = 0; s < x.count * y.count; s++) {
        const wide_segment &a = x.segment[s % x.count], &b = y.segment[s / x.count];
        r.patches[a.kind < b.kind ? a.kind : b.kind] += (a.end - a.begin) * (b.end - b.begin);
    }
    r.in_x = warps_for(x.filtered() * y.size);
    r.in_y = warps_for(y.filtered() * x.size);
    int apart = warps_for(r.patches[ACROSS]) + warps_for(r.patches[INSIDE]) + warps_for(r.patches[OUTSIDE]);
    r.apart = apart + r.in_x + r.in_y <= warps;
    r.owners = r.apart ? apart : warps_for(x.size * y.size);
    return r;
}

/* A thread's patch and role. */
struct wide_task {
    enum wide_role role;
    int quad, group, kind;
    bool on; /* has a patch */
};

/* Eight threads in a row fall on different banks, whether their patches lie beside or above each other. */
__host__ __device__ inline wide_task find_owner_task(const warp_roles &r, int index)
{
    wide_task task = {OWNS, 0, 0, OUTSIDE, false};
    for (int kind = 0; kind < KINDS; kind++) {
        int begin = index;
        for (int s = 0; s < r.x.count * r.y.count; s++) {
            const wide_segment &a = r.x.segment[s % r.x.count], &b = r.y.segment[s / r.x.count];
            int wide = a.end - a.begin, high = b.end - b.begin;
            if ((a.kind < b.kind ? a.kind : b.kind) != kind) {
                continue;
            }
            if (index >= 0 && index < wide * high) {
                bool across = wide % 8 == 0;
                task = {OWNS, a.begin + (across ? index % wide : index / high),
                        b.begin + (across ? index / wide : index % high), kind, true};
            }
            index -= wide * high;
        }
        index = r.apart ? begin - 32 * warps_for(r.patches[kind]) : index;
    }
    return task;
}

__host__ __device__ inline wide_task find_task(const warp_roles &r, int thread)
{
    int warp = thread / 32 - r.owners, lane = thread % 32;
    if (warp < 0) {
        return find_owner_task(r, thread);
    }
    wide_task task = {IDLE, 0, 0, OUTSIDE, false};
    if (warp < r.in_x) {
        int index = 32 * warp + lane, u = index % r.x.filtered();
        task = {FILTERS_X, u < r.x.low ? u : r.x.high + u - r.x.low, index / r.x.filtered(), OUTSIDE, false};
        task.on = task.group < r.y.size;
    } else if (warp < r.in_x + r.in_y) {
        int index = 32 * (warp - r.in_x) + lane, u = index / r.x.size;
        task = {FILTERS_Y, index % r.x.size, u < r.y.low ? u : r.y.high + u - r.y.low, OUTSIDE, u < r.y.filtered()};
    }
    return task;
}

/* wide_place.bits of an item of a block whose patches cover `tile`; `depth` of images that are read. */
__host__ __device__ inline unsigned place_bits(const wide_task &task, const box &tile, int nx, int ny, int region,
                                               int depth)
{
    int x = tile.x0 + 4 * task.quad, y = tile.y0 + PATCH_ROWS * task.group;
    unsigned bits = 0;
    for (int k = 0; task.on && k < 4 * PATCH_ROWS; k++) {
        bits |= x + k % 4 < tile.x1 && y + k / 4 < tile.y1 ? 1u << k : 0u;
    }
    for (int k = 0; task.on && k < 4; k++) { /* zones as make_axis has them */
        bits |= (tile.x0 == 0 && x + k < region) || (tile.x1 == nx && x + k >= nx - region) ? 1u << (12 + k) : 0u;
    }
    for (int r = 0; task.on && r < PATCH_ROWS; r++) {
        bits |= (tile.y0 == 0 && y + r < region) || (tile.y1 == ny && y + r >= ny - region) ? 1u << (16 + r) : 0u;
    }
    if (task.on) {
        bits |= (tile.x0 == 0 && x <= depth ? 1u << 20 : 0u) | (tile.x1 == nx && nx - x - 4 < depth ? 2u << 20 : 0u) |
                (tile.y0 == 0 && y <= depth ? 4u << 20 : 0u) |
                (tile.y1 == ny && ny - y - PATCH_ROWS < depth ? 8u << 20 : 0u);
    }
    return bits;
}

/* Images that an item reads beyond a wall. */
__host__ __device__ inline int image_depth(const wide_task &task, int layer, int reach, int rings)
{
    return task.role != OWNS ? reach : layer > 0 ? reach - 1 : rings;
}

/* What a thread of wide_border.cu is told. */
struct wide_order {
    unsigned task;   /* role, 4: has a patch, kind << 3, quad << 5, group << 10; driven nodes << 16 */
    unsigned bits;   /* place_bits */
    unsigned owned;  /* nodes that the box owns */
    unsigned beside; /* its warp is not needed for so many steps before the last */
};

__host__ __device__ inline unsigned pack_task(const wide_task &task)
{
    return (unsigned)task.role | (task.on ? 4u : 0u) | (unsigned)task.kind << 3 | (unsigned)task.quad << 5 |
           (unsigned)task.group << 10;
}

__host__ __device__ inline wide_task unpack_task(unsigned packed)
{
    return {(enum wide_role)(packed & 3u), (int)(packed >> 5 & 31u), (int)(packed >> 10 & 31u), (int)(packed >> 3 & 3u),
            (packed & 4u) != 0};
}

#endif
