/* Scales of permittivity and conductivity of named materials, fitted to measured points by re-runs of the result's own
 * scenario on the same or larger cells. The offset is fitted with every run, so that the scales explain differences
 * between places and not the level.
 *
 * One run per parameter gives the sensitivities; a damped Gauss-Newton step in the logarithms of the scales follows,
 * inside the bounds below, and is halved until the fitted points gain by it. Two such rounds at most. */
#include "base/constants.h"
#include "calibrate/calibrate.h"

#include "job/checkpoint.h"
#include "plan/material.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PARAMETERS = 2 * PW_CALIBRATED_MATERIALS, ROUNDS = 2, HALVINGS = 3 };
static const double permittivity_bound = 1.5, conductivity_bound = 10.0; /* factors, up and down */
static const double permittivity_step = 1.1, conductivity_step = 1.5;    /* factors of the sensitivity runs */
static const double least_response = 0.05; /* dB RMS over the fitted points: under it a parameter is not felt */
static const double most_alike = 0.98;     /* correlation of two responses over which they are not told apart */

/* What the re-runs share. */
struct rerun {
    const struct result *result;
    const struct measured *measured;
    const pw_calibration_options *options;
    char folder[256], scratch[272]; /* a folder of our own; the result of a run in it */
    int parameters;                 /* 2 per material: permittivity, conductivity */
    int runs;
    FILE *report; /* borrowed; NULL: none */
};

static double bound_of(int parameter)
{
    return log(parameter % 2 == 0 ? permittivity_bound : conductivity_bound);
}

static double step_of(int parameter)
{
    return log(parameter % 2 == 0 ? permittivity_step : conductivity_step);
}

/* ---- a scenario with other materials ---- */

static bool is_material(const struct material_choice *choice, const char *name)
{
    const char *known = material_canonical(name), *own = choice->own_values ? NULL : material_canonical(choice->name);
    return strcmp(choice->name, name) == 0 || (known != NULL && own != NULL && strcmp(known, own) == 0);
}

static pw_status choice_scale(struct material_choice *choice, const char *name, double centre, double permittivity,
                              double conductivity, int *found, pw_error *error)
{
    struct warnings ignored = {0};
    struct material material;
    if (!is_material(choice, name)) {
        return PW_OK;
    }
    pw_status status = material_resolve(choice, centre, false, &ignored, &material, error);
    warnings_free(&ignored);
    TRY(status);
    if (material.perfect_conductor) {
        return fail(error, PW_BAD_INPUT, "'%s' is a perfect conductor: there is nothing to scale", name);
    }
    choice->own_values = true;
    choice->relative_permittivity = fmax(1.0, material.relative_permittivity * permittivity);
    choice->conductivity = material.conductivity * conductivity;
    (*found)++;
    return PW_OK;
}

static pw_status materials_scale(struct scenario *scenario, const pw_calibration_options *options, const double *logs,
                                 pw_error *error)
{
    struct plan_choice *plan = &scenario->plan;
    for (int m = 0; m < options->material_count; m++) {
        const char *name = options->materials[m];
        double permittivity = exp(logs[2 * m]), conductivity = exp(logs[2 * m + 1]);
        int found = 0;
        for (int n = 0; n < plan->legend_count; n++) {
            TRY(choice_scale(&plan->legend[n].material, name, scenario->band_centre, permittivity, conductivity, &found,
                             error));
        }
        for (int n = 0; n < plan->shape_count; n++) {
            if (plan->shapes[n].kind != SHAPE_OPENING) {
                TRY(choice_scale(&plan->shapes[n].material, name, scenario->band_centre, permittivity, conductivity,
                                 &found, error));
            }
        }
        if (found == 0) {
            return fail(error, PW_BAD_INPUT, "the plan has no material '%s'", name);
        }
    }
    return PW_OK;
}

/* Spectra only around the points, on cells no further apart than before. */
static void spectra_confine(struct scenario *scenario, const struct rerun *rerun)
{
    const struct measured *measured = rerun->measured;
    double margin = 2.0 * SPEED_OF_LIGHT / scenario->band_centre + rerun->options->mean_width;
    struct point low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    for (int n = 0; n < measured->count; n++) {
        low = (struct point){fmin(low.x, measured->points[n].x), fmin(low.y, measured->points[n].y)};
        high = (struct point){fmax(high.x, measured->points[n].x), fmax(high.y, measured->points[n].y)};
    }
    struct point first = {fmax(low.x - margin, 0.0), fmax(low.y - margin, 0.0)};
    struct point last = {high.x + margin, high.y + margin};
    if (scenario->plan.width > 0.0) {
        last = (struct point){fmin(last.x, scenario->plan.width), fmin(last.y, scenario->plan.height)};
        scenario->spectra.has_region = true;
    }
    scenario->spectra.from = first;
    scenario->spectra.to = last;
    scenario->spectra.spacing = (int)fmax(1.0, floor(scenario->spectra.spacing / rerun->options->cell_factor));
}

