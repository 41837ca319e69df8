/* The answer as a map: it is solved once more, now with spectra all over the plan, and the strongest access point is
 * drawn with walls, areas of demand and the candidates that were not taken (answer.h). */
#include "place/answer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct picture {
    const pw_siting *siting;
    const pw_siting_story *story;
    const char *path;
    FILE *report;
    pw_area areas[PW_SITING_AREAS];
    int area_count;
    double *dots; /* (dot_count, 2), owned */
    int dot_count;
};

/* Calls the access points by number and channel. */
static void sites_name(const struct picture *picture, struct site_list *sites)
{
    char channel[CHANNEL_TEXT];
    for (int n = 0; n < sites->count; n++) {
        snprintf(sites->name[n], sizeof sites->name[n], "ap%d%s%.20s", n + 1,
                 picture->story->channels != NULL ? " channel " : "", answer_channel(picture->story, n, channel));
    }
}

/* The scenario of the answer as it is run. */
static pw_status text_make(const struct picture *picture, char **text, pw_error *error)
{
    const pw_siting *siting = picture->siting;
    OWNED_AS(pw_scenario) *answer = NULL;
    OWNED_BY(site_list_free) struct site_list sites = {0};
    char title[300];
    TRY(answer_sites(siting, picture->story->answer, &sites, error));
    sites_name(picture, &sites);
    snprintf(title, sizeof title, "%.1f %% of the demand at or over %g dBm", 100.0 * picture->story->answer->share,
             picture->story->need->level);
    TRY(pw_scenario_parse(siting->asked.file, siting->text, NULL, 0, &answer, error));
    pw_scenario_set_region(answer, NULL);
    TRY(transmitters_put(answer, 0, &sites, NULL, 1, error));
    TRY(pw_scenario_set_title(answer, title, error));
    if (siting->asked.dimensions == 3) {
        TRY(pw_scenario_set_heights(answer, &siting->places.site[0].height, 1, error));
    }
    return pw_scenario_write(answer, NULL, text, error);
}

static pw_status picture_take(const pw_result *result, int index, void *user, pw_error *error)
{
    const struct picture *picture = user;
    pw_map_options map = siting_map(picture->siting, picture->siting->places.site[0].height);
    (void)index;
    map.threshold = picture->story->need->level;
    map.outlines = picture->areas;
    map.outline_count = picture->area_count;
    map.dots = picture->dots;
    map.dot_count = picture->dot_count;
    map.dot_text = picture->dot_count > 0 ? "a candidate that was not chosen" : NULL;
    return pw_map_write(result, &map, picture->path, picture->report, error);
}

static bool is_chosen(const pw_siting_answer *answer, int candidate)
{
    bool chosen = false;
    for (int n = 0; n < answer->count; n++) {
        chosen = chosen || answer->site[n] == candidate;
    }
    return chosen;
}

/* Candidates that lost, and areas. */
static pw_status marks_make(struct picture *picture, pw_error *error)
{
    const pw_siting *siting = picture->siting;
    picture->dots = allocate(2 * (size_t)siting->candidates.count, sizeof *picture->dots, "marks of candidates", error);
    for (int c = 0; picture->dots != NULL && c < siting->candidates.count; c++) {
        if (is_chosen(picture->story->answer, c)) {
            continue;
        }
        picture->dots[2 * picture->dot_count] = siting->candidates.site[c].x;
        picture->dots[2 * picture->dot_count + 1] = siting->candidates.site[c].y;
        picture->dot_count++;
    }
    for (int n = 0; n < siting->area_count; n++) {
        if (!siting->areas[n].inside) {
            picture->areas[picture->area_count++] =
                (pw_area){siting->area_name[n], siting->areas[n].x0, siting->areas[n].y0, siting->areas[n].x1,
                          siting->areas[n].y1};
        }
    }
    return picture->dots != NULL ? PW_OK : PW_NO_RESOURCE;
}

pw_status pw_siting_picture_write(const pw_siting *siting, const pw_siting_story *story, const char *path, FILE *report,
                                  pw_error *error)
{
    struct picture picture = {.siting = siting, .story = story, .path = path, .report = report};
    char *text = NULL;
    TRY(answer_check(siting, story, error));
    pw_status status = marks_make(&picture, error);
    THEN(status, text_make(&picture, &text, error));
    if (status == PW_OK) {
        const pw_variants variants = {.name = siting->asked.file,
                                      .text = text,
                                      .noun = "map of the answer",
                                      .count = 1,
                                      .take = picture_take,
                                      .user = &picture};
        const pw_variants_options options = {.compute = siting->options.compute, .monitor = siting->options.monitor};
        status = pw_variants_solve(&variants, &options, error);
    }
    PW_FREE_ALL(picture.dots, text);
    return status;
}
