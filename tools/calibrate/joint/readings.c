/* Files of readings (readings.h). Columns are known by their titles; others are passed over. */
#include "calibrate/joint/readings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FIELD_LIMIT = 256, READING_LIMIT = 10000000 };

enum column {
    COLUMN_X,
    COLUMN_Y,
    COLUMN_HEIGHT,
    COLUMN_POWER,
    COLUMN_FREQUENCY,
    COLUMN_TRANSMITTER,
    COLUMN_DEVICE,
    COLUMN_FACING,
    COLUMN_KINDS
};

/* What a title may be, in small letters; heights: pw_title_is_height(). */
static const char *const TITLES[COLUMN_KINDS][8] = {
    [COLUMN_X] = {"x", "x_m", "x [m]"},
    [COLUMN_Y] = {"y", "y_m", "y [m]"},
    [COLUMN_HEIGHT] = {"z_m"},
    [COLUMN_POWER] = {"power", "power_dbm", "dbm", "rssi", "rss", "rssi_mean", "measured_dbm"},
    [COLUMN_FREQUENCY] = {"frequency", "frequency_hz"},
    [COLUMN_DEVICE] = {"device", "phone"},
    [COLUMN_FACING] = {"facing", "facing_deg", "heading", "heading_deg"},
    [COLUMN_TRANSMITTER] = {"transmitter", "tx", "sensor", "anchor", "ap", "station"},
};
static const char *const PREFIXES[] = {"", "rssi_", "rss_", "power_"};

struct heading {
    int column[COLUMN_KINDS]; /* -1: absent */
    int wide[FIELD_LIMIT];    /* transmitter of the result whose powers a column has; -1: none */
    int wide_count, count;
};

struct table {
    const char *path;
    const pw_result *result;
    bool held;
    double sensitivity; /* dBm; NAN: not known */
    struct heading heading;
    size_t room, line_room;
    int line;
};

void readings_free(struct readings *readings)
{
    free(readings->readings);
    free(readings->lines);
    for (int d = 0; d < readings->device_count; d++) {
        free(readings->devices[d]);
    }
    *readings = (struct readings){0};
}

/* Owned by the result. */
static const char *transmitter_name(const pw_result *result, int transmitter)
{
    pw_transmitter facts;
    return pw_result_transmitter(result, transmitter, &facts, NULL) == PW_OK ? facts.name : "";
}

static int transmitter_index(const pw_result *result, const char *name)
{
    int index;
    return pw_result_find_transmitter(result, name, &index, NULL) == PW_OK ? index : -1;
}

static int transmitter_of_title(const pw_result *result, const char *title)
{
    for (size_t n = 0; n < sizeof PREFIXES / sizeof PREFIXES[0]; n++) {
        size_t length = strlen(PREFIXES[n]);
        int found = strncasecmp(title, PREFIXES[n], length) == 0 ? transmitter_index(result, title + length) : -1;
        if (found >= 0) {
            return found;
        }
    }
    return -1;
}

static int kind_of_title(const char *title)
{
    for (int kind = 0; kind < COLUMN_KINDS; kind++) {
        for (int n = 0; TITLES[kind][n] != NULL; n++) {
            if (strcasecmp(title, TITLES[kind][n]) == 0) {
                return kind;
            }
        }
    }
    return pw_title_is_height(title) ? COLUMN_HEIGHT : -1;
}

static pw_status heading_check(const struct table *table, pw_error *error)
{
    const struct heading *heading = &table->heading;
    if (heading->column[COLUMN_X] < 0 || heading->column[COLUMN_Y] < 0) {
        return fail(error, PW_BAD_INPUT,
                    "%s:%d: no heading with columns x and y; a joint fit reads a heading such as "
                    "x,y,transmitter,power or x,y,NAME,NAME, with names of transmitters",
                    table->path, table->line);
    }
    bool named = heading->column[COLUMN_TRANSMITTER] >= 0, one = heading->column[COLUMN_POWER] >= 0;
    if ((named && heading->wide_count > 0) || (named && !one)) {
        return fail(error, PW_BAD_INPUT, "%s:%d: a heading with a column transmitter has one column power besides",
                    table->path, table->line);
    }
    if (!named && !one && heading->wide_count == 0) {
        return fail(error, PW_BAD_INPUT,
                    "%s:%d: no column power, and none with the name of a transmitter of the result ('%s'%s)",
                    table->path, table->line, transmitter_name(table->result, 0),
                    pw_result_describe(table->result).transmitter_count > 1 ? " and others" : "");
    }
    return PW_OK;
}

