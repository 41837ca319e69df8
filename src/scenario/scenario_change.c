/* What a scenario holds, told through the interface, and the changes that it takes there (api/scenario.h,
 * api/plan/plan.h).
 */
#include "api/plan/plan.h"
#include "base/status.h"
#include "scenario/scenario_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what it holds ---- */

pw_scenario_facts pw_scenario_describe(const pw_scenario *scenario)
{
    const struct stop_choice *stop = &scenario->stop;
    return (pw_scenario_facts){.file = scenario->file,
                               .title = scenario->title,
                               .dimensions = scenario->dimensions,
                               .horizontal = scenario->horizontal,
                               .band_centre = scenario->band_centre,
                               .band_width = scenario->band_width,
                               .transmitter_count = scenario->transmitter_count,
                               .receiver_count = scenario->receiver_count,
                               .spectra = scenario->spectra.enabled,
                               .end_open = stop->decay_open && stop->after == 0.0 && stop->steps == 0,
                               .frequencies_open = scenario->spectra.count == 0,
                               .frequency_count = scenario->spectra.count,
                               .decay = stop->decay_open ? 0.0 : stop->decay};
}

static bool is_point(const struct transmitter_choice *choice)
{
    bool level = choice->to_height == choice->height || isnan(choice->height) || isnan(choice->to_height);
    return choice->at.x == choice->to.x && choice->at.y == choice->to.y && level;
}

static bool is_upright(struct direction polarisation)
{
    return fabs(polarisation.z) > 1.0 - 1e-12;
}

static enum antenna_kind plain_antenna(const struct scenario *scenario)
{
    return scenario->dimensions == 3 ? ANTENNA_HERTZIAN : ANTENNA_ISOTROPIC;
}

pw_scenario_transmitter pw_scenario_describe_transmitter(const pw_scenario *scenario, int transmitter)
{
    const struct transmitter_choice *choice = &scenario->transmitters[transmitter];
    return (pw_scenario_transmitter){.name = choice->name,
                                     .x = choice->at.x,
                                     .y = choice->at.y,
                                     .to_x = choice->to.x,
                                     .to_y = choice->to.y,
                                     .height = choice->height,
                                     .power = choice->power,
                                     .channel = choice->channel,
                                     .sets_field = choice->source == SOURCE_HARD,
                                     .alike = is_point(choice) && is_upright(choice->polarisation) &&
                                              choice->antenna.kind == plain_antenna(scenario)};
}

pw_scenario_receiver pw_scenario_describe_receiver(const pw_scenario *scenario, int receiver)
{
    const struct receiver_choice *choice = &scenario->receivers[receiver];
    return (pw_scenario_receiver){.name = choice->name,
                                  .x = choice->at.x,
                                  .y = choice->at.y,
                                  .height = choice->height,
                                  .alike = is_upright(choice->polarisation) &&
                                           choice->antenna.kind == plain_antenna(scenario)};
}

void pw_scenario_watch(pw_scenario *scenario, bool (*go_on)(void *user), void *user)
{
    scenario->go_on = go_on;
    scenario->go_on_user = user;
}

pw_plan_facts pw_scenario_describe_plan(const pw_scenario *scenario)
{
    const struct plan_choice *plan = &scenario->plan;
    return (pw_plan_facts){.width = plan->width,
                           .height = plan->height,
                           .image = plan->image,
                           .storey_count = plan->storey_count,
                           .shape_count = plan->shape_count};
}

pw_storey pw_scenario_describe_storey(const pw_scenario *scenario, int storey)
{
    const struct storey_choice *choice = &scenario->plan.storeys[storey];
    return (pw_storey){choice->name, storey_floor(&scenario->plan, storey), choice->height};
}

int pw_scenario_storey_at(const pw_scenario *scenario, double height)
{
    return storey_at(&scenario->plan, height);
}

int pw_scenario_find_transmitter(const pw_scenario *scenario, const char *name)
{
    int index = scenario->transmitter_count - 1;
    while (index >= 0 && strcmp(scenario->transmitters[index].name, name) != 0) {
        index--;
    }
    return index;
}

/* ---- transmitters and receivers ---- */

void pw_scenario_move_transmitter(pw_scenario *scenario, int transmitter, double dx, double dy)
{
    struct transmitter_choice *choice = &scenario->transmitters[transmitter];
    choice->at.x += dx;
    choice->to.x += dx;
    choice->at.y += dy;
    choice->to.y += dy;
}

