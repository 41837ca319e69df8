/* Which rung of the CUDA engine suits a problem and a device, and how it cuts the domain (solver.h lists the rungs).
 * Host only. Leaves out: the cutting itself (boxes.cu, yee_partition.cu, wide_partition.cu), and the measured figures
 * of the models (tuning.h). */
#include "kernels/solver.h"

#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "kernels/resident/wide_resident.h"
#include "kernels/tuning.h"

int march_columns(const struct problem *p, int depth)
{
    return p->reach == 1 ? yee_march_columns(depth) : wide_march_columns(p->laplacian_taps, depth);
}

int march_depth(const struct problem *p, int64_t steps, int limit)
{
    return p->reach == 1 ? yee_march_depth(steps, limit) : wide_march_depth(p->laplacian_taps, steps, limit);
}

double march_relative_cost(const struct problem *p, int depth)
{
    if (p->reach == 1) {
        return depth == 8 ? 1.0 : depth == 6 ? 1.18 : depth == 4 ? 1.49 : 7.4 / depth;
    }
    return p->laplacian_taps == 5 ? (depth == 4   ? 1.0
                                     : depth == 3 ? 1.05
                                     : depth == 2 ? 1.25
                                                  : 2.7)
                                  : (depth == 3   ? 1.0
                                     : depth == 2 ? 1.05
                                                  : 1.8);
}

namespace
{

bool try_march(box_request *request, int depth, box_set *set)
{
    for (depth = march_depth(request->problem, depth, depth); depth > 0;
         depth = depth > 1 ? march_depth(request->problem, depth - 1, depth - 1) : 0) {
        request->depth = depth;
        if (boxes_around_march(*request, march_columns(request->problem, 1),
                               set)) { /* shallower passes have wider strips */
            return true;
        }
    }
    return false;
}

/* Halos of several steps would cost more than the exchange at every step. */
bool try_small(box_request *request, int processors, int wanted, box_set *set)
{
    request->depth = 1;
    return wanted <= 1 && (request->problem->reach > 1 ? wide_resident_partition(*request, processors, set)
                                                       : yee_resident_partition(*request, processors, set));
}

/* "walk12v1": name, depth, variant. */
pw_status parse_rung(const char *text, const char **rest, const char *name, struct choice *choice)
{
    size_t length = strlen(name);
    if (strncmp(text, name, length) != 0) {
        return PW_USAGE;
    }
    char *end = NULL;
    choice->depth = (int)strtol(text + length, &end, 10);
    if (*end == 'v') {
        choice->variant = (int)strtol(end + 1, &end, 10);
    }
    *rest = end;
    return *end == '\0' ? PW_OK : PW_USAGE;
}

pw_status named_choice(const struct problem *p, const char *text, struct choice *choice, pw_error *error)
{
    static const char *const names[] = {"plain", "tile", "march", "small"};
    const char *rest = NULL;
    for (int k = 0; k < 4; k++) {
        struct choice parsed = {(enum rung)k, 0, 0};
        if (parse_rung(text, &rest, names[k], &parsed) == PW_OK) {
            *choice = parsed;
            if (p->precision == PW_DOUBLE && choice->rung != SOLVER_PLAIN) {
                return fail(error, PW_USAGE, "rung '%s': double precision has the plain rung only", text);
            }
            return PW_OK;
        }
    }
    return fail(error, PW_USAGE, "unknown rung '%s': allowed are plain, tile[N], march[N][vK] and small", text);
}

/* Cuts the domain as the choice wants it; false when the choice does not suit the grid. */
bool cut(const box_request &base, int processors, struct choice *choice, box_set *set)
{
    box_request request = base;
    bool done = true;
    switch (choice->rung) {
    case SOLVER_PLAIN:
        *set = {};
        for (int k = 0; k < base.problem->probe_count; k++) {
            set->probe_slot.push_back(k);
            set->probe_x.push_back((int)(base.problem->probes[k].node % base.problem->axis[0].count));
            set->probe_y.push_back((int)(base.problem->probes[k].node / base.problem->axis[0].count));
        }
        request.depth = 1;
        break;
    case SOLVER_TILE:
        request.depth = choice->depth > 0 ? choice->depth : (base.problem->reach == 1 ? 4 : 1);
        done = boxes_everywhere(request, set);
        break;
    case SOLVER_MARCH:
        done = try_march(&request, choice->depth > 0 ? choice->depth : 1000, set);
        break;
    case SOLVER_RESIDENT:
        done = try_small(&request, processors, choice->depth, set);
        break;
    }
    choice->depth = request.depth;
    return done;
}

/* The most steps a pass that make an interval between samples cheapest: passes of wide stencils end on samples. */
int preferred_depth(const struct problem *p)
{
    int best = 1;
    double least = 0;
    for (int limit = 1; limit <= 8; limit++) {
        int64_t left = p->spectra.frequency_count > 0 && p->reach > 1 ? p->spectra.every : 24;
        double cost = 0;
        while (left > 0) {
            int depth = march_depth(p, left, limit);
            cost += depth * march_relative_cost(p, depth);
            left -= depth;
        }
        if (least == 0 || cost < least) {
            least = cost;
            best = march_depth(p, limit, limit);
        }
    }
    return best;
}

/* On the chip when one run fits it, unless more runs are to go on than a march takes together in the same time. A march
 * of few cells is mostly frame: then the deepest passes whose frame is done in registers, where a thick absorber leaves
 * room for fewer steps. */
bool automatic(const box_request &base, int processors, struct choice *choice, box_set *set)
{
    const struct problem *p = base.problem;
    double cells = (double)p->axis[0].count * p->axis[1].count * base.count;
    auto suits = [&](enum rung rung, int depth) {
        *choice = {rung, depth, 0};
        return cut(base, processors, choice, set);
    };
    auto march = [&]() {
        int deep = preferred_depth(p), most = base.count > 1 ? 8 : 6; /* a single run of yee */
        int depth = cells < MARCH_FEW_CELLS ? march_depth(p, deep, most) : 0;
        for (; depth > 1; depth = march_depth(p, depth - 1, depth)) {
            if (suits(SOLVER_MARCH, depth) && set->framed) {
                return true;
            }
        }
        return suits(SOLVER_MARCH, deep);
    };
    bool together =
        p->reach == 1 && (double)base.count * RESIDENT_STEP_NS > MARCH_STEP_NS + 1e-6 * MARCH_CELL_FS * cells;
    return (together && march() && set->framed) || suits(SOLVER_RESIDENT, 0) || march() || suits(SOLVER_TILE, 0);
}

} // namespace

pw_status choose_rung(const box_request &request, const struct backend_options *options, int processors,
                      struct choice *choice, box_set *set, pw_error *error)
{
    const struct problem *p = request.problem;
    if (options != NULL && options->rung != NULL) {
        TRY(named_choice(p, options->rung, choice, error));
        if (!cut(request, processors, choice, set)) {
            return fail(error, PW_USAGE, "rung '%s' does not suit a grid of %d x %d", options->rung, p->axis[0].count,
                        p->axis[1].count);
        }
        return PW_OK;
    }
    if (p->precision == PW_DOUBLE || !automatic(request, processors, choice, set)) {
        *choice = {SOLVER_PLAIN, 1, 0};
        cut(request, processors, choice, set);
    }
    return PW_OK;
}