static pw_status heading_read(struct table *table, char *line, pw_error *error)
{
    struct heading *heading = &table->heading;
    char *fields[FIELD_LIMIT];
    heading->count = pw_line_cut(line, fields, FIELD_LIMIT);
    for (int kind = 0; kind < COLUMN_KINDS; kind++) {
        heading->column[kind] = -1;
    }
    for (int n = 0; n < heading->count; n++) {
        int kind = kind_of_title(fields[n]);
        heading->wide[n] = kind < 0 ? transmitter_of_title(table->result, fields[n]) : -1;
        heading->wide_count += heading->wide[n] >= 0;
        if (kind >= 0 && heading->column[kind] >= 0) {
            return fail(error, PW_BAD_INPUT, "%s:%d: '%.40s' and '%.40s' would be the same column", table->path,
                        table->line, fields[heading->column[kind]], fields[n]);
        }
        if (kind >= 0) {
            heading->column[kind] = n;
        }
    }
    return heading_check(table, error);
}

static pw_status number_read(const struct table *table, const char *what, const char *text, double least, double most,
                             double *value, pw_error *error)
{
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end != '\0' || !(*value >= least && *value <= most)) {
        return fail(error, PW_BAD_INPUT, "%s:%d: %s = '%.40s': give a number from %g to %g", table->path, table->line,
                    what, text, least, most);
    }
    return PW_OK;
}

static pw_status reading_add(struct table *table, pw_reading reading, struct readings *readings, pw_error *error)
{
    if (readings->count == READING_LIMIT) {
        return fail(error, PW_BAD_INPUT, "%s: more than %d readings", table->path, READING_LIMIT);
    }
    size_t count = (size_t)readings->count;
    TRY(array_grow(&readings->readings, &table->room, count, sizeof *readings->readings, "measured readings", error));
    TRY(array_grow(&readings->lines, &table->line_room, count, sizeof *readings->lines, "measured readings", error));
    readings->readings[count] = reading;
    readings->lines[count] = table->line;
    readings->count++;
    return PW_OK;
}

/* A field that may be empty or absent; NULL then. */
static const char *field_of(const struct heading *heading, char *const *fields, enum column kind)
{
    int n = heading->column[kind];
    return n >= 0 && fields[n][0] != '\0' ? fields[n] : NULL;
}

/* A name of a device, kept once. */
static pw_status device_read(const struct table *table, const char *name, struct readings *readings,
                             pw_reading *reading, pw_error *error)
{
    int d = 0;
    while (d < readings->device_count && strcmp(readings->devices[d], name) != 0) {
        d++;
    }
    if (d == PW_JOINT_DEVICES) {
        return fail(error, PW_BAD_INPUT, "%s:%d: the device '%.40s' is one too many; allowed are %d", table->path,
                    table->line, name, PW_JOINT_DEVICES);
    }
    if (d == readings->device_count) {
        readings->devices[d] = strdup(name);
        if (readings->devices[d] == NULL) {
            return fail(error, PW_NO_RESOURCE, "not enough memory for the names of devices");
        }
        readings->device_count++;
    }
    reading->device = readings->devices[d];
    return PW_OK;
}

