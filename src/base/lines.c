/* Lines of text files for applications (api/support.h). */
#include "base/lines.h"

#include "api/support.h"

char *pw_line_begin(char *line)
{
    return line_begin(line);
}

bool pw_line_is_whole(const char *line, FILE *file)
{
    return line_is_whole(line, file);
}

int pw_line_cut(char *line, char **fields, int most)
{
    return line_cut(line, fields, most);
}

bool pw_text_close(FILE *out, char **text)
{
    return text_close(out, text);
}
