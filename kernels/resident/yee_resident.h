/* Tiles of yee with their nodes in registers (yee_resident.cu): a small grid stays on the chip for a whole batch of
 * steps, one tile a multiprocessor; beside a march they do the frame of absorber and walls and the patches around
 * sources and probes, pass by pass. */
#ifndef YEE_RESIDENT_H
#define YEE_RESIDENT_H

#include "kernels/common/boxes.h"

struct resident_plan {
    const box *boxes; /* device, (box_count): what each block owns */
    int box_count;
    int columns, rows; /* of boxes; yee: columns of tiles */
    int depth;         /* of a pass: width of the halos */
    unsigned *packets; /* device */
    device_spectra spectra;
    float *samples; /* (samples, cells): that of step s goes to row s/every - 1 - sample_first; NULL: none */
    int64_t sample_first;
    size_t sample_run_stride;
};

/* Divides the grid among at most `processors` blocks; false when it does not suit. */
bool yee_resident_partition(const box_request &request, int processors, box_set *set);

size_t yee_resident_shared_bytes(); /* of a block */

/* Words that plan.packets must have: those of two steps. */
size_t yee_resident_words(int ny, int tiles, int columns);

/* Advances one run by `steps`; plan.depth is not used. On return the state is in fields[0] when `steps` is even, else
 * in fields[1]. */
pw_status yee_resident_advance(const device_problem<float> &problem, const device_fields<float> fields[2],
                               const device_events<float> &events, const resident_plan &plan, int64_t step,
                               int64_t steps, cudaStream_t stream, pw_error *error);

/* Whether a box with a halo of `depth` nodes fits such a block, given where its warps may begin. */
bool yee_border_suits(const struct problem *problem, enum border_kind frame, const box &box, int depth);
void yee_border_size(enum border_kind frame, int *width, int *height); /* nodes, halo included */

/* `steps` <= plan.depth steps of plan.boxes from `in` to `out`, `blocks` boxes at a time. */
pw_status yee_border_pass(const device_problem<float> &problem, const device_fields<float> &in,
                          const device_fields<float> &out, const device_events<float> &events,
                          const resident_plan &plan, int blocks, int64_t step, int64_t steps, cudaStream_t stream,
                          pw_error *error);

#endif
