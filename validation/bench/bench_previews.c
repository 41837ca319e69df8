/* Previews of the live page against full solves: how long one takes, how far its local means are from those of the full
 * map of the same floor, and what the page says.
 *
 *     build/validation/bench/bench_previews [--backend cpu] [--threads 2] [--moves 3] SCENARIO.yaml...
 *
 * A line per transmitter: seconds of a preview (the shortest of `moves`, with what previews keep from one to the next),
 * root mean square and mean of preview minus full map over the plan [dB], and the error that the page says. The exit
 * status is 1 where the difference is over what is said. Full solves take seconds to a minute each. */
#include "base/clock.h"
#include "serve/document/document.h"
#include "serve/solve/previews.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct bench {
    const char *backend;
    int threads, moves;
    bool over; /* some difference is over what is said */
};

static bool go_on(double done, double seconds_left, void *user)
{
    (void)done;
    (void)seconds_left;
    (void)user;
    return true;
}

struct difference {
    double rms, mean;
};

static struct difference difference(const struct map *preview, const struct map *full)
{
    double sum = 0, squares = 0, count = 0;
    for (int row = 0; row < preview->rows; row++) {
        for (int column = 0; column < preview->columns; column++) {
            double own = preview->value[(size_t)row * (size_t)preview->columns + (size_t)column];
            double other =
                map_value_at(full, preview->x0 + column * preview->pitch_x, preview->y0 + row * preview->pitch_y);
            if (isfinite(own) && isfinite(other)) {
                sum += own - other;
                squares += (own - other) * (own - other);
                count++;
            }
        }
    }
    return (struct difference){sqrt(squares / count), sum / count};
}

static pw_status compare(struct bench *bench, struct previews *previews, const struct solved *full,
                         const char *scenario, const double *seconds, pw_error *error)
{
    for (int t = 0; t < previews->count; t++) {
        const char *name = full->result->transmitters[t].name;
        struct map own, whole;
        pw_map_options options = pw_map_options_default();
        options.quantity = PW_RECEIVED_POWER;
        options.local_mean = true;
        options.transmitter = name;
        TRY(previews_map(previews, &options, &own, error));
        TRY(map_compute(full->result, &options, &whole, error));
        struct difference off = difference(&own, &whole);
        double said = previews->list[t].solved.error_db;
        bench->over = bench->over || off.rms > said;
        printf("%-22s %-10s %6.3f s  rms %5.2f  mean %+5.2f  said %5.2f dB%s  (full map: %.2f dB)\n", scenario, name,
               seconds[t], off.rms, off.mean, said, off.rms > said ? "  OVER" : "", full->error_db);
        map_free(&own);
        map_free(&whole);
    }
    return PW_OK;
}

/* The shortest time of each transmitter's preview; the last update leaves all of them. */
static pw_status previews_time(const struct bench *bench, const struct document *document, struct solve_task *task,
                               struct previews *previews, double *seconds, pw_error *error)
{
    TRY(previews_update(previews, task, 1, error));
    for (int t = 0; t < previews->count; t++) {
        seconds[t] = HUGE_VAL;
        for (int n = 0; n < bench->moves; n++) {
            free(previews->list[t].key); /* as if it had moved */
            previews->list[t].key = strdup("");
            double began = clock_seconds();
            TRY(previews_update(previews, task, 1, error));
            pw_map_options options = pw_map_options_default();
            struct map map;
            options.quantity = PW_RECEIVED_POWER;
            options.local_mean = true;
            options.transmitter = document->scenario->transmitters[t].name;
            TRY(previews_map(previews, &options, &map, error));
            map_free(&map);
            seconds[t] = fmin(seconds[t], clock_seconds() - began);
        }
    }
    return PW_OK;
}

static pw_status scenario_bench(struct bench *bench, const char *path, pw_error *error)
{
    struct document document = {0};
    struct solve_choices choices = {0};
    struct quick_plan plan = {0};
    struct previews previews = {0};
    struct solved full = {0};
    pthread_mutex_t files = PTHREAD_MUTEX_INITIALIZER;
    char file[64];
    snprintf(file, sizeof file, "/tmp/bench-previews-%ld.h5", (long)getpid());
    TRY(document_open(&document, path, NULL, 0, error));
    struct solve_task task = {.of = {.name = document.file,
                                     .text = document_text(&document),
                                     .plan_revision = 1,
                                     .width = document.plan.width,
                                     .height = document.plan.height,
                                     .largest_permittivity = document_largest_permittivity(&document),
                                     .choices = &choices,
                                     .plan = &plan},
                              .compute = &(pw_compute){.backend = bench->backend, .threads = bench->threads},
                              .files = &files,
                              .go_on = go_on};
    double *seconds = calloc((size_t)document.scenario->transmitter_count, sizeof *seconds);
    const char *slash = strrchr(path, '/');
    pw_status status = seconds != NULL ? solve_full(&task, file, &full, error) : PW_NO_RESOURCE;
    status = status == PW_OK ? previews_time(bench, &document, &task, &previews, seconds, error) : status;
    status =
        status == PW_OK ? compare(bench, &previews, &full, slash != NULL ? slash + 1 : path, seconds, error) : status;
    free(seconds);
    solved_close(&full);
    previews_free(&previews);
    quick_plan_free(&plan);
    free(choices.transport);
    document_close(&document);
    return status;
}

int main(int count, char **words)
{
    struct bench bench = {.backend = "cpu", .threads = 2, .moves = 3};
    for (int n = 1; n < count; n++) {
        pw_error error = {""};
        if (n + 1 < count && strcmp(words[n], "--backend") == 0) {
            bench.backend = words[++n];
        } else if (n + 1 < count && strcmp(words[n], "--threads") == 0) {
            bench.threads = atoi(words[++n]);
        } else if (n + 1 < count && strcmp(words[n], "--moves") == 0) {
            bench.moves = atoi(words[++n]);
        } else if (scenario_bench(&bench, words[n], &error) != PW_OK) {
            printf("%-22s %s\n", words[n], error.message);
        }
        fflush(stdout);
    }
    return bench.over ? 1 : 0;
}
