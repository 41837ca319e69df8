/* The constants of free space (physics.md, conventions). Pi is M_PI of <math.h>. */
#ifndef CONSTANTS_H
#define CONSTANTS_H

#include "api/base.h"

#define SPEED_OF_LIGHT          PW_SPEED_OF_LIGHT /* m/s */
#define FREE_SPACE_IMPEDANCE    376.730313668     /* ohm */
#define FREE_SPACE_PERMITTIVITY 8.8541878128e-12  /* F/m */

#endif
