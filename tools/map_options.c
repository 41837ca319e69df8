/* The options that commands about the whole floor share (map_options.h). */
#include "tools/map_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const QUANTITY_NAMES[] = {
    "path-gain", "received-power", "rms-delay-spread", "mean-delay",   "k-factor",  "best-server", "snr",
    "sinr",      "maximum-delay",  "coherence-50",     "coherence-90", "path-loss", NULL};

pw_status read_level(const struct option_line *line, const char *name, const char *text, const char *unit,
                     double *value)
{
    char *end = NULL;
    *value = strtod(text, &end);
    if (end == text || !isfinite(*value)) {
        return complain_usage(line->command, "--%s '%s': give a number, such as %s%s", name, text,
                              strcmp(unit, "dBm") == 0 ? "-67" : "10", unit);
    }
    end += strspn(end, " ");
    if (*end != '\0' && strcasecmp(end, unit) != 0) {
        return complain_usage(line->command, "--%s '%s': the unit here is %s, not '%s'", name, text, unit, end);
    }
    return PW_OK;
}

pw_status take_gain(const struct option_line *line, const struct option_entry *entry, char *text)
{
    return read_level(line, entry->name, text, "dBi", entry->value);
}

pw_status take_noise_figure(const struct option_line *line, const struct option_entry *entry, char *text)
{
    return read_level(line, entry->name, text, "dB", entry->value);
}

/* ---- sheets ---- */

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
