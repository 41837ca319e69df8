/* Where a thread of a wide block stands: the patch that it owns or filters, packed into two words because registers are
 * dear; for host and device. Leaves out: which thread gets which patch (warp_roles.h). */
#ifndef WIDE_PLACE_H
#define WIDE_PLACE_H

#include "kernels/wide/wide_shape.h"

/* wide_place.bits: the lowest bit of each field.
 *
 *     bit     field
 *     0..11   node 4 row + column of the patch exists
 *     12..15  column k lies in an absorber region of x
 *     16..18  row r lies in an absorber region of y
 *     20..23  the patch has images beyond the wall at low x, high x, low y, high y (WALL_...)
 *     24      all nodes of the warp are air */
enum { PLACE_NODES = 0, PLACE_REGION_X = 12, PLACE_REGION_Y = 16, PLACE_WALLS = 20, PLACE_IN_AIR = 24 };
constexpr unsigned ALL_NODES = 0xfffu;

enum { WALL_LOW_X = 1, WALL_HIGH_X = 2, WALL_LOW_Y = 4, WALL_HIGH_Y = 8 };

/* Columns and rows of the largest grid whose nodes fit into a corner. */
enum { PLACE_QUAD_BITS = 15, PLACE_LIMIT = 4 << PLACE_QUAD_BITS };

/* What a thread knows of its patch for the whole batch. */
struct wide_place {
    unsigned corner; /* first node: x / 4 in the low 15 bits, since patches begin with a quad, y in the other 17 */
    unsigned bits;   /* PLACE_... */
    float *base;     /* Ez of the first node in the first field; the other fields lie behind it (wide_shape.h) */

    __device__ __forceinline__ int x() const
    {
        return (int)(corner & ((1u << PLACE_QUAD_BITS) - 1)) * 4;
    }
    __device__ __forceinline__ int y() const
    {
        return (int)(corner >> PLACE_QUAD_BITS);
    }
    __device__ __forceinline__ static unsigned corner_of(int x, int y)
    {
        return (unsigned)x / 4 | (unsigned)y << PLACE_QUAD_BITS;
    }
    __device__ __forceinline__ bool on() const
    {
        return (bits & ALL_NODES) != 0;
    }
    __device__ __forceinline__ bool has(int node) const
    {
        return (bits >> (PLACE_NODES + node) & 1u) != 0;
    }
    __device__ __forceinline__ bool whole() const
    {
        return (bits & ALL_NODES) == ALL_NODES;
    }
    __device__ __forceinline__ unsigned region_x() const
    {
        return bits >> PLACE_REGION_X & 0xfu;
    }
    __device__ __forceinline__ unsigned region_y() const
    {
        return bits >> PLACE_REGION_Y & 7u;
    }
    /* Whether all nodes of the warp are air. */
    __device__ __forceinline__ bool in_air() const
    {
        return (bits >> PLACE_IN_AIR & 1u) != 0;
    }
    /* WALL_... of the walls beyond which the patch has images. */
    __device__ __forceinline__ unsigned walls() const
    {
        return bits >> PLACE_WALLS & 0xfu;
    }
};

#endif
