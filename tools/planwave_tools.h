/* The interface of the applications that stand on planwave.h, each from its folder (installed as planwave/NAME.h): what
 * `planwave place` and `planwave uncertainty` do, and Python, for programs in C. Link with -lplanwave. */
#ifndef PLANWAVE_TOOLS_H
#define PLANWAVE_TOOLS_H

#include "planwave.h"

#include "calibrate/planwave_calibrate.h"
#include "drawing/planwave_drawings.h"
#include "import/planwave_import.h"
#include "place/planwave_place.h"
#include "report/planwave_report.h"
#include "serve/planwave_serve.h"
#include "sweep/planwave_sweep.h"
#include "uncertainty/planwave_uncertainty.h"
#include "walk/planwave_walk.h"

#endif
