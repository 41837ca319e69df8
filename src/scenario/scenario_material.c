/* Materials of a scenario: names of the table, or values of the user's own with the poles of a dispersive medium.
 * Leaves out their values at a frequency, which plan/material.c finds. */
#include <stdio.h>
#include <string.h>

#include "scenario/material_table.h"
#include "scenario/scenario_read.h"

const char *pole_kind_name(int kind)
{
    static const char *const NAMES[] = {
        [POLE_DEBYE] = "debye", [POLE_LORENTZ] = "lorentz", [POLE_DRUDE] = "drude", [POLE_KINDS] = "conductivity"};
    return NAMES[kind];
}

static pw_status material_by_name(const struct node *node, struct material_choice *material, pw_error *error)
{
    TRY(node_scalar(node, "a material", error));
    const char *name = material_coated(node->text, &material->coating);
    name = name != NULL ? name : material_canonical(node->text);
    if (name == NULL) {
        char known[400];
        const char *meant = material_meant(node->text);
        if (meant == NULL) {
            const char *names[MATERIAL_NAMES_LIMIT + 1];
            material_name_list(names);
            meant = word_nearest(node->text, names);
        }
        return node_fail(node, error,
                         "unknown material;%s%s%s known are %s, " MATERIAL_COATED_NAMES
                         "; or write {relative_permittivity: 2.9, conductivity: "
                         "0.002 S/m} or {perfect_conductor: true}",
                         meant != NULL ? " did you mean '" : "", meant != NULL ? meant : "", meant != NULL ? "'?" : "",
                         material_names(known, sizeof known));
    }
    snprintf(material->name, sizeof material->name, "%s", name);
    material->perfect_conductor = strcmp(name, "metal") == 0;
    return PW_OK;
}

void material_describe(const struct material_choice *material, char name[NAME_SIZE])
{
    if (material->perfect_conductor) {
        snprintf(name, NAME_SIZE, "perfect conductor");
        return;
    }
    int used =
        snprintf(name, NAME_SIZE, "eps_r %.6g, %.6g S/m", material->relative_permittivity, material->conductivity);
    if (material->pole_count > 0 && used > 0 && used < NAME_SIZE) {
        snprintf(name + used, (size_t)(NAME_SIZE - used), ", %d pole%s", material->pole_count,
                 material->pole_count > 1 ? "s" : "");
    }
}

bool material_choices_equal(const struct material_choice *a, const struct material_choice *b)
{
    bool equal = a->own_values == b->own_values && a->perfect_conductor == b->perfect_conductor &&
                 a->relative_permittivity == b->relative_permittivity && a->conductivity == b->conductivity;
    return equal && poles_equal(a->poles, a->pole_count, b->poles, b->pole_count);
}

pw_status node_material(const struct node *node, struct material_choice *material, pw_error *error)
{
    TRY(node_coated_material(node, material, error));
    return material->coating == 0
               ? PW_OK
               : node_fail(
                     node, error,
                     "has a coating, and it is not known on which face: draw it as a wall, a rectangle, a polygon "
                     "or an opening");
}

/* ---- poles ------------------------------------------------------------------------------------------------------- */

static const pw_range POSITIVE = {0, 1e30, true, false}, NOT_NEGATIVE = {0, 1e30, false, false};
static const pw_range STRENGTHS = {0, 1e6, true, false};       /* of a gain the strength is under 0 */
static const pw_range CONDUCTIVITIES = {0, 1e9, false, false}; /* S/m */

/* A quantity that the kind of pole cannot do without. */
static pw_status pole_quantity(const struct node *map, const char *key, const char *why, pw_dimension dimension,
                               pw_range range, double *value, pw_error *error)
{
    const struct node *node;
    TRY(read_required(map, key, why, &node, error));
    return node_quantity(node, dimension, range, value, error);
}

/* Relaxation either as a time or as the frequency at which the loss is highest. */
static pw_status debye_read(const struct node *map, struct pole *pole, pw_error *error)
{
    TRY(pole_quantity(map, "strength", "the permittivity that the pole adds far below its frequency",
                      PW_DIMENSION_NUMBER, STRENGTHS, &pole->strength, error));
    return pole_quantity(map, "relaxation_time", "a time, as in 8.3 ps", PW_DIMENSION_TIME, POSITIVE, &pole->relaxation,
                         error);
}

static pw_status lorentz_read(const struct node *map, struct pole *pole, pw_error *error)
{
    TRY(pole_quantity(map, "strength", "the permittivity that the pole adds far below its frequency",
                      PW_DIMENSION_NUMBER, STRENGTHS, &pole->strength, error));
    TRY(pole_quantity(map, "frequency", "that of the resonance, as in 2 GHz", PW_DIMENSION_FREQUENCY, POSITIVE,
                      &pole->frequency, error));
    return pole_quantity(map, "damping", "the width of the resonance, as in 100 MHz, above 0", PW_DIMENSION_FREQUENCY,
                         POSITIVE, &pole->damping, error);
}

