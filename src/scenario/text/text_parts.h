/* Writing single values of a scenario as YAML, so that they read back to the same bits; and its plan. Each function
 * puts `before` in front of the value. Used by the scenario room alone. */
#pragma once

#include <stdio.h>

#include "scenario/scenario_read.h"

void write_quantity(FILE *out, const char *before, double value, pw_dimension dimension);
/* In double quotes; bytes above 127 are UTF-8 and stay. */
void write_quoted(FILE *out, const char *text);
/* "x, y]": the opening bracket is the end of `before`. */
void write_point(FILE *out, const char *before, struct point point);
/* The same, and "x, y, z]" where there is a height. */
void write_place(FILE *out, const char *before, struct point point, double height);

/* text_plan.c */
void write_plan(FILE *out, const struct plan_choice *plan);
