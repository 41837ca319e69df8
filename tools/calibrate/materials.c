/* The fit of scales of materials (materials.h). */
#include "calibrate/materials.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMETERS = 2 * PW_CALIBRATED_MATERIALS, ROUNDS = 2, HALVINGS = 3 };
static const double permittivity_bound = 1.5, conductivity_bound = 10.0; /* factors, up and down */
static const double permittivity_step = 1.1, conductivity_step = 1.5;    /* factors of the sensitivity runs */
static const double least_response = 0.05; /* dB RMS over the fitted points: under it a parameter is not felt */
static const double most_alike = 0.98;     /* correlation of two responses over which they are not told apart */

static double bound_of(int parameter)
{
    return log(parameter % 2 == 0 ? permittivity_bound : conductivity_bound);
}

static double step_of(int parameter)
{
    return log(parameter % 2 == 0 ? permittivity_step : conductivity_step);
}

/* Differences of the fitted points from their mean, into out (fitted). */
static void centred(const struct measured *measured, const double *values, const double *less, double scale,
                    double *out)
{
    double mean = 0.0;
    int count = 0;
    for (int n = 0; n < measured->count; n++) {
        if (!measured->points[n].held) {
            out[count] = scale * (values[n] - less[n]);
            mean += out[count++];
        }
    }
    for (int n = 0; n < count; n++) {
        out[n] -= mean / count;
    }
}

static double product(const double *a, const double *b, int count)
{
    double sum = 0.0;
    for (int n = 0; n < count; n++) {
        sum += a[n] * b[n];
    }
    return sum;
}

/* "permittivity of brick" */
static const char *parameter_name(const struct rerun *rerun, int parameter, char text[128])
{
    snprintf(text, 128, "%s of %.80s", parameter % 2 == 0 ? "permittivity" : "conductivity",
             rerun->options->materials[parameter / 2]);
    return text;
}

/* Refuses parameters that the points do not feel, or do not tell apart. */
static pw_status responses_check(const struct rerun *rerun, const double *responses, pw_error *error)
{
    int count = rerun->measured->fitted;
    char first[128], second[128];
    for (int p = 0; p < rerun->parameters; p++) {
        const double *own = responses + (size_t)p * (size_t)count;
        double strength = sqrt(product(own, own, count) / count) * step_of(p);
        if (!(strength >= least_response)) {
            return fail(
                error, PW_BAD_INPUT,
                "%s: the power at these points hardly depends on the %s: %g times as much changes it by only %.3f dB",
                rerun->measured->path, parameter_name(rerun, p, first), exp(step_of(p)), strength);
        }
        for (int q = 0; q < p; q++) {
            const double *other = responses + (size_t)q * (size_t)count;
            double alike = product(own, other, count) / sqrt(product(own, own, count) * product(other, other, count));
            if (fabs(alike) > most_alike) {
                return fail(
                    error, PW_BAD_INPUT,
                    "%s: these points cannot tell the %s from the %s, which change the power alike (correlation %.3f)",
                    rerun->measured->path, parameter_name(rerun, p, first), parameter_name(rerun, q, second), alike);
            }
        }
    }
    return PW_OK;
}

/* Solves (J'J + ridge) step = J'r by elimination; small, positive definite. */
static void step_solve(const struct rerun *rerun, const double *responses, const double *residual, double *step)
{
    int n = rerun->parameters, count = rerun->measured->fitted;
    double matrix[PARAMETERS][PARAMETERS + 1] = {{0}};
    for (int p = 0; p < n; p++) {
        const double *own = responses + (size_t)p * (size_t)count;
        for (int q = 0; q < n; q++) {
            matrix[p][q] = product(own, responses + (size_t)q * (size_t)count, count);
        }
        matrix[p][p] *= 1.01; /* a step too short is tried again in the next round; one too long leads nowhere */
        matrix[p][n] = product(own, residual, count);
    }
    for (int p = 0; p < n; p++) {
        for (int q = p + 1; q < n; q++) {
            double factor = matrix[q][p] / matrix[p][p];
            for (int k = p; k <= n; k++) {
                matrix[q][k] -= factor * matrix[p][k];
            }
        }
    }
    for (int p = n - 1; p >= 0; p--) {
        step[p] = matrix[p][n];
        for (int q = p + 1; q < n; q++) {
            step[p] -= matrix[p][q] * step[q];
        }
        step[p] /= matrix[p][p];
    }
}

/* Buffers of the fit, in one allocation. */
struct fit {
    double *base, *trial; /* (count): predictions */
    double *responses;    /* (parameters, fitted): dB per unit of the logarithm, from their mean */
    double *residual;     /* (fitted) */
    double *power;        /* (count): measured */
};

