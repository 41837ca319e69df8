/* JSON strings and numbers on a stream. Braces and commas are the caller's. */
#include "base/file/json.h"

#include "base/names.h"

#include <math.h>

void json_text_write(FILE *stream, const char *text, size_t length)
{
    fputc('"', stream);
    for (size_t n = 0; n < length;) {
        unsigned char c = (unsigned char)text[n];
        size_t sequence = utf8_length(text + n, length - n);
        if (sequence == 0) {
            fputs("\\ufffd", stream);
        } else if (c == '"' || c == '\\') {
            fprintf(stream, "\\%c", c);
        } else if (c < 0x20) {
            fprintf(stream, "\\u%04x", c);
        } else {
            fwrite(text + n, 1, sequence, stream);
        }
        n += sequence > 0 ? sequence : 1;
    }
    fputc('"', stream);
}

void json_number_write(FILE *stream, double value)
{
    if (isnan(value)) {
        fputs("null", stream);
    } else if (isinf(value)) {
        fputs(value > 0 ? "1e999" : "-1e999", stream);
    } else {
        fprintf(stream, "%.17g", value);
    }
}

INTERFACE_NAME(pw_json_text_write, json_text_write);
INTERFACE_NAME(pw_json_number_write, json_number_write);
