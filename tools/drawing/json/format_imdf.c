/* IMDF, the Indoor Mapping Data Format of Apple (OGC 20-094, version 1.0.0): a zip archive of GeoJSON files with a
 * manifest. Levels become pages in the order of their ordinals, units rooms with walls along their outlines (or solid,
 * when their category is that of a wall), openings doors, fixtures of the category "wall" walls. The format states no
 * heights and no thickness of walls. Left out: venue, footprints, amenities, anchors and all else that is no part of a
 * floor. */
#include "drawing/drawing_format.h"
#include "drawing/json/design.h"
#include "drawing/json/feature/feature.h"
#include "drawing/json/json_zip.h"

#include <stdlib.h>
#include <string.h>

static bool imdf_recognises(const uint8_t *head, size_t count, const char *path)
{
    return zip_has_entry(head, count, path, "level.geojson") || zip_has_entry(head, count, path, "unit.geojson");
}

struct level {
    double ordinal;
    const char *id, *name; /* of the document */
    size_t place;          /* in it */
};

struct imdf {
    struct drawing *drawing;
    struct json_source levels; /* level.geojson */
    struct level *list;        /* (count), owned, from below */
    size_t count;
    json_t *pages;    /* owned: a level's id to the name of its page */
    json_t *features; /* owned: what is drawn */
};

static pw_status no_memory(pw_error *error)
{
    return fail(error, PW_NO_RESOURCE, "not enough memory for the features of a map");
}

/* The first of a text's languages, {"en": "Ground floor"}; NULL where there is none. */
static const char *label_of(const json_t *properties, const char *key)
{
    const char *language = NULL;
    json_t *text = NULL;
    json_object_foreach(json_object_get(properties, key), language, text)
    {
        if (json_is_string(text)) {
            return json_string_value(text);
        }
    }
    return NULL;
}

/* ---- levels ---- */

static pw_status level_read(struct imdf *imdf, const json_t *features, size_t index, pw_error *error)
{
    struct level *level = &imdf->list[index];
    const json_t *feature = NULL, *properties = NULL;
    *level = (struct level){.place = index};
    TRY(json_object_at(&imdf->levels, features, index, &feature, error));
    TRY(json_text_of(&imdf->levels, feature, "id", &level->id, error));
    TRY(json_object_of(&imdf->levels, feature, "properties", &properties, error));
    TRY(json_number_of(&imdf->levels, properties, "ordinal", &level->ordinal, error));
    level->name = label_of(properties, "short_name");
    level->name = level->name == NULL ? label_of(properties, "name") : level->name;
    return PW_OK;
}

static int level_compare(const void *a, const void *b)
{
    const struct level *one = a, *other = b;
    if (one->ordinal != other->ordinal) {
        return one->ordinal < other->ordinal ? -1 : 1;
    }
    return one->place < other->place ? -1 : one->place > other->place;
}

static pw_status pages_make(struct imdf *imdf, pw_error *error)
{
    qsort(imdf->list, imdf->count, sizeof *imdf->list, level_compare);
    for (size_t n = 0; n < imdf->count; n++) {
        char ordinal[32], name[DRAWING_NAME_SIZE];
        int page = 0;
        snprintf(ordinal, sizeof ordinal, "%.6g", imdf->list[n].ordinal);
        design_page_name(imdf->drawing, imdf->list[n].name == NULL ? ordinal : imdf->list[n].name, name);
        TRY(drawing_page_of(imdf->drawing, name, &page, error));
        if (imdf->list[n].id != NULL && json_object_set_new(imdf->pages, imdf->list[n].id, json_string(name)) != 0) {
            return no_memory(error);
        }
    }
    return PW_OK;
}

static pw_status levels_read(struct imdf *imdf, struct json_zip *zip, pw_error *error)
{
    const json_t *features = NULL;
    TRY(json_zip_read(zip, "level.geojson", &imdf->levels, error));
    TRY(json_array_of(&imdf->levels, imdf->levels.root, "features", &features, error));
    imdf->count = json_array_size(features);
    FAIL_IF(imdf->count == 0, error, PW_BAD_INPUT, "'%s' has no levels: level.geojson is missing or empty", zip->path);
    imdf->list = allocate(imdf->count, sizeof *imdf->list, "levels", error);
    TRY_MADE(imdf->list);
    for (size_t n = 0; n < imdf->count; n++) {
        TRY(level_read(imdf, features, n, error));
    }
    return pages_make(imdf, error);
}

