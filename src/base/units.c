/* Quantities with units. Leaves out compound units other than S/m, and ranges, which the caller knows. */
#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    pw_dimension dimension;
    const char *symbol;
    int exponent;  /* value = number * 10^exponent * factor */
    double factor; /* 1 for decimal units */
    bool written;  /* quantity_format() may choose it; the largest unit of a dimension stands first */
};

static const struct unit UNITS[] = {
    {PW_DIMENSION_LENGTH, "km", 3, 1, false},
    {PW_DIMENSION_LENGTH, "m", 0, 1, true},
    {PW_DIMENSION_LENGTH, "cm", -2, 1, true},
    {PW_DIMENSION_LENGTH, "mm", -3, 1, true},
    {PW_DIMENSION_LENGTH, "um", -6, 1, true},
    {PW_DIMENSION_LENGTH, "\xc2\xb5m", -6, 1, false},
    {PW_DIMENSION_LENGTH, "in", 0, 0.0254, false},
    {PW_DIMENSION_LENGTH, "ft", 0, 0.3048, false},
    {PW_DIMENSION_TIME, "s", 0, 1, true},
    {PW_DIMENSION_TIME, "ms", -3, 1, true},
    {PW_DIMENSION_TIME, "us", -6, 1, true},
    {PW_DIMENSION_TIME, "\xc2\xb5s", -6, 1, false},
    {PW_DIMENSION_TIME, "ns", -9, 1, true},
    {PW_DIMENSION_TIME, "ps", -12, 1, true},
    {PW_DIMENSION_TIME, "min", 0, 60, false},
    {PW_DIMENSION_TIME, "h", 0, 3600, false},
    {PW_DIMENSION_FREQUENCY, "THz", 12, 1, true},
    {PW_DIMENSION_FREQUENCY, "GHz", 9, 1, true},
    {PW_DIMENSION_FREQUENCY, "MHz", 6, 1, true},
    {PW_DIMENSION_FREQUENCY, "kHz", 3, 1, true},
    {PW_DIMENSION_FREQUENCY, "Hz", 0, 1, true},
    {PW_DIMENSION_CONDUCTIVITY, "S/m", 0, 1, true},
    {PW_DIMENSION_CONDUCTIVITY, "mS/m", -3, 1, false},
    {PW_DIMENSION_RATIO, "dB", 0, 1, true},
    {PW_DIMENSION_POWER, "dBm", 0, 1, true},
    {PW_DIMENSION_POWER, "dBW", 0, 1, false},
    {PW_DIMENSION_POWER, "W", 0, 1, false},
    {PW_DIMENSION_POWER, "mW", -3, 1, false},
    {PW_DIMENSION_GAIN, "dBi", 0, 1, true},
    {PW_DIMENSION_GAIN, "dB", 0, 1, false},
    {PW_DIMENSION_CELLS, "cells", 0, 1, true},
    {PW_DIMENSION_CELLS, "cell", 0, 1, false},
    {PW_DIMENSION_ANGLE, "rad", 0, 1, true},
    {PW_DIMENSION_ANGLE, "deg", 0, M_PI / 180, false},
    {PW_DIMENSION_SHARE, "%", -2, 1, true},
    {PW_DIMENSION_RESISTANCE, "kohm", 3, 1, false},
    {PW_DIMENSION_RESISTANCE, "ohm", 0, 1, true},
    {PW_DIMENSION_RESISTANCE, "\xce\xa9", 0, 1, false},
};
enum { UNIT_COUNT = sizeof UNITS / sizeof UNITS[0], NUMBER_LIMIT = 100 };

static const char *const NAMES[] = {"number", "length",          "time",  "frequency", "conductivity", "ratio", "power",
                                    "gain",   "number of cells", "angle", "share",     "resistance"};

/* True when a number without a unit is not ambiguous. */
static bool unit_may_be_missing(pw_dimension dimension, double number)
{
    bool logarithmic = dimension == PW_DIMENSION_RATIO || dimension == PW_DIMENSION_GAIN;
    return dimension != PW_DIMENSION_POWER && (!logarithmic || number == 0);
}

