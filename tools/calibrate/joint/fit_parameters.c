/* Parameters of a joint fit (fit_parameters.h). */
#include "calibrate/joint/fit_parameters.h"

#include <math.h>
#include <string.h>

/* Ranges where none is given: factors of the start in the plan, and numbers. */
static const double PLAN_FACTOR[PW_PARAMETER_KIND_COUNT] = {2.0, 10.0, 2.0, 4.0};
static const pw_dimension PLAN_DIMENSION[PW_PARAMETER_KIND_COUNT] = {PW_DIMENSION_NUMBER, PW_DIMENSION_CONDUCTIVITY,
                                                                     PW_DIMENSION_LENGTH, PW_DIMENSION_RESISTANCE};
/* Of every wall by itself: two walls of three are thought to lie within this factor of their material, and nearly all
 * within its power WALL_REACH. */
static const double WALL_SPREAD[PW_PARAMETER_KIND_COUNT] = {1.25, 2.0, 1.25}, WALL_REACH = 4.0;
static const char *const EACH_WALL = "walls:";
static const struct {
    const char *word;
    pw_dimension dimension;
    double start, least, most;
} LEVELS[] = {[FIT_HEIGHT] = {"height", PW_DIMENSION_LENGTH, 1.0, 0.1, 2.0},
              [FIT_SLOPE] = {"slope", PW_DIMENSION_NUMBER, 1.0, 0.2, 1.5},
              [FIT_EXPONENT] = {"exponent", PW_DIMENSION_NUMBER, 0.0, -3.0, 3.0},
              [FIT_BODY] = {"body", PW_DIMENSION_RATIO, 0.0, -5.0, 30.0}};

double fit_coordinate(const struct fit_parameter *parameter, double value)
{
    return parameter->kind == FIT_PLAN ? log(value) : value;
}

double fit_value(const struct fit_parameter *parameter, double coordinate)
{
    return parameter->kind == FIT_PLAN ? exp(coordinate) : coordinate;
}

int fit_parameter_find(const struct fit_parameters *parameters, enum fit_kind kind)
{
    for (int n = 0; n < parameters->count; n++) {
        if (parameters->entries[n].kind == kind) {
            return n;
        }
    }
    return -1;
}

/* "2..8" */
static pw_status range_read(const char *text, pw_dimension dimension, struct fit_parameter *parameter, pw_error *error)
{
    char low[PW_QUANTITY_SIZE];
    const char *dots = strstr(text, "..");
    size_t length = dots != NULL ? (size_t)(dots - text) : sizeof low;
    if (length == 0 || length >= sizeof low || dots[2] == '\0') {
        return fail(error, PW_BAD_INPUT, "%s=%.40s: give a range, such as %s=2..8", parameter->name, text,
                    parameter->name);
    }
    memcpy(low, text, length);
    low[length] = '\0';
    pw_error reason = {{0}};
    if (pw_quantity_parse(low, dimension, &parameter->least, &reason) != PW_OK ||
        pw_quantity_parse(dots + 2, dimension, &parameter->most, &reason) != PW_OK) {
        return fail(error, PW_BAD_INPUT, "%s=%.40s: %.400s", parameter->name, text, reason.message);
    }
    return parameter->least < parameter->most
               ? PW_OK
               : fail(error, PW_BAD_INPUT, "%s=%.40s: the range must go from less to more", parameter->name, text);
}

