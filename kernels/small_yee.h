/* Small grids of yee: one tile a multiprocessor with its nodes in registers for a whole batch of steps (small_yee.cu). */
#ifndef SMALL_YEE_H
#define SMALL_YEE_H

#include "boxes.h"
#include "device.h"

struct small_plan {
    const box *boxes; /* device, (rows, columns): what each block owns */
    int columns, rows;
    int depth;       /* steps between exchanges */
    int variant;     /* which shape of block, small_cut */
    unsigned *flags; /* device, (rows columns) */
    device_spectra spectra;
    float *samples; /* as in resident_plan */
    int64_t sample_first;
};

/* Divides the grid among at most `processors` blocks of the given variant with halos of `depth` nodes; false when it does not fit.
 * *cost: estimated issue slots a step of the busiest block. */
bool small_cut(const box_request &request, int processors, int variant, box_set *set, double *cost);

/* Advances one run by `steps`; on return the state is in fields[0] when the number of rounds of `depth` steps is even, else in
 * fields[1]. */
pw_status small_advance(const device_problem<float> &problem, const device_fields<float> fields[2],
                        const device_events<float> &events, const small_plan &plan, int64_t step, int64_t steps,
                        cudaStream_t stream, pw_error *error);

#endif
