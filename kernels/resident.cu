/* Small grids stay on the chip: one box a multiprocessor, for the whole batch of steps, with halos exchanged through L2 every few steps and
 * flags that only neighbours wait for. Also writes the samples of the running spectra, so that a batch need not end on them.
 * Leaves out: the step itself (tile_step.h), and which boxes (boxes.cu). */
#include "lattice.h"
#include "tile_step.h"

namespace
{

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
__device__ void sample_tile(const tile &t, const resident_plan &plan, const box &b, int64_t steps)
{
    const device_spectra &s = plan.spectra;
    if (plan.samples == NULL || steps % s.every != 0) {
        return;
    }
    float *sample = plan.samples + (size_t)(steps / s.every - 1 - plan.sample_first) * s.cells;
    visit_lattice(s, b.x0, b.x1, b.y0, b.y1, (int)threadIdx.x, (int)blockDim.x,
                  [&](int x, int y, size_t at) { sample[at] = t.e[t.at(x, y)]; });
}

/* ---- halos through L2, by quads of columns; boxes begin at multiples of four ----------------------------------------- */

__device__ __forceinline__ rectangle in_quads(int x0, int x1, int y0, int y1)
{
    return {x0 >> 2, (x1 + 3) >> 2, y0, y1};
}

/* Filter states of the layer nodes that are held but not in the box (LOAD), or in the box near its edge. */
template <bool LOAD>
__device__ void move_states(const tile &t, const device_problem<float> &p, const device_fields<float> &f, const box &b,
                            int halo)
{
    auto wanted = [&](int x, int y) {
        bool inside = x >= b.x0 && x < b.x1 && y >= b.y0 && y < b.y1;
        bool core = x >= b.x0 + halo && x < b.x1 - halo && y >= b.y0 + halo && y < b.y1 - halo;
        return LOAD ? !inside : inside && !core;
    };
    for (int side = 0; side < 2; side++) {
        int x0 = side == 0 ? t.s.x0 : max(t.s.x0, p.nx - p.layer), x1 = side == 0 ? min(t.s.x1, p.layer) : t.s.x1;
        each_column(x0, x1, t.s.y0, t.s.y1, [&](int x, int y, int step) {
            for (; y < t.s.y1; y += step) {
                size_t far = (size_t)y * 2 * p.layer + layer_index(x, p.nx, p.layer);
                int near = t.x_state(x, y, p.nx, p.layer);
                if (wanted(x, y)) {
                    if (LOAD) {
                        t.xh[near] = __ldcg(f.x_half + far);
                        t.xn[near] = __ldcg(f.x_node + far);
                    } else {
                        __stcg(f.x_half + far, t.xh[near]);
                        __stcg(f.x_node + far, t.xn[near]);
                    }
                }
            }
        });
        int y0 = side == 0 ? t.s.y0 : max(t.s.y0, p.ny - p.layer), y1 = side == 0 ? min(t.s.y1, p.layer) : t.s.y1;
        each_column(t.s.x0, t.s.x1, y0, y1, [&](int x, int y, int step) {
            for (; y < y1; y += step) {
                size_t far = (size_t)layer_index(y, p.ny, p.layer) * p.pitch + x;
                int near = t.y_state(x, y, p.ny, p.layer);
                if (wanted(x, y)) {
                    if (LOAD) {
                        t.yh[near] = __ldcg(f.y_half + far);
                        t.yn[near] = __ldcg(f.y_node + far);
                    } else {
                        __stcg(f.y_half + far, t.yh[near]);
                        __stcg(f.y_node + far, t.yn[near]);
                    }
                }
            }
        });
    }
}

/* Writes the box's nodes within a halo of its edges. One step deep, neighbours need no increments. */
__device__ void publish(const tile &t, const device_problem<float> &p, const device_fields<float> &f, const box &b,
                        int halo, bool deep)
{
    rectangle whole = in_quads(b.x0, b.x1, b.y0, b.y1);
    rectangle core = {(b.x0 + halo + 3) >> 2, (b.x1 - halo) >> 2, b.y0 + halo, b.y1 - halo};
    ring border(whole, core.x1 > core.x0 && core.y1 > core.y0 ? core : nothing(whole));
    for (int k = threadIdx.x; k < border.end[3]; k += blockDim.x) {
        int2 q = border.node(k);
        size_t to = (size_t)q.y * p.pitch + 4 * q.x;
        int at = t.at(4 * q.x, q.y);
        __stcg((float4 *)(f.e + to), *(const float4 *)(t.e + at));
        if (deep) {
            __stcg((float4 *)(f.v + to), *(const float4 *)(t.v + at));
        }
    }
    if (t.s.x_low + t.s.x_high + t.s.y_low + t.s.y_high > 0) {
        move_states<false>(t, p, f, b, halo);
    }
}

/* Reads the halo. One step deep, the corners are not needed (the stencil is a cross). */
__device__ void load_halo(const tile &t, const device_problem<float> &p, const device_fields<float> &f, const box &b,
                          int halo, bool deep)
{
    constexpr int AHEAD = 4;
    const tile_layout &s = t.s;
    int depth = 2 * p.reach - 1;
    rectangle inner = in_quads(b.x0, b.x1, b.y0, b.y1), outer = in_quads(s.x0, s.x1, s.y0, s.y1);
    ring around(outer, inner);
    for (int k0 = threadIdx.x; k0 < around.end[3]; k0 += AHEAD * blockDim.x) {
        int2 q[AHEAD];
        float4 e[AHEAD], v[AHEAD];
        bool wanted[AHEAD];
#pragma unroll
        for (int a = 0; a < AHEAD; a++) {
            int k = k0 + a * (int)blockDim.x;
            wanted[a] = k < around.end[3];
            q[a] = around.node(wanted[a] ? k : 0);
            wanted[a] =
                wanted[a] && (deep || (q[a].x >= inner.x0 && q[a].x < inner.x1) || (q[a].y >= b.y0 && q[a].y < b.y1));
            if (wanted[a]) {
                size_t from = (size_t)q[a].y * p.pitch + 4 * q[a].x;
                e[a] = __ldcg((const float4 *)(f.e + from));
                if (deep) {
                    v[a] = __ldcg((const float4 *)(f.v + from));
                }
            }
        }
#pragma unroll
        for (int a = 0; a < AHEAD; a++) {
            if (!wanted[a]) {
                continue;
            }
            int x = 4 * q[a].x, y = q[a].y, at = t.at(x, y);
            if (deep) {
                *(float4 *)(t.v + at) = v[a];
            }
            if (s.wall && (x <= depth || y <= depth || p.nx - x <= depth + 4 || p.ny - y <= depth)) {
                const float values[4] = {e[a].x, e[a].y, e[a].z, e[a].w};
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    if (x + k < p.nx) {
                        put_e(t, t.e, x + k, y, values[k], p.nx, p.ny, depth);
                    }
                }
            } else {
                *(float4 *)(t.e + at) = e[a];
            }
        }
    }
    if (s.x_low + s.x_high + s.y_low + s.y_high > 0) {
        move_states<true>(t, p, f, b, halo);
    }
}