/* ---- units, openings, fixtures ---- */

/* What the category says a unit is filled with, if anything. */
static const char *filling_of(const char *category)
{
    static const char *const FILLINGS[] = {"brick", "concrete", "drywall", "glass", "wood"};
    for (size_t f = 0; f < sizeof FILLINGS / sizeof FILLINGS[0]; f++) {
        if (strcmp(category, FILLINGS[f]) == 0) {
            return category;
        }
    }
    return NULL;
}

/* The feature in the words of feature_class.h: {"unit": category, "level": page, "material": of a door}. */
static pw_status feature_take(struct imdf *imdf, const struct json_source *source, const char *kind,
                              const json_t *feature, pw_error *error)
{
    const json_t *properties = NULL, *geometry = NULL, *door = NULL;
    const char *category = "unspecified", *level = "", *material = NULL;
    TRY(json_object_of(source, feature, "properties", &properties, error));
    TRY(json_object_of(source, feature, "geometry", &geometry, error));
    TRY(json_text_of(source, properties, "category", &category, error));
    TRY(json_text_of(source, properties, "level_id", &level, error));
    TRY(json_object_of(source, properties, "door", &door, error));
    TRY(json_text_of(source, door, "material", &material, error));
    material = strcmp(kind, "unit") == 0 ? filling_of(category) : material;
    const char *page = json_string_value(json_object_get(imdf->pages, level));
    if (page == NULL) {
        return drawing_omit(imdf->drawing, "features that are on no level", error);
    }
    json_t *made = json_pack("{s:s, s:{s:s, s:s, s:s*}, s:O?}", "type", "Feature", "properties", kind, category,
                             "level", page, "material", material, "geometry", geometry);
    return json_array_append_new(imdf->features, made) == 0 ? PW_OK : no_memory(error);
}

static pw_status features_take(struct imdf *imdf, struct json_zip *zip, const char *kind, pw_error *error)
{
    char name[32];
    struct json_source source;
    const json_t *features = NULL;
    snprintf(name, sizeof name, "%s.geojson", kind);
    pw_status status = json_zip_read(zip, name, &source, error);
    THEN(status, json_array_of(&source, source.root, "features", &features, error));
    for (size_t n = 0; status == PW_OK && n < json_array_size(features); n++) {
        const json_t *feature = NULL;
        status = json_object_at(&source, features, n, &feature, error);
        THEN(status, feature_take(imdf, &source, kind, feature, error));
    }
    json_source_free(&source); /* geometries are held by the features made of them */
    return status;
}

static pw_status map_read(struct imdf *imdf, struct json_zip *zip, pw_error *error)
{
    static const char *const KINDS[] = {"unit", "fixture", "opening"};
    imdf->pages = json_object();
    imdf->features = json_array();
    TRY(levels_read(imdf, zip, error));
    for (size_t k = 0; k < sizeof KINDS / sizeof KINDS[0]; k++) {
        TRY(features_take(imdf, zip, KINDS[k], error));
    }
    OWNED_BY(json_source_free)
    struct json_source all = {.root = json_pack("{s:s, s:O}", "type", "FeatureCollection", "features", imdf->features)};
    snprintf(all.name, sizeof all.name, "units, fixtures and openings of '%.400s'", zip->path);
    return all.root == NULL ? no_memory(error) : features_draw(&all, imdf->drawing, error);
}

static pw_status imdf_read(const char *path, const struct picture_options *picture, struct drawing *drawing,
                           pw_error *error)
{
    (void)picture;
    struct json_zip zip;
    TRY(json_zip_open(path, &zip, error));
    struct imdf imdf = {.drawing = drawing};
    pw_status status = map_read(&imdf, &zip, error);
    json_source_free(&imdf.levels);
    free(imdf.list);
    json_decref(imdf.pages);
    json_decref(imdf.features);
    json_zip_close(&zip);
    return status;
}

const struct drawing_format drawing_format_imdf = {
    .name = "IMDF", .description = "indoor maps in Apple's format", .recognises = imdf_recognises, .read = imdf_read};
