/* Lines of text files that people and spreadsheets write, as fgets() reads them. */
#ifndef LINES_H
#define LINES_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* What stands behind blanks, and behind the byte order mark that spreadsheets put before the first line. */
static inline char *line_begin(char *line)
{
    return line + strspn(line, " \t\r\n\xef\xbb\xbf");
}

/* False: the line was too long for its buffer, and the rest of it is still to be read. */
static inline bool line_is_whole(const char *line, FILE *file)
{
    return strchr(line, '\n') != NULL || feof(file) != 0;
}

#endif
