/* The linear part of a joint fit (linear.h). With a slope s the steps enter as products s d: columns of responses stand
 * for these, and d follows. A coordinate that leaves its range is set to its end, and the rest is solved again. */
#include "calibrate/joint/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns of the regression. */
struct columns {
    int offsets, devices;              /* how many; they come first, and one device is none */
    int slope, extra[LINEAR_EXTRAS];   /* -1: fixed */
    int step[PW_JOINT_PARAMETERS];     /* -1: does not move, or stands at an end */
    double fixed[PW_JOINT_PARAMETERS]; /* step of one that stands at an end */
    double slope_value, extra_value[LINEAR_EXTRAS];
    double *prior, *mean; /* (count), of the regression; borrowed */
    bool known;           /* something was known before */
    int count;
};

static const enum fit_kind EXTRA[LINEAR_EXTRAS] = {FIT_EXPONENT, FIT_BODY};

/* dB in a cell for a unit of an extra. */
static double extra_at(const struct linear *linear, int extra, int cell)
{
    return EXTRA[extra] == FIT_BODY ? -linear->fit->cells->cells[cell].shade : linear->base->distances[cell];
}

pw_status solution_create(const struct fit *fit, struct solution *solution, pw_error *error)
{
    *solution = (struct solution){.slope = 1.0};
    const size_t stations = (size_t)fit->cells->station_count, devices = (size_t)fit->cells->device_count;
    solution->offsets = allocate(stations + devices, sizeof *solution->offsets, "offsets of a fit", error);
    solution->devices = solution->offsets != NULL ? solution->offsets + stations : NULL;
    return solution->offsets != NULL ? PW_OK : PW_NO_RESOURCE;
}

void solution_free(struct solution *solution)
{
    free(solution->offsets);
    solution->offsets = NULL;
}

void solution_copy(const struct fit *fit, const struct solution *from, struct solution *to)
{
    double *offsets = to->offsets, *devices = to->devices;
    memcpy(offsets, from->offsets, (size_t)(fit->cells->station_count + fit->cells->device_count) * sizeof *offsets);
    *to = *from;
    to->offsets = offsets;
    to->devices = devices;
}

static int offset_count(const struct fit *fit)
{
    return fit->options->offsets == PW_OFFSETS_EACH  ? fit->cells->station_count
           : fit->options->offsets == PW_OFFSETS_ONE ? 1
                                                     : 0;
}

static void columns_count(struct columns *columns)
{
    int next = columns->offsets + columns->devices;
    columns->slope = columns->slope >= 0 ? next++ : -1;
    for (int e = 0; e < LINEAR_EXTRAS; e++) {
        columns->extra[e] = columns->extra[e] >= 0 ? next++ : -1;
    }
    for (int p = 0; p < PW_JOINT_PARAMETERS; p++) {
        columns->step[p] = columns->step[p] >= 0 ? next++ : -1;
    }
    columns->count = next;
}

static void columns_begin(const struct linear *linear, struct columns *columns)
{
    const struct fit_parameters *parameters = linear->fit->parameters;
    *columns = (struct columns){.offsets = offset_count(linear->fit),
                                .devices = linear->fit->cells->device_count - 1,
                                .slope = fit_parameter_find(parameters, FIT_SLOPE),
                                .slope_value = 1.0};
    for (int e = 0; e < LINEAR_EXTRAS; e++) {
        columns->extra[e] = fit_parameter_find(parameters, EXTRA[e]);
    }
    for (int p = 0; p < PW_JOINT_PARAMETERS; p++) {
        const struct fit_parameter *parameter = &parameters->entries[p];
        bool alike = p < parameters->count && linear->walls_alike && parameter->spread > 0.0;
        bool steps = p < parameters->count && !alike && linear->moves[p] && parameter->kind <= FIT_HEIGHT;
        columns->step[p] = steps ? p : -1;
        columns->fixed[p] = alike ? fit_coordinate(parameter, parameter->start) - linear->base->coordinates[p] : 0.0;
    }
    columns_count(columns);
}

