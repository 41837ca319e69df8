/* What a user must know of the outputs that are collected: what is missing, what is left out, and why. */
#include "sweep/collect/survey.h"

#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 2, 3))) static void tell(const pw_sweep_collect_options *options, const char *format, ...)
{
    char message[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (options->note != NULL) {
        options->note(message, options->user);
    }
}

/* "3, 7-9": the cases without an output, as many as fit. */
static void missing_list(const struct survey *survey, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int64_t c = 0; c < survey->count; c++) {
        int64_t last = c;
        while (!survey->there[c] && last + 1 < survey->count && !survey->there[last + 1]) {
            last++;
        }
        if (survey->there[c]) {
            continue;
        }
        if (used + 50 > size) {
            snprintf(text + used, size - used, ", ...");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%lld", used > 0 ? "," : "", (long long)c);
        if (last > c) {
            used += (size_t)snprintf(text + used, size - used, "-%lld", (long long)last);
        }
        c = last;
    }
}

void survey_tell(const struct survey *survey, const pw_sweep_collect_options *options)
{
    char list[600];
    if (survey->present < survey->count) {
        missing_list(survey, list, sizeof list);
        tell(options, "%lld of %lld outputs are missing and read as NaN: cases %s",
             (long long)(survey->count - survey->present), (long long)survey->count, list);
    }
    if (survey->warned > 0) {
        tell(options, "%lld of the outputs carry warnings (warning_count); planwave info shows those of one",
             (long long)survey->warned);
    }
    if (survey->mixed_commits) {
        tell(options, "the outputs were not all made by one version of planwave");
    }
    if (!survey->same_plan && survey->facts.dimensions == 2) {
        tell(options, "the plan is left out: its nodes are not the same in all outputs");
    }
    bool receivers = false, missing = false;
    for (int t = 0; t < survey->facts.transmitter_count; t++) {
        for (int r = 0; r < survey->transmitters[t].like.receiver_count; r++) {
            pw_receiver receiver;
            bool own = pw_result_receiver(survey->reference, t, r, &receiver, NULL) == PW_OK && receiver.recorded;
            receivers = receivers || own;
            missing = missing || (own && !survey->transmitters[t].receiver_everywhere[r]);
        }
    }
    if (receivers && !survey->same_steps) {
        tell(options, "the series at receivers are left out: the time steps are not the same in all outputs; "
                      "set: {grid.courant: ...} gives them one");
    } else if (missing) {
        tell(options, "receivers that are not in all outputs are left out");
    }
}
