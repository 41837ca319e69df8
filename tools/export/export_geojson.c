/* A plan as GeoJSON in its own metres, which the member "crs" says, as RFC 7946 has longitude and latitude: shapes in
 * drawing order with the tags of OpenStreetMap's Simple Indoor Tagging, transmitters as points. A shape through several
 * storeys is there once for each. Floors and ceilings are left out. */
#include "export/plan_export.h"

#include <math.h>

static void member_number(FILE *file, const char *key, double value)
{
    if (isfinite(value)) {
        fprintf(file, ", \"%s\": %.10g", key, value);
    }
}

/* The storey, in a plan that has some, as the property that makes floors. */
static void level_write(const struct exported_plan *plan, int storey, FILE *file)
{
    if (plan->facts.storey_count > 0) {
        fprintf(file, ", \"level\": \"%d\"", storey);
        pw_json_write(file, ", \"storey\": %s", storey_name(plan, storey));
    }
}

static void material_write(const struct exported_shape *shape, FILE *file)
{
    const pw_shape *own = &shape->shape;
    if (own->air) {
        return;
    }
    pw_json_write(file, ", \"material\": %s", own->material);
    if (own->own_values) {
        member_number(file, "relative_permittivity", own->relative_permittivity);
        member_number(file, "conductivity", own->conductivity);
    }
}

static void shape_write(const struct exported_plan *plan, const struct exported_shape *shape, int storey, FILE *file)
{
    struct storey_part part;
    if (!storey_part_of(plan, &shape->shape, storey, &part)) {
        return;
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
    for (int c = 0; c <= shape->shape.corner_count; c++) { /* a ring ends where it begins */
        struct point at = corner_of(&shape->shape, c % shape->shape.corner_count);
        fprintf(file, "%s[%.10g, %.10g]", c == 0 ? "" : ", ", at.x, at.y);
    }
    fputs("]]}}", file);
}

static void transmitter_write(const struct exported_plan *plan, const pw_scenario_transmitter *transmitter, FILE *file)
{
    double height = NAN;
    int storey = transmitter_storey(plan, transmitter, &height);
    if (storey < plan->first || storey > plan->last) {
        return;
    }
    pw_json_write(file, ",\n{\"type\": \"Feature\", \"properties\": {\"type\": \"access point\", \"name\": %s",
                  transmitter->name);
    level_write(plan, storey, file);
    member_number(file, "height", height);
    member_number(file, "power_dbm", transmitter->power);
    member_number(file, "frequency_hz", plan->scenario.band_centre);
    fprintf(file, "}, \"geometry\": {\"type\": \"Point\", \"coordinates\": [%.10g, %.10g]}}", transmitter->x,
            transmitter->y);
}

static pw_status geojson_write(const struct exported_plan *plan, FILE *file, pw_error *error)
{
    const pw_plan_facts *facts = &plan->facts;
    (void)error;
    fputs("{\"type\": \"FeatureCollection\",\n"
          "\"crs\": {\"type\": \"name\", \"properties\": {\"name\": \"metres of the plan\"}},\n\"features\": [",
          file);
    /* The floor as a whole comes first, so that every other feature has a comma before it. */
    fputs("\n{\"type\": \"Feature\", \"properties\": {\"indoor\": \"area\"", file);
    if (facts->storey_count > 0) {
        fprintf(file, ", \"level\": \"%d-%d\"", plan->first, plan->last);
    }
    fprintf(file,
            "}, \"geometry\": {\"type\": \"Polygon\", \"coordinates\": [[[0, 0], [%.10g, 0], [%.10g, %.10g], "
            "[0, %.10g], [0, 0]]]}}",
            facts->width, facts->width, facts->height, facts->height);
    for (int storey = plan->first; storey <= plan->last; storey++) {
        for (size_t s = 0; s < plan->count; s++) {
            shape_write(plan, &plan->shapes[s], storey, file);
        }
    }
    for (int t = 0; t < plan->scenario.transmitter_count; t++) {
        const pw_scenario_transmitter transmitter = pw_scenario_describe_transmitter(plan->whole, t);
        transmitter_write(plan, &transmitter, file);
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
