/* Values of a sweep: from YAML to a text that --set reads to the same value, and from texts to numbers with one unit.
 * Leaves out what a value means, which the scenario knows. */
#include "sweep/sweep.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Whether a text is the same value when it stands in brackets and without quotes. */
static bool is_plain(const char *text)
{
    if (text[0] == '\0' || strpbrk(text, ",[]{}\"'\n\t\r\\:#") != NULL || strchr("-?&*!|>%@` =", text[0]) != NULL) {
        /* A sign before a number is no list. */
        bool number = text[0] == '-' && (isdigit((unsigned char)text[1]) || text[1] == '.') &&
                      strpbrk(text, ",[]{}\"'\n\t\r\\:#") == NULL;
        return number;
    }
    return text[strlen(text) - 1] != ' ' && strcmp(text, "~") != 0 && strcmp(text, "null") != 0;
}

/* In double quotes, with the escapes of YAML, where it needs quotes. */
static void scalar_write(FILE *out, const char *text)
{
    if (is_plain(text)) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            fprintf(out, "\\%c", *c);
        } else if (*c < ' ') {
            fprintf(out, "\\x%02x", *c);
        } else {
            fputc(*c, out);
        }
    }
    fputc('"', out);
}

static void node_write(FILE *out, const pw_node *node)
{
    if (node->kind == PW_NODE_SCALAR) {
        scalar_write(out, node->text);
        return;
    }
    fputc(node->kind == PW_NODE_LIST ? '[' : '{', out);
    for (const pw_node *child = node->first; child != NULL; child = child->next) {
        if (child->key != NULL) {
            scalar_write(out, child->key);
            fputs(": ", out);
        }
        node_write(out, child);
        fputs(child->next != NULL ? ", " : "", out);
    }
    fputc(node->kind == PW_NODE_LIST ? ']' : '}', out);
}

pw_status value_write(const pw_node *node, char **text, pw_error *error)
{
    size_t size;
    *text = NULL;
    PW_NODE_FAIL_IF(pw_node_is_empty(node), node, error, "has no value");
    FILE *out = open_memstream(text, &size);
    FAIL_IF(out == NULL, error, PW_NO_RESOURCE, "not enough memory for a value of a sweep");
    node_write(out, node);
    return pw_text_close(out, text) ? PW_OK : fail(error, PW_NO_RESOURCE, "not enough memory for a value of a sweep");
}

static bool measure_as(char *const *values, int64_t count, pw_dimension dimension, double *numbers)
{
    for (int64_t v = 0; v < count; v++) {
        pw_error ignored;
        if (values[v] == NULL) {
            numbers[v] = NAN;
        } else if (pw_quantity_parse(values[v], dimension, &numbers[v], &ignored) != PW_OK) {
            return false;
        }
    }
    return true;
}

bool values_measure(char *const *values, int64_t count, pw_dimension *dimension, double *numbers)
{
    static const pw_dimension DIMENSIONS[] = {
        PW_DIMENSION_NUMBER,       PW_DIMENSION_LENGTH, PW_DIMENSION_TIME,  PW_DIMENSION_FREQUENCY,
        PW_DIMENSION_CONDUCTIVITY, PW_DIMENSION_RATIO,  PW_DIMENSION_POWER, PW_DIMENSION_GAIN,
        PW_DIMENSION_CELLS,        PW_DIMENSION_ANGLE,  PW_DIMENSION_SHARE, PW_DIMENSION_RESISTANCE};
    for (size_t d = 0; d < sizeof DIMENSIONS / sizeof DIMENSIONS[0]; d++) {
        if (measure_as(values, count, DIMENSIONS[d], numbers)) {
            *dimension = DIMENSIONS[d];
            return true;
        }
    }
    return false;
}

const char *dimension_units(pw_dimension dimension)
{
    static const char *const UNITS[] = {
        [PW_DIMENSION_NUMBER] = "1",     [PW_DIMENSION_LENGTH] = "m",         [PW_DIMENSION_TIME] = "s",
        [PW_DIMENSION_FREQUENCY] = "Hz", [PW_DIMENSION_CONDUCTIVITY] = "S/m", [PW_DIMENSION_RATIO] = "dB",
        [PW_DIMENSION_POWER] = "dBm",    [PW_DIMENSION_GAIN] = "dBi",         [PW_DIMENSION_CELLS] = "cells",
        [PW_DIMENSION_ANGLE] = "rad",    [PW_DIMENSION_SHARE] = "1",          [PW_DIMENSION_RESISTANCE] = "ohm"};
    return UNITS[dimension];
}
