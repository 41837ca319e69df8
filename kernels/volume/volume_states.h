/* What the solver table asks of an engine in three dimensions; and filter states to the host's arrays and back. Of
 * those along x a row on the device has two parts, with places between them that nobody uses (volume_layout.h); they go
 * level by level. */
#ifndef VOLUME_STATES_H
#define VOLUME_STATES_H

#include "kernels/common/device_memory.h"
#include "kernels/volume/volume_layout.h"

extern "C" {
#include "backend/solver.h"
}

/* A solver at work, whatever its precision. */
struct volume_run {
    const struct problem *problem = NULL;

    virtual ~volume_run() = default;
    virtual pw_status advance(int64_t steps, pw_error *error) = 0;
    virtual pw_status energy(int run, const struct patch &box, double *energy, pw_error *error) = 0;
    virtual pw_status read_field(int run, double *e, pw_error *error) = 0;
    virtual pw_status read_probes(int run, double *values, pw_error *error) = 0;
    virtual pw_status read_spectra(int run, int first, int count, double *out, pw_error *error) = 0;
    virtual pw_status read_samples(int run, int first, int count, double *out, pw_error *error) = 0;
    virtual pw_status save(int run, struct run_state *to, pw_error *error) = 0;
    virtual pw_status load(int run, const struct run_state *from, pw_error *error) = 0;
    virtual pw_status patch(int run, const struct patch *patch, void *values, bool store, pw_error *error) = 0;
    virtual pw_status defer(bool on, void **queue, pw_error *error) = 0;
};

/* Where place `at` of a row of the host's stands in one of the device's. */
static inline size_t filter_place(const struct problem *p, size_t at)
{
    const size_t low = (size_t)p->axis[0].low.cells;
    return at < low ? at : (size_t)filter_high_slot(p) + at - low;
}

template <typename Real>
pw_status volume_read_filters(const struct problem *p, int axis, const Real *from, double *to, pw_error *error)
{
    const size_t width = filter_width(p, axis), rows = filter_rows(p, axis), ny = (size_t)p->axis[1].count;
    if (axis > 0) {
        return read_values(from, width, to, (size_t)p->axis[0].count, rows, error);
    }
    const size_t places = (size_t)run_state_filters(p, 0);
    std::vector<double> level(ny * width);
    for (size_t first = 0; first < rows && places > 0; first += ny) {
        TRY(read_values(from + first * width, width, level.data(), width, ny, error));
        for (size_t at = 0; at < ny * places; at++) {
            to[first * places + at] = level[at / places * width + filter_place(p, at % places)];
        }
    }
    return PW_OK;
}

template <typename Real>
pw_status volume_write_filters(const struct problem *p, int axis, Real *to, const double *from, pw_error *error)
{
    const size_t width = filter_width(p, axis), rows = filter_rows(p, axis), ny = (size_t)p->axis[1].count;
    if (axis > 0) {
        return write_values(to, width, from, (size_t)p->axis[0].count, rows, error);
    }
    const size_t places = (size_t)run_state_filters(p, 0);
    std::vector<double> level(ny * width);
    for (size_t first = 0; first < rows && places > 0; first += ny) {
        for (size_t at = 0; at < ny * places; at++) {
            level[at / places * width + filter_place(p, at % places)] = from[first * places + at];
        }
        TRY(write_values(to + first * width, width, level.data(), width, ny, error));
    }
    return PW_OK;
}

#endif
