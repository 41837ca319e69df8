/* Projects of Ekahau (.esx): a zip archive of JSON tables that name each other by id. There is no specification; what
 * members mean is taken from programs of others that read or write these files: the notes on them in the documentation
 * of nicoliu0212/Ekahau-Revit-Transfer and of a French exporter from Revit ("Description des fichiers Ekahau":
 * metersPerUnit, y downwards, attenuationFactor in dB/m that is multiplied by the thickness), nerdian.ca (2020, "Tag,
 * You're It!": simulatedRadios.json), nimbo78/EkahauBOM (channels as lists), and editors of wall types (upperEdge,
 * which is left out of walls that reach the ceiling). Members that are missing are done without. Each type of wall is a
 * class, each floor plan a page in metres. Left out, and counted: the pictures of floors, areas of attenuation, and of
 * access points with several radios all but the first. Measured access points and surveys are not looked at. */
#include "drawing/drawing_format.h"
#include "drawing/json/design.h"
#include "drawing/json/json_zip.h"
#include "drawing/json/wifi_channel.h"

#include <math.h>
#include <string.h>

/* A table: "wallTypes.json" holds {"wallTypes": [...]}. */
struct table {
    struct json_source source;
    const json_t *rows; /* NULL: the archive has none */
};

enum { FLOOR_PLANS, BUILDING_FLOORS, WALL_TYPES, WALL_POINTS, WALL_SEGMENTS, ACCESS_POINTS, RADIOS, AREAS, TABLES };
static const char *const TABLE_NAMES[TABLES] = {"floorPlans",      "buildingFloors",  "wallTypes",
                                                "wallPoints",      "wallSegments",    "accessPoints",
                                                "simulatedRadios", "attenuationAreas"};

struct floor_plan {
    double scale; /* m per unit of the plan; 0: not stated */
    double top;   /* the plan's height in its units: y runs down from there */
};

struct esx {
    struct drawing *drawing;
    struct table tables[TABLES];
    json_t *places[TABLES];   /* owned: id to the place of the row */
    struct floor_plan *plans; /* (pages), owned */
    int *classes;             /* (wall types), owned; -1: not used yet */
    bool metres;
};

static bool esx_recognises(const uint8_t *head, size_t count, const char *path)
{
    return zip_has_entry(head, count, path, "floorPlans.json") ||
           (count >= 4 && memcmp(head, "PK\3\4", 4) == 0 && path_ends(path, ".esx"));
}

/* ---- tables ---- */

static pw_status table_read(struct json_zip *zip, struct esx *esx, int which, pw_error *error)
{
    struct table *table = &esx->tables[which];
    char name[64];
    snprintf(name, sizeof name, "%s.json", TABLE_NAMES[which]);
    TRY(json_zip_read(zip, name, &table->source, error));
    if (table->source.root == NULL) {
        return PW_OK;
    }
    TRY(json_array_of(&table->source, table->source.root, TABLE_NAMES[which], &table->rows, error));
    esx->places[which] = json_object();
    for (size_t n = 0; n < json_array_size(table->rows); n++) {
        const json_t *row = NULL;
        const char *id = NULL;
        TRY(json_object_at(&table->source, table->rows, n, &row, error));
        TRY(json_text_of(&table->source, row, "id", &id, error));
        FAIL_IF(id != NULL && json_object_set_new(esx->places[which], id, json_integer((json_int_t)n)) != 0, error,
                PW_NO_RESOURCE, "not enough memory for the tables of '%s'", zip->path);
    }
    return PW_OK;
}

static size_t row_count(const struct esx *esx, int which)
{
    return json_array_size(esx->tables[which].rows);
}

static const json_t *row_at(const struct esx *esx, int which, size_t index)
{
    return json_array_get(esx->tables[which].rows, index);
}

/* The place of the row with this id; -1 when there is none. */
static long row_find(const struct esx *esx, int which, const char *id)
{
    const json_t *place = id == NULL ? NULL : json_object_get(esx->places[which], id);
    return place == NULL ? -1 : (long)json_integer_value(place);
}

static pw_status row_text(const struct esx *esx, int which, const json_t *row, const char *key, const char **text,
                          pw_error *error)
{
    return json_text_of(&esx->tables[which].source, row, key, text, error);
}

static pw_status row_number(const struct esx *esx, int which, const json_t *row, const char *key, double *value,
                            pw_error *error)
{
    return json_number_of(&esx->tables[which].source, row, key, value, error);
}

