/* Which sheet of a result in three dimensions a command looks at: its height or its cut, and the component of the
 * field. */
#ifndef SHEET_OPTIONS_H
#define SHEET_OPTIONS_H

#include "tools/tool.h"

/* `choice` points to pw_sheet_choice. */
#define SHEET_OPTIONS(choice)                                                                                          \
    {.name = "height", .kind = OPTION_TAKEN, .value = &(choice)->height, .take = take_height},                         \
        {.name = "cut", .kind = OPTION_INTEGER, .value = &(choice)->cut, .least = 1, .most = 1000},                    \
    {                                                                                                                  \
        .name = "component", .kind = OPTION_WORD, .value = &(choice)->component, .words = COMPONENT_WORDS              \
    }
#define SHEET_HELP                                                                                                     \
    "      --height H          three dimensions: the plane of spectra nearest to this height [m]; default: the "       \
    "first\n"                                                                                                          \
    "      --cut N             three dimensions: vertical cut number N, as info lists them\n"

/* Names of the components in the order of pw_component, NULL terminated. */
extern const char *const COMPONENT_WORDS[];

/* A height in metres, which may be zero or negative, with or without a unit. */
pw_status take_height(const struct option_line *line, const struct option_entry *entry, char *text);

#endif