static pw_status plan_read(const pw_scenario *scenario, struct fit_parameter *parameter, pw_error *error)
{
    pw_error reason = {{0}};
    if (pw_parameter_parse(parameter->name, &parameter->plan, &reason) != PW_OK ||
        parameter->plan.kind > PW_PARAMETER_RESISTANCE) {
        return fail(error, PW_BAD_INPUT,
                    "'%s' cannot be fitted: give MATERIAL:permittivity, MATERIAL:conductivity, MATERIAL:thickness, "
                    "coating:resistance, walls:permittivity and the like of every wall by itself, height, slope, "
                    "exponent or body, such as "
                    "brick:permittivity=2..8",
                    parameter->name);
    }
    TRY(pw_parameter_look(scenario, &parameter->plan, &parameter->range, error));
    const pw_parameter_range range = parameter->range;
    if (!(range.low > 0.0)) {
        return fail(error, PW_BAD_INPUT, "%s is %g, and a fit changes it by factors: give it a value to begin with",
                    parameter->name, range.low);
    }
    double factor = PLAN_FACTOR[parameter->plan.kind];
    parameter->start = sqrt(range.low * range.high);
    parameter->least = parameter->plan.kind == PW_PARAMETER_PERMITTIVITY ? fmax(1.0, parameter->start / factor)
                                                                         : parameter->start / factor;
    parameter->most = parameter->start * factor;
    return PW_OK;
}

static pw_status parameter_check(const struct fit_parameter *parameter, pw_error *error)
{
    double least = parameter->kind != FIT_PLAN                         ? -INFINITY
                   : parameter->plan.kind == PW_PARAMETER_PERMITTIVITY ? 1.0
                                                                       : 1e-12;
    if (parameter->least < least || (parameter->kind == FIT_SLOPE && !(parameter->least > 0.0))) {
        return fail(error, PW_BAD_INPUT, "%s: a range from %g is too wide below; at least %g is allowed",
                    parameter->name, parameter->least, parameter->kind == FIT_SLOPE ? 0.01 : least);
    }
    if (parameter->start < parameter->least || parameter->start > parameter->most) {
        return fail(error, PW_BAD_INPUT, "%s begins at %g, outside its range of %g to %g", parameter->name,
                    parameter->start, parameter->least, parameter->most);
    }
    return PW_OK;
}

static pw_status one_read(const char *text, const pw_scenario *scenario, struct fit_parameter *parameter,
                          pw_error *error)
{
    const char *equals = strchr(text, '=');
    size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
    if (length == 0 || length >= sizeof parameter->name) {
        return fail(error, PW_BAD_INPUT,
                    "'%.80s' is not a parameter that can be fitted; an example is brick:permittivity=2..8", text);
    }
    *parameter = (struct fit_parameter){.kind = FIT_PLAN};
    memcpy(parameter->name, text, length);
    pw_dimension dimension = PW_DIMENSION_NUMBER;
    for (int kind = FIT_HEIGHT; kind < FIT_KINDS; kind++) {
        if (strcmp(parameter->name, LEVELS[kind].word) == 0) {
            parameter->kind = (enum fit_kind)kind;
            parameter->start = LEVELS[kind].start;
            parameter->least = LEVELS[kind].least;
            parameter->most = LEVELS[kind].most;
            dimension = LEVELS[kind].dimension;
        }
    }
    if (parameter->kind == FIT_PLAN) {
        TRY(plan_read(scenario, parameter, error));
        dimension = PLAN_DIMENSION[parameter->plan.kind];
    }
    if (equals != NULL) {
        TRY(range_read(equals + 1, dimension, parameter, error));
    }
    if (parameter->kind != FIT_PLAN) { /* these begin anywhere */
        parameter->start = fmax(parameter->least, fmin(parameter->most, parameter->start));
    }
    return parameter_check(parameter, error);
}

static pw_status add(struct fit_parameters *parameters, const struct fit_parameter *parameter, pw_error *error)
{
    for (int earlier = 0; earlier < parameters->count; earlier++) {
        if (strcmp(parameters->entries[earlier].name, parameter->name) == 0) {
            return fail(error, PW_BAD_INPUT, "%s is to be fitted twice", parameter->name);
        }
    }
    if (parameters->count == PW_JOINT_PARAMETERS) {
        return fail(error, PW_BAD_INPUT, "%s is one parameter too many; allowed are %d", parameter->name,
                    PW_JOINT_PARAMETERS);
    }
    parameters->entries[parameters->count++] = *parameter;
    parameters->plan_count += parameter->kind == FIT_PLAN;
    return PW_OK;
}

