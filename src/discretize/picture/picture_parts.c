/* What pictures of plans have in common (picture_parts.h). */
#include "discretize/picture/picture_parts.h"

#include "base/picture/colormap.h"
#include "medium/scanline.h"
#include "plan/picture/picture_match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLOURS_LISTED = 12 /* of those that are not in the legend */ };

/* ---- colours ---- */

/* The colour of the legend; without one the colour that floorplans/README.md uses for the material, else one of eight.
 */
uint32_t material_colour(const struct floorplan *plan, int m)
{
    static const struct {
        const char *name;
        uint32_t colour;
    } usual[] = {{"air", 0xffffff},    {"concrete", 0x404040}, {"brick", 0xb5523b}, {"plasterboard", 0xc9b79c},
                 {"glass", 0x3b9ed8},  {"wood", 0x8a5a2b},     {"metal", 0x8fa3ad}, {"chipboard", 0xe0a94a},
                 {"marble", 0xa8a0b8}, {"plywood", 0xb98a55}};
    if (plan->colours[m] != COLOUR_UNKNOWN && m > 0) {
        return plan->colours[m];
    }
    for (size_t n = 0; n < sizeof usual / sizeof *usual; n++) {
        if (strcmp(plan->materials[m].name, usual[n].name) == 0) {
            return usual[n].colour;
        }
    }
    pw_colour colour = pw_colormap_category(m);
    return (uint32_t)colour.red << 16 | (uint32_t)colour.green << 8 | colour.blue;
}

void material_colours(const struct floorplan *plan, uint32_t *colours)
{
    for (int m = 0; m < plan->material_count; m++) {
        colours[m] = material_colour(plan, m);
    }
}

/* ---- areas and volumes ---- */

pw_status plan_areas(const struct floorplan *plan, double cell, double *areas, pw_error *error)
{
    OWNED_BY(run_list_free) struct run_list list = {0};
    OWNED double *borders = NULL;
    int count = 0;
    TRY(run_list_create(plan, &list, error));
    const struct slab_rows rows = {0, cell, 0, (int)ceil(plan->height / cell) + 1, 4};
    TRY(scanline_slabs(plan, &rows, &borders, &count, error));
    for (int slab = 1; slab < count; slab++) {
        double bottom = borders[slab - 1] * cell, top = borders[slab] * cell;
        if (bottom > plan->height - 1e-9) {
            break;
        }
        scanline_runs(plan, bottom, top, &list);
        for (int r = 0; r < list.count; r++) {
            double from = r > 0 ? list.runs[r].start : 0;
            double to = r + 1 < list.count ? list.runs[r + 1].start : plan->width;
            areas[list.runs[r].material] += (fmin(to, plan->width) - from) * (fmin(top, plan->height) - bottom);
        }
    }
    return PW_OK;
}

pw_status building_volumes(const struct building *building, double cell, double *volumes, pw_error *error)
{
    size_t count = (size_t)building->bands[0].material_count;
    OWNED double *areas = allocate(count, sizeof *areas, "areas of the plan", error);
    TRY_MADE(areas);
    for (int band = 0; band < building->band_count; band++) {
        double bottom = band > 0 ? building->borders[band - 1] : building->low,
               top = band + 1 < building->band_count ? building->borders[band] : building->high;
        double thickness = fmin(top, building->high) - fmax(bottom, building->low);
        if (thickness > 0) {
            memset(areas, 0, count * sizeof *areas);
            TRY(plan_areas(&building->bands[band], cell, areas, error));
            for (size_t m = 0; m < count; m++) {
                volumes[m] += areas[m] * thickness;
            }
        }
    }
    return PW_OK;
}

/* ---- report ---- */

static void report_medium(const struct setup *setup, FILE *report)
{
    const struct medium *medium = &setup->medium;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int e = 0; e < medium->palette_count; e++) {
        double value[2] = {medium->palette[e].relative_permittivity, medium->palette[e].conductivity};
        for (int q = 0; q < 2; q++) {
            low[q] = fmin(low[q], value[q]);
            high[q] = fmax(high[q], value[q]);
        }
    }
    for (int a = 0; a < setup->scenario->dimensions; a++) {
        fprintf(report, "%s%d", a == 0 ? "grid     " : " x ", setup->problem.axis[a].count);
    }
    fprintf(report, " nodes of %g m, absorber of %d cells included\n", setup->problem.axis[0].spacing,
            setup->scenario->grid.absorber.cells);
    fprintf(report,
            "medium   %s averaging: %d %s, relative permittivity %.4g to %.4g, conductivity %.3g to %.3g "
            "S/m\n",
            averaging_rule(setup->scenario->grid.averaging)->name, medium->palette_count,
            medium->palette_count == 1 ? "value" : "different values", low[0], high[0], low[1], high[1]);
    if (medium->quantisation_error > 0) {
        fprintf(report, "palette  joined: permittivities are within %.2g of what was averaged\n",
                medium->quantisation_error);
    }
}

