/* Lines of text files that people and spreadsheets write, and the end of a text in memory (api/support.h). */
#include "base/status.h"

#include <ctype.h>
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
