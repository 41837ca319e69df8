/* Carrying out messages that change the scenario (edit.h). */
#include "serve/document/edit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TRANSMITTERS_MOST = 64 };

static pw_status check_inside(const pw_floorplan *plan, struct place at, pw_error *error)
{
    const pw_floorplan_facts facts = pw_floorplan_describe(plan);
    return at.x >= 0 && at.y >= 0 && at.x <= facts.width && at.y <= facts.height
               ? PW_OK
               : fail(error, PW_BAD_INPUT, "(%.3f, %.3f) m is not on the plan, which is %.3f m by %.3f m", at.x, at.y,
                      facts.width, facts.height);
}

static pw_status transmitter_get(const pw_scenario *scenario, const char *name, int *index, pw_error *error)
{
    *index = pw_scenario_find_transmitter(scenario, name);
    return *index >= 0 ? PW_OK : fail(error, PW_BAD_INPUT, "there is no transmitter '%s'", name);
}

/* Both ends of a line source, which keeps its length and its direction, must stay on the plan. */
static pw_status check_ends(const pw_scenario *scenario, const pw_floorplan *plan, int transmitter, pw_error *error)
{
    const pw_scenario_transmitter facts = pw_scenario_describe_transmitter(scenario, transmitter);
    TRY(check_inside(plan, (struct place){facts.x, facts.y}, error));
    return check_inside(plan, (struct place){facts.to_x, facts.to_y}, error);
}

static pw_status transmitter_move(pw_scenario *scenario, const pw_floorplan *plan, const struct message *message,
                                  pw_error *error)
{
    int index;
    TRY(transmitter_get(scenario, message->transmitter, &index, error));
    pw_scenario_place_transmitter(scenario, index, message->at.x, message->at.y);
    for (int t = 0; t < pw_scenario_describe(scenario).transmitter_count; t++) { /* an array moves as a whole */
        TRY(check_ends(scenario, plan, t, error));
    }
    return PW_OK;
}

/* "ap1", "ap2", ...: the first that is free. */
static void name_make(const pw_scenario *scenario, char name[PW_NAME_SIZE])
{
    int n = 0;
    do {
        snprintf(name, PW_NAME_SIZE, "ap%d", ++n);
    } while (pw_scenario_find_transmitter(scenario, name) >= 0);
}

/* The new transmitter is a copy of another in all but name and place. */
static pw_status transmitter_add(pw_scenario *scenario, const pw_floorplan *plan, const struct message *message,
                                 pw_error *error)
{
    int like = 0, count = pw_scenario_describe(scenario).transmitter_count;
    char name[PW_NAME_SIZE];
    TRY(message->like[0] != '\0' ? transmitter_get(scenario, message->like, &like, error) : PW_OK);
    FAIL_IF(count >= TRANSMITTERS_MOST, error, PW_BAD_INPUT,
            "there are %d transmitters already, which is the most here", count);
    name_make(scenario, name);
    TRY(pw_scenario_add_transmitter(scenario, like, message->name[0] != '\0' ? message->name : name, message->at.x,
                                    message->at.y, error));
    return check_ends(scenario, plan, count, error);
}

static pw_status transmitter_remove(pw_scenario *scenario, const struct message *message, pw_error *error)
{
    int index, kept[TRANSMITTERS_MOST + 1], count = pw_scenario_describe(scenario).transmitter_count;
    TRY(transmitter_get(scenario, message->transmitter, &index, error));
    FAIL_IF(count == 1, error, PW_BAD_INPUT, "'%s' is the only transmitter, and a scenario needs one",
            message->transmitter);
    FAIL_IF(count > TRANSMITTERS_MOST + 1, error, PW_BAD_INPUT, "there are %d transmitters; %d may be edited here",
            count, TRANSMITTERS_MOST);
    for (int n = 0; n < count - 1; n++) {
        kept[n] = n < index ? n : n + 1;
    }
    return pw_scenario_keep_transmitters(scenario, kept, count - 1, error);
}

static pw_status power_change(pw_scenario *scenario, const struct message *message, pw_error *error)
{
    int index;
    TRY(transmitter_get(scenario, message->transmitter, &index, error));
    pw_scenario_set_power(scenario, index, message->power);
    return PW_OK;
}

static pw_status channel_change(pw_scenario *scenario, const struct message *message, pw_error *error)
{
    int index;
    TRY(transmitter_get(scenario, message->transmitter, &index, error));
    return message->number == floor(message->number)
               ? pw_scenario_set_channel(scenario, index, (int)message->number,
                                         isnan(message->width) ? 20e6 : message->width, error)
               : fail(error, PW_BAD_INPUT, "'number' must be a whole number, 0 for none");
}

static pw_status transmitter_rename(pw_scenario *scenario, const struct message *message, pw_error *error)
{
    int index;
    TRY(transmitter_get(scenario, message->transmitter, &index, error));
    return pw_scenario_rename_transmitter(scenario, index, message->name, error);
}

static pw_status wall_draw(pw_scenario *scenario, const pw_floorplan *plan, const struct message *message,
                           pw_error *error)
{
    const double line[] = {message->from.x, message->from.y, message->to.x, message->to.y};
    TRY(check_inside(plan, message->from, error));
    TRY(check_inside(plan, message->to, error));
    return pw_scenario_add_wall(scenario, line, message->thickness, message->material, error);
}

/* As long as is said between two points, and everything with it. */
static pw_status plan_scale(pw_scenario *scenario, const struct message *message, pw_error *error)
{
    const double far = hypot(message->to.x - message->from.x, message->to.y - message->from.y);
    return far >= 0.01 ? pw_scenario_scale_plan(scenario, message->length / far, error)
                       : fail(error, PW_BAD_INPUT, "the two points lie %.3f m apart; at least 0.01 m are needed", far);
}

static pw_status band_change(pw_scenario *scenario, const struct message *message, pw_error *error)
{
    const double width = isnan(message->width) ? pw_scenario_describe(scenario).band_width : message->width;
    return pw_scenario_set_band(scenario, message->centre, width, error);
}

/* A plan with storeys may be cut at the height of its first transmitter, which may be the one that is removed. */
bool edit_changes_plan(enum message_kind kind)
{
    return kind == MESSAGE_REMOVE || kind == MESSAGE_WALL || kind == MESSAGE_ERASE || kind == MESSAGE_PAINT ||
           kind == MESSAGE_OPENING || kind == MESSAGE_SCALE || kind == MESSAGE_MATERIAL || kind == MESSAGE_BAND;
}

pw_status edit_apply(pw_scenario *scenario, const pw_floorplan *plan, const struct message *message, pw_error *error)
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
        return pw_scenario_erase(scenario, plan, message->at.x, message->at.y, error);
    case MESSAGE_PAINT:
        return pw_scenario_set_wall(scenario, plan, message->at.x, message->at.y, message->material, error);
    case MESSAGE_OPENING:
        return pw_scenario_put_opening(scenario, plan, message->at.x, message->at.y, message->breadth,
                                       message->thickness, message->material, error);
    case MESSAGE_SCALE:
        return plan_scale(scenario, message, error);
    case MESSAGE_MATERIAL:
        return pw_scenario_set_material(scenario, message->name, message->relative_permittivity, message->conductivity,
                                        error);
    case MESSAGE_POWER:
        return power_change(scenario, message, error);
    case MESSAGE_TUNE:
        return channel_change(scenario, message, error);
    case MESSAGE_RENAME:
        return transmitter_rename(scenario, message, error);
    case MESSAGE_BAND:
        return band_change(scenario, message, error);
    default:
        return fail(error, PW_USAGE, "this message changes no scenario");
    }
}
