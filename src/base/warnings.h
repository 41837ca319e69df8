/* Warnings collected while a scenario is turned into a problem; printed before the run and stored in the result. */
#ifndef WARNINGS_H
#define WARNINGS_H

#include "base/status.h"

struct warnings {
    char **text; /* (count), owned */
    size_t count;
};

/* Adds a sentence once: a repeated one is dropped. Out of memory drops the warning, never the run. */
__attribute__((format(printf, 2, 3))) void warn(struct warnings *warnings, const char *format, ...);
void warnings_free(struct warnings *warnings);

#endif
