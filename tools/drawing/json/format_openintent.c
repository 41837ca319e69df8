/* OpenIntent (github.com/google/openintent): a design of a wireless network as one JSON document, after the schemas
 * release/1.0.0/models/src/openintent-wifi.yaml and release/2.0.0 of 2026. Floor plans become pages, with the origin at
 * the lower left as the schema has it; a wall_type is a class, with what wall_materials say of it, or its segments
 * where they do not. The schema gives no unit to points of walls: it is that of the first of the plan's dimensions in
 * metres, feet or pixels whose rectangle holds all of them. Left out, and counted: areas of attenuation and of
 * coverage, holes in floors, closets, of access points with several radios all but the first. Reference markers,
 * switches, survey paths and coordinates on the globe are not looked at. */
#include "drawing/drawing_format.h"
#include "drawing/json/design.h"
#include "drawing/json/json_source.h"
#include "drawing/json/wifi_channel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { METRES, FEET, PIXELS, UNITS };
static const char *const UNIT_NAMES[UNITS] = {"meters", "feet", "pixels"};
static const double FOOT = 0.3048; /* m */

struct floor_plan {
    struct {
        bool stated;
        double width, length, height; /* in the unit */
    } dimensions[UNITS];
    double scale[UNITS]; /* m per unit; 0: not known */
    int walls;           /* the unit of points of walls */
};

struct design {
    struct json_source source;
    struct drawing *drawing;
    const json_t *plans, *access_points;
    json_t *materials;         /* owned */
    struct floor_plan *floors; /* (plans), owned */
    bool metres;               /* some plan says how long its unit is */
};

static bool openintent_recognises(const uint8_t *head, size_t count, const char *path)
{
    static const char *const WORDS[] = {"floorplans",
                                        "accesspoints",
                                        "floorplan_version",
                                        "openintent_version",
                                        "accesspoint_version",
                                        "wall_materials",
                                        NULL};
    return json_begins(head, count) && (path_ends(path, ".openintent.json") || json_has_key(head, count, WORDS));
}

/* ---- floor plans ---- */

static int unit_of(const char *name)
{
    for (int u = 0; u < UNITS; u++) {
        if (strcmp(name, UNIT_NAMES[u]) == 0) {
            return u;
        }
    }
    return UNITS;
}

static pw_status dimensions_read(const struct design *design, const json_t *plan, struct floor_plan *made,
                                 pw_error *error)
{
    const json_t *list = NULL;
    TRY(json_array_of(&design->source, plan, "dimensions", &list, error));
    for (size_t n = 0; n < json_array_size(list); n++) {
        const json_t *dimension = NULL;
        const char *name = "";
        TRY(json_object_at(&design->source, list, n, &dimension, error));
        TRY(json_text_of(&design->source, dimension, "unit", &name, error));
        int unit = unit_of(name);
        if (unit == UNITS) {
            return json_wrong(&design->source, dimension, "unit", 0, "is none of meters, feet and pixels", error);
        }
        double width = NAN, length = NAN, height = NAN;
        TRY(json_number_of(&design->source, dimension, "width", &width, error));
        TRY(json_number_of(&design->source, dimension, "length", &length, error));
        TRY(json_number_of(&design->source, dimension, "height", &height, error));
        made->dimensions[unit].stated = true;
        made->dimensions[unit].width = width;
        made->dimensions[unit].length = length;
        made->dimensions[unit].height = height;
    }
    return PW_OK;
}

static void scales_find(struct floor_plan *plan)
{
    plan->scale[METRES] = 1;
    plan->scale[FEET] = FOOT;
    for (int u = METRES; u <= FEET; u++) {
        double metres = plan->dimensions[u].width * plan->scale[u], pixels = plan->dimensions[PIXELS].width;
        if (plan->scale[PIXELS] == 0 && plan->dimensions[u].stated && metres > 0 && pixels > 0) {
            plan->scale[PIXELS] = metres / pixels;
        }
    }
}

static pw_status wall_point_read(const struct design *design, const json_t *wall, const char *key,
                                 struct drawing_point *at, pw_error *error)
{
    const json_t *point = NULL;
    *at = (struct drawing_point){NAN, NAN};
    TRY(json_object_of(&design->source, wall, key, &point, error));
    TRY(json_number_of(&design->source, point, "x", &at->x, error));
    TRY(json_number_of(&design->source, point, "y", &at->y, error));
    return isfinite(at->x) && isfinite(at->y) ? PW_OK
                                              : json_wrong(&design->source, wall, key, 0, "has no x and y", error);
}

