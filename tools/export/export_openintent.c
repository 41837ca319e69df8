/* A plan as an OpenIntent document (github.com/google/openintent, version 2.0.0 of the schema): a floor plan for each
 * storey with its walls as centre lines, a wall material for each material, thickness and height, with the loss that a
 * slab of it has at the band's centre at right angles; transmitters as access points. Columns and other shapes that are
 * no straight walls, floors and ceilings are left out, and told. */
#include "export/plan_export.h"
#include "export/wall_pieces.h"
#include "import/wall_loss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct document {
    const struct exported_plan *plan;
    FILE *file;
    struct wall_piece *materials; /* (count), owned: a wall of each */
    size_t count, room;
    size_t others;
};

/* ---- materials ---- */

/* What a wall of a material is called: "brick 24 cm", "glass 1 cm from 0.9 to 2.1 m". */
static void material_name(const struct wall_piece *wall, char name[160])
{
    int used = snprintf(name, 160, "%s %.4g cm", wall->material->shape.material, 100 * wall->thickness);
    if (!wall->whole) {
        snprintf(name + used, (size_t)(160 - used), " from %.4g to %.4g m", wall->low, wall->high);
    }
}

static pw_status material_note(struct document *document, const struct wall_piece *wall, pw_error *error)
{
    char name[160], known[160];
    material_name(wall, name);
    for (size_t m = 0; m < document->count; m++) {
        material_name(&document->materials[m], known);
        if (strcmp(name, known) == 0) {
            return PW_OK;
        }
    }
    TRY(array_grow(&document->materials, &document->room, document->count, sizeof *document->materials,
                   "materials of walls", error));
    document->materials[document->count++] = *wall;
    return PW_OK;
}

static void material_write(const struct document *document, const struct wall_piece *wall)
{
    FILE *file = document->file;
    const pw_shape *material = &wall->material->shape;
    char name[160];
    material_name(wall, name);
    pw_json_write(file, "\n  {\"name\": %s", name);
    if (!material->own_values) {
        pw_json_write(file, ", \"itu_material_type\": %s", material->material);
    }
    fprintf(file, ", \"thickness_m\": %.10g", wall->thickness);
    if (!material->perfect_conductor) { /* through which nothing goes: no number of dB */
        fprintf(file, ", \"rf_properties\": {\"attenuation_flat\": %.4g}",
                slab_loss(material->relative_permittivity, material->conductivity, wall->thickness,
                          document->plan->scenario.band_centre));
    }
    if (!wall->whole) {
        fprintf(file, ", \"bottom_height\": %.10g, \"top_height\": %.10g", wall->low, wall->high);
    }
    fputs("}", file);
}

/* ---- floor plans ---- */

static pw_status plan_write(struct document *document, int storey, pw_error *error)
{
    const pw_plan_facts *facts = &document->plan->facts;
    FILE *file = document->file;
    fputs(storey == document->plan->first ? "" : ",", file);
    pw_json_write(file, "\n  {\"name\": %s", storey_name(document->plan, storey));
    fprintf(file, ", \"floor_id\": \"%d\", \"dimensions\": [{\"width\": %.10g, \"length\": %.10g", storey, facts->width,
            facts->height);
    if (facts->storey_count > 0) {
        fprintf(file, ", \"height\": %.10g", pw_scenario_describe_storey(document->plan->whole, storey).height);
    }
    fputs(", \"unit\": \"meters\"}],\n   \"wall_segments\": [", file);
    struct wall_pieces walls = {0};
    pw_status status = wall_pieces_make(document->plan, storey, &walls, error);
    for (size_t w = 0; status == PW_OK && w < walls.count; w++) {
        const struct wall_piece *wall = &walls.pieces[w];
        char name[160];
        material_name(wall, name);
        fputs(w == 0 ? "" : ",", file);
        pw_json_write(file,
                      "\n    {\"wall_type\": %s, \"start_point\": {\"x\": %.10g, \"y\": %.10g}, "
                      "\"end_point\": {\"x\": %.10g, \"y\": %.10g}}",
                      name, wall->from.x, wall->from.y, wall->to.x, wall->to.y);
        status = material_note(document, wall, error);
    }
    document->others += walls.others;
    wall_pieces_free(&walls);
    fputs("]}", file);
    return status;
}