/* ---- yee: four columns and four rows a thread, with everything but the neighbours in registers ------------------------ */

struct patch {
    int at;        /* of the first node in the tile */
    bool first;    /* the patch to the west is not in the lane before */
    bool last;     /* the patch to the east is not in the lane after */
    unsigned mine; /* bit 4 row + column: outside of every zone, to be advanced */
    float e[4][4], v[4][4], retention[4][4], coupling[4][4];

    /* `c` begins and ends on whole patches, except where a zone cuts it. */
    __device__ void place(const tile &t, const device_problem<float> &p, const rectangle &c)
    {
        int left = c.x0 & ~3, columns = (c.x1 - left + 3) / 4, rows = (c.y1 - c.y0 + 3) / 4;
        int row = threadIdx.x / columns, column = threadIdx.x - row * columns, x = left + 4 * column,
            y = c.y0 + 4 * row;
        bool on = row < rows;
        at = on ? t.at(x, y) : t.at(left, c.y0);
        first = on && (column == 0 || threadIdx.x % 32 == 0);
        last = on && (column == columns - 1 || threadIdx.x % 32 == 31);
        mine = 0;
        for (int k = 0; on && k < 16; k++) {
            int i = x + k % 4, j = y + k / 4;
            mine |= i >= c.x0 && i < c.x1 && j < c.y1 ? 1u << k : 0u;
        }
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float2 f = make_float2(1, 0);
            int j = y + k / 4;
            if ((mine >> k & 1u) != 0 && j < p.ny) {
                f = __ldg(&p.palette[p.material[(size_t)j * p.pitch + x + k % 4]]);
            }
            retention[k / 4][k % 4] = f.x;
            coupling[k / 4][k % 4] = f.y;
        }
    }
    __device__ __forceinline__ void read(const float *from, int pitch, float (&to)[4][4]) const
    {
#pragma unroll
        for (int row = 0; row < 4; row++) {
            *(float4 *)to[row] = *(const float4 *)(from + at + row * pitch);
        }
    }
    __device__ __forceinline__ void write(float *to, int pitch, const float (&from)[4][4]) const
    {
        if (mine == 0xffffu) {
#pragma unroll
            for (int row = 0; row < 4; row++) {
                *(float4 *)(to + at + row * pitch) = *(const float4 *)from[row];
            }
        } else if (mine != 0) {
#pragma unroll
            for (int k = 0; k < 16; k++) {
                if ((mine >> k & 1u) != 0) {
                    to[at + k / 4 * pitch + k % 4] = from[k / 4][k % 4];
                }
            }
        }
    }
    __device__ __forceinline__ void advance(const device_problem<float> &p, const float *field, int pitch)
    {
        float south[4], above[4];
        *(float4 *)south = *(const float4 *)(field + at - pitch);
        *(float4 *)above = *(const float4 *)(field + at + 4 * pitch);
#pragma unroll
        for (int row = 0; row < 4; row++) {
            float west = __shfl_up_sync(0xffffffffu, e[row][3], 1), east = __shfl_down_sync(0xffffffffu, e[row][0], 1);
            if (first) {
                west = field[at + row * pitch - 1];
            }
            if (last) {
                east = field[at + row * pitch + 4];
            }
            float centre[4];
#pragma unroll
            for (int k = 0; k < 4; k++) {
                centre[k] = e[row][k];
            }
#pragma unroll
            for (int k = 0; k < 4; k++) {
                float lap =
                    cell_cross(p.centre2, centre[k], k == 0 ? west : centre[k - 1], k == 3 ? east : centre[k + 1],
                               south[k], row == 3 ? above[k] : e[row < 3 ? row + 1 : 3][k]);
                v[row][k] = cell_increment(v[row][k], lap, retention[row][k], coupling[row][k]);
                e[row][k] = centre[k] + v[row][k];
            }
#pragma unroll
            for (int k = 0; k < 4; k++) {
                south[k] = centre[k];
            }
        }
    }
};