/* ---- floors ---- */

static pw_status floor_plan_read(struct esx *esx, size_t index, pw_error *error)
{
    const json_t *row = row_at(esx, FLOOR_PLANS, index);
    const char *name = "floor", *picture = NULL;
    int page = 0;
    TRY(row_text(esx, FLOOR_PLANS, row, "name", &name, error));
    TRY(row_text(esx, FLOOR_PLANS, row, "imageId", &picture, error));
    TRY(row_number(esx, FLOOR_PLANS, row, "metersPerUnit", &esx->plans[index].scale, error));
    TRY(row_number(esx, FLOOR_PLANS, row, "height", &esx->plans[index].top, error));
    if (!(esx->plans[index].scale > 0)) {
        esx->plans[index].scale = 0;
    }
    esx->metres = esx->metres || esx->plans[index].scale > 0;
    char made[DRAWING_NAME_SIZE];
    design_page_name(esx->drawing, name, made);
    TRY(drawing_page_of(esx->drawing, made, &page, error)); /* page `index`, as the name is new */
    return picture == NULL ? PW_OK : drawing_omit(esx->drawing, "pictures of floors", error);
}

/* A floor of a building, for finding what lies under it. */
struct storey {
    long page;
    const char *building;
    double number, height, thickness;
};

static pw_status storey_read(const struct esx *esx, size_t index, struct storey *storey, pw_error *error)
{
    const json_t *row = row_at(esx, BUILDING_FLOORS, index);
    const char *plan = NULL;
    *storey = (struct storey){.building = "", .number = NAN, .height = NAN, .thickness = NAN};
    TRY(row_text(esx, BUILDING_FLOORS, row, "floorPlanId", &plan, error));
    TRY(row_text(esx, BUILDING_FLOORS, row, "buildingId", &storey->building, error));
    TRY(row_number(esx, BUILDING_FLOORS, row, "floorNumber", &storey->number, error));
    TRY(row_number(esx, BUILDING_FLOORS, row, "height", &storey->height, error));
    TRY(row_number(esx, BUILDING_FLOORS, row, "thickness", &storey->thickness, error));
    storey->page = row_find(esx, FLOOR_PLANS, plan);
    return PW_OK;
}

/* Clear heights of floors, and how high each lies over the lowest of its building: what is under it adds up. */
static pw_status storeys_read(struct esx *esx, pw_error *error)
{
    size_t count = row_count(esx, BUILDING_FLOORS);
    FAIL_IF(count > DRAWING_PAGE_LIMIT, error, PW_BAD_INPUT, "%s: more than %d floors",
            esx->tables[BUILDING_FLOORS].source.name, DRAWING_PAGE_LIMIT);
    struct storey storeys[DRAWING_PAGE_LIMIT];
    for (size_t n = 0; n < count; n++) {
        TRY(storey_read(esx, n, &storeys[n], error));
    }
    for (size_t n = 0; n < count; n++) {
        double elevation = isfinite(storeys[n].number) ? 0 : NAN;
        for (size_t m = 0; m < count; m++) {
            if (storeys[m].number < storeys[n].number && strcmp(storeys[m].building, storeys[n].building) == 0) {
                elevation += storeys[m].height + storeys[m].thickness;
            }
        }
        if (storeys[n].page >= 0) {
            struct drawing_page *page = &esx->drawing->pages[storeys[n].page];
            page->height = storeys[n].height > 0 ? storeys[n].height : NAN;
            page->elevation = elevation;
        }
    }
    return PW_OK;
}

static pw_status floors_read(struct esx *esx, pw_error *error)
{
    size_t count = row_count(esx, FLOOR_PLANS);
    FAIL_IF(count == 0, error, PW_BAD_INPUT, "%s: there are no floor plans", esx->tables[FLOOR_PLANS].source.name);
    esx->plans = allocate(count, sizeof *esx->plans, "floor plans", error);
    TRY_MADE(esx->plans);
    for (size_t n = 0; n < count; n++) {
        TRY(floor_plan_read(esx, n, error));
    }
    if (esx->metres) {
        esx->drawing->unit = 1;
        snprintf(esx->drawing->unit_from, sizeof esx->drawing->unit_from, "metersPerUnit of the floor plans");
    }
    return storeys_read(esx, error);
}

