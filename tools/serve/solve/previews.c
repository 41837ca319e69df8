/* Kept previews (previews.h). */
#include "serve/solve/previews.h"

#include "base/clock.h"
#include "map/map_servers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void preview_free(struct preview *preview)
{
    map_free(&preview->levels);
    solved_close(&preview->solved);
    free(preview->key);
    *preview = (struct preview){0};
}

void previews_free(struct previews *previews)
{
    for (int n = 0; n < previews->count; n++) {
        preview_free(&previews->list[n]);
    }
    free(previews->list);
    *previews = (struct previews){0};
}

/* ---- solving ----------------------------------------------------------------------------------------------------- */

/* Takes the preview of this key out of those that there are; one without a key: there is none. */
static struct preview preview_take(struct previews *previews, const char *key, uint32_t plan_revision)
{
    for (int n = 0; n < previews->count; n++) {
        struct preview *kept = &previews->list[n];
        if (kept->key != NULL && kept->plan_revision == plan_revision && strcmp(kept->key, key) == 0) {
            struct preview taken = *kept;
            *kept = (struct preview){0};
            return taken;
        }
    }
    return (struct preview){0};
}

/* The plan itself is in its revision, not in the text, where it may be a picture's name alone. */
static pw_status preview_solve(const struct solve_task *task, struct quick *quick, struct preview *preview,
                               pw_error *error)
{
    struct solve_part part = {quick->alone, quick->transmitter_count};
    pw_status status = quick_set_up(quick, &task->of, QUICK_MAP, error);
    status = status == PW_OK ? solve_in_memory(task, quick->setup, part, &preview->solved, error) : status;
    preview->solved.error_db = quick->setup != NULL ? quick_error(quick) : 0;
    quick_drop_setup(quick);
    preview->plan_revision = task->of.plan_revision;
    return status;
}

/* The next transmitter's preview, kept or made. */
static pw_status preview_next(struct previews *previews, const struct solve_task *task, struct quick *quick,
                              struct preview *next, pw_error *error)
{
    char *key = NULL;
    TRY(scenario_write(quick->scenario, &key, error));
    *next = preview_take(previews, key, task->of.plan_revision);
    if (next->key != NULL) {
        free(key);
        return PW_OK;
    }
    next->key = key;
    previews->solved_last++;
    pw_status status = preview_solve(task, quick, next, error);
    if (status != PW_OK) {
        preview_free(next);
    }
    return status;
}

/* The old list goes; where the new one is not whole, what is left of the old one follows it, as far as it may be of
 * use. There is room for `most`. */
static void list_replace(struct previews *previews, struct preview *list, int done, int most,
                         const struct solve_task *task)
{
    pthread_mutex_lock(task->files);
    for (int n = 0; n < previews->count; n++) {
        struct preview *old = &previews->list[n];
        if (old->key != NULL && old->plan_revision == task->of.plan_revision && done < most) {
            list[done++] = *old;
        } else {
            preview_free(old);
        }
    }
    pthread_mutex_unlock(task->files);
    free(previews->list);
    previews->list = list;
    previews->count = done;
}

static double largest_error(const struct previews *previews)
{
    double largest = 0;
    for (int n = 0; n < previews->count; n++) {
        largest = fmax(largest, previews->list[n].solved.error_db);
    }
    return largest;
}

pw_status previews_update(struct previews *previews, const struct solve_task *task, uint32_t revision, pw_error *error)
{
    double began = clock_seconds();
    struct quick quick;
    previews->solved_last = 0;
    previews->whole = false;
    pw_status status = quick_read(&task->of, QUICK_MAP, &quick, error);
    int total = quick.transmitter_count, done = 0;
    struct preview *list = status == PW_OK ? calloc(2 * (size_t)total, sizeof *list) : NULL;
    if (list == NULL) {
        quick_free(&quick);
        return status != PW_OK ? status : fail(error, PW_NO_RESOURCE, "not enough memory for previews");
    }
    for (; done < total; done++) {
        quick_leave(&quick, &task->of, done, QUICK_MAP);
        status = preview_next(previews, task, &quick, &list[done], error);
        if (status != PW_OK) {
            break;
        }
    }
    quick_free(&quick);
    list_replace(previews, list, done, status == PW_OK ? total : 2 * total, task);
    TRY(status);
    previews->whole = true;
    previews->revision = revision;
    previews->seconds = clock_seconds() - began;
    previews->error_db = largest_error(previews);
    return PW_OK;
}

/* ---- maps -------------------------------------------------------------------------------------------------------- */

/* What is computed for each transmitter alone: its received power where transmitters are set against each other. */
static pw_status levels_compute(struct preview *preview, const pw_map_options *options, pw_error *error)
{
    pw_map_options own = *options;
    own.transmitter = NULL;
    own.quantity = quantity_kind(options->quantity)->servers ? PW_RECEIVED_POWER : options->quantity;
    bool there = preview->levels.value != NULL && preview->levels.quantity == own.quantity &&
                 (preview->levels.mean_width > 0) == own.local_mean;
    if (there) {
        return PW_OK;
    }
    map_free(&preview->levels);
    return map_compute(preview->solved.result, &own, &preview->levels, error);
}

static int transmitter_find(const struct previews *previews, const char *name)
{
    for (int n = 0; name != NULL && n < previews->count; n++) {
        if (strcmp(previews->list[n].solved.result->transmitters[0].name, name) == 0) {
            return n;
        }
    }
    return previews->count > 1 ? -1 : 0;
}

static void map_put(const struct map_servers *servers, struct map *map)
{
    const struct quantity_kind *kind = quantity_kind(map->quantity);
    for (size_t n = 0; n < (size_t)map->rows * (size_t)map->columns; n++) {
        if (map->quantity == PW_BEST_SERVER) {
            int best = map_servers_best(servers, n);
            map->value[n] = best < 0 ? (double)NAN : best;
        } else {
            map->value[n] = map_servers_level(servers, map->quantity, map->transmitter, n);
        }
    }
    map->name = kind->name;
    map->unit = kind->unit;
}

pw_status previews_map(struct previews *previews, const pw_map_options *options, struct map *map, pw_error *error)
{
    double **level = calloc((size_t)previews->count, sizeof *level);
    pw_status status = level == NULL ? fail(error, PW_NO_RESOURCE, "not enough memory for a map") : PW_OK;
    for (int n = 0; n < previews->count && status == PW_OK; n++) {
        status = levels_compute(&previews->list[n], options, error);
        level[n] = previews->list[n].levels.value;
    }
    if (status == PW_OK) {
        const struct map *first = &previews->list[0].levels;
        *map = *first;
        map->quantity = options->quantity;
        map->transmitter = map->quantity == PW_BEST_SERVER ? -1 : transmitter_find(previews, options->transmitter);
        map->value = allocate((size_t)map->rows * (size_t)map->columns, sizeof *map->value, "a map", error);
        map->power = NULL;
        map->mark = NULL;
        const struct map_servers servers = {previews->count, level, first->noise, quantity_kind(map->quantity)->falls};
        status = map->value != NULL ? PW_OK : PW_NO_RESOURCE;
        if (status == PW_OK) {
            map_put(&servers, map);
        }
    }
    free(level);
    return status;
}
