/* Set-ups of scenarios that stand in a test as text. */
#ifndef TEXT_SETUP_H
#define TEXT_SETUP_H

#include "planwave.h"
#include "tests/support/check.h"

/* NULL and *error when the scenario is refused or cannot be set up. The scenario is the caller's, as the set-up is. */
static inline pw_setup *text_setup_try(const char *text, pw_precision precision, const char *const *overrides,
                                       size_t count, pw_scenario **scenario, pw_error *error)
{
    pw_setup *setup = NULL;
    *scenario = NULL;
    if (pw_scenario_parse("room", text, overrides, count, scenario, error) == PW_OK) {
        (void)pw_setup_create(*scenario, precision, false, &setup, error);
    }
    return setup;
}

/* The test fails when there is none. */
static inline pw_setup *text_setup_take(const char *text, pw_precision precision, const char *const *overrides,
                                        size_t count, pw_scenario **scenario)
{
    pw_error error = {{0}};
    pw_setup *setup = text_setup_try(text, precision, overrides, count, scenario, &error);
    if (setup == NULL) {
        fail_msg("%s", error.message);
    }
    return setup;
}

static inline void drop(pw_setup *setup, pw_scenario *scenario)
{
    pw_setup_free(setup);
    pw_scenario_free(scenario);
}

#endif