/* A line source keeps its length and its direction; a point has no far end. */
static void transmitter_place(struct transmitter_choice *choice, double x, double y)
{
    choice->to = (struct point){x + (choice->to.x - choice->at.x), y + (choice->to.y - choice->at.y)};
    choice->at = (struct point){x, y};
}

static bool same_station(const struct transmitter_choice *one, const struct transmitter_choice *other)
{
    return one->port.number > 0 && other->port.number > 0 && strcmp(one->port.station, other->port.station) == 0;
}

void pw_scenario_place_transmitter(pw_scenario *scenario, int transmitter, double x, double y)
{
    struct transmitter_choice *one = &scenario->transmitters[transmitter];
    const double dx = x - one->at.x, dy = y - one->at.y;
    for (int t = 0; t < scenario->transmitter_count; t++) {
        if (t != transmitter && same_station(one, &scenario->transmitters[t])) {
            pw_scenario_move_transmitter(scenario, t, dx, dy);
        }
    }
    transmitter_place(one, x, y);
}

static pw_status check_new_name(const pw_scenario *scenario, const char *name, pw_error *error)
{
    FAIL_IF(!name_is_good(name), error, PW_BAD_INPUT, "a name is made of %s, at most %d bytes", NAME_LETTERS,
            NAME_SIZE - 1);
    FAIL_IF(name_reserved(name) != NULL, error, PW_BAD_INPUT, "the name '%s': %s", name, name_reserved(name));
    return pw_scenario_find_transmitter(scenario, name) < 0
               ? PW_OK
               : fail(error, PW_BAD_INPUT, "there is a transmitter '%s' already", name);
}

pw_status pw_scenario_add_transmitter(pw_scenario *scenario, int model, const char *name, double x, double y,
                                      pw_error *error)
{
    const int count = scenario->transmitter_count;
    TRY(check_new_name(scenario, name, error));
    struct transmitter_choice *grown = realloc(scenario->transmitters, (size_t)(count + 1) * sizeof *grown);
    FAIL_IF(grown == NULL, error, PW_NO_RESOURCE, "not enough memory for a transmitter");
    scenario->transmitters = grown;
    struct transmitter_choice added = grown[model];
    FAIL_IF(added.waveform.file != NULL && (added.waveform.file = strdup(added.waveform.file)) == NULL, error,
            PW_NO_RESOURCE, "not enough memory for a transmitter");
    snprintf(added.name, sizeof added.name, "%s", name);
    added.port = (pw_port){0}; /* a copy is no antenna of the model's station */
    transmitter_place(&added, x, y);
    grown[count] = added;
    scenario->transmitter_count++;
    return PW_OK;
}

void pw_scenario_set_power(pw_scenario *scenario, int transmitter, double power)
{
    struct transmitter_choice *choice = &scenario->transmitters[transmitter];
    choice->conducted += power - choice->power;
    choice->power = power;
}

pw_status pw_scenario_set_channel(pw_scenario *scenario, int transmitter, int number, double width, pw_error *error)
{
    pw_wifi_channel channel = {0};
    if (number != 0) {
        TRY(pw_wifi_channel_find(scenario->band_centre, number, width, &channel, error));
    }
    scenario->transmitters[transmitter].channel = channel;
    return PW_OK;
}

pw_status pw_scenario_rename_transmitter(pw_scenario *scenario, int transmitter, const char *name, pw_error *error)
{
    struct transmitter_choice *choice = &scenario->transmitters[transmitter];
    TRY(strcmp(choice->name, name) != 0 ? check_new_name(scenario, name, error) : PW_OK);
    snprintf(choice->name, sizeof choice->name, "%s", name);
    return PW_OK;
}

void pw_scenario_add_power(pw_scenario *scenario, int transmitter, double decibels)
{
    scenario->transmitters[transmitter].power += decibels;
    scenario->transmitters[transmitter].conducted += decibels;
}

void pw_scenario_set_level_interval(pw_scenario *scenario, double decibels)
{
    scenario->level_interval = decibels;
}

double pw_scenario_level_interval(const pw_scenario *scenario)
{
    return scenario->level_interval;
}

int pw_scenario_clutter_count(const pw_scenario *scenario)
{
    return scenario->plan.clutter_count;
}

void pw_scenario_set_clutter_seed(pw_scenario *scenario, int seed)
{
    for (int n = 0; n < scenario->plan.clutter_count; n++) {
        scenario->plan.clutter[n].seed = seed;
    }
}

/* Where `wanted` stands in a list; -1: not there. */
static int index_of(const int *list, int count, int wanted)
{
    int n = count - 1;
    while (n >= 0 && list[n] != wanted) {
        n--;
    }
    return n;
}

