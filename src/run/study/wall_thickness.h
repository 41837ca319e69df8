/* Makes a wall of a plan thicker or thinner, with what depends on it: openings through it, and walls that end at its
 * faces (parameters.h). */
#pragma once

#include "scenario/scenario.h"

/* Gives the wall `index` of the plan's shapes another `thickness` [m]. PW_BAD_INPUT: it is neither along x nor along y
 * and has an opening. */
pw_status wall_set_thickness(struct plan_choice *plan, int index, double thickness, const char *file, pw_error *error);
