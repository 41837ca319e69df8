/* What of a scenario a study varies (parameters.h). */
#include "api/study/variants.h"

#include "plan/material.h"
#include "run/study/wall_thickness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const WORDS[PW_PARAMETER_KIND_COUNT + 1] = {
    "permittivity", "conductivity", "thickness", "resistance", "x", "y", NULL};
static const char *const UNITS[PW_PARAMETER_KIND_COUNT] = {"1", "S/m", "m", "ohm", "m", "m"};

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
    FAIL_IF(length == 0 || length >= NAME_SIZE || WORDS[kind] == NULL, error, PW_BAD_INPUT,
            "'%s' is no parameter: give MATERIAL:permittivity, MATERIAL:conductivity or MATERIAL:thickness, "
            "such as brick:permittivity, one wall, such as walls[3]:permittivity, coating:resistance, or "
            "TRANSMITTER:x or :y",
            text);
    *parameter = (pw_parameter){.kind = (pw_parameter_kind)kind};
    memcpy(parameter->name, text, length);
    return PW_OK;
}

const char *pw_parameter_text(const pw_parameter *parameter, char text[PW_PARAMETER_TEXT_SIZE])
{
    snprintf(text, PW_PARAMETER_TEXT_SIZE, "%s:%s", parameter->name, WORDS[parameter->kind]);
    return text;
}

/* ---- walls by number ---- */

static const char *const LISTS[] = {
    [SHAPE_DRAWN] = "drawn", [SHAPE_RECTANGLE] = "rectangles", [SHAPE_POLYGON] = "polygons", [SHAPE_CIRCLE] = "circles",
    [SHAPE_WALL] = "walls",  [SHAPE_OPENING] = "openings",     [SHAPE_BOX] = "boxes"};
enum { LIST_COUNT = sizeof LISTS / sizeof *LISTS };

/* "walls[3]": its number among the shapes of the plan; -1: it is no such name, or there is none. `*listed`: how many
 * the plan has in that list; -1: it is no such name. */
static int wall_find(const struct plan_choice *plan, const char *name, int *listed)
{
    int storey = EVERY_STOREY, number, used = 0, end = 0, kind = 0, found = -1;
    char list[16];
    *listed = -1;
    if (sscanf(name, "storeys[%d].%n", &storey, &used) != 1 || used == 0) {
        used = 0;
        storey = EVERY_STOREY;
    }
    if (sscanf(name + used, "%15[a-z][%d]%n", list, &number, &end) != 2 || end == 0 || name[used + end] != '\0') {
        return -1;
    }
    while (kind < LIST_COUNT && strcmp(LISTS[kind], list) != 0) {
        kind++;
    }
    *listed = kind < LIST_COUNT ? 0 : -1;
    for (int n = 0; n < plan->shape_count; n++) {
        if ((int)plan->shapes[n].kind == kind && plan->shapes[n].storey == storey) {
            found = *listed == number ? n : found;
            ++*listed;
        }
    }
    return found;
}

/* 'walls[9]' of a plan that has fewer. */
static pw_status wall_missing(const char *name, int listed, pw_error *error)
{
    const int length = (int)(strrchr(name, '[') - name);
    return listed == 0 ? fail(error, PW_BAD_INPUT, "there is no '%s': the plan has no %.*s", name, length, name)
                       : fail(error, PW_BAD_INPUT, "there is no '%s': the plan has %d, and the last is '%.*s[%d]'",
                              name, listed, length, name, listed - 1);
}

static struct point middle_of(const struct shape *shape)
{
    struct point low = shape->points[0], high = low;
    for (int n = 1; n < shape->point_count; n++) {
        low = (struct point){fmin(low.x, shape->points[n].x), fmin(low.y, shape->points[n].y)};
        high = (struct point){fmax(high.x, shape->points[n].x), fmax(high.y, shape->points[n].y)};
    }
    return (struct point){(low.x + high.x) / 2, (low.y + high.y) / 2};
}

int pw_parameter_walls(const struct scenario *scenario, pw_parameter_kind kind, char (*names)[PW_NAME_SIZE], int room)
{
    const struct plan_choice *plan = &scenario->plan;
    int count = 0;
    for (int n = 0; n < plan->shape_count; n++) {
        const struct shape *shape = &plan->shapes[n];
        pw_parameter parameter = {.kind = kind};
        pw_parameter_range range;
        int number = 0, used = 0;
        for (int before = 0; before < n; before++) {
            number += plan->shapes[before].kind == shape->kind && plan->shapes[before].storey == shape->storey;
        }
        if (shape->storey != EVERY_STOREY) {
            used = snprintf(parameter.name, sizeof parameter.name, "storeys[%d].", shape->storey);
        }
        snprintf(parameter.name + used, sizeof parameter.name - (size_t)used, "%s[%d]", LISTS[shape->kind], number);
        if (shape->kind != SHAPE_OPENING && strcmp(shape->material.name, "air") != 0 &&
            pw_parameter_look(scenario, &parameter, &range, NULL) == PW_OK && range.low > 0) {
            if (count < room) {
                memcpy(names[count], parameter.name, sizeof parameter.name);
            }
            count++;
        }
    }
    return count;
}

