/* The access points of an answer slide to where they do more (siting.h). How what is wanted depends on their places is
 * told by runs a sixteenth of a wavelength aside; then runs along that direction say how far to go. A run from where
 * each began and from where it ends has the last word. */
#include "place/siting.h"

#include "place/choice/cover.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3, LENGTHS = 3 };           /* of a round: a whole step, a half, a quarter */
static const double ASIDE = 1.0 / 16;       /* wavelengths */
static const double SHARPNESS = 2.0;        /* dB: over so many a level counts as covered bit by bit */
static const double MEAN_COUNTS = 1e-3;     /* of a dB of mean level, beside a share of the demand */
static const double REACH = 0.5;            /* of the distance between candidates, in all */
enum { WIDEST = PW_SITING_MOST * LENGTHS }; /* places that are tried at a time */

struct slide {
    const struct pw_siting *siting;
    const pw_siting_need *need;
    struct ground ground; /* owned */
    struct cover cover;   /* of the access points alone */
    int count, runs;
    double reach; /* m */
    pw_site from[PW_SITING_MOST], at[PW_SITING_MOST];
    double *level; /* (count, places) [dBm], owned: where they are */
    double *tried; /* (2 * WIDEST, places), owned */
    double *spare; /* (count, places), owned */
};

static size_t row_of(const struct slide *slide, int n)
{
    return (size_t)n * (size_t)slide->cover.demand;
}

/* ---- runs ---- */

/* Levels of `probe`, whose candidates are called by their rows, into `level`. */
static void levels_take(const struct pw_siting *probe, double *level)
{
    const size_t places = (size_t)probe->places.count;
    for (int c = 0; c < probe->candidates.count; c++) {
        double *to = level + (size_t)atoi(probe->candidates.name[c]) * places;
        for (size_t p = 0; p < places; p++) {
            to[p] = fmax(COVER_NOTHING, probe->level[(size_t)c * places + p]); /* fmax passes NAN over */
        }
    }
}

/* The levels from these sites (count) into `level` (count, places); of one in a wall COVER_NOTHING everywhere. */
static pw_status sites_solve(struct slide *slide, const pw_site *sites, int count, double *level, pw_error *error)
{
    const struct pw_siting *siting = slide->siting;
    pw_site named[WIDEST] = {{0}};
    char names[WIDEST][PW_NAME_SIZE];
    OWNED_AS(pw_siting) *probe = NULL;
    pw_siting_options options = siting->options;
    int free_count = 0;
    for (size_t k = 0; k < (size_t)count * (size_t)siting->places.count; k++) {
        level[k] = COVER_NOTHING;
    }
    for (int n = 0; n < count; n++) {
        if (!ground_in_wall(&slide->ground, sites[n].x, sites[n].y)) {
            snprintf(names[n], sizeof names[n], "%d", n);
            named[free_count] = sites[n];
            named[free_count++].name = names[n];
        }
    }
    if (free_count == 0) {
        return PW_OK;
    }
    options.model = siting_model(siting).name;
    options.candidates = named;
    options.candidate_count = free_count;
    options.places = siting->places.site;
    options.place_count = siting->places.count;
    options.runs = PW_SITING_CANDIDATES_SEND;
    TRY(pw_siting_create(siting->scenario, &options, &probe, error));
    TRY(pw_siting_solve(probe, error));
    levels_take(probe, level);
    slide->runs += free_count;
    return PW_OK;
}

/* ---- what places are worth ---- */

/* As the choice compares them, of these levels (count, places). */
static pw_status score(const struct slide *slide, const double *level, struct cover_score *score, pw_error *error)
{
    struct cover cover = slide->cover;
    struct cover_state state;
    cover.level = level;
    TRY(cover_state_create(&cover, &state, error));
    for (int n = 0; n < slide->count; n++) {
        cover_state_add(&cover, &state, n, &state);
    }
    *score = cover_score(&cover, &state, -1);
    cover_state_free(&state);
    return PW_OK;
}

