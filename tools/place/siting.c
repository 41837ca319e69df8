/* From a scenario to a siting: candidates and places, who sends, and the scenario of the runs (siting.h). */
#include "place/siting.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Powers need less of a run than delays do: it may end when the energy is so far down, and profiles may repeat when it
 * is forecast to be a little lower. In the flat levels changed by 0.02 dB (root mean square) against a run to -50 dB
 * with all frequencies. */
static const double ENOUGH_DECAY = -25.0, PROFILE_DECAY = -32.0; /* dB */
/* The direct path across the plan is not to fold back either. */
static const double ACROSS = 1.5;
enum { FEWEST_FREQUENCIES = 16, TRIED_SENDERS = 512 };

pw_siting_options pw_siting_options_default(void)
{
    return (pw_siting_options){.candidate_spacing = 2.0,
                               .place_spacing = 0.5,
                               .place_height = NAN,
                               .spreading = PW_SPREADING_AUTO,
                               .runs = PW_SITING_AUTO};
}

/* ---- who sends ---- */

static pw_status model_find(struct pw_siting *siting, pw_error *error)
{
    const char *name = siting->options.model;
    siting->model = name != NULL ? pw_scenario_find_transmitter(siting->scenario, name) : 0;
    if (siting->model < 0) {
        char names[300] = "";
        for (int t = 0; t < siting->asked.transmitter_count && strlen(names) < 200; t++) {
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", t > 0 ? ", " : "",
                     pw_scenario_describe_transmitter(siting->scenario, t).name);
        }
        return fail(error, PW_BAD_INPUT, "%s has no transmitter '%.60s' to take as the access point; it has: %s",
                    siting->asked.file, name, names);
    }
    FAIL_IF(siting_model(siting).sets_field, error, PW_BAD_INPUT,
            "transmitter '%s' sets a field (source: hard), so that its power is not known", siting_model(siting).name);
    return PW_OK;
}

static pw_status sender_choose(struct pw_siting *siting, pw_error *error)
{
    const pw_siting_options *options = &siting->options;
    int candidates = siting->candidates.count, places = siting->places.count;
    if (!siting_model(siting).alike) {
        FAIL_IF(options->runs == PW_SITING_PLACES_SEND, error, PW_USAGE,
                "transmitter '%s' has an antenna with directions, a line or a tilted polarisation, so that a run "
                "from a place does not tell what it sends there; let the candidates send",
                siting_model(siting).name);
        snprintf(siting->why, sizeof siting->why,
                 "the candidates send, since their antenna has directions, which reciprocity would leave out");
        return PW_OK;
    }
    siting->places_send =
        options->runs == PW_SITING_PLACES_SEND || (options->runs == PW_SITING_AUTO && places < candidates);
    snprintf(siting->why, sizeof siting->why, "the %s send%s", siting->places_send ? "places" : "candidates",
             options->runs != PW_SITING_AUTO ? ", as asked"
             : siting->places_send           ? ", which are fewer: levels are by reciprocity"
                                             : "");
    return PW_OK;
}

pw_status transmitters_put(pw_scenario *scenario, int model, const struct site_list *sites, const char *prefix,
                           int step, pw_error *error)
{
    const int count = (sites->count + step - 1) / step;
    pw_scenario_place *places = allocate((size_t)count, sizeof *places, "transmitters at all candidates", error);
    for (int n = 0; places != NULL && n < count; n++) {
        const pw_site *site = &sites->site[n * step];
        places[n] = (pw_scenario_place){.x = site->x, .y = site->y, .height = site->height};
        if (prefix != NULL) {
            snprintf(places[n].name, sizeof places[n].name, "%s%d", prefix, n * step + 1);
        } else {
            snprintf(places[n].name, sizeof places[n].name, "%s", sites->name[n * step]);
        }
    }
    pw_status status =
        places != NULL ? pw_scenario_put_transmitters(scenario, model, places, count, error) : PW_NO_RESOURCE;
    free(places);
    return status;
}

