/* The options that commands about the whole floor share (map_options.h). */
#include "program/map_options.h"

#include <ctype.h>
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

pw_status take_levels(const struct option_line *line, const struct option_entry *entry, char *texts)
{
    struct level_list *list = entry->value;
    if (texts[strspn(texts, ", ")] == '\0') {
        return complain_usage(line->command, "--%s '%s': give one or several, such as %s", entry->name, texts,
                              list->example);
    }
    for (char *text = strtok(texts, ","); text != NULL; text = strtok(NULL, ",")) {
        if (list->count == list->most) {
            return complain_usage(line->command, "--%s: too many; allowed are %d", entry->name, list->most);
        }
        list->texts[list->count++] = text;
    }
    return PW_OK;
}

pw_status levels_read(const struct option_line *line, const char *name, const char *unit, struct level_list *list)
{
    for (int n = 0; n < list->count; n++) {
        PW_TRY(read_level(line, name, list->texts[n], unit, &list->values[n]));
    }
    return PW_OK;
}

pw_status take_gain(const struct option_line *line, const struct option_entry *entry, char *text)
{
    return read_level(line, entry->name, text, "dBi", entry->value);
}

pw_status take_decibels(const struct option_line *line, const struct option_entry *entry, char *text)
{
    return read_level(line, entry->name, text, "dB", entry->value);
}

pw_status take_received(const struct option_line *line, const struct option_entry *entry, char *text)
{
    return read_level(line, entry->name, text, "dBm", entry->value);
}

/* ---- sheets ---- */

const char *const COMPONENT_WORDS[] = {"own", "ex", "ey", "ez", "total", "hz", NULL};

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

/* ---- points ---- */

bool point_take(const char *text, pw_place *place)
{
    int used = 0;
    *place = (pw_place){0};
    if (sscanf(text, "%lf ,%lf %n", &place->x, &place->y, &used) != 2 || !isfinite(place->x + place->y)) {
        return false;
    }
    if (text[used] == ',') {
        const char *third = text + used + 1;
        used = 0;
        place->has_height = sscanf(third, "%lf %n", &place->height, &used) == 1 && isfinite(place->height);
        return place->has_height && third[used] == '\0';
    }
    return text[used] == '\0';
}

/* True of a heading that calls its third column z or height. */
static bool heading_has_height(const char *text)
{
    const char *second = strchr(text, ','), *third = second != NULL ? strchr(second + 1, ',') : NULL;
    third = third != NULL ? third + 1 + strspn(third + 1, " \t\"") : "";
    return strncasecmp(third, "height", 6) == 0 ||
           (strncasecmp(third, "z", 1) == 0 && !isalnum((unsigned char)third[1]));
}

/* The height in the third column, where the heading says so or a fourth follows; returns what is behind it. */
static char *read_height(char *text, bool has_heights, pw_place *place)
{
    int more = 0;
    double z;
    if (text[0] != ',' || sscanf(text, ",%lf %n", &z, &more) != 1 || !isfinite(z) ||
        (text[more] != ',' && !(text[more] == '\0' && has_heights))) {
        return text;
    }
    place->has_height = true;
    place->height = z;
    return text + more;
}

pw_status take_named_area(const struct option_line *line, const struct option_entry *entry, char *text)
{
    struct area_list *list = entry->value;
    int used = 0;
    char *equals = strchr(text, '=');
    pw_area area = {NULL, 0.0, 0.0, 0.0, 0.0};
    if (list->count == AREA_LIMIT) {
        return complain_usage(line->command, "too many areas; allowed are %d", AREA_LIMIT);
    }
    if (equals == NULL || equals == text ||
        sscanf(equals + 1, "%lf ,%lf ,%lf ,%lf %n", &area.x0, &area.y0, &area.x1, &area.y1, &used) != 4 ||
        equals[1 + used] != '\0' || !isfinite(area.x0 + area.y0 + area.x1 + area.y1)) {
        return complain_usage(line->command, "--area '%s': give a name and two corners, such as lab=2,2,8,7", text);
    }
    *equals = '\0'; /* the name is argv's */
    area.name = text;
    list->areas[list->count++] = area;
    return PW_OK;
}

bool point_read_line(char *text, bool first, bool *has_heights, pw_place *place, bool *none)
{
    int used = 0;
    text[strcspn(text, "\r\n")] = '\0';
    text += strspn(text, " \t\xef\xbb\xbf"); /* a byte order mark, too */
    bool numbers = sscanf(text, "%lf ,%lf %n", &place->x, &place->y, &used) == 2 && isfinite(place->x + place->y);
    *none = text[0] == '\0' || text[0] == '#' || (first && !numbers);
    if (*none || !numbers) {
        *has_heights = *has_heights || (text[0] != '#' && heading_has_height(text));
        return *none;
    }
    place->name = NULL;
    text = read_height(text + used, *has_heights, place);
    if (text[0] == ',') {
        char *name = text + 1 + strspn(text + 1, " \t\"");
        name[strcspn(name, ",\"")] = '\0';
        place->name = name[0] != '\0' ? name : NULL;
    } else if (text[0] != '\0') {
        return false;
    }
    return true;
}
