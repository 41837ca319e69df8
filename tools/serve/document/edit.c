/* Carrying out messages that change the scenario (edit.h); shapes are put in and erased in shapes.c. */
#include "serve/document/edit.h"

#include "base/memory.h"
#include "scenario/scenario_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRANSMITTERS_MOST = 64 };

static pw_status check_inside(const struct floorplan *plan, struct point at, pw_error *error)
{
    return at.x >= 0 && at.y >= 0 && at.x <= plan->width && at.y <= plan->height
               ? PW_OK
               : fail(error, PW_BAD_INPUT, "(%.3f, %.3f) m is not on the plan, which is %.3f m by %.3f m", at.x, at.y,
                      plan->width, plan->height);
}

static int transmitter_find(const struct scenario *scenario, const char *name)
{
    int found = -1;
    for (int t = 0; t < scenario->transmitter_count; t++) {
        found = strcmp(scenario->transmitters[t].name, name) == 0 ? t : found;
    }
    return found;
}

static pw_status transmitter_get(const struct scenario *scenario, const char *name, int *index, pw_error *error)
{
    *index = transmitter_find(scenario, name);
    return *index >= 0 ? PW_OK : fail(error, PW_BAD_INPUT, "there is no transmitter '%s'", name);
}

/* A line source keeps its length and its direction. */
static pw_status transmitter_move(struct scenario *scenario, const struct floorplan *plan,
                                  const struct message *message, pw_error *error)
{
    int index;
    TRY(transmitter_get(scenario, message->transmitter, &index, error));
    struct transmitter_choice *moved = &scenario->transmitters[index];
    struct point far = {message->at.x + (moved->to.x - moved->at.x), message->at.y + (moved->to.y - moved->at.y)};
    TRY(check_inside(plan, message->at, error));
    TRY(check_inside(plan, far, error));
    moved->at = message->at;
    moved->to = far;
    return PW_OK;
}

static void name_make(const struct scenario *scenario, char name[NAME_SIZE])
{
    for (int n = 1; n <= TRANSMITTERS_MOST + 1; n++) {
        snprintf(name, NAME_SIZE, "ap%d", n);
        if (transmitter_find(scenario, name) < 0) {
            return;
        }
    }
}

static pw_status name_choose(const struct scenario *scenario, const char *wanted, char name[NAME_SIZE], pw_error *error)
{
    if (wanted[0] == '\0') {
        name_make(scenario, name);
        return PW_OK;
    }
    if (!name_is_good(wanted)) {
        return fail(error, PW_BAD_INPUT, "a name is made of %s, at most %d", NAME_LETTERS, NAME_SIZE - 1);
    }
    if (transmitter_find(scenario, wanted) >= 0) {
        return fail(error, PW_BAD_INPUT, "there is a transmitter '%s' already", wanted);
    }
    snprintf(name, NAME_SIZE, "%s", wanted);
    return PW_OK;
}

/* The new transmitter is a copy of another in all but name and place. */
static pw_status transmitter_add(struct scenario *scenario, const struct floorplan *plan, const struct message *message,
                                 pw_error *error)
{
    int like = 0, count = scenario->transmitter_count;
    char name[NAME_SIZE];
    TRY(check_inside(plan, message->at, error));
    TRY(name_choose(scenario, message->name, name, error));
    TRY(message->like[0] != '\0' ? transmitter_get(scenario, message->like, &like, error) : PW_OK);
    if (count >= TRANSMITTERS_MOST) {
        return fail(error, PW_BAD_INPUT, "there are %d transmitters already, which is the most here", count);
    }
    struct transmitter_choice *grown = realloc(scenario->transmitters, (size_t)(count + 1) * sizeof *grown);
    if (grown == NULL) {
        return fail(error, PW_NO_RESOURCE, "not enough memory for a transmitter");
    }
    scenario->transmitters = grown;
    struct transmitter_choice added = grown[like];
    if (added.waveform.file != NULL && (added.waveform.file = strdup(added.waveform.file)) == NULL) {
        return fail(error, PW_NO_RESOURCE, "not enough memory for a transmitter");
    }
    memcpy(added.name, name, NAME_SIZE);
    added.to = (struct point){message->at.x + (added.to.x - added.at.x), message->at.y + (added.to.y - added.at.y)};
    added.at = message->at;
    grown[count] = added;
    scenario->transmitter_count++;
    return check_inside(plan, added.to, error);
}

