/* What a thread does for a quad of places, whatever brings its neighbours: derivatives, their filters in the absorber,
 * media. The thread goes up the levels of four columns beside each other, one after the other. */
#ifndef VOLUME_CURL_H
#define VOLUME_CURL_H

#include "kernels/volume/quad.h"
#include "kernels/volume/volume.h"

/* Two derivatives along y or z through their filters, whose states are at the same place of two arrays: those of a row
 * or a level stand at all of its places. */
template <typename Real>
__device__ __forceinline__ void filter_quads(quad<Real> &first, quad<Real> &second, const device_filter<Real> &filter,
                                             Real *const *state, size_t place)
{
    quad<Real> held = reload_quad(state[0] + place), other = reload_quad(state[1] + place);
#pragma unroll
    for (int c = 0; c < 4; c++) {
        first.x[c] = cell_filter(first.x[c], filter, &held.x[c]);
        second.x[c] = cell_filter(second.x[c], filter, &other.x[c]);
    }
    store_quad(state[0] + place, held);
    store_quad(state[1] + place, other);
}

/* Two along x, places from `i` on, of which some have no filter: what is in the place of their states nobody uses. */
template <typename Real>
__device__ __forceinline__ void filter_rows(const device_volume<Real> &v, quad<Real> &first, quad<Real> &second,
                                            const device_filter<Real> *filters, Real *const *state, size_t place, int i)
{
    device_filter<Real> filter[4];
    quad<Real> held = reload_quad(state[0] + place), other = reload_quad(state[1] + place);
#pragma unroll
    for (int c = 0; c < 4; c++) {
        filter[c] = filters[min(i + c, v.n[0] - 1)];
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
        if (i + c < v.low[0] || (i + c >= v.n[0] - v.high[0] && i + c < v.n[0])) {
            first.x[c] = cell_filter(first.x[c], filter[c], &held.x[c]);
            second.x[c] = cell_filter(second.x[c], filter[c], &other.x[c]);
        }
    }
    store_quad(state[0] + place, held);
    store_quad(state[1] + place, other);
}

/* Where in a row of filter states along x those of a quad begin that touches a layer. */
template <typename Real> __device__ __forceinline__ int filter_quad(const device_volume<Real> &v, int i)
{
    return i < v.low[0] ? i : v.high_x + i - (v.n[0] - v.high[0]);
}

/* Whether component c of the set that is moved on, h (SET 0) or E (SET 3), ever is anything but zero. */
template <int SET, bool FLAT> __device__ constexpr bool moves(int c)
{
    return !FLAT || (SET == 0) == (c == 2);
}

/* Where a thread is. */
struct column {
    int i, j, k;
    bool layer_x; /* some place of the quad is in the absorber's layer of x */
    int slot_y, slot_z;
};

/* The derivatives of a set's curl at a quad, as cell_magnetic and cell_increment want them. */
template <typename Real> struct curl {
    quad<Real> first[3], second[3];
};

/* Every derivative of the set SET through its filter. Along an axis stand those of the next component and of the next
 * but one, in cyclic order (solver.h). */
template <int SET, bool FLAT, typename Real, typename Kept>
__device__ __forceinline__ void filter_curl(const device_volume<Real> &v, const volume_fields<Real, Kept> &f,
                                            const column &at, curl<Real> &d)
{
    constexpr int own = SET == 0 ? 0 : 2;
    const auto *const *profile = SET == 0 ? v.half : v.node;
    if (!FLAT && at.slot_z >= 0) {
        const size_t place = ((size_t)at.slot_z * v.n[1] + at.j) * v.width + at.i;
        filter_quads(d.first[1], d.second[0], profile[2][at.k], f.filter[2] + own, place);
    }
    if (at.slot_y >= 0) {
        const size_t place = ((size_t)at.k * (v.low[1] + v.high[1]) + at.slot_y) * v.width + at.i;
        filter_quads(d.first[0], d.second[2], profile[1][at.j], f.filter[1] + own, place);
    }
    if (at.layer_x) {
        const size_t place = ((size_t)at.k * v.n[1] + at.j) * v.filters_x + filter_quad(v, at.i);
        filter_rows(v, d.first[2], d.second[1], profile[0], f.filter[0] + own, place, at.i);
    }
}

/* The derivative along y or z of a line of 2 REACH quads. */
template <int REACH, typename Real>
__device__ __forceinline__ quad<Real> line_derivative(const device_volume<Real> &v, const quad<Real> (&line)[2 * REACH])
{
    quad<Real> sum;
#pragma unroll
    for (int c = 0; c < 4; c++) {
        sum.x[c] = cell_curl(line[REACH - 1].x[c], line[REACH].x[c]);
#pragma unroll
        for (int l = 1; l < REACH; l++) {
            sum.x[c] = cell_curl_add(sum.x[c], v.tap[l], line[REACH - 1 - l].x[c], line[REACH + l].x[c]);
        }
    }
    return sum;
}

