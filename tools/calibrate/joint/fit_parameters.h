/* What a joint fit may change: "brick:permittivity=2..8" and the like, as text and as numbers in the plan. */
#pragma once

#include "calibrate/planwave_calibrate.h"
#include "tools/ground.h"

enum fit_kind { FIT_PLAN, FIT_HEIGHT, FIT_SLOPE, FIT_EXPONENT, FIT_BODY, FIT_KINDS };

struct fit_parameter {
    enum fit_kind kind;
    pw_parameter plan; /* FIT_PLAN: stepped in its logarithm */
    char name[PW_JOINT_NAME];
    double start, least, most; /* in its unit; of a wall's own factor 1 and factors */
    double spread;             /* of a wall's own factor: standard deviation of its logarithm before; 0: of others */
    pw_parameter_range range;  /* of the plan: what it is there */
};

struct fit_parameters {
    struct fit_parameter entries[PW_JOINT_PARAMETERS];
    int count, plan_count;
};

/* Reads the texts, and what the parameters of the plan are in `scenario`. PW_BAD_INPUT: with the text and what is
 * allowed; two of a kind; a value outside its range. */
pw_status fit_parameters_read(const pw_joint_options *options, const pw_scenario *scenario,
                              struct fit_parameters *parameters, pw_error *error);

/* -1: it is not fitted. */
int fit_parameter_find(const struct fit_parameters *parameters, enum fit_kind kind);

/* Coordinate of a value in the fit, and the other way: the logarithm in the plan, else the number itself. */
double fit_coordinate(const struct fit_parameter *parameter, double value);
double fit_value(const struct fit_parameter *parameter, double coordinate);
