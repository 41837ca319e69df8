/* A prototype that nothing calls: fd4o in three dimensions, a step a block, the steps of a cluster of blocks behind
 * each other. performance_gpu.md says how fast it is and what is left ("A step a block"). It compiles after
 * kernels/volume/relay/relay_copies.h and kernels/volume/volume_curl.h.
 *
 * Block r of a cluster makes step r of a tile of CW x CR columns. Tiles of a step begin 8 columns and 3 rows before
 * those of the step before, so that what a block wants of the block before it is what that one has made. What it wants
 * to the left and in front comes from memory, from the strips at the right and the back of tiles that other clusters
 * have made before. It keeps levels in two rings:
 *
 *      E   before the step, levels k - 1 to k + 2, for h at level k; filled by the block before, or from memory
 *      H   after the step, levels k - 2 to k + 1, for E at level k; the next block reads old h here
 *
 * Nine warps move h on, nine E, two copy strips, two tell other clusters how far the tile is. No absorber, no walls,
 * one medium. */
#ifndef CR
#define CR 18
#endif
#ifndef CDE
#define CDE 6
#endif
#ifndef CDH
#define CDH 6
#endif
enum {
    CW = 64,
    CP = 72,
    CROWS = CR + 3,
    CREG = (CP * CROWS + 31) / 32 * 32,
    CT = 16 * CR,
    CNW = CT / 32,
    DE = CDE,
    DH = CDH,
    CTHREADS = 2 * CT + 128
};
static_assert(CT % 32 == 0, "whole warps");
struct chain_maps {
    CUtensorMap e[3];
};
struct chain_args {
    int steps, tiles_x, tiles_y, clusters;
    unsigned *progress;
    unsigned launch;
};
constexpr size_t chain_shared()
{
    return 4 * (size_t)(3 * CREG * (DE + DH)) + 8 * (3 * DE + 2 * DH) + 64;
}
__device__ __forceinline__ unsigned remote(const void *p, int rank)
{
    unsigned o;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(o) : "r"(shared_address(p)), "r"(rank));
    return o;
}
__device__ __forceinline__ void remote_come(unsigned at)
{
    asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(at) : "memory");
}
__device__ __forceinline__ void store_async(unsigned at, const quad<float> &q, unsigned barrier)
{
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(at),
        "f"(q.x[0]), "f"(q.x[1]), "f"(q.x[2]), "f"(q.x[3]), "r"(barrier)
        : "memory");
}
__device__ __forceinline__ quad<float> load_remote(unsigned at)
{
    quad<float> q;
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(q.x[0]), "=f"(q.x[1]), "=f"(q.x[2]), "=f"(q.x[3])
                 : "r"(at)
                 : "memory");
    return q;
}
__device__ __forceinline__ void cluster_wait(uint64_t *barrier, int phase)
{
    asm volatile("{ .reg .pred all; again_%=: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 all, [%0], %1; "
                 "@!all bra again_%=; }" ::"r"(shared_address(barrier)),
                 "r"(phase & 1)
                 : "memory");
}
__device__ __forceinline__ void come_when_copied(uint64_t *barrier)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}
__device__ __forceinline__ void copy_async(float *to, const float *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}

