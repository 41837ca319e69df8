/* The roles of the warps of a block of wide_resident.cu or wide_border.cu. A warp either owns patches, or filters
 * patches of an absorber region along x or along y; owners of patches in a region wait for the filters. The warps of a
 * block in order:
 *
 *     | owners: across | inside | outside | filters of x | filters of y | idle |
 *       32 patches a warp, one a thread      32 patches a warp, one a thread
 *
 * A patch in a corner belongs to three threads: its owner, its filter of x and its filter of y. The host computes the
 * same roles, because it must know whether the threads of a block suffice. Leaves out: what the roles do
 * (wide_block.h). */
#ifndef WARP_ROLES_H
#define WARP_ROLES_H

#include "kernels/wide/wide_place.h"

enum wide_role { OWNS, FILTERS_X, FILTERS_Y, IDLE };

/* Patches of one kind are given out together: those across the end of an absorber region, inside one, and outside of
 * all. */
enum { ACROSS, INSIDE, OUTSIDE, KINDS };

struct wide_segment {
    int begin, end, kind;
};

/* An axis of a block in patches, in segments of one kind. Filters are needed for the patches before `low` and from
 * `high` on. */
struct wide_axis {
    int size, low, high, count;
    wide_segment segment[5];

    __host__ __device__ int filtered() const
    {
        return low + size - high;
    }
};

/* The axis of nodes b0..b1 out of n, in patches of `unit` nodes. Blocks that do not touch a wall have no nodes in its
 * absorber region, or only such as they do not need. */
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

/* The roles of the warps of a block. Patches of each kind begin with a warp of their own (`apart`) where there are
 * enough warps. */
struct warp_roles {
    wide_axis x, y;
    int patches[KINDS];
    int owners, in_x, in_y; /* warps that own patches, that filter in x, that filter in y */
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

/* A thread's role and its patch: column of quads and group of rows in the tile. */
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

/* wide_place.bits of a task in a block whose patches cover `tile`; `depth` of the images that are read. */
__host__ __device__ inline unsigned place_bits(const wide_task &task, const box &tile, int nx, int ny, int region,
                                               int depth)
{
    int x = tile.x0 + 4 * task.quad, y = tile.y0 + PATCH_ROWS * task.group;
    unsigned bits = 0;
    for (int k = 0; task.on && k < 4 * PATCH_ROWS; k++) {
        bits |= x + k % 4 < tile.x1 && y + k / 4 < tile.y1 ? 1u << (PLACE_NODES + k) : 0u;
    }
    for (int k = 0; task.on && k < 4; k++) { /* absorber regions as make_axis has them */
        bits |= (tile.x0 == 0 && x + k < region) || (tile.x1 == nx && x + k >= nx - region) ? 1u << (PLACE_REGION_X + k)
                                                                                            : 0u;
    }
    for (int r = 0; task.on && r < PATCH_ROWS; r++) {
        bits |= (tile.y0 == 0 && y + r < region) || (tile.y1 == ny && y + r >= ny - region) ? 1u << (PLACE_REGION_Y + r)
                                                                                            : 0u;
    }
    if (task.on) {
        bits |= (tile.x0 == 0 && x <= depth ? (unsigned)WALL_LOW_X << PLACE_WALLS : 0u) |
                (tile.x1 == nx && nx - x - 4 < depth ? (unsigned)WALL_HIGH_X << PLACE_WALLS : 0u) |
                (tile.y0 == 0 && y <= depth ? (unsigned)WALL_LOW_Y << PLACE_WALLS : 0u) |
                (tile.y1 == ny && ny - y - PATCH_ROWS < depth ? (unsigned)WALL_HIGH_Y << PLACE_WALLS : 0u);
    }
    return bits;
}

/* How many images a task reads beyond a wall. */
__host__ __device__ inline int image_depth(const wide_task &task, int layer, int reach, int taps)
{
    return task.role != OWNS ? reach : layer > 0 ? reach - 1 : taps;
}

/* What a thread of wide_border.cu has to do in a box. */
struct wide_order {
    unsigned task;   /* pack_task; ORDER_DRIVEN: a bit for each node with a source */
    unsigned bits;   /* place_bits */
    unsigned owned;  /* a bit for each node that the box owns */
    unsigned beside; /* the thread's warp is not needed for so many steps before the last */
};

/* wide_order.task: the lowest bit of each field.
 *
 *     bit     field
 *     0..1    role, enum wide_role
 *     2       the thread has a patch
 *     3..4    kind: ACROSS, INSIDE or OUTSIDE
 *     5..9    quad of the patch
 *     10..14  group of the patch
 *     16..27  node 4 row + column of the patch has a source */
enum { ORDER_ROLE = 0, ORDER_ON = 2, ORDER_KIND = 3, ORDER_QUAD = 5, ORDER_GROUP = 10, ORDER_DRIVEN = 16 };

__host__ __device__ inline unsigned pack_task(const wide_task &task)
{
    return (unsigned)task.role << ORDER_ROLE | (task.on ? 1u << ORDER_ON : 0u) | (unsigned)task.kind << ORDER_KIND |
           (unsigned)task.quad << ORDER_QUAD | (unsigned)task.group << ORDER_GROUP;
}

__host__ __device__ inline wide_task unpack_task(unsigned packed)
{
    return {(enum wide_role)(packed >> ORDER_ROLE & 3u), (int)(packed >> ORDER_QUAD & 31u),
            (int)(packed >> ORDER_GROUP & 31u), (int)(packed >> ORDER_KIND & 3u), (packed >> ORDER_ON & 1u) != 0};
}

#endif