static double response(const struct linear *linear, int parameter, int cell)
{
    return linear->responses[(size_t)parameter * (size_t)linear->fit->cells->count + (size_t)cell];
}

static double level_fixed(const struct linear *linear, const struct columns *columns, int cell)
{
    double level = linear->base->levels[cell];
    for (int p = 0; p < linear->fit->parameters->count; p++) {
        level += columns->fixed[p] != 0.0 ? columns->fixed[p] * response(linear, p, cell) : 0.0;
    }
    return level;
}

/* Rows that say whether they are in the fit, and whether they are limits alone. */
struct marks {
    bool *left_out, *below;
};

static void rows_fill(const struct linear *linear, const struct columns *columns, int fold, double *matrix,
                      double *target, struct marks marks)
{
    const struct cells *cells = linear->fit->cells;
    for (int n = 0; n < cells->count; n++) {
        const struct cell *cell = &cells->cells[n];
        double *row = matrix + (size_t)n * (size_t)columns->count, level = level_fixed(linear, columns, n);
        memset(row, 0, (size_t)columns->count * sizeof *row);
        /* Limits alone do not tell an offset. */
        bool untold = cell->below && columns->offsets > 1 && !cells_station_fitted(cells, cell->station, fold);
        marks.left_out[n] = cell->held || (fold >= 0 && cell->fold == fold) || untold;
        marks.below[n] = cell->below;
        target[n] = cell->level;
        if (columns->offsets > 0) {
            row[columns->offsets > 1 ? cell->station : 0] = 1.0;
        }
        if (cell->device > 0) {
            row[columns->offsets + cell->device - 1] = 1.0;
        }
        if (columns->slope >= 0) {
            row[columns->slope] = level;
        } else {
            target[n] -= columns->slope_value * level;
        }
        for (int e = 0; e < LINEAR_EXTRAS; e++) {
            if (columns->extra[e] >= 0) {
                row[columns->extra[e]] = extra_at(linear, e, n);
            } else {
                target[n] -= columns->extra_value[e] * extra_at(linear, e, n);
            }
        }
        for (int p = 0; p < linear->fit->parameters->count; p++) {
            if (columns->step[p] >= 0) {
                row[columns->step[p]] = (columns->slope >= 0 ? 1.0 : columns->slope_value) * response(linear, p, n);
            }
        }
    }
}

/* What was known of the columns' coefficients before: steps from the base, times the slope where that is fitted. */
static void priors_fill(const struct linear *linear, double slope, struct columns *columns)
{
    const struct fit_parameters *parameters = linear->fit->parameters;
    memset(columns->prior, 0, 2 * (size_t)columns->count * sizeof *columns->prior);
    columns->mean = columns->prior + columns->count;
    for (int p = 0; p < parameters->count; p++) {
        const struct fit_parameter *parameter = &parameters->entries[p];
        if (columns->step[p] >= 0 && parameter->spread > 0.0) {
            columns->prior[columns->step[p]] = slope * parameter->spread;
            columns->mean[columns->step[p]] =
                slope * (fit_coordinate(parameter, parameter->start) - linear->base->coordinates[p]);
            columns->known = true;
        }
    }
}

double linear_prior_loss(const struct linear *linear, const double *coordinates)
{
    const struct fit_parameters *parameters = linear->fit->parameters;
    double sum = 0.0;
    for (int p = 0; p < parameters->count; p++) {
        const struct fit_parameter *parameter = &parameters->entries[p];
        double off = coordinates[p] - fit_coordinate(parameter, parameter->start);
        sum += parameter->spread > 0.0 ? 0.5 * pow(off / parameter->spread, 2) : 0.0;
    }
    return fmax(1.0, linear->alike) * sum;
}

/* ---- ranges ---- */

static double clamp(double value, double least, double most)
{
    return fmax(least, fmin(most, value));
}