/* ---- one re-run ---- */

/* The scenario with one transmitter and no receivers is solved and read at the points; the rest of its lists is put
 * back after. */
static pw_status scenario_solve(struct rerun *rerun, struct scenario *scenario, int transmitter, double *predicted,
                                pw_error *error)
{
    pw_setup *setup = NULL;
    pw_result *result = NULL;
    int transmitters = scenario->transmitter_count, receivers = scenario->receiver_count;
    struct transmitter_choice first = scenario->transmitters[0];
    scenario->transmitters[0] = scenario->transmitters[transmitter];
    scenario->transmitters[transmitter] = first;
    scenario->transmitter_count = 1;
    scenario->receiver_count = 0;
    pw_run_options run = {.backend = rerun->options->backend, .threads = rerun->options->threads, .force = true};
    pw_calibration_options options = *rerun->options;
    options.transmitter = NULL;
    pw_status status = pw_setup_create(scenario, PW_SINGLE, false, &setup, error);
    if (status == PW_OK) {
        status = pw_run(setup, &run, rerun->scratch, error);
    }
    if (status == PW_OK) {
        status = pw_result_open(rerun->scratch, &result, error);
    }
    if (status == PW_OK) {
        status = measured_predict(rerun->measured, result, &options, predicted, error);
    }
    pw_result_close(result);
    (void)unlink(rerun->scratch); /* absent when the run failed, which may have left what it had done */
    checkpoint_remove(rerun->scratch, 1);
    pw_setup_free(setup);
    scenario->transmitter_count = transmitters;
    scenario->receiver_count = receivers;
    return status;
}

/* RMSE over the fitted points with the best offset. */
static double fitted_error(const struct measured *measured, const double *predicted)
{
    double offset = -measured_score(measured, predicted, 0.0, false).bias;
    return measured_score(measured, predicted, offset, false).rmse;
}

/* Index in the scenario of the transmitter that was measured; -1: absent. */
static int transmitter_find(const struct rerun *rerun, const struct scenario *scenario)
{
    int index = result_find_transmitter(rerun->result, rerun->options->transmitter, NULL);
    for (int t = 0; index >= 0 && t < scenario->transmitter_count; t++) {
        if (strcmp(scenario->transmitters[t].name, rerun->result->transmitters[index].name) == 0) {
            return t;
        }
    }
    return -1;
}

static pw_status rerun_predict(struct rerun *rerun, const double *logs, double *predicted, pw_error *error)
{
    char *text = NULL;
    pw_scenario *scenario = NULL;
    pw_status status = result_read_scenario(rerun->result, &text, error);
    if (status == PW_OK) {
        status = pw_scenario_parse(rerun->result->path, text, NULL, 0, &scenario, error);
    }
    free(text);
    TRY(status);
    int transmitter = transmitter_find(rerun, scenario);
    scenario->grid.cell *= rerun->options->cell_factor;
    if (scenario->stop.steps > 0) {
        scenario->stop.steps = (int64_t)ceil((double)scenario->stop.steps / rerun->options->cell_factor);
    }
    spectra_confine(scenario, rerun);
    status = transmitter < 0 ? fail(error, PW_BAD_INPUT, "%s: its scenario lacks the transmitter", rerun->result->path)
                             : materials_scale(scenario, rerun->options, logs, error);
    if (status == PW_OK) {
        status = scenario_solve(rerun, scenario, transmitter, predicted, error);
        rerun->runs++;
    }
    if (status == PW_OK && rerun->report != NULL) { /* it may take long: say how far it is */
        fprintf(rerun->report, "  re-run %d: RMSE %.2f dB over the fitted points\n", rerun->runs,
                fitted_error(rerun->measured, predicted));
        (void)fflush(rerun->report); /* a failure shows at the end */
    }
    pw_scenario_free(scenario);
    return status;
}

