/* The options that choose a sheet of a result in three dimensions (sheet_options.h). */
#include "tools/sheet_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const COMPONENT_WORDS[] = {"own", "ex", "ey", "ez", "total", NULL};

pw_status take_height(const struct option_line *line, const struct option_entry *entry, char *text)
{
    double *height = entry->value;
    pw_error error = {{0}};
    char *end = NULL;
    *height = strtod(text, &end);
    end += strspn(end, " ");
    if (end != text && (*end == '\0' || strcmp(end, "m") == 0) && isfinite(*height)) {
        return PW_OK;
    }
    if (pw_parse_length(text, height, &error) != PW_OK) {
        return complain_usage(line->command, "--%s '%s': give a height over the lowest floor, such as 1.5 or 150cm",
                              entry->name, text);
    }
    return PW_OK;
}
