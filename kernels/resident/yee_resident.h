/* Yee with its nodes in registers. A grid that fits stays on the chip for a whole batch of steps, one tile a
 * multiprocessor (yee_resident.cu). Beside a march, similar blocks step the border of absorber and walls and the
 * patches around sources and probes, pass by pass (yee_border.cu). */
#ifndef YEE_RESIDENT_H
#define YEE_RESIDENT_H

#include "kernels/common/boxes.h"

/* What the blocks of a batch or of a pass of a border work on. */
struct resident_plan {
    const box *boxes; /* device, (box_count): what each block owns */
    int box_count;
    int columns, rows;     /* of boxes; for yee the columns of tiles */
    int depth;             /* most steps of a pass, the width of the halos; not used by a batch */
    unsigned *halo_buffer; /* device: the halo buffer (yee_halo.h, wide_halo.h), then weights of sources */
    device_spectra spectra;
    float *samples; /* (samples, cells): the sample of step s is row s/every - 1 - sample_first; NULL: none is taken */
    int64_t sample_first;
    size_t sample_run_stride;
};

/* Divides the grid among at most `processors` blocks; false when the grid or the stencil does not suit them. */
bool yee_resident_partition(const box_request &request, int processors, box_set *set);

size_t yee_resident_shared_bytes(); /* of a block */

/* Size of plan.halo_buffer in words of 4 bytes. */
size_t yee_resident_words(int ny, int tiles, int columns);

/* Advances one run by `steps`; plan.depth is not used. On return the state is in fields[0] when `steps` is even, else
 * in fields[1]. */
pw_status yee_resident_advance(const device_problem<float> &problem, const device_fields<float> fields[2],
                               const device_events<float> &events, const resident_plan &plan, int64_t step,
                               int64_t steps, cudaStream_t stream, pw_error *error);

/* Whether a box with a halo of `depth` nodes fits a block of this kind, given where its warps may begin. */
bool yee_border_suits(const struct problem *problem, enum border_kind kind, const box &box, int depth);
void yee_border_size(enum border_kind kind, int *width, int *height); /* in nodes, halo included */

/* Makes a pass of at most plan.depth steps of plan.boxes; `blocks` boxes are under way at a time. */
pw_status yee_border_pass(const device_problem<float> &problem, const pass<float> &pass, const resident_plan &plan,
                          int blocks, pw_error *error);

#endif
