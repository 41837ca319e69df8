/* The answer as a table for people, and what its files share (answer.h). */
#include "place/answer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

pw_status answer_check(const pw_siting *siting, const pw_siting_story *story, pw_error *error)
{
    const pw_siting_answer *answer = story != NULL ? story->answer : NULL;
    bool good = siting != NULL && siting->level != NULL && answer != NULL && story->need != NULL && answer->count > 0 &&
                answer->count <= PW_SITING_MOST;
    for (int n = 0; good && n < answer->count; n++) {
        good = answer->site[n] >= 0 && answer->site[n] < siting->candidates.count;
    }
    return good ? PW_OK : fail(error, PW_USAGE, "there is no answer to tell of");
}

static double level_at(const pw_siting *siting, const pw_siting_answer *answer, int n, int place)
{
    double level = siting->level[(size_t)answer->site[n] * (size_t)siting->places.count + (size_t)place];
    return level > -INFINITY ? level : -INFINITY;
}

void answer_serving(const pw_siting *siting, const pw_siting_story *story, struct serving *serving)
{
    const pw_siting_answer *answer = story->answer;
    memset(serving, 0, (size_t)answer->count * sizeof *serving);
    for (int p = 0; p < siting->places.count; p++) {
        double weight = siting->weight[p] / siting->total_weight, most = -INFINITY;
        int server = -1, having = 0, last = 0;
        for (int n = 0; n < answer->count; n++) {
            double level = level_at(siting, answer, n, p);
            if (level > most) {
                most = level;
                server = n;
            }
            if (level >= story->need->level) {
                having++;
                last = n;
            }
        }
        if (server >= 0) {
            serving[server].share += weight;
            serving[server].mean += weight * most;
        }
        serving[last].alone += having == 1 ? weight : 0.0;
    }
    for (int n = 0; n < answer->count; n++) {
        serving[n].mean = serving[n].share > 0.0 ? serving[n].mean / serving[n].share : (double)NAN;
    }
}

const char *answer_channel(const pw_siting_story *story, int n, char text[CHANNEL_TEXT])
{
    text[0] = '\0';
    if (story->channels != NULL) {
        int channel = story->channels->channel[n];
        if (story->channel_names != NULL && channel < story->channel_count) {
            snprintf(text, CHANNEL_TEXT, "%s", story->channel_names[channel]);
        } else {
            snprintf(text, CHANNEL_TEXT, "%d", channel + 1);
        }
    }
    return text;
}

pw_status answer_sites(const pw_siting *siting, const pw_siting_answer *answer, struct site_list *list, pw_error *error)
{
    *list = (struct site_list){.count = answer->count};
    list->site = allocate((size_t)answer->count, sizeof *list->site, "the access points", error);
    list->name = allocate((size_t)answer->count, sizeof *list->name, "the access points", error);
    if (list->site == NULL || list->name == NULL) {
        site_list_free(list);
        return PW_NO_RESOURCE;
    }
    for (int n = 0; n < answer->count; n++) {
        list->site[n] = siting->candidates.site[answer->site[n]];
    }
    return PW_OK;
}

/* ---- sentences ---- */

const char *answer_verdict(const pw_siting *siting, const pw_siting_story *story, char text[ANSWER_TEXT])
{
    const pw_siting_need *need = story->need;
    const pw_siting_answer *answer = story->answer;
    const char *points = answer->count == 1 ? "access point" : "access points";
    double reach = fmin(need->share, answer->most_share);
    bool reachable = answer->most_share >= need->share - 1e-9 &&
                     (!need->has_second || answer->most_second_share >= need->second_share - 1e-9);
    if (need->best > 0) {
        snprintf(text, ANSWER_TEXT, "the best %d %s of %d candidates", answer->count, points, siting->candidates.count);
    } else if (answer->met) {
        snprintf(text, ANSWER_TEXT, "%d %s of %d candidates meet%s the need", answer->count, points,
                 siting->candidates.count, answer->count == 1 ? "s" : "");
    } else if (!reachable) {
        int length =
            snprintf(text, ANSWER_TEXT, "the need cannot be met with these candidates: all %d of them reach %.1f %%",
                     siting->candidates.count, 100.0 * answer->most_share);
        if (need->has_second) {
            length += snprintf(text + length, ANSWER_TEXT - (size_t)length, " and, second strongest, %.1f %%",
                               100.0 * answer->most_second_share);
        }
        snprintf(text + length, ANSWER_TEXT - (size_t)length, "; %d %s %s", answer->count,
                 answer->count == 1 ? "reaches" : "reach",
                 answer->share >= reach - 1e-9 ? "as much of what is wanted" : "less");
    } else {
        snprintf(text, ANSWER_TEXT, "the need is not met by the best %d %s that were found%s", answer->count, points,
                 answer->least_count > answer->count ? ", and cannot be met by so few" : "");
    }
    return text;
}

static const char *answer_proof(const pw_siting *siting, const pw_siting_story *story, char text[ANSWER_TEXT])
{
    const pw_siting_answer *answer = story->answer;
    int length = 0;
    (void)siting;
    text[0] = '\0';
    if (story->need->best == 0 && answer->count > 1 && (answer->met || answer->least_count <= answer->count)) {
        length = answer->least_count == answer->count
                     ? snprintf(text, ANSWER_TEXT, "fewer than %d are not enough; ", answer->count)
                     : snprintf(text, ANSWER_TEXT, "fewer than %d are not enough, %d may be; ", answer->least_count,
                                answer->least_count);
    }
    if (answer->exact) {
        snprintf(text + length, ANSWER_TEXT - (size_t)length, "every other choice of %d covers less or as much",
                 answer->count);
    } else {
        snprintf(text + length, ANSWER_TEXT - (size_t)length,
                 "a good choice, but not all were tried: the best choice of %d may cover up to %.2f %%", answer->count,
                 100.0 * answer->share_bound);
    }
    length = (int)strlen(text);
    snprintf(text + length, ANSWER_TEXT - (size_t)length, "%s",
             answer->slid ? "; of the candidates, before sliding" : "");
    return text;
}