/* The same without steps, so that it has a slope: with access point n at `own` (places). */
static double worth(const struct slide *slide, int n, const double *own)
{
    double sum = 0.0;
    for (int p = 0; p < slide->cover.demand; p++) {
        double best = own[p], second = COVER_NOTHING;
        for (int other = 0; other < slide->count; other++) {
            const double level = slide->level[row_of(slide, other) + (size_t)p];
            if (other != n) {
                second = fmax(second, fmin(best, level));
                best = fmax(best, level);
            }
        }
        const double covered = 1.0 / (1.0 + exp((slide->cover.need - best) / SHARPNESS)),
                     doubled =
                         slide->cover.has_second ? 1.0 / (1.0 + exp((slide->cover.second - second) / SHARPNESS)) : 0.0;
        sum += slide->cover.weight[p] * (covered + doubled + MEAN_COUNTS * best);
    }
    return sum / slide->cover.total;
}

/* ---- steps ---- */

/* So far from where it began at most, and on the plan. */
static pw_site site_at(const struct slide *slide, int n, double x, double y)
{
    pw_site site = slide->at[n];
    const double away = hypot(x - slide->from[n].x, y - slide->from[n].y), part = fmin(1.0, slide->reach / away);
    const double edge = 1e-3; /* m */
    site.x = slide->from[n].x + (away > 0.0 ? part * (x - slide->from[n].x) : 0.0);
    site.y = slide->from[n].y + (away > 0.0 ? part * (y - slide->from[n].y) : 0.0);
    site.x = fmin(fmax(site.x, edge), slide->siting->facts.plan_width - edge);
    site.y = fmin(fmax(site.y, edge), slide->siting->facts.plan_height - edge);
    return site;
}

/* Unit vectors uphill, (count); of one that is as good wherever it goes zero. */
static pw_status slopes_find(struct slide *slide, double (*uphill)[2], pw_error *error)
{
    pw_site sites[2 * PW_SITING_MOST] = {{0}};
    const double aside = ASIDE * PW_SPEED_OF_LIGHT / slide->siting->asked.band_centre;
    for (int n = 0; n < slide->count; n++) {
        sites[2 * n] = sites[2 * n + 1] = slide->at[n];
        sites[2 * n].x += slide->at[n].x + aside < slide->siting->facts.plan_width ? aside : -aside;
        sites[2 * n + 1].y += slide->at[n].y + aside < slide->siting->facts.plan_height ? aside : -aside;
    }
    TRY(sites_solve(slide, sites, 2 * slide->count, slide->tried, error));
    for (int n = 0; n < slide->count; n++) {
        const double here = worth(slide, n, slide->level + row_of(slide, n));
        double slope[2];
        for (int a = 0; a < 2; a++) {
            const double *there = slide->tried + row_of(slide, 2 * n + a);
            const double moved = a == 0 ? sites[2 * n].x - slide->at[n].x : sites[2 * n + 1].y - slide->at[n].y;
            bool walled = true;
            for (int p = 0; walled && p < slide->cover.demand; p++) {
                walled = there[p] <= COVER_NOTHING;
            }
            slope[a] = walled ? 0.0 : (worth(slide, n, there) - here) / moved;
        }
        const double steep = hypot(slope[0], slope[1]);
        uphill[n][0] = steep > 0.0 ? slope[0] / steep : 0.0;
        uphill[n][1] = steep > 0.0 ? slope[1] / steep : 0.0;
    }
    return PW_OK;
}