/* What became of colours that the legend does not have. */
static void report_colours(const struct setup *setup, FILE *report)
{
    const struct floorplan *plan = &setup->plan;
    double pixels = (double)plan->pixel_columns * plan->pixel_rows;
    if (plan->inexact.pixels == 0) {
        fprintf(report, "\ncolours  every pixel has a colour of the legend");
        return;
    }
    char list[2400];
    colour_tally_describe(&plan->inexact, &setup->scenario->plan, pixels, COLOURS_LISTED, list, sizeof list);
    fprintf(
        report,
        "\ncolours  %lld pixels (%.3g %%) are not in the legend: %zu were divided between the two materials that meet "
        "there,\n         the others took the nearest entry (tolerance %d):\n%s",
        (long long)plan->inexact.pixels, 100 * (double)plan->inexact.pixels / pixels, plan->mixed.count,
        setup->scenario->plan.tolerance, list);
}

/* Storeys and slabs, from below. */
static void report_storeys(const struct setup *setup, FILE *report)
{
    const struct plan_choice *plan = &setup->scenario->plan;
    fprintf(report, " x %g m", setup->building.high - setup->building.low);
    for (int s = 0; s < plan->storey_count; s++) {
        const struct storey_choice *storey = &plan->storeys[s];
        double floor = storey_floor(plan, s);
        fprintf(report, "%s%s from %g m to %g m", s == 0 ? "\nstoreys  " : ", ", storey->name, floor,
                floor + storey->height);
    }
}

pw_status report_write(const struct setup *setup, const double *amounts, FILE *report, pw_error *error)
{
    bool volume = setup_is_3d(setup);
    const struct floorplan *plan = &setup->building.bands[0];
    double whole = plan->width * plan->height * (volume ? setup->building.high - setup->building.low : 1);
    fprintf(report, "plan     %g x %g", plan->width, plan->height);
    if (volume) {
        report_storeys(setup, report);
    } else {
        fputs(" m", report);
    }
    if (plan->pixels != NULL) {
        fprintf(report, "%s%d x %d pixels of %g m", volume ? "\npicture  " : ", ", plan->pixel_columns,
                plan->pixel_rows, plan->pixel);
        report_colours(setup, report);
    }
    fprintf(report, "\n");
    report_medium(setup, report);
    fprintf(report, "\n%-32s %8s %12s %12s %8s\n", "material", "eps_r", "sigma [S/m]",
            volume ? "volume [m3]" : "area [m2]", "share");
    for (int m = 0; m < plan->material_count; m++) {
        const struct material *material = &plan->materials[m];
        const int field = pw_text_field(material->name, 32);
        double share = 100 * amounts[m] / whole;
        if (material->perfect_conductor) {
            fprintf(report, "%-*s %21s %12.4f %6.2f %%\n", field, material->name, "perfect conductor", amounts[m],
                    share);
        } else {
            fprintf(report, "%-*s %8.4g %12.4g %12.4f %6.2f %%\n", field, material->name,
                    material->relative_permittivity, material->conductivity, amounts[m], share);
        }
    }
    return ferror(report) ? fail(error, PW_NO_RESOURCE, "cannot write the report of the plan") : PW_OK;
}

/* ---- drawing ---- */

double round_length(double wanted)
{
    double decade = pow(10, floor(log10(wanted)));
    double digit = wanted / decade;
    return decade * (digit >= 5 ? 5 : (digit >= 2 ? 2 : 1));
}

static void material_title(const struct material *material, char *title, size_t size)
{
    if (material->perfect_conductor) {
        snprintf(title, size, "%s (perfect conductor)", material->name);
    } else if (strncmp(material->name, "eps_r ", 6) == 0) { /* own values without a name */
        snprintf(title, size, "εᵣ %.4g, σ %.2g S/m", material->relative_permittivity, material->conductivity);
    } else {
        snprintf(title, size, "%s  εᵣ %.4g, σ %.2g S/m", material->name, material->relative_permittivity,
                 material->conductivity);
    }
}

void draw_swatches(struct plot *plot, const struct floorplan *plan, const double *amounts)
{
    char title[160];
    for (int m = 1; m < plan->material_count; m++) {
        if (amounts[m] > 0) {
            material_title(&plan->materials[m], title, sizeof title);
            pw_plot_send(plot, ", \\\n  NaN " SWATCH " linecolor rgb '#%06x' title %s",
                         (unsigned)material_colour(plan, m), pw_plot_quote(plot, title));
        }
    }
}
