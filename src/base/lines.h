/* Lines of text files that people and spreadsheets write, as fgets() reads them, and their fields; and the end of a
 * text that was written to memory. */
#ifndef LINES_H
#define LINES_H

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Cuts a line of a table at commas, semicolons or tabs into at most `most` fields, without blanks and quotes around
 * them. Their count; -1: there are more. */
static inline int line_cut(char *line, char **fields, int most)
{
    int count = 0;
    for (char *next = line; next != NULL;) {
        char *field = strsep(&next, ",;\t");
        field += strspn(field, " \"");
        for (char *end = field + strlen(field); end > field && (isspace((unsigned char)end[-1]) || end[-1] == '"');
             end--) {
            end[-1] = '\0';
        }
        if (count == most) {
            return -1;
        }
        fields[count++] = field;
    }
    return count;
}

/* Closes what open_memstream() opened (or did not: NULL is allowed). False, with nothing left in *text, when there was
 * not enough memory for all of the text. */
static inline bool text_close(FILE *out, char **text)
{
    bool whole = out != NULL && ferror(out) == 0;
    whole = out != NULL && fclose(out) == 0 && whole;
    if (!whole && out != NULL) {
        free(*text);
        *text = NULL;
    }
    return whole;
}

#endif
