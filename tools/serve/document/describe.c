/* State and greeting in JSON (describe.h). */
#include "serve/document/describe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PROTOCOL = 1, SHAPES_MOST = 2000, RECEIVERS_MOST = 200 };

json_t *json_finite(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

char *describe_dump(json_t *object)
{
    char *text = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    return text;
}

/* Names are good UTF-8 by their letters; other texts may be anything. */
static json_t *json_words(const char *text)
{
    json_t *words = json_string(text);
    return words != NULL ? words : json_string("(not UTF-8)");
}

static json_t *known_materials(void)
{
    char names[1024];
    json_t *list = json_array();
    char *rest = NULL;
    pw_material_names(names, sizeof names);
    for (const char *name = strtok_r(names, ",", &rest); name != NULL; name = strtok_r(NULL, ",", &rest)) {
        json_array_append_new(list, json_string(name + strspn(name, " ")));
    }
    return list;
}

/* "440154…": colours of a map, six digits each. */
static json_t *colour_text(int count, pw_colour (*colour_of)(int))
{
    char text[6 * PW_COLORMAP_SIZE + 1];
    for (int n = 0; n < count; n++) {
        pw_colour colour = colour_of(n);
        snprintf(text + 6 * n, 7, "%02x%02x%02x", colour.red, colour.green, colour.blue);
    }
    return json_string(text);
}

static pw_colour viridis(int index)
{
    return pw_colormap_entry(PW_COLORMAP_VIRIDIS, index);
}

static json_t *floors_list(void)
{
    json_t *list = json_array();
    for (int kind = PW_FLOOR_BUILDING; kind <= PW_FLOOR_SECTION; kind++) {
        json_array_append_new(list, json_string(pw_floor_text((pw_floor_kind)kind)));
    }
    return list;
}

char *describe_hello(int client, bool drawing)
{
    json_t *quantities = json_array();
    for (int n = 0; quantity_word(n) != NULL; n++) {
        pw_quantity quantity = (pw_quantity)n;
        json_array_append_new(quantities, json_pack("{s:s, s:s, s:s, s:s, s:b, s:i}", "word", quantity_word(n), "name",
                                                    pw_quantity_name(quantity), "unit", pw_quantity_unit(quantity),
                                                    "reference", pw_quantity_reference(quantity), "falls",
                                                    pw_quantity_falls(quantity), "index", n));
    }
    json_t *limits = json_pack("{s:i, s:i, s:[f, f]}", "message_bytes", MESSAGE_BYTES, "messages_per_second",
                               MESSAGES_PER_SECOND, "walls_thickness", THINNEST_WALL, (double)THICKEST_WALL);
    return describe_dump(json_pack("{s:s, s:s, s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "type", "hello",
                                   "version", PW_VERSION, "forecast", pw_forecast_words(false), "protocol", PROTOCOL,
                                   "client", client, "quantities", quantities, "materials", known_materials(),
                                   "viridis", colour_text(PW_COLORMAP_SIZE, viridis), "categories",
                                   colour_text(PW_COLORMAP_CATEGORIES, pw_colormap_category), "limits", limits,
                                   "floors", floors_list(), "drawing", drawing));
}

char *describe_piece(int id, const pw_wall_piece *piece)
{
    const double *line = piece->line;
    json_t *object = json_pack("{s:s, s:f, s:f, s:[f, f], s:[f, f], s:f, s:o}", "type", "piece", "x", piece->x, "y",
                               piece->y, "from", line[0], line[1], "to", line[2], line[3], "thickness",
                               piece->thickness, "material", json_words(piece->material));
    if (id >= 0 && object != NULL) {
        json_object_set_new(object, "id", json_integer(id));
    }
    return describe_dump(object);
}

static json_t *channel_object(const pw_wifi_channel *channel)
{
    return channel->number == 0 ? json_null()
                                : json_pack("{s:i, s:f, s:f, s:f}", "number", channel->number, "band", channel->band,
                                            "centre", channel->centre, "width", channel->width);
}

static json_t *transmitters_list(const pw_scenario *scenario, int count)
{
    json_t *list = json_array();
    for (int t = 0; t < count; t++) {
        const pw_scenario_transmitter one = pw_scenario_describe_transmitter(scenario, t);
        json_array_append_new(list, json_pack("{s:o, s:f, s:f, s:f, s:o, s:o}", "name", json_words(one.name), "x",
                                              one.x, "y", one.y, "power", one.power, "height", json_finite(one.height),
                                              "channel", channel_object(&one.channel)));
    }
    return list;
}

static json_t *receivers_list(const pw_scenario *scenario, int count)
{
    json_t *list = json_array();
    for (int n = 0; n < count && n < RECEIVERS_MOST; n++) {
        const pw_scenario_receiver one = pw_scenario_describe_receiver(scenario, n);
        json_array_append_new(list, json_pack("{s:o, s:f, s:f}", "name", json_words(one.name), "x", one.x, "y", one.y));
    }
    return list;
}

static json_t *materials_list(const pw_floorplan *plan)
{
    json_t *list = json_array();
    const int count = pw_floorplan_describe(plan).material_count;
    for (int m = 0; m < count; m++) {
        const pw_floorplan_material one = pw_floorplan_describe_material(plan, m);
        char colour[8];
        bool editable = !one.perfect_conductor && !one.dispersive && strcmp(one.name, "air") != 0;
        snprintf(colour, sizeof colour, "#%06x", (unsigned)(one.colour & 0xffffffU));
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:b, s:b, s:s}", "name", json_words(one.name),
                                              "relative_permittivity", json_finite(one.relative_permittivity),
                                              "conductivity", json_finite(one.conductivity), "perfect_conductor",
                                              one.perfect_conductor, "editable", editable, "colour", colour));
    }
    return list;
}