/* ---- every wall by itself ---- */

static pw_status spread_read(const char *text, double *spread, pw_error *error)
{
    const char *equals = strchr(text, '=');
    pw_error reason = {{0}};
    if (equals != NULL && pw_quantity_parse(equals + 1, PW_DIMENSION_NUMBER, spread, &reason) != PW_OK) {
        return fail(error, PW_BAD_INPUT,
                    "%.80s: give the factor within which two walls of three are thought to lie, as "
                    "in walls:permittivity=1.3",
                    text);
    }
    return *spread >= 1.01 && *spread <= 10.0
               ? PW_OK
               : fail(error, PW_BAD_INPUT, "%.80s: a spread by the factor %g; allowed are 1.01 to 10", text, *spread);
}

/* "walls:permittivity=1.3": a factor on its material for every wall of the plan. */
static pw_status walls_read(const char *text, const pw_scenario *scenario, struct fit_parameters *parameters,
                            pw_error *error)
{
    char name[PW_JOINT_NAME] = "", walls[PW_JOINT_PARAMETERS][PW_NAME_SIZE];
    struct fit_parameter one = {.kind = FIT_PLAN, .start = 1.0};
    pw_parameter_range range;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
    if (pw_parameter_parse(name, &one.plan, NULL) != PW_OK || one.plan.kind > PW_PARAMETER_THICKNESS) {
        return fail(error, PW_BAD_INPUT,
                    "'%.80s' cannot be fitted: of every wall by itself walls:permittivity, walls:conductivity or "
                    "walls:thickness",
                    text);
    }
    if (pw_parameter_look(scenario, &one.plan, &range, NULL) == PW_OK) {
        return fail(error, PW_BAD_INPUT,
                    "'%.80s' means every wall by itself, and the plan has a material 'walls': give "
                    "that another name",
                    text);
    }
    double spread = WALL_SPREAD[one.plan.kind];
    TRY(spread_read(text, &spread, error));
    int count = pw_parameter_walls(scenario, one.plan.kind, walls, PW_JOINT_PARAMETERS);
    if (count == 0 || count > PW_JOINT_PARAMETERS) {
        return fail(error, PW_BAD_INPUT,
                    "%s: the plan has %d walls, rectangles, polygons and circles with one; allowed "
                    "are 1 to %d",
                    name, count, PW_JOINT_PARAMETERS);
    }
    one.spread = log(spread);
    for (int n = 0; n < count; n++) {
        memcpy(one.plan.name, walls[n], sizeof one.plan.name);
        pw_parameter_text(&one.plan, one.name);
        TRY(pw_parameter_look(scenario, &one.plan, &one.range, error));
        one.most = pow(spread, WALL_REACH);
        one.least = 1.0 / one.most;
        if (one.plan.kind == PW_PARAMETER_PERMITTIVITY) {
            one.least = fmin(1.0, fmax(one.least, 1.0 / one.range.low));
        }
        TRY(add(parameters, &one, error));
    }
    return PW_OK;
}

pw_status fit_parameters_read(const pw_joint_options *options, const pw_scenario *scenario,
                              struct fit_parameters *parameters, pw_error *error)
{
    *parameters = (struct fit_parameters){0};
    if (options->parameter_count < 0 || options->parameter_count > PW_JOINT_PARAMETERS) {
        return fail(error, PW_USAGE, "%d parameters to fit; allowed are 0 to %d", options->parameter_count,
                    PW_JOINT_PARAMETERS);
    }
    for (int n = 0; n < options->parameter_count; n++) {
        struct fit_parameter one;
        if (strncmp(options->parameters[n], EACH_WALL, strlen(EACH_WALL)) == 0) {
            TRY(walls_read(options->parameters[n], scenario, parameters, error));
        } else {
            TRY(one_read(options->parameters[n], scenario, &one, error));
            TRY(add(parameters, &one, error));
        }
    }
    return PW_OK;
}
