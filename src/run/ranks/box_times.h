/* How long a node, a byte and a look take here, measured on a small box with the scheme, precision, absorber and
 * spectra of a set-up: alone, or cut as the set-up will be and stepped by all ranks at once, so that they share what
 * they will share. */
#pragma once

#include "backend/compute.h"
#include "discretize/setup.h"

struct box_times {
    double step;   /* s: a node and step, in visits as deep as the cut's */
    double sample; /* s: a point of the spectra, a frequency and a sample */
    double look;   /* s: a node of the grid, at a look at the energy */
    double packed; /* s: a byte that goes out or comes in, packed or unpacked */
    double sent;   /* s: such a byte on its way */
};

/* `cut` is that of the set-up's grid, NULL: alone. Takes some tenths of a second, and less than the
 * run itself. */
pw_status box_times_measure(const struct setup *setup, const struct compute *compute, const struct cut *cut,
                            struct box_times *times, pw_error *error);
