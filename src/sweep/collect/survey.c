/* Opens every output once and notes what of it differs from case to case. */
#include "sweep/collect/survey.h"

#include "result/result_format.h"
#include "sweep/collect/lattice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void transmitters_free(struct survey *survey)
{
    for (int t = 0; survey->transmitters != NULL && t < survey->reference->transmitter_count; t++) {
        struct survey_transmitter *of = &survey->transmitters[t];
        free(of->power);
        free(of->x);
        free(of->y);
        free(of->height);
        free(of->samples);
        free(of->receiver_everywhere);
    }
    free(survey->transmitters);
}

void survey_free(struct survey *survey)
{
    transmitters_free(survey);
    pw_result_close(survey->reference);
    pw_sweep_case_free(survey->reference_case);
    free(survey->there);
    free(survey->cell);
    free(survey->time_step);
    free(survey->warnings);
    *survey = (struct survey){0};
}

/* Numbers of all cases, NAN to begin with. */
static double *case_numbers(int64_t count, pw_error *error)
{
    double *numbers = allocate((size_t)count, sizeof *numbers, "the facts of the outputs", error);
    for (int64_t c = 0; numbers != NULL && c < count; c++) {
        numbers[c] = NAN;
    }
    return numbers;
}

static pw_status survey_allocate(struct survey *survey, pw_error *error)
{
    size_t count = (size_t)survey->count;
    survey->there = allocate(count, sizeof *survey->there, "the facts of the outputs", error);
    survey->warnings = allocate(count, sizeof *survey->warnings, "the facts of the outputs", error);
    survey->cell = case_numbers(survey->count, error);
    survey->time_step = case_numbers(survey->count, error);
    return survey->there != NULL && survey->warnings != NULL && survey->cell != NULL && survey->time_step != NULL
               ? PW_OK
               : PW_NO_RESOURCE;
}

/* The first whole output: it says which transmitters and receivers there are. */
static pw_status reference_take(struct survey *survey, struct result *result, int64_t index, pw_error *error)
{
    survey->reference = result;
    size_t transmitters = (size_t)result->transmitter_count, count = (size_t)survey->count;
    survey->transmitters = allocate(transmitters, sizeof *survey->transmitters, "the facts of the outputs", error);
    if (survey->transmitters == NULL) {
        return PW_NO_RESOURCE;
    }
    for (size_t t = 0; t < transmitters; t++) {
        struct survey_transmitter *of = &survey->transmitters[t];
        size_t receivers = (size_t)result->transmitters[t].receiver_count;
        of->power = case_numbers(survey->count, error);
        of->x = case_numbers(survey->count, error);
        of->y = case_numbers(survey->count, error);
        of->height = case_numbers(survey->count, error);
        of->samples = allocate(count, sizeof *of->samples, "the facts of the outputs", error);
        of->receiver_everywhere = allocate(receivers, sizeof(bool), "the facts of the outputs", error);
        if (of->power == NULL || of->x == NULL || of->y == NULL || of->height == NULL || of->samples == NULL ||
            of->receiver_everywhere == NULL) {
            return PW_NO_RESOURCE;
        }
        memset(of->receiver_everywhere, 1, receivers * sizeof(bool));
    }
    return pw_sweep_case_create(survey->sweep, index, &survey->reference_case, error);
}

static bool has_receiver(const struct result_transmitter *transmitter, const struct result_receiver *wanted)
{
    for (int r = 0; r < transmitter->receiver_count; r++) {
        const struct result_receiver *receiver = &transmitter->receivers[r];
        if (strcmp(receiver->name, wanted->name) == 0 && receiver->row < 0) {
            return true;
        }
    }
    return false;
}

static int count_warnings(const char *summary)
{
    int count = 0;
    size_t length;
    for (const char *at = summary_find(summary, "warning", &length); at != NULL;
         at = summary_find(strchrnul(at, '\n'), "warning", &length)) {
        count++;
    }
    return count;
}

/* Whether a text of the summary is the same in two results. */
static bool same_note(const struct result *a, const struct result *b, const char *name)
{
    size_t one, two;
    const char *first = summary_find(a->summary, name, &one), *second = summary_find(b->summary, name, &two);
    return first != NULL && second != NULL && one == two && strncmp(first, second, one) == 0;
}

