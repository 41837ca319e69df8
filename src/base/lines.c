/* Text in a form: lines of tables that people and spreadsheets write, CSV and JSON after a printf format, and the end
 * of a text in memory (api/support.h). */
#include "base/file/atomic_file.h"
#include "base/file/json.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
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
        FAIL_IF(!pw_line_is_whole(lines->text, lines->file), error, PW_BAD_INPUT,
                "%s:%d: longer than %d letters; is this a CSV of %s?", lines->path, lines->number, PW_LINE_SIZE - 2,
                lines->what);
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

/* ---- CSV and JSON: what differs is how they write texts and numbers ---- */

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