/* ---- types of walls ---- */

static enum wifi_band band_of(const char *name)
{
    return strcmp(name, "TWO") == 0    ? WIFI_BAND_TWO
           : strcmp(name, "FIVE") == 0 ? WIFI_BAND_FIVE
           : strcmp(name, "SIX") == 0  ? WIFI_BAND_SIX
                                       : WIFI_BAND_NONE;
}

/* The loss in the lowest band that has one; other values in other bands are counted. */
static pw_status losses_read(struct esx *esx, const json_t *row, struct drawing_class *made, pw_error *error)
{
    const struct json_source *source = &esx->tables[WALL_TYPES].source;
    const json_t *list = NULL;
    double first = NAN;
    TRY(json_array_of(source, row, "propagationProperties", &list, error));
    bool differ = false;
    for (size_t n = 0; n < json_array_size(list); n++) {
        const json_t *property = NULL;
        const char *band = "";
        double factor = NAN; /* dB/m */
        TRY(json_object_at(source, list, n, &property, error));
        TRY(json_text_of(source, property, "band", &band, error));
        TRY(json_number_of(source, property, "attenuationFactor", &factor, error));
        if (n == 0) {
            static const struct design_leftover LEFT_OUT[] = {{"reflectionCoefficient", "coefficients of reflection"},
                                                              {"diffractionCoefficient", "coefficients of diffraction"},
                                                              {NULL, NULL}};
            TRY(design_leave_out(esx->drawing, property, LEFT_OUT, error));
        }
        double frequency = wifi_band_frequency(band_of(band)), loss = factor * made->thickness;
        if (loss > 0 && isfinite(frequency)) {
            differ = differ || (isfinite(first) && loss != first);
            first = loss;
            if (made->loss_at == 0 || frequency < made->loss_at) {
                made->loss = loss;
                made->loss_at = frequency;
            }
        }
    }
    return differ ? drawing_omit(esx->drawing, "losses of types of walls in higher bands", error) : PW_OK;
}

/* The class of a type of wall, made when its first wall is met: projects carry dozens that nothing is drawn with. */
static pw_status class_of_type(struct esx *esx, const char *id, int *index, pw_error *error)
{
    long place = row_find(esx, WALL_TYPES, id);
    if (place < 0) {
        TRY(drawing_class_of(esx->drawing, "no type of wall", index, error));
        esx->drawing->classes[*index].use = CLASS_WALLS;
        return PW_OK;
    }
    if (esx->classes[place] >= 0) {
        *index = esx->classes[place];
        return PW_OK;
    }
    const json_t *row = row_at(esx, WALL_TYPES, (size_t)place);
    const char *name = "wall", *key = "", *colour = "";
    double thickness = 0, low = NAN, high = NAN;
    TRY(row_text(esx, WALL_TYPES, row, "name", &name, error));
    TRY(row_text(esx, WALL_TYPES, row, "key", &key, error));
    TRY(row_text(esx, WALL_TYPES, row, "color", &colour, error));
    TRY(row_number(esx, WALL_TYPES, row, "thickness", &thickness, error));
    TRY(row_number(esx, WALL_TYPES, row, "lowerEdge", &low, error));
    TRY(row_number(esx, WALL_TYPES, row, "upperEdge", &high, error));
    char made_name[DRAWING_NAME_SIZE];
    design_class_name(esx->drawing, name, made_name);
    TRY(drawing_class_of(esx->drawing, made_name, index, error));
    struct drawing_class *made = &esx->drawing->classes[*index];
    made->use = CLASS_WALLS;
    drawing_text_copy(made->material, sizeof made->material, key[0] != '\0' ? key : name);
    made->thickness = thickness > 0 ? thickness : 0;
    made->low = low;
    made->high = high > 0 ? high : NAN;
    design_colour_read(colour, made->colour);
    esx->classes[place] = *index;
    return losses_read(esx, row, made, error);
}

/* ---- walls ---- */

/* A place on a floor plan in units of the drawing. */
struct location {
    bool found;
    int page;
    struct drawing_point at;
};

/* {"floorPlanId": id, "coord": {"x": x, "y": y}}; not found without them, or on a plan that has no scale while others
 * have one. */
