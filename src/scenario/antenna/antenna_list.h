/* The patterns of a scenario: of its list `antennas`, of files that terminals name, and closed forms. Used by
 * antenna_choice.c alone. */
#pragma once

#include "scenario/scenario_read.h"

/* NULL: none of that name. */
const struct antenna_pattern *pattern_find(const struct scenario *scenario, const char *name);

/* That of a file, which is added unless an equal one is there. NULL: *status says why. */
const struct antenna_pattern *pattern_of_file(struct scenario *scenario, const char *path, pw_status *status,
                                              pw_error *error);

/* A closed form that is not in the list, which is added under its own name. NULL: no memory. */
const struct antenna_pattern *pattern_of_form(struct scenario *scenario, const char *name, pw_error *error);

/* Whether a text has the ending of a pattern's file. */
bool pattern_file_named(const char *text);