/* ---- the table ---- */

static void head_print(const pw_siting *siting, const pw_siting_story *story, FILE *report)
{
    const pw_siting_need *need = story->need;
    const pw_siting_answer *answer = story->answer;
    pw_siting_facts facts = pw_siting_describe(siting);
    char text[ANSWER_TEXT];
    fprintf(report, "%s\n", answer_verdict(siting, story, text));
    fprintf(report, "  demand        a signal is wanted at %d places%s%s", facts.place_count,
            facts.floor[0] != '\0' ? ": " : "", facts.floor);
    if (fabs(facts.total_weight - facts.place_count) > 1e-9 * facts.place_count) {
        fprintf(report, "; their weights add up to %.6g", facts.total_weight);
    }
    fprintf(report, "\n");
    fprintf(report, "  covered       %.2f %% at or over %g dBm", 100.0 * answer->share, need->level);
    if (need->best == 0) {
        fprintf(report, ", wanted %g %%", 100.0 * need->share);
    }
    fprintf(report, " (all %d candidates: %.2f %%)\n", facts.candidate_count, 100.0 * answer->most_share);
    if (need->has_second) {
        fprintf(report, "  second        %.2f %% at or over %g dBm", 100.0 * answer->second_share, need->second_level);
        if (need->best == 0) {
            fprintf(report, ", wanted %g %%", 100.0 * need->second_share);
        }
        fprintf(report, " (all %d candidates: %.2f %%)\n", facts.candidate_count, 100.0 * answer->most_second_share);
    }
    fprintf(report, "  mean level    %.1f dBm of the strongest\n", answer->mean_level);
    fprintf(report, "  how sure      %s\n", answer_proof(siting, story, text));
    if (facts.mean_width >= 0.0) {
        char width[PW_NUMBER_SIZE], error[PW_NUMBER_SIZE];
        fprintf(report,
                "  levels        means over %s m around the %s; forecast to be off by %s dB (root mean square)\n"
                "                %s\n",
                pw_number_text(facts.mean_width, 3, width), facts.places_send ? "candidates" : "places",
                pw_number_text(facts.local_mean_error, 2, error), pw_forecast_words(false));
    }
}

static void sites_print(const pw_siting *siting, const pw_siting_story *story, const struct serving *serving,
                        FILE *report)
{
    bool channels = story->channels != NULL;
    char name[PW_NAME_SIZE], channel[CHANNEL_TEXT];
    fprintf(report, "\n  ap    candidate            x [m]    y [m]   z [m]%s   serves    alone  mean level\n",
            channels ? "  channel" : "");
    for (int n = 0; n < story->answer->count; n++) {
        int index = story->answer->site[n];
        const pw_site *site = &siting->candidates.site[index];
        const char *label = site_label(&siting->candidates, index, name);
        const int field = pw_text_field(label, 16);
        fprintf(report, "  ap%-3d %-*.*s %9.2f %8.2f ", n + 1, field, field, label, site->x, site->y);
        if (isnan(site->height)) {
            fprintf(report, "      -");
        } else {
            fprintf(report, "%7.2f", site->height);
        }
        if (channels) {
            fprintf(report, "%9s", answer_channel(story, n, channel));
        }
        fprintf(report, " %6.1f %% %6.1f %%", 100.0 * serving[n].share, 100.0 * serving[n].alone);
        if (isnan(serving[n].mean)) {
            fprintf(report, "           -\n");
        } else {
            fprintf(report, " %7.1f dBm\n", serving[n].mean);
        }
    }
    fprintf(report,
            "  serves: share of the demand where this access point is the strongest\n"
            "  alone: share where only this one gives %g dBm or more, which is lost when it is off\n",
            story->need->level);
}

static void channels_print(const pw_siting_story *story, FILE *report)
{
    const pw_siting_channels *channels = story->channels;
    if (channels == NULL || story->answer->count < 2) { /* one alone has nobody to interfere with it */
        return;
    }
    char shared[PW_NUMBER_SIZE], alone[PW_NUMBER_SIZE];
    fprintf(
        report,
        "\n  channels      with %d channels the other access points add %s of the signal's power on average; on one "
        "channel %s\n                %s\n",
        story->channel_count, pw_number_text(channels->interference, 3, shared),
        pw_number_text(channels->single_interference, 3, alone),
        channels->exact ? "no other choice of channels is better" : "the best choice of channels that was found");
    fprintf(
        report,
        "  SINR          worst 5 %% of the demand: %.1f dB or less; half: %.1f dB or less; 95 %%: %.1f dB or less\n",
        channels->sinr[0], channels->sinr[1], channels->sinr[2]);
    fprintf(report, "  on one        %.1f dB, %.1f dB and %.1f dB\n", channels->single_sinr[0],
            channels->single_sinr[1], channels->single_sinr[2]);
}

pw_status pw_siting_report(const pw_siting *siting, const pw_siting_story *story, FILE *report, pw_error *error)
{
    TRY(answer_check(siting, story, error));
    struct serving serving[PW_SITING_MOST];
    answer_serving(siting, story, serving);
    head_print(siting, story, report);
    sites_print(siting, story, serving, report);
    channels_print(story, report);
    return PW_OK;
}
