/* Patterns of antennas in the Planet format, .msi or .pln: lines of keys (NAME, FREQUENCY in MHz, GAIN in dBd unless it
 * says dBi, TILT ...), then HORIZONTAL and VERTICAL with losses [dB] by angle [degrees]. Taken as they are found: keys
 * of any case and unknown ones, a name without its key, decimal commas, angles from -180 or up to 360, any step, levels
 * in place of losses. */
#pragma once

#include "scenario/antenna/antenna.h"

/* PW_BAD_INPUT with file and line: not such a file, over 1 MiB, a cut is missing, has fewer values than it says, fewer
 * than 8, a gap of more than 45 degrees, two losses for one angle, or a loss that is none (negative beside positive
 * ones, over 300 dB). Nothing is left to free then. */
pw_status planet_file_read(const char *path, struct antenna_pattern *pattern, pw_error *error);

/* The same of text in memory; `name` is for messages. */
pw_status planet_text_read(const char *name, const char *text, size_t length, struct antenna_pattern *pattern,
                           pw_error *error);

/* A file of at most `limit` bytes, a whole number of MiB, with room for one more behind; the caller owns *text. */
pw_status antenna_text_load(const char *path, int limit, char **text, size_t *length, pw_error *error);