/* A slope or an extra out of its range is fixed at its end. */
static bool level_confine(const struct linear *linear, enum fit_kind kind, double found, int *column, double *value)
{
    int p = *column >= 0 ? fit_parameter_find(linear->fit->parameters, kind) : -1;
    if (p < 0) {
        return false;
    }
    const struct fit_parameter *parameter = &linear->fit->parameters->entries[p];
    *value = clamp(found, parameter->least, parameter->most);
    if (*value == found) {
        return false;
    }
    *column = -1;
    return true;
}

static double step_clamped(const struct linear *linear, int p, double step)
{
    const struct fit_parameter *parameter = &linear->fit->parameters->entries[p];
    double at = linear->base->coordinates[p];
    step = clamp(step, -linear->reach[p], linear->reach[p]);
    return clamp(at + step, fit_coordinate(parameter, parameter->least), fit_coordinate(parameter, parameter->most)) -
           at;
}

/* Fixes what left its range most, in parts of its own step; false: all are inside. */
static bool columns_confine(const struct linear *linear, const double *beta, struct columns *columns)
{
    double slope = columns->slope >= 0 ? beta[columns->slope] : columns->slope_value, worst = 1e-9;
    bool level = level_confine(linear, FIT_SLOPE, slope, &columns->slope, &columns->slope_value);
    for (int e = 0; e < LINEAR_EXTRAS; e++) {
        level = level || (columns->extra[e] >= 0 && level_confine(linear, EXTRA[e], beta[columns->extra[e]],
                                                                  &columns->extra[e], &columns->extra_value[e]));
    }
    int out = -1;
    for (int p = 0; !level && p < linear->fit->parameters->count; p++) {
        if (columns->step[p] >= 0) {
            double step = beta[columns->step[p]] / (columns->slope >= 0 ? slope : 1.0);
            double over = fabs(step - step_clamped(linear, p, step)) / (fabs(step) + 1e-12);
            out = over > worst ? p : out;
            worst = fmax(worst, over);
        }
    }
    if (out >= 0) {
        columns->fixed[out] = step_clamped(linear, out, beta[columns->step[out]] / (columns->slope >= 0 ? slope : 1.0));
        columns->step[out] = -1;
    }
    columns_count(columns);
    return level || out >= 0;
}

/* A transmitter of which the fit has no cell, as one that is only scored, is given the mean of the others' offsets. */
static void strangers_fill(const struct linear *linear, int fold, struct solution *solution)
{
    const struct cells *cells = linear->fit->cells;
    double sum = 0.0, known = 0.0;
    for (int s = 0; s < cells->station_count; s++) {
        bool has = cells_station_fitted(cells, s, fold);
        sum += has ? solution->offsets[s] : 0.0;
        known += has;
    }
    for (int s = 0; s < cells->station_count && known > 0.0; s++) {
        solution->offsets[s] = cells_station_fitted(cells, s, fold) ? solution->offsets[s] : sum / known;
    }
}

static void solution_fill(const struct linear *linear, const struct columns *columns, const double *beta, int fold,
                          struct solution *solution)
{
    const struct fit_parameters *parameters = linear->fit->parameters;
    solution->slope = columns->slope >= 0 ? beta[columns->slope] : columns->slope_value;
    for (int e = 0; e < LINEAR_EXTRAS; e++) {
        solution->extra[e] = columns->extra[e] >= 0 ? beta[columns->extra[e]] : columns->extra_value[e];
    }
    for (int d = 0; d < linear->fit->cells->device_count; d++) {
        solution->devices[d] = d > 0 ? beta[columns->offsets + d - 1] : 0.0;
    }
    for (int s = 0; s < linear->fit->cells->station_count; s++) {
        solution->offsets[s] = columns->offsets > 1 ? beta[s] : columns->offsets == 1 ? beta[0] : 0.0;
    }
    if (columns->offsets > 1) {
        strangers_fill(linear, fold, solution);
    }
    for (int p = 0; p < parameters->count; p++) {
        double step = columns->step[p] >= 0 ? beta[columns->step[p]] / (columns->slope >= 0 ? solution->slope : 1.0)
                                            : columns->fixed[p];
        solution->coordinates[p] = parameters->entries[p].kind == FIT_SLOPE      ? solution->slope
                                   : parameters->entries[p].kind == FIT_EXPONENT ? solution->extra[0]
                                   : parameters->entries[p].kind == FIT_BODY     ? solution->extra[1]
                                                                                 : linear->base->coordinates[p] + step;
    }
}