static pw_status place_read(const struct table *table, char *const *fields, pw_reading *reading, pw_error *error)
{
    const struct heading *heading = &table->heading;
    TRY(number_read(table, "x [m]", fields[heading->column[COLUMN_X]], -1e6, 1e6, &reading->x, error));
    TRY(number_read(table, "y [m]", fields[heading->column[COLUMN_Y]], -1e6, 1e6, &reading->y, error));
    const char *height = field_of(heading, fields, COLUMN_HEIGHT);
    if (height != NULL) {
        TRY(number_read(table, "height [m]", height, -1e4, 1e4, &reading->height, error));
    }
    const char *frequency = field_of(heading, fields, COLUMN_FREQUENCY);
    pw_error reason = {{0}};
    if (frequency != NULL &&
        (pw_quantity_parse(frequency, PW_DIMENSION_FREQUENCY, &reading->frequency, &reason) != PW_OK ||
         !(reading->frequency > 0.0))) {
        return fail(error, PW_BAD_INPUT, "%s:%d: frequency = '%.40s': give a frequency above 0, such as 2.45 GHz",
                    table->path, table->line, frequency);
    }
    return PW_OK;
}

static pw_status power_read(struct table *table, const char *text, int transmitter, pw_reading reading,
                            struct readings *readings, pw_error *error)
{
    bool empty = text[0] == '\0' || strcasecmp(text, "nan") == 0;
    if (empty && isnan(table->sensitivity)) {
        return PW_OK; /* nothing was received, and nobody knows what could have been */
    }
    reading.below = empty || text[0] == '<';
    reading.power = table->sensitivity;
    if (!empty) {
        TRY(number_read(table, "power [dBm]", text + reading.below, -300.0, 100.0, &reading.power, error));
    }
    reading.transmitter = transmitter_name(table->result, transmitter);
    return reading_add(table, reading, readings, error);
}

static pw_status line_read(struct table *table, char *line, struct readings *readings, pw_error *error)
{
    const struct heading *heading = &table->heading;
    char *fields[FIELD_LIMIT];
    int count = pw_line_cut(line, fields, FIELD_LIMIT);
    pw_reading reading = {.height = NAN, .facing = NAN, .held = table->held};
    if (count != heading->count) {
        return fail(error, PW_BAD_INPUT, "%s:%d: %d columns where the heading has %d", table->path, table->line, count,
                    heading->count);
    }
    TRY(place_read(table, fields, &reading, error));
    const char *device = field_of(heading, fields, COLUMN_DEVICE), *facing = field_of(heading, fields, COLUMN_FACING);
    TRY(device != NULL ? device_read(table, device, readings, &reading, error) : PW_OK);
    TRY(facing != NULL ? number_read(table, "facing [degrees]", facing, -360.0, 360.0, &reading.facing, error) : PW_OK);
    if (heading->wide_count > 0) {
        for (int n = 0; n < count; n++) {
            if (heading->wide[n] >= 0) {
                TRY(power_read(table, fields[n], heading->wide[n], reading, readings, error));
            }
        }
        return PW_OK;
    }
    int transmitter = 0, column = heading->column[COLUMN_TRANSMITTER];
    if (column >= 0) {
        pw_error reason = {{0}};
        if (pw_result_find_transmitter(table->result, fields[column], &transmitter, &reason) != PW_OK) {
            return fail(error, PW_BAD_INPUT, "%s:%d: %s", table->path, table->line, reason.message);
        }
    }
    return power_read(table, fields[heading->column[COLUMN_POWER]], transmitter, reading, readings, error);
}

static pw_status lines_read(pw_lines *lines, struct table *table, struct readings *readings, pw_error *error)
{
    bool headed = false;
    for (char *line;; headed = true) {
        TRY(pw_lines_next(lines, &line, error));
        if (line == NULL) {
            return PW_OK;
        }
        table->line = lines->number;
        TRY(headed ? line_read(table, line, readings, error) : heading_read(table, line, error));
    }
}

pw_status readings_read(const char *path, const pw_result *result, bool held, double sensitivity,
                        struct readings *readings, pw_error *error)
{
    struct table table = {.path = path, .result = result, .held = held, .sensitivity = sensitivity};
    int before = readings->count;
    table.room = table.line_room = (size_t)before;
    readings->path = readings->path != NULL ? readings->path : path;
    pw_lines lines;
    TRY(pw_lines_open(&lines, path, "readings", error));
    pw_status status = lines_read(&lines, &table, readings, error);
    pw_lines_close(&lines);
    if (status == PW_OK && readings->count == before) {
        status = fail(error, PW_BAD_INPUT, "%s: no readings in it", path);
    }
    return status;
}
