/* The answer as JSON and as a scenario (answer.h). */
#include "place/answer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON ---- */

static void site_write(const pw_siting *siting, const pw_siting_story *story, int n, const struct serving *serving,
                       FILE *file)
{
    int index = story->answer->site[n];
    const pw_site *site = &siting->candidates.site[index];
    char name[PW_NAME_SIZE], channel[CHANNEL_TEXT];
    fprintf(file, "    {\"name\": \"ap%d\", ", n + 1);
    pw_json_write(file, "\"candidate\": %s, \"candidate_index\": %d, \"x\": %g, \"y\": %g, \"height\": %g, ",
                  site_label(&siting->candidates, index, name), index, site->x, site->y, site->height);
    if (story->channels != NULL) {
        pw_json_write(file, "\"channel\": %s, ", answer_channel(story, n, channel));
    }
    if (story->answer->slid) {
        pw_json_write(file, "\"slid\": %g, ", story->answer->moved[n]);
    }
    pw_json_write(file, "\"serves\": %g, \"alone\": %g, \"mean_level_dBm\": %g}", serving[n].share, serving[n].alone,
                  serving[n].mean);
}

static void need_write(const pw_siting_story *story, FILE *file)
{
    const pw_siting_need *need = story->need;
    bool best = need->best > 0;
    pw_json_write(file, "  \"need\": {\"level_dBm\": %g, \"share\": %g", need->level, best ? (double)NAN : need->share);
    if (need->has_second) {
        pw_json_write(file, ", \"second_level_dBm\": %g, \"second_share\": %g", need->second_level,
                      best ? (double)NAN : need->second_share);
    }
    fprintf(file, ", \"best\": %d},\n", need->best);
}

static const char *truth(bool holds)
{
    return holds ? "true" : "false";
}

static void answer_write(const pw_siting *siting, const pw_siting_story *story, FILE *file)
{
    const pw_siting_answer *answer = story->answer;
    const pw_siting_channels *channels = story->channels;
    pw_siting_facts facts = pw_siting_describe(siting);
    struct serving serving[PW_SITING_MOST];
    char text[ANSWER_TEXT];
    answer_serving(siting, story, serving);
    bool second = story->need->has_second;
    pw_json_write(file, "{\n  \"planwave\": %s,\n  \"scenario\": %s,\n  \"met\": ", PW_VERSION, siting->asked.file);
    fputs(truth(answer->met), file);
    pw_json_write(file,
                  ",\n  \"verdict\": %s,\n  \"candidates\": %d,\n  \"places\": %d,\n  \"runs\": %d,\n  "
                  "\"senders\": %s,\n",
                  answer_verdict(siting, story, text), facts.candidate_count, facts.place_count, facts.runs,
                  facts.places_send ? "places" : "candidates");
    need_write(story, file);
    pw_json_write(file,
                  "  \"weight\": %g,\n  \"share\": %g,\n  \"second_share\": %g,\n  \"mean_level_dBm\": %g,\n  "
                  "\"share_of_all_candidates\": %g,\n  \"second_share_of_all_candidates\": %g,\n  "
                  "\"proven_least_count\": %d,\n  \"proven_most_share\": %g,\n  ",
                  facts.total_weight, answer->share, second ? answer->second_share : (double)NAN, answer->mean_level,
                  answer->most_share, second ? answer->most_second_share : (double)NAN, answer->least_count,
                  answer->share_bound);
    fprintf(file, "\"proven_best\": %s,\n  ", truth(answer->exact));
    pw_json_write(file, "\"forecast_error_dB\": %g,\n  ", facts.local_mean_error);
    if (channels != NULL) {
        pw_json_write(file, "\"channels\": {\"count\": %d, \"interference_over_signal\": %g, \"on_one_channel\": %g, ",
                      story->channel_count, channels->interference, channels->single_interference);
        fprintf(file, "\"proven_least\": %s, ", truth(channels->exact));
        pw_json_write(file, "\"sinr_5_dB\": %g, \"sinr_50_dB\": %g, \"sinr_95_dB\": %g},\n  ", channels->sinr[0],
                      channels->sinr[1], channels->sinr[2]);
    }
    fprintf(file, "\"access_points\": [\n");
    for (int n = 0; n < answer->count; n++) {
        site_write(siting, story, n, serving, file);
        fprintf(file, n + 1 < answer->count ? ",\n" : "\n");
    }
    fprintf(file, "  ]\n}\n");
}

pw_status pw_siting_json_write(const pw_siting *siting, const pw_siting_story *story, const char *path, pw_error *error)
{
    TRY(answer_check(siting, story, error));
    FILE *file = pw_file_create(path, error);
    TRY_MADE(file);
    answer_write(siting, story, file);
    return pw_file_finish(file, path, error);
}

/* ---- the scenario ---- */

static void preface_write(const pw_siting *siting, const pw_siting_story *story, FILE *file)
{
    char text[ANSWER_TEXT], name[PW_NAME_SIZE], channel[CHANNEL_TEXT];
    fprintf(file, "# planwave place: %s.\n", answer_verdict(siting, story, text));
    fprintf(file, "# %.2f %% of the demand has at least %g dBm", 100.0 * story->answer->share, story->need->level);
    if (story->need->has_second) {
        fprintf(file, ", and %.2f %% at least %g dBm of a second one", 100.0 * story->answer->second_share,
                story->need->second_level);
    }
    fprintf(file, ".\n");
    for (int n = 0; n < story->answer->count; n++) {
        fprintf(file, "# ap%d: candidate %s%s%s\n", n + 1,
                site_label(&siting->candidates, story->answer->site[n], name),
                story->channels != NULL ? ", channel " : "", answer_channel(story, n, channel));
    }
}

pw_status pw_siting_scenario_write(const pw_siting *siting, const pw_siting_story *story, const char *path,
                                   pw_error *error)
{
    OWNED_BY(site_list_free) struct site_list sites = {0};
    OWNED_AS(pw_scenario) *answer = NULL;
    OWNED char *text = NULL;
    TRY(answer_check(siting, story, error));
    TRY(answer_sites(siting, story->answer, &sites, error));
    TRY(pw_scenario_parse(siting->asked.file, pw_scenario_text(siting->scenario), NULL, 0, &answer, error));
    TRY(transmitters_put(answer, siting->model, &sites, "ap", 1, error));
    TRY(answer_channels_set(siting, story, answer, error));
    TRY(pw_scenario_write(answer, path, &text, error));
    FILE *file = pw_file_create(path, error);
    TRY_MADE(file);
    preface_write(siting, story, file);
    fputs(text, file);
    return pw_file_finish(file, path, error);
}
