/* What of a scenario a study varies (parameters.h). */
#include "api/study/variants.h"

#include "plan/material.h"
#include "run/study/wall_thickness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const WORDS[PW_PARAMETER_KIND_COUNT + 1] = {"permittivity", "conductivity", "thickness", NULL};
static const char *const UNITS[PW_PARAMETER_KIND_COUNT] = {"1", "S/m", "m"};

const char *pw_parameter_unit(pw_parameter_kind kind)
{
    return UNITS[kind];
}

pw_status pw_parameter_parse(const char *text, pw_parameter *parameter, pw_error *error)
{
    const char *colon = strrchr(text, ':');
    size_t length = colon != NULL ? (size_t)(colon - text) : 0;
    int kind = 0;
    while (colon != NULL && WORDS[kind] != NULL && strcmp(colon + 1, WORDS[kind]) != 0) {
        kind++;
    }
    if (length == 0 || length >= NAME_SIZE || WORDS[kind] == NULL) {
        return fail(error, PW_BAD_INPUT,
                    "'%s' is no parameter: give MATERIAL:permittivity, MATERIAL:conductivity or MATERIAL:thickness, "
                    "such as brick:permittivity",
                    text);
    }
    *parameter = (pw_parameter){.kind = (pw_parameter_kind)kind};
    memcpy(parameter->name, text, length);
    return PW_OK;
}

const char *pw_parameter_text(const pw_parameter *parameter, char text[PW_PARAMETER_TEXT_SIZE])
{
    snprintf(text, PW_PARAMETER_TEXT_SIZE, "%s:%s", parameter->name, WORDS[parameter->kind]);
    return text;
}

/* ---- everything in a plan that is of the material ---- */

/* A visit of every place that has the material; with a factor each is changed. */
struct visit {
    struct scenario *scenario; /* not written to without a factor */
    const pw_parameter *parameter;
    double factor; /* 0: look only */
    pw_parameter_range range;
};

static bool is_material(const struct material_choice *choice, const char *name)
{
    const char *known = material_canonical(name), *own = choice->own_values ? NULL : material_canonical(choice->name);
    const char *other = own != NULL ? own : choice->name; /* what was changed before has values of its own */
    return strcmp(choice->name, name) == 0 || (known != NULL && strcmp(known, other) == 0);
}

static void note(pw_parameter_range *range, double value)
{
    range->low = range->places == 0 ? value : fmin(range->low, value);
    range->high = range->places == 0 ? value : fmax(range->high, value);
    range->places++;
}

static pw_status choice_visit(struct visit *visit, struct material_choice *choice, pw_error *error)
{
    pw_notes ignored = {0};
    struct material material;
    const char *name = visit->parameter->name;
    bool permittivity = visit->parameter->kind == PW_PARAMETER_PERMITTIVITY;
    if (!is_material(choice, name)) {
        return PW_OK;
    }
    pw_status status = material_resolve(choice, visit->scenario->band_centre, false, &ignored, &material, error);
    warnings_free(&ignored);
    TRY(status);
    if (material.perfect_conductor) {
        return fail(error, PW_BAD_INPUT, "'%s' is a perfect conductor, which has no %s to change", name,
                    WORDS[visit->parameter->kind]);
    }
    if (material.dispersion.pole_count > 0) {
        return fail(error, PW_BAD_INPUT,
                    "'%s' has poles, and only a constant permittivity and conductivity can be changed", name);
    }
    note(&visit->range, permittivity ? material.relative_permittivity : material.conductivity);
    if (visit->factor > 0.0) {
        choice->own_values = true;
        choice->relative_permittivity = material.relative_permittivity;
        choice->conductivity = material.conductivity;
        double *value = permittivity ? &choice->relative_permittivity : &choice->conductivity;
        *value = permittivity ? fmax(1.0, *value * visit->factor) : *value * visit->factor;
    }
    return PW_OK;
}

