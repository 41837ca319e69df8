/* From a scenario to a siting: candidates and places, who sends, and the scenario of the runs (siting.h). */
#include "siting/siting.h"

#include "api/backend.h"
#include "base/constants.h"
#include "discretize/setup.h"
#include "map/map_grid.h"

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
    const struct scenario *scenario = siting->scenario;
    const char *name = siting->options.model;
    for (int t = 0; name != NULL && t < scenario->transmitter_count; t++) {
        if (strcmp(scenario->transmitters[t].name, name) == 0) {
            siting->model = t;
            name = NULL;
        }
    }
    if (name != NULL) {
        char names[300] = "";
        for (int t = 0; t < scenario->transmitter_count && strlen(names) < 200; t++) {
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", t > 0 ? ", " : "",
                     scenario->transmitters[t].name);
        }
        return fail(error, PW_BAD_INPUT, "%s has no transmitter '%.60s' to take as the access point; it has: %s",
                    scenario->file, name, names);
    }
    const struct transmitter_choice *model = &scenario->transmitters[siting->model];
    if (model->source == SOURCE_HARD) {
        return fail(error, PW_BAD_INPUT, "transmitter '%s' sets a field (source: hard), so that its power is not known",
                    model->name);
    }
    return PW_OK;
}

static bool model_is_point(const struct transmitter_choice *model)
{
    bool level = model->to_height == model->height || isnan(model->height) || isnan(model->to_height);
    return model->at.x == model->to.x && model->at.y == model->to.y && level;
}

/* Whether the access point sends alike in all directions of the plan, and to all heights. */
static bool model_is_alike(const struct pw_siting *siting)
{
    const struct transmitter_choice *model = &siting->scenario->transmitters[siting->model];
    bool upright = fabs(model->polarisation.z) > 1.0 - 1e-12;
    enum antenna_kind alike = siting->scenario->dimensions == 3 ? ANTENNA_HERTZIAN : ANTENNA_ISOTROPIC;
    return model_is_point(model) && upright && model->antenna.kind == alike;
}