static pw_status location_read(const struct esx *esx, int which, const json_t *row, struct location *location,
                               pw_error *error)
{
    const struct json_source *source = &esx->tables[which].source;
    const json_t *place = NULL, *coord = NULL;
    const char *plan = NULL;
    double x = NAN, y = NAN;
    TRY(json_object_of(source, row, "location", &place, error));
    TRY(json_text_of(source, place, "floorPlanId", &plan, error));
    TRY(json_object_of(source, place, "coord", &coord, error));
    TRY(json_number_of(source, coord, "x", &x, error));
    TRY(json_number_of(source, coord, "y", &y, error));
    long page = row_find(esx, FLOOR_PLANS, plan);
    *location = (struct location){.found = page >= 0 && isfinite(x) && isfinite(y), .page = (int)page};
    if (location->found) {
        const struct floor_plan *on = &esx->plans[page];
        double scale = esx->metres ? on->scale : 1;
        location->found = scale > 0;
        location->at = (struct drawing_point){x * scale, (on->top - y) * scale};
    }
    return PW_OK;
}

/* The point that an end of a wall names, by its id or by an object with one. */
static pw_status end_read(const struct esx *esx, const json_t *ends, size_t index, struct location *location,
                          pw_error *error)
{
    const json_t *end = json_array_get(ends, index);
    const char *id = json_string_value(json_is_object(end) ? json_object_get(end, "id") : end);
    long place = row_find(esx, WALL_POINTS, id);
    *location = (struct location){.found = false};
    return place < 0 ? PW_OK
                     : location_read(esx, WALL_POINTS, row_at(esx, WALL_POINTS, (size_t)place), location, error);
}

static pw_status segment_draw(struct esx *esx, size_t index, pw_error *error)
{
    const json_t *row = row_at(esx, WALL_SEGMENTS, index), *ends = NULL;
    const char *type = NULL;
    struct location from, to;
    TRY(row_text(esx, WALL_SEGMENTS, row, "wallTypeId", &type, error));
    TRY(json_array_of(&esx->tables[WALL_SEGMENTS].source, row, "wallPoints", &ends, error));
    TRY(end_read(esx, ends, 0, &from, error));
    TRY(end_read(esx, ends, 1, &to, error));
    if (!from.found || !to.found || from.page != to.page) {
        return drawing_omit(esx->drawing, "walls without two ends on a plan that has a scale", error);
    }
    struct drawing_element like = {.kind = ELEMENT_LINE, .page = from.page};
    TRY(class_of_type(esx, type, &like.class_index, error));
    like.width = esx->metres ? esx->drawing->classes[like.class_index].thickness : 0;
    TRY(drawing_begin(esx->drawing, &like, error));
    TRY(drawing_point_add(esx->drawing, from.at.x, from.at.y, error));
    return drawing_point_add(esx->drawing, to.at.x, to.at.y, error);
}

static pw_status walls_draw(struct esx *esx, pw_error *error)
{
    size_t types = row_count(esx, WALL_TYPES);
    esx->classes = allocate(types, sizeof *esx->classes, "types of walls", error);
    TRY_MADE(esx->classes);
    memset(esx->classes, -1, types * sizeof *esx->classes);
    for (size_t n = 0; n < row_count(esx, WALL_SEGMENTS); n++) {
        TRY(segment_draw(esx, n, error));
    }
    for (size_t n = 0; n < row_count(esx, AREAS); n++) {
        TRY(drawing_omit(esx->drawing, "areas of attenuation", error));
    }
    return PW_OK;
}

/* ---- access points ---- */

/* The first number of a list, or the number itself; else NAN. */
static double first_number(const json_t *value)
{
    const json_t *first = json_is_array(value) ? json_array_get(value, 0) : value;
    return json_is_number(first) ? json_number_value(first) : NAN;
}

/* Centre frequencies of the narrow channels [MHz] make their mean; older projects have numbers of channels. */
static double radio_frequency(const json_t *row)
{
    const json_t *list = json_object_get(row, "channelByCenterFrequencyDefinedNarrowChannels");
    double sum = 0;
    for (size_t n = 0; n < json_array_size(list); n++) {
        sum += first_number(json_array_get(list, n));
    }
    return json_array_size(list) > 0
               ? sum / (double)json_array_size(list) * 1e6
               : wifi_channel_frequency(WIFI_BAND_NONE, first_number(json_object_get(row, "channel")));
}

