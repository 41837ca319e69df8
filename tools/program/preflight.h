/* The table that `run` prints before it starts. */
#pragma once

#include "program/tool.h"

/* For people. `forecast` may lack its time (0); `verbose` adds the error of the complex field. */
void preflight_print(const pw_setup *setup, const pw_forecast *forecast, pw_precision precision, bool verbose,
                     FILE *stream);
/* The same facts as one line of JSON, {"event": "start", ...}. */
void preflight_print_json(const pw_facts *facts, const pw_forecast *forecast, pw_precision precision, FILE *stream);
void print_json_text(const char *text, FILE *stream);