template <int REACH, int RINGS>
__global__ void __launch_bounds__(REACH == 1 ? RESIDENT_THREADS : RESIDENT_THREADS_WIDE)
    resident_kernel(device_problem<float> p, device_fields<float> even, device_fields<float> odd,
                    device_events<float> events, resident_plan plan, int64_t step, int64_t steps)
{
    extern __shared__ float4 shared_memory[];
    float *memory = (float *)shared_memory;
    constexpr int D = 2 * REACH - 1;
    box b = plan.boxes[blockIdx.x];
    int column = blockIdx.x % plan.columns, row = blockIdx.x / plan.columns, halo = plan.depth * D;
    tile t = make_tile(make_layout(p.nx, p.ny, p.layer, REACH, b, halo), memory);
    clear_tile(t, memory);
    load_ring(t, p, even, ring(held(t.s), nothing(held(t.s))));
    __syncthreads();
    /* Every step of a round computes what its first step must: what the later ones waste in the halo costs less than asking. */
    rectangle c = valid(t.s, b, halo - D), inner = outside_zones(p, c);
    bool deep = plan.depth > 1, patches = false;
    patch own;
    if (REACH == 1) {
        /* Whole patches where only halo is in the way: what they compute beyond it is not right and not used. */
        inner.x0 = max(inner.x0 & ~3, p.zone);
        inner.x1 = inner.x1 < p.nx - p.zone ? min((inner.x1 + 3) & ~3, p.nx - p.zone) : inner.x1;
        if (inner.y1 < p.ny - p.zone) {
            inner.y1 = min(inner.y0 + (inner.y1 - inner.y0 + 3) / 4 * 4, p.ny - p.zone);
        }
        int columns = (inner.x1 - (inner.x0 & ~3) + 3) / 4, rows = (inner.y1 - inner.y0 + 3) / 4;
        patches = p.zone > 0 && inner.count() > 0 && columns * rows <= (int)blockDim.x;
        if (patches) {
            own.place(t, p, inner);
            own.read(t.e, t.s.pitch, own.e);
            own.read(t.v, t.s.pitch, own.v);
        }
    }
    own_events mine = find_events(t, p, events, b, 0, step);
    unsigned round = 0;
    for (int64_t done = 0; done < steps;) {
        int depth = (int)min((int64_t)plan.depth, steps - done);
        for (int k = 0; k < depth; k++) {
            advance_zones<REACH, RINGS>(t, p, c);
            if (REACH == 1 && patches) {
                if (own.mine != 0xffffu) { /* nodes in zones, which others advanced */
                    own.read(t.e, t.s.pitch, own.e);
                }
                own.advance(p, t.e, t.s.pitch);
                own.write(t.next, t.s.pitch, own.e);
                if (b.near_source || k == depth - 1) {
                    own.write(t.v, t.s.pitch, own.v);
                }
            } else {
                advance_inner<REACH, RINGS, REACH == 1 ? 2 : 4>(t, p, inner);
            }
            turn_tile<REACH>(t);
            tile_events(t, p, events, b, 0, step + done + k, c, mine);
            sample_tile(t, plan, b, step + done + k + 1);
            if (REACH == 1 && patches && b.near_source) {
                own.read(t.e, t.s.pitch, own.e);
                own.read(t.v, t.s.pitch, own.v);
            }
        }
        done += depth;
        round++;
        device_fields<float> to = round % 2 == 1 ? odd : even;
        if (done >= steps) {
            store_ring(t, p, to, ring(of_box(b), nothing(of_box(b))));
            break;
        }
        publish(t, p, to, b, halo, deep);
        __syncthreads();
        if (threadIdx.x == 0) { /* one fence for the block: the barrier has ordered the others' writes before it */
            __threadfence();
            asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(plan.flags + blockIdx.x), "r"(round) : "memory");
        }
        await_neighbours(plan.flags, column, row, plan.columns, plan.rows, round);
        load_halo(t, p, to, b, halo, deep);
        __syncthreads();
        if (REACH == 1 && patches) {
            own.read(t.e, t.s.pitch, own.e);
            own.read(t.v, t.s.pitch, own.v);
        }
    }
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
    const void *kernel = (const void *)resident_kernel<REACH, RINGS>;
    TRY((allow_shared_memory<resident_kernel<REACH, RINGS>>(error)));
    CUDA_TRY(cudaMemsetAsync(plan.flags, 0, sizeof(unsigned) * plan.columns * plan.rows, stream));
    /* Cooperative: all boxes run at once, or the launch fails; they wait for each other. */
    CUDA_TRY(cudaLaunchCooperativeKernel(kernel, dim3(plan.columns * plan.rows),
                                         dim3(REACH == 1 ? RESIDENT_THREADS : RESIDENT_THREADS_WIDE), arguments,
                                         plan.shared_bytes, stream));
    return PW_OK;
}

} // namespace

pw_status resident_advance(const device_problem<float> &problem, const device_fields<float> fields[2],
                           const device_events<float> &events, const resident_plan &plan, int64_t step, int64_t steps,
                           cudaStream_t stream, pw_error *error)
{
#define LAUNCH(reach, rings) launch_resident<reach, rings>(problem, fields, events, plan, step, steps, stream, error)
    BY_SCHEME(problem, LAUNCH)
#undef LAUNCH
}
