/* What `planwave sweep` prints of a sweep: the commands of its cases, its axes, how far it is. */
#pragma once

#include "program/tool.h"
#include "sweep/planwave_sweep.h"

/* Ends what it watches once a signal has come. */
extern const pw_monitor SWEEP_MONITOR;

/* Whether the scenario takes all values; complains otherwise. */
pw_status sweep_check(const pw_sweep *sweep);

/* Prints a command for every case, or for those alone that are not done, with the backend and threads of `options`, and
 * makes the folder that they write into. PW_INCOMPLETE: an output is of something else. */
pw_status sweep_list(const pw_sweep *sweep, const pw_run_options *options, bool strict, bool unfinished);

/* Prints the axes, and which cases are in which state. */
pw_status sweep_status(const pw_sweep *sweep);
