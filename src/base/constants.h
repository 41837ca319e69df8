/* Constants of free space, once (physics.md, conventions). */
#ifndef CONSTANTS_H
#define CONSTANTS_H

#define SPEED_OF_LIGHT          299792458.0      /* m/s */
#define FREE_SPACE_IMPEDANCE    376.730313668    /* ohm */
#define FREE_SPACE_PERMITTIVITY 8.8541878128e-12 /* F/m */

#endif
