/* Previews of the transmitters of a scenario (api/study/previews.h): a quick solve of each alone, known by all that it
 * was made from, so that what did not change is not solved again. */
#include "run/preview/previews.h"

#include "base/clock.h"
#include "run/write/result_of_run.h"
#include "scenario/scenario.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

pw_status pw_previews_create(const pw_compute *compute, pw_previews **previews, pw_error *error)
{
    TRY_MADE(*previews = allocate(1, sizeof **previews, "previews", error));
    **previews = (struct previews){.compute = compute != NULL ? *compute : (pw_compute){0}};
    return PW_OK;
}

static void preview_free(struct preview *preview)
{
    map_free(&preview->levels);
    pw_result_close(preview->result);
    free(preview->key);
    *preview = (struct preview){0};
}

void pw_previews_free(pw_previews *previews)
{
    if (previews == NULL) {
        return;
    }
    for (int n = 0; n < previews->count; n++) {
        preview_free(&previews->list[n]);
    }
    free(previews->list);
    quick_plan_free(&previews->plan);
    free(previews);
}

void pw_previews_learn(pw_previews *previews, const pw_setup *setup, uint32_t plan)
{
    quick_learn(&previews->plan, setup, plan);
}

/* ---- one transmitter --------------------------------------------------------------------------------------------- */

/* Whom to tell how far one of several transmitters is. */
struct watch {
    const pw_monitor *monitor;
    int part, parts;
    double done; /* of the part */
};

static bool watch_go_on(void *user)
{
    const struct watch *watch = user;
    return pw_monitor_tell(watch->monitor, (watch->part + watch->done) / watch->parts, NULL) == PW_OK;
}

static bool watch_progress(const pw_progress *progress, void *user)
{
    struct watch *watch = user;
    watch->done = progress->steps > 0 ? (double)progress->step / (double)progress->steps : 0;
    return watch_go_on(watch);
}

static pw_status setup_solve(const struct previews *previews, const struct setup *setup, struct watch *watch,
                             pw_result **result, pw_error *error)
{
    OWNED_AS(pw_simulation) *simulation = NULL;
    TRY(pw_simulation_create(setup, &previews->compute, 0, 1, &simulation, error));
    TRY(pw_simulation_run(simulation, watch_progress, watch, error));
    return result_of_run(simulation, 0, result, error);
}

/* The plan itself is in its number, not in the text, where it may be a picture's name alone. */
static pw_status preview_solve(struct previews *previews, struct quick *quick, struct watch *watch,
                               struct preview *preview, pw_error *error)
{
    pw_status status = quick_set_up(quick, QUICK_MAP, error);
    if (status == PW_OK) {
        preview->error = quick_error(quick);
        status = setup_solve(previews, quick->setup, watch, &preview->result, error);
    }
    quick_drop_setup(quick);
    preview->plan = previews->plan.number;
    return status;
}

/* Takes the preview of this key out of those that there are; one without a key: there is none. */
static struct preview preview_take(struct previews *previews, const char *key)
{
    for (int n = 0; n < previews->count; n++) {
        struct preview *kept = &previews->list[n];
        if (kept->key != NULL && kept->plan == previews->plan.number && strcmp(kept->key, key) == 0) {
            struct preview taken = *kept;
            *kept = (struct preview){0};
            return taken;
        }
    }
    return (struct preview){0};
}

/* The next transmitter's preview, kept or made. */
static pw_status preview_next(struct previews *previews, struct quick *quick, struct watch *watch, int *solved,
                              struct preview *next, pw_error *error)
{
    char *key = NULL;
    TRY(scenario_write(quick->scenario, &key, error));
    *next = preview_take(previews, key);
    if (next->key != NULL) {
        free(key);
        return PW_OK;
    }
    next->key = key;
    ++*solved;
    pw_status status = preview_solve(previews, quick, watch, next, error);
    if (status != PW_OK) {
        preview_free(next);
    }
    return status;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* The old list goes; where the new one is not whole, what is left of the old one follows it, as far as it may be of
 * use. There is room for `most`. */
static void list_replace(struct previews *previews, struct preview *list, int done, int most)
{
    for (int n = 0; n < previews->count; n++) {
        struct preview *old = &previews->list[n];
        if (old->key != NULL && old->plan == previews->plan.number && done < most) {
            list[done++] = *old;
        } else {
            preview_free(old);
        }
    }
    free(previews->list);
    previews->list = list;
    previews->count = done;
}

static double largest_error(const struct previews *previews)
{
    double largest = 0;
    for (int n = 0; n < previews->count; n++) {
        largest = fmax(largest, previews->list[n].error);
    }
    return largest;
}

/* Solves what `quick` has read into a new list. */
static pw_status list_solve(struct previews *previews, struct quick *quick, struct watch *watch, int *solved,
                            pw_error *error)
{
    const int total = quick->transmitter_count;
    int done = 0;
    pw_status status = PW_OK;
    struct preview *list = allocate(2 * (size_t)total, sizeof *list, "previews", error);
    TRY_MADE(list);
    watch->parts = total;
    for (; done < total; done++) {
        watch->part = done;
        watch->done = 0;
        quick_leave(quick, done, QUICK_MAP);
        status = preview_next(previews, quick, watch, solved, &list[done], error);
        if (status != PW_OK) {
            break;
        }
    }
    list_replace(previews, list, done, status == PW_OK ? total : 2 * total);
    return status;
}

pw_status pw_previews_solve(pw_previews *previews, const pw_preview_task *task, const pw_monitor *monitor,
                            pw_preview_facts *facts, pw_error *error)
{
    const double began = clock_seconds();
    struct watch watch = {.monitor = monitor, .parts = 1};
    struct quick quick;
    int solved = 0;
    previews->whole = false;
    if (previews->compute.threads > 0) {
        omp_set_num_threads(previews->compute.threads); /* of the set-up's loops */
    }
    pw_status status = quick_read(&previews->plan, task, QUICK_MAP, watch_go_on, &watch, &quick, error);
    THEN(status, list_solve(previews, &quick, &watch, &solved, error));
    quick_free(&quick);
    TRY(status);
    previews->whole = true;
    *facts = (pw_preview_facts){.transmitter_count = previews->count,
                                .solved = solved,
                                .seconds = clock_seconds() - began,
                                .error = largest_error(previews)};
    return PW_OK;
}

pw_status pw_previews_film(pw_previews *previews, const pw_preview_task *task, int transmitter, pw_scenario **scenario,
                           pw_setup **setup, pw_error *error)
{
    struct quick quick;
    pw_status status = quick_read(&previews->plan, task, QUICK_FILM, NULL, NULL, &quick, error);
    if (status == PW_OK && quick.scenario->horizontal) {
        status = fail(error, PW_BAD_INPUT,
                      "the film of the wave is of vertical polarisation, and this plan's is horizontal");
    }
    THEN(status, pw_scenario_keep_transmitters(quick.scenario, &transmitter, 1, error));
    THEN(status, quick_set_up(&quick, QUICK_FILM, error));
    if (status != PW_OK) {
        quick.transmitter_count = quick.scenario != NULL ? quick.scenario->transmitter_count : 0;
        quick_free(&quick);
        return status;
    }
    *scenario = quick.scenario;
    *setup = quick.setup;
    return PW_OK;
}
