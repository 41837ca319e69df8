/* What every application starts from: the interface, and short names for what it offers to applications
 * (api/support.h), so that code reads alike in the library and here. */
#pragma once

#include "planwave.h"

#define fail                  pw_fail
#define allocate              pw_allocate
#define array_grow            pw_array_grow
#define TRY(call)             PW_TRY(call)
#define FAIL_IF(refused, ...) PW_FAIL_IF(refused, __VA_ARGS__)
#define TRY_MADE(made)        PW_TRY_MADE(made)
#define THEN(status, call)    PW_THEN(status, call)
#define OWNED                 PW_OWNED
#define OWNED_BY(free)        PW_OWNED_BY(free)
#define OWNED_AS(handle)      PW_OWNED_AS(handle)
#define OWNED_ID              PW_OWNED_ID
