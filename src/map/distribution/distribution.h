/* Distributions: the values of a quantity over the floor, over areas of it, or over the receivers, in order. */
#pragma once

#include "map/coverage.h"

struct pw_distributions {
    const struct result *result; /* borrowed */
    struct coverage coverage;    /* parts, columns and floor; in order of (part, column) the distributions */
    pw_map_options options;
    char (*names)[2 * NAME_SIZE]; /* (parts), owned: of the floor and the areas, or "receivers" */
    double *values;               /* owned: what the distributions point into */
    pw_distribution *distributions;
    size_t count;
    bool receivers;
};

/* "left" or "best server"; with several parts "lab: left". */
enum { CURVE_NAME = 4 * NAME_SIZE };
const char *distribution_name(const pw_distributions *distributions, size_t index, char name[CURVE_NAME]);
const char *distribution_column(const pw_distributions *distributions, size_t index);

/* The curves as a picture. */
pw_status distribution_plot(const pw_distributions *distributions, const char *path, pw_error *error);