/* Memory for the rows, in one piece. */
static double *rows_create(const struct linear *linear, int columns, struct marks *marks, pw_error *error)
{
    size_t rows = (size_t)linear->fit->cells->count, most = (size_t)columns;
    double *memory = allocate(rows * (most + 2) + 3 * most, sizeof *memory, "the rows of a fit", error);
    marks->left_out = memory != NULL ? (bool *)(memory + rows * (most + 1) + 3 * most) : NULL;
    marks->below = memory != NULL ? marks->left_out + rows : NULL;
    return memory;
}

/* Blocks of each station are clusters of their own. */
static int *clusters_make(const struct cells *cells, pw_error *error)
{
    int *cluster = allocate((size_t)cells->count, sizeof *cluster, "clusters of cells", error);
    for (int n = 0; cluster != NULL && n < cells->count; n++) {
        cluster[n] = cells->cells[n].station * cells->block_count + cells->cells[n].block;
    }
    return cluster;
}

static struct regression regression_of(const struct linear *linear, const struct columns *columns,
                                       const struct marks *marks, const double *matrix, const double *target,
                                       double alike)
{
    return (struct regression){.rows = linear->fit->cells->count,
                               .columns = columns->count,
                               .matrix = matrix,
                               .target = target,
                               .left_out = marks->left_out,
                               .below = marks->below,
                               .huber = linear->fit->options->huber,
                               .prior = columns->known ? columns->prior : NULL,
                               .mean = columns->mean,
                               .alike = alike};
}

/* Where something was known before, how much the cells tell beside it takes a second solution: it depends on how alike
 * the residuals of a block are. */
static pw_status regression_both(struct regression *regression, const struct cells *cells, double *beta,
                                 struct solution *solution, pw_error *error)
{
    TRY(regression_solve(regression, beta, &solution->scale, error));
    solution->alike = regression->alike;
    if (regression->prior == NULL) {
        return PW_OK;
    }
    int *cluster = clusters_make(cells, error);
    TRY_MADE(cluster);
    solution->alike = regression->alike =
        regression_alike(regression, beta, solution->scale, cluster, cells->station_count * cells->block_count);
    free(cluster);
    return regression_solve(regression, beta, &solution->scale, error);
}

pw_status linear_solve(const struct linear *linear, int fold, struct solution *solution, pw_error *error)
{
    struct columns columns;
    struct marks marks;
    bool out = true;
    columns_begin(linear, &columns);
    int rows = linear->fit->cells->count, most = columns.count;
    double *memory = rows_create(linear, most, &marks, error);
    TRY_MADE(memory);
    double *matrix = memory, *target = memory + (size_t)rows * (size_t)most, *beta = target + rows;
    columns.prior = beta + most;
    pw_status status = PW_OK;
    while (status == PW_OK && out) {
        rows_fill(linear, &columns, fold, matrix, target, marks);
        priors_fill(linear, columns.slope >= 0 && linear->slope > 0.0 ? linear->slope : 1.0, &columns);
        struct regression regression = regression_of(linear, &columns, &marks, matrix, target, linear->alike);
        status = regression_both(&regression, linear->fit->cells, beta, solution, error);
        solution_fill(linear, &columns, beta, fold, solution);
        out = columns_confine(linear, beta, &columns);
    }
    free(memory);
    return status;
}

double linear_level(const struct linear *linear, const struct solution *solution, int cell)
{
    double level = linear->base->levels[cell];
    for (int p = 0; p < linear->fit->parameters->count; p++) {
        if (linear->fit->parameters->entries[p].kind <= FIT_HEIGHT) {
            double step = solution->coordinates[p] - linear->base->coordinates[p];
            level += step != 0.0 ? step * response(linear, p, cell) : 0.0;
        }
    }
    const struct cell *one = &linear->fit->cells->cells[cell];
    level = solution->offsets[one->station] + solution->devices[one->device] + solution->slope * level;
    for (int e = 0; e < LINEAR_EXTRAS; e++) {
        level += solution->extra[e] != 0.0 ? solution->extra[e] * extra_at(linear, e, cell) : 0.0;
    }
    return level;
}