static pw_status not_a_quantity(const char *text, pw_dimension dimension, pw_error *error)
{
    char units[160] = "";
    for (int i = 0; i < UNIT_COUNT; i++) {
        if (UNITS[i].dimension == dimension) {
            size_t used = strlen(units);
            snprintf(units + used, sizeof units - used, "%s%s", used > 0 ? ", " : "", UNITS[i].symbol);
        }
    }
    FAIL_IF(dimension == PW_DIMENSION_NUMBER, error, PW_BAD_INPUT,
            "'%.60s' is not a number; write a plain number such as 4 or 1.5e-7", text);
    const char *bare = unit_may_be_missing(dimension, 1) ? "a bare number is SI" : "the unit cannot be left out";
    return fail(error, PW_BAD_INPUT, "'%.60s' is not a %s; write a number with one of the units %s (%s)", text,
                NAMES[dimension], units, bare);
}

/* Length of the number at the start of `text`, 0 when it has no digit; *mantissa: the part before its exponent. */
static size_t number_scan(const char *text, int *exponent, size_t *mantissa)
{
    size_t at = text[0] == '+' || text[0] == '-';
    int digits = 0;
    bool point = false;
    for (; isdigit((unsigned char)text[at]) || (text[at] == '.' && !point); at++) {
        point = point || text[at] == '.';
        digits += text[at] != '.';
    }
    *mantissa = at;
    *exponent = 0;
    if (digits == 0) {
        return 0;
    }
    if (text[at] == 'e' || text[at] == 'E') {
        size_t digit = at + 1 + (text[at + 1] == '+' || text[at + 1] == '-');
        if (isdigit((unsigned char)text[digit])) {
            long written = strtol(text + at + 1, NULL, 10); /* saturates */
            *exponent = (int)(written > 9999 ? 9999 : written < -9999 ? -9999 : written);
            for (at = digit; isdigit((unsigned char)text[at]); at++) {
            }
        }
    }
    return at;
}

/* mantissa * 10^exponent, rounded once; false when it overflows, or becomes zero though one of its digits is not. */
static bool number_value(const char *mantissa, size_t length, int exponent, double *value)
{
    char digits[NUMBER_LIMIT + 32];
    snprintf(digits, sizeof digits, "%.*se%d", (int)length, mantissa, exponent);
    *value = strtod(digits, NULL);
    bool zero = true;
    for (size_t i = 0; i < length; i++) {
        zero = zero && !(mantissa[i] >= '1' && mantissa[i] <= '9');
    }
    return isfinite(*value) && (*value != 0 || zero);
}

static const struct unit *unit_find(const char *symbol, size_t length, pw_dimension dimension)
{
    static const char greek_mu[] = "\xce\xbc"; /* looks like the micro sign, is another character */
    for (int i = 0; i < UNIT_COUNT; i++) {
        const char *name = UNITS[i].symbol;
        bool same = strlen(name) == length && memcmp(name, symbol, length) == 0;
        bool mu = length > 2 && memcmp(symbol, greek_mu, 2) == 0 && memcmp(name, "\xc2\xb5", 2) == 0 &&
                  strlen(name) == length && memcmp(name + 2, symbol + 2, length - 2) == 0;
        if (UNITS[i].dimension == dimension && (same || mu)) {
            return &UNITS[i];
        }
    }
    return NULL;
}

pw_status quantity_parse(const char *text, pw_dimension dimension, double *value, pw_error *error)
{
    const char *start = text + strspn(text, " \t");
    int exponent = 0;
    size_t mantissa = 0, length = number_scan(start, &exponent, &mantissa);
    if (length == 0 || mantissa > NUMBER_LIMIT) {
        return not_a_quantity(text, dimension, error);
    }
    const char *symbol = start + length + strspn(start + length, " \t");
    size_t symbol_length = strlen(symbol);
    while (symbol_length > 0 && (symbol[symbol_length - 1] == ' ' || symbol[symbol_length - 1] == '\t')) {
        symbol_length--;
    }
    const struct unit *unit = symbol_length > 0 ? unit_find(symbol, symbol_length, dimension) : NULL;
    if (symbol_length > 0 && unit == NULL) {
        return not_a_quantity(text, dimension, error);
    }
    double number, factor = unit != NULL ? unit->factor : 1;
    bool written = number_value(start, mantissa, exponent + (unit != NULL ? unit->exponent : 0), &number);
    FAIL_IF(!written || !isfinite(number * factor) || (number != 0 && number * factor == 0), error, PW_BAD_INPUT,
            "'%.60s' is too large or too small for a number in double precision", text);
    if (unit == NULL && !unit_may_be_missing(dimension, number)) {
        return not_a_quantity(text, dimension, error);
    }
    if (unit != NULL && dimension == PW_DIMENSION_POWER && strchr(unit->symbol, 'd') == NULL) {
        FAIL_IF(!(number > 0), error, PW_BAD_INPUT, "'%.60s' is no power: watts must be positive", text);
        number = 10 * log10(number) + 30;
    } else if (unit != NULL && strcmp(unit->symbol, "dBW") == 0) {
        number += 30;
    }
    *value = number * factor;
    return PW_OK;
}

