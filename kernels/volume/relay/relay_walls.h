/* What a relay stores at the walls: images of what stands beside them (problem/image.h), and the last quad of a row. */
#ifndef RELAY_WALLS_H
#define RELAY_WALLS_H

#include "kernels/volume/volume_curl.h"

/* Calls put(distance, odd) for the images, about the walls of an axis, of what stands there at place `at`. */
template <int REACH, int SET, typename Put>
__device__ __forceinline__ void images_along(const device_volume<float> &v, int axis, int at, const Put &put)
{
    constexpr bool half = SET == 0; /* it is h that moves: at half nodes */
    const int low = 2 * at + (half ? 1 : 0), high = 2 * (v.n[axis] - at) - (half ? 1 : 0);
    if (at < REACH && low > 0) {
        put(-low, half == v.symmetric[axis]);
    }
    if (at + high < v.n[axis] + REACH) {
        put(high, !half);
    }
}

template <int REACH, int SET>
__device__ __forceinline__ void store_images(const device_volume<float> &v, float *to, int component, const column &at,
                                             const quad<float> &value)
{
    quad<float> minus;
#pragma unroll
    for (int p = 0; p < 4; p++) {
        minus.x[p] = -value.x[p];
    }
    if (component != 2) {
        images_along<REACH, SET>(v, 2, at.k, [&](int distance, bool odd) {
            store_quad(to + distance * (ptrdiff_t)v.plane, odd ? minus : value);
        });
    }
    if (component != 1) {
        images_along<REACH, SET>(v, 1, at.j, [&](int distance, bool odd) {
            store_quad(to + (ptrdiff_t)distance * v.pitch, odd ? minus : value);
        });
    }
#pragma unroll
    for (int p = 0; p < 4; p++) {
        if (component != 0 && at.i + p < v.n[0]) {
            images_along<REACH, SET>(v, 0, at.i + p,
                                     [&](int distance, bool odd) { to[p + distance] = odd ? minus.x[p] : value.x[p]; });
        }
    }
}

/* A quad of which some places may lie beyond the end of the row, where the images are. */
__device__ __forceinline__ void store_inside(float *to, const quad<float> &value, int places, cache_policy policy)
{
    if (places >= 4) {
        store_quad_for(to, value, policy);
        return;
    }
#pragma unroll
    for (int p = 0; p < 3; p++) {
        if (p < places) {
            to[p] = value.x[p];
        }
    }
}

#endif