static pw_status responses_fill(struct rerun *rerun, const double *logs, struct fit *fit, pw_error *error)
{
    for (int p = 0; p < rerun->parameters; p++) {
        double moved[PARAMETERS];
        memcpy(moved, logs, sizeof moved);
        double step = logs[p] + step_of(p) > bound_of(p) ? -step_of(p) : step_of(p);
        moved[p] += step;
        TRY(rerun_predict(rerun, moved, fit->trial, error));
        centred(rerun->measured, fit->trial, fit->base, 1.0 / step,
                fit->responses + (size_t)p * (size_t)rerun->measured->fitted);
    }
    return PW_OK;
}

/* One round: sensitivities, a step, halved until it gains; *gained says whether it did. */
static pw_status round_fit(struct rerun *rerun, double *logs, struct fit *fit, bool *gained, pw_error *error)
{
    double step[PARAMETERS] = {0}, moved[PARAMETERS], before = rerun_error(rerun->measured, fit->base);
    *gained = false;
    TRY(responses_fill(rerun, logs, fit, error));
    TRY(responses_check(rerun, fit->responses, error));
    centred(rerun->measured, fit->power, fit->base, 1.0, fit->residual);
    step_solve(rerun, fit->responses, fit->residual, step);
    for (int halving = 0; halving < HALVINGS && !*gained; halving++) {
        memcpy(moved, logs, sizeof moved);
        for (int p = 0; p < rerun->parameters; p++) {
            moved[p] = fmax(-bound_of(p), fmin(bound_of(p), logs[p] + ldexp(step[p], -halving)));
        }
        TRY(rerun_predict(rerun, moved, fit->trial, error));
        *gained = rerun_error(rerun->measured, fit->trial) < before;
    }
    if (*gained) {
        memcpy(logs, moved, sizeof moved);
        memcpy(fit->base, fit->trial, (size_t)rerun->measured->count * sizeof *fit->base);
    }
    return PW_OK;
}

static pw_status materials_fit(struct rerun *rerun, struct fit *fit, pw_calibration *calibration, pw_error *error)
{
    const struct measured *measured = rerun->measured;
    double logs[PARAMETERS] = {0};
    for (int n = 0; n < measured->count; n++) {
        fit->power[n] = measured->points[n].power;
    }
    TRY(rerun_predict(rerun, logs, fit->base, error));
    double offset = -measured_score(measured, fit->base, 0.0, false).bias;
    calibration->unscaled_fitted = measured_score(measured, fit->base, offset, false);
    calibration->unscaled_held = measured_score(measured, fit->base, offset, true);
    bool gained = true;
    for (int round = 0; round < ROUNDS && gained; round++) {
        TRY(round_fit(rerun, logs, fit, &gained, error));
    }
    calibration->scaled_offset = -measured_score(measured, fit->base, 0.0, false).bias;
    calibration->scaled_fitted = measured_score(measured, fit->base, calibration->scaled_offset, false);
    calibration->scaled_held = measured_score(measured, fit->base, calibration->scaled_offset, true);
    calibration->material_count = rerun->options->material_count;
    calibration->runs = rerun->runs;
    for (int m = 0; m < calibration->material_count; m++) {
        calibration->permittivity_scale[m] = exp(logs[2 * m]);
        calibration->conductivity_scale[m] = exp(logs[2 * m + 1]);
    }
    return pw_monitor_tell(&rerun->options->monitor, 1.0, error);
}

pw_status calibrate_materials(const pw_result *result, const struct measured *measured,
                              const pw_calibration_options *options, const struct rerun_listener *listener,
                              pw_calibration *calibration, pw_error *error)
{
    struct rerun rerun = {.result = result,
                          .measured = measured,
                          .options = options,
                          .parameters = 2 * options->material_count,
                          .listener = listener,
                          .most_runs = 1 + ROUNDS * (2 * options->material_count + HALVINGS)};
    if (!(options->cell_factor >= 0.1 && options->cell_factor <= 10.0)) {
        return fail(error, PW_USAGE, "cells %g times as large for the runs with other materials: allowed are 0.1 to 10",
                    options->cell_factor);
    }
    size_t count = (size_t)measured->count, fitted = (size_t)measured->fitted;
    double *buffer =
        allocate(3 * count + ((size_t)rerun.parameters + 1) * fitted, sizeof *buffer, "a fit of materials", error);
    TRY_MADE(buffer);
    struct fit fit = {.base = buffer,
                      .trial = buffer + count,
                      .power = buffer + 2 * count,
                      .residual = buffer + 3 * count,
                      .responses = buffer + 3 * count + fitted};
    pw_status status = materials_fit(&rerun, &fit, calibration, error);
    free(buffer);
    return status;
}
