/* Reading patterns in the Planet format (planet_file.h). Leaves out what is done with the keys that are not needed:
 * beam widths, front to back ratio, polarisation and comments. */
#include "scenario/antenna/planet_file.h"
#include "base/file/atomic_file.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FILE_LIMIT = 1 << 20, LEAST_VALUES = 8, WIDEST_GAP = 45 };
static const double MOST_LOSS = 300, LEAST_LOSS = -0.5; /* dB; a little under 0 is how some files round */

/* One value of a cut as it is read. */
struct loss {
    double angle, value; /* degrees, 0 to 360; dB */
    int line;
};

struct cut_reading {
    const char *key;
    int line, expected, count; /* line 0: not there yet; expected 0: it does not say */
    struct loss *loss;         /* (CUT_LIMIT + 1), owned */
};

struct planet_reading {
    const char *name;
    int line;
    bool any;                   /* a key of the format was there */
    struct cut_reading cuts[2]; /* horizontal, vertical */
    struct cut_reading *open;   /* whose values are being read */
    struct antenna_pattern *pattern;
};

__attribute__((format(printf, 4, 5))) static pw_status line_fail(const struct planet_reading *reading, int line,
                                                                 pw_error *error, const char *format, ...)
{
    char reason[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return fail(error, PW_BAD_INPUT, "%.300s:%d: %s", reading->name, line, reason);
}

/* ---- words and numbers ---- */

/* A decimal number, with a point or a comma, at the beginning of `text`; *end is behind it. Locales are left out. */
static bool number_read(const char *text, double *value, const char **end)
{
    const char *at = text;
    bool negative = *at == '-', digits = false;
    double sum = 0, unit = 1;
    at += *at == '-' || *at == '+';
    for (; isdigit((unsigned char)*at); at++, digits = true) {
        sum = 10 * sum + (*at - '0');
    }
    if (*at == '.' || *at == ',') {
        for (at++; isdigit((unsigned char)*at); at++, digits = true) {
            sum = 10 * sum + (*at - '0');
            unit *= 10;
        }
    }
    if (digits && (*at == 'e' || *at == 'E')) {
        char *behind;
        long exponent = strtol(at + 1, &behind, 10);
        if (behind != at + 1 && labs(exponent) < 100) {
            unit *= pow(10, (double)-exponent);
            at = behind;
        }
    }
    *value = (negative ? -sum : sum) / unit;
    *end = at;
    return digits && isfinite(*value);
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\r;");
}

/* What follows the key when the line begins with it, else NULL. */
static const char *behind_key(const char *line, const char *key)
{
    size_t length = strlen(key);
    if (strncasecmp(line, key, length) != 0 || (line[length] != '\0' && strchr(" \t\r;:=", line[length]) == NULL)) {
        return NULL;
    }
    return line + length + strspn(line + length, " \t\r;:=");
}

/* Letters of names (base/names.h); others become '_', as in a path. */
static void name_take(const char *text, char name[NAME_SIZE])
{
    size_t used = 0;
    for (; *text != '\0' && used < NAME_SIZE - 1; text++) {
        name[used++] = isalnum((unsigned char)*text) || strchr("_-. ", *text) != NULL ? *text : '_';
    }
    while (used > 0 && strchr(" ._", name[used - 1]) != NULL) {
        used--;
    }
    name[used] = '\0';
}

/* ---- keys ---- */

static pw_status frequency_take(struct planet_reading *reading, const char *text, pw_error *error)
{
    double low, high;
    const char *end;
    if (!number_read(text, &low, &end)) {
        return PW_OK; /* words, or nothing: a file for no frequency in particular */
    }
    const char *next = skip_blanks(end);
    next = strncasecmp(next, "MHz", 3) == 0 ? skip_blanks(next + 3) : next;
    if (*next == '-' && number_read(skip_blanks(next + 1), &high, &end) && high >= low) {
        low = 0.5 * (low + high);
        next = skip_blanks(end);
    }
    double unit = strncasecmp(next, "GHz", 3) == 0 ? 1e9 : strncasecmp(next, "kHz", 3) == 0 ? 1e3 : 1e6;
    if (!(low >= 0 && low * unit <= 1e13)) {
        return line_fail(reading, reading->line, error, "FREQUENCY %.40s is not one; write MHz, as in FREQUENCY 2442",
                         text);
    }
    reading->pattern->frequency = low * unit;
    return PW_OK;
}

static pw_status gain_take(struct planet_reading *reading, const char *text, pw_error *error)
{
    double gain;
    const char *end;
    if (*text == '\0') {
        return PW_OK;
    }
    if (!number_read(text, &gain, &end) || fabs(gain) > 100) {
        return line_fail(reading, reading->line, error,
                         "GAIN '%.40s' is not a gain; write dBd or dBi, as in GAIN 15.5 dBi", text);
    }
    const char *unit = skip_blanks(end);
    const bool isotropic = strncasecmp(unit, "dBi", 3) == 0, dipole = strncasecmp(unit, "dBd", 3) == 0;
    if (*unit != '\0' && !isotropic && !dipole) {
        return line_fail(reading, reading->line, error, "GAIN '%.40s' has an unknown unit; allowed: dBd, dBi", text);
    }
    reading->pattern->gain = gain + (isotropic ? 0 : DBD_TO_DBI);
    reading->pattern->gain_unit_missing = *unit == '\0';
    return PW_OK;
}

/* "TILT ELECTRICAL", "TILT 4", "TILT ELECTRICAL 4", "ELECTRICAL_TILT 4". */
static void tilt_take(struct planet_reading *reading, const char *text)
{
    double tilt;
    const char *end;
    if (strncasecmp(text, "MECHANICAL", 10) == 0) {
        return;
    }
    text += strncasecmp(text, "ELECTRICAL", 10) == 0 ? 10 : 0;
    if (number_read(skip_blanks(text), &tilt, &end) && fabs(tilt) <= 90) {
        reading->pattern->electrical_tilt = tilt * M_PI / 180;
    }
}

static pw_status cut_open(struct planet_reading *reading, struct cut_reading *cut, const char *text, pw_error *error)
{
    double count = 0;
    const char *end = text;
    if (cut->line != 0) {
        return line_fail(reading, reading->line, error, "a second %s; the first is in line %d", cut->key, cut->line);
    }
    if (*text != '\0' && (!number_read(text, &count, &end) || count < LEAST_VALUES || count > CUT_LIMIT + 1 ||
                          count != floor(count) || *skip_blanks(end) != '\0')) {
        return line_fail(reading, reading->line, error,
                         "%s '%.40s': the number of values is missing; allowed are %d to %d", cut->key, text,
                         LEAST_VALUES, CUT_LIMIT + 1);
    }
    cut->loss = allocate(CUT_LIMIT + 1, sizeof *cut->loss, "an antenna's pattern", error);
    TRY_MADE(cut->loss);
    cut->line = reading->line;
    cut->expected = (int)count;
    reading->open = cut;
    return PW_OK;
}

/* Two numbers; a comma between them where nothing else is. */
static pw_status value_take(struct planet_reading *reading, const char *line, pw_error *error)
{
    struct cut_reading *cut = reading->open;
    double angle, value;
    const char *end;
    char parts[128];
    snprintf(parts, sizeof parts, "%s", line);
    char *comma = strchr(parts, ',');
    if (strpbrk(parts, " \t;") == NULL && comma != NULL) {
        *comma = ' ';
    }
    bool good = number_read(parts, &angle, &end) && (*end == ' ' || *end == '\t' || *end == ';') &&
                number_read(skip_blanks(end), &value, &end) && *skip_blanks(end) == '\0';
    if (!good || strlen(line) >= sizeof parts) {
        return line_fail(reading, reading->line, error,
                         "'%.40s' is not a value of %s; write an angle in degrees and a loss in dB, as in 30 2.5", line,
                         cut->key);
    }
    if (!(fabs(angle) <= 360)) {
        return line_fail(reading, reading->line, error, "angle %g: allowed are -360 to 360 degrees", angle);
    }
    if (!(fabs(value) <= MOST_LOSS)) {
        return line_fail(reading, reading->line, error, "loss %g dB: allowed are 0 to %g dB", value, MOST_LOSS);
    }
    if (cut->count > CUT_LIMIT) {
        return line_fail(reading, reading->line, error, "%s has more than %d values", cut->key, CUT_LIMIT + 1);
    }
    angle = fmod(angle + 360, 360);
    cut->loss[cut->count++] = (struct loss){angle, value, reading->line};
    if (cut->count == cut->expected) {
        reading->open = NULL;
    }
    return PW_OK;
}

static bool line_has_key(const char *line)
{
    return isalpha((unsigned char)*line) || *line == '_';
}

static pw_status key_take(struct planet_reading *reading, const char *line, pw_error *error)
{
    struct antenna_pattern *pattern = reading->pattern;
    const char *text;
    for (int c = 0; c < 2; c++) {
        if ((text = behind_key(line, reading->cuts[c].key)) != NULL) {
            return cut_open(reading, &reading->cuts[c], text, error);
        }
    }
    if ((text = behind_key(line, "NAME")) != NULL) {
        name_take(text, pattern->name);
    } else if ((text = behind_key(line, "MAKE")) != NULL) {
        name_take(text, pattern->make);
    } else if ((text = behind_key(line, "FREQUENCY")) != NULL) {
        return frequency_take(reading, text, error);
    } else if ((text = behind_key(line, "GAIN")) != NULL) {
        return gain_take(reading, text, error);
    } else if ((text = behind_key(line, "TILT")) != NULL || (text = behind_key(line, "ELECTRICAL_TILT")) != NULL) {
        tilt_take(reading, text);
    } else if (!reading->any) {
        name_take(line, pattern->name); /* the first line is the name, its key left out */
    }
    return PW_OK;
}

static pw_status line_take(struct planet_reading *reading, const char *line, pw_error *error)
{
    if (*line == '\0') {
        return PW_OK;
    }
    if (line_has_key(line)) {
        if (reading->open != NULL && reading->open->expected > 0) {
            return line_fail(reading, reading->line, error, "%s of line %d says %d values and has %d",
                             reading->open->key, reading->open->line, reading->open->expected, reading->open->count);
        }
        reading->open = NULL;
        TRY(key_take(reading, line, error));
        reading->any = true;
        return PW_OK;
    }
    if (reading->open != NULL) {
        return value_take(reading, line, error);
    }
    if (!reading->any) { /* a name that begins with a digit */
        name_take(line, reading->pattern->name);
        reading->any = true;
        return PW_OK;
    }
    for (int c = 0; c < 2; c++) {
        if (reading->cuts[c].expected > 0 && isdigit((unsigned char)*line)) {
            return line_fail(reading, reading->line, error, "unexpected '%.40s' after the %d values of %s", line,
                             reading->cuts[c].expected, reading->cuts[c].key);
        }
    }
    return PW_OK;
}

/* ---- cuts ---- */

static int compare_losses(const void *a, const void *b)
{
    const struct loss *left = a, *right = b;
    return left->angle < right->angle ? -1 : left->angle > right->angle ? 1 : left->line - right->line;
}

/* Levels instead of losses become losses; angle 360 is angle 0. */
static pw_status losses_check(const struct planet_reading *reading, struct cut_reading *cut, pw_error *error)
{
    double least = INFINITY, most = -INFINITY;
    int lowest = 0;
    for (int n = 0; n < cut->count; n++) {
        lowest = cut->loss[n].value < least ? cut->loss[n].line : lowest;
        least = fmin(least, cut->loss[n].value);
        most = fmax(most, cut->loss[n].value);
    }
    if (least < LEAST_LOSS && most > 0) {
        return line_fail(reading, lowest, error,
                         "%g dB in a cut with losses up to %g dB: losses are 0 or more, or all of them levels of 0 or "
                         "less",
                         least, most);
    }
    const double sign = least < 0 && most <= 0 ? -1 : 1;
    for (int n = 0; n < cut->count; n++) {
        cut->loss[n].value = fmax(0, sign * cut->loss[n].value);
    }
    return PW_OK;
}

static pw_status losses_sort(const struct planet_reading *reading, struct cut_reading *cut, pw_error *error)
{
    struct loss *loss = cut->loss;
    int kept = 0;
    qsort(loss, (size_t)cut->count, sizeof *loss, compare_losses);
    for (int n = 0; n < cut->count; n++) {
        if (kept > 0 && loss[n].angle - loss[kept - 1].angle < 1e-6) {
            if (fabs(loss[n].value - loss[kept - 1].value) > 0.01) {
                return line_fail(reading, loss[n].line, error, "a second loss at %g degrees: %g dB, in line %d %g dB",
                                 loss[n].angle, loss[n].value, loss[kept - 1].line, loss[kept - 1].value);
            }
            continue;
        }
        loss[kept++] = loss[n];
    }
    cut->count = kept;
    double gap = kept > 0 ? loss[0].angle + 360 - loss[kept - 1].angle : 360;
    for (int n = 1; n < kept; n++) {
        gap = fmax(gap, loss[n].angle - loss[n - 1].angle);
    }
    if (kept < LEAST_VALUES || gap > WIDEST_GAP) {
        return line_fail(reading, cut->line, error,
                         "%s has %d angles, up to %g degrees apart: at least %d all around, at most %d degrees apart",
                         cut->key, kept, gap, LEAST_VALUES, WIDEST_GAP);
    }
    return PW_OK;
}

/* So many equal steps that every angle of the file is one of them, if a step of 0.1 degrees or more has it so. */
static int step_count(const struct cut_reading *cut)
{
    static const int COUNTS[] = {360, 720, 1440, 1800, CUT_LIMIT};
    for (size_t c = 0; c < sizeof COUNTS / sizeof *COUNTS; c++) {
        bool fits = true;
        for (int n = 0; n < cut->count && fits; n++) {
            double place = cut->loss[n].angle * COUNTS[c] / 360;
            fits = fabs(place - round(place)) < 1e-3;
        }
        if (fits) {
            return COUNTS[c];
        }
    }
    return CUT_LIMIT;
}

static pw_status cut_finish(const struct planet_reading *reading, struct cut_reading *from, struct antenna_cut *cut,
                            pw_error *error)
{
    FAIL_IF(from->line == 0, error, PW_BAD_INPUT,
            "%.300s: there is no %s, so it is not a pattern in the Planet format (.msi)", reading->name, from->key);
    if (from->expected > 0 && from->count < from->expected) {
        return line_fail(reading, reading->line, error, "the file ends after %d of the %d values of %s", from->count,
                         from->expected, from->key);
    }
    TRY(losses_check(reading, from, error));
    TRY(losses_sort(reading, from, error));
    cut->count = step_count(from);
    cut->level = allocate((size_t)cut->count, sizeof *cut->level, "an antenna's pattern", error);
    TRY_MADE(cut->level);
    const struct loss *loss = from->loss;
    int last = from->count - 1, next = 0; /* the first value at or behind the angle */
    for (int n = 0; n < cut->count; n++) {
        double angle = 360.0 * n / cut->count;
        while (next <= last && loss[next].angle < angle - 1e-3) {
            next++;
        }
        const struct loss *high = &loss[next <= last ? next : 0], *low = &loss[next > 0 ? next - 1 : last];
        double above = high->angle + (next <= last ? 0 : 360), below = low->angle - (next > 0 ? 0 : 360);
        bool at_value = fabs(above - angle) < 1e-3;
        double value = low->value + (high->value - low->value) * (angle - below) / (above - below);
        cut->level[n] = 0 - (at_value ? high->value : value);
    }
    return PW_OK;
}

/* ---- the file ---- */

static pw_status lines_take(struct planet_reading *reading, const char *text, size_t length, pw_error *error)
{
    char line[1024];
    size_t at = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < length) {
        const char *end = memchr(text + at, '\n', length - at);
        size_t whole = end != NULL ? (size_t)(end - text) - at : length - at;
        const char *old_end = end == NULL ? memchr(text + at, '\r', whole) : NULL; /* lines of old Macintoshes */
        whole = old_end != NULL ? (size_t)(old_end - text) - at : whole;
        size_t taken = whole < sizeof line - 1 ? whole : sizeof line - 1;
        memcpy(line, text + at, taken);
        line[taken] = '\0';
        reading->line++;
        if (memchr(line, '\0', taken) != NULL) {
            return line_fail(reading, reading->line, error, "not text: a byte is zero");
        }
        while (taken > 0 && isspace((unsigned char)line[taken - 1])) {
            line[--taken] = '\0';
        }
        TRY(line_take(reading, skip_blanks(line), error));
        at += whole + 1;
    }
    return PW_OK;
}