/* ---- the scenario of the runs ---- */

/* The spectra that are read: around all points. */
static void spectra_confine(const struct pw_siting *siting, const pw_facts *facts, pw_scenario *run)
{
    const struct site_list *takers = siting_takers(siting);
    double wavelength = PW_SPEED_OF_LIGHT / siting->asked.band_centre;
    double margin = wavelength + fmax(0.0, siting->options.mean_width);
    double low_x = INFINITY, low_y = INFINITY, high_x = -INFINITY, high_y = -INFINITY;
    for (int n = 0; n < takers->count; n++) {
        low_x = fmin(low_x, takers->site[n].x);
        low_y = fmin(low_y, takers->site[n].y);
        high_x = fmax(high_x, takers->site[n].x);
        high_y = fmax(high_y, takers->site[n].y);
    }
    low_x = fmax(low_x - margin, 0.0);
    low_y = fmax(low_y - margin, 0.0);
    if (facts->dimensions == 2) {
        /* Points where those of the whole plan are, so that levels are those of maps. */
        const double pitch = facts->spectra_pitch;
        low_x = facts->spectra_x0 + pitch * fmax(0.0, floor((low_x - facts->spectra_x0) / pitch));
        low_y = facts->spectra_y0 + pitch * fmax(0.0, floor((low_y - facts->spectra_y0) / pitch));
    }
    const double corners[4] = {low_x, low_y, fmin(high_x + margin, facts->plan_width),
                               fmin(high_y + margin, facts->plan_height)};
    pw_scenario_set_region(run, corners);
}

/* In three dimensions the planes of the spectra are those of all points: a point between them would be read in a plane
 * that is not its own. */
static pw_status planes_choose(const struct pw_siting *siting, pw_scenario *run, pw_error *error)
{
    const struct site_list *takers = siting_takers(siting);
    double heights[PW_SCENARIO_HEIGHTS];
    int known = 0;
    for (int n = 0; n < takers->count; n++) {
        bool fresh = true;
        for (int k = 0; k < known; k++) {
            fresh = fresh && heights[k] != takers->site[n].height;
        }
        FAIL_IF(fresh && known == PW_SCENARIO_HEIGHTS, error, PW_BAD_INPUT,
                "%s at more than %d different heights; a result has no more planes",
                siting->places_send ? "candidates" : "places", PW_SCENARIO_HEIGHTS);
        if (fresh) {
            heights[known++] = takers->site[n].height;
        }
    }
    return pw_scenario_set_heights(run, heights, known, error);
}

/* The end of the run and the number of frequencies, where the user left them open. */
static void run_shorten(const struct pw_siting *siting, const pw_setup *setup, pw_scenario *run)
{
    const pw_scenario_facts chosen = pw_scenario_describe(run);
    const pw_facts facts = pw_setup_facts(setup);
    double gone = pw_setup_decay_time(setup, pow(10.0, 0.1 * PROFILE_DECAY));
    double across = hypot(facts.plan_width, facts.plan_height) / PW_SPEED_OF_LIGHT;
    if (siting->options.keep_accuracy) {
        return;
    }
    if (siting->asked.end_open) {
        pw_scenario_set_decay(run, fmax(chosen.decay, ENOUGH_DECAY));
    }
    if (siting->asked.frequencies_open && isfinite(gone) && chosen.band_width > 0.0) {
        double count = ceil(fmax(gone, ACROSS * across) * chosen.band_width) + 1.0;
        pw_scenario_set_frequencies(run, (int)fmin(chosen.frequency_count, fmax(count, FEWEST_FREQUENCIES)));
    }
}

/* The scenario with these transmitters and no receivers; what was open stays open. The caller frees *scenario. */
static pw_status scenario_with(const struct pw_siting *siting, const struct site_list *sites, const char *prefix,
                               int step, pw_scenario **scenario, pw_error *error)
{
    TRY(pw_scenario_parse(siting->asked.file, pw_scenario_text(siting->scenario), NULL, 0, scenario, error));
    pw_scenario_drop_receivers(*scenario);
    return transmitters_put(*scenario, siting->model, sites, prefix, step, error);
}