/* ---- access points ---- */

static void access_point_write(const struct document *document, const pw_scenario_transmitter *transmitter,
                               const char *before)
{
    const struct exported_plan *plan = document->plan;
    const pw_wifi_channel channel =
        transmitter->channel.number > 0 ? transmitter->channel : pw_wifi_channel_at(plan->scenario.band_centre);
    FILE *file = document->file;
    double height = NAN;
    int storey = transmitter_storey(plan, transmitter, &height);
    fputs(before, file);
    pw_json_write(file,
                  "\n  {\"name\": %s, \"floorplan_name\": %s, \"dot11_radios\": [{\"id\": 0, \"radio_function\": %s",
                  transmitter->name, storey_name(plan, storey), "CLIENT_ACCESS");
    if (channel.band > 0) {
        fprintf(file, ", \"band\": \"FREQ_%gGHZ\"", channel.band * 1e-9);
    }
    if (channel.number > 0) {
        fprintf(file, ", \"channel\": %d, \"channel_width\": \"%g_MHz\"", channel.number, channel.width * 1e-6);
    }
    fprintf(file,
            ", \"transmit_eirp\": %.10g}],\n   \"coordinates\": [{\"coordinate_xyz\": {\"x\": %.10g, \"y\": %.10g",
            transmitter->power, transmitter->x, transmitter->y);
    if (isfinite(height)) {
        fprintf(file, ", \"z\": %.10g", height);
    }
    fputs(", \"unit\": \"meters\"}}]}", file);
}

static pw_status document_write(struct document *document, pw_error *error)
{
    const struct exported_plan *plan = document->plan;
    FILE *file = document->file;
    fputs("{\"openintent_version\": \"2.0.0\", \"floorplan_version\": \"2.0.0\", \"accesspoint_version\": \"2.0.0\",\n"
          " \"floorplans\": [",
          file);
    for (int storey = plan->first; storey <= plan->last; storey++) {
        TRY(plan_write(document, storey, error));
    }
    fputs("],\n \"wall_materials\": [", file);
    for (size_t m = 0; m < document->count; m++) {
        fputs(m == 0 ? "" : ",", file);
        material_write(document, &document->materials[m]);
    }
    fputs("],\n \"accesspoints\": [", file);
    const char *before = "";
    for (int t = 0; t < plan->scenario.transmitter_count; t++) {
        const pw_scenario_transmitter transmitter = pw_scenario_describe_transmitter(plan->whole, t);
        double height = NAN;
        int storey = transmitter_storey(plan, &transmitter, &height);
        if (storey >= plan->first && storey <= plan->last) {
            access_point_write(document, &transmitter, before);
            before = ",";
        }
    }
    fputs("]}\n", file);
    return PW_OK;
}

static pw_status openintent_write(const struct exported_plan *plan, FILE *file, pw_error *error)
{
    struct document document = {.plan = plan, .file = file};
    pw_status status = document_write(&document, error);
    if (status == PW_OK && plan->report != NULL) {
        if (document.others > 0) {
            fprintf(plan->report, "not in the file: %zu shape%s that %s no straight wall%s\n", document.others,
                    document.others > 1 ? "s" : "", document.others > 1 ? "are" : "is", document.others > 1 ? "s" : "");
        }
        if (pw_wifi_channel_at(plan->scenario.band_centre).band == 0) {
            fprintf(plan->report, "the access points have no band: %.6g MHz lies in none of Wi-Fi\n",
                    plan->scenario.band_centre * 1e-6);
        }
    }
    free(document.materials);
    return status;
}

const struct plan_exporter plan_exporter_openintent = {
    .name = "OpenIntent",
    .ending = ".openintent.json",
    .description = "walls with their losses, and access points, for programs that plan networks",
    .walls = true,
    .write = openintent_write};
