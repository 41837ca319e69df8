/* The runs of the reference backend in three dimensions (maxwell3d): volume_run.h in both precisions. */
#include "backend/reference/reference.h"
#include "base/fast_fma.h"
#include "base/memory.h"
#include "problem/half.h"
#include "problem/image.h"
#include "problem/spectra/spectra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Among the filters of an axis (solver.h), that of the derivative of this component along it. */
static int filter_number(int axis, int component)
{
    return (component % 3 - axis + 3) % 3 - 1 + (component < COMPONENT_HX ? 0 : 2);
}

#define TEMPLATE "backend/reference/volume_run.h"
#include "problem/precisions.h"

/* With ghosts around the six fields. */
static uint64_t volume_values(const struct problem *problem)
{
    uint64_t padded = 1, nodes = (uint64_t)problem_nodes(problem), filters = 0;
    for (int a = 0; a < 3; a++) {
        uint64_t count = (uint64_t)problem->axis[a].count;
        padded *= count + (problem->axis[a].uniform ? 0 : 2 * (uint64_t)problem->reach);
        filters += 4 * nodes / count * (uint64_t)run_state_filters(problem, a);
    }
    return 6 * padded + filters + (uint64_t)run_memory_numbers(problem);
}

const struct reference_formulation reference_volume = {
    .functions = {[PW_SINGLE] = &FUNCTIONS_float, [PW_DOUBLE] = &FUNCTIONS_double}, .field_values = volume_values};