/* Tries steps of all access points at a time, and takes for one after the other what gains. */
static pw_status steps_take(struct slide *slide, double (*uphill)[2], double length, bool *gained, pw_error *error)
{
    pw_site sites[WIDEST] = {{0}};
    struct cover_score best, one;
    const size_t bytes = (size_t)slide->cover.demand * sizeof *slide->level;
    for (int n = 0; n < slide->count; n++) {
        for (int k = 0; k < LENGTHS; k++) {
            const double step = ldexp(length, -k);
            sites[n * LENGTHS + k] =
                site_at(slide, n, slide->at[n].x + step * uphill[n][0], slide->at[n].y + step * uphill[n][1]);
        }
    }
    TRY(sites_solve(slide, sites, slide->count * LENGTHS, slide->tried, error));
    TRY(score(slide, slide->level, &best, error));
    *gained = false;
    for (int n = 0; n < slide->count; n++) {
        for (int k = 0; k < LENGTHS; k++) {
            memcpy(slide->spare, slide->level, (size_t)slide->count * bytes);
            memcpy(slide->spare + row_of(slide, n), slide->tried + row_of(slide, n * LENGTHS + k), bytes);
            TRY(score(slide, slide->spare, &one, error));
            if (cover_better(&slide->cover, &one, &best)) {
                best = one;
                *gained = true;
                slide->at[n] = sites[n * LENGTHS + k];
                memcpy(slide->level, slide->spare, (size_t)slide->count * bytes);
            }
        }
    }
    return PW_OK;
}

/* ---- the whole ---- */

static void slide_close(struct slide *slide)
{
    ground_free(&slide->ground);
    PW_FREE_ALL(slide->level, slide->tried, slide->spare);
}

static pw_status slide_open(const struct pw_siting *siting, const pw_siting_need *need, const pw_siting_answer *answer,
                            struct slide *slide, pw_error *error)
{
    const size_t places = (size_t)siting->places.count;
    const double total = siting->total_weight;
    *slide = (struct slide){.siting = siting,
                            .need = need,
                            .count = answer->count,
                            .reach = REACH * siting->options.candidate_spacing,
                            .cover = {.candidates = answer->count,
                                      .demand = siting->places.count,
                                      .weight = siting->weight,
                                      .total = total,
                                      .slack = 1e-9 * total,
                                      .need = need->level,
                                      .second = need->second_level,
                                      .has_second = need->has_second,
                                      .want = need->best > 0 ? 0.0 : need->share * total,
                                      .want_second = need->best > 0 ? 0.0 : need->second_share * total}};
    for (int n = 0; n < answer->count; n++) {
        slide->from[n] = slide->at[n] = siting->candidates.site[answer->site[n]];
    }
    slide->level = allocate((size_t)slide->count * places, sizeof(double), "levels of a slide", error);
    slide->spare = allocate((size_t)slide->count * places, sizeof(double), "levels of a slide", error);
    slide->tried = allocate((size_t)slide->count * LENGTHS * places, sizeof(double), "levels of a slide", error);
    TRY_MADE(slide->level != NULL && slide->spare != NULL && slide->tried != NULL);
    OWNED_AS(pw_setup) *setup = NULL;
    TRY(pw_setup_create(siting->scenario, PW_SINGLE, false, &setup, error));
    return ground_create(setup, siting->options.place_height, &slide->ground, error);
}

/* From where they began and where they ended, on one grid: *better, and the scores of both. The levels are then those
 * of the better ones. */
static pw_status ends_check(struct slide *slide, struct cover_score ends[2], bool *better, pw_error *error)
{
    const size_t bytes = (size_t)slide->count * (size_t)slide->cover.demand * sizeof *slide->level;
    pw_site sites[2 * PW_SITING_MOST] = {{0}};
    memcpy(sites, slide->from, (size_t)slide->count * sizeof *sites);
    memcpy(sites + slide->count, slide->at, (size_t)slide->count * sizeof *sites);
    TRY(sites_solve(slide, sites, 2 * slide->count, slide->tried, error));
    for (int e = 0; e < 2; e++) {
        TRY(score(slide, slide->tried + row_of(slide, e * slide->count), &ends[e], error));
    }
    *better = cover_better(&slide->cover, &ends[1], &ends[0]);
    memcpy(slide->level, slide->tried + row_of(slide, *better ? slide->count : 0), bytes);
    return PW_OK;
}

