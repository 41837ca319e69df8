/* Solving a scenario written in a test into the file of a result. */
#ifndef TEXT_SOLVE_H
#define TEXT_SOLVE_H

#include "tests/support/check.h"

#include "planwave.h"

/* With `overrides` (count; as --set takes them). False, and why is printed, where it did not go well. */
static inline bool text_solve(const char *text, const char *const *overrides, size_t count, pw_precision precision,
                              const char *backend, const char *into)
{
    pw_error error = {""};
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    const pw_run_options options = {.compute.backend = backend, .force = true};
    const bool done = pw_scenario_parse("text", text, overrides, count, &scenario, &error) == PW_OK &&
                      pw_setup_create(scenario, precision, false, &setup, &error) == PW_OK &&
                      pw_run(setup, &options, into, &error) == PW_OK;
    if (!done) {
        print_error("%s\n", error.message);
    }
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return done;
}

#endif
