/* The answer as JSON and as a scenario (answer.h). */
#include "place/answer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON ---- */

static void member_number(FILE *file, const char *name, double value, const char *end)
{
    fprintf(file, "\"%s\": ", name);
    pw_json_number_write(file, value);
    fputs(end, file);
}

static void text_write(FILE *file, const char *text)
{
    pw_json_text_write(file, text, strlen(text));
}

static void site_write(const pw_siting *siting, const pw_siting_story *story, int n, const struct serving *serving,
                       FILE *file)
{
    int index = story->answer->site[n];
    const pw_site *site = &siting->candidates.site[index];
    char name[PW_NAME_SIZE], channel[CHANNEL_TEXT];
    fprintf(file, "    {\"name\": \"ap%d\", \"candidate\": ", n + 1);
    text_write(file, site_label(&siting->candidates, index, name));
    fprintf(file, ", \"candidate_index\": %d, ", index);
    member_number(file, "x", site->x, ", ");
    member_number(file, "y", site->y, ", ");
    member_number(file, "height", site->height, ", ");
    if (story->channels != NULL) {
        fprintf(file, "\"channel\": ");
        text_write(file, answer_channel(story, n, channel));
        fprintf(file, ", ");
    }
    member_number(file, "serves", serving[n].share, ", ");
    member_number(file, "alone", serving[n].alone, ", ");
    member_number(file, "mean_level_dBm", serving[n].mean, "}");
}

static void need_write(const pw_siting_story *story, FILE *file)
{
    const pw_siting_need *need = story->need;
    fprintf(file, "  \"need\": {");
    member_number(file, "level_dBm", need->level, ", ");
    member_number(file, "share", need->best > 0 ? (double)NAN : need->share, "");
    if (need->has_second) {
        fprintf(file, ", ");
        member_number(file, "second_level_dBm", need->second_level, ", ");
        member_number(file, "second_share", need->best > 0 ? (double)NAN : need->second_share, "");
    }
    fprintf(file, ", \"best\": %d},\n", need->best);
}

static void answer_write(const pw_siting *siting, const pw_siting_story *story, FILE *file)
{
    const pw_siting_answer *answer = story->answer;
    const pw_siting_channels *channels = story->channels;
    pw_siting_facts facts = pw_siting_describe(siting);
    struct serving serving[PW_SITING_MOST];
    char text[ANSWER_TEXT];
    answer_serving(siting, story, serving);
    fprintf(file, "{\n  \"planwave\": \"%s\",\n  \"scenario\": ", PW_VERSION);
    text_write(file, siting->asked.file);
    fprintf(file, ",\n  \"met\": %s,\n  \"verdict\": ", answer->met ? "true" : "false");
    text_write(file, answer_verdict(siting, story, text));
    fprintf(file, ",\n  \"candidates\": %d,\n  \"places\": %d,\n  \"runs\": %d,\n  \"senders\": \"%s\",\n",
            facts.candidate_count, facts.place_count, facts.runs, facts.places_send ? "places" : "candidates");
    need_write(story, file);
    fprintf(file, "  ");
    member_number(file, "weight", facts.total_weight, ",\n  ");
    member_number(file, "share", answer->share, ",\n  ");
    member_number(file, "second_share", story->need->has_second ? answer->second_share : (double)NAN, ",\n  ");
    member_number(file, "mean_level_dBm", answer->mean_level, ",\n  ");
    member_number(file, "share_of_all_candidates", answer->most_share, ",\n  ");
    member_number(file, "second_share_of_all_candidates",
                  story->need->has_second ? answer->most_second_share : (double)NAN, ",\n  ");
    fprintf(file, "\"proven_least_count\": %d,\n  ", answer->least_count);
    member_number(file, "proven_most_share", answer->share_bound, ",\n  ");
    fprintf(file, "\"proven_best\": %s,\n  ", answer->exact ? "true" : "false");
    member_number(file, "forecast_error_dB", facts.local_mean_error, ",\n  ");
    if (channels != NULL) {
        fprintf(file, "\"channels\": {\"count\": %d, ", story->channel_count);
        member_number(file, "interference_over_signal", channels->interference, ", ");
        member_number(file, "on_one_channel", channels->single_interference, ", ");
        fprintf(file, "\"proven_least\": %s, ", channels->exact ? "true" : "false");
        member_number(file, "sinr_5_dB", channels->sinr[0], ", ");
        member_number(file, "sinr_50_dB", channels->sinr[1], ", ");
        member_number(file, "sinr_95_dB", channels->sinr[2], "},\n  ");
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
    if (file == NULL) {
        return PW_NO_RESOURCE;
    }
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
    struct site_list sites;
    pw_scenario *answer = NULL;
    char *text = NULL;
    TRY(answer_check(siting, story, error));
    TRY(answer_sites(siting, story->answer, &sites, error));
    pw_status status =
        pw_scenario_parse(siting->asked.file, pw_scenario_text(siting->scenario), NULL, 0, &answer, error);
    status = status == PW_OK ? transmitters_put(answer, siting->model, &sites, "ap", 1, error) : status;
    status = status == PW_OK ? answer_channels_set(siting, story, answer, error) : status;
    status = status == PW_OK ? pw_scenario_write(answer, path, &text, error) : status;
    FILE *file = status == PW_OK ? pw_file_create(path, error) : NULL;
    if (file != NULL) {
        preface_write(siting, story, file);
        fputs(text, file);
        status = pw_file_finish(file, path, error);
    } else if (status == PW_OK) {
        status = PW_NO_RESOURCE;
    }
    free(text);
    pw_scenario_free(answer);
    site_list_free(&sites);
    return status;
}
