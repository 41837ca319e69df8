/* Properties to classes (feature_class.h). Rules after wiki.openstreetmap.org/wiki/Simple_Indoor_Tagging: a room has
 * walls along its outline, a corridor and an area have none but those of the rooms beside them; after OGC 20-094 (IMDF
 * 1.0.0), categories of units, openings and fixtures. */
#include "drawing/json/feature/feature_class.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* ---- values ---- */

/* The property by its key, in large or small letters; NULL where it says nothing. */
static const json_t *property_of(const json_t *properties, const char *key)
{
    const json_t *value = json_object_get(properties, key);
    if (value == NULL) {
        const char *other = NULL;
        json_t *candidate = NULL;
        json_object_foreach((json_t *)properties, other, candidate)
        {
            if (strcasecmp(other, key) == 0) {
                value = candidate;
                break;
            }
        }
    }
    if (json_is_string(value) && json_string_value(value)[strspn(json_string_value(value), " \t")] == '\0') {
        return NULL;
    }
    return json_is_string(value) || json_is_number(value) || json_is_true(value) ? value : NULL;
}

static void value_write(const json_t *value, char *text, size_t size)
{
    if (json_is_string(value)) {
        drawing_text_copy(text, size, json_string_value(value));
    } else if (json_is_number(value)) {
        snprintf(text, size, "%.6g", json_number_value(value));
    } else {
        snprintf(text, size, "yes");
    }
}

/* NAN where there is none, or none that is understood. */
static double quantity_of(const json_t *properties, const char *key, pw_dimension dimension)
{
    const json_t *value = property_of(properties, key);
    double quantity = json_is_number(value) ? json_number_value(value) : NAN;
    return json_is_string(value) && pw_quantity_parse(json_string_value(value), dimension, &quantity, NULL) != PW_OK
               ? NAN
               : quantity;
}

/* A property as a length in m: a number, or a text such as "2.5", "2.5 m", "30 cm"; NAN where it is neither. */
static double feature_length(const json_t *properties, const char *key)
{
    return quantity_of(properties, key, PW_DIMENSION_LENGTH);
}

double feature_number(const json_t *properties, const char *key)
{
    return quantity_of(properties, key, PW_DIMENSION_NUMBER);
}

/* ---- what a property's value stands for ---- */

struct use_rule {
    const char *key, *value; /* value NULL: any */
    enum class_use use;
};

/* The first that fits is taken. */
static const struct use_rule RULES[] = {
    {"indoor", "wall", CLASS_WALLS},
    {"indoor", "column", CLASS_WALLS},
    {"indoor", "pillar", CLASS_WALLS},
    {"indoor", "room", CLASS_OUTLINES},
    {"indoor", "door", CLASS_OPENINGS},
    {"indoor", "window", CLASS_OPENINGS},
    {"indoor", "opening", CLASS_OPENINGS},
    {"indoor", "corridor", CLASS_IGNORED},
    {"indoor", "area", CLASS_IGNORED},
    {"indoor", "level", CLASS_IGNORED},
    {"barrier", "wall", CLASS_WALLS},
    {"building", NULL, CLASS_OUTLINES},
    {"building:part", NULL, CLASS_OUTLINES},
    {"door", NULL, CLASS_OPENINGS},
    {"entrance", NULL, CLASS_OPENINGS},
    {"window", NULL, CLASS_OPENINGS},
    {"opening", NULL, CLASS_OPENINGS},
    {"unit", "brick", CLASS_WALLS},
    {"unit", "column", CLASS_WALLS},
    {"unit", "concrete", CLASS_WALLS},
    {"unit", "drywall", CLASS_WALLS},
    {"unit", "glass", CLASS_WALLS},
    {"unit", "structure", CLASS_WALLS},
    {"unit", "wall", CLASS_WALLS},
    {"unit", "wood", CLASS_WALLS},
    {"unit", "opentobelow", CLASS_IGNORED},
    {"unit", "unenclosedarea", CLASS_IGNORED},
    {"unit", "walkway", CLASS_IGNORED},
    {"unit", NULL, CLASS_OUTLINES},
    {"fixture", "wall", CLASS_WALLS},
    {"fixture", NULL, CLASS_IGNORED},
};

static enum class_use use_of(const char *key, const char *value)
{
    for (size_t r = 0; r < sizeof RULES / sizeof RULES[0]; r++) {
        if (strcmp(RULES[r].key, key) == 0 && (RULES[r].value == NULL || strcmp(RULES[r].value, value) == 0)) {
            return RULES[r].use;
        }
    }
    return CLASS_OPEN;
}

