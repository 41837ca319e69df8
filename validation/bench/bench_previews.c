/* Previews of the live page against full solves: how long one takes, how far its local means are from those of the full
 * map of the same floor, and what the page says.
 *
 *     build/validation/bench/bench_previews [--backend cpu] [--threads 2] [--moves 3] SCENARIO.yaml...
 *
 * A line per transmitter: seconds of a preview (the shortest of `moves`, with what previews keep from one to the next),
 * root mean square and mean of preview minus full map over the plan [dB], and the error that the page says. The exit
 * status is 1 where the difference is over what is said. Full solves take seconds to a minute each. */
#include "planwave.h"

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

struct difference {
    double rms, mean;
};

static struct difference difference(const pw_map_shape *shape, const double *preview, const pw_map_shape *full_shape,
                                    const double *full)
{
    double sum = 0, squares = 0, count = 0;
    for (int row = 0; row < shape->rows; row++) {
        for (int column = 0; column < shape->columns; column++) {
            double own = preview[(size_t)row * (size_t)shape->columns + (size_t)column];
            double other = pw_map_value_at(full_shape, full, shape->x0 + column * shape->pitch_x,
                                           shape->y0 + row * shape->pitch_y);
            if (isfinite(own) && isfinite(other)) {
                sum += own - other;
                squares += (own - other) * (own - other);
                count++;
            }
        }
    }
    return (struct difference){sqrt(squares / count), sum / count};
}

/* One scenario: its run, and the previews of one transmitter after the other. */
struct subject {
    const char *name;
    pw_scenario *scenario;
    pw_setup *setup;
    pw_result *result;
};

static pw_status subject_solve(const struct bench *bench, const char *path, struct subject *subject, pw_error *error)
{
    char file[64];
    const pw_run_options options = {
        .compute.backend = bench->backend, .compute.threads = bench->threads, .force = true};
    snprintf(file, sizeof file, "/tmp/bench-previews-%ld.h5", (long)getpid());
    PW_TRY(pw_scenario_load(path, NULL, 0, &subject->scenario, error));
    PW_TRY(pw_setup_create(subject->scenario, PW_SINGLE, false, &subject->setup, error));
    PW_TRY(pw_run(subject->setup, &options, file, error));
    pw_status status = pw_result_open(file, &subject->result, error);
    (void)unlink(file); /* what is open stays readable */
    return status;
}

/* The shortest time of `moves` previews of the transmitter alone, and how far its map is from the full one. */
static pw_status transmitter_bench(struct bench *bench, const struct subject *subject, int transmitter, pw_error *error)
{
    char text_name[32];
    char *text = NULL;
    double seconds = HUGE_VAL, *values = NULL;
    pw_scenario *scenario = NULL;
    pw_previews *previews = NULL;
    pw_preview_facts facts = {0};
    pw_map_shape shape, full_shape;
    pw_map_options options = pw_map_options_default();
    options.quantity = PW_RECEIVED_POWER;
    options.local_mean = true;
    options.transmitter = pw_scenario_describe_transmitter(subject->scenario, transmitter).name;
    PW_TRY(pw_previews_create(&(pw_compute){.backend = bench->backend, .threads = bench->threads}, &previews, error));
    pw_previews_learn(previews, subject->setup, 1);
    PW_TRY(pw_scenario_parse(pw_scenario_describe(subject->scenario).file, pw_scenario_text(subject->scenario), NULL, 0,
                             &scenario, error));
    PW_TRY(pw_scenario_keep_transmitters(scenario, &transmitter, 1, error));
    for (int n = 0; n <= bench->moves; n++) { /* the title is in the text, so that each is solved anew */
        snprintf(text_name, sizeof text_name, "move %d", n);
        PW_TRY(pw_scenario_set_title(scenario, text_name, error));
        PW_TRY(pw_scenario_write(scenario, NULL, &text, error));
        const double began = pw_clock();
        free(values);
        PW_TRY(pw_previews_solve(previews, &(pw_preview_task){subject->name, text, 1}, NULL, &facts, error));
        PW_TRY(pw_previews_map(previews, &options, &shape, &values, error));
        seconds = n > 0 ? fmin(seconds, pw_clock() - began) : seconds;
        free(text);
    }
    PW_TRY(pw_map_describe(subject->result, &options, &full_shape, error));
    double *full = calloc((size_t)full_shape.rows * (size_t)full_shape.columns, sizeof *full);
    PW_TRY(pw_map_compute(subject->result, &options, full, NULL, error));
    struct difference off = difference(&shape, values, &full_shape, full);
    bench->over = bench->over || off.rms > facts.error;
    printf("%-22s %-10s %6.3f s  rms %5.2f  mean %+5.2f  said %5.2f dB%s  (full map: %.2f dB)\n", subject->name,
           options.transmitter, seconds, off.rms, off.mean, facts.error, off.rms > facts.error ? "  OVER" : "",
           pw_setup_facts(subject->setup).local_mean_error);
    free(full);
    free(values);
    pw_previews_free(previews);
    pw_scenario_free(scenario);
    return PW_OK;
}

static pw_status scenario_bench(struct bench *bench, const char *path, pw_error *error)
{
    const char *slash = strrchr(path, '/');
    struct subject subject = {.name = slash != NULL ? slash + 1 : path};
    pw_status status = subject_solve(bench, path, &subject, error);
    const int count = status == PW_OK ? pw_scenario_describe(subject.scenario).transmitter_count : 0;
    for (int t = 0; t < count && status == PW_OK; t++) {
        status = transmitter_bench(bench, &subject, t, error);
    }
    pw_result_close(subject.result);
    pw_setup_free(subject.setup);
    pw_scenario_free(subject.scenario);
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
