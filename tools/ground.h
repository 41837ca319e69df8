/* What every application starts from: the interface, and short names for what it offers to applications
 * (api/support.h), so that code reads alike in the library and here. */
#ifndef GROUND_H
#define GROUND_H

#include "planwave.h"

#define fail            pw_fail
#define allocate        pw_allocate
#define array_with_room pw_array_with_room
#define TRY(call)       PW_TRY(call)
#define TRY_MADE(made)  PW_TRY_MADE(made)

#endif