/* Along y at the quad `at`, whose own value is `own`, where rows are `pitch` apart and quads are read by `fetch`.
 * BEFORE: rows that the line begins earlier, 1 for h, which stands half a place lower. */
template <int REACH, int BEFORE, typename Real, typename Fetch>
__device__ __forceinline__ quad<Real> across_rows(const device_volume<Real> &v, const Real *at, int pitch,
                                                  const quad<Real> &own, const Fetch &fetch)
{
    quad<Real> line[2 * REACH];
#pragma unroll
    for (int m = 0; m < 2 * REACH; m++) {
        const int row = m - REACH + 1 - BEFORE;
        line[m] = row == 0 ? own : fetch(at + (ptrdiff_t)row * pitch);
    }
    return line_derivative<REACH>(v, line);
}

/* Along x. */
template <int REACH, int BEFORE, typename Real, typename Fetch>
__device__ __forceinline__ quad<Real> along_row(const device_volume<Real> &v, const Real *at, const quad<Real> &own,
                                                const Fetch &fetch)
{
    constexpr int left = (REACH - 1 + BEFORE + 3) / 4, right = (REACH - BEFORE + 3) / 4;
    Real row[4 * (left + 1 + right)];
#pragma unroll
    for (int m = -left; m <= right; m++) {
        const quad<Real> some = m == 0 ? own : fetch(at + 4 * m);
#pragma unroll
        for (int c = 0; c < 4; c++) {
            row[4 * (m + left) + c] = some.x[c];
        }
    }
    quad<Real> sum;
#pragma unroll
    for (int c = 0; c < 4; c++) {
        const int low = 4 * left + c - BEFORE;
        sum.x[c] = cell_curl(row[low], row[low + 1]);
#pragma unroll
        for (int l = 1; l < REACH; l++) {
            sum.x[c] = cell_curl_add(sum.x[c], v.tap[l], row[low - l], row[low + 1 + l]);
        }
    }
    return sum;
}

/* The media of a quad of columns, which many levels share: asked for again only where the layer is another. */
template <typename Real> struct column_media {
    typedef typename pair_of<Real>::type pair;
    int layer[3];
    bool changed[3]; /* the same for all threads */
    ushort4 index[3];
    pair medium[3][4];

    __device__ column_media() : layer{-1, -1, -1}, changed{}, index{}, medium{}
    {
    }
    /* Loads where the media of level k are; before it is taken, so that they are there. */
    __device__ __forceinline__ void look(const device_volume<Real> &v, const column &at, int k)
    {
#pragma unroll
        for (int c = 0; c < 3; c++) {
            const int own = __ldg(v.layer[c] + k);
            changed[c] = own != layer[c];
            if (changed[c]) {
                layer[c] = own;
                index[c] = *(const ushort4 *)(v.index + ((size_t)own * v.n[1] + at.j) * v.width + at.i);
            }
        }
    }
    /* Loads the media of the level that was looked at. */
    __device__ __forceinline__ void take(const device_volume<Real> &v)
    {
#pragma unroll
        for (int c = 0; c < 3; c++) {
            if (changed[c]) {
                medium[c][0] = v.coefficients[index[c].x];
                medium[c][1] = v.coefficients[index[c].y];
                medium[c][2] = v.coefficients[index[c].z];
                medium[c][3] = v.coefficients[index[c].w];
            }
        }
    }
};

/* Component c of a set, moved on. */
template <int SET, typename Real>
__device__ __forceinline__ quad<Real> moved_quad(const quad<Real> &old, const curl<Real> &d, int c,
                                                 const column_media<Real> &media)
{
    quad<Real> moved;
#pragma unroll
    for (int p = 0; p < 4; p++) {
        moved.x[p] = SET == 0 ? cell_magnetic(old.x[p], d.first[c].x[p], d.second[c].x[p])
                              : cell_increment(old.x[p], d.first[c].x[p] - d.second[c].x[p], media.medium[c][p].x,
                                               media.medium[c][p].y);
    }
    return moved;
}

/* The quad of zeros. */
template <typename Real> __device__ __forceinline__ quad<Real> zero_quad()
{
    quad<Real> zero;
#pragma unroll
    for (int c = 0; c < 4; c++) {
        zero.x[c] = 0;
    }
    return zero;
}

#endif
