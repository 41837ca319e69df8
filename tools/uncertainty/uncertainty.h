/* Uncertainty of a prediction: the scenario solved with many draws of what is not known (draws.h), quantiles over them
 * at every cell, by the samples themselves or by a polynomial chaos (chaos.h), the share of the floor over thresholds,
 * and which spread the variance comes from.
 *
 *     scenario -> set-up as written -> text with everything chosen -> variants (pw_variants_solve), the last as written
 *
 * The draws are solved on the grid of the scenario as written, with time steps of their own. */
#pragma once

#include "uncertainty/draws.h"

/* What is made of the result of the scenario as written, when all numbers are there. */
typedef pw_status (*uncertainty_finish)(const pw_result *nominal, const pw_uncertainty *uncertainty, void *user,
                                        pw_error *error);

/* pw_uncertainty_compute, and `finish` (may be NULL) at the end. */
pw_status uncertainty_solve(const pw_scenario *scenario, const pw_uncertainty_options *options,
                            pw_uncertainty *uncertainty, uncertainty_finish finish, void *user, pw_error *error);
