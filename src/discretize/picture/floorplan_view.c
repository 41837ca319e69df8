/* The plan of a scenario without a grid, looked at through the interface (api/plan/plan.h). */
#include "api/plan/plan.h"
#include "discretize/picture/picture_parts.h"
#include "medium/scanline.h"

#include <stdlib.h>

pw_status pw_floorplan_create(const pw_scenario *scenario, pw_floorplan **plan, pw_error *error)
{
    pw_notes warnings = {0};
    OWNED_AS(pw_floorplan) *made = allocate(1, sizeof *made, "a plan", error);
    *plan = NULL;
    TRY_MADE(made);
    pw_status status = floorplan_create(scenario, false, &warnings, made, error);
    warnings_free(&warnings); /* of the band, which a run will tell */
    TRY(status);
    *plan = made;
    made = NULL;
    return PW_OK;
}

void pw_floorplan_free(pw_floorplan *plan)
{
    if (plan != NULL) {
        floorplan_free(plan);
        free(plan);
    }
}

PW_RELEASES(pw_floorplan, pw_floorplan_free)

pw_floorplan_facts pw_floorplan_describe(const pw_floorplan *plan)
{
    return (pw_floorplan_facts){plan->width, plan->height, plan->pixels != NULL ? plan->pixel : 0,
                                plan->material_count};
}

pw_floorplan_material pw_floorplan_describe_material(const pw_floorplan *plan, int material)
{
    const struct material *of = &plan->materials[material];
    return (pw_floorplan_material){.name = of->name,
                                   .relative_permittivity = of->relative_permittivity,
                                   .conductivity = of->conductivity,
                                   .perfect_conductor = of->perfect_conductor,
                                   .dispersive = of->dispersion.pole_count > 0,
                                   .colour = material_colour(plan, material)};
}

pw_status pw_floorplan_areas(const pw_floorplan *plan, double step, double *areas, pw_error *error)
{
    for (int m = 0; m < plan->material_count; m++) {
        areas[m] = 0;
    }
    return plan_areas(plan, step, areas, error);
}

void pw_floorplan_key(const pw_floorplan *plan, const double *areas, pw_plot *plot)
{
    draw_swatches(plot, plan, areas);
}

/* ---- points ---- */

/* One line of points at height y, laid into the row of squares. */
static void line_lay(const struct run_list *list, double step, int parts, int width, double plan_width, uint16_t *row)
{
    int run = 0;
    for (int n = 0; n < parts * width; n++) {
        double x = (n + 0.5) * step / parts;
        while (run + 1 < list->count && list->runs[run + 1].start <= x) {
            run++;
        }
        if (x < plan_width && row[n / parts] == 0) {
            row[n / parts] = list->runs[run].material;
        }
    }
}

pw_status pw_floorplan_pixels(const pw_floorplan *plan, double step, int parts, int width, int height,
                              uint16_t *materials, pw_error *error)
{
    const double thin = 1e-6 * step; /* half of a slab in which nothing begins or ends */
    struct run_list list;
    TRY(run_list_create(plan, &list, error));
    for (size_t n = 0; n < (size_t)width * (size_t)height; n++) {
        materials[n] = 0;
    }
    for (int line = 0; line < parts * height; line++) {
        double y = (line + 0.5) * step / parts;
        if (y >= plan->height) {
            break;
        }
        scanline_runs(plan, y - thin, y + thin, &list);
        line_lay(&list, step, parts, width, plan->width, materials + (size_t)(line / parts) * (size_t)width);
    }
    run_list_free(&list);
    return PW_OK;
}