static pw_status transmitter_remove(struct scenario *scenario, const struct message *message, pw_error *error)
{
    int index;
    TRY(transmitter_get(scenario, message->transmitter, &index, error));
    if (scenario->transmitter_count == 1) {
        return fail(error, PW_BAD_INPUT, "'%s' is the only transmitter, and a scenario needs one",
                    message->transmitter);
    }
    struct transmitter_choice *list = scenario->transmitters;
    free(list[index].waveform.file);
    scenario->transmitter_count--;
    memmove(&list[index], &list[index + 1], (size_t)(scenario->transmitter_count - index) * sizeof *list);
    return PW_OK;
}

/* ---- walls ---- */

/* Openings lie over walls: where one is met, a wall can only be drawn as an opening of its own material, which is a
 * rectangle along the axes. */
static bool meets_opening(const struct plan_choice *plan, const struct shape *wall)
{
    double half = 0.5 * wall->thickness;
    double left = fmin(wall->points[0].x, wall->points[1].x) - half;
    double right = fmax(wall->points[0].x, wall->points[1].x) + half;
    double low = fmin(wall->points[0].y, wall->points[1].y) - half;
    double high = fmax(wall->points[0].y, wall->points[1].y) + half;
    bool met = false;
    for (int n = 0; n < plan->shape_count; n++) {
        const struct shape *other = &plan->shapes[n];
        met = met || (other->kind == SHAPE_OPENING && fmin(other->points[0].x, other->points[1].x) < right &&
                      fmax(other->points[0].x, other->points[1].x) > left &&
                      fmin(other->points[0].y, other->points[1].y) < high &&
                      fmax(other->points[0].y, other->points[1].y) > low);
    }
    return met;
}

static pw_status wall_over_opening(struct shape *wall, pw_error *error)
{
    struct point *from = &wall->points[0], *to = &wall->points[1];
    double half = 0.5 * wall->thickness;
    if (from->x != to->x && from->y != to->y) {
        return fail(error, PW_BAD_INPUT,
                    "an opening lies there, and over openings walls must be level or upright: erase the opening first");
    }
    bool upright = from->x == to->x;
    struct point low = {fmin(from->x, to->x) - (upright ? half : 0), fmin(from->y, to->y) - (upright ? 0 : half)};
    struct point high = {fmax(from->x, to->x) + (upright ? half : 0), fmax(from->y, to->y) + (upright ? 0 : half)};
    *from = low;
    *to = high;
    wall->kind = SHAPE_OPENING;
    wall->thickness = 0;
    return PW_OK;
}

/* A material of the plan by its name, which may have values of its own; else one of the table. */
static pw_status material_find(const struct scenario *scenario, const char *name, struct material_choice *material,
                               pw_error *error)
{
    const struct plan_choice *plan = &scenario->plan;
    for (int n = 0; n < plan->legend_count; n++) {
        if (strcmp(plan->legend[n].material.name, name) == 0) {
            *material = plan->legend[n].material;
            return PW_OK;
        }
    }
    for (int n = 0; n < plan->shape_count; n++) {
        if (strcmp(plan->shapes[n].material.name, name) == 0) {
            *material = plan->shapes[n].material;
            return PW_OK;
        }
    }
    if (!material_known(name)) {
        return fail(error, PW_BAD_INPUT, "'%s' is neither a material of this plan nor one of " MATERIAL_REVISION, name);
    }
    *material = (struct material_choice){0};
    snprintf(material->name, sizeof material->name, "%s", material_canonical(name));
    return PW_OK;
}

static pw_status wall_draw(struct scenario *scenario, const struct floorplan *plan, const struct message *message,
                           pw_error *error)
{
    struct shape wall = {.kind = SHAPE_WALL, .thickness = message->thickness, .storey = EVERY_STOREY, .point_count = 2};
    TRY(check_inside(plan, message->from, error));
    TRY(check_inside(plan, message->to, error));
    if (hypot(message->to.x - message->from.x, message->to.y - message->from.y) < THINNEST_WALL) {
        return fail(error, PW_BAD_INPUT, "a wall needs two ends that are apart");
    }
    TRY(material_find(scenario, message->material, &wall.material, error));
    wall.points = allocate(2, sizeof *wall.points, "a wall", error);
    if (wall.points == NULL) {
        return PW_NO_RESOURCE;
    }
    wall.points[0] = message->from;
    wall.points[1] = message->to;
    pw_status status = meets_opening(&scenario->plan, &wall) ? wall_over_opening(&wall, error) : PW_OK;
    if (status != PW_OK) {
        free(wall.points);
        return status;
    }
    return edit_add_shape(&scenario->plan, &wall, error);
}