static pw_status slide_run(struct slide *slide, pw_error *error)
{
    double uphill[PW_SITING_MOST][2], length = slide->reach;
    const double least = ASIDE * PW_SPEED_OF_LIGHT / slide->siting->asked.band_centre;
    TRY(sites_solve(slide, slide->from, slide->count, slide->level, error));
    for (int round = 0; round < ROUNDS && length > least; round++) {
        bool gained = false;
        TRY(slopes_find(slide, uphill, error));
        TRY(steps_take(slide, uphill, length, &gained, error));
        length *= gained ? 0.5 : ldexp(1.0, -LENGTHS);
    }
    return PW_OK;
}

/* What was found becomes the siting's and the answer's. */
static void slide_keep(const struct slide *slide, const struct cover_score ends[2], bool better, pw_siting *siting,
                       pw_siting_answer *answer, pw_siting_slid *slid)
{
    const size_t places = (size_t)siting->places.count;
    const struct cover_score *end = &ends[better];
    *slid = (pw_siting_slid){.runs = slide->runs,
                             .share_before = ends[0].covered / siting->total_weight,
                             .mean_before = ends[0].mean,
                             .share = end->covered / siting->total_weight,
                             .mean = end->mean};
    for (int n = 0; n < slide->count; n++) {
        pw_site *site = &siting->candidates.site[answer->site[n]];
        site->x = better ? slide->at[n].x : slide->from[n].x;
        site->y = better ? slide->at[n].y : slide->from[n].y;
        answer->moved[n] = hypot(site->x - slide->from[n].x, site->y - slide->from[n].y);
        memcpy(siting->level + (size_t)answer->site[n] * places, slide->level + row_of(slide, n),
               places * sizeof *slide->level);
    }
    answer->share = slid->share;
    answer->second_share = end->doubled / siting->total_weight;
    answer->mean_level = end->mean;
    answer->met = slide->need->best > 0 || end->lacking <= 2.0 * slide->cover.slack;
    answer->slid = better;
}

static void slide_print(const pw_siting *siting, const pw_siting_answer *answer, const pw_siting_slid *slid,
                        FILE *report)
{
    int moved = 0;
    for (int n = 0; n < answer->count; n++) {
        const pw_site *site = &siting->candidates.site[answer->site[n]];
        if (answer->moved[n] > 0.0) {
            fprintf(report, "  ap%d slid by %.2f m to (%.3f, %.3f) m\n", n + 1, answer->moved[n], site->x, site->y);
            moved++;
        }
    }
    fprintf(report, "sliding, %d runs: %scovered %.2f %% -> %.2f %%, mean level %.2f -> %.2f dBm\n", slid->runs,
            moved > 0 ? "" : "no place nearby is better; ", 100.0 * slid->share_before, 100.0 * slid->share,
            slid->mean_before, slid->mean);
}

pw_status pw_siting_slide(pw_siting *siting, const pw_siting_need *need, pw_siting_answer *answer, FILE *report,
                          pw_siting_slid *slid, pw_error *error)
{
    OWNED_BY(slide_close) struct slide slide = {0};
    struct cover_score ends[2];
    bool better = false;
    pw_siting_slid own;
    slid = slid != NULL ? slid : &own;
    FAIL_IF(siting->level == NULL || answer->count < 1 || answer->count > PW_SITING_MOST, error, PW_USAGE,
            "there is no answer that could slide");
    TRY(slide_open(siting, need, answer, &slide, error));
    TRY(slide_run(&slide, error));
    TRY(ends_check(&slide, ends, &better, error));
    slide_keep(&slide, ends, better, siting, answer, slid);
    if (report != NULL) {
        slide_print(siting, answer, slid, report);
    }
    return PW_OK;
}
