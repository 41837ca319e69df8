/* Reads the antennas of a result (result_antenna.h). */
#include "result/antenna/result_antenna.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PORT_LIMIT = 2048 }; /* antennas of a station */

static pw_status read_cut(const struct reading *reading, hid_t group, const char *name, struct antenna_cut *cut,
                          pw_error *error)
{
    hsize_t length;
    TRY(reading_length(reading, group, name, 1, ELEMENT_REAL, &length, error));
    FAIL_IF(length < 1 || length > CUT_LIMIT, error, PW_BAD_INPUT,
            "dataset '%s' of an antenna has %llu values; allowed are 1 to %d", name, (unsigned long long)length,
            CUT_LIMIT);
    TRY(reading_line(reading, group, (struct line){name, false, length}, &cut->level, &length, error));
    cut->count = (int)length;
    for (int n = 0; n < cut->count; n++) {
        FAIL_IF(!(cut->level[n] <= 0 && cut->level[n] >= -300), error, PW_BAD_INPUT,
                "dataset '%s' of an antenna has %g dB at %d; allowed are -300 to 0", name, cut->level[n], n);
    }
    return PW_OK;
}

/* A number that may be missing. */
static pw_status read_number(hid_t group, const char *name, double *value, pw_error *error)
{
    return hdf5_attribute_exists(group, name) ? hdf5_read_numbers(group, name, value, 0, error) : PW_OK;
}

static pw_status read_pattern(const struct reading *reading, hid_t group, struct antenna_pattern *pattern,
                              pw_error *error)
{
    pattern->gain = pattern->electrical_tilt = NAN;
    if (hdf5_attribute_exists(group, "make")) {
        char *make = NULL;
        TRY(hdf5_read_text(group, "make", &make, error));
        snprintf(pattern->make, sizeof pattern->make, "%s", make);
        free(make);
    }
    TRY(read_number(group, "frequency", &pattern->frequency, error));
    TRY(read_number(group, "gain", &pattern->gain, error));
    TRY(read_number(group, "electrical_tilt", &pattern->electrical_tilt, error));
    TRY(read_cut(reading, group, "horizontal", &pattern->azimuth, error));
    return read_cut(reading, group, "vertical", &pattern->elevation, error);
}

static pw_status read_members(const struct reading *reading, hid_t group, pw_error *error)
{
    struct result *result = reading->result;
    OWNED char(*names)[NAME_SIZE] = NULL;
    int count;
    TRY(hdf5_group_names(group, MEMBER_LIMIT, &names, &count, error));
    TRY_MADE(result->patterns = allocate((size_t)count, sizeof *result->patterns, "antennas", error));
    result->pattern_count = count;
    for (int n = 0; n < count; n++) {
        memcpy(result->patterns[n].name, names[n], NAME_SIZE);
        OWNED_ID hid_t member = hdf5_group_open(group, names[n], error);
        TRY_OPEN(member);
        TRY(read_pattern(reading, member, &result->patterns[n], error));
    }
    return PW_OK;
}

pw_status result_read_patterns(const struct reading *reading, pw_error *error)
{
    if (!hdf5_member_exists(reading->result->file, "antennas")) {
        return PW_OK;
    }
    OWNED_ID hid_t group = hdf5_group_open(reading->result->file, "antennas", error);
    TRY_OPEN(group);
    return read_members(reading, group, error);
}

void result_patterns_free(struct result *result)
{
    for (int n = 0; n < result->pattern_count; n++) {
        antenna_pattern_free(&result->patterns[n]);
    }
    free(result->patterns);
}

static pw_status find_pattern(const struct result *result, const char *name, const struct antenna_pattern **pattern,
                              pw_error *error)
{
    for (int n = 0; n < result->pattern_count; n++) {
        if (strcmp(result->patterns[n].name, name) == 0) {
            *pattern = &result->patterns[n];
            return PW_OK;
        }
    }
    return fail(error, PW_BAD_INPUT, "attribute 'pattern' names '%.60s', which is not in group 'antennas'", name);
}

pw_status result_read_antenna(const struct result *result, hid_t group, char word[NAME_SIZE], struct antenna *antenna,
                              pw_error *error)
{
    char *text = NULL;
    *antenna = (struct antenna){.kind = ANTENNA_ISOTROPIC};
    word[0] = '\0';
    if (!hdf5_attribute_exists(group, "antenna")) {
        return PW_OK;
    }
    TRY(hdf5_read_text(group, "antenna", &text, error));
    snprintf(word, NAME_SIZE, "%s", text);
    free(text);
    antenna->kind = strcmp(word, "hertzian") == 0    ? ANTENNA_HERTZIAN
                    : strcmp(word, "half_wave") == 0 ? ANTENNA_HALF_WAVE
                    : strcmp(word, "pattern") == 0   ? ANTENNA_PATTERN
                                                     : ANTENNA_ISOTROPIC;
    if (antenna->kind != ANTENNA_PATTERN) {
        return PW_OK;
    }
    TRY(hdf5_read_text(group, "pattern", &text, error));
    pw_status status = find_pattern(result, text, &antenna->pattern, error);
    free(text);
    TRY(status);
    TRY(hdf5_read_numbers(group, "bearing", &antenna->bearing, 0, error));
    return hdf5_read_numbers(group, "downtilt", &antenna->downtilt, 0, error);
}

pw_status result_read_port(hid_t group, pw_port *port, pw_error *error)
{
    char *station = NULL;
    int64_t number;
    double shape[3];
    *port = (pw_port){0};
    if (!hdf5_attribute_exists(group, "port")) {
        return PW_OK;
    }
    TRY(hdf5_read_numbers(group, "array", shape, 3, error));
    for (int a = 0; a < 3; a++) {
        FAIL_IF(!(shape[a] >= 1 && shape[a] <= PORT_LIMIT && shape[a] == floor(shape[a])), error, PW_BAD_INPUT,
                "attribute 'array' has %g; allowed are whole numbers from 1 to %d", shape[a], PORT_LIMIT);
        port->shape[a] = (int)shape[a];
    }
    const double all = shape[0] * shape[1] * shape[2];
    TRY(hdf5_read_integer(group, "port", 1, all < PORT_LIMIT ? (int64_t)all : PORT_LIMIT, &number, error));
    TRY(hdf5_read_text(group, "station", &station, error));
    port->number = (int)number;
    snprintf(port->station, sizeof port->station, "%s", station);
    free(station);
    return PW_OK;
}

pw_status result_antenna_of_numbers(const struct result *result, const double numbers[ANTENNA_NUMBERS],
                                    struct antenna *antenna, pw_error *error)
{
    const bool pattern = numbers[0] == ANTENNA_PATTERN;
    FAIL_IF(!(numbers[0] >= 0 && numbers[0] < ANTENNA_KIND_COUNT && numbers[0] == floor(numbers[0])) ||
                (pattern && !(numbers[1] >= 0 && numbers[1] < result->pattern_count)),
            error, PW_BAD_INPUT, "dataset 'receivers/antenna' has kind %g with pattern %g of %d", numbers[0],
            numbers[1], result->pattern_count);
    *antenna = (struct antenna){.kind = (enum antenna_kind)(int)numbers[0],
                                .pattern = pattern ? &result->patterns[(int)numbers[1]] : NULL,
                                .bearing = numbers[2],
                                .downtilt = numbers[3]};
    return PW_OK;
}