/* ---- what has no walls ---- */

/* What stands open though it is mapped as a building, after wiki.openstreetmap.org/wiki/Key:building, Key:wall and
 * Key:location: a roof on posts; walls that are said not to be; and what lies under the ground. `tell`: the property
 * belongs to the class's name, since the others of that name have walls. */
static const struct {
    const char *key, *value;
    bool tell;
} OPEN[] = {
    {"building", "roof", false},
    {"building", "carport", false},
    {"building", "canopy", false},
    {"building", "shelter", false},
    {"building", "awning", false},
    {"building", "pergola", false},
    {"building", "gazebo", false},
    {"building", "arbour", false},
    {"building", "bandstand", false},
    {"building", "bridge", false},
    {"building", "tree_house", false},
    {"building", "tent", false},
    {"building", "proposed", false}, /* not built, or no longer there */
    {"building", "planned", false},
    {"building", "demolished", false},
    {"building", "razed", false},
    {"parking", "carports", true},
    {"building:part", "roof", false},
    {"building:part", "carport", false},
    {"building:part", "canopy", false},
    {"building:part", "shelter", false},
    {"building:part", "awning", false},
    {"building:part", "pergola", false},
    {"building:part", "balcony", false},
    {"building:part", "porch", false},
    {"building:part", "porticus", false},
    {"building:part", "arcade", false},
    {"building:part", "bridge", false},
    {"wall", "no", true},
    {"walls", "no", true},
    {"building:walls", "no", true},
    {"location", "underground", true},
    {"location", "roof", true},
    {"location", "overhead", true},
    {"location", "underwater", true},
    {"man_made", "canopy", true},
    {"amenity", "shelter", true},
};

/* ---- the class ---- */

/* From what tells most to what tells least. */
static const char *const TELLING[] = {"unit",    "opening", "fixture",       "indoor",   "door", "window",   "entrance",
                                      "barrier", "highway", "building:part", "building", "type", "category", "class",
                                      "kind",    "layer",   "material",      "amenity",  "shop", "room",     "name"};
static const char *const MATERIALS[] = {"material", "wall:material", "building:material"};

static void name_add(struct feature_facts *facts, const char *key, const char *value)
{
    size_t used = strlen(facts->name);
    snprintf(facts->name + used, sizeof facts->name - used, "%s%s=%s", used == 0 ? "" : " ", key, value);
}

static void name_add_height(struct feature_facts *facts, const char *key, double height)
{
    if (isfinite(height)) {
        char text[32];
        snprintf(text, sizeof text, "%.6g", height);
        name_add(facts, key, text);
    }
}

/* Whether a word says "access point", blanks and such between letters passed over. */
static bool word_is_access_point(const json_t *value)
{
    static const char *const WORDS[] = {"accesspoint", "ap", "wap", "wirelessaccesspoint", "wifi", "wifiaccesspoint"};
    char word[32] = "";
    size_t used = 0;
    for (const char *c = json_is_string(value) ? json_string_value(value) : ""; *c != '\0'; c++) {
        if (isalnum((unsigned char)*c) && used + 1 < sizeof word) {
            word[used++] = (char)tolower((unsigned char)*c);
        }
    }
    for (size_t w = 0; w < sizeof WORDS / sizeof WORDS[0]; w++) {
        if (strcmp(word, WORDS[w]) == 0) {
            return true;
        }
    }
    return false;
}

static void name_find(const json_t *properties, struct feature_facts *facts)
{
    for (size_t t = 0; t < sizeof TELLING / sizeof TELLING[0] && facts->name[0] == '\0'; t++) {
        const json_t *value = property_of(properties, TELLING[t]);
        char text[64];
        if (value != NULL) {
            value_write(value, text, sizeof text);
        }
        /* "no" is the absence of a thing, and a relation's type is how it is put together. */
        bool empty = value == NULL || strcmp(text, "no") == 0 ||
                     (strcmp(TELLING[t], "type") == 0 && strcmp(text, "multipolygon") == 0);
        if (!empty) {
            name_add(facts, TELLING[t], text);
            facts->use = use_of(TELLING[t], text);
            facts->building = strncmp(TELLING[t], "building", 8) == 0;
            facts->level = strcmp(TELLING[t], "indoor") == 0 && strcmp(text, "level") == 0;
            facts->door = strcmp(TELLING[t], "door") == 0 || strcmp(TELLING[t], "entrance") == 0 ||
                          strcmp(TELLING[t], "window") == 0 || facts->use == CLASS_OPENINGS;
        }
    }
}