/* Of a wall the ends of its centre line, which others are drawn to; else its outline. */
static json_t *shape_object(const pw_shape *shape)
{
    static const char *const KINDS[] = {
        [PW_SHAPE_DRAWN] = "polygon", [PW_SHAPE_RECTANGLE] = "rectangle", [PW_SHAPE_POLYGON] = "polygon",
        [PW_SHAPE_CIRCLE] = "circle", [PW_SHAPE_WALL] = "wall",           [PW_SHAPE_OPENING] = "opening",
        [PW_SHAPE_BOX] = "rectangle"};
    const bool wall = shape->kind == PW_SHAPE_WALL;
    const double *corners = wall ? shape->line : shape->corners;
    json_t *points = json_array();
    for (int n = 0; n < (wall ? 2 : shape->corner_count); n++) {
        json_array_append_new(points, json_pack("[f, f]", corners[2 * n], corners[2 * n + 1]));
    }
    return json_pack("{s:s, s:o, s:f, s:o}", "kind", KINDS[shape->kind], "points", points, "thickness",
                     shape->thickness, "material", json_words(shape->material));
}

/* The last ones drawn, if there are many. */
static json_t *shapes_list(const pw_scenario *scenario, int first, int count)
{
    json_t *list = json_array();
    for (int n = first; n < count; n++) {
        pw_shape shape = {0};
        if (pw_scenario_describe_shape(scenario, n, &shape, NULL) == PW_OK) {
            json_array_append_new(list, shape_object(&shape));
            pw_shape_free(&shape);
        }
    }
    return list;
}

char *describe_state(const struct live_state *state)
{
    const struct document *document = state->document;
    const pw_scenario_facts facts = pw_scenario_describe(document->scenario);
    const pw_floorplan_facts plan = pw_floorplan_describe(document->plan);
    const char *file = strrchr(document->file, '/') + 1;
    const double interval = pw_scenario_level_interval(document->scenario);
    int shapes = pw_scenario_describe_plan(document->scenario).shape_count,
        left_out = shapes > SHAPES_MOST ? shapes - SHAPES_MOST : 0;
    json_t *object =
        json_pack("{s:s, s:I, s:o, s:o, s:f, s:f, s:{s:f, s:f}, s:o, s:o, s:o, s:o, s:o, s:i}", "type", "state",
                  "revision", (json_int_t)document->revision, "title", json_words(facts.title), "file",
                  json_words(file), "width", plan.width, "height", plan.height, "band", "centre", facts.band_centre,
                  "width", facts.band_width, "level_interval", json_finite(interval > 0 ? interval : (double)NAN),
                  "transmitters", transmitters_list(document->scenario, facts.transmitter_count), "receivers",
                  receivers_list(document->scenario, facts.receiver_count), "materials", materials_list(document->plan),
                  "shapes", shapes_list(document->scenario, left_out, shapes), "shapes_left_out", left_out);
    json_t *session =
        json_pack("{s:{s:s, s:o, s:b}, s:{s:b, s:b, s:o, s:f}, s:i, s:i, s:b, s:b, s:i}", "view", "quantity",
                  quantity_word((int)state->view.quantity), "transmitter", json_words(state->view.transmitter),
                  "local_mean", state->view.local_mean, "wave", "on", state->wave.on, "paused", state->wave.paused,
                  "transmitter", json_words(state->wave.transmitter), "speed", state->wave.speed, "undo",
                  document->version, "redo", document->version_count - 1 - document->version, "saved",
                  document_is_saved(document), "dragging", document->dragging, "clients", state->clients);
    if (object != NULL && session != NULL) {
        json_object_update(object, session);
    }
    json_decref(session);
    return describe_dump(object);
}