template <int SET>
__device__ __forceinline__ void chain_curl(const device_volume<float> &v, const float *const (&x)[4],
                                           const float *const (&y)[4], const float *z, curl<float> &d)
{
    constexpr int R = 2, before = SET == 3 ? 1 : 0, centre = R - 1 + before;
    const auto read = [](const float *from) { return load_quad(from); };
    quad<float> w[4];
#pragma unroll
    for (int m = 0; m < 4; m++)
        w[m] = read(x[m]);
    d.first[1] = line_derivative<R>(v, w);
    d.second[2] = across_rows<R, before>(v, x[centre], CP, w[centre], read);
#pragma unroll
    for (int m = 0; m < 4; m++)
        w[m] = read(y[m]);
    d.second[0] = line_derivative<R>(v, w);
    d.first[2] = along_row<R, before>(v, y[centre], w[centre], read);
    const quad<float> middle = read(z);
    d.first[0] = across_rows<R, before>(v, z, CP, middle, read);
    d.second[1] = along_row<R, before>(v, z, middle, read);
}
/* Strips: left 8 columns of all rows, front 3 rows of the other columns; quads of three components. */
template <typename Base> __device__ __forceinline__ void strips(float *to, const Base &from, int pitch)
{
    const int lane = threadIdx.x % 32;
    constexpr int left = 2 * CROWS, count = left + 3 * 16;
    for (int n = lane; n < count; n += 32) {
        const int row = n < left ? n / 2 : (n - left) / 16, q = n < left ? n % 2 : 2 + (n - left) % 16;
        const ptrdiff_t at = (ptrdiff_t)row * pitch + 4 * q;
        const int own = row * CP + 4 * q;
#pragma unroll
        for (int c = 0; c < 3; c++)
            copy_async(to + c * CREG + own, from(c) + at);
    }
}
__global__ void __launch_bounds__(CTHREADS, 1)
    chain_kernel(const __grid_constant__ device_volume<float> v, const __grid_constant__ volume_fields<float> f,
                 const __grid_constant__ chain_maps maps, const __grid_constant__ chain_args a)
{
    extern __shared__ __align__(128) float pool[];
    float *const E = pool, *const H = pool + 3 * CREG * DE;
    uint64_t *const fullE = (uint64_t *)(pool + 3 * CREG * (DE + DH)), *const fullH = fullE + DE,
                    *const freeE = fullH + DH, *const freeH = freeE + DE, *const roomE = freeH + DH;
    volatile int *const told = (int *)(roomE + DE);
    const int C = a.steps, r = blockIdx.x % C, cluster = blockIdx.x / C;
    const bool first = r == 0, last = r == C - 1;
    if (threadIdx.x == 0) {
        told[0] = told[1] = 0;
        for (int s = 0; s < DE; s++) {
            shared_barrier_create(fullE + s, first ? 1 : 1 + 32);
            shared_barrier_create(freeE + s, CNW);
            shared_barrier_create(roomE + s, CNW);
        }
        for (int s = 0; s < DH; s++) {
            shared_barrier_create(fullH + s, CNW + 32);
            shared_barrier_create(freeH + s, last ? CNW : 2 * CNW);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        fence_barriers();
    }
    for (int n = threadIdx.x; n < 3 * CREG * (DE + DH); n += CTHREADS)
        pool[n] = 0;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
    const int warp = threadIdx.x / 32, lane32 = threadIdx.x % 32;
    const int N = v.n[2] + 3 * (C - r), NH = N - 2, NE = N - 3, tiles = a.tiles_x * a.tiles_y;
    const unsigned zero = a.launch * (unsigned)(v.n[2] + 64);
    const ptrdiff_t plane = (ptrdiff_t)v.plane;
    cache_policy normal;
    asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(normal));
    const float2 medium = v.coefficients[0];
    for (int tile = cluster, it = 0; tile < tiles; tile += a.clusters, it++) {
        const int tx = tile % a.tiles_x, ty = tile / a.tiles_x, X = tx * CW - 8 * r, Y = ty * CR - 3 * r;
        const int gE = it * N, gH = it * NH;
        unsigned *const prog = a.progress + 32 * ((size_t)tile * 2 * C + 2 * r);
        /* waits for what left, front and both say */
        const auto await = [&](int field, int role, int wanted) {
            const bool asks = lane32 >= 1 && lane32 < 4 && tx >= (lane32 & 1) && ty >= (lane32 >> 1);
            const unsigned *at =
                a.progress + 32 * ((size_t)(tile - (asks ? (lane32 >> 1) * a.tiles_x + (lane32 & 1) : 0)) * 2 * C +
                                   2 * role + field);
            int least;
            while ((least = warp_least(asks ? (int)(word_read(at) - zero) : INT_MAX)) < wanted) {
                __nanosleep(40);
            }
            asm volatile("fence.acq_rel.gpu;" ::: "memory");
            return least;
        };
        if (warp < CNW) { /* h */
            const int lane = threadIdx.x % 16, row = threadIdx.x / 16, i = X + 4 * lane, j = Y + row;
            const bool inside = i >= 0 && i < v.n[0] && j >= 0 && j < v.n[1],
                       strip = last || lane >= 14 || row >= CR - 3;
            const int seatE = (row + 1) * CP + 4 * lane + 4, seatH = (row + 3) * CP + 4 * lane + 8;
            quad<float> old[3] = {};
            const auto fetch_old = [&](int k) {
                if (first) {
                    if (inside && k < v.n[2]) {
#pragma unroll
                        for (int c = 0; c < 3; c++)
                            old[c] = reload_quad(f.field[3 + c] + k * plane + (ptrdiff_t)j * v.pitch + i);
                    }
                } else {
                    const int g = it * (NH + 3) + k;
                    const unsigned at = remote(H + (g % DH) * 3 * CREG + row * CP + 4 * lane, r - 1);
#pragma unroll
                    for (int c = 0; c < 3; c++)
                        old[c] = load_remote(at + 4 * c * CREG);
                }
            };
            for (int e = 0; e < 2; e++)
                cluster_wait(fullE + (gE + e) % DE, (gE + e) / DE);
            for (int k = 0; k < NH; k++) {
                const int e = gE + k + 2, g = gH + k;
                cluster_wait(fullE + e % DE, e / DE);
                if (k == 0) {
                    fetch_old(0);
                }
                const float *x[4], *y[4];
#pragma unroll
                for (int m = 0; m < 4; m++) {
                    const float *level = E + ((e + DE - 3 + m) % DE) * 3 * CREG + seatE;
                    x[m] = level;
                    y[m] = level + CREG;
                }
                curl<float> d;
                chain_curl<0>(v, x, y, x[1] + 2 * CREG, d);
                quad<float> now[3];
#pragma unroll
                for (int c = 0; c < 3; c++)
#pragma unroll
                    for (int p = 0; p < 4; p++)
                        now[c].x[p] = cell_magnetic(old[c].x[p], d.first[c].x[p], d.second[c].x[p]);
                if (!first) {
                    __syncwarp();
                    if (lane32 == 0) {
                        const int q = it * (NH + 3) + k;
                        remote_come(remote(freeH + q % DH, r - 1));
                    }
                }
                if (g >= DH)
                    cluster_wait(freeH + g % DH, g / DH - 1);
                float *to = H + (g % DH) * 3 * CREG + seatH;
#pragma unroll
                for (int c = 0; c < 3; c++)
                    store_quad(to + c * CREG, now[c]);
                if (strip && inside && k < v.n[2]) {
#pragma unroll
                    for (int c = 0; c < 3; c++)
                        store_quad(f.field[3 + c] + k * plane + (ptrdiff_t)j * v.pitch + i, now[c]);
                }
                __syncwarp();
                if (lane32 == 0)
                    shared_barrier_come(fullH + g % DH);
                if (k + 1 < NH)
                    fetch_old(k + 1);
            }
            /* levels that nobody asks for again */
            if (!first && lane32 == 0)
                for (int k = NH; k < NH + 3; k++) {
                    const int q = it * (NH + 3) + k;
                    remote_come(remote(freeH + q % DH, r - 1));
                }
        } else if (warp < 2 * CNW) { /* E */
            const int own = threadIdx.x - CT, lane = own % 16, row = own / 16, i = X - 4 + 4 * lane, j = Y - 1 + row;
            const bool inside = i >= 0 && i < v.n[0] && j >= 0 && j < v.n[1],
                       strip = last || lane >= 14 || row >= CR - 3;
            const int seatH = (row + 2) * CP + 4 * lane + 4, seatE = row * CP + 4 * lane,
                      seatTo = (row + 3) * CP + 4 * lane + 8;
            cluster_wait(fullH + gH % DH, gH / DH);
            for (int k = 0; k < NE; k++) {
                const int g = gH + k + 1, e = gE + k;
                cluster_wait(fullE + e % DE, e / DE);
                cluster_wait(fullH + g % DH, g / DH);
                const float *x[4], *y[4];
#pragma unroll
                for (int m = 0; m < 4; m++) {
                    const float *level = H + ((g + 2 * DH - 3 + m) % DH) * 3 * CREG + seatH;
                    x[m] = level;
                    y[m] = level + CREG;
                }
                curl<float> d;
                chain_curl<3>(v, x, y, x[2] + 2 * CREG, d);
                const float *from = E + (e % DE) * 3 * CREG + seatE;
                quad<float> now[3];
#pragma unroll
                for (int c = 0; c < 3; c++) {
                    const quad<float> before = load_quad(from + c * CREG);
#pragma unroll
                    for (int p = 0; p < 4; p++)
                        now[c].x[p] =
                            cell_increment(before.x[p], d.first[c].x[p] - d.second[c].x[p], medium.x, medium.y);
                }
                if (strip && inside && k < v.n[2]) {
#pragma unroll
                    for (int c = 0; c < 3; c++)
                        store_quad(f.field[c] + k * plane + (ptrdiff_t)j * v.pitch + i, now[c]);
                }
                __syncwarp();
                if (lane32 == 0) {
                    shared_barrier_come(freeE + e % DE);
                    if (k >= 2)
                        shared_barrier_come(freeH + (g - 3) % DH); /* level k - 2 */
                    if (!first)
                        remote_come(remote(roomE + e % DE, r - 1));
                }
                if (!last) {
                    const int to = it * (N - 3) + k;
                    if (to >= DE)
                        cluster_wait(roomE + to % DE, to / DE - 1);
                    const unsigned at = remote(E + (to % DE) * 3 * CREG + seatTo, r + 1);
#pragma unroll
                    for (int c = 0; c < 3; c++)
                        store_async(at + 4 * c * CREG, now[c], remote(fullE + to % DE, r + 1));
                }
            }
            /* the levels above */
            if (lane32 == 0) {
                for (int k = NE; k < N; k++) {
                    const int e = gE + k;
                    shared_barrier_come(freeE + e % DE);
                    if (!first)
                        remote_come(remote(roomE + e % DE, r - 1));
                }
                for (int k = NE - 2; k < NH; k++)
                    shared_barrier_come(freeH + (gH + k) % DH);
            }
        } else if (warp == 2 * CNW) { /* copies E */
            int seen = 0;
            for (int k = 0; k < N; k++) {
                const int e = gE + k, level = min(k, v.n[2] + 1);
                while (told[0] < e - DE - 2 + (k >= N - 3 ? 3 : 0)) {
                }
                if (e >= DE)
                    cluster_wait(freeE + e % DE, e / DE - 1);
                float *to = E + (e % DE) * 3 * CREG;
                if (first) {
                    if (lane32 == 0) {
                        shared_barrier_expect(fullE + e % DE, 12u * CP * CROWS);
                        for (int c = 0; c < 3; c++)
                            copy_box(to + c * CREG, &maps.e[c], X - 4 + RELAY_MARGIN, Y - 1 + 2, k + 2, fullE + e % DE,
                                     normal);
                    }
                    __syncwarp();
                } else {
                    if (lane32 == 0)
                        shared_barrier_expect(fullE + e % DE, 48u * CT);
                    if (seen <= k)
                        seen = await(0, r - 1, k + 1);
                    const ptrdiff_t at = level * plane + (ptrdiff_t)(Y - 1) * v.pitch + X - 4;
                    strips(
                        to, [&](int c) { return f.field[c] + at; }, v.pitch);
                    come_when_copied(fullE + e % DE);
                }
            }
        } else if (warp == 2 * CNW + 1) { /* copies h */
            int seen = 0;
            for (int k = 0; k < NH; k++) {
                const int g = gH + k, level = min(k, v.n[2] + 1);
                while (told[1] < g - DH + 1) {
                }
                if (g >= DH)
                    cluster_wait(freeH + g % DH, g / DH - 1);
                if (seen <= k)
                    seen = await(1, r, k + 1);
                const ptrdiff_t at = level * plane + (ptrdiff_t)(Y - 3) * v.pitch + X - 8;
                strips(
                    H + (g % DH) * 3 * CREG, [&](int c) { return f.field[3 + c] + at; }, v.pitch);
                come_when_copied(fullH + g % DH);
            }
        } else if (warp == 2 * CNW + 2) { /* tells of E */
            for (int k = 0; k < NE;) {
                do {
                    const int e = gE + k;
                    cluster_wait(freeE + e % DE, e / DE);
                    k++;
                    if (lane32 == 0)
                        told[0] = e + 1;
                    __syncwarp();
                } while (k < NE && shared_barrier_test(freeE + (gE + k) % DE, (gE + k) / DE));
                if (lane32 == 0)
                    word_write(prog, zero + k);
                __syncwarp();
            }
            if (lane32 == 0)
                word_write(prog, zero + N + 8);
            for (int k = NE; k < N; k++) {
                const int e = gE + k;
                cluster_wait(freeE + e % DE, e / DE);
                if (lane32 == 0)
                    told[0] = e + 1;
                __syncwarp();
            }
        } else { /* tells of h */
            for (int k = 0; k < NH;) {
                do {
                    const int g = gH + k;
                    cluster_wait(fullH + g % DH, g / DH);
                    k++;
                    if (lane32 == 0)
                        told[1] = g + 1;
                    __syncwarp();
                } while (k < NH && shared_barrier_test(fullH + (gH + k) % DH, (gH + k) / DH));
                if (lane32 == 0)
                    word_write(prog + 32, zero + k);
                __syncwarp();
            }
            if (lane32 == 0)
                word_write(prog + 32, zero + N + 8);
        }
    }
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
