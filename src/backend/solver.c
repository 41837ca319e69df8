/* What solvers share: the canonical state that they exchange, and the kind of problem that all of them take. */
#include "backend/solver.h"

#include <stdlib.h>

pw_status solver_takes_plain_tm2d(const struct problem *problem, pw_error *error)
{
    const struct axis *x = &problem->axis[0], *y = &problem->axis[1];
    if (problem->formulation != FORMULATION_TM2D) {
        return fail(error, PW_USAGE, "it steps tm2d alone");
    }
    if (x->spacing != y->spacing) {
        return fail(error, PW_USAGE, "it needs square cells");
    }
    if (x->low.cells != x->high.cells || y->low.cells != y->high.cells || x->low.cells != y->low.cells) {
        return fail(error, PW_USAGE, "it needs an absorber as thick on every side");
    }
    if (problem->coefficient_width != COEFFICIENT_PLAIN_WIDTH) {
        return fail(error, PW_USAGE, "it takes media without poles alone");
    }
    return halo_face_count(problem) > 0 ? fail(error, PW_USAGE, "it does not exchange halos") : PW_OK;
}

pw_status run_state_create(const struct problem *problem, int64_t steps, struct run_state *snapshot, pw_error *error)
{
    size_t nx = (size_t)problem->axis[0].count, ny = (size_t)problem->axis[1].count,
           layers = 2 * (size_t)problem_layer(problem);
    const struct spectra *spectra = &problem->spectra;
    size_t lattice = spectra->frequency_count > 0 ? (size_t)spectra->rows * (size_t)spectra->columns : 0;
    struct {
        double **array;
        size_t count;
    } parts[] = {
        {&snapshot->ez, nx * ny},
        {&snapshot->increment, nx * ny},
        {&snapshot->x_half, ny * layers},
        {&snapshot->x_node, ny * layers},
        {&snapshot->y_half, layers * nx},
        {&snapshot->y_node, layers * nx},
        {&snapshot->spectra, 2 * (size_t)spectra->frequency_count * lattice},
        {&snapshot->samples, (size_t)spectra_group(spectra) * lattice},
        {&snapshot->probes, (size_t)steps * (size_t)problem->probe_count},
    };
    *snapshot = (struct run_state){0};
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
        if (parts[p].count > 0) {
            *parts[p].array = allocate(parts[p].count, sizeof(double), "a snapshot of the fields", error);
            if (*parts[p].array == NULL) {
                run_state_free(snapshot);
                return PW_NO_RESOURCE;
            }
        }
    }
    return PW_OK;
}

void run_state_free(struct run_state *snapshot)
{
    free(snapshot->ez);
    free(snapshot->increment);
    free(snapshot->x_half);
    free(snapshot->x_node);
    free(snapshot->y_half);
    free(snapshot->y_node);
    free(snapshot->spectra);
    free(snapshot->samples);
    free(snapshot->probes);
    *snapshot = (struct run_state){0};
}
