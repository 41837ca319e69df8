/* Numbers, lengths and transforms of SVG (svg_text.h). */
#include "drawing/vector/svg/svg_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct svg_matrix svg_matrix_after(const struct svg_matrix *after, const struct svg_matrix *before)
{
    const struct svg_matrix *m = after, *n = before;
    return (struct svg_matrix){m->a * n->a + m->c * n->b,        m->b * n->a + m->d * n->b,
                               m->a * n->c + m->c * n->d,        m->b * n->c + m->d * n->d,
                               m->a * n->e + m->c * n->f + m->e, m->b * n->e + m->d * n->f + m->f};
}

struct drawing_point svg_point(const struct svg_matrix *matrix, double x, double y)
{
    return (struct drawing_point){matrix->a * x + matrix->c * y + matrix->e, matrix->b * x + matrix->d * y + matrix->f};
}

struct drawing_point svg_vector(const struct svg_matrix *matrix, double x, double y)
{
    return (struct drawing_point){matrix->a * x + matrix->c * y, matrix->b * x + matrix->d * y};
}

double svg_scale(const struct svg_matrix *matrix)
{
    return sqrt(fabs(matrix->a * matrix->d - matrix->b * matrix->c));
}

static const char *blanks_pass(const char *text)
{
    return text + strspn(text, " \t\r\n\f");
}

bool svg_number(const char **text, double *number)
{
    const char *at = blanks_pass(*text), *digits = at + (*at == '+' || *at == '-' ? 1 : 0);
    bool decimal = (*digits >= '0' && *digits <= '9') || (*digits == '.' && digits[1] >= '0' && digits[1] <= '9');
    if (!decimal || (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))) { /* nor "inf", nor hexadecimal */
        return false;
    }
    char *behind = NULL;
    double value = strtod(at, &behind);
    if (!isfinite(value) || fabs(value) > 1e100) {
        return false;
    }
    const char *next = blanks_pass(behind);
    *text = *next == ',' ? blanks_pass(next + 1) : next;
    *number = value;
    return true;
}

double svg_length(const char *text, double whole, double otherwise)
{
    static const struct {
        const char *name;
        double pixels;
    } units[] = {{"px", 1},         {"pt", 96 / 72.0}, {"pc", 16}, {"mm", 96 / 25.4},
                 {"cm", 96 / 2.54}, {"in", 96},        {"em", 16}};
    double value = 0;
    if (text == NULL || !svg_number(&text, &value)) {
        return otherwise;
    }
    if (*text == '%') {
        return value / 100 * whole;
    }
    for (size_t u = 0; u < sizeof units / sizeof units[0]; u++) {
        if (strncmp(text, units[u].name, 2) == 0) {
            return value * units[u].pixels;
        }
    }
    return value;
}

/* One of the transforms; `count` numbers of it were given. */
static bool transform_of(const char *name, size_t length, const double *v, int count, struct svg_matrix *matrix)
{
    double angle = v[0] * M_PI / 180, c = cos(angle), s = sin(angle);
    if (length == 6 && strncmp(name, "matrix", 6) == 0 && count == 6) {
        *matrix = (struct svg_matrix){v[0], v[1], v[2], v[3], v[4], v[5]};
    } else if (length == 9 && strncmp(name, "translate", 9) == 0 && (count == 1 || count == 2)) {
        *matrix = (struct svg_matrix){1, 0, 0, 1, v[0], count == 2 ? v[1] : 0};
    } else if (length == 5 && strncmp(name, "scale", 5) == 0 && (count == 1 || count == 2)) {
        *matrix = (struct svg_matrix){v[0], 0, 0, count == 2 ? v[1] : v[0], 0, 0};
    } else if (length == 6 && strncmp(name, "rotate", 6) == 0 && (count == 1 || count == 3)) {
        double x = count == 3 ? v[1] : 0, y = count == 3 ? v[2] : 0; /* about this point */
        *matrix = (struct svg_matrix){c, s, -s, c, x - c * x + s * y, y - s * x - c * y};
    } else if (length == 5 && strncmp(name, "skewX", 5) == 0 && count == 1) {
        *matrix = (struct svg_matrix){1, 0, tan(angle), 1, 0, 0};
    } else if (length == 5 && strncmp(name, "skewY", 5) == 0 && count == 1) {
        *matrix = (struct svg_matrix){1, tan(angle), 0, 1, 0, 0};
    } else {
        return false;
    }
    return true;
}

bool svg_transform(const char *text, struct svg_matrix *matrix)
{
    *matrix = (struct svg_matrix){1, 0, 0, 1, 0, 0};
    for (text = blanks_pass(text); *text != '\0'; text = blanks_pass(text)) {
        const char *name = text;
        size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzXY");
        text = blanks_pass(text + length);
        if (*text != '(') {
            return false;
        }
        double values[6] = {0};
        int count = 0;
        text++;
        while (count < 6 && svg_number(&text, &values[count])) {
            count++;
        }
        text = blanks_pass(text);
        struct svg_matrix one;
        if (*text != ')' || !transform_of(name, length, values, count, &one)) {
            return false;
        }
        *matrix = svg_matrix_after(matrix, &one);
        text += 1;
        text = blanks_pass(text);
        text += *text == ',' ? 1 : 0;
    }
    return true;
}
