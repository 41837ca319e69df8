/* Scenario: what to solve, read from YAML, in SI and with every default filled in. `planwave help scenario` lists every
 * key. */
#ifndef PLANWAVE_SCENARIO_H
#define PLANWAVE_SCENARIO_H

#include "api/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scenario pw_scenario;

/* Reads the YAML file `path` and applies `overrides` ("grid.cell=1 cm"), in order. Relative image and waveform paths
 * are taken from the folder of the scenario. PW_BAD_INPUT names file, line, key, value and what is allowed. The caller
 * frees *scenario with pw_scenario_free. */
pw_status pw_scenario_load(const char *path, const char *const *overrides, size_t override_count,
                           pw_scenario **scenario, pw_error *error);

/* Does the same with YAML from memory; `name` stands for the file in messages, and relative paths are taken from the
 * working folder. */
pw_status pw_scenario_parse(const char *name, const char *text, const char *const *overrides, size_t override_count,
                            pw_scenario **scenario, pw_error *error);

/* The resolved scenario as YAML text that loads to the same scenario; owned by the handle. What is open stands there as
 * `auto`; pw_setup_scenario_text() has what was chosen. */
const char *pw_scenario_text(const pw_scenario *scenario);

/* NULL is allowed. */
void pw_scenario_free(pw_scenario *scenario);

#ifdef __cplusplus
}
#endif
#endif