/* An array without one of its antennas is none: those that are left stand on their own. */
static void break_stations(struct transmitter_choice *list, int count)
{
    for (int t = 0; t < count; t++) {
        const int *shape = list[t].port.shape;
        int antennas = 0;
        for (int other = 0; other < count; other++) {
            antennas += same_station(&list[t], &list[other]);
        }
        for (int other = count - 1; antennas < shape[0] * shape[1] * shape[2] && other >= t; other--) {
            if (same_station(&list[t], &list[other])) {
                list[other].port = (pw_port){0};
            }
        }
    }
}

pw_status pw_scenario_keep_transmitters(pw_scenario *scenario, const int *kept, int count, pw_error *error)
{
    int total = scenario->transmitter_count;
    for (int n = 0; n < count; n++) {
        FAIL_IF(kept[n] < 0 || kept[n] >= total || index_of(kept, n, kept[n]) >= 0, error, PW_USAGE,
                "transmitter %d cannot be kept: there are 0 to %d, each to be kept once", kept[n], total - 1);
    }
    FAIL_IF(count < 1, error, PW_USAGE, "a scenario keeps at least one transmitter");
    struct transmitter_choice *ordered = allocate((size_t)total, sizeof *ordered, "transmitters", error);
    TRY_MADE(ordered);
    for (int t = 0; t < total; t++) {
        int at = index_of(kept, count, t);
        if (at >= 0) {
            ordered[at] = scenario->transmitters[t];
        } else {
            free(scenario->transmitters[t].waveform.file);
        }
    }
    free(scenario->transmitters);
    break_stations(ordered, count);
    scenario->transmitters = ordered; /* behind the last it is zero */
    scenario->transmitter_count = count;
    return PW_OK;
}

/* A copy of the model at a place; it owns what it holds. */
static pw_status transmitter_put(const struct transmitter_choice *model, const pw_scenario_place *place,
                                 struct transmitter_choice *choice, pw_error *error)
{
    *choice = *model;
    choice->port = (pw_port){0}; /* a copy is no antenna of the model's station */
    memcpy(choice->name, place->name, sizeof choice->name);
    choice->at = choice->to = (struct point){place->x, place->y};
    choice->height = choice->to_height = place->height;
    if (!is_point(model)) { /* a line keeps its direction and length */
        choice->to.x += model->to.x - model->at.x;
        choice->to.y += model->to.y - model->at.y;
        choice->to_height += model->to_height - model->height;
    }
    if (model->waveform.file != NULL) {
        choice->waveform.file = strdup(model->waveform.file);
        return choice->waveform.file != NULL ? PW_OK
                                             : fail(error, PW_NO_RESOURCE, "not enough memory for transmitters");
    }
    return PW_OK;
}

pw_status pw_scenario_put_transmitters(pw_scenario *scenario, int model, const pw_scenario_place *places, int count,
                                       pw_error *error)
{
    struct transmitter_choice *made = allocate((size_t)count, sizeof *made, "transmitters", error);
    pw_status status = made != NULL ? PW_OK : PW_NO_RESOURCE;
    int done = 0;
    while (status == PW_OK && done < count) {
        status = transmitter_put(&scenario->transmitters[model], &places[done], &made[done], error);
        done++;
    }
    struct transmitter_choice *left = status == PW_OK ? scenario->transmitters : made;
    const int left_count = status == PW_OK ? scenario->transmitter_count : done;
    for (int n = 0; n < left_count; n++) {
        free(left[n].waveform.file);
    }
    free(left);
    if (status == PW_OK) {
        scenario->transmitters = made;
        scenario->transmitter_count = count;
    }
    return status;
}

void pw_scenario_drop_receivers(pw_scenario *scenario)
{
    for (int e = 0; e < scenario->receiver_entry_count; e++) {
        free(scenario->receiver_entries[e].file);
    }
    scenario->receiver_entry_count = scenario->receiver_count = scenario->lattice_receiver_count = 0;
}

void pw_scenario_drop_spectra_receivers(pw_scenario *scenario)
{
    int kept = 0;
    for (int e = 0; e < scenario->receiver_entry_count; e++) {
        struct receiver_entry *entry = &scenario->receiver_entries[e];
        if (entry->record == RECORD_SPECTRA) {
            free(entry->file);
        } else {
            scenario->receiver_entries[kept++] = *entry;
        }
    }
    scenario->receiver_entry_count = kept;
    scenario->lattice_receiver_count = 0;
}

/* ---- spectra and the end of the run ---- */

