/* Dispersive nodes of a tile, after the sources of each of its steps. A thread takes the same nodes at every step, and
 * keeps what they remember in memory of its own (struct tile_poles): halos are recomputed, so that several blocks step
 * the same node. Leaves out: which nodes a box has (tile_poles.cu). */
#ifndef TILE_POLES_H
#define TILE_POLES_H

#include "kernels/tile/tile.h"
#include "kernels/tile/tile_boxes.h"

/* Where a block is: box `number`, step `index` of a pass of `steps`. */
struct tile_moment {
    const box &own;
    int number, run, index, steps;
};

/* Those of the nodes of `c` in the tile. In the last step these are the nodes that the box owns. `v`: the run's
 * increments where the pass begins. */
__device__ __forceinline__ void tile_answer_poles(const tile &t, const device_problem<float> &p,
                                                  const tile_poles &poles, const device_pole_quads &quads,
                                                  const float *v, const tile_moment &moment, const rectangle &c)
{
    const bool first = moment.index == 0, last = moment.index + 1 == moment.steps;
    const size_t plane = 4 * (size_t)quads.count, kept = (size_t)poles.count;
    float *const scratch = poles.scratch + (size_t)moment.run * (1 + quads.planes) * kept;
    const int end = poles.first[moment.number + 1];
    for (int n = poles.first[moment.number] + (int)threadIdx.x; n < end; n += (int)blockDim.x) {
        const tile_pole node = poles.nodes[n];
        const int x = moment.own.x0 + node.dx, y = moment.own.y0 + node.dy, at = t.at(x, y);
        if (x < c.x0 || x >= c.x1 || y < c.y0 || y >= c.y1) {
            continue;
        }
        const size_t place = moment.run * quads.run_states + node.place;
        const pole_numbers numbers = quads.numbers[node.medium];
        const pole_law<float> law = {quads.steps + numbers.first, numbers.relaxations, numbers.oscillators};
        const float *const from = first ? quads.in + place : scratch + kept + n;
        float *const to = last ? quads.out + place : scratch + kept + n;
        const size_t from_stride = first ? plane : kept, to_stride = last ? plane : kept;
        const float before = first ? v[(size_t)y * p.pitch + x] : scratch[n], left = t.v[at];
        const float history = pole_history(law, numbers.half * before, from, from_stride);
        const float value = cell_answer(left, history, numbers.keep, numbers.take);
        t.v[at] = value;
        put_e(t, p, t.e, x, y, t.e[at] + (value - left), 2 * p.reach - 1);
        pole_remember(law, value + before, from, from_stride, to, to_stride);
        if (!last) {
            scratch[n] = value;
        }
    }
    __syncthreads();
}

#endif
