/* Plans that are probably not meant: told before anything is solved. What still can be solved draws a warning, which
 * the result keeps; what cannot is an error. */
#pragma once

#include "discretize/setup.h"

/* The plan against the wavelength and the cell, after both are known: PW_BAD_INPUT where the plan is smaller than a few
 * cells. Warns of a plan that is smaller than a wavelength, of thick panes of glass, of shapes that reach far outside
 * the plan and of outlines that cross themselves. */
pw_status plausible_plan(struct setup *setup, pw_error *error);

/* Metal nearer than one cell to a place in air: how far it is and the unit vector from there to the place. False: there
 * is none. After the medium. */
bool plausible_metal_near(const struct setup *setup, struct point at, double height, double *distance,
                          struct point *away);