/* The unit of points of walls: the first whose rectangle holds all of them, with a little to spare. */
static pw_status wall_unit_find(const struct design *design, const json_t *walls, struct floor_plan *plan,
                                pw_error *error)
{
    double right = 0, top = 0;
    for (size_t n = 0; n < json_array_size(walls); n++) {
        const json_t *wall = NULL;
        struct drawing_point from, to;
        TRY(json_object_at(&design->source, walls, n, &wall, error));
        TRY(wall_point_read(design, wall, "start_point", &from, error));
        TRY(wall_point_read(design, wall, "end_point", &to, error));
        right = fmax(right, fmax(from.x, to.x));
        top = fmax(top, fmax(from.y, to.y));
    }
    int stated = UNITS;
    for (int u = 0; u < UNITS; u++) {
        if (!plan->dimensions[u].stated) {
            continue;
        }
        stated = stated == UNITS ? u : stated;
        if (right <= 1.05 * plan->dimensions[u].width && top <= 1.05 * plan->dimensions[u].length) {
            plan->walls = u;
            return PW_OK;
        }
    }
    plan->walls = stated == UNITS ? PIXELS : stated;
    return PW_OK;
}

static pw_status plan_read(struct design *design, size_t index, pw_error *error)
{
    struct floor_plan *made = &design->floors[index];
    const json_t *plan = NULL, *walls = NULL;
    const char *name = "floor";
    int page = 0;
    TRY(json_object_at(&design->source, design->plans, index, &plan, error));
    TRY(json_text_of(&design->source, plan, "name", &name, error));
    TRY(json_array_of(&design->source, plan, "wall_segments", &walls, error));
    TRY(dimensions_read(design, plan, made, error));
    scales_find(made);
    TRY(wall_unit_find(design, walls, made, error));
    design->metres = design->metres || made->scale[made->walls] > 0;
    char unique[DRAWING_NAME_SIZE];
    design_page_name(design->drawing, name, unique);
    TRY(drawing_page_of(design->drawing, unique, &page, error)); /* page `index`, as the name is new */
    for (int u = FEET; u >= METRES; u--) {
        if (made->dimensions[u].height > 0) {
            design->drawing->pages[page].height = made->dimensions[u].height * made->scale[u];
        }
    }
    return PW_OK;
}

static pw_status plans_read(struct design *design, pw_error *error)
{
    size_t count = json_array_size(design->plans);
    if (count == 0) {
        return json_wrong(&design->source, design->source.root, "floorplans", 0, "has no floor plan", error);
    }
    design->floors = allocate(count, sizeof *design->floors, "floor plans", error);
    TRY_MADE(design->floors);
    for (size_t n = 0; n < count; n++) {
        TRY(plan_read(design, n, error));
    }
    if (design->metres) {
        design->drawing->unit = 1;
        snprintf(design->drawing->unit_from, sizeof design->drawing->unit_from, "dimensions of the floor plans");
    }
    return PW_OK;
}

/* ---- types of walls ---- */

/* What the document says of a wall's material, in SI units; NAN where nothing. */
struct wall_facts {
    const char *name, *material, *colour;
    double thickness, low, high, loss;
};

/* Materials by their names, so that many walls find theirs among many. */
static pw_status materials_read(struct design *design, pw_error *error)
{
    const json_t *list = NULL;
    TRY(json_array_of(&design->source, design->source.root, "wall_materials", &list, error));
    design->materials = json_object();
    for (size_t n = 0; n < json_array_size(list); n++) {
        const json_t *material = NULL;
        const char *name = "";
        TRY(json_object_at(&design->source, list, n, &material, error));
        TRY(json_text_of(&design->source, material, "name", &name, error));
        FAIL_IF(json_object_set(design->materials, name, (json_t *)material) != 0, error, PW_NO_RESOURCE,
                "not enough memory for materials of walls");
    }
    return PW_OK;
}

