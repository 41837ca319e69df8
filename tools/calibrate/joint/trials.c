/* Trials (trials.h). */
#include "calibrate/joint/trials.h"

#include "calibrate/rerun.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double HEIGHT_STEP = 0.1; /* m */

pw_status trial_create(const struct fit *fit, struct trial *trial, pw_error *error)
{
    size_t count = (size_t)fit->cells->count;
    trial->levels = allocate(3 * count, sizeof *trial->levels, "predictions of a fit", error);
    trial->distances = trial->levels + count;
    trial->by_height = trial->levels + 2 * count;
    return trial->levels != NULL ? PW_OK : PW_NO_RESOURCE;
}

void trial_copy(const struct fit *fit, const struct trial *from, struct trial *to)
{
    memcpy(to->coordinates, from->coordinates, sizeof to->coordinates);
    memcpy(to->levels, from->levels, 3 * (size_t)fit->cells->count * sizeof *to->levels);
}

void trial_free(struct trial *trial)
{
    free(trial->levels);
    trial->levels = NULL;
}

pw_status trial_apply(const struct fit_parameters *parameters, const double *coordinates, pw_scenario *scenario,
                      pw_error *error)
{
    for (int n = 0; n < parameters->count; n++) {
        const struct fit_parameter *parameter = &parameters->entries[n];
        if (parameter->kind == FIT_PLAN) {
            TRY(pw_parameter_scale(scenario, &parameter->plan, fit_value(parameter, coordinates[n]) / parameter->start,
                                   error));
        }
    }
    return PW_OK;
}

static bool is_start(const struct fit *fit, const struct trial *trial)
{
    for (int n = 0; n < fit->parameters->count; n++) {
        const struct fit_parameter *parameter = &fit->parameters->entries[n];
        if (parameter->kind == FIT_PLAN && trial->coordinates[n] != fit_coordinate(parameter, parameter->start)) {
            return false;
        }
    }
    return true;
}

static pw_status result_predict(const struct fit *fit, const pw_result *result, struct trial *trial, pw_error *error)
{
    pw_joint_options options = *fit->options;
    options.channel =
        pw_channel_options_of_sheet(fit->result, &options.channel); /* a re-run's first plane may be another */
    int at = fit_parameter_find(fit->parameters, FIT_HEIGHT);
    double height = at >= 0 ? trial->coordinates[at] : (double)NAN;
    TRY(cells_predict(fit->cells, result, &options, height, trial->levels, trial->distances, error));
    if (at < 0) {
        return PW_OK;
    }
    struct trial higher = {0};
    pw_status status = trial_create(fit, &higher, error);
    if (status == PW_OK) {
        status =
            cells_predict(fit->cells, result, &options, height + HEIGHT_STEP, higher.levels, higher.distances, error);
    }
    for (int n = 0; status == PW_OK && n < fit->cells->count; n++) {
        trial->by_height[n] = (higher.levels[n] - trial->levels[n]) / HEIGHT_STEP;
    }
    trial_free(&higher);
    return status;
}

/* ---- re-runs ---- */

struct reruns {
    struct fit *fit;
    struct trial **trials; /* those that are solved */
    double cell_factor;
};

/* Whether a transmitter of the scenario was measured. */
static bool is_measured(const struct cells *cells, const char *name)
{
    for (int s = 0; s < cells->station_count; s++) {
        if (strcmp(cells->stations[s].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* The measured transmitters alone, in the scenario's order. */
static pw_status transmitters_confine(pw_scenario *scenario, const struct cells *cells, pw_error *error)
{
    int count = pw_scenario_describe(scenario).transmitter_count, kept_count = 0;
    OWNED int *kept = allocate((size_t)count, sizeof *kept, "transmitters of readings", error);
    TRY_MADE(kept);
    for (int t = 0; t < count; t++) {
        if (is_measured(cells, pw_scenario_describe_transmitter(scenario, t).name)) {
            kept[kept_count++] = t;
        }
    }
    return pw_scenario_keep_transmitters(scenario, kept, kept_count, error);
}

static pw_status rerun_change(pw_scenario *scenario, int index, void *user, pw_error *error)
{
    const struct reruns *reruns = user;
    const struct fit *fit = reruns->fit;
    struct extent extent = EXTENT_NONE;
    for (int s = 0; s < fit->cells->station_count; s++) {
        extent_add(&extent, &fit->cells->stations[s].places);
    }
    TRY(transmitters_confine(scenario, fit->cells, error));
    rerun_prepare(scenario, &extent, fit->options->mean_width, reruns->cell_factor,
                  pw_result_describe(fit->result).time_step);
    return trial_apply(fit->parameters, reruns->trials[index]->coordinates, scenario, error);
}

static pw_status rerun_take(const pw_result *result, int index, void *user, pw_error *error)
{
    const struct reruns *reruns = user;
    return result_predict(reruns->fit, result, reruns->trials[index], error);
}

static pw_status reruns_solve(struct fit *fit, struct trial **trials, int count, double coarse, pw_error *error)
{
    static const char *const without[] = {"receivers=[]"}; /* whose points may be in a file that is gone */
    char *text = NULL;
    struct reruns reruns = {fit, trials, coarse * fit->options->cell_factor};
    const int before = fit->runs + fit->coarse_runs;
    const double most = fmax(fit->most_runs, before + count);
    pw_monitor_part part = {&fit->options->monitor, before / most, (before + count) / most};
    const pw_variants_options options = {.compute = fit->options->compute, .monitor = pw_monitor_of_part(&part)};
    TRY(pw_result_scenario(fit->result, &text, error));
    const pw_variants variants = {.name = pw_result_path(fit->result),
                                  .text = text,
                                  .overrides = without,
                                  .override_count = 1,
                                  .noun = "re-run",
                                  .count = count,
                                  .change = rerun_change,
                                  .take = rerun_take,
                                  .user = &reruns};
    pw_status status = pw_variants_solve(&variants, &options, error);
    free(text);
    *(coarse > 1.0 ? &fit->coarse_runs : &fit->runs) += count;
    return status;
}

pw_status trials_predict(struct fit *fit, struct trial *trials, int count, double coarse, pw_error *error)
{
    struct trial **solved = allocate((size_t)count, sizeof *solved, "trials of a fit", error);
    int to_solve = 0;
    pw_status status = solved != NULL ? PW_OK : PW_NO_RESOURCE;
    for (int n = 0; status == PW_OK && n < count; n++) {
        if (is_start(fit, &trials[n]) &&
            (coarse * fit->options->cell_factor == 1.0 || fit->parameters->plan_count == 0)) {
            status = result_predict(fit, fit->result, &trials[n], error);
        } else {
            solved[to_solve++] = &trials[n];
        }
    }
    if (status == PW_OK && to_solve > 0) {
        status = reruns_solve(fit, solved, to_solve, coarse, error);
    }
    free(solved);
    return status;
}
