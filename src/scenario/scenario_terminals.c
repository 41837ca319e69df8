/* The list `transmitters` of a scenario, with their waveforms. Which kinds of waveform there are and which keys each
 * takes stands in their table (scenario_choices.c). Leaves out whether a transmitter lies inside the plan, and the
 * content of a file of samples. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scenario/antenna/antenna_array.h"
#include "scenario/antenna/antenna_choice.h"
#include "scenario/scenario_read.h"

enum { TRANSMITTER_LIMIT = 1000 };

/* ---- transmitters ----------------------------------------------------------------------------------------------- */

/* Refuses keys that have no meaning for the kind of waveform. */
static pw_status waveform_keys(const struct node *map, const struct waveform_rule *rule, pw_error *error)
{
    const char *keys[8] = {"kind", "amplitude"};
    const struct {
        bool used;
        const char *key;
    } others[] = {{rule->frequency, "frequency"},
                  {rule->width, "width"},
                  {rule->ramp, "ramp"},
                  {rule->delay, "delay"},
                  {rule->file, "file"}};
    int count = 2;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        if (others[k].used) {
            keys[count++] = others[k].key;
        }
    }
    pw_error reason;
    if (read_map(map, keys, &reason) == PW_OK) {
        return PW_OK;
    }
    return fail(error, PW_BAD_INPUT, "%.900s (for kind: %s)", reason.message, rule->name);
}

static pw_status waveform_file_read(const struct node *map, const char *folder, struct waveform_choice *waveform,
                                    pw_error *error)
{
    const struct node *file;
    TRY(read_required(map, "file", "the path of a CSV: time [s], current [A]", &file, error));
    TRY(read_text(map, "file", PATH_LENGTH_LIMIT, &waveform->file, error));
    return waveform->file[0] == '\0' ? node_fail(file, error, "must be the path of a CSV")
                                     : path_resolve(folder, &waveform->file, error);
}

static pw_status waveform_shape_read(const struct node *map, const struct waveform_rule *rule,
                                     const struct scenario *scenario, struct waveform_choice *waveform, pw_error *error)
{
    TRY(read_quantity(map, "frequency", PW_DIMENSION_FREQUENCY, FREQUENCIES, &waveform->frequency, error));
    if (rule->ramp) {
        waveform->delay = 0;
        waveform->ramp = 10 / (rule->frequency ? waveform->frequency : scenario->band_centre);
    }
    TRY(read_open_quantity(map, "width", PW_DIMENSION_TIME, (pw_range){0, 1, true, false}, &waveform->width, error));
    TRY(read_open_quantity(map, "delay", PW_DIMENSION_TIME, (pw_range){0, 1, false, false}, &waveform->delay, error));
    return read_quantity(map, "ramp", PW_DIMENSION_TIME, (pw_range){0, 1, false, false}, &waveform->ramp, error);
}

static pw_status waveform_read(const struct node *map, const char *folder, const struct scenario *scenario,
                               struct waveform_choice *waveform, pw_error *error)
{
    static const char *const KEYS[] = {"kind", "frequency", "width", "delay", "ramp", "amplitude", "file", NULL};
    const char *names[WAVEFORM_COUNT + 1] = {NULL};
    for (int k = 0; k < WAVEFORM_COUNT; k++) {
        names[k] = waveform_rule((enum waveform_kind)k)->name;
    }
    TRY(read_map(map, KEYS, error));
    int kind = (int)waveform->kind;
    TRY(read_choice(map, "kind", names, &kind, error));
    waveform->kind = (enum waveform_kind)kind;
    const struct waveform_rule *rule = waveform_rule(waveform->kind);
    TRY(waveform_keys(map, rule, error));
    TRY(read_quantity(map, "amplitude", PW_DIMENSION_NUMBER, (pw_range){-1e12, 1e12, false, false},
                      &waveform->amplitude, error));
    NODE_FAIL_IF(waveform->amplitude == 0, node_find(map, "amplitude"), error,
                 "a source of amplitude zero sends nothing; allowed: any other number");
    return rule->file ? waveform_file_read(map, folder, waveform, error)
                      : waveform_shape_read(map, rule, scenario, waveform, error);
}

static pw_status transmitter_place_read(const struct node *map, const struct scenario *scenario,
                                        struct transmitter_choice *transmitter, pw_error *error)
{
    transmitter->height = NAN;
    TRY(read_place(map, "at", &transmitter->at, &transmitter->height, error));
    transmitter->to = transmitter->at;
    transmitter->to_height = transmitter->height;
    if (node_find(map, "to") != NULL) {
        transmitter->to_height = NAN;
        TRY(read_place(map, "to", &transmitter->to, &transmitter->to_height, error));
    }
    TRY(terminal_height_read(map, &scenario->plan, &transmitter->height, &transmitter->to_height, error));
    return polarisation_read(map, scenario, &transmitter->polarisation, error);
}

