/* Where persons stand on a plan. */
#pragma once

#include "walk/walk.h"

/* PW_BAD_INPUT: a person of this radius [m] that has not so much `air` [m] around its middle, stands on a station, or
 * meets another person. Fills walk->sees. */
pw_status places_check(const pw_setup *setup, double radius, double air, struct walk *walk, pw_error *error);