/* ---- everything in a plan that is of the material ---- */

/* A visit of every place that has the material; with a factor each is changed. */
struct visit {
    struct scenario *scenario; /* not written to without a factor */
    const pw_parameter *parameter;
    double factor; /* 0: look only */
    int wall;      /* the one shape that is meant; -1: all of the material */
    int listed;    /* shapes in the list that the name is of; -1: it names a material */
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
    if (visit->wall < 0 && !is_material(choice, name)) {
        return PW_OK;
    }
    pw_status status = material_resolve(choice, visit->scenario->band_centre, false, &ignored, &material, error);
    warnings_free(&ignored);
    TRY(status);
    FAIL_IF(material.perfect_conductor, error, PW_BAD_INPUT, "'%s' is a perfect conductor, which has no %s to change",
            name, WORDS[visit->parameter->kind]);
    FAIL_IF(material.dispersion.pole_count > 0, error, PW_BAD_INPUT,
            "'%s' has poles, and only a constant permittivity and conductivity can be changed", name);
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
    if (visit->wall >= 0) {
        return choice_visit(visit, &plan->shapes[visit->wall].material, error);
    }
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
        if (wall->kind == SHAPE_WALL &&
            (visit->wall >= 0 ? n == visit->wall : is_material(&wall->material, visit->parameter->name))) {
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

/* The films of coatings, by their names: of all, or of one resistance. */
static pw_status coatings_visit(struct visit *visit, pw_error *error)
{
    struct plan_choice *plan = &visit->scenario->plan;
    const char *name = visit->parameter->name;
    for (int n = 0; n < plan->shape_count; n++) {
        struct material_choice *film = &plan->shapes[n].material;
        if (material_is_film(film) && (strcmp(name, "coating") == 0 || strcmp(name, film->name) == 0)) {
            note(&visit->range, 1 / (film->conductivity * FILM_THICKNESS));
            film->conductivity /= visit->factor > 0.0 ? visit->factor : 1.0;
        }
    }
    return visit->range.places > 0 ? PW_OK
                                   : fail(error, PW_BAD_INPUT,
                                          "the plan has no '%s': a coating is named by its sheet "
                                          "resistance, as in 'coating 5 ohm', and 'coating' means all",
                                          name);
}

static pw_status place_visit(struct visit *visit, pw_error *error)
{
    const int t = pw_scenario_find_transmitter(visit->scenario, visit->parameter->name);
    FAIL_IF(t < 0, error, PW_BAD_INPUT, "the scenario has no transmitter '%s', whose %s could change",
            visit->parameter->name, WORDS[visit->parameter->kind]);
    struct transmitter_choice *transmitter = &visit->scenario->transmitters[t];
    const bool x = visit->parameter->kind == PW_PARAMETER_X;
    double *at = x ? &transmitter->at.x : &transmitter->at.y, *to = x ? &transmitter->to.x : &transmitter->to.y;
    const double moved = visit->factor > 0.0 ? *at * (visit->factor - 1.0) : 0.0;
    note(&visit->range, *at);
    *at += moved;
    *to += moved;
    return PW_OK;
}

static pw_status visit_all(struct visit *visit, pw_error *error)
{
    const pw_parameter_kind kind = visit->parameter->kind;
    const bool walls = kind == PW_PARAMETER_THICKNESS;
    visit->range.x = visit->range.y = NAN;
    if (kind >= PW_PARAMETER_RESISTANCE) {
        return kind == PW_PARAMETER_RESISTANCE ? coatings_visit(visit, error) : place_visit(visit, error);
    }
    visit->wall = wall_find(&visit->scenario->plan, visit->parameter->name, &visit->listed);
    if (visit->wall >= 0) {
        const struct shape *shape = &visit->scenario->plan.shapes[visit->wall];
        const struct point middle = middle_of(shape);
        visit->range.x = middle.x;
        visit->range.y = middle.y;
        memcpy(visit->range.material, shape->material.name, sizeof visit->range.material);
    }
    TRY(walls ? walls_visit(visit, error) : materials_visit(visit, error));
    if (visit->range.places == 0) {
        char list[512];
        if (visit->listed >= 0 && visit->wall < 0) {
            return wall_missing(visit->parameter->name, visit->listed, error);
        }
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
