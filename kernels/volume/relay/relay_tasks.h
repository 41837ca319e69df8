/* What blocks of a relay share, however fields are kept: which tile is whose, when a role may ask for a level of it,
 * and what of the filters it asks for. Leaves out: copies and steps (relay.cu, ../half/relay_half.cu). */
#ifndef RELAY_TASKS_H
#define RELAY_TASKS_H

#include <climits>

#include "kernels/volume/relay/relay_copies.h"
#include "kernels/volume/relay/relay_tile.h"
#include "kernels/volume/volume_curl.h"

struct relay_task {
    int role, place[3];   /* of its tile among the tiles */
    int i, j, begin, end; /* its first place, its levels */
};

__device__ __forceinline__ unsigned *progress_of(const relay_pass &pass, const relay_task &own)
{
    const int row = pass.shape.tiles[0], plane = row * pass.shape.tiles[1], tiles = plane * pass.shape.tiles[2];
    const int number = own.place[2] * plane + own.place[1] * row + own.place[0];
    return pass.progress + RELAY_STRIDE * (size_t)(own.role * tiles + number);
}

/* Whether another role of the pass comes after. */
__device__ __forceinline__ bool is_followed(const relay_pass &pass, const relay_task &own)
{
    return own.role + 1 < 2 * pass.steps;
}

/* What later roles of a pass want the second-level cache keeps longer than what none does. */
__device__ __forceinline__ cache_policy policy_of(const relay_pass &pass, const relay_task &own)
{
    return is_followed(pass, own) ? policy_keep() : policy_drop();
}

/* Whether all of a tile is still at rest. Where some of it is, all is stepped: zeros stay zeros. */
__device__ __forceinline__ bool tile_at_rest(const device_volume<float> &v, const device_rest &rest,
                                             const relay_task &own, int rows)
{
    const int right = min(own.i + RELAY_WIDTH, v.n[0]) - 1, back = min(own.j + rows, v.n[1]) - 1;
    for (int y = max(own.j, 0) / REST_BRICK; y <= back / REST_BRICK && rest.stepped != NULL; y++) {
        for (int x = max(own.i, 0) / REST_BRICK; x <= right / REST_BRICK; x++) {
            if (rest.stepped[y * rest.width + x]) {
                return false;
            }
        }
    }
    return rest.stepped != NULL;
}

/* The task of a ticket. False: there is none, or nothing of it is to be stepped. */
template <int REACH>
__device__ __forceinline__ bool find_task(const device_volume<float> &v, const relay_pass &pass, int ticket,
                                          relay_task *own)
{
    constexpr int rows = relay_tile<REACH>::rows;
    const int roles = 2 * pass.steps, role = ticket % roles, number = ticket / roles - RELAY_DELAY * role;
    const int row = pass.shape.tiles[0], plane = row * pass.shape.tiles[1], levels = pass.shape.levels;
    if (number < 0 || number >= plane * pass.shape.tiles[2]) {
        return false;
    }
    const int lag = relay_lag(REACH, role);
    *own = {role, {number % row, number % plane / row, number / plane}, 0, 0, 0, 0};
    own->i = own->place[0] * RELAY_WIDTH - role * RELAY_SHIFT;
    own->j = own->place[1] * rows - lag;
    own->begin = max(own->place[2] * levels - lag, 0);
    own->end = min((own->place[2] + 1) * levels - lag, v.n[2]);
    if (own->i >= v.n[0] || own->i + RELAY_WIDTH <= 0 || own->j >= v.n[1] || own->j + rows <= 0 ||
        own->begin >= own->end || tile_at_rest(v, pass.rest, *own, rows)) {
        if (threadIdx.x == 0) {
            word_write(progress_of(pass, *own), pass.launch * (unsigned)(v.n[2] + 1) + (unsigned)max(own->end, 0));
        }
        return false;
    }
    return true;
}

/* How far the role before a task's has come, for one warp. */
struct relay_wait {
    const unsigned *progress; /* of the task's tile and role, in the lowest slab */
    unsigned zero;
    int row, plane, tiles, end; /* end: the level up to which the slab's tile of the role before goes */
    int slab, seen;
    bool left, front; /* there are tiles on these sides */

    /* Waits until the role before, in a slab's tile, and in those to the left, in front and both, has come to level
     * `wanted`. */
    __device__ __forceinline__ int await(int which, int wanted) const
    {
        const int lane = threadIdx.x % 32, left_by = lane & 1, front_by = lane >> 1;
        const bool asks = lane < 4 && (left || left_by == 0) && (front || front_by == 0);
        const unsigned *at =
            progress + (ptrdiff_t)RELAY_STRIDE * (which * plane - tiles - (asks ? front_by * row + left_by : 0));
        int least;
        while ((least = warp_least(asks ? (int)(word_read(at) - zero) : INT_MAX)) < wanted) {
            __nanosleep(40);
        }
        fence_copies();
        return least;
    }
    __device__ __forceinline__ void await_level(int wanted)
    {
        wanted = min(wanted, end);
        if (seen < wanted) {
            seen = await(slab, wanted);
        }
    }
};

/* After it has waited for what the task's lowest level wants. */
template <int REACH>
__device__ __forceinline__ relay_wait begin_waiting(const device_volume<float> &v, const relay_pass &pass,
                                                    const relay_task &own)
{
    const int levels = pass.shape.levels, slab = own.place[2];
    const bool follows = own.role > 0;
    const int lag_before = follows ? relay_lag(REACH, own.role - 1) : 0;
    relay_wait wait;
    wait.row = pass.shape.tiles[0];
    wait.plane = wait.row * pass.shape.tiles[1];
    wait.tiles = wait.plane * pass.shape.tiles[2];
    wait.zero = pass.launch * (unsigned)(v.n[2] + 1);
    wait.progress =
        pass.progress + (ptrdiff_t)RELAY_STRIDE * (own.role * wait.tiles + own.place[1] * wait.row + own.place[0]);
    wait.end = min((slab + 1) * levels - lag_before, v.n[2]);
    wait.slab = slab;
    wait.seen = follows ? 0 : INT_MAX;
    wait.left = own.place[0] > 0;
    wait.front = own.place[1] > 0;
    const int low = min(slab * levels - lag_before, v.n[2]);
    if (follows && slab > 0 && low > 0) {
        (void)wait.await(slab - 1, low);
    }
    wait.await_level(own.begin + REACH); /* at the low wall images are asked for too */
    return wait;
}

/* What the filters of the next level remember comes into the second-level cache. */
template <int SET, typename Kept>
__device__ __forceinline__ void ask_states(const device_volume<float> &v, const volume_fields<float, Kept> &f,
                                           const column &at)
{
    constexpr int own = SET == 0 ? 0 : 2;
    const auto ask_both = [&](int axis, size_t place) {
        ask(f.filter[axis][own] + place);
        ask(f.filter[axis][own + 1] + place);
    };
    const int k = at.k + 1, slot = filter_slot(v, 2, k);
    if (slot >= 0) {
        ask_both(2, ((size_t)slot * v.n[1] + at.j) * v.width + at.i);
    }
    if (at.slot_y >= 0) {
        ask_both(1, ((size_t)k * (v.low[1] + v.high[1]) + at.slot_y) * v.width + at.i);
    }
    if (at.layer_x) {
        ask_both(0, ((size_t)k * v.n[1] + at.j) * v.filters_x + filter_quad(v, at.i));
    }
}

#endif