/* The text of the runs, from a set-up of some of them. */
static pw_status text_make(struct pw_siting *siting, const pw_setup *setup, const char *prefix, pw_error *error)
{
    const pw_facts facts = pw_setup_facts(setup);
    OWNED_AS(pw_scenario) *run = NULL;
    siting->facts = facts;
    TRY(pw_scenario_parse(siting->asked.file, pw_setup_scenario_text(setup), NULL, 0, &run, error));
    spectra_confine(siting, &facts, run);
    TRY(facts.dimensions == 3 ? planes_choose(siting, run, error) : PW_OK);
    run_shorten(siting, setup, run);
    TRY(transmitters_put(run, 0, siting_senders(siting), prefix, 1, error));
    return pw_scenario_write(run, NULL, &siting->text, error);
}

/* The senders, of very many some that are spread over all, decide what a grid has to be; all runs then have the same.
 */
static pw_status runs_decide(struct pw_siting *siting, pw_error *error)
{
    const struct site_list *senders = siting_senders(siting);
    const char *prefix = siting->places_send ? "place" : "candidate";
    OWNED_AS(pw_scenario) *tried = NULL;
    OWNED_AS(pw_setup) *setup = NULL;
    int step = (senders->count + TRIED_SENDERS - 1) / TRIED_SENDERS;
    TRY(scenario_with(siting, senders, prefix, step, &tried, error));
    TRY(pw_setup_create(tried, PW_SINGLE, false, &setup, error));
    TRY(text_make(siting, setup, prefix, error));
    for (size_t n = 0; n < pw_setup_warning_count(setup); n++) {
        pw_note(&siting->notes, "%s", pw_setup_warning(setup, n));
    }
    return PW_OK;
}

/* ---- creation ---- */

/* Places have a height where that counts: in three dimensions, and where the access point has one. */
static void heights_choose(struct pw_siting *siting)
{
    if (isnan(siting->options.place_height) && (siting->asked.dimensions == 3 || !isnan(siting_model(siting).height))) {
        siting->options.place_height = PW_TERMINAL_HEIGHT;
    }
}

static pw_status points_find(struct pw_siting *siting, pw_error *error)
{
    pw_setup *setup = NULL;
    struct ground ground;
    TRY(pw_setup_create(siting->scenario, PW_SINGLE, false, &setup, error));
    pw_status status = ground_create(setup, siting->options.place_height, &ground, error);
    pw_setup_free(setup);
    TRY(status);
    status = candidates_find(siting, &ground, error);
    THEN(status, places_find(siting, &ground, error));
    ground_free(&ground);
    TRY(status);
    siting->weight = allocate((size_t)siting->places.count, sizeof *siting->weight, "weights of places", error);
    for (int n = 0; siting->weight != NULL && n < siting->places.count; n++) {
        siting->weight[n] = siting->places.site[n].weight;
        siting->total_weight += siting->weight[n];
    }
    return siting->weight != NULL ? PW_OK : PW_NO_RESOURCE;
}

/* What the options borrowed from the caller is let go, or becomes the siting's own. */
static void options_own(struct pw_siting *siting)
{
    pw_siting_options *options = &siting->options;
    snprintf(siting->backend, sizeof siting->backend, "%s",
             options->compute.backend != NULL ? options->compute.backend : "auto");
    options->compute.backend = siting->backend;
    options->model = options->candidate_path = options->place_path = NULL;
    options->candidates = options->places = NULL;
    options->areas = NULL;
    options->candidate_count = options->place_count = options->area_count = 0;
    siting->facts.title = siting->asked.title; /* that of the scenario of the runs is gone */
}

