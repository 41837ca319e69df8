/* Parameters of a joint fit (fit_parameters.h). */
#include "calibrate/joint/fit_parameters.h"

#include <math.h>
#include <string.h>

/* Ranges where none is given: factors of the start in the plan, and numbers. */
static const double PLAN_FACTOR[PW_PARAMETER_KIND_COUNT] = {2.0, 10.0, 2.0};
static const pw_dimension PLAN_DIMENSION[PW_PARAMETER_KIND_COUNT] = {PW_DIMENSION_NUMBER, PW_DIMENSION_CONDUCTIVITY,
                                                                     PW_DIMENSION_LENGTH};
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
    if (pw_parameter_parse(parameter->name, &parameter->plan, &reason) != PW_OK) {
        return fail(error, PW_BAD_INPUT,
                    "'%s' cannot be fitted: give MATERIAL:permittivity, MATERIAL:conductivity, MATERIAL:thickness, "
                    "height, slope, exponent or body, such as brick:permittivity=2..8",
                    parameter->name);
    }
    pw_parameter_range range;
    TRY(pw_parameter_look(scenario, &parameter->plan, &range, error));
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

pw_status fit_parameters_read(const pw_joint_options *options, const pw_scenario *scenario,
                              struct fit_parameters *parameters, pw_error *error)
{
    *parameters = (struct fit_parameters){0};
    if (options->parameter_count < 0 || options->parameter_count > PW_JOINT_PARAMETERS) {
        return fail(error, PW_USAGE, "%d parameters to fit; allowed are 0 to %d", options->parameter_count,
                    PW_JOINT_PARAMETERS);
    }
    for (int n = 0; n < options->parameter_count; n++) {
        struct fit_parameter *parameter = &parameters->entries[n];
        TRY(one_read(options->parameters[n], scenario, parameter, error));
        for (int earlier = 0; earlier < n; earlier++) {
            if (strcmp(parameters->entries[earlier].name, parameter->name) == 0) {
                return fail(error, PW_BAD_INPUT, "%s is to be fitted twice", parameter->name);
            }
        }
        parameters->count++;
        parameters->plan_count += parameter->kind == FIT_PLAN;
    }
    return PW_OK;
}