void pw_scenario_set_region(pw_scenario *scenario, const double *corners)
{
    struct spectra_choice *spectra = &scenario->spectra;
    spectra->has_region = corners != NULL;
    if (corners != NULL) {
        spectra->enabled = true;
        spectra->from = (struct point){corners[0], corners[1]};
        spectra->to = (struct point){corners[2], corners[3]};
    }
}

pw_status pw_scenario_set_heights(pw_scenario *scenario, const double *heights, int count, pw_error *error)
{
    struct spectra_choice *spectra = &scenario->spectra;
    FAIL_IF(count > HEIGHT_LIMIT, error, PW_USAGE, "spectra at %d heights; allowed are %d", count, HEIGHT_LIMIT);
    for (int n = 0; n < count; n++) {
        spectra->heights[n] = heights[n];
    }
    spectra->height_count = count;
    spectra->cut_count = 0;
    return PW_OK;
}

void pw_scenario_set_frequencies(pw_scenario *scenario, int count)
{
    scenario->spectra.count = count;
}

void pw_scenario_set_decay(pw_scenario *scenario, double decay)
{
    scenario->stop.decay = decay;
    scenario->stop.decay_open = false;
}

void pw_scenario_scale_cell(pw_scenario *scenario, double factor)
{
    scenario->grid.cell *= factor;
    scenario->spectra.spacing = (int)fmax(1.0, floor(scenario->spectra.spacing / factor));
}

void pw_scenario_confine_spectra(pw_scenario *scenario, double x0, double y0, double x1, double y1)
{
    struct spectra_choice *spectra = &scenario->spectra;
    spectra->from = (struct point){fmax(x0, 0.0), fmax(y0, 0.0)};
    spectra->to = (struct point){x1, y1};
    if (scenario->plan.width > 0.0) {
        spectra->to = (struct point){fmin(x1, scenario->plan.width), fmin(y1, scenario->plan.height)};
        spectra->has_region = true;
    }
    spectra->cut_count = spectra->height_count > 0 ? 0 : spectra->cut_count;
}

void pw_scenario_open_steps(pw_scenario *scenario, double time_step)
{
    scenario->grid.courant = 0;
    scenario->spectra.every = 0;
    if (scenario->stop.steps > 0) {
        double lasted = (double)scenario->stop.steps * time_step;
        scenario->stop.after = scenario->stop.after > 0 ? fmin(scenario->stop.after, lasted) : lasted;
        scenario->stop.steps = 0;
    }
}

static bool was_fitted(const struct plan_choice *plan)
{
    bool any = false;
    for (int n = 0; n < plan->legend_count; n++) {
        any = any || plan->legend[n].material.fit_error > 0;
    }
    for (int n = 0; n < plan->shape_count; n++) {
        any = any || plan->shapes[n].material.fit_error > 0;
    }
    for (int n = 0; n < plan->clutter_count; n++) {
        for (int m = 0; m < plan->clutter[n].material_count; m++) {
            any = any || plan->clutter[n].materials[m].fit_error > 0;
        }
    }
    return any;
}

pw_status pw_scenario_set_band(pw_scenario *scenario, double centre, double width, pw_error *error)
{
    const double before = scenario->band_centre;
    FAIL_IF(!(width > 0 && centre - 0.5 * width > 0 && centre < HUGE_VAL), error, PW_BAD_INPUT,
            "a band of %g Hz around %g Hz: its width must be above 0, and its lower edge too", width, centre);
    FAIL_IF(was_fitted(&scenario->plan), error, PW_BAD_INPUT,
            "materials of this plan were fitted over the band, so that the band can only be changed in the "
            "file of the scenario");
    scenario->band_centre = centre;
    scenario->band_width = width;
    for (int t = 0; t < scenario->transmitter_count; t++) {
        struct waveform_choice *waveform = &scenario->transmitters[t].waveform;
        waveform->frequency = waveform->frequency == before ? centre : waveform->frequency;
        if (!channel_suits(&scenario->transmitters[t].channel, centre)) {
            scenario->transmitters[t].channel = (pw_wifi_channel){0};
        }
    }
    return PW_OK;
}

/* ---- title and text ---- */

pw_status pw_scenario_set_title(pw_scenario *scenario, const char *title, pw_error *error)
{
    char *copy = strdup(title);
    FAIL_IF(copy == NULL, error, PW_NO_RESOURCE, "not enough memory for a title");
    free(scenario->title);
    scenario->title = copy;
    return PW_OK;
}

pw_status pw_scenario_write(pw_scenario *scenario, const char *path, char **text, pw_error *error)
{
    return path != NULL ? scenario_write_for(scenario, path, text, error) : scenario_write(scenario, text, error);
}
