/* The constants of free space as the interface has them (physics.md, conventions). Pi is M_PI of <math.h>. */
#pragma once

#include "api/support.h"

#define SPEED_OF_LIGHT          PW_SPEED_OF_LIGHT
#define FREE_SPACE_IMPEDANCE    PW_FREE_SPACE_IMPEDANCE
#define FREE_SPACE_PERMITTIVITY PW_FREE_SPACE_PERMITTIVITY
