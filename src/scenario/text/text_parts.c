/* Values of a scenario as YAML (text_parts.h): quantities, texts, places. */
#include "scenario/text/text_parts.h"

#include <math.h>

void write_quantity(FILE *out, const char *before, double value, pw_dimension dimension)
{
    char text[QUANTITY_SIZE];
    fprintf(out, "%s%s", before, quantity_format(value, dimension, text));
}

void write_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\') {
            fprintf(out, "\\%c", *at);
        } else if (*at < 0x20 || *at == 0x7f) {
            fprintf(out, "\\x%02x", *at);
        } else if (at[0] == 0xc2 &&
                   (at[1] >= 0x80 && at[1] <= 0x9f)) { /* C1 control characters are not printable in YAML */
            fprintf(out, "\\x%02x", *++at);
        } else if (at[0] == 0xe2 && at[1] == 0x80 &&
                   (at[2] == 0xa8 || at[2] == 0xa9)) { /* line and paragraph separator */
            fprintf(out, "\\u20%02x", at[2] - 0x80);
            at += 2;
        } else if (at[0] == 0xef && at[1] == 0xbb && at[2] == 0xbf) { /* byte order mark */
            fputs("\\ufeff", out);
            at += 2;
        } else {
            fputc(*at, out);
        }
    }
    fputc('"', out);
}

void write_point(FILE *out, const char *before, struct point point)
{
    write_quantity(out, before, point.x, PW_DIMENSION_LENGTH);
    write_quantity(out, ", ", point.y, PW_DIMENSION_LENGTH);
    fputc(']', out);
}

void write_place(FILE *out, const char *before, struct point point, double height)
{
    write_quantity(out, before, point.x, PW_DIMENSION_LENGTH);
    write_quantity(out, ", ", point.y, PW_DIMENSION_LENGTH);
    if (!isnan(height)) {
        write_quantity(out, ", ", height, PW_DIMENSION_LENGTH);
    }
    fputc(']', out);
}