static pw_status materials_visit(struct visit *visit, pw_error *error)
{
    struct plan_choice *plan = &visit->scenario->plan;
    for (int n = 0; n < plan->legend_count; n++) {
        TRY(choice_visit(visit, &plan->legend[n].material, error));
    }
    for (int n = 0; n < plan->shape_count; n++) {
        if (plan->shapes[n].kind != SHAPE_OPENING || plan->storey_count > 0) { /* with heights, doors and windows */
            TRY(choice_visit(visit, &plan->shapes[n].material, error));
        }
    }
    for (int n = 0; n < plan->storey_count; n++) {
        TRY(choice_visit(visit, &plan->storeys[n].floor.material, error));
        TRY(choice_visit(visit, &plan->storeys[n].ceiling.material, error));
    }
    for (int n = 0; n < plan->clutter_count; n++) {
        for (int m = 0; m < plan->clutter[n].material_count; m++) {
            TRY(choice_visit(visit, &plan->clutter[n].materials[m], error));
        }
    }
    return PW_OK;
}

static pw_status walls_visit(struct visit *visit, pw_error *error)
{
    struct plan_choice *plan = &visit->scenario->plan;
    for (int n = 0; n < plan->shape_count; n++) {
        const struct shape *wall = &plan->shapes[n];
        if (wall->kind == SHAPE_WALL && is_material(&wall->material, visit->parameter->name)) {
            note(&visit->range, wall->thickness);
            if (visit->factor > 0.0) {
                TRY(wall_set_thickness(plan, n, wall->thickness * visit->factor, visit->scenario->file, error));
            }
        }
    }
    return PW_OK;
}

/* "brick, concrete, own plaster": each once, as many as find room. */
static void add_name(char *list, size_t size, const struct material_choice *choice)
{
    size_t used = strlen(list), length = strlen(choice->name);
    for (const char *at = strstr(list, choice->name); at != NULL; at = strstr(at + 1, choice->name)) {
        bool begins = at == list || at[-1] == ' ', ends = at[length] == ',' || at[length] == '\0';
        if (begins && ends) {
            return;
        }
    }
    if (used + length + 3 < size && strcmp(choice->name, "air") != 0) {
        snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", choice->name);
    }
}

static const char *names_list(const struct visit *visit, bool walls, char *list, size_t size)
{
    const struct plan_choice *plan = &visit->scenario->plan;
    list[0] = '\0';
    for (int n = 0; !walls && n < plan->legend_count; n++) {
        add_name(list, size, &plan->legend[n].material);
    }
    for (int n = 0; n < plan->shape_count; n++) {
        if (plan->shapes[n].kind == SHAPE_WALL || (!walls && plan->shapes[n].kind != SHAPE_OPENING)) {
            add_name(list, size, &plan->shapes[n].material);
        }
    }
    return list[0] != '\0' ? list : "none";
}

static pw_status visit_all(struct visit *visit, pw_error *error)
{
    bool walls = visit->parameter->kind == PW_PARAMETER_THICKNESS;
    TRY(walls ? walls_visit(visit, error) : materials_visit(visit, error));
    if (visit->range.places == 0) {
        char list[512];
        return fail(error, PW_BAD_INPUT,
                    walls ? "the plan has no walls (plan.walls) of '%s' with a thickness to change; it has walls of: %s"
                          : "the plan has no material '%s'; it has: %s",
                    visit->parameter->name, names_list(visit, walls, list, sizeof list));
    }
    return PW_OK;
}

pw_status pw_parameter_look(const struct scenario *scenario, const pw_parameter *parameter, pw_parameter_range *range,
                            pw_error *error)
{
    /* Without a factor nothing is written. */
    struct visit visit = {.scenario = (struct scenario *)(uintptr_t)scenario, .parameter = parameter};
    TRY(visit_all(&visit, error));
    *range = visit.range;
    return PW_OK;
}

pw_status pw_parameter_scale(struct scenario *scenario, const pw_parameter *parameter, double factor, pw_error *error)
{
    struct visit visit = {.scenario = scenario, .parameter = parameter, .factor = factor};
    return visit_all(&visit, error);
}
