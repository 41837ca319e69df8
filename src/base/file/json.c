/* JSON strings and numbers on a stream. Braces and commas are the caller's. */
#include "base/file/json.h"

#include <math.h>
#include <stdbool.h>

/* Length of the UTF-8 sequence at `text`, 0 when there is no valid one. Overlong forms and surrogates are not valid. */
static size_t sequence_length(const unsigned char *text, size_t left)
{
    unsigned char lead = text[0];
    size_t length = lead < 0x80                   ? 1
                    : lead >= 0xc2 && lead < 0xe0 ? 2
                    : (lead & 0xf0) == 0xe0       ? 3
                    : lead >= 0xf0 && lead < 0xf5 ? 4
                                                  : 0;
    if (length > left) {
        return 0;
    }
    for (size_t n = 1; n < length; n++) {
        if ((text[n] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool wrong = (lead == 0xe0 && text[1] < 0xa0) || (lead == 0xed && text[1] >= 0xa0) ||
                 (lead == 0xf0 && text[1] < 0x90) || (lead == 0xf4 && text[1] >= 0x90);
    return length > 1 && wrong ? 0 : length;
}

void json_text_write(FILE *stream, const char *text, size_t length)
{
    fputc('"', stream);
    for (size_t n = 0; n < length;) {
        unsigned char c = (unsigned char)text[n];
        size_t sequence = sequence_length((const unsigned char *)text + n, length - n);
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