static pw_status drude_read(const struct node *map, struct pole *pole, pw_error *error)
{
    TRY(pole_quantity(map, "frequency", "the plasma frequency, as in 2 GHz", PW_DIMENSION_FREQUENCY, POSITIVE,
                      &pole->frequency, error));
    return pole_quantity(map, "damping", "the frequency of collisions over 2 pi, as in 10 MHz, or 0",
                         PW_DIMENSION_FREQUENCY, NOT_NEGATIVE, &pole->damping, error);
}

static const struct pole_rule {
    const char *keys[5];
    pw_status (*read)(const struct node *map, struct pole *pole, pw_error *error);
} POLES[] = {
    [POLE_DEBYE] = {{"kind", "strength", "relaxation_time"}, debye_read},
    [POLE_LORENTZ] = {{"kind", "strength", "frequency", "damping"}, lorentz_read},
    [POLE_DRUDE] = {{"kind", "frequency", "damping"}, drude_read},
};

static pw_status pole_read(const struct node *map, struct material_choice *material, pw_error *error)
{
    static const char *const CONDUCTION[] = {"kind", "conductivity", NULL};
    const char *kinds[POLE_KINDS + 2] = {NULL};
    const struct node *node;
    int kind = 0;
    for (int k = 0; k <= POLE_KINDS; k++) {
        kinds[k] = pole_kind_name(k);
    }
    NODE_FAIL_IF(map->kind != PW_NODE_MAP, map, error,
                 "must be a map, as in {kind: debye, strength: 73.2, relaxation_time: 8.3 ps}");
    TRY(read_required(map, "kind", "debye, lorentz, drude or conductivity", &node, error));
    TRY(read_choice(map, "kind", kinds, &kind, error));
    if (kind == POLE_KINDS) {
        double conductivity = 0;
        TRY(read_map(map, CONDUCTION, error));
        TRY(pole_quantity(map, "conductivity", "as in 0.02 S/m", PW_DIMENSION_CONDUCTIVITY, CONDUCTIVITIES,
                          &conductivity, error));
        material->conductivity += conductivity;
        return PW_OK;
    }
    struct pole *pole = &material->poles[material->pole_count++];
    pole->kind = (enum pole_kind)kind;
    TRY(read_map(map, POLES[kind].keys, error));
    return POLES[kind].read(map, pole, error);
}

static pw_status poles_read(const struct node *map, struct material_choice *material, pw_error *error)
{
    const struct node *list;
    TRY(read_list(map, "poles", POLE_LIMIT, &list, error));
    for (const struct node *item = list != NULL ? list->first : NULL; item != NULL; item = item->next) {
        TRY(pole_read(item, material, error));
    }
    return PW_OK;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

/* A CSV of values over frequency, which is read when the band is known. */
static pw_status measured_read(const struct node *map, struct material_choice *material, pw_error *error)
{
    static const char *const KEYS[] = {"name", "measured", NULL};
    TRY(read_map(map, KEYS, error));
    material->measured = node_find(map, "measured");
    snprintf(material->name, sizeof material->name, "measured");
    TRY(node_scalar(material->measured, "the path of a CSV", error));
    return read_name(map, "name", material->name, error);
}

pw_status node_coated_material(const struct node *node, struct material_choice *material, pw_error *error)
{
    static const char *const KEYS[] = {"name",
                                       "relative_permittivity",
                                       "conductivity",
                                       "perfect_conductor",
                                       "poles",
                                       "measured",
                                       "coating",
                                       "fit_error",
                                       NULL};
    *material = (struct material_choice){.relative_permittivity = 1};
    if (node->kind != PW_NODE_MAP) {
        return material_by_name(node, material, error);
    }
    TRY(read_map(node, KEYS, error));
    TRY(read_switch(node, "perfect_conductor", &material->perfect_conductor, error));
    const struct node *permittivity = node_find(node, "relative_permittivity");
    material->own_values = true;
    if (node_find(node, "measured") != NULL) {
        return measured_read(node, material, error);
    }
    if (material->perfect_conductor) {
        NODE_FAIL_IF(permittivity != NULL || node_find(node, "conductivity") != NULL ||
                         node_find(node, "poles") != NULL,
                     node, error, "a perfect conductor has no relative_permittivity, no conductivity and no poles");
        material_describe(material, material->name);
        return read_name(node, "name", material->name, error);
    }
    TRY(read_required(node, "relative_permittivity", "a number of at least 1", &permittivity, error));
    TRY(read_quantity(node, "relative_permittivity", PW_DIMENSION_NUMBER, (pw_range){1, 1e4, false, false},
                      &material->relative_permittivity, error));
    TRY(read_quantity(node, "conductivity", PW_DIMENSION_CONDUCTIVITY, CONDUCTIVITIES, &material->conductivity, error));
    TRY(poles_read(node, material, error));
    TRY(read_quantity(node, "coating", PW_DIMENSION_RESISTANCE, SHEET_RESISTANCES, &material->coating, error));
    TRY(read_quantity(node, "fit_error", PW_DIMENSION_NUMBER, (pw_range){0, 1e3, false, false}, &material->fit_error,
                      error));
    material_describe(material, material->name);
    return read_name(node, "name", material->name, error);
}
