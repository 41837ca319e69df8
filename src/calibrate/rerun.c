/* Re-runs with other materials (rerun.h). Which materials to try is up to materials.c. */
#include "calibrate/rerun.h"

#include "base/constants.h"
#include "api/study/variants.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a scenario with other materials ---- */

/* The materials' parameters, two for each: permittivity, conductivity. */
static pw_status materials_scale(struct scenario *scenario, const pw_calibration_options *options, const double *logs,
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
        struct point at = {measured->points[n].x, measured->points[n].y};
        extent->low = (struct point){fmin(extent->low.x, at.x), fmin(extent->low.y, at.y)};
        extent->high = (struct point){fmax(extent->high.x, at.x), fmax(extent->high.y, at.y)};
    }
}

void spectra_confine(struct scenario *scenario, const struct extent *extent, double mean_width, double cell_factor)
{
    double margin = 2.0 * SPEED_OF_LIGHT / scenario->band_centre + mean_width;
    struct point first = {fmax(extent->low.x - margin, 0.0), fmax(extent->low.y - margin, 0.0)};
    struct point last = {extent->high.x + margin, extent->high.y + margin};
    if (scenario->plan.width > 0.0) {
        last = (struct point){fmin(last.x, scenario->plan.width), fmin(last.y, scenario->plan.height)};
        scenario->spectra.has_region = true;
    }
    scenario->spectra.cut_count = scenario->spectra.height_count > 0 ? 0 : scenario->spectra.cut_count;
    scenario->spectra.from = first;
    scenario->spectra.to = last;
    scenario->spectra.spacing = (int)fmax(1.0, floor(scenario->spectra.spacing / cell_factor));
}

double rerun_error(const struct measured *measured, const double *predicted)
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

/* One re-run as a variant (study/variants.h). */
struct rerun_variant {
    const struct rerun *rerun;
    const double *logs;
    double *predicted;
};

/* The scenario with the one transmitter and the materials. */
static pw_status variant_change(struct scenario *scenario, int index, void *user, pw_error *error)
{
    (void)index;
    const struct rerun_variant *variant = user;
    const struct rerun *rerun = variant->rerun;
    int transmitter = transmitter_find(rerun, scenario);
    if (transmitter < 0) {
        return fail(error, PW_BAD_INPUT, "%s: its scenario does not have this transmitter", rerun->result->path);
    }
    struct transmitter_choice first = scenario->transmitters[0];
    scenario->transmitters[0] = scenario->transmitters[transmitter];
    scenario->transmitters[transmitter] = first;
    scenario->transmitter_count = 1;
    scenario->grid.cell *= rerun->options->cell_factor;
    pw_scenario_open_steps(scenario, rerun->result->time_step);
    struct extent extent = EXTENT_NONE;
    extent_add(&extent, rerun->measured);
    spectra_confine(scenario, &extent, rerun->options->mean_width, rerun->options->cell_factor);
    return materials_scale(scenario, rerun->options, variant->logs, error);
}

static pw_status variant_take(const pw_result *result, int index, void *user, pw_error *error)
{
    (void)index;
    const struct rerun_variant *variant = user;
    pw_calibration_options options = *variant->rerun->options;
    options.transmitter = NULL;
    options.channel = prediction_channel(variant->rerun->result, &options.channel); /* the first plane may be another */
    options.monitor = (pw_monitor){0};
    return measured_predict(variant->rerun->measured, result, &options, variant->predicted, error);
}

pw_status rerun_predict(struct rerun *rerun, const double *logs, double *predicted, pw_error *error)
{
    char *text = NULL;
    struct rerun_variant variant = {.rerun = rerun, .logs = logs, .predicted = predicted};
    struct pw_monitor_part part = {&rerun->options->monitor, (double)rerun->runs / rerun->most_runs,
                                (rerun->runs + 1.0) / rerun->most_runs};
    const pw_variants_options options = {
        .backend = rerun->options->backend, .threads = rerun->options->threads, .monitor = monitor_of_part(&part)};
    TRY(result_read_scenario(rerun->result, &text, error));
    /* Without receivers, whose points may be in a file that is gone. */
    static const char *const without[] = {"receivers=[]"};
    pw_variants variants = {.name = rerun->result->path,
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
