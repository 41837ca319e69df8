/* OpenStreetMap's XML (.osm, as JOSM saves it and the API hands it out; wiki.openstreetmap.org/wiki/OSM_XML), through
 * expat: nodes, ways and multipolygon relations become features (osm_features.h), which feature.c draws. Objects that
 * an editor has marked as deleted are passed over. Left out: histories and changesets; entities, which the format has
 * none of. */
#include "drawing/drawing_format.h"
#include "drawing/json/feature/feature.h"
#include "drawing/json/osm_features.h"
#include "drawing/xml_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *path;
    XML_Parser parser;
    struct osm_features osm;
    struct osm_object object; /* that is being read */
    bool within, deleted;
    pw_status status;
    pw_error *error;
};

static bool osm_recognises(const uint8_t *head, size_t count, const char *path)
{
    (void)path;
    return memmem(head, count, "<osm", 4) != NULL && memmem(head, count, "<svg", 4) == NULL;
}

/* ---- what expat calls ---- */

static void reader_stop(struct reader *reader, pw_status status)
{
    if (reader->status == PW_OK && status != PW_OK) {
        reader->status = status;
        (void)XML_StopParser(reader->parser, XML_FALSE);
    }
}

static const char *attribute_of(const char **attributes, const char *key)
{
    for (size_t n = 0; attributes[n] != NULL; n += 2) {
        if (strcmp(attributes[n], key) == 0) {
            return attributes[n + 1];
        }
    }
    return "";
}

static enum osm_kind kind_of(const char *name)
{
    return strcmp(name, "node") == 0       ? OSM_NODE
           : strcmp(name, "way") == 0      ? OSM_WAY
           : strcmp(name, "relation") == 0 ? OSM_RELATION
                                           : OSM_OTHER;
}

static void element_begins(void *data, const char *name, const char **attributes)
{
    struct reader *reader = data;
    enum osm_kind kind = kind_of(name);
    if (reader->status != PW_OK) {
        return; /* expat makes a few more calls after it was stopped */
    }
    if (kind != OSM_OTHER) {
        reader->within = true;
        reader->deleted = strcmp(attribute_of(attributes, "action"), "delete") == 0;
        reader_stop(reader, osm_object_begin(&reader->object, kind, attribute_of(attributes, "id"), reader->error));
        if (kind == OSM_NODE) {
            char *end_x = NULL, *end_y = NULL;
            const char *x = attribute_of(attributes, "lon"), *y = attribute_of(attributes, "lat");
            reader->object.x = strtod(x, &end_x);
            reader->object.y = strtod(y, &end_y);
            bool numbers = end_x != x && end_y != y && isfinite(reader->object.x) && isfinite(reader->object.y);
            if (!reader->deleted && !numbers) {
                reader_stop(reader, fail(reader->error, PW_BAD_INPUT, "'%s', line %lu: a node has no lon and lat",
                                         reader->path, (unsigned long)XML_GetCurrentLineNumber(reader->parser)));
            }
        }
    } else if (reader->within && strcmp(name, "tag") == 0) {
        reader_stop(reader, osm_object_tag(&reader->object, attribute_of(attributes, "k"),
                                           attribute_of(attributes, "v"), reader->error));
    } else if (reader->within && strcmp(name, "nd") == 0) {
        reader_stop(reader,
                    osm_object_node(&reader->object, &reader->osm, attribute_of(attributes, "ref"), reader->error));
    } else if (reader->within && strcmp(name, "member") == 0 && strcmp(attribute_of(attributes, "type"), "way") == 0) {
        reader_stop(reader,
                    osm_object_way(&reader->object, &reader->osm, attribute_of(attributes, "ref"), reader->error));
    }
}

static void element_ends(void *data, const char *name)
{
    struct reader *reader = data;
    if (reader->status == PW_OK && kind_of(name) != OSM_OTHER && reader->within) {
        reader->within = false;
        if (!reader->deleted) {
            reader_stop(reader, osm_object_end(&reader->object, &reader->osm, reader->error));
        }
    }
}

/* A map has no entities of its own; those that multiply a file's size are not gone into. */
static void entity_declared(void *data, const char *name, int is_parameter, const char *value, int length,
                            const char *base, const char *system, const char *public, const char *notation)
{
    (void)name, (void)is_parameter, (void)value, (void)length, (void)base, (void)system, (void)public, (void)notation;
    struct reader *reader = data;
    reader_stop(reader, fail(reader->error, PW_BAD_INPUT, "'%s', line %lu: a map with entities is not read",
                             reader->path, (unsigned long)XML_GetCurrentLineNumber(reader->parser)));
}

/* ---- the file ---- */

static pw_status map_parse(struct reader *reader)
{
    reader->parser = XML_ParserCreate(NULL);
    if (reader->parser != NULL) {
        XML_SetUserData(reader->parser, reader);
        XML_SetElementHandler(reader->parser, element_begins, element_ends);
        XML_SetEntityDeclHandler(reader->parser, entity_declared);
    }
    return xml_file_parse(reader->parser, reader->path, JSON_BYTES_LIMIT, &reader->status, reader->error);
}

static pw_status osm_read(const char *path, const struct picture_options *picture, struct drawing *drawing,
                          pw_error *error)
{
    (void)picture;
    struct reader reader = {.path = path, .error = error};
    pw_status status = osm_features_make(&reader.osm, drawing, error);
    THEN(status, map_parse(&reader));
    if (status == PW_OK) {
        struct json_source source = {.root = reader.osm.collection};
        snprintf(source.name, sizeof source.name, "'%s'", path);
        status = features_draw(&source, drawing, error);
    }
    osm_object_free(&reader.object);
    osm_features_free(&reader.osm);
    return status;
}

const struct drawing_format drawing_format_osm = {
    .name = "OSM", .description = "indoor maps of OpenStreetMap", .recognises = osm_recognises, .read = osm_read};
