/* Sources and probes of a tile, after each of its steps. */
#ifndef TILE_EVENTS_H
#define TILE_EVENTS_H

#include "kernels/common/events.h"
#include "kernels/tile/tile.h"

/* A thread's own driven node and probe, looked up once, and the drive of the step to come: fetched a step ahead,
 * because a chain of loads from memory would cost more than the step. */
struct own_events {
    /* many: more nodes or probes than threads, or several drives, to be looked up every step */
    bool driven, hard, probed, many;
    grid_node node;
    int probe_at, probe_slot;
    float weight, drive;
    const double *drives;
    int64_t steps;

    __device__ __forceinline__ void fetch(int64_t step)
    {
        if (driven) {
            drive = step < steps ? (float)drives[step] : 0.0f;
        }
    }
};

__device__ inline own_events find_events(const tile &t, const device_problem<float> &p,
                                         const device_events<float> &events, const box &b, int run, int64_t step)
{
    own_events own = {};
    int me = threadIdx.x, threads = blockDim.x;
    own.many = b.probe_count > threads;
    if (b.near_source) {
        const device_source source = events.sources[run];
        own.many = own.many || source.count > threads || source.further > 0;
        own.hard = source.hard;
        own.drives = source.drive;
        own.steps = source.steps;
        if (me < source.count) {
            own.node = node_at(source.node[me], p.nx);
            own.weight = (float)source.weight[me];
            own.driven = own.node.x >= t.s.x0 && own.node.x < t.s.x1 && own.node.y >= t.s.y0 && own.node.y < t.s.y1;
        }
    }
    if (me < b.probe_count) {
        int k = b.probe_first + me;
        own.probed = true;
        own.probe_at = t.at(events.probe_x[k], events.probe_y[k]);
        own.probe_slot = events.probe_slot[k];
    }
    own.fetch(step);
    return own;
}

__device__ __forceinline__ void drive_node(const tile &t, const device_problem<float> &p, grid_node node, float weight,
                                           float drive, bool hard, const rectangle &c)
{
    if (node.x >= c.x0 && node.x < c.x1 && node.y >= c.y0 && node.y < c.y1) {
        int at = t.at(node.x, node.y);
        float value = t.e[at];
        cell_source(weight, drive, hard, &t.v[at], &value);
        put_e(t, p, t.e, node.x, node.y, value, 2 * p.reach - 1);
    }
}

/* Sources after a step. */
__device__ __forceinline__ void tile_sources(const tile &t, const device_problem<float> &p,
                                             const device_events<float> &events, const box &b, int run, int64_t step,
                                             const rectangle &c, own_events &own)
{
    if (!b.near_source) {
        return;
    }
    if (own.many) {
        const device_source source = events.sources[run];
        for (int k = threadIdx.x; step < source.steps && k < source.count; k += blockDim.x) {
            const grid_node node = node_at(source.node[k], p.nx);
            drive_node(t, p, node, (float)source.weight[k], (float)source.drive[step], source.hard, c);
            for (int64_t r = 0; r < source.further; r++) {
                drive_node(t, p, node, (float)source.further_weight[r * source.count + k],
                           (float)source.further_drive[r * source.steps + step], false, c);
            }
        }
    } else if (own.driven && step < own.steps) {
        drive_node(t, p, own.node, own.weight, own.drive, own.hard, c);
    }
    own.fetch(step + 1);
    __syncthreads();
}

/* Probes after a step. */
__device__ __forceinline__ void tile_probes(const tile &t, const device_events<float> &events, const box &b, int run,
                                            int64_t step, const own_events &own)
{
    if (b.probe_count == 0) {
        return;
    }
    float *row = record_row(events, run, step);
    if (own.many) {
        for (int k = b.probe_first + threadIdx.x; k < b.probe_first + b.probe_count; k += blockDim.x) {
            row[events.probe_slot[k]] = t.e[t.at(events.probe_x[k], events.probe_y[k])];
        }
    } else if (own.probed) {
        row[own.probe_slot] = t.e[own.probe_at];
    }
}

#endif
