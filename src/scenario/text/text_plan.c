/* The plan of a scenario as YAML: picture and legend, shapes, storeys (text_parts.h). */
#include "scenario/text/text_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void write_pole(FILE *out, const char *before, const struct pole *pole)
{
    fprintf(out, "%s{kind: %s", before, pole_kind_name((int)pole->kind));
    if (pole->kind != POLE_DRUDE) {
        write_quantity(out, ", strength: ", pole->strength, PW_DIMENSION_NUMBER);
    }
    if (pole->kind == POLE_DEBYE) {
        write_quantity(out, ", relaxation_time: ", pole->relaxation, PW_DIMENSION_TIME);
    } else {
        write_quantity(out, ", frequency: ", pole->frequency, PW_DIMENSION_FREQUENCY);
        write_quantity(out, ", damping: ", pole->damping, PW_DIMENSION_FREQUENCY);
    }
    fputc('}', out);
}

static void write_material(FILE *out, const struct material_choice *material)
{
    if (!material->own_values) {
        fputs(material->name, out);
        return;
    }
    char described[NAME_SIZE];
    material_describe(material, described);
    fputc('{', out);
    if (strcmp(described, material->name) != 0) {
        fputs("name: ", out);
        write_quoted(out, material->name);
        fputs(", ", out);
    }
    if (material->perfect_conductor) {
        fputs("perfect_conductor: true}", out);
        return;
    }
    write_quantity(out, "relative_permittivity: ", material->relative_permittivity, PW_DIMENSION_NUMBER);
    write_quantity(out, ", conductivity: ", material->conductivity, PW_DIMENSION_CONDUCTIVITY);
    for (int p = 0; p < material->pole_count; p++) {
        write_pole(out, p == 0 ? ", poles: [" : ", ", &material->poles[p]);
    }
    fputs(material->pole_count > 0 ? "]" : "", out);
    if (material->fit_error > 0) {
        write_quantity(out, ", fit_error: ", material->fit_error, PW_DIMENSION_NUMBER);
    }
    fputc('}', out);
}

static void write_heights(FILE *out, const struct height_range *z)
{
    if (z->has_heights) {
        write_quantity(out, ", z: [", z->low, PW_DIMENSION_LENGTH);
        write_quantity(out, ", ", z->high, PW_DIMENSION_LENGTH);
        fputc(']', out);
    }
}

/* From the dash on. */
static void write_shape(FILE *out, const struct shape *shape)
{
    switch (shape->kind) {
    case SHAPE_DRAWN:
    case SHAPE_POLYGON:
        fputs("- {points: [", out);
        for (int i = 0; i < shape->point_count; i++) {
            write_point(out, i > 0 ? ", [" : "[", shape->points[i]);
        }
        fputc(']', out);
        break;
    case SHAPE_CIRCLE:
        write_point(out, "- {centre: [", shape->points[0]);
        write_quantity(out, ", radius: ", shape->radius, PW_DIMENSION_LENGTH);
        break;
    case SHAPE_BOX:
        write_place(out, "- {from: [", shape->points[0], shape->z.low);
        write_place(out, ", to: [", shape->points[1], shape->z.high);
        break;
    default:
        write_point(out, "- {from: [", shape->points[0]);
        write_point(out, ", to: [", shape->points[1]);
        if (shape->kind == SHAPE_WALL) {
            write_quantity(out, ", thickness: ", shape->thickness, PW_DIMENSION_LENGTH);
        }
        break;
    }
    if (shape->kind != SHAPE_OPENING || shape->material.own_values || strcmp(shape->material.name, "air") != 0) {
        fputs(", material: ", out);
        write_material(out, &shape->material);
    }
    if (shape->kind != SHAPE_BOX) {
        write_heights(out, &shape->z);
    }
    fputs("}\n", out);
}

/* The lists of the plan, or of a storey, each line behind `indent` blanks. */
static void write_shapes(FILE *out, const struct plan_choice *plan, int storey, int indent)
{
    int before = -1;
    for (int i = 0; i < plan->shape_count; i++) {
        const struct shape *shape = &plan->shapes[i];
        if (plan->storey_count > 0 && shape->storey != storey) {
            continue;
        }
        if ((int)shape->kind != before) {
            fprintf(out, "%*s%s:\n", indent, "", shape_list_key(shape->kind));
        }
        before = (int)shape->kind;
        fprintf(out, "%*s", indent + 2, "");
        write_shape(out, shape);
    }
}