pw_status pw_siting_create(const pw_scenario *scenario, const pw_siting_options *options, pw_siting **siting,
                           pw_error *error)
{
    pw_siting_options usual = pw_siting_options_default();
    *siting = NULL;
    FAIL_IF(scenario == NULL, error, PW_USAGE, "%s: no scenario", __func__);
    OWNED_AS(pw_siting) *made = allocate(1, sizeof *made, "a siting", error);
    TRY_MADE(made);
    made->scenario = scenario;
    made->asked = pw_scenario_describe(scenario);
    made->options = options != NULL ? *options : usual;
    TRY(model_find(made, error));
    heights_choose(made);
    TRY(points_find(made, error));
    TRY(sender_choose(made, error));
    TRY(runs_decide(made, error));
    options_own(made);
    *siting = made;
    made = NULL;
    return PW_OK;
}

void pw_siting_free(pw_siting *siting)
{
    if (siting != NULL) {
        site_list_free(&siting->candidates);
        site_list_free(&siting->places);
        PW_FREE_ALL(siting->weight, siting->text, siting->level);
        pw_notes_free(&siting->notes);
        free(siting);
    }
}

PW_RELEASES(pw_siting, pw_siting_free)

pw_status pw_siting_forecast(const pw_siting *siting, double *seconds, pw_error *error)
{
    const struct site_list *senders = siting_senders(siting);
    OWNED_AS(pw_scenario) *runs = NULL;
    OWNED_AS(pw_setup) *setup = NULL;
    pw_forecast forecast = {0};
    TRY(pw_scenario_parse(siting->asked.file, siting->text, NULL, 0, &runs, error));
    TRY(pw_scenario_keep_transmitters(runs, (const int[]){0}, 1, error));
    TRY(pw_setup_create(runs, PW_SINGLE, false, &setup, error));
    TRY(pw_forecast_run(setup, &siting->options.compute, &forecast, error));
    *seconds = senders->count * forecast.seconds;
    return PW_OK;
}

/* ---- what it holds ---- */

pw_siting_facts pw_siting_describe(const pw_siting *siting)
{
    double mean = siting->options.mean_width;
    return (pw_siting_facts){.candidate_count = siting->candidates.count,
                             .place_count = siting->places.count,
                             .places_send = siting->places_send,
                             .runs = siting_senders(siting)->count,
                             .total_weight = siting->total_weight,
                             .local_mean_error = siting->facts.local_mean_error,
                             .mean_width = mean == 0.0 ? PW_SPEED_OF_LIGHT / siting->asked.band_centre : mean,
                             .power = siting_model(siting).power,
                             .floor = siting->floor,
                             .why = siting->why,
                             .note_count = (int)siting->notes.count,
                             .setup = siting->facts};
}

const char *pw_siting_note(const pw_siting *siting, int index)
{
    return index >= 0 && (size_t)index < siting->notes.count ? siting->notes.text[index] : "";
}

const pw_site *pw_siting_candidates(const pw_siting *siting)
{
    return siting->candidates.site;
}

const pw_site *pw_siting_places(const pw_siting *siting)
{
    return siting->places.site;
}

const double *pw_siting_levels(const pw_siting *siting)
{
    return siting->level;
}

static pw_status levels_known(const pw_siting *siting, pw_error *error)
{
    return siting->level != NULL ? PW_OK : fail(error, PW_USAGE, "the levels are not known yet: solve, or read them");
}

pw_status pw_siting_choose(const pw_siting *siting, const pw_siting_need *need, pw_siting_answer *answer,
                           pw_error *error)
{
    TRY(levels_known(siting, error));
    return pw_siting_choose_levels(siting->level, siting->weight, siting->candidates.count, siting->places.count, need,
                                   answer, error);
}

pw_status pw_siting_assign(const pw_siting *siting, const pw_siting_answer *answer, int channels, double bandwidth,
                           double figure, pw_siting_channels *assigned, pw_error *error)
{
    TRY(levels_known(siting, error));
    return pw_siting_channels_levels(siting->level, siting->weight, siting->places.count, answer, channels,
                                     pw_noise_power(bandwidth, figure), assigned, error);
}