/* ---- the fit ---- */

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
            return fail(error, PW_BAD_INPUT,
                        "%s: the points do not feel the %s: %g times as much changes them by %.3f dB only",
                        rerun->measured->path, parameter_name(rerun, p, first), exp(step_of(p)), strength);
        }
        for (int q = 0; q < p; q++) {
            const double *other = responses + (size_t)q * (size_t)count;
            double alike = product(own, other, count) / sqrt(product(own, own, count) * product(other, other, count));
            if (fabs(alike) > most_alike) {
                return fail(error, PW_BAD_INPUT, "%s: the points do not tell the %s from the %s (correlation %.3f)",
                            rerun->measured->path, parameter_name(rerun, p, first), parameter_name(rerun, q, second),
                            alike);
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
    double step[PARAMETERS] = {0}, moved[PARAMETERS], before = fitted_error(rerun->measured, fit->base);
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
        *gained = fitted_error(rerun->measured, fit->trial) < before;
    }
    if (*gained) {
        memcpy(logs, moved, sizeof moved);
        memcpy(fit->base, fit->trial, (size_t)rerun->measured->count * sizeof *fit->base);
    }
    return PW_OK;
}

static void scales_report(const struct rerun *rerun, const pw_calibration *calibration, pw_calibration_score before,
                          pw_calibration_score held_before, FILE *report)
{
    fprintf(report, "materials, by %d re-runs", calibration->runs);
    if (rerun->options->cell_factor != 1.0) {
        fprintf(report, " on cells %g times as large", rerun->options->cell_factor);
    }
    fputc('\n', report);
    for (int m = 0; m < calibration->material_count; m++) {
        fprintf(report, "  %-22s permittivity x %.3f   conductivity x %.3f\n", rerun->options->materials[m],
                calibration->permittivity_scale[m], calibration->conductivity_scale[m]);
    }
    fprintf(report, "  fitted points: RMSE %.2f -> %.2f dB", before.rmse, calibration->scaled_fitted.rmse);
    if (held_before.count > 0) {
        fprintf(report, "; held out: %.2f -> %.2f dB", held_before.rmse, calibration->scaled_held.rmse);
    }
    fprintf(report, ", offset %.2f dB\n", calibration->scaled_offset);
    if (held_before.count > 0 && !(calibration->scaled_held.rmse < held_before.rmse)) {
        fprintf(report, "  the points held out gain nothing: keep the materials as they are\n");
    }
}

static pw_status materials_fit(struct rerun *rerun, struct fit *fit, pw_calibration *calibration, void *report,
                               pw_error *error)
{
    const struct measured *measured = rerun->measured;
    double logs[PARAMETERS] = {0};
    for (int n = 0; n < measured->count; n++) {
        fit->power[n] = measured->points[n].power;
    }
    TRY(rerun_predict(rerun, logs, fit->base, error));
    double offset = -measured_score(measured, fit->base, 0.0, false).bias;
    pw_calibration_score before = measured_score(measured, fit->base, offset, false);
    pw_calibration_score held_before = measured_score(measured, fit->base, offset, true);
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
    if (report != NULL) {
        scales_report(rerun, calibration, before, held_before, report);
    }
    return PW_OK;
}

static pw_status scratch_create(struct rerun *rerun, pw_error *error)
{
    const char *root = getenv("TMPDIR");
    snprintf(rerun->folder, sizeof rerun->folder, "%.220s/planwave-calibrate-XXXXXX",
             root != NULL && root[0] == '/' ? root : "/tmp");
    if (mkdtemp(rerun->folder) == NULL) {
        return fail(error, PW_NO_RESOURCE, "cannot make a temporary folder '%s' for re-runs: %s", rerun->folder,
                    strerror(errno));
    }
    snprintf(rerun->scratch, sizeof rerun->scratch, "%s/run.h5", rerun->folder);
    return PW_OK;
}

pw_status calibrate_materials(const struct result *result, const struct measured *measured,
                              const pw_calibration_options *options, pw_calibration *calibration, void *report,
                              pw_error *error)
{
    struct rerun rerun = {.result = result,
                          .measured = measured,
                          .options = options,
                          .parameters = 2 * options->material_count,
                          .report = report};
    if (!(options->cell_factor >= 0.1 && options->cell_factor <= 10.0)) {
        return fail(error, PW_USAGE, "cells %g times as large for the re-runs: allowed are 0.1 to 10",
                    options->cell_factor);
    }
    size_t count = (size_t)measured->count, fitted = (size_t)measured->fitted;
    double *buffer =
        allocate(3 * count + ((size_t)rerun.parameters + 1) * fitted, sizeof *buffer, "a fit of materials", error);
    if (buffer == NULL) {
        return PW_NO_RESOURCE;
    }
    struct fit fit = {.base = buffer,
                      .trial = buffer + count,
                      .power = buffer + 2 * count,
                      .residual = buffer + 3 * count,
                      .responses = buffer + 3 * count + fitted};
    pw_status status = scratch_create(&rerun, error);
    if (status == PW_OK) {
        status = materials_fit(&rerun, &fit, calibration, report, error);
        (void)rmdir(rerun.folder);
    }
    free(buffer);
    return status;
}