static pw_status material_read(const struct design *design, const json_t *material, struct wall_facts *facts,
                               pw_error *error)
{
    const struct json_source *source = &design->source;
    const json_t *properties = NULL;
    double per_metre = NAN;
    TRY(json_text_of(source, material, "itu_material_type", &facts->material, error));
    TRY(json_text_of(source, material, "display_color", &facts->colour, error));
    TRY(json_number_of(source, material, "thickness_m", &facts->thickness, error));
    TRY(json_number_of(source, material, "bottom_height", &facts->low, error));
    TRY(json_number_of(source, material, "top_height", &facts->high, error));
    TRY(json_object_of(source, material, "rf_properties", &properties, error));
    TRY(json_number_of(source, properties, "attenuation_per_m", &per_metre, error));
    facts->loss = per_metre * facts->thickness;
    return json_number_of(source, properties, "attenuation_flat", &facts->loss, error);
}

/* "Used if wall_material is not defined", as the schema has it. */
static pw_status segment_facts_read(const struct design *design, const json_t *wall, struct wall_facts *facts,
                                    pw_error *error)
{
    TRY(json_text_of(&design->source, wall, "display_color", &facts->colour, error));
    TRY(json_number_of(&design->source, wall, "thickness", &facts->thickness, error));
    TRY(json_number_of(&design->source, wall, "bottom_height", &facts->low, error));
    return json_number_of(&design->source, wall, "height", &facts->high, error);
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* The class of these facts: one of the same name whose heights differ gets its own. */
static pw_status class_make(struct drawing *drawing, const struct wall_facts *facts, int *index, pw_error *error)
{
    size_t before = drawing->class_count;
    TRY(drawing_class_of(drawing, facts->name, index, error));
    struct drawing_class *made = &drawing->classes[*index];
    if (drawing->class_count == before && (!same(made->low, facts->low) || !same(made->high, facts->high))) {
        char name[DRAWING_NAME_SIZE], stem[DRAWING_NAME_SIZE - 64];
        drawing_text_copy(stem, sizeof stem, facts->name);
        snprintf(name, sizeof name, "%s from %.6g to %.6g m", stem, facts->low >= 0 ? facts->low : 0, facts->high);
        TRY(drawing_class_of(drawing, name, index, error));
        made = &drawing->classes[*index];
    }
    if (drawing->class_count > before) {
        made->use = CLASS_WALLS;
        drawing_text_copy(made->material, sizeof made->material, facts->material);
        made->thickness = facts->thickness > 0 ? facts->thickness : 0;
        made->low = facts->low;
        made->high = facts->high;
        made->loss = facts->loss > 0 ? facts->loss : 0;
        design_colour_read(facts->colour, made->colour);
    }
    return PW_OK;
}

static pw_status wall_draw(struct design *design, int page, const json_t *wall, pw_error *error)
{
    const struct floor_plan *plan = &design->floors[page];
    struct wall_facts facts = {"wall", "", "", NAN, NAN, NAN, NAN};
    TRY(json_text_of(&design->source, wall, "wall_type", &facts.name, error));
    const json_t *material = json_object_get(design->materials, facts.name);
    TRY(material != NULL ? material_read(design, material, &facts, error)
                         : segment_facts_read(design, wall, &facts, error));
    double scale = design->metres ? plan->scale[plan->walls] : 1;
    if (!(scale > 0)) {
        return drawing_omit(design->drawing, "walls on a plan without a scale", error);
    }
    struct drawing_point from, to;
    TRY(wall_point_read(design, wall, "start_point", &from, error));
    TRY(wall_point_read(design, wall, "end_point", &to, error));
    struct drawing_element like = {.kind = ELEMENT_LINE, .page = page};
    like.width = design->metres && facts.thickness > 0 ? facts.thickness : 0;
    TRY(class_make(design->drawing, &facts, &like.class_index, error));
    TRY(drawing_begin(design->drawing, &like, error));
    TRY(drawing_point_add(design->drawing, from.x * scale, from.y * scale, error));
    return drawing_point_add(design->drawing, to.x * scale, to.y * scale, error);
}

static pw_status walls_draw(struct design *design, int page, pw_error *error)
{
    static const char *const LEFT_OUT[][2] = {{"attenuation_areas", "areas of attenuation"},
                                              {"coverage_areas", "areas of coverage"},
                                              {"holes_in_floor", "holes in floors"},
                                              {"closets", "closets"}};
    const json_t *plan = json_array_get(design->plans, (size_t)page);
    const json_t *walls = json_object_get(plan, "wall_segments");
    for (size_t n = 0; n < json_array_size(walls); n++) {
        TRY(wall_draw(design, page, json_array_get(walls, n), error));
    }
    for (size_t l = 0; l < sizeof LEFT_OUT / sizeof LEFT_OUT[0]; l++) {
        size_t count = json_array_size(json_object_get(plan, LEFT_OUT[l][0]));
        for (size_t n = 0; n < count; n++) {
            TRY(drawing_omit(design->drawing, LEFT_OUT[l][1], error));
        }
    }
    return PW_OK;
}

/* ---- access points ---- */

/* The page of the plan of this name, that of the only one when nothing is named; -1 when there is none. */
static int page_find(const struct design *design, const char *name)
{
    if (name == NULL) {
        return json_array_size(design->plans) == 1 ? 0 : -1;
    }
    for (size_t n = 0; n < json_array_size(design->plans); n++) {
        const char *own = json_string_value(json_object_get(json_array_get(design->plans, n), "name"));
        if (own != NULL && strcmp(own, name) == 0) {
            return (int)n;
        }
    }
    return -1;
}

/* Keeps a coordinate when it is in a better unit than the one before it. */
static pw_status coordinate_take(const struct design *design, const json_t *xyz, int *unit, double at[3],
                                 pw_error *error)
{
    const char *name = "";
    double own[3] = {NAN, NAN, NAN};
    TRY(json_text_of(&design->source, xyz, "unit", &name, error));
    TRY(json_number_of(&design->source, xyz, "x", &own[0], error));
    TRY(json_number_of(&design->source, xyz, "y", &own[1], error));
    TRY(json_number_of(&design->source, xyz, "z", &own[2], error));
    if (isfinite(own[0]) && isfinite(own[1]) && unit_of(name) < *unit) {
        *unit = unit_of(name);
        memcpy(at, own, sizeof own);
    }
    return PW_OK;
}

/* Where versions 1 ("coordinate_xyz", "coordinates_xyz") and 2 ("coordinates") put it. */
static pw_status place_read(const struct design *design, const json_t *row, int *unit, double at[3], pw_error *error)
{
    const json_t *list = NULL, *older = NULL, *single = NULL;
    TRY(json_object_of(&design->source, row, "coordinate_xyz", &single, error));
    TRY(json_array_of(&design->source, row, "coordinates_xyz", &older, error));
    TRY(json_array_of(&design->source, row, "coordinates", &list, error));
    TRY(coordinate_take(design, single, unit, at, error));
    for (size_t n = 0; n < json_array_size(older); n++) {
        TRY(coordinate_take(design, json_array_get(older, n), unit, at, error));
    }
    for (size_t n = 0; n < json_array_size(list); n++) {
        const json_t *both = NULL, *xyz = NULL;
        TRY(json_object_at(&design->source, list, n, &both, error));
        TRY(json_object_of(&design->source, both, "coordinate_xyz", &xyz, error));
        TRY(coordinate_take(design, xyz, unit, at, error));
    }
    return PW_OK;
}

/* Antennas, at an access point and at its radios. */
static pw_status antennas_leave_out(const struct design *design, const json_t *row, pw_error *error)
{
    static const struct design_leftover LEFT_OUT[] = {
        {"antenna", "types of antennas"},       {"antennas", "types of antennas"},
        {"antenna_model", "types of antennas"}, {"azimuth", "directions of antennas"},
        {"elevation", "tilts of antennas"},     {"tilt", "tilts of antennas"},
        {"downtilt", "tilts of antennas"},      {NULL, NULL}};
    return design_leave_out(design->drawing, row, LEFT_OUT, error);
}

static pw_status radio_read(const struct design *design, const json_t *radio, struct drawing_radio *made,
                            pw_error *error)
{
    TRY(antennas_leave_out(design, radio, error));
    static const char *const BANDS[] = {"FREQ_2.4GHZ", "FREQ_5GHZ", "FREQ_6GHZ"};
    static const enum wifi_band NUMBERS[] = {WIFI_BAND_TWO, WIFI_BAND_FIVE, WIFI_BAND_SIX};
    const char *band = "", *width = "";
    double channel = NAN;
    enum wifi_band number = WIFI_BAND_NONE;
    TRY(json_text_of(&design->source, radio, "band", &band, error));
    TRY(json_number_of(&design->source, radio, "channel", &channel, error));
    TRY(json_text_of(&design->source, radio, "channel_width", &width, error)); /* "80_MHz" */
    made->width = 1e6 * strtod(width, NULL);
    TRY(json_number_of(&design->source, radio, "transmit_power", &made->power, error));
    TRY(json_number_of(&design->source, radio, "transmit_eirp", &made->power, error));
    for (int b = 0; b < 3; b++) {
        number = strcmp(band, BANDS[b]) == 0 ? NUMBERS[b] : number;
    }
    if (number == WIFI_BAND_TWO && made->width > 20e6) {
        made->width = -1; /* the second half lies on either side */
    }
    made->frequency = wifi_channel_frequency(number, channel);
    if (isnan(made->frequency)) {
        made->frequency = wifi_band_frequency(number);
    }
    return PW_OK;
}

static pw_status radios_read(struct design *design, const json_t *row, struct drawing_radio *made, pw_error *error)
{
    const json_t *list = NULL;
    bool known = false;
    TRY(json_array_of(&design->source, row, "dot11_radios", &list, error));
    for (size_t n = 0; n < json_array_size(list); n++) {
        const json_t *radio = NULL;
        const char *function = "CLIENT_ACCESS";
        TRY(json_object_at(&design->source, list, n, &radio, error));
        TRY(json_text_of(&design->source, radio, "radio_function", &function, error));
        bool sends = strcmp(function, "DISABLED") != 0 && strcmp(function, "MONITORING") != 0;
        if (sends && known) {
            TRY(drawing_omit(design->drawing, "further radios of access points", error));
        } else if (sends) {
            TRY(radio_read(design, radio, made, error));
            known = true;
        }
    }
    return PW_OK;
}

static pw_status access_point_read(struct design *design, size_t index, pw_error *error)
{
    const json_t *row = NULL;
    const char *name = "", *plan = NULL;
    int unit = UNITS;
    double at[3] = {NAN, NAN, NAN};
    struct drawing_radio made = {.height = NAN, .power = NAN, .frequency = NAN};
    TRY(json_object_at(&design->source, design->access_points, index, &row, error));
    TRY(json_text_of(&design->source, row, "name", &name, error));
    TRY(json_text_of(&design->source, row, "floorplan_name", &plan, error));
    TRY(place_read(design, row, &unit, at, error));
    TRY(antennas_leave_out(design, row, error));
    made.page = page_find(design, plan);
    double scale = made.page < 0 || unit == UNITS ? 0
                   : design->metres               ? design->floors[made.page].scale[unit]
                                                  : (unit == PIXELS ? 1 : 0);
    if (!(scale > 0)) {
        return drawing_omit(design->drawing, "access points that are on no plan", error);
    }
    drawing_text_copy(made.name, sizeof made.name, name);
    made.at = (struct drawing_point){at[0] * scale, at[1] * scale};
    made.height = unit == PIXELS ? NAN : at[2] * scale; /* pixels have no height */
    TRY(radios_read(design, row, &made, error));
    return drawing_radio_add(design->drawing, &made, error);
}

/* ---- the document ---- */

static pw_status design_read(struct design *design, pw_error *error)
{
    const json_t *root = design->source.root;
    TRY(json_array_of(&design->source, root, "floorplans", &design->plans, error));
    TRY(json_array_of(&design->source, root, "accesspoints", &design->access_points, error));
    TRY(plans_read(design, error));
    TRY(materials_read(design, error));
    for (size_t n = 0; n < json_array_size(design->plans); n++) {
        TRY(walls_draw(design, (int)n, error));
    }
    for (size_t n = 0; n < json_array_size(design->access_points); n++) {
        TRY(access_point_read(design, n, error));
    }
    return PW_OK;
}

static pw_status openintent_read(const char *path, const struct picture_options *picture, struct drawing *drawing,
                                 pw_error *error)
{
    (void)picture;
    struct design design = {.drawing = drawing};
    TRY(json_source_read(path, &design.source, error));
    pw_status status = design_read(&design, error);
    json_decref(design.materials);
    json_source_free(&design.source);
    free(design.floors);
    return status;
}

const struct drawing_format drawing_format_openintent = {.name = "OpenIntent",
                                                         .description = "designs of wireless networks in JSON",
                                                         .recognises = openintent_recognises,
                                                         .read = openintent_read};
