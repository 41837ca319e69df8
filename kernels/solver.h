/* The rungs of the CUDA engine, from the simplest to the fastest, and which one a problem takes. In single precision
 * the best is chosen from the problem and the device; double precision always takes the plain one. backend_options.rung
 * names one: plain       one kernel a step tile[N]     shared-memory tiles everywhere, N steps a pass march[N][vK]
 * register marches with boxes for the frame beside them, N steps a pass, kernel variant K small       the whole grid
 * stays on the chip, nodes in registers, borders exchanged at every step */
#ifndef CUDA_SOLVER_H
#define CUDA_SOLVER_H

#include "kernels/common/boxes.h"

extern "C" {
#include "backend/backend.h"
}

enum rung { SOLVER_PLAIN, SOLVER_TILE, SOLVER_MARCH, SOLVER_RESIDENT };

struct choice {
    enum rung rung;
    int depth;   /* most steps a pass */
    int variant; /* of the kernel */
};

/* The march that the problem's stencil takes: narrowest output region, and largest depth <= steps and <= limit, 0 when
 * there is none. */
int march_columns(const struct problem *problem, int depth);
int march_depth(const struct problem *problem, int64_t steps, int limit);

/* Time of a step of a march of this depth against the best one's, on a large grid (validation/performance.md). */
double march_relative_cost(const struct problem *problem, int depth);

/* The named rung, else the best; cuts the domain for it. PW_USAGE when the named one is unknown or does not suit the
 * grid. */
pw_status choose_rung(const box_request &request, const struct backend_options *options, int processors,
                      struct choice *choice, box_set *set, pw_error *error);

#endif
