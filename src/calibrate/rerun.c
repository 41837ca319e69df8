/* Re-runs with other materials (rerun.h). Which materials to try is up to materials.c. */
#include "calibrate/rerun.h"

#include "base/constants.h"
#include "job/checkpoint.h"
#include "plan/material.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
        return fail(error, PW_BAD_INPUT, "'%s' is a perfect conductor, which has no permittivity to fit", name);
    }
    if (material.dispersion.pole_count > 0) {
        return fail(error, PW_BAD_INPUT, "'%s' has poles, and a fit scales a constant permittivity and conductivity",
                    name);
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
            if (plan->shapes[n].kind != SHAPE_OPENING || plan->storey_count > 0) { /* with heights, doors and windows */
                TRY(choice_scale(&plan->shapes[n].material, name, scenario->band_centre, permittivity, conductivity,
                                 &found, error));
            }
        }
        for (int n = 0; n < plan->storey_count; n++) {
            TRY(choice_scale(&plan->storeys[n].floor.material, name, scenario->band_centre, permittivity, conductivity,
                             &found, error));
            TRY(choice_scale(&plan->storeys[n].ceiling.material, name, scenario->band_centre, permittivity,
                             conductivity, &found, error));
        }
        if (found == 0) {
            return fail(error, PW_BAD_INPUT, "the plan has no material '%s'", name);
        }
    }
    return PW_OK;
}

/* Spectra only around the points, on cells no further apart than before, without vertical cuts. */
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
    scenario->spectra.cut_count = scenario->spectra.height_count > 0 ? 0 : scenario->spectra.cut_count;
    scenario->spectra.from = first;
    scenario->spectra.to = last;
    scenario->spectra.spacing = (int)fmax(1.0, floor(scenario->spectra.spacing / rerun->options->cell_factor));
}

/* The time step that was right for the result's materials may be too long beside others: each re-run chooses its own,
 * and how often the spectra are sampled; a number of steps becomes the time that they took. */
static void time_open(struct scenario *scenario, double time_step)
{
    scenario->grid.courant = 0;
    scenario->spectra.every = 0;
    if (scenario->stop.steps > 0) {
        double lasted = (double)scenario->stop.steps * time_step;
        scenario->stop.after = scenario->stop.after > 0 ? fmin(scenario->stop.after, lasted) : lasted;
        scenario->stop.steps = 0;
    }
}

/* ---- one re-run ---- */

static bool run_progress(const pw_progress *progress, void *user)
{
    const pw_monitor *monitor = user;
    double done = progress->steps > 0 ? (double)progress->step / (double)progress->steps : 0.0;
    return monitor->tell(done, monitor->user);
}

/* The scenario with one transmitter is solved and read at the points; the rest of its lists is put
 * back after. */
static pw_status scenario_solve(struct rerun *rerun, struct scenario *scenario, int transmitter, double *predicted,
                                pw_error *error)
{
    pw_setup *setup = NULL;
    pw_result *result = NULL;
    int transmitters = scenario->transmitter_count;
    struct transmitter_choice first = scenario->transmitters[0];
    scenario->transmitters[0] = scenario->transmitters[transmitter];
    scenario->transmitters[transmitter] = first;
    scenario->transmitter_count = 1;
    struct monitor_part part = {&rerun->options->monitor, (double)rerun->runs / rerun->most_runs,
                                (rerun->runs + 1.0) / rerun->most_runs};
    pw_monitor monitor = monitor_of_part(&part);
    pw_run_options run = {.backend = rerun->options->backend,
                          .threads = rerun->options->threads,
                          .force = true,
                          .progress = monitor.tell != NULL ? run_progress : NULL,
                          .user = &monitor};
    pw_calibration_options options = *rerun->options;
    options.transmitter = NULL;
    options.channel = prediction_channel(rerun->result, &options.channel); /* the re-run's first plane may be another */
    options.monitor = (pw_monitor){0};
    pw_status status = pw_setup_create(scenario, PW_SINGLE, false, &setup, error);
    if (status == PW_OK) {
        status = pw_run(setup, &run, rerun->scratch, error);
        status = status != PW_INTERRUPTED ? status : fail(error, status, "interrupted by the caller in a re-run");
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
    return status;
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

pw_status rerun_predict(struct rerun *rerun, const double *logs, double *predicted, pw_error *error)
{
    char *text = NULL;
    pw_scenario *scenario = NULL;
    pw_status status = result_read_scenario(rerun->result, &text, error);
    if (status == PW_OK) {
        const char *const without[] = {"receivers=[]"}; /* whose points may be in a file that is gone */
        status = pw_scenario_parse(rerun->result->path, text, without, 1, &scenario, error);
    }
    free(text);
    TRY(status);
    int transmitter = transmitter_find(rerun, scenario);
    scenario->grid.cell *= rerun->options->cell_factor;
    time_open(scenario, rerun->result->time_step);
    spectra_confine(scenario, rerun);
    status = transmitter < 0
                 ? fail(error, PW_BAD_INPUT, "%s: its scenario does not have this transmitter", rerun->result->path)
                 : materials_scale(scenario, rerun->options, logs, error);
    if (status == PW_OK) {
        status = scenario_solve(rerun, scenario, transmitter, predicted, error);
        rerun->runs++;
    }
    if (status == PW_OK && rerun->listener != NULL && rerun->listener->told != NULL) {
        rerun->listener->told(rerun->runs, rerun_error(rerun->measured, predicted), rerun->listener->user);
    }
    pw_scenario_free(scenario);
    return status;
}

pw_status rerun_open(struct rerun *rerun, pw_error *error)
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

void rerun_close(struct rerun *rerun)
{
    (void)rmdir(rerun->folder);
}
