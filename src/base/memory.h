/* How much memory this machine has left. Large allocations are checked against it beforehand, because Linux promises
 * more memory than it has and later kills the process that uses it. */
#pragma once

#include "base/status.h"

/* Part of the memory left that a run may take, on the machine or on a device. */
#define MEMORY_MARGIN 0.95

/* Bytes that are left on the machine, or in the control group if that is less; 0 when neither tells. */
uint64_t memory_available(void);

/* pw_memory_parse (api/support.h). */
pw_status memory_parse(const char *text, const char *option, uint64_t *bytes, pw_error *error);

/* Bytes that this process holds now, and the most that it has held; 0: not known. */
uint64_t memory_resident(void);
uint64_t memory_peak(void);

/* Bytes that devices of this machine have free beside its own memory, for what may lie there: what `look` says, which
 * is asked when it matters; 0 before anybody has told how to look. */
void memory_look_beside(uint64_t (*look)(void));
uint64_t memory_beside(void);

/* PW_NO_RESOURCE, with the numbers and `advice`, when `bytes` are more than that part of what is left. */
pw_status memory_check(double bytes, const char *what, const char *advice, pw_error *error);
