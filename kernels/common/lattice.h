/* The points of the spectra's lattice that lie in a rectangle of nodes, shared out among threads. */
#ifndef KERNELS_LATTICE_H
#define KERNELS_LATTICE_H

#include "kernels/common/device.h"

/* Points before node `at` on an axis whose first point lies at `origin`. */
__device__ __forceinline__ int lattice_points(int at, int origin, int spacing, int limit)
{
    return at <= origin ? 0 : min((at - origin + spacing - 1) / spacing, limit);
}

/* Calls visit(x, y, element of the plane) for the points in columns x0 .. x1 - 1 and rows y0 .. y1 - 1 that fall to
 * thread `index` of `count` threads, a multiple of 32. Lanes take neighbouring columns, of several lines where there
 * are few. */
template <typename Visit>
__device__ __forceinline__ void visit_lattice(const device_spectra &s, int x0, int x1, int y0, int y1, int index,
                                              int count, Visit visit)
{
    int first = lattice_points(x0, s.x0, s.spacing, s.columns), last = lattice_points(x1, s.x0, s.spacing, s.columns);
    int line = lattice_points(y0, s.y0, s.spacing, s.rows), end = lattice_points(y1, s.y0, s.spacing, s.rows);
    int shift = last - first > 16 ? 5 : last - first > 8 ? 4 : 3, lanes = 1 << shift;
    first += index & (lanes - 1);
    for (line += index >> shift; line < end; line += count >> shift) {
        size_t row = (size_t)(s.first_row + line) * s.pitch + s.lead;
        for (int column = first; column < last; column += lanes) {
            visit(s.x0 + column * s.spacing, s.y0 + line * s.spacing, row + column);
        }
    }
}

/* Copies the sample of the spectra in a box, by all THREADS threads of a block: `field` is node (left, bottom) of Ez in
 * shared memory, in rows of PITCH; `to` the plane of the sample. */
template <int PITCH, int THREADS>
__device__ __forceinline__ void sample_box(const device_spectra &s, const box &own, const float *field, int left,
                                           int bottom, float *to)
{
    visit_lattice(s, own.x0, own.x1, own.y0, own.y1, (int)threadIdx.x, THREADS,
                  [&](int x, int y, size_t at) { to[at] = field[(y - bottom) * PITCH + x - left]; });
}

#endif
