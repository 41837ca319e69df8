/* CSV and JSON after a printf format (api/support.h): what differs is how they write texts and numbers. */
#include "base/file/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct style {
    void (*text)(FILE *file, const char *text, bool within); /* `within`: in quotes of the format */
    void (*number)(FILE *file, const char *kind, double value);
};

/* `kind`: what stands between '%' and the letter of a conversion, and that letter, ".6g" or " .6g". */
static void digits_write(FILE *file, const char *kind, double value)
{
    bool fixed = kind[strcspn(kind, "fg")] == 'f';
    fprintf(file, fixed ? "%.*f" : "%.*g", atoi(kind + strcspn(kind, "0123456789")), value);
}

static void integer_write(FILE *file, const char *kind, va_list *values)
{
    if (*kind == 'l') {
        fprintf(file, "%lld", va_arg(*values, long long));
    } else if (*kind == 'z') {
        fprintf(file, "%zu", va_arg(*values, size_t));
    } else {
        fprintf(file, "%d", va_arg(*values, int));
    }
}

static void formatted_write(FILE *file, const struct style *style, const char *format, va_list *values)
{
    for (bool within = false; *format != '\0';) {
        size_t plain = *format == '"' ? 1 : strcspn(format, "%\"");
        within ^= *format == '"';
        fwrite(format, 1, plain, file);
        format += plain;
        if (*format != '%') {
            continue;
        }
        const char *kind = ++format;
        format += strcspn(format, "sdufg");
        switch (*format++) {
        case 's':
            style->text(file, va_arg(*values, const char *), within);
            break;
        case 'd':
        case 'u':
            integer_write(file, kind, values);
            break;
        default:
            style->number(file, kind, va_arg(*values, double));
        }
    }
}

/* ---- CSV ---- */

/* Letters that would end the line become blanks. */
static void csv_text(FILE *file, const char *text, bool within)
{
    bool quoted = !within && strpbrk(text, ",;\t\"#") != NULL;
    fputs(quoted ? "\"" : "", file);
    for (; *text != '\0'; text++) {
        fputs(*text == '"' ? "\"" : "", file);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
    }
    fputs(quoted ? "\"" : "", file);
}

static void csv_number(FILE *file, const char *kind, double value)
{
    if (isnan(value)) {
        fputs(*kind == ' ' ? "" : "nan", file); /* printf tells a sign of it too */
    } else {
        digits_write(file, kind, value);
    }
}

void pw_csv_write(FILE *file, const char *format, ...)
{
    static const struct style style = {csv_text, csv_number};
    va_list values;
    va_start(values, format);
    formatted_write(file, &style, format, &values);
    va_end(values);
}

/* ---- JSON ---- */

static void json_text(FILE *file, const char *text, bool within)
{
    (void)within; /* quotes of the format are around names of members */
    if (text != NULL) {
        json_text_write(file, text, strlen(text));
    } else {
        fputs("null", file);
    }
}

static void json_number(FILE *file, const char *kind, double value)
{
    if (*kind == '.' && isfinite(value)) {
        digits_write(file, kind, value);
    } else {
        json_number_write(file, value);
    }
}

void pw_json_write(FILE *file, const char *format, ...)
{
    static const struct style style = {json_text, json_number};
    va_list values;
    va_start(values, format);
    formatted_write(file, &style, format, &values);
    va_end(values);
}
