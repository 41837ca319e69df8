/* Reads back what exports write: the numbers of a text file. */
#ifndef TABLE_READ_H
#define TABLE_READ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

/* Numbers of a CSV or Touchstone file, comments and lines that begin with a letter left out; the caller frees them. */
static double *table_read(const char *directory, const char *name, int columns, int *rows)
{
    char path[256], line[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    double *values = calloc((size_t)columns * 8192, sizeof *values);
    *rows = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strchr("#!xdfatq\n", line[0]) != NULL) {
            continue;
        }
        char *next = line;
        for (int c = 0; c < columns; c++) {
            char *end;
            values[*rows * columns + c] = strtod(next, &end);
            assert_true(end != next);
            next = end + (*end == ',' || *end == ' ');
        }
        (*rows)++;
    }
    fclose(file);
    return values;
}

#endif