static void write_slab(FILE *out, const char *key, const struct slab_choice *slab)
{
    if (slab->thickness == 0) {
        fprintf(out, "      %s: none\n", key);
        return;
    }
    fprintf(out, "      %s: {material: ", key);
    write_material(out, &slab->material);
    write_quantity(out, ", thickness: ", slab->thickness, PW_DIMENSION_LENGTH);
    if (slab->has_area) {
        write_point(out, ", from: [", slab->from);
        write_point(out, ", to: [", slab->to);
    }
    fputs("}\n", out);
}

static void write_storeys(FILE *out, const struct plan_choice *plan)
{
    if (plan->storey_count == 0) {
        return;
    }
    if (!isnan(plan->cut)) {
        write_quantity(out, "  cut: ", plan->cut, PW_DIMENSION_LENGTH);
        fputc('\n', out);
    }
    if (!isnan(plan->over)) {
        write_quantity(out, "  over: ", plan->over, PW_DIMENSION_LENGTH);
        fputc('\n', out);
    }
    fputs("  storeys:\n", out);
    for (int s = 0; s < plan->storey_count; s++) {
        const struct storey_choice *storey = &plan->storeys[s];
        fputs("    - name: ", out);
        write_quoted(out, storey->name);
        write_quantity(out, "\n      height: ", storey->height, PW_DIMENSION_LENGTH);
        fputc('\n', out);
        write_slab(out, "floor", &storey->floor);
        write_slab(out, "ceiling", &storey->ceiling);
        write_shapes(out, plan, s, 6);
    }
}

/* One layer of a colour, or its only one. */
static void write_layer(FILE *out, const struct legend_entry *entry)
{
    if (!entry->z.has_heights) {
        write_material(out, &entry->material);
        return;
    }
    fputs("{material: ", out);
    write_material(out, &entry->material);
    write_heights(out, &entry->z);
    fputc('}', out);
}

static void write_legend(FILE *out, const struct plan_choice *plan)
{
    for (int i = 0; i < plan->legend_count; i++) {
        const struct legend_entry *entry = &plan->legend[i];
        bool last = i + 1 == plan->legend_count || !plan->legend[i + 1].upper, many = entry->upper || !last;
        if (!entry->upper) {
            fprintf(out, "    \"#%02x%02x%02x\": %s", entry->red, entry->green, entry->blue, many ? "[" : "");
        } else {
            fputs(", ", out);
        }
        write_layer(out, entry);
        if (last) {
            fputs(many ? "]\n" : "\n", out);
        }
    }
}

static void write_clutter(FILE *out, const struct plan_choice *plan)
{
    fputs(plan->clutter_count > 0 ? "  clutter:\n" : "", out);
    for (int n = 0; n < plan->clutter_count; n++) {
        const struct clutter_choice *clutter = &plan->clutter[n];
        write_quantity(out, "    - {density: ", clutter->density, PW_DIMENSION_SHARE);
        write_quantity(out, ", size: [", clutter->least, PW_DIMENSION_LENGTH);
        write_quantity(out, ", ", clutter->most, PW_DIMENSION_LENGTH);
        for (int m = 0; m < clutter->material_count; m++) {
            fputs(m == 0 ? "], materials: [" : ", ", out);
            write_material(out, &clutter->materials[m]);
        }
        fprintf(out, "], seed: %" PRId64, clutter->seed);
        if (!isnan(clutter->height)) {
            write_quantity(out, ", height: ", clutter->height, PW_DIMENSION_LENGTH);
        }
        if (clutter->has_area) {
            write_point(out, ", from: [", clutter->from);
            write_point(out, ", to: [", clutter->to);
        }
        fputs("}\n", out);
    }
}

void write_plan(FILE *out, const struct plan_choice *plan)
{
    fputs("plan:\n", out);
    if (plan->image != NULL) {
        fputs("  image: ", out);
        write_quoted(out, plan->image);
        write_quantity(out, "\n  pixel: ", plan->pixel, PW_DIMENSION_LENGTH);
        fprintf(out, "\n  tolerance: %d\n  legend:\n", plan->tolerance);
        write_legend(out, plan);
    }
    if (plan->width > 0) {
        write_point(out, "  size: [", (struct point){plan->width, plan->height});
        fputc('\n', out);
    }
    write_shapes(out, plan, EVERY_STOREY, 2);
    write_storeys(out, plan);
    write_clutter(out, plan);
}