static pw_status sender_choose(struct pw_siting *siting, pw_error *error)
{
    const pw_siting_options *options = &siting->options;
    int candidates = siting->candidates.count, places = siting->places.count;
    if (!model_is_alike(siting)) {
        if (options->runs == PW_SITING_PLACES_SEND) {
            return fail(
                error, PW_USAGE,
                "transmitter '%s' has an antenna with directions, a line or a tilted polarisation, so that a run "
                "from a place does not tell what it sends there; let the candidates send",
                siting->scenario->transmitters[siting->model].name);
        }
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

struct transmitter_choice *transmitters_at(const struct pw_siting *siting, const struct site_list *sites,
                                           const char *prefix, int step, int *count, pw_error *error)
{
    const struct transmitter_choice *model = &siting->scenario->transmitters[siting->model];
    *count = (sites->count + step - 1) / step;
    struct transmitter_choice *transmitters =
        allocate((size_t)*count, sizeof *transmitters, "transmitters at all candidates", error);
    for (int n = 0; transmitters != NULL && n < *count; n++) {
        const pw_site *site = &sites->site[n * step];
        struct transmitter_choice *transmitter = &transmitters[n];
        *transmitter = *model;
        snprintf(transmitter->name, sizeof transmitter->name, "%s%d", prefix, n * step + 1);
        transmitter->at = transmitter->to = (struct point){site->x, site->y};
        transmitter->height = transmitter->to_height = site->height;
        if (!model_is_point(model)) { /* a line keeps its direction and length */
            transmitter->to.x += model->to.x - model->at.x;
            transmitter->to.y += model->to.y - model->at.y;
            transmitter->to_height += model->to_height - model->height;
        }
    }
    return transmitters;
}

/* ---- the scenario of the runs ---- */

/* The spectra that are read: around all points. */
static void spectra_confine(const struct pw_siting *siting, const struct setup *setup, struct spectra_choice *spectra)
{
    const struct site_list *takers = siting_takers(siting);
    double wavelength = SPEED_OF_LIGHT / setup->chosen.band_centre;
    double margin = wavelength + fmax(0.0, siting->options.mean_width);
    struct point low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    for (int n = 0; n < takers->count; n++) {
        low = (struct point){fmin(low.x, takers->site[n].x), fmin(low.y, takers->site[n].y)};
        high = (struct point){fmax(high.x, takers->site[n].x), fmax(high.y, takers->site[n].y)};
    }
    spectra->enabled = spectra->has_region = true;
    low = (struct point){fmax(low.x - margin, 0.0), fmax(low.y - margin, 0.0)};
    if (setup->chosen.dimensions == 2) {
        /* Points where those of the whole plan are, so that levels are those of maps. */
        const struct problem *problem = &setup->problem;
        double cell = problem->axis[0].spacing, pitch = problem->spectra.spacing * cell;
        struct point first = {setup->origin.x + problem->spectra.x0 * cell,
                              setup->origin.y + problem->spectra.y0 * cell};
        low.x = first.x + pitch * fmax(0.0, floor((low.x - first.x) / pitch));
        low.y = first.y + pitch * fmax(0.0, floor((low.y - first.y) / pitch));
    }
    spectra->from = low;
    spectra->to = (struct point){fmin(high.x + margin, setup->plan.width), fmin(high.y + margin, setup->plan.height)};
    spectra->cut_count = 0;
}

/* In three dimensions the planes of the spectra are those of all points: a point between them would be read in a plane
 * that is not its own. */
static pw_status planes_choose(const struct pw_siting *siting, struct spectra_choice *spectra, pw_error *error)
{
    const struct site_list *takers = siting_takers(siting);
    int known = 0;
    for (int n = 0; n < takers->count; n++) {
        bool fresh = true;
        for (int k = 0; k < known; k++) {
            fresh = fresh && spectra->heights[k] != takers->site[n].height;
        }
        if (fresh && known == HEIGHT_LIMIT) {
            return fail(error, PW_BAD_INPUT, "%s at more than %d different heights; a result has no more planes",
                        siting->places_send ? "candidates" : "places", HEIGHT_LIMIT);
        }
        if (fresh) {
            spectra->heights[known++] = takers->site[n].height;
        }
    }
    spectra->height_count = known;
    return PW_OK;
}

/* The end of the run and the number of frequencies, where the user left them open. */
static void run_shorten(const struct pw_siting *siting, const struct setup *setup, struct scenario *run)
{
    const struct scenario *asked = siting->scenario;
    double gone = energy_transport_decay_time(setup->transport, pow(10.0, 0.1 * PROFILE_DECAY));
    double across = hypot(setup->plan.width, setup->plan.height) / SPEED_OF_LIGHT;
    if (siting->options.keep_accuracy) {
        return;
    }
    if (asked->stop.decay_open && asked->stop.after == 0.0 && asked->stop.steps == 0) {
        run->stop.decay = fmax(run->stop.decay, ENOUGH_DECAY);
    }
    if (asked->spectra.count == 0 && isfinite(gone) && run->band_width > 0.0) {
        double count = ceil(fmax(gone, ACROSS * across) * run->band_width) + 1.0;
        run->spectra.count = (int)fmin(run->spectra.count, fmax(count, FEWEST_FREQUENCIES));
    }
}

/* The scenario with these transmitters and no receivers; what was open stays open. The caller frees *scenario. */
static pw_status scenario_with(const struct pw_siting *siting, const struct site_list *sites, const char *prefix,
                               int step, pw_scenario **scenario, pw_error *error)
{
    struct scenario run = *siting->scenario;
    char *text = NULL;
    run.transmitters = transmitters_at(siting, sites, prefix, step, &run.transmitter_count, error);
    if (run.transmitters == NULL) {
        return PW_NO_RESOURCE;
    }
    run.receiver_entry_count = run.receiver_count = run.lattice_receiver_count = 0;
    pw_status status = scenario_write(&run, &text, error);
    if (status == PW_OK) {
        status = pw_scenario_parse(siting->scenario->file, text, NULL, 0, scenario, error);
    }
    free(text);
    free(run.transmitters);
    return status;
}

/* The senders, of very many some that are spread over all, decide what a grid has to be; all runs then have the same.
 */
static pw_status runs_decide(struct pw_siting *siting, pw_error *error)
{
    const struct site_list *senders = siting_senders(siting);
    const char *prefix = siting->places_send ? "place" : "candidate";
    pw_scenario *tried = NULL;
    pw_setup *setup = NULL;
    int step = (senders->count + TRIED_SENDERS - 1) / TRIED_SENDERS;
    pw_status status = scenario_with(siting, senders, prefix, step, &tried, error);
    status = status == PW_OK ? pw_setup_create(tried, PW_SINGLE, false, &setup, error) : status;
    if (status == PW_OK) {
        struct scenario run = setup->chosen;
        spectra_confine(siting, setup, &run.spectra);
        status = run.dimensions == 3 ? planes_choose(siting, &run.spectra, error) : PW_OK;
        run_shorten(siting, setup, &run);
        run.transmitters = transmitters_at(siting, senders, prefix, 1, &run.transmitter_count, error);
        status = run.transmitters == NULL ? PW_NO_RESOURCE : status;
        status = status == PW_OK ? scenario_write(&run, &siting->text, error) : status;
        free(run.transmitters);
        siting->facts = pw_setup_facts(setup);
        for (size_t n = 0; n < pw_setup_warning_count(setup); n++) {
            warn(&siting->notes, "%s", pw_setup_warning(setup, n));
        }
    }
    pw_setup_free(setup);
    pw_scenario_free(tried);
    return status;
}

/* ---- creation ---- */

/* Places have a height where that counts: in three dimensions, and where the access point has one. */
static void heights_choose(struct pw_siting *siting)
{
    const struct transmitter_choice *model = &siting->scenario->transmitters[siting->model];
    if (isnan(siting->options.place_height) && (siting->scenario->dimensions == 3 || !isnan(model->height))) {
        siting->options.place_height = TERMINAL_HEIGHT;
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
    status = status == PW_OK ? places_find(siting, &ground, error) : status;
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
    snprintf(siting->backend, sizeof siting->backend, "%s", options->backend != NULL ? options->backend : "auto");
    options->backend = siting->backend;
    options->model = options->candidate_path = options->place_path = NULL;
    options->candidates = options->places = NULL;
    options->areas = NULL;
    options->candidate_count = options->place_count = options->area_count = 0;
    siting->facts.title = siting->scenario->title; /* that of the scenario of the runs is gone */
}

pw_status pw_siting_create(const pw_scenario *scenario, const pw_siting_options *options, pw_siting **siting,
                           pw_error *error)
{
    pw_siting_options usual = pw_siting_options_default();
    *siting = NULL;
    if (scenario == NULL) {
        return fail(error, PW_USAGE, "%s: no scenario", __func__);
    }
    struct pw_siting *made = allocate(1, sizeof *made, "a siting", error);
    if (made == NULL) {
        return PW_NO_RESOURCE;
    }
    made->scenario = scenario;
    made->options = options != NULL ? *options : usual;
    pw_status status = model_find(made, error);
    if (status == PW_OK) {
        heights_choose(made);
        status = points_find(made, error);
    }
    status = status == PW_OK ? sender_choose(made, error) : status;
    status = status == PW_OK ? runs_decide(made, error) : status;
    if (status != PW_OK) {
        pw_siting_free(made);
        return status;
    }
    options_own(made);
    *siting = made;
    return PW_OK;
}

void pw_siting_free(pw_siting *siting)
{
    if (siting != NULL) {
        site_list_free(&siting->candidates);
        site_list_free(&siting->places);
        free(siting->weight);
        free(siting->text);
        free(siting->level);
        warnings_free(&siting->notes);
        free(siting);
    }
}

pw_status pw_siting_forecast(const pw_siting *siting, double *seconds, pw_error *error)
{
    const struct site_list *senders = siting_senders(siting);
    pw_scenario *runs = NULL;
    pw_setup *setup = NULL;
    pw_forecast forecast = {0};
    TRY(pw_scenario_parse(siting->scenario->file, siting->text, NULL, 0, &runs, error));
    runs->transmitter_count = 1;
    pw_status status = pw_setup_create(runs, PW_SINGLE, false, &setup, error);
    if (status == PW_OK) {
        status = pw_forecast_run(setup, siting->options.backend, siting->options.threads, &forecast, error);
        *seconds = senders->count * forecast.seconds;
    }
    pw_setup_free(setup);
    runs->transmitter_count = senders->count;
    pw_scenario_free(runs);
    return status;
}

/* ---- what it holds ---- */

pw_siting_facts pw_siting_describe(const pw_siting *siting)
{
    const struct scenario *scenario = siting->scenario;
    double mean = siting->options.mean_width;
    return (pw_siting_facts){.candidate_count = siting->candidates.count,
                             .place_count = siting->places.count,
                             .places_send = siting->places_send,
                             .runs = siting_senders(siting)->count,
                             .total_weight = siting->total_weight,
                             .local_mean_error = siting->facts.local_mean_error,
                             .mean_width = mean == 0.0 ? SPEED_OF_LIGHT / scenario->band_centre : mean,
                             .power = scenario->transmitters[siting->model].power,
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
                                     receiver_noise(bandwidth, figure), assigned, error);
}