/* ---- errors ---- */

/* Rows of derivatives by offsets, slope, extras and coordinates at the solution, whose residuals are the target. */
static void derivatives_fill(const struct linear *linear, const struct columns *columns,
                             const struct solution *solution, double *matrix, double *target, struct marks marks)
{
    rows_fill(linear, columns, -1, matrix, target, marks);
    for (int n = 0; n < linear->fit->cells->count; n++) {
        double *row = matrix + (size_t)n * (size_t)columns->count;
        target[n] = linear->fit->cells->cells[n].level - linear_level(linear, solution, n);
        for (int p = 0; p < linear->fit->parameters->count; p++) {
            if (columns->step[p] >= 0) {
                row[columns->step[p]] = solution->slope * response(linear, p, n);
            }
        }
    }
}

static void covariance_take(const struct linear *linear, const struct columns *columns, const double *all,
                            double *covariance, double *offset_errors)
{
    const struct fit_parameters *parameters = linear->fit->parameters;
    int n = columns->count, column[PW_JOINT_PARAMETERS];
    for (int p = 0; p < parameters->count; p++) {
        enum fit_kind kind = parameters->entries[p].kind;
        column[p] = kind == FIT_SLOPE      ? columns->slope
                    : kind == FIT_EXPONENT ? columns->extra[0]
                    : kind == FIT_BODY     ? columns->extra[1]
                                           : columns->step[p];
    }
    for (int p = 0; p < parameters->count; p++) {
        for (int q = 0; q < parameters->count; q++) {
            covariance[p * parameters->count + q] =
                column[p] >= 0 && column[q] >= 0 ? all[column[p] * n + column[q]] : (double)NAN;
        }
    }
    for (int s = 0; s < linear->fit->cells->station_count; s++) {
        int at = columns->offsets > 1 ? s : 0;
        offset_errors[s] = columns->offsets > 0 ? sqrt(all[at * n + at]) : 0.0;
    }
    double *device_errors = offset_errors + linear->fit->cells->station_count;
    for (int d = 0; d < linear->fit->cells->device_count; d++) {
        int at = columns->offsets + d - 1;
        device_errors[d] = d > 0 ? sqrt(all[at * n + at]) : 0.0;
    }
}

pw_status linear_errors(const struct linear *linear, const struct solution *solution, double *covariance,
                        double *offset_errors, double *freedom, pw_error *error)
{
    struct columns columns;
    struct marks marks;
    columns_begin(linear, &columns);
    const struct cells *cells = linear->fit->cells;
    size_t rows = (size_t)cells->count, most = (size_t)columns.count;
    double *memory = rows_create(linear, columns.count, &marks, error);
    double *all = allocate(most * most, sizeof *all, "the errors of a fit", error);
    int *cluster = clusters_make(cells, error);
    pw_status status = memory != NULL && all != NULL && cluster != NULL ? PW_OK : PW_NO_RESOURCE;
    if (status == PW_OK) {
        double *matrix = memory, *target = memory + rows * most, *beta = target + rows; /* beta: zeros */
        derivatives_fill(linear, &columns, solution, matrix, target, marks);
        columns.prior = beta + most;
        priors_fill(linear, 1.0, &columns);
        const struct regression regression = regression_of(linear, &columns, &marks, matrix, target, solution->alike);
        status = regression_covariance(&regression, beta, solution->scale, cluster,
                                       cells->station_count * cells->block_count, all, error);
        *freedom = fmax(1.0, fmin(cells->block_count, cells->fitted - columns.count) - 1.0);
    }
    if (status == PW_OK) {
        covariance_take(linear, &columns, all, covariance, offset_errors);
    }
    free(cluster);
    free(all);
    free(memory);
    return status;
}
