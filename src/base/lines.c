/* Lines of tables that people and spreadsheets write, and the end of a text in memory (api/support.h). */
#include "base/file/atomic_file.h"
#include "base/status.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

char *pw_line_begin(char *line)
{
    return line + strspn(line, " \t\r\n\xef\xbb\xbf");
}

bool pw_line_is_whole(const char *line, FILE *file)
{
    return strchr(line, '\n') != NULL || feof(file) != 0;
}

int pw_line_cut(char *line, char **fields, int most)
{
    int count = 0;
    for (char *next = line; next != NULL; count++) {
        if (count == most) {
            return -1;
        }
        char *from = next + strspn(next, " "), *to = from;
        bool quoted = *from == '"', within = quoted;
        fields[count] = from;
        for (from += quoted; *from != '\0' && (within || strchr(",;\t", *from) == NULL); from++) {
            if (within && *from == '"' && *++from != '"') {
                within = false;
                from--;
            } else {
                *to++ = *from;
            }
        }
        next = *from != '\0' ? from + 1 : NULL;
        while (to > fields[count] && (isspace((unsigned char)to[-1]) || (!quoted && to[-1] == '"'))) {
            to--;
        }
        *to = '\0';
    }
    return count;
}

pw_status pw_lines_open(pw_lines *lines, const char *path, const char *what, pw_error *error)
{
    lines->path = path;
    lines->what = what;
    lines->number = 0;
    lines->file = input_file_open(path, error);
    return lines->file != NULL ? PW_OK : PW_BAD_INPUT;
}

pw_status pw_lines_next(pw_lines *lines, char **line, pw_error *error)
{
    *line = NULL;
    while (fgets(lines->text, sizeof lines->text, lines->file) != NULL) {
        lines->number++;
        if (!pw_line_is_whole(lines->text, lines->file)) {
            return fail(error, PW_BAD_INPUT, "%s:%d: longer than %d letters; is this a CSV of %s?", lines->path,
                        lines->number, PW_LINE_SIZE - 2, lines->what);
        }
        char *text = pw_line_begin(lines->text);
        if (*text != '\0' && *text != '#') {
            *line = text;
            return PW_OK;
        }
    }
    return ferror(lines->file) == 0 ? PW_OK
                                    : fail(error, PW_BAD_INPUT, "cannot read '%s': %s", lines->path, strerror(errno));
}

void pw_lines_close(pw_lines *lines)
{
    (void)fclose(lines->file); /* read only: nothing can be lost */
}

bool pw_text_close(FILE *out, char **text)
{
    bool whole = out != NULL && ferror(out) == 0;
    whole = out != NULL && fclose(out) == 0 && whole;
    if (!whole && out != NULL) {
        free(*text);
        *text = NULL;
    }
    return whole;
}
