/* Scores of a joint fit (joint.h): in the fit, by blocks held out, and of a rule of distance for comparison. */
#include "calibrate/joint/joint.h"

#include <math.h>
#include <stdlib.h>

/* Every fold predicted by a fit to the others, which may move what re-runs told the response to; into `crossed`. */
static pw_status blocks_cross(const struct joint_fit *work, const struct linear *linear, double *crossed,
                              pw_error *error)
{
    struct solution solution;
    const struct cells *cells = &work->cells;
    for (int n = 0; n < cells->count; n++) {
        crossed[n] = NAN;
    }
    TRY(solution_create(&work->fit, &solution, error));
    pw_status status = PW_OK;
    for (int fold = 0; status == PW_OK && fold < cells->fold_count; fold++) {
        status = linear_solve(linear, fold, &solution, error);
        for (int n = 0; status == PW_OK && n < cells->count; n++) {
            if (cells->cells[n].fold == fold && !cells->cells[n].held) {
                crossed[n] = linear_level(linear, &solution, n);
            }
        }
    }
    solution_free(&solution);
    return status;
}

/* The same with every wall as its material, where walls were fitted by themselves. */
static pw_status walls_alike_score(const struct joint_fit *work, pw_joint *joint, pw_error *error)
{
    struct linear linear = work->linear;
    bool walls = false;
    for (int p = 0; p < work->parameters.count; p++) {
        walls = walls || work->parameters.entries[p].spread > 0.0;
    }
    if (!walls) {
        return PW_OK;
    }
    linear.walls_alike = true;
    double *values = allocate((size_t)work->cells.count, sizeof *values, "scores", error);
    TRY_MADE(values);
    pw_status status = blocks_cross(work, &linear, values, error);
    joint->crossed_alike = cells_score(&work->cells, values, false, -1);
    free(values);
    return status;
}

/* ---- the rule of distance ---- */

/* A line in 10 lg d for every station, fitted without a fold; into values where `wanted` is the fold, or all. */
static pw_status distance_fit(const struct joint_fit *work, int fold, double *values, pw_error *error)
{
    const struct cells *cells = &work->cells;
    size_t rows = (size_t)cells->count, columns = 2 * (size_t)cells->station_count;
    OWNED double *memory = allocate(rows * (columns + 2) + columns, sizeof *memory, "a rule of distance", error);
    TRY_MADE(memory);
    double *matrix = memory, *target = matrix + rows * columns, *beta = target + rows, scale;
    bool *left_out = (bool *)(beta + columns), *below = left_out + rows;
    for (size_t n = 0; n < rows; n++) {
        const struct cell *cell = &cells->cells[n];
        matrix[n * columns + 2 * (size_t)cell->station] = 1.0;
        matrix[n * columns + 2 * (size_t)cell->station + 1] = work->base.distances[n];
        target[n] = cell->level;
        below[n] = cell->below;
        left_out[n] = cell->held || (fold >= 0 && cell->fold == fold) ||
                      (cell->below && !cells_station_fitted(cells, cell->station, fold));
    }
    const struct regression regression = {.rows = cells->count,
                                          .columns = (int)columns,
                                          .matrix = matrix,
                                          .target = target,
                                          .left_out = left_out,
                                          .below = below,
                                          .huber = work->fit.options->huber};
    TRY(regression_solve(&regression, beta, &scale, error));
    for (size_t n = 0; n < rows; n++) {
        const struct cell *cell = &cells->cells[n];
        if (fold < 0 || (cell->fold == fold && !cell->held)) {
            values[n] = !cells_station_fitted(cells, cell->station, fold)
                            ? (double)NAN
                            : beta[2 * cell->station] + beta[2 * cell->station + 1] * work->base.distances[n];
        }
    }
    return PW_OK;
}

static pw_status distance_score(const struct joint_fit *work, pw_joint *joint, pw_error *error)
{
    const struct cells *cells = &work->cells;
    OWNED double *values = allocate((size_t)cells->count, sizeof *values, "a rule of distance", error);
    TRY_MADE(values);
    TRY(distance_fit(work, -1, values, error));
    joint->distance_fitted = cells_score(cells, values, false, -1);
    joint->distance_held = cells_score(cells, values, true, -1);
    for (int n = 0; n < cells->count; n++) {
        values[n] = NAN;
    }
    for (int fold = 0; fold < cells->fold_count; fold++) {
        TRY(distance_fit(work, fold, values, error));
    }
    joint->distance_crossed = cells_score(cells, values, false, -1);
    return PW_OK;
}

/* Readings that were not fitted: of transmitters that were, and of those whose offset is the mean of the others'. */
static pw_status held_score(const struct joint_fit *work, pw_joint *joint, pw_error *error)
{
    const struct cells *cells = &work->cells;
    const bool each = work->fit.options->offsets == PW_OFFSETS_EACH;
    double *values = allocate(2 * (size_t)cells->count, sizeof *values, "scores", error);
    if (values == NULL) {
        return PW_NO_RESOURCE;
    }
    for (int n = 0; n < cells->count; n++) {
        bool known = !each || cells_station_fitted(cells, cells->cells[n].station, -1);
        values[n] = known ? work->values[n] : (double)NAN;
        values[cells->count + n] = known ? (double)NAN : work->values[n];
    }
    joint->held = cells_score(cells, values, true, -1);
    joint->strangers = cells_score(cells, values + cells->count, true, -1);
    free(values);
    return PW_OK;
}

pw_status joint_score(struct joint_fit *work, pw_joint *joint, pw_error *error)
{
    TRY(blocks_cross(work, &work->linear, work->crossed, error));
    TRY(walls_alike_score(work, joint, error));
    joint->fitted = cells_score(&work->cells, work->values, false, -1);
    TRY(held_score(work, joint, error));
    joint->crossed = cells_score(&work->cells, work->crossed, false, -1);
    joint->below_crossed = cells_below(&work->cells, work->crossed, false);
    joint->below_held = cells_below(&work->cells, work->values, true);
    joint->interval = 1.96 * joint->crossed.rmse; /* NAN without blocks held out */
    for (int s = 0; s < work->cells.station_count; s++) {
        pw_joint_transmitter *transmitter = &joint->transmitters[s];
        transmitter->fitted = cells_score(&work->cells, work->values, false, s);
        transmitter->held = cells_score(&work->cells, work->values, true, s);
        transmitter->crossed = cells_score(&work->cells, work->crossed, false, s);
    }
    return distance_score(work, joint, error);
}
