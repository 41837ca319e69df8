/* The layered walls of a plan, and how far each is off on the grid (wall_line.h). The rays of the forecast meet one
 * layer after another, and add powers; what two panes do together they do not know. So walls are looked at by
 * themselves: cells are chosen for the worst of them, and what cells that were given do to it is told.
 *
 * A wall is what lies on the normal of a drawn wall, rectangle or strip, with gaps of air up to a wavelength. Left out:
 * walls on the edge of the plan, pictures, round shapes, walls with metal, plasmas or films (medium/sheet has laws for
 * those), walls that take over 80 dB, and all after the first 500 that differ. */
#pragma once

#include "discretize/setup.h"

/* The largest cell [m] up to that of `chosen` on which no wall is off by more than twice the decibels that are wanted,
 * or 4 % of its own; not less than half of the cell that is chosen. Why it is smaller goes to the choices. */
pw_status wall_layers_choose(struct setup *setup, double *cell, pw_error *error);

/* Warns of the wall that is farthest off, where it is farther than the forecast tells: in the mean over the band, or
 * else at its high end. After the forecast. */
pw_status wall_layers_tell(struct setup *setup, pw_error *error);