/* What the radio says beyond its access point; only of Wi-Fi, and of those that are on. */
static pw_status radio_read(struct esx *esx, size_t index, struct drawing_radio *radios, bool *known, pw_error *error)
{
    const json_t *row = row_at(esx, RADIOS, index);
    const char *id = NULL, *technology = "IEEE802_11";
    TRY(row_text(esx, RADIOS, row, "accessPointId", &id, error));
    TRY(row_text(esx, RADIOS, row, "radioTechnology", &technology, error));
    long place = row_find(esx, ACCESS_POINTS, id);
    if (place < 0 || strcmp(technology, "IEEE802_11") != 0 || json_is_false(json_object_get(row, "enabled"))) {
        return PW_OK;
    }
    if (known[place]) {
        return drawing_omit(esx->drawing, "further radios of access points", error);
    }
    known[place] = true;
    static const struct design_leftover LEFT_OUT[] = {{"antennaTypeId", "types of antennas"},
                                                      {"antennaDirection", "directions of antennas"},
                                                      {"antennaTilt", "tilts of antennas"},
                                                      {NULL, NULL}};
    TRY(design_leave_out(esx->drawing, row, LEFT_OUT, error));
    radios[place].frequency = radio_frequency(row);
    radios[place].width =
        20e6 * (double)json_array_size(json_object_get(row, "channelByCenterFrequencyDefinedNarrowChannels"));
    TRY(row_number(esx, RADIOS, row, "transmitPower", &radios[place].power, error));
    return row_number(esx, RADIOS, row, "antennaHeight", &radios[place].height, error);
}

static pw_status access_points_fill(struct esx *esx, struct drawing_radio *radios, bool *known, pw_error *error)
{
    size_t count = row_count(esx, ACCESS_POINTS);
    for (size_t n = 0; n < count; n++) {
        radios[n] = (struct drawing_radio){.height = NAN, .power = NAN, .frequency = NAN};
    }
    for (size_t n = 0; n < row_count(esx, RADIOS); n++) {
        TRY(radio_read(esx, n, radios, known, error));
    }
    for (size_t n = 0; n < count; n++) {
        const json_t *row = row_at(esx, ACCESS_POINTS, n);
        const char *name = "";
        struct location location;
        TRY(row_text(esx, ACCESS_POINTS, row, "name", &name, error));
        TRY(location_read(esx, ACCESS_POINTS, row, &location, error));
        if (!location.found) {
            TRY(drawing_omit(esx->drawing, "access points that are on no plan", error));
            continue;
        }
        drawing_text_copy(radios[n].name, sizeof radios[n].name, name);
        radios[n].page = location.page;
        radios[n].at = location.at;
        TRY(drawing_radio_add(esx->drawing, &radios[n], error));
    }
    return PW_OK;
}

static pw_status access_points_read(struct esx *esx, pw_error *error)
{
    size_t count = row_count(esx, ACCESS_POINTS);
    OWNED struct drawing_radio *radios = allocate(count, sizeof *radios, "access points", error);
    OWNED bool *known = allocate(count, sizeof *known, "access points", error);
    TRY_MADE(radios != NULL && known != NULL);
    return access_points_fill(esx, radios, known, error);
}

/* ---- the project ---- */

static pw_status project_read(struct json_zip *zip, struct esx *esx, pw_error *error)
{
    for (int t = 0; t < TABLES; t++) {
        TRY(table_read(zip, esx, t, error));
    }
    FAIL_IF(esx->tables[FLOOR_PLANS].source.root == NULL, error, PW_BAD_INPUT,
            "'%s' is no project of Ekahau: there is no floorPlans.json", zip->path);
    TRY(floors_read(esx, error));
    TRY(walls_draw(esx, error));
    return access_points_read(esx, error);
}

static pw_status esx_read(const char *path, const struct picture_options *picture, struct drawing *drawing,
                          pw_error *error)
{
    (void)picture;
    struct json_zip zip;
    TRY(json_zip_open(path, &zip, error));
    struct esx esx = {.drawing = drawing};
    pw_status status = project_read(&zip, &esx, error);
    for (int t = 0; t < TABLES; t++) {
        json_source_free(&esx.tables[t].source);
        json_decref(esx.places[t]);
    }
    PW_FREE_ALL(esx.plans, esx.classes);
    json_zip_close(&zip);
    return status;
}

const struct drawing_format drawing_format_esx = {
    .name = "esx", .description = "projects of Ekahau", .recognises = esx_recognises, .read = esx_read};
