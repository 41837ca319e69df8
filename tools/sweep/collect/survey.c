/* Opens every output once and notes what of it differs from case to case. */
#include "sweep/collect/survey.h"

#include "sweep/collect/lattice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void transmitters_free(struct survey *survey)
{
    for (int t = 0; survey->transmitters != NULL && t < survey->facts.transmitter_count; t++) {
        struct survey_transmitter *of = &survey->transmitters[t];
        PW_FREE_ALL(of->power, of->x, of->y, of->height, of->samples, of->receiver_everywhere);
    }
    free(survey->transmitters);
}

void survey_free(struct survey *survey)
{
    transmitters_free(survey);
    pw_result_close(survey->reference);
    pw_sweep_case_free(survey->reference_case);
    PW_FREE_ALL(survey->there, survey->cell, survey->time_step, survey->warnings);
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

static pw_status transmitter_begin(struct survey *survey, int t, pw_error *error)
{
    struct survey_transmitter *of = &survey->transmitters[t];
    TRY(pw_result_transmitter(survey->reference, t, &of->like, error));
    size_t receivers = (size_t)of->like.receiver_count;
    of->power = case_numbers(survey->count, error);
    of->x = case_numbers(survey->count, error);
    of->y = case_numbers(survey->count, error);
    of->height = case_numbers(survey->count, error);
    of->samples = allocate((size_t)survey->count, sizeof *of->samples, "the facts of the outputs", error);
    of->receiver_everywhere = allocate(receivers, sizeof(bool), "the facts of the outputs", error);
    TRY_MADE(of->power != NULL && of->x != NULL && of->y != NULL && of->height != NULL && of->samples != NULL &&
             of->receiver_everywhere != NULL);
    memset(of->receiver_everywhere, 1, receivers * sizeof(bool));
    return PW_OK;
}

/* The first whole output: it says which transmitters and receivers there are. */
static pw_status reference_take(struct survey *survey, pw_result *result, int64_t index, pw_error *error)
{
    survey->reference = result;
    survey->facts = pw_result_describe(result);
    survey->transmitters = allocate((size_t)survey->facts.transmitter_count, sizeof *survey->transmitters,
                                    "the facts of the outputs", error);
    TRY_MADE(survey->transmitters);
    for (int t = 0; t < survey->facts.transmitter_count; t++) {
        TRY(transmitter_begin(survey, t, error));
    }
    return pw_sweep_case_create(survey->sweep, index, &survey->reference_case, error);
}

/* Whether a transmitter has a receiver of this name with a series. */
static pw_status receiver_look(const pw_result *result, int transmitter, int count, const char *name, bool *found,
                               pw_error *error)
{
    *found = false;
    for (int r = 0; r < count && !*found; r++) {
        pw_receiver receiver;
        TRY(pw_result_receiver(result, transmitter, r, &receiver, error));
        *found = receiver.recorded && strcmp(receiver.name, name) == 0;
    }
    return PW_OK;
}

static int count_warnings(const pw_result *result)
{
    int count = 0;
    size_t length;
    while (pw_result_text(result, "warning", count, &length) != NULL) {
        count++;
    }
    return count;
}

/* Whether a text of the summary is the same in two results. */
static bool same_note(const pw_result *a, const pw_result *b, const char *name)
{
    size_t one, two;
    const char *first = pw_result_text(a, name, 0, &one), *second = pw_result_text(b, name, 0, &two);
    return first != NULL && second != NULL && one == two && strncmp(first, second, one) == 0;
}

static pw_status transmitter_note(struct survey *survey, const pw_result *result, int64_t index, int t, pw_error *error)
{
    struct survey_transmitter *of = &survey->transmitters[t];
    pw_transmitter from;
    TRY(pw_result_transmitter(result, t, &from, error));
    of->power[index] = from.power;
    of->x[index] = from.x;
    of->y[index] = from.y;
    of->height[index] = from.height;
    of->samples[index] = from.samples;
    for (int r = 0; r < of->like.receiver_count; r++) {
        pw_receiver like;
        TRY(pw_result_receiver(survey->reference, t, r, &like, error));
        if (of->receiver_everywhere[r]) {
            TRY(receiver_look(result, t, from.receiver_count, like.name, &of->receiver_everywhere[r], error));
        }
    }
    return PW_OK;
}

static pw_status facts_note(struct survey *survey, const pw_result *result, int64_t index, pw_error *error)
{
    const pw_result_facts facts = pw_result_describe(result), *reference = &survey->facts;
    survey->there[index] = true;
    survey->present++;
    survey->cell[index] = facts.cell;
    survey->time_step[index] = facts.time_step;
    survey->warnings[index] = count_warnings(result);
    survey->warned += survey->warnings[index] > 0;
    survey->same_steps = survey->same_steps && fabs(facts.time_step / reference->time_step - 1) < 1e-12;
    survey->same_plan = survey->same_plan && plans_agree(reference, &facts);
    survey->mixed_commits = survey->mixed_commits || !same_note(survey->reference, result, "commit");
    for (int t = 0; t < reference->transmitter_count; t++) {
        TRY(transmitter_note(survey, result, index, t, error));
    }
    return PW_OK;
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
    struct difference difference = {.same = true};
    pw_result *result;
    TRY(pw_result_open(of->output, &result, error));
    bool first = survey->reference == NULL;
    pw_status status = first ? reference_take(survey, result, of->index, error)
                             : lattices_compare(survey->reference, result, &difference, error);
    if (status == PW_OK) {
        status = difference.same ? facts_note(survey, result, of->index, error)
                                 : refuse_lattice(survey, of->index, difference.text, error);
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
    OWNED_AS(pw_scenario) *scenario = NULL;
    pw_sweep_state state;
    pw_error reason;
    TRY(case_load(survey->sweep, of, &scenario, error));
    TRY(case_look(survey->sweep, of, scenario, &state, &reason, error));
    survey->warnings[of->index] = -1;
    if (state == PW_SWEEP_DONE) {
        return output_take(survey, of, error);
    }
    if (state == PW_SWEEP_MISSING || state == PW_SWEEP_STARTED) {
        return PW_OK;
    }
    snprintf(message, sizeof message, "case %lld (%s): %s: %.900s", (long long)of->index, of->name,
             state == PW_SWEEP_OTHER ? "its output is of something else" : "its output is damaged", reason.message);
    FAIL_IF(!options->partial, error, PW_BAD_INPUT, "%.800s; --partial leaves it out", message);
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
        TRY(pw_monitor_tell(options->monitor, (double)(c + 1) / (double)survey->count, error));
    }
    FAIL_IF(survey->reference == NULL, error, PW_BAD_INPUT,
            "none of the %lld outputs in '%s' is there yet; planwave sweep run %s makes them", (long long)survey->count,
            sweep->folder, sweep->file);
    return PW_OK;
}