/* ---- materials, band ---- */

/* Gives one place of the plan the values of the message, where it has the material. What had the name that its values
 * gave it gets the name of its new ones. */
static pw_status choice_change(struct material_choice *choice, const struct message *message, int *places,
                               pw_error *error)
{
    char described[NAME_SIZE];
    if (strcmp(choice->name, message->name) != 0) {
        return PW_OK;
    }
    if (choice->perfect_conductor || choice->pole_count > 0 || strcmp(choice->name, "air") == 0) {
        return fail(error, PW_BAD_INPUT, "'%s' is air, a conductor or a material with poles, and stays as it is",
                    message->name);
    }
    material_describe(choice, described);
    bool unnamed = choice->own_values && strcmp(described, choice->name) == 0;
    choice->own_values = true;
    choice->relative_permittivity = message->relative_permittivity;
    choice->conductivity = message->conductivity;
    if (unnamed) {
        material_describe(choice, choice->name);
    }
    (*places)++;
    return PW_OK;
}

static pw_status material_change(struct scenario *scenario, const struct message *message, pw_error *error)
{
    struct plan_choice *plan = &scenario->plan;
    int places = 0;
    for (int n = 0; n < plan->legend_count; n++) {
        TRY(choice_change(&plan->legend[n].material, message, &places, error));
    }
    for (int n = 0; n < plan->shape_count; n++) {
        TRY(choice_change(&plan->shapes[n].material, message, &places, error));
    }
    for (int n = 0; n < plan->storey_count; n++) {
        TRY(choice_change(&plan->storeys[n].floor.material, message, &places, error));
        TRY(choice_change(&plan->storeys[n].ceiling.material, message, &places, error));
    }
    return places > 0 ? PW_OK : fail(error, PW_BAD_INPUT, "the plan has no material '%s'", message->name);
}

static bool has_fits(const struct plan_choice *plan)
{
    bool any = false;
    for (int n = 0; n < plan->legend_count; n++) {
        any = any || plan->legend[n].material.fit_error > 0;
    }
    for (int n = 0; n < plan->shape_count; n++) {
        any = any || plan->shapes[n].material.fit_error > 0;
    }
    return any;
}

/* Pulses that stood in the middle of the band go with it. */
static pw_status band_change(struct scenario *scenario, const struct message *message, pw_error *error)
{
    double before = scenario->band_centre;
    if (has_fits(&scenario->plan)) {
        return fail(error, PW_BAD_INPUT,
                    "materials of this plan were fitted over the band, so that the band can only be changed in the "
                    "file of the scenario");
    }
    scenario->band_centre = message->centre;
    scenario->band_width = isnan(message->width) ? scenario->band_width : message->width;
    for (int t = 0; t < scenario->transmitter_count; t++) {
        struct waveform_choice *waveform = &scenario->transmitters[t].waveform;
        waveform->frequency = waveform->frequency == before ? scenario->band_centre : waveform->frequency;
    }
    return PW_OK;
}

/* ---- all of them ---- */

/* A plan with storeys may be cut at the height of its first transmitter, which may be the one that is removed. */
bool edit_changes_plan(enum message_kind kind)
{
    return kind == MESSAGE_REMOVE || kind == MESSAGE_WALL || kind == MESSAGE_ERASE || kind == MESSAGE_MATERIAL ||
           kind == MESSAGE_BAND;
}

pw_status edit_apply(struct scenario *scenario, const struct floorplan *plan, const struct message *message,
                     pw_error *error)
{
    switch (message->kind) {
    case MESSAGE_MOVE:
        return transmitter_move(scenario, plan, message, error);
    case MESSAGE_ADD:
        return transmitter_add(scenario, plan, message, error);
    case MESSAGE_REMOVE:
        return transmitter_remove(scenario, message, error);
    case MESSAGE_WALL:
        return wall_draw(scenario, plan, message, error);
    case MESSAGE_ERASE:
        return edit_erase(scenario, plan, message->at, error);
    case MESSAGE_MATERIAL:
        return material_change(scenario, message, error);
    case MESSAGE_BAND:
        return band_change(scenario, message, error);
    default:
        return fail(error, PW_USAGE, "this message changes no scenario");
    }
}
