/* The list of warnings. Nothing here prints. */
#include "base/warnings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARNING_SIZE = 1024, WARNING_LIMIT = 1000 };

void warn(pw_notes *warnings, const char *format, ...)
{
    if (warnings == NULL || warnings->count >= WARNING_LIMIT) {
        return;
    }
    char text[WARNING_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < warnings->count; i++) {
        if (strcmp(warnings->text[i], text) == 0) {
            return;
        }
    }
    char **grown = realloc(warnings->text, (warnings->count + 1) * sizeof *grown);
    if (grown == NULL) {
        return;
    }
    warnings->text = grown;
    warnings->text[warnings->count] = strdup(text);
    warnings->count += warnings->text[warnings->count] != NULL;
}

void warnings_free(pw_notes *warnings)
{
    if (warnings == NULL) {
        return;
    }
    for (size_t i = 0; i < warnings->count; i++) {
        free(warnings->text[i]);
    }
    free(warnings->text);
    *warnings = (pw_notes){0};
}

INTERFACE_NAME(pw_note, warn);
INTERFACE_NAME(pw_notes_free, warnings_free);
