/* The scenarios of floorplans/. */
#ifndef SHIPPED_H
#define SHIPPED_H

#include "tests/support/check.h"

#include "scenario/scenario.h"

#include <stdio.h>

static pw_scenario *shipped(const char *name, const char *set)
{
    char path[64];
    pw_scenario *scenario = NULL;
    pw_error error = {""};
    snprintf(path, sizeof path, "floorplans/%s.yaml", name);
    if (pw_scenario_load(path, &set, set != NULL, &scenario, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
    return scenario;
}

#endif
