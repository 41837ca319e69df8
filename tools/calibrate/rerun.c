/* Re-runs with other materials (rerun.h). Which materials to try is up to materials.c. */
#include "calibrate/rerun.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a scenario with other materials ---- */

/* The materials' parameters, two for each: permittivity, conductivity. */
static pw_status materials_scale(pw_scenario *scenario, const pw_calibration_options *options, const double *logs,
                                 pw_error *error)
{
    static const pw_parameter_kind KINDS[2] = {PW_PARAMETER_PERMITTIVITY, PW_PARAMETER_CONDUCTIVITY};
    for (int p = 0; p < 2 * options->material_count; p++) {
        pw_parameter parameter = {.kind = KINDS[p % 2]};
        snprintf(parameter.name, sizeof parameter.name, "%s", options->materials[p / 2]);
        TRY(pw_parameter_scale(scenario, &parameter, exp(logs[p]), error));
    }
    return PW_OK;
}

void extent_add(struct extent *extent, const struct measured *measured)
{
    for (int n = 0; n < measured->count; n++) {
        const struct measured_point *point = &measured->points[n];
        extent->x0 = fmin(extent->x0, point->x);
        extent->y0 = fmin(extent->y0, point->y);
        extent->x1 = fmax(extent->x1, point->x);
        extent->y1 = fmax(extent->y1, point->y);
    }
}

void rerun_prepare(pw_scenario *scenario, const struct extent *extent, double mean_width, double cell_factor,
                   double time_step)
{
    double margin = 2.0 * PW_SPEED_OF_LIGHT / pw_scenario_describe(scenario).band_centre + mean_width;
    pw_scenario_scale_cell(scenario, cell_factor);
    pw_scenario_open_steps(scenario, time_step);
    pw_scenario_confine_spectra(scenario, extent->x0 - margin, extent->y0 - margin, extent->x1 + margin,
                                extent->y1 + margin);
}

double rerun_error(const struct measured *measured, const double *predicted)
{
    double offset = -measured_score(measured, predicted, 0.0, false).bias;
    return measured_score(measured, predicted, offset, false).rmse;
}

/* Index in the scenario of the transmitter that was measured; -1: absent. */
static int transmitter_find(const struct rerun *rerun, const pw_scenario *scenario)
{
    int index;
    pw_transmitter facts;
    bool there = pw_result_find_transmitter(rerun->result, rerun->options->transmitter, &index, NULL) == PW_OK &&
                 pw_result_transmitter(rerun->result, index, &facts, NULL) == PW_OK;
    return there ? pw_scenario_find_transmitter(scenario, facts.name) : -1;
}

/* One re-run as a variant (api/study/variants.h). */
struct rerun_variant {
    const struct rerun *rerun;
    const double *logs;
    double *predicted;
};

/* The scenario with the one transmitter and the materials. */
static pw_status variant_change(pw_scenario *scenario, int index, void *user, pw_error *error)
{
    (void)index;
    const struct rerun_variant *variant = user;
    const struct rerun *rerun = variant->rerun;
    int transmitter = transmitter_find(rerun, scenario);
    if (transmitter < 0) {
        return fail(error, PW_BAD_INPUT, "%s: its scenario does not have this transmitter",
                    pw_result_path(rerun->result));
    }
    TRY(pw_scenario_keep_transmitters(scenario, &transmitter, 1, error));
    struct extent extent = EXTENT_NONE;
    extent_add(&extent, rerun->measured);
    rerun_prepare(scenario, &extent, rerun->options->mean_width, rerun->options->cell_factor,
                  pw_result_describe(rerun->result).time_step);
    return materials_scale(scenario, rerun->options, variant->logs, error);
}

static pw_status variant_take(const pw_result *result, int index, void *user, pw_error *error)
{
    (void)index;
    const struct rerun_variant *variant = user;
    pw_calibration_options options = *variant->rerun->options;
    options.transmitter = NULL;
    options.channel =
        pw_channel_options_of_sheet(variant->rerun->result, &options.channel); /* the first plane may be another */
    options.monitor = (pw_monitor){0};
    return measured_predict(variant->rerun->measured, result, &options, variant->predicted, error);
}

pw_status rerun_predict(struct rerun *rerun, const double *logs, double *predicted, pw_error *error)
{
    char *text = NULL;
    struct rerun_variant variant = {.rerun = rerun, .logs = logs, .predicted = predicted};
    pw_monitor_part part = {&rerun->options->monitor, (double)rerun->runs / rerun->most_runs,
                            (rerun->runs + 1.0) / rerun->most_runs};
    const pw_variants_options options = {.compute = rerun->options->compute, .monitor = pw_monitor_of_part(&part)};
    TRY(pw_result_scenario(rerun->result, &text, error));
    /* Without receivers, whose points may be in a file that is gone. */
    static const char *const without[] = {"receivers=[]"};
    pw_variants variants = {.name = pw_result_path(rerun->result),
                            .text = text,
                            .overrides = without,
                            .override_count = 1,
                            .noun = "re-run",
                            .count = 1,
                            .change = variant_change,
                            .take = variant_take,
                            .user = &variant};
    pw_status status = pw_variants_solve(&variants, &options, error);
    free(text);
    TRY(status);
    rerun->runs++;
    if (rerun->listener != NULL && rerun->listener->told != NULL) {
        rerun->listener->told(rerun->runs, rerun_error(rerun->measured, predicted), rerun->listener->user);
    }
    return PW_OK;
}