static void facts_note(struct survey *survey, const struct result *result, int64_t index)
{
    const struct result *reference = survey->reference;
    survey->there[index] = true;
    survey->present++;
    survey->cell[index] = result->cell;
    survey->time_step[index] = result->time_step;
    survey->warnings[index] = count_warnings(result->summary);
    survey->warned += survey->warnings[index] > 0;
    survey->same_steps = survey->same_steps && fabs(result->time_step / reference->time_step - 1) < 1e-12;
    survey->same_plan = survey->same_plan && plans_agree(reference, result);
    survey->mixed_commits = survey->mixed_commits || !same_note(reference, result, "commit");
    for (int t = 0; t < reference->transmitter_count; t++) {
        const struct result_transmitter *from = &result->transmitters[t], *like = &reference->transmitters[t];
        struct survey_transmitter *of = &survey->transmitters[t];
        of->power[index] = from->power;
        of->x[index] = from->x;
        of->y[index] = from->y;
        of->height[index] = from->height;
        of->samples[index] = from->samples;
        for (int r = 0; r < like->receiver_count; r++) {
            of->receiver_everywhere[r] = of->receiver_everywhere[r] && has_receiver(from, &like->receivers[r]);
        }
    }
}

static pw_status refuse_lattice(const struct survey *survey, int64_t index, const char *difference, pw_error *error)
{
    char keys[500];
    const int64_t there = survey->reference_case->index;
    keys_tell(survey->sweep, there, index, keys, sizeof keys);
    return fail(error, PW_BAD_INPUT,
                "cases %lld (there) and %lld (here) have other lattices and cannot stand in one array: %s. What the "
                "sweep changes between them: %s. Give all cases one lattice, e.g. set: {grid.cell: 1 cm}, or collect "
                "sweeps of one each",
                (long long)there, (long long)index, difference, keys);
}

/* Opens the output of a case that is done, and takes its facts. */
static pw_status output_take(struct survey *survey, const pw_sweep_case *of, pw_error *error)
{
    char difference[300] = "";
    struct result *result;
    TRY(pw_result_open(of->output, &result, error));
    bool first = survey->reference == NULL;
    pw_status status = first ? reference_take(survey, result, of->index, error) : PW_OK;
    if (status == PW_OK && !first && !lattices_agree(survey->reference, result, difference, sizeof difference)) {
        status = refuse_lattice(survey, of->index, difference, error);
    }
    if (status == PW_OK) {
        facts_note(survey, result, of->index);
    }
    if (!first) {
        pw_result_close(result);
    }
    return status;
}

static void say(const pw_sweep_collect_options *options, const char *message)
{
    if (options->note != NULL) {
        options->note(message, options->user);
    }
}

static pw_status case_survey(struct survey *survey, const pw_sweep_case *of, const pw_sweep_collect_options *options,
                             pw_error *error)
{
    char message[1400];
    pw_scenario *scenario = NULL;
    pw_sweep_state state;
    pw_error reason;
    TRY(case_load(survey->sweep, of, &scenario, error));
    pw_status status = case_look(survey->sweep, of, scenario, &state, &reason, error);
    pw_scenario_free(scenario);
    TRY(status);
    survey->warnings[of->index] = -1;
    if (state == PW_SWEEP_DONE) {
        return output_take(survey, of, error);
    }
    if (state == PW_SWEEP_MISSING || state == PW_SWEEP_STARTED) {
        return PW_OK;
    }
    snprintf(message, sizeof message, "case %lld (%s): %s: %.900s", (long long)of->index, of->name,
             state == PW_SWEEP_OTHER ? "its output is of something else" : "its output is damaged", reason.message);
    if (!options->partial) {
        return fail(error, PW_BAD_INPUT, "%.800s; --partial leaves it out", message);
    }
    say(options, message);
    return PW_OK;
}

pw_status survey_make(const struct sweep *sweep, const pw_sweep_collect_options *options, struct survey *survey,
                      pw_error *error)
{
    *survey = (struct survey){.sweep = sweep, .count = sweep->case_count, .same_steps = true, .same_plan = true};
    TRY(survey_allocate(survey, error));
    for (int64_t c = 0; c < survey->count; c++) {
        pw_sweep_case *of;
        TRY(pw_sweep_case_create(sweep, c, &of, error));
        pw_status status = case_survey(survey, of, options, error);
        pw_sweep_case_free(of);
        TRY(status);
        TRY(monitor_tell(options->monitor, (double)(c + 1) / (double)survey->count, error));
    }
    if (survey->reference == NULL) {
        return fail(error, PW_BAD_INPUT,
                    "none of the %lld outputs in '%s' is there yet; planwave sweep run %s makes them",
                    (long long)survey->count, sweep->folder, sweep->file);
    }
    return PW_OK;
}
