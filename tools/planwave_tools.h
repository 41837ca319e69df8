/* The interface of the applications that stand on planwave.h, each from its folder (installed as planwave/NAME.h): what
 * `planwave uncertainty` does, and Python, for programs in C. Link with -lplanwave. */
#ifndef PLANWAVE_TOOLS_H
#define PLANWAVE_TOOLS_H

#include "planwave.h"

#include "calibrate/planwave_calibrate.h"
#include "sweep/planwave_sweep.h"
#include "uncertainty/planwave_uncertainty.h"

#endif
