/* The plan's second cut, over what ends under the ceiling: a run of its own on the same grid, before that of the first,
 * which takes its spectra over (plan/plan_cut.h). Each keeps its own checkpoints. */
#include "api/hdf5.h"
#include "api/scenario.h"
#include "base/clock.h"
#include "plan/plan_cut.h"
#include "run/job/job.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The same scenario, with everything that was chosen, at the other height. */
static pw_status over_setup(const pw_setup *setup, const struct plan_over *over, pw_scenario **scenario,
                            pw_setup **made, pw_error *error)
{
    char cut[64];
    const char *const overrides[] = {cut, "plan.over=none"};
    snprintf(cut, sizeof cut, "plan.cut=%.17g m", over->height);
    TRY(pw_scenario_parse(setup->scenario->file, pw_setup_scenario_text(setup), overrides, 2, scenario, error));
    return pw_setup_create(*scenario, setup->problem.precision, false, made, error);
}

static bool entries_equal(const struct medium_entry *a, const struct medium_entry *b)
{
    return a->relative_permittivity == b->relative_permittivity && a->conductivity == b->conductivity &&
           a->perfect_conductor == b->perfect_conductor;
}

/* How high what differs reaches [mm]; where no shape says so, as high as the highest. */
static pw_status tops_fill(const pw_setup *setup, double highest, uint16_t *tops, pw_error *error)
{
    const struct medium *medium = &setup->medium;
    const double cell = setup->problem.axis[0].spacing;
    const size_t nx = (size_t)medium->nx, all = nx * (size_t)medium->ny;
    size_t count = 0;
    OWNED struct point *at = allocate(all, sizeof *at, "where two cuts differ", error);
    OWNED uint16_t *found = allocate(all, sizeof *found, "where two cuts differ", error);
    TRY_MADE(at != NULL && found != NULL);
    for (size_t n = 0; n < all; n++) {
        if (tops[n] != 0) {
            at[count].x = setup->origin.x + (double)(n % nx) * cell;
            at[count++].y = setup->origin.y + (double)(n / nx) * cell;
        }
    }
    TRY(floorplan_tops(setup->scenario, at, count, cell, found, error));
    for (size_t n = 0, next = 0; n < all; n++) {
        if (tops[n] != 0) {
            tops[n] = found[next] != 0 ? found[next] : (uint16_t)fmin(round(1e3 * highest), UINT16_MAX);
            next++;
        }
    }
    return PW_OK;
}

/* Where two plans on one grid differ, and how high that reaches. */
static pw_status plans_compare(const pw_setup *setup, const struct medium *b, double highest, uint16_t **tops,
                               pw_error *error)
{
    const struct medium *a = &setup->medium;
    const size_t count = (size_t)a->nx * (size_t)a->ny;
    FAIL_IF(a->nx != b->nx || a->ny != b->ny, error, PW_BAD_INPUT,
            "the plan has %d x %d nodes at its cut, and %d x %d over it", a->nx, a->ny, b->nx, b->ny);
    TRY_MADE(*tops = allocate(count, sizeof **tops, "where two cuts differ", error));
    for (size_t n = 0; n < count; n++) {
        (*tops)[n] = !entries_equal(&a->palette[a->index[n]], &b->palette[b->index[n]]);
    }
    return tops_fill(setup, highest, *tops, error);
}

static pw_status over_run(const pw_setup *setup, const pw_run_options *options, const struct plan_over *over,
                          int workers, struct job_over *made, pw_error *error)
{
    OWNED_AS(pw_scenario) *scenario = NULL;
    OWNED_AS(pw_setup) *second = NULL;
    pw_run_state state = PW_RUN_MISSING;
    pw_run_options own = *options;
    own.frames = NULL;
    TRY(over_setup(setup, over, &scenario, &second, error));
    if (options->resume) {
        TRY(pw_run_look(made->path, scenario, setup->problem.precision, &state, NULL, error));
        own.resume = state == PW_RUN_STARTED;
        own.force = !own.resume; /* what is whole but of something else is ours alone */
    }
    if (state != PW_RUN_DONE) {
        char message[96];
        snprintf(message, sizeof message, "first the plan at %.4g m, over what ends at %.4g m", over->height,
                 over->from);
        if (options->note != NULL && !options->quiet) {
            options->note(message, options->user);
        }
        TRY(job_run(second, &own, made->path, workers, NULL, error));
    }
    return plans_compare(setup, &second->medium, over->from, &made->tops, error);
}

/* Leaves `over` empty where there is no second cut, or where the first run will refuse to write. */
static pw_status over_solve(const pw_setup *setup, const pw_run_options *options, const char *path, int workers,
                            struct job_over *over, pw_error *error)
{
    struct plan_over height;
    TRY(floorplan_over(setup->scenario, &height, error));
    if (isnan(height.height) || (!options->force && access(path, F_OK) == 0)) {
        return PW_OK;
    }
    const size_t size = strlen(path) + sizeof OVER_ENDING;
    TRY_MADE(over->path = allocate(size, 1, "the name of a file", error));
    snprintf(over->path, size, "%s" OVER_ENDING, path);
    return over_run(setup, options, &height, workers, over, error);
}

pw_status job_run_in_workers(const pw_setup *setup, const pw_run_options *options, const char *path, int workers,
                             pw_error *error)
{
    const double started = clock_seconds(), least = 1e-3;
    struct job_over over = {NULL, NULL};
    pw_run_options rest = *options;
    pw_status status = over_solve(setup, options, path, workers, &over, error);
    if (options->time_limit > 0.0 && over.path != NULL) {
        rest.time_limit = fmax(least, options->time_limit - (clock_seconds() - started));
    }
    THEN(status, job_run(setup, &rest, path, workers, over.path != NULL ? &over : NULL, error));
    FREE_ALL(over.path, over.tops);
    return status;
}

pw_status pw_run(const pw_setup *setup, const pw_run_options *options, const char *path, pw_error *error)
{
    return job_run_in_workers(setup, options, path, 0, error);
}

void pw_run_forget(const char *path)
{
    char over[PATH_MAX];
    checkpoint_remove(path, 0);
    if (snprintf(over, sizeof over, "%s" OVER_ENDING, path) < (int)sizeof over && access(over, F_OK) == 0) {
        unlink(over);
        checkpoint_remove(over, 0);
    }
}
