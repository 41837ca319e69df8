/* Nodes beside metal of a tile, after each of its steps: those of the box and of its halo, which every block steps for
 * itself. Ez before the step is what the step read, in t.next. */
#ifndef TILE_METAL_H
#define TILE_METAL_H

#include "kernels/tile/tile.h"
#include "kernels/tile/tile_boxes.h"

__device__ __forceinline__ void tile_metal_step(const tile &t, const device_problem<float> &p, const tile_metal &metal,
                                                int box, const rectangle &c)
{
    for (int n = metal.first[box] + threadIdx.x; n < metal.first[box + 1]; n += blockDim.x) {
        const metal_node node = metal.nodes[n];
        if (node.x >= c.x0 && node.x < c.x1 && node.y >= c.y0 && node.y < c.y1) {
            const int at = t.at(node.x, node.y);
            float v = t.v[at];
            for (int m = node.first; m < node.first + node.count; m++) {
                const metal_apart<float> term = metal.terms[m];
                v = cell_term(v, term.weight, t.next[at + term.dy * t.s.pitch + term.dx]);
            }
            t.v[at] = v;
            put_e(t, p, t.e, node.x, node.y, t.next[at] + v, 2 * p.reach - 1);
        }
    }
    __syncthreads();
}

#endif