pw_status planet_text_read(const char *name, const char *text, size_t length, struct antenna_pattern *pattern,
                           pw_error *error)
{
    memset(pattern, 0, sizeof *pattern);
    pattern->gain = pattern->electrical_tilt = NAN;
    struct planet_reading reading = {
        .name = name, .cuts = {{.key = "HORIZONTAL"}, {.key = "VERTICAL"}}, .pattern = pattern};
    pw_status status = lines_take(&reading, text, length, error);
    struct antenna_cut *cuts[] = {&pattern->azimuth, &pattern->elevation};
    for (int c = 0; c < 2; c++) {
        THEN(status, cut_finish(&reading, &reading.cuts[c], cuts[c], error));
        free(reading.cuts[c].loss);
    }
    if (status != PW_OK) {
        antenna_pattern_free(pattern);
    }
    return status;
}

pw_status antenna_text_load(const char *path, int limit, char **text, size_t *length, pw_error *error)
{
    TRY(input_file_look(path, error));
    FILE *file = fopen(path, "rb");
    FAIL_IF(file == NULL, error, PW_BAD_INPUT, "cannot read the antenna's pattern '%.300s': %s", path, strerror(errno));
    *text = allocate((size_t)limit + 1, 1, "an antenna's pattern", error);
    if (*text == NULL) {
        fclose(file);
        return PW_NO_RESOURCE;
    }
    *length = fread(*text, 1, (size_t)limit + 1, file);
    const int failure = ferror(file) != 0 ? errno : 0;
    fclose(file);
    pw_status status = PW_OK;
    if (failure != 0) {
        status = fail(error, PW_BAD_INPUT, "cannot read the antenna's pattern '%.300s': %s", path, strerror(failure));
    } else if (*length > (size_t)limit) {
        status = fail(error, PW_BAD_INPUT, "the antenna's pattern '%.300s' is larger than %d MiB", path, limit >> 20);
    }
    if (status != PW_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

pw_status planet_file_read(const char *path, struct antenna_pattern *pattern, pw_error *error)
{
    OWNED char *text = NULL;
    size_t length;
    memset(pattern, 0, sizeof *pattern);
    TRY(antenna_text_load(path, FILE_LIMIT, &text, &length, error));
    return planet_text_read(path, text, length, pattern, error);
}
