/* See material_notes.h. */
#include "discretize/poles/material_notes.h"

#include "discretize/setup.h"
#include "scenario/material_table.h"

#include <string.h>

/* An error of the permittivity over the band from which on constant values are worth a warning. */
static const double FAR_OFF = 0.05;

enum { NAMES_MOST = 32 };

/* Names that have been spoken of. */
struct told {
    const char *names[NAMES_MOST];
    int count;
};

static bool tell(struct told *told, const char *name)
{
    for (int n = 0; n < told->count; n++) {
        if (strcmp(told->names[n], name) == 0) {
            return false;
        }
    }
    if (told->count == NAMES_MOST) {
        return false;
    }
    told->names[told->count++] = name;
    return true;
}

static void note_choice(struct setup *setup, const struct material_choice *material, struct told *told)
{
    const struct scenario *scenario = setup->scenario;
    const double band[2] = {scenario->band_centre - 0.5 * scenario->band_width,
                            scenario->band_centre + 0.5 * scenario->band_width};
    if (material->fit_error > 0 && tell(told, material->name)) {
        warn(&setup->choices, "material '%s': fitted over the band by %d Debye pole%s, %.2g %% off at most",
             material->name, material->pole_count, material->pole_count == 1 ? "" : "s", 100 * material->fit_error);
    }
    if (material->own_values || material->perfect_conductor || material_canonical(material->name) == NULL ||
        strcmp(material->name, "air") == 0 || !(band[0] > 0) || !(band[1] > band[0])) {
        return;
    }
    const struct material_row *row = material_row_find(material->name, 1e-9 * scenario->band_centre);
    double error = material_row_constant_error(row, band);
    if (error > FAR_OFF && tell(told, material->name)) {
        warn(
            &setup->warnings,
            "material '%s' has its values at the band's centre, which are up to %.2g %% off over the band; 'materials: "
            "fitted' follows it",
            material->name, 100 * error);
    }
}

void note_materials(struct setup *setup)
{
    const struct plan_choice *plan = &setup->scenario->plan;
    struct told told = {.count = 0};
    for (int n = 0; n < plan->legend_count; n++) {
        note_choice(setup, &plan->legend[n].material, &told);
    }
    for (int n = 0; n < plan->shape_count; n++) {
        note_choice(setup, &plan->shapes[n].material, &told);
    }
    for (int n = 0; n < plan->storey_count; n++) {
        note_choice(setup, &plan->storeys[n].floor.material, &told);
        note_choice(setup, &plan->storeys[n].ceiling.material, &told);
    }
}