/* The fewest decimal digits, without a point, that read back to the same double; *exponent: power of ten of the first
 * digit. Returns how many there are. */
static int digits_shortest(double value, char digits[24], int *exponent)
{
    char text[40];
    for (int count = 1;; count++) {
        snprintf(text, sizeof text, "%.*e", count - 1, value);
        if (count == 17 || strtod(text, NULL) == value) {
            break;
        }
    }
    int count = 0;
    const char *at = text;
    for (; *at != 'e'; at++) {
        if (isdigit((unsigned char)*at)) {
            digits[count++] = *at;
        }
    }
    *exponent = atoi(at + 1);
    return count;
}

/* Writes digits * 10^(exponent - count + 1), with an exponent only where the plain form would be long. */
static int decimal_write(const char *digits, int count, int exponent, bool negative, char *text, size_t size)
{
    const char *sign = negative ? "-" : "";
    if (exponent < -6 || exponent > 16) {
        return snprintf(text, size, "%s%c%s%.*se%d", sign, digits[0], count > 1 ? "." : "", count - 1, digits + 1,
                        exponent);
    }
    if (exponent < 0) {
        return snprintf(text, size, "%s0.%.*s%.*s", sign, -exponent - 1, "00000", count, digits);
    }
    if (exponent >= count - 1) {
        return snprintf(text, size, "%s%.*s%.*s", sign, count, digits, exponent - count + 1, "0000000000000000");
    }
    return snprintf(text, size, "%s%.*s.%.*s", sign, exponent + 1, digits, count - exponent - 1, digits + exponent + 1);
}

const char *quantity_format(double value, pw_dimension dimension, char text[QUANTITY_SIZE])
{
    char digits[24] = "0";
    int exponent = 0, count = 1;
    if (value != 0) {
        count = digits_shortest(value, digits, &exponent);
    }
    /* The first unit that is not above the value; for smaller values the last unit, for zero the unit of SI. */
    const struct unit *chosen = NULL;
    for (int i = 0; i < UNIT_COUNT; i++) {
        if (UNITS[i].dimension != dimension || !UNITS[i].written) {
            continue;
        }
        chosen = &UNITS[i];
        if (value == 0 ? chosen->exponent == 0 : exponent >= chosen->exponent) {
            break;
        }
    }
    int shift = chosen != NULL ? chosen->exponent : 0;
    int length = decimal_write(digits, count, exponent - shift, signbit(value), text, QUANTITY_SIZE);
    if (chosen != NULL && length > 0 && length < QUANTITY_SIZE) {
        snprintf(text + length, (size_t)(QUANTITY_SIZE - length), " %s", chosen->symbol);
    }
    return text;
}

/* ---- for callers of the library ---- */

pw_status pw_parse_frequency(const char *text, double *frequency, pw_error *error)
{
    return quantity_parse(text, PW_DIMENSION_FREQUENCY, frequency, error);
}

pw_status pw_parse_length(const char *text, double *length, pw_error *error)
{
    return quantity_parse(text, PW_DIMENSION_LENGTH, length, error);
}

pw_status pw_parse_time(const char *text, double *time, pw_error *error)
{
    return quantity_parse(text, PW_DIMENSION_TIME, time, error);
}

INTERFACE_NAME(pw_quantity_parse, quantity_parse);
INTERFACE_NAME(pw_quantity_format, quantity_format);
