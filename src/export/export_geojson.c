/* A plan as GeoJSON in its own metres, which the member "crs" says, as RFC 7946 has longitude and latitude: shapes in
 * drawing order with the tags of OpenStreetMap's Simple Indoor Tagging, transmitters as points. A shape through several
 * storeys is there once for each. Floors and ceilings are left out. */
#include "export/plan_export.h"
#include "file/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void member_text(FILE *file, const char *key, const char *text)
{
    fprintf(file, ", \"%s\": ", key);
    json_text_write(file, text, strlen(text));
}

static void member_number(FILE *file, const char *key, double value)
{
    if (isfinite(value)) {
        fprintf(file, ", \"%s\": %.10g", key, value);
    }
}

/* The storey, in a plan that has some, as the property that makes floors. */
static void level_write(const struct exported_plan *plan, int storey, FILE *file)
{
    if (plan->scenario->plan.storey_count > 0) {
        fprintf(file, ", \"level\": \"%d\"", storey);
        member_text(file, "storey", storey_name(plan, storey));
    }
}

static void material_write(const struct exported_shape *shape, FILE *file)
{
    const struct material_choice *choice = &shape->shape->material;
    if (material_is_air(&shape->material)) {
        return;
    }
    member_text(file, "material", choice->name);
    if (choice->own_values) {
        member_number(file, "relative_permittivity", shape->material.relative_permittivity);
        member_number(file, "conductivity", shape->material.conductivity);
    }
}

static pw_status shape_write(const struct exported_plan *plan, const struct exported_shape *shape, int storey,
                             FILE *file, pw_error *error)
{
    struct storey_part part;
    if (!storey_part_of(plan, shape->shape, storey, &part)) {
        return PW_OK;
    }
    int count = 0;
    struct point *corners = outline_corners(&shape->outline, &count, error);
    if (corners == NULL) {
        return PW_NO_RESOURCE;
    }
    fprintf(file, ",\n{\"type\": \"Feature\", \"properties\": {\"indoor\": \"%s\", \"area\": \"yes\"",
            shape->opening ? "opening" : "wall");
    material_write(shape, file);
    level_write(plan, storey, file);
    if (!part.whole) {
        member_number(file, "min_height", part.low);
        member_number(file, "height", part.high);
    }
    fputs("}, \"geometry\": {\"type\": \"Polygon\", \"coordinates\": [[", file);
    for (int c = 0; c <= count; c++) { /* a ring ends where it begins */
        fprintf(file, "%s[%.10g, %.10g]", c == 0 ? "" : ", ", corners[c % count].x, corners[c % count].y);
    }
    fputs("]]}}", file);
    free(corners);
    return PW_OK;
}

static void transmitter_write(const struct exported_plan *plan, const struct transmitter_choice *transmitter,
                              FILE *file)
{
    double height = NAN;
    int storey = transmitter_storey(plan, transmitter, &height);
    if (storey < plan->first || storey > plan->last) {
        return;
    }
    fputs(",\n{\"type\": \"Feature\", \"properties\": {\"type\": \"access point\"", file);
    member_text(file, "name", transmitter->name);
    level_write(plan, storey, file);
    member_number(file, "height", height);
    member_number(file, "power_dbm", transmitter->power);
    member_number(file, "frequency_hz", plan->scenario->band_centre);
    fprintf(file, "}, \"geometry\": {\"type\": \"Point\", \"coordinates\": [%.10g, %.10g]}}", transmitter->at.x,
            transmitter->at.y);
}

static pw_status geojson_write(const struct exported_plan *plan, FILE *file, pw_error *error)
{
    const struct scenario *scenario = plan->scenario;
    fputs("{\"type\": \"FeatureCollection\",\n"
          "\"crs\": {\"type\": \"name\", \"properties\": {\"name\": \"metres of the plan\"}},\n\"features\": [",
          file);
    /* The floor as a whole comes first, so that every other feature has a comma before it. */
    fputs("\n{\"type\": \"Feature\", \"properties\": {\"indoor\": \"area\"", file);
    if (scenario->plan.storey_count > 0) {
        fprintf(file, ", \"level\": \"%d-%d\"", plan->first, plan->last);
    }
    fprintf(file,
            "}, \"geometry\": {\"type\": \"Polygon\", \"coordinates\": [[[0, 0], [%.10g, 0], [%.10g, %.10g], "
            "[0, %.10g], [0, 0]]]}}",
            scenario->plan.width, scenario->plan.width, scenario->plan.height, scenario->plan.height);
    for (int storey = plan->first; storey <= plan->last; storey++) {
        for (size_t s = 0; s < plan->count; s++) {
            TRY(shape_write(plan, &plan->shapes[s], storey, file, error));
        }
    }
    for (int t = 0; t < scenario->transmitter_count; t++) {
        transmitter_write(plan, &scenario->transmitters[t], file);
    }
    fputs("\n]}\n", file);
    return PW_OK;
}

const struct plan_exporter plan_exporter_geojson = {
    .name = "GeoJSON",
    .ending = ".geojson",
    .description = "walls, openings and access points in metres, for geographic programs",
    .walls = true,
    .write = geojson_write};
