/* What edges that obey Mur's condition (problem/mur/mur.h), and planes of symmetry, ask of a set-up. */
#pragma once

#include "discretize/setup.h"

/* Before the medium: the edges stand so far off the plan that sources, receivers and spectra are clear of them. */
pw_status edges_check_grid(const struct setup *setup, pw_error *error);

/* With the medium and the absorber: no dispersive medium at the edges; a warning where any material is. */
pw_status edges_check_medium(struct setup *setup, pw_error *error);

/* Two dimensions: a warning where the averaging sees the plan change beside a plane of symmetry. */
pw_status edges_check_planes(struct setup *setup, const struct raster_grid *grid, pw_error *error);