/* Whether a word is one of a list, "roof;yes". */
static bool list_holds(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; *at != '\0';) {
        const size_t own = strcspn(at, ";");
        if (own == length && strncasecmp(at, word, length) == 0) {
            return true;
        }
        at += own + strspn(at + own, "; ");
    }
    return false;
}

/* Rooms and buildings that say that they are open are none. */
static void open_find(const json_t *properties, struct feature_facts *facts)
{
    for (size_t n = 0; facts->use == CLASS_OUTLINES && n < sizeof OPEN / sizeof OPEN[0]; n++) {
        const json_t *value = property_of(properties, OPEN[n].key);
        char text[64] = "";
        if (value != NULL) {
            value_write(value, text, sizeof text);
        } else if (json_is_false(json_object_get(properties, OPEN[n].key))) {
            snprintf(text, sizeof text, "no");
        }
        if (list_holds(text, OPEN[n].value)) {
            facts->use = CLASS_IGNORED;
            if (OPEN[n].tell) {
                name_add(facts, OPEN[n].key, OPEN[n].value);
            }
        }
    }
}

/* Parts that begin above the heads of those on the ground: what stands under them is open. */
static void raised_find(const json_t *properties, struct feature_facts *facts)
{
    static const char *const BEGINS[] = {"min_height", "building:min_level", "min_level"};
    static const double LEAST[] = {2, 1, 1}; /* m, storeys, levels of Simple Indoor Tagging */
    for (int n = 0; facts->building && facts->use == CLASS_OUTLINES && n < (int)(sizeof LEAST / sizeof *LEAST); n++) {
        const double begins = feature_length(properties, BEGINS[n]);
        if (begins >= LEAST[n]) {
            facts->use = CLASS_IGNORED;
            name_add_height(facts, BEGINS[n], begins);
        }
    }
}

void feature_facts_of(const json_t *properties, struct feature_facts *facts)
{
    *facts = (struct feature_facts){.use = CLASS_OPEN, .low = NAN, .high = NAN};
    name_find(properties, facts);
    open_find(properties, facts);
    raised_find(properties, facts);
    for (size_t m = 0; m < sizeof MATERIALS / sizeof MATERIALS[0] && facts->material[0] == '\0'; m++) {
        const json_t *value = property_of(properties, MATERIALS[m]);
        if (value != NULL) {
            value_write(value, facts->material, sizeof facts->material);
        }
    }
    const char *named = strchr(facts->name, '=');
    if (facts->material[0] != '\0' && (named == NULL || strcmp(named + 1, facts->material) != 0)) {
        name_add(facts, "material", facts->material);
    }
    /* The height of a building is not that of a floor's walls. */
    if (!facts->building) {
        facts->low = feature_length(properties, "min_height");
        facts->high = feature_length(properties, "height");
        name_add_height(facts, "min_height", facts->low);
        name_add_height(facts, "height", facts->high);
    }
    facts->width = feature_length(properties, facts->door ? "width" : "thickness");
    if (!facts->door && !(facts->width > 0)) {
        facts->width = feature_length(properties, "width");
    }
    facts->width = facts->width > 0 && isfinite(facts->width) ? facts->width : 0;
    static const char *const KINDS[] = {"type", "category", "class", "kind"};
    for (size_t k = 0; k < sizeof KINDS / sizeof KINDS[0]; k++) {
        facts->access_point = facts->access_point || word_is_access_point(property_of(properties, KINDS[k]));
    }
    const json_t *area = property_of(properties, "area");
    bool wall = strncmp(facts->name, "indoor=wall", 11) == 0 || strncmp(facts->name, "barrier=wall", 12) == 0;
    facts->may_be_ring =
        wall && !(json_is_true(area) || (json_is_string(area) && strcmp(json_string_value(area), "yes") == 0));
    if (facts->name[0] == '\0') {
        snprintf(facts->name, sizeof facts->name, "no class");
    }
}

pw_status feature_class_make(const struct feature_facts *facts, struct drawing *drawing, int *index, pw_error *error)
{
    size_t before = drawing->class_count;
    /* Where each feature has a name and nothing else, names make no classes without end. */
    enum { NAMES_LIMIT = 200 };
    bool many = strncmp(facts->name, "name=", 5) == 0 && before >= NAMES_LIMIT;
    TRY(drawing_class_of(drawing, many ? "other names" : facts->name, index, error));
    if (drawing->class_count > before) {
        struct drawing_class *made = &drawing->classes[*index];
        made->use = facts->use;
        snprintf(made->material, sizeof made->material, "%s", facts->material);
        made->low = facts->low;
        made->high = facts->high;
    }
    return PW_OK;
}