static pw_status transmitter_read(const struct node *map, const char *folder, struct scenario *scenario,
                                  struct transmitter_choice *transmitter, pw_error *error)
{
    static const char *const KEYS[] = {"name",    "at",         "to",
                                       "height",  "storey",     "polarisation",
                                       "antenna", "power",      "conducted_power",
                                       "source",  "sampled_at", "waveform",
                                       "channel", "port",       NULL};
    static const char *const SOURCES[] = {"soft", "hard", NULL};
    static const char *const SAMPLED[] = {"midpoint", "end", NULL};
    TRY(read_map(map, KEYS, error));
    TRY(read_station_name(map, transmitter->name, error));
    TRY(transmitter_place_read(map, scenario, transmitter, error));
    TRY(antenna_read(map, folder, scenario, &transmitter->antenna, error));
    antenna_polarise(scenario, &transmitter->antenna, &transmitter->polarisation);
    TRY(transmitter_power_read(map, transmitter, error));
    TRY(channel_read(map, scenario, &transmitter->channel, error));
    int source = SOURCE_SOFT, sampled = 0;
    TRY(read_choice(map, "source", SOURCES, &source, error));
    TRY(read_choice(map, "sampled_at", SAMPLED, &sampled, error));
    NODE_FAIL_IF(scenario->horizontal && source == SOURCE_HARD, node_find(map, "source"), error,
                 "hard sets Ez, which there is not with polarisation: horizontal; allowed: soft");
    transmitter->source = (enum source_kind)source;
    transmitter->sampled_at_step_end = sampled == 1;
    TRY(antenna_check_transmitter(map, scenario, transmitter, error));
    TRY(port_read(map, transmitter->name, &transmitter->port, error));
    const struct node *waveform = node_find(map, "waveform");
    return waveform != NULL ? waveform_read(waveform, folder, scenario, &transmitter->waveform, error) : PW_OK;
}

/* The antennas of an array in place of the transmitter in its middle, which share its power. */
static pw_status transmitter_array(const struct node *map, struct scenario *scenario, size_t *room, pw_error *error)
{
    struct antenna_array array;
    struct transmitter_choice middle = scenario->transmitters[scenario->transmitter_count - 1];
    TRY(antenna_array_read(antenna_array_node(map), scenario, &array, error));
    NODE_FAIL_IF(node_find(map, "to") != NULL || middle.port.number > 0, antenna_array_node(map), error,
                 "an array stands at a point, and is not itself a port: leave "
                 "out 'to' and 'port'");
    NODE_FAIL_IF(strlen(middle.name) + ARRAY_NAME_ROOM >= sizeof middle.name, map, error,
                 "the name '%s' with the number of an antenna behind it is too long", middle.name);
    const int count = antenna_array_count(&array);
    NODE_FAIL_IF(scenario->transmitter_count - 1 + count > TRANSMITTER_LIMIT, map, error,
                 "its %d antennas make %d transmitters in all; allowed are %d", count,
                 scenario->transmitter_count - 1 + count, TRANSMITTER_LIMIT);
    middle.power -= 10 * log10(count);
    middle.conducted -= middle.has_conducted ? 10 * log10(count) : 0;
    scenario->transmitter_count--;
    for (int n = 1; n <= count; n++) {
        TRY(array_grow(&scenario->transmitters, room, (size_t)scenario->transmitter_count,
                       sizeof *scenario->transmitters, "transmitters", error));
        struct transmitter_choice *made = &scenario->transmitters[scenario->transmitter_count];
        *made = middle;
        FAIL_IF(n > 1 && middle.waveform.file != NULL && (made->waveform.file = strdup(middle.waveform.file)) == NULL,
                error, PW_NO_RESOURCE, "not enough memory for transmitters");
        scenario->transmitter_count++;
        antenna_array_place(&array, n,
                            &(struct array_terminal){made->name, &made->port, &made->at, &made->height,
                                                     &made->polarisation, &made->antenna});
        made->to = made->at;
        made->to_height = made->height;
    }
    return PW_OK;
}

/* Those from `first` on came of `item`. */
static pw_status names_check(const struct node *item, const struct scenario *scenario, int first, pw_error *error)
{
    for (int n = first; n < scenario->transmitter_count; n++) {
        for (int i = 0; i < n; i++) {
            NODE_FAIL_IF(strcmp(scenario->transmitters[i].name, scenario->transmitters[n].name) == 0, item, error,
                         "a second transmitter of the name '%s'; names must differ", scenario->transmitters[n].name);
        }
    }
    return PW_OK;
}

pw_status transmitters_read(const struct node *root, const char *folder, struct scenario *scenario, pw_error *error)
{
    const struct node *list;
    TRY(read_list(root, "transmitters", TRANSMITTER_LIMIT, &list, error));
    NODE_FAIL_IF(list == NULL || list->count == 0, list != NULL ? list : root, error,
                 "the list 'transmitters' needs at least one entry, as in - {name: ap1, at: [1 m, 2 m]}");
    size_t room = 0;
    for (const struct node *item = list->first; item != NULL; item = item->next) {
        TRY(array_grow(&scenario->transmitters, &room, (size_t)scenario->transmitter_count,
                       sizeof *scenario->transmitters, "transmitters", error));
        const int first = scenario->transmitter_count++;
        struct transmitter_choice *transmitter = &scenario->transmitters[first];
        *transmitter = (struct transmitter_choice){.power = 20,
                                                   .line = item->line,
                                                   .waveform = {.kind = (enum waveform_kind)DEFAULT_WAVEFORM,
                                                                .amplitude = 1,
                                                                .frequency = scenario->band_centre,
                                                                .delay = NAN}};
        snprintf(transmitter->name, sizeof transmitter->name, "tx%d", item->index + 1);
        TRY(transmitter_read(item, folder, scenario, transmitter, error));
        TRY(antenna_array_node(item) != NULL ? transmitter_array(item, scenario, &room, error) : PW_OK);
        TRY(names_check(item, scenario, first, error));
    }
    const struct port_list ports = {(const char *)&scenario->transmitters->port, scenario->transmitters->name,
                                    sizeof *scenario->transmitters, scenario->transmitter_count};
    return ports_check(list, &ports, error);
}
