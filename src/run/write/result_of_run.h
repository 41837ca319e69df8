/* A finished run as a result without a file, for callers that look at a map at once and then drop it. */
#pragma once

#include "result/result.h"
#include "run/simulation.h"

/* What opening the file of this one run would give, in two dimensions: its transmitter, and its spectra in the
 * precision that the file would have, so that maps have the same bits. What only a file has is left out: receivers, the
 * walls of the plan, the scenario, and what was noted of the run; asking for these fails with a message. The caller
 * closes it with pw_result_close. PW_USAGE: a run in three dimensions, or one without a step. */
pw_status result_of_run(const struct simulation *simulation, int run, pw_result **result, pw_error *error);
