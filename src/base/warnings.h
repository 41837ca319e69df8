/* Warnings collected while a scenario is turned into a problem; they are printed before the run and stored in the
 * result. */
#pragma once

#include "base/status.h"

/* Adds a sentence unless it is there already. When there is no memory the warning is lost, and the run goes on. */
__attribute__((format(printf, 2, 3))) void warn(pw_notes *warnings, const char *format, ...);
void warnings_free(pw_notes *warnings);
