/* The plan's second cut, over what ends under the ceiling: a run of its own on the same grid, before that of the first,
 * which takes its spectra over (plan/plan_cut.h). Each keeps its own checkpoints. */
#include "api/hdf5.h"
#include "api/scenario.h"
#include "plan/plan_cut.h"
#include "run/job/job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The same scenario, with everything that was chosen, at the other height. */
static pw_status over_setup(const pw_setup *setup, const struct plan_over *over, pw_scenario **scenario, pw_setup **made,
                            pw_error *error)
{
    char cut[64];
    const char *const overrides[] = {cut, "plan.over=none"};
    snprintf(cut, sizeof cut, "plan.cut=%.17g m", over->height);
    TRY(pw_scenario_parse(setup->scenario->file, pw_setup_scenario_text(setup), overrides, 2, scenario, error));
    return pw_setup_create(*scenario, setup->problem.precision, false, made, error);
}

static pw_status over_run(const pw_setup *setup, const pw_run_options *options, const struct plan_over *over,
                          const char *path, pw_error *error)
{
    pw_scenario *scenario = NULL;
    pw_setup *second = NULL;
    pw_run_state state = PW_RUN_MISSING;
    pw_run_options own = *options;
    own.frames = NULL;
    own.force = true;
    pw_status status = over_setup(setup, over, &scenario, &second, error);
    if (status == PW_OK && options->resume) {
        status = pw_run_look(path, scenario, setup->problem.precision, &state, NULL, error);
        own.force = state != PW_RUN_STARTED;
        own.resume = state == PW_RUN_STARTED;
    }
    if (status == PW_OK && state != PW_RUN_DONE) {
        char message[96];
        snprintf(message, sizeof message, "first the plan at %.4g m, over what ends at %.4g m", over->height, over->from);
        if (options->note != NULL && !options->quiet) {
            options->note(message, options->user);
        }
        status = job_run_in_workers(second, &own, path, 0, error);
    }
    pw_setup_free(second);
    pw_scenario_free(scenario);
    return status;
}

pw_status job_solve_over(const pw_setup *setup, const pw_run_options *options, const char *path, char **over,
                         pw_error *error)
{
    struct plan_over height;
    *over = NULL;
    TRY(floorplan_over(setup->scenario, &height, error));
    if (isnan(height.height)) {
        return PW_OK;
    }
    if (setup->scenario->horizontal || setup->problem.spectra.frequency_count == 0 || setup->from_arrays) {
        return fail(error, PW_BAD_INPUT,
                    "%s: plan.over needs %s; over: none solves the cut alone", setup->scenario->file,
                    setup->scenario->horizontal ? "vertical polarisation"
                    : setup->from_arrays        ? "a plan with heights, not arrays"
                                                : "running spectra");
    }
    const size_t size = strlen(path) + sizeof ".over";
    char *name = allocate(size, 1, "the name of a file", error);
    TRY_MADE(name);
    snprintf(name, size, "%s.over", path);
    pw_status status = over_run(setup, options, &height, name, error);
    if (status != PW_OK) {
        free(name);
        return status;
    }
    *over = name;
    return PW_OK;
}
