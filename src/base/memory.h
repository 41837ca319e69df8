/* How much memory is left, asked before it is taken: Linux hands out more than it has and later kills who uses it. */
#ifndef MEMORY_H
#define MEMORY_H

#include "base/status.h"

/* Bytes that the machine, or the control group if that is less, has left; 0 when neither says. */
uint64_t memory_available(void);

/* PW_NO_RESOURCE, with the numbers and `advice`, when `bytes` more are not there. */
pw_status memory_check(double bytes, const char *what, const char *advice, pw_error *error);

#endif
